// A card document: a background and elements in drawing order, as a value.
// Invariant: the value is the JSON of the file, brought to version 2; each change touches only the keys that it means,
// and what is written back holds every key and every number's text that was read.

import Text
import Values

/// A picture card. A value: copies are independent, nothing is saved by itself.
///
///     var document = CardDocument(id: id, background: .yellow)
///     try document.setBackground(.black)
///     document.encoded   // the bytes of its file
public struct CardDocument: Equatable, Sendable {
  /// The card, in units; x and y are counted from its centre, y down.
  public static let width = CardFormat.canvasWidth
  public static let height = CardFormat.canvasHeight
  /// The sides of an element that is given none.
  public static let elementSide = CardFormat.elementSide

  /// All but the elements, as in a file of version 2, or as far as it can be understood of a later one.
  private var rest: Value.Record
  private var list: ElementList
  /// What it was read from.
  public private(set) var shape: CardShape
  public private(set) var id: DocumentID

  /// An empty card.
  public init(id: DocumentID, background: CardColor) {
    rest = [
      "background": background.json, "format": .text(CardFormat.name), "id": .text(id.description),
      "version": .integer(CardFormat.version),
    ]
    list = ElementList([])
    self.id = id
    shape = .version2
  }

  /// The decoder has made sure of the skeleton: a valid id, a list of objects that have ids.
  init(checked json: Value.Record, id: DocumentID, shape: CardShape) {
    rest = json
    rest["elements"] = nil
    list = ElementList((json["elements"]?.list ?? []).compactMap(\.record))
    self.id = id
    self.shape = shape
  }

  /// As in a file of version 2.
  var json: Value.Record {
    var json = rest
    json["elements"] = .list(list.all.map { .record($0.json) })
    return json
  }

  /// The version it would be saved as, or that of the later program that wrote it.
  public var version: Int { rest["version"]?.integer ?? CardFormat.version }
  /// A file of a later version is shown and never changed.
  public var isReadOnly: Bool { shape == .future }

  public var background: CardColor { CardColor(json: rest["background"]) ?? .yellow }

  /// In drawing order, the last is in front.
  public var elements: [Element] { list.all }

  public func element(_ id: String) -> Element? { list.place(of: id).map { list.all[$0] } }

  /// The images in the store that it shows.
  public var images: Set<ContentHash> { Set(elements.compactMap(\.image)) }

  public mutating func setBackground(_ color: CardColor) throws(DocumentError) {
    try beginChange()
    rest["background"] = color.json
  }

  /// The panels behind groups, by the group's name.
  public var panels: [String: CardColor] {
    var panels: [String: CardColor] = [:]
    for group in (rest["groups"]?.list ?? []).compactMap(\.record) {
      if let id = group["id"]?.text, let color = CardColor(json: group["color"]) { panels[id] = color }
    }
    return panels
  }

  /// Draws a panel of a colour behind the elements of a group; nil takes it away.
  ///
  ///     try document.setPanel(of: "verbs", to: .yellow)
  public mutating func setPanel(of group: String, to color: CardColor?) throws(DocumentError) {
    try beginChange()
    let known = Set(elements.compactMap(\.group))
    guard known.contains(group) else {
      throw .badValue(
        field: "group", expected: "a group that an element names", found: quoted(group),
        suggestion: suggestion(for: group, among: known.sorted()))
    }
    var groups = try groupList()
    let place = groups.firstIndex { $0.record?["id"]?.text == group } ?? groups.count
    guard color != nil || place < groups.count else { return }
    if place == groups.count { groups.append(.record(["id": .text(group)])) }
    var entry = groups[place].record ?? Value.Record()
    entry["color"] = color?.json
    groups[place] = .record(entry)
    rest["groups"] = .list(groups)
  }

  private func groupList() throws(DocumentError) -> [Value] {
    guard let groups = rest["groups"] else { return [] }
    if let list = groups.list { return list }
    throw .badValue(field: "groups", expected: "a list of groups in the file", found: groups.kind, suggestion: nil)
  }

  /// Puts a text in front.
  public mutating func addText(
    _ text: String, style: TextStyle = TextStyle(), at placement: ElementPlacement = ElementPlacement(), id: DocumentID
  ) throws(DocumentError) -> Element {
    try add(.text, [(.text, .text(text))] + style.fields + placement.fields, id: id)
  }

