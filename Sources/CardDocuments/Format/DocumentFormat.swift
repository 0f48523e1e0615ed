// The .rwcard format, version 2: its keys, names and limits, and the decoding and encoding of files. The page and the
// schema in the documentation say the same, and the tests compare them with this file.
// Invariant: a key that is not listed here is never read, changed or lost. Anything that cannot be represented is
// rejected with its location; anything accepted is written back completely. The skeleton (an object, a UUID, lists of
// objects with ids) is required; anything wrong inside it is kept and left to `problems()`.

import Values

/// The formats in which .rwcard files have ever been written.
public enum CardShape: String, CaseIterable, Sendable {
  case midChapter = "mid-chapter"
  case edition1 = "edition 1"
  case edition2 = "edition 2"
  case version2 = "version 2"
  /// A version after 2: read as far as possible, never written.
  case future = "a later version"
}

enum DocumentFormat {
  static let name = "rwcard"
  static let version = 2

  static let documentKeys = ["background", "elements", "format", "groups", "id", "version"]
  static let elementKeys = [
    "align", "alt", "color", "cropped", "font", "frame", "group", "grows", "height", "id", "image", "imageFile", "kind",
    "link", "locked", "rotation", "size", "text", "width", "wraps", "x", "y",
  ]
  static let groupKeys = ["color", "id", "name"]

  /// The keys of the older formats that have a meaning; all their other keys are kept as they are.
  static let editionKeys = ["backgroundColor", "id", "imageElements", "textElements"]

  /// The prefix for an old file's own key whose name means something else in version 2.
  static let clashPrefix = "legacy."

  /// The whole card, in units; 0, 0 is its centre.
  static let canvasWidth = 1300.0
  static let canvasHeight = 2000.0
  static let elementSide = 800.0
  static let textSize = 200.0
  static let textSizes = 5.0...2000
  /// Positions and sizes beyond this limit are reported, and drawn as if they were at the limit.
  static let farthest = 100_000.0

  static let maximumElements = 10_000
  /// The most bytes of a text on a card, an alternative text or a link.
  static let maximumText = 100_000
  static let maximumBytes = 8 << 20
  static let limits = JSONLimits(bytes: maximumBytes, depth: 64, values: 300_000, string: 1 << 20)
  /// The long side of an image, in pixels.
  static let imageSide = 1000
}

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
