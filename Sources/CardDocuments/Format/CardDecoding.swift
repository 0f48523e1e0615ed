// Decoding of .rwcard files to documents, and encoding. Invariant: anything that cannot be represented is rejected with
// its location; anything accepted is written back completely. The skeleton (an object, a UUID, lists of objects with
// ids) is required; anything wrong inside it is kept and left to `problems()`.

import Values

extension CardDocument {
  /// Reads a file of any edition or version, and converts it to version 2.
  public init(reading bytes: [UInt8], file: String) throws(DocumentError) {
    let value: Value
    do { value = try JSONParser.parse(bytes, limits: DocumentFormat.limits) } catch {
      throw .notJSON(file: file, error)
    }
    guard case .record(let object) = value else { throw .wrong(file, .whole, expected: "an object", value) }
    guard let shape = CardShape(of: object) else { throw .notACard(file: file) }
    guard let id = object["id"]?.text.flatMap({ DocumentID($0) }) else {
      throw .wrong(file, JSONPointer.whole.appending("id"), expected: "a UUID", object["id"])
    }
    try CardDocument.checkLists(of: object, shape: shape, file: file)
    let json = shape.migrated(object)
    try CardDocument.checkElements(of: json, file: file)
    self.init(checked: json, id: id, shape: shape)
  }

  /// The file, version 2, with sorted keys. The same document gives the same bytes.
  public var encoded: [UInt8] { JSONWriter.bytes(of: .record(json)) }

  /// Checks, before any migration, that the lists of elements are lists of objects and not too long.
  private static func checkLists(of object: Value.Record, shape: CardShape, file: String) throws(DocumentError) {
    let isNew = shape == .version2 || shape == .future
    var count = 0
    for key in isNew ? ["elements"] : ["imageElements", "textElements"] {
      let pointer = JSONPointer.whole.appending(key)
      let value = object[key]
      if !isNew, value ?? .null == .null { continue }
      guard let list = value?.list else { throw .wrong(file, pointer, expected: "a list", value) }
      count += list.count
      guard count <= DocumentFormat.maximumElements else {
        throw .tooMuch(file: file, pointer, "elements", limit: DocumentFormat.maximumElements)
      }
      for (index, entry) in list.enumerated() where entry.record == nil {
        throw .wrong(file, pointer.appending(index), expected: "an object", entry)
      }
    }
  }

  private static func checkElements(of json: Value.Record, file: String) throws(DocumentError) {
    for (index, entry) in (json["elements"]?.list ?? []).enumerated() {
      let pointer = JSONPointer.whole.appending("elements").appending(index)
      guard let id = entry.record?["id"]?.text, !id.isEmpty, id.utf8.count <= 200 else {
        throw .wrong(file, pointer.appending("id"), expected: "a text of 1 to 200 bytes", entry.record?["id"])
      }
      for key in ["text", "alt", "link", "font", "group"] {
        guard (entry.record?[key]?.text ?? "").utf8.count <= DocumentFormat.maximumText else {
          throw .tooMuch(file: file, pointer.appending(key), "bytes", limit: DocumentFormat.maximumText)
        }
      }
    }
  }
}

extension CardShape {
  /// Detects the format by the content of the file, never by its name; nil if it is not a card document.
  init?(of object: Value.Record) {
    if object["format"]?.text == DocumentFormat.name {
      guard let version = object["version"]?.integer, version >= DocumentFormat.version else { return nil }
      self = version == DocumentFormat.version ? .version2 : .future
      return
    }
    let hasImages = object["imageElements"] != nil
    let hasTexts = object["textElements"] != nil
    guard hasImages || hasTexts else { return nil }
    let images = (object["imageElements"]?.list ?? []).compactMap(\.record)
    if images.contains(where: { $0["frameIndex"] != nil }) {
      self = .edition2
    } else if hasTexts || object["backgroundColor"] != nil || images.contains(where: { $0["frame"] != nil }) {
      self = .edition1
    } else {
      self = .midChapter
    }
  }
}
