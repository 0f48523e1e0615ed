// A card document as a value: a background and elements in drawing order, which are found by id without a scan.
// Invariant: the value is the JSON of the file, converted to version 2; each change touches only its own keys, and
// encoding writes back every key and the exact text of every number that was read. No two elements have the same id.

import Text
import Values

/// A picture card. It is a value: copies are independent, and nothing is saved automatically.
public struct CardDocument: Equatable, Sendable {
  /// The size of the card in units. x and y are measured from its centre, y downwards.
  public static let width = DocumentFormat.canvasWidth
  public static let height = DocumentFormat.canvasHeight
  /// The default width and height of an element.
  public static let elementSide = DocumentFormat.elementSide

  /// Everything except `elements`, in the form of version 2, as far as a later version can be understood.
  private var rest: Value.Record
  private var list: ElementList
  /// The format that the document was read from.
  public private(set) var shape: CardShape
  public private(set) var id: DocumentID

  public init(id: DocumentID, background: CardColor) {
    rest = [
      "background": background.json, "format": .text(DocumentFormat.name), "id": .text(id.description),
      "version": .integer(DocumentFormat.version),
    ]
    list = ElementList([])
    self.id = id
    shape = .version2
  }

  /// The decoder has already checked the skeleton: a valid id, and a list of objects that have ids.
  init(checked json: Value.Record, id: DocumentID, shape: CardShape) {
    rest = json
    rest["elements"] = nil
    list = ElementList((json["elements"]?.list ?? []).compactMap(\.record))
    (self.id, self.shape) = (id, shape)
  }

  /// The document as the JSON of a version 2 file.
  var json: Value.Record {
    var json = rest
    json["elements"] = .list(list.all.map { .record($0.json) })
    return json
  }

  /// The version that it would be saved as; for a file of a later version, that version.
  public var version: Int { rest["version"]?.integer ?? DocumentFormat.version }
  /// True for a file of a later version, which is shown but never changed.
  public var isReadOnly: Bool { shape == .future }

  public var background: CardColor { CardColor(json: rest["background"]) ?? .yellow }

  /// In drawing order: the last element is in front.
  public var elements: [Element] { list.all }

  public func element(_ id: String) -> Element? { list.place(of: id).map { list.all[$0] } }

  /// The images in the store that the document shows.
  public var images: Set<ContentHash> { Set(elements.compactMap(\.image)) }

  public mutating func setBackground(_ color: CardColor) throws(DocumentError) {
    try beginChange()
    rest["background"] = color.json
  }

  /// The colours of the panels behind groups, by the name of the group. Of two entries with one name, the first counts.
  public var panels: [String: CardColor] {
    let groups = (rest["groups"]?.list ?? []).compactMap(\.record)
    let colors = groups.compactMap { group in group["id"]?.text.map { ($0, CardColor(json: group["color"])) } }
    return Dictionary(firstOf: colors).compactMapValues(\.self)
  }

  /// Draws a panel of a colour behind the elements of a group; nil removes it.
  public mutating func setPanel(of group: String, to color: CardColor?) throws(DocumentError) {
    try beginChange()
    let known = Set(elements.compactMap(\.group))
    guard known.contains(group) else {
      throw .badValue(
        field: "group", expected: "a group that an element names", found: quoted(group),
        suggestion: suggestion(for: group, among: known.sorted()))
    }
    let found = rest["groups"] ?? .list([])
    guard var groups = found.list else {
      throw .badValue(field: "groups", expected: "a list of groups in the file", found: found.kind, suggestion: nil)
    }
    let place = groups.firstIndex { $0.record?["id"]?.text == group } ?? groups.count
    guard color != nil || place < groups.count else { return }
    if place == groups.count { groups.append(.record(["id": .text(group)])) }
    var entry = groups[place].record ?? Value.Record()
    entry["color"] = color?.json
    groups[place] = .record(entry)
    rest["groups"] = .list(groups)
  }

