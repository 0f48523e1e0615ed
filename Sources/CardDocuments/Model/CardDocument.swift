// A card document: a background and elements in drawing order, as a value.
// Invariant: the value is the JSON of the file, brought to version 2; each change touches only the keys that it means, and
// what is written back holds every key and every number's text that was read.

import JSON

/// A picture card. A value: copies are independent, nothing is saved by itself.
public struct CardDocument: Equatable, Sendable {
  /// The card, in units; x and y are counted from its centre, y down.
  public static let width = CardFormat.canvasWidth
  public static let height = CardFormat.canvasHeight
  /// The sides of an element that is given none.
  public static let elementSide = CardFormat.elementSide

  /// As in a file of version 2, or as far as it can be understood of a later one.
  private(set) var json: JSONObject
  /// What it was read from.
  public let shape: CardShape
  public private(set) var id: DocumentID

  /// An empty card.
  public init(id: DocumentID, background: CardColor) {
    json = JSONObject([
      "background": background.json, "elements": .array([]), "format": .string(CardFormat.name),
      "id": .string(id.description), "version": .number(Double(CardFormat.version)),
    ])
    self.id = id
    shape = .version2
  }

  /// The decoder has made sure of the skeleton: a valid id, a list of objects that have ids.
  init(checked json: JSONObject, id: DocumentID, shape: CardShape) {
    self.json = json
    self.id = id
    self.shape = shape
  }

  /// The version it would be saved as, or that of the later program that wrote it.
  public var version: Int { json["version"]?.integer ?? CardFormat.version }
  /// A file of a later version is shown and never changed.
  public var isReadOnly: Bool { shape == .future }

  public var background: CardColor { CardColor(json: json["background"]) ?? .yellow }

  /// In drawing order, the last is in front.
  public var elements: [Element] {
    (json["elements"]?.array ?? []).compactMap { $0.object.map(Element.init) }
  }

  public func element(_ id: String) -> Element? { elements.first { $0.id == id } }

  /// The images in the store that it shows.
  public var images: Set<ContentHash> { Set(elements.compactMap(\.image)) }

  public mutating func setBackground(_ color: CardColor) throws(DocumentError) {
    try mayChange()
    json["background"] = color.json
  }

  /// Puts a text in front.
  public mutating func addText(
    _ text: String, color: CardColor = .black, font: String = "", at placement: ElementPlacement = ElementPlacement(),
    id: DocumentID
  ) throws(DocumentError) -> Element {
    var fields: [(ElementField, FieldValue)] = [(.text, .text(text)), (.color, .color(color))]
    if !font.isEmpty { fields.append((.font, .text(font))) }
    return try add(.text, fields + placement.fields, id: id)
  }

  /// Puts an image of the store in front.
  public mutating func addImage(
    _ image: ContentHash, frame: Frame? = nil, alt: String = "", at placement: ElementPlacement = ElementPlacement(),
    id: DocumentID
  ) throws(DocumentError) -> Element {
    var fields = placement.fields
    if let frame { fields.append((.frame, .text(frame.rawValue))) }
    if !alt.isEmpty { fields.append((.alt, .text(alt))) }
    return try add(.image, fields, image: image, id: id)
  }

  private mutating func add(
    _ kind: ElementKind, _ fields: [(ElementField, FieldValue)], image: ContentHash? = nil, id: DocumentID
  ) throws(DocumentError) -> Element {
    try mayChange()
    var list = elements
    guard list.count < CardFormat.maximumElements else { throw .full(limit: CardFormat.maximumElements) }
    var element = Element(json: JSONObject(["id": .string(id.description), "kind": .string(kind.rawValue)]))
    for (field, value) in fields { try element.set(field, to: value) }
    element.json["image"] = image.map { .string($0.description) }
    list.append(element)
    replaceElements(list)
    return element
  }

  /// Sets one field of an element.
  public mutating func set(_ field: ElementField, of element: String, to value: FieldValue) throws(DocumentError) {
    try mayChange()
    var list = elements
    let place = try place(of: element, in: list)
    try list[place].set(field, to: value)
    replaceElements(list)
  }

  /// Swaps an element with the one in front of it. False when it was in front of all.
  @discardableResult
  public mutating func raise(_ element: String) throws(DocumentError) -> Bool { try swap(element, by: 1) }

  /// Swaps an element with the one behind it. False when it was behind all.
  @discardableResult
  public mutating func lower(_ element: String) throws(DocumentError) -> Bool { try swap(element, by: -1) }

  private mutating func swap(_ element: String, by step: Int) throws(DocumentError) -> Bool {
    try mayChange()
    var list = elements
    let place = try place(of: element, in: list)
    guard list.indices.contains(place + step) else { return false }
    list.swapAt(place, place + step)
    replaceElements(list)
    return true
  }

  public mutating func removeElement(_ element: String) throws(DocumentError) {
    try mayChange()
    var list = elements
    let place = try place(of: element, in: list)
    guard !list[place].isLocked else { throw .locked(element: element) }
    list.remove(at: place)
    replaceElements(list)
  }

  /// The same card under another id, as version 2; its elements keep theirs.
  public func duplicate(id: DocumentID) throws(DocumentError) -> CardDocument {
    try mayChange()
    var json = json
    json["id"] = .string(id.description)
    return CardDocument(checked: json, id: id, shape: .version2)
  }

  /// Puts the images that the original app kept beside the document in place of their file names.
  mutating func adopt(_ images: [String: ContentHash]) {
    replaceElements(
      elements.map { element in
        guard let file = element.imageFile, let hash = images[file] else { return element }
        var element = element
        element.json["image"] = .string(hash.description)
        element.json["imageFile"] = nil
        return element
      })
  }

  private mutating func replaceElements(_ elements: [Element]) {
    json["elements"] = .array(elements.map { .object($0.json) })
  }

  private func place(of element: String, in list: [Element]) throws(DocumentError) -> Int {
    guard let place = list.firstIndex(where: { $0.id == element }) else { throw .noElement(element, document: id) }
    return place
  }

  private func mayChange() throws(DocumentError) {
    if isReadOnly { throw .laterVersion(version) }
  }
}