  /// Puts an image of the store in front.
  public mutating func addImage(
    _ image: ContentHash, frame: Frame? = nil, isCropped: Bool = false, alt: String = "",
    at placement: ElementPlacement = ElementPlacement(), id: DocumentID
  ) throws(DocumentError) -> Element {
    var fields = placement.fields
    if isCropped { fields.append((.cropped, .flag(true))) }
    if let frame { fields.append((.frame, .text(frame.rawValue))) }
    if !alt.isEmpty { fields.append((.alt, .text(alt))) }
    return try add(.image, fields, image: image, id: id)
  }

  private mutating func add(
    _ kind: ElementKind, _ fields: [(ElementField, ElementValue)], image: ContentHash? = nil, id: DocumentID
  ) throws(DocumentError) -> Element {
    try beginChange()
    guard list.all.count < CardFormat.maximumElements else { throw .full(limit: CardFormat.maximumElements) }
    var element = Element(json: ["id": .text(id.description), "kind": .text(kind.rawValue)])
    for (field, value) in fields { try element.set(field, to: value) }
    element.json["image"] = image.map { .text($0.description) }
    list.append(element)
    return element
  }

  /// Sets one field of an element.
  public mutating func set(_ field: ElementField, of element: String, to value: ElementValue) throws(DocumentError) {
    try beginChange()
    let place = try place(of: element)
    guard case .change(let json) = try list.all[place].change(of: field, to: value) else { return }
    list.put(json, field.rawValue, at: place)
  }

  /// The same document with these values, as they are in its file, for fields of its elements; elements that are gone
  /// are passed over.
  func setting(_ fields: [String: [ElementField: Value?]]) -> CardDocument {
    var document = self
    for (element, values) in fields {
      guard let place = list.place(of: element) else { continue }
      for (field, value) in values { document.list.put(value, field.rawValue, at: place) }
    }
    return document
  }

  /// Swaps an element with the one in front of it. False when it was in front of all.
  @discardableResult
  public mutating func raise(_ element: String) throws(DocumentError) -> Bool { try swap(element, by: 1) }

  /// Swaps an element with the one behind it. False when it was behind all.
  @discardableResult
  public mutating func lower(_ element: String) throws(DocumentError) -> Bool { try swap(element, by: -1) }

  private mutating func swap(_ element: String, by step: Int) throws(DocumentError) -> Bool {
    try beginChange()
    let place = try place(of: element)
    guard list.all.indices.contains(place + step) else { return false }
    list.swapAt(place, place + step)
    return true
  }

  public mutating func removeElement(_ element: String) throws(DocumentError) {
    try beginChange()
    let place = try place(of: element)
    guard !list.all[place].isLocked else { throw .locked(element: element) }
    list.remove(at: place)
  }

  /// The same card under another id, as version 2; its elements keep theirs.
  public func duplicate(id: DocumentID) throws(DocumentError) -> CardDocument {
    try mayChange()
    var copy = self
    copy.rest["id"] = .text(id.description)
    copy.id = id
    copy.shape = .version2
    return copy
  }

  /// Puts the images that the original app kept beside the document in place of their file names.
  mutating func load(_ images: [String: ContentHash]) {
    for (place, element) in list.all.enumerated() {
      guard let file = element.imageFile, let hash = images[file] else { continue }
      list.put(.text(hash.description), "image", at: place)
      list.put(nil, "imageFile", at: place)
    }
  }

  /// Puts a text in the place of a template's, locked or not: it is a document of its own.
  mutating func fillText(at place: Int, _ text: String) {
    list.put(.text(text), ElementField.text.rawValue, at: place)
  }

  /// Puts a picture in the place of a template's; nil takes the element away.
  mutating func fillImage(at place: Int, _ picture: ContentHash?, alt: String) {
    guard let picture else { return list.remove(at: place) }
    list.put(.text(picture.description), "image", at: place)
    list.put(nil, "imageFile", at: place)
    list.put(alt.isEmpty ? nil : .text(alt), ElementField.alt.rawValue, at: place)
  }

  private func place(of element: String) throws(DocumentError) -> Int {
    guard let place = list.place(of: element) else { throw .noElement(element, document: id) }
    return place
  }

  private func mayChange() throws(DocumentError) {
    if isReadOnly { throw .laterVersion(version) }
  }

  /// What is changed has an id of its own, in the file too.
  private mutating func beginChange() throws(DocumentError) {
    try mayChange()
    list.settleIDs()
  }
}