  public mutating func addText(
    _ text: String, style: TextStyle = TextStyle(), at placement: ElementPlacement = ElementPlacement(), id: DocumentID
  ) throws(DocumentError) -> Element {
    try add(.text, [(.text, .text(text))] + style.fields + placement.fields, id: id)
  }

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
    guard list.all.count < DocumentFormat.maximumElements else { throw .full(limit: DocumentFormat.maximumElements) }
    var element = Element(json: ["id": .text(id.description), "kind": .text(kind.rawValue)])
    for (field, value) in fields { try element.set(field, to: value) }
    element.json["image"] = image.map { .text($0.description) }
    list.append(element)
    return element
  }

  public mutating func set(_ field: ElementField, of element: String, to value: ElementValue) throws(DocumentError) {
    try beginChange()
    try list.set(field, to: value, at: place(of: element))
  }

  /// Returns the document with the given values, as in its file, in fields of those elements that still exist.
  func setting(_ fields: [String: [ElementField: Value?]]) -> CardDocument {
    var document = self
    for (element, values) in fields {
      guard let place = list.place(of: element) else { continue }
      for (field, value) in values { document.list.put(value, field.rawValue, at: place) }
    }
    return document
  }

  /// Swaps an element with the one in front of it. Returns false if it was already in front of all.
  @discardableResult
  public mutating func raise(_ element: String) throws(DocumentError) -> Bool { try swap(element, by: 1) }

  /// Swaps an element with the one behind it. Returns false if it was already behind all.
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

  /// Returns the same card under another id, as version 2; its elements keep their ids.
  public func duplicate(id: DocumentID) throws(DocumentError) -> CardDocument {
    try mayChange()
    var copy = self
    copy.rest["id"] = .text(id.description)
    copy.id = id
    copy.shape = .version2
    return copy
  }

  /// Replaces the names of image files that the original app stored beside the document with the hashes of the images.
  mutating func load(_ images: [String: ContentHash]) {
    for (place, element) in list.all.enumerated() {
      guard let file = element.imageFile, let hash = images[file] else { continue }
      list.put(.text(hash.description), "image", at: place)
      list.put(nil, "imageFile", at: place)
    }
  }

  /// Replaces the text of a template's element, even a locked one: the filled copy is a separate document.
  mutating func fillText(at place: Int, _ text: String) { list.put(.text(text), ElementField.text.rawValue, at: place) }

  /// Replaces the picture of a template's element; nil removes the element.
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

  /// Checks that the document may be changed, and writes into the JSON the ids that elements were given on reading.
  private mutating func beginChange() throws(DocumentError) {
    try mayChange()
    list.writeIDs()
  }
}

struct ElementList: Equatable, Sendable {
  private(set) var all: [Element]
  private var places: [String: Int] = [:]

  /// Creates the list from JSON objects. Later ones with the same id get another, the same each time.
  init(_ objects: [Value.Record]) {
    all = []
    all.reserveCapacity(objects.count)
    var known = Set(objects.lazy.compactMap { $0["id"]?.text })
    var counts: [String: Int] = [:]
    for json in objects {
      let written = json["id"]?.text ?? ""
      var id = written
      counts[written, default: 0] += 1
      while let count = counts[written], count > 1 {
        id = DocumentID(bytes: sha256(Array("\(written)/\(count)".utf8))).description
        if known.insert(id).inserted { break }
        counts[written] = count + 1
      }
      all.append(Element(json: json, id: id))
    }
    index()
  }

  /// Writes into the JSON the ids that elements were given in place of the ones there.
  mutating func writeIDs() {
    for (place, element) in all.enumerated() where element.json["id"]?.text != element.id {
      all[place].json["id"] = .text(element.id)
    }
  }

  func place(of id: String) -> Int? { places[id] }

  mutating func append(_ element: Element) {
    places[element.id] = all.count
    all.append(element)
  }

  mutating func swapAt(_ place: Int, _ other: Int) {
    all.swapAt(place, other)
    index()
  }

  mutating func remove(at place: Int) {
    all.remove(at: place)
    index()
  }

  mutating func set(_ field: ElementField, to value: ElementValue, at place: Int) throws(DocumentError) {
    try all[place].set(field, to: value)
  }

  /// Changes one key of one element; nil removes the key.
  mutating func put(_ value: Value?, _ key: String, at place: Int) { all[place].json[key] = value }

  private mutating func index() {
    places = [:]
    places.reserveCapacity(all.count)
    for (place, element) in all.enumerated() { places[element.id] = place }
  }
}
