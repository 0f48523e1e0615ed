// The position of the end of a piece of JSON: the enclosing objects, the key before it, the text that contains it.

/// The position at the end of a prefix of JSON, which may be incomplete.
struct JSONPlace {
  /// The keys of the enclosing objects, outermost first; if a value is expected, its own key comes last.
  private(set) var path: [String] = []
  /// Whether a key is expected rather than a value.
  private(set) var isKey = false
  /// Whether the position is within a text, which begins at `start`.
  private(set) var isInText = false
  private(set) var start: Int
  /// The text up to the position.
  private(set) var text: ArraySlice<UInt8> = []

  private struct Level {
    let isObject: Bool
    var key: String?
    var isAfterColon = false
  }

  /// - Returns: nil outside any object, and where neither a key nor a value is expected.
  init?(_ bytes: ArraySlice<UInt8>) {
    start = bytes.endIndex
    var levels: [Level] = []
    var last: UInt8 = 0
    var place = bytes.startIndex
    while place < bytes.endIndex {
      let byte = bytes[place]
      switch byte {
      case UInt8(ascii: "\""):
        guard let end = Self.end(of: bytes, from: place + 1) else {
          (isInText, start, text) = (true, place + 1, bytes[(place + 1)...])
          place = bytes.endIndex
          continue
        }
        if let level = levels.last, level.isObject, !level.isAfterColon {
          levels[levels.count - 1].key = String(decoding: bytes[place + 1..<end], as: UTF8.self)
        }
        place = end
      case UInt8(ascii: "{"), UInt8(ascii: "["): levels.append(Level(isObject: byte == UInt8(ascii: "{")))
      case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = levels.popLast()
      case UInt8(ascii: ":"): if !levels.isEmpty { levels[levels.count - 1].isAfterColon = true }
      case UInt8(ascii: ","):
        if levels.last?.isObject == true { levels[levels.count - 1] = Level(isObject: true) }
      default: break
      }
      if byte > 0x20 { last = byte }
      place += 1
    }
    guard let level = levels.last else { return nil }
    isKey = level.isObject && !level.isAfterColon
    if isKey, level.key != nil { return nil }
    if !isInText, !"{[:,".utf8.contains(last) { return nil }
    path = levels.dropLast(isKey ? 1 : 0).compactMap(\.key)
  }

  /// Returns the position of the quote that closes a text.
  private static func end(of bytes: ArraySlice<UInt8>, from start: Int) -> Int? {
    var place = start
    while place < bytes.endIndex, bytes[place] != UInt8(ascii: "\"") {
      place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
    }
    return place < bytes.endIndex ? place : nil
  }

  /// Returns the text value of a key in a line, at any nesting level.
  static func text(of key: String, in line: ArraySlice<UInt8>) -> String? {
    let wanted = Array("\"\(key)\"".utf8)
    var place = line.startIndex
    while place < line.endIndex {
      guard line[place] == UInt8(ascii: "\"") else {
        place += 1
        continue
      }
      guard let close = end(of: line, from: place + 1) else { return nil }
      let isWanted = line[place...close].elementsEqual(wanted)
      place = close + 1
      guard isWanted else { continue }
      let value = line[place...].drop { $0 == 0x20 || $0 == UInt8(ascii: ":") }
      guard value.first == UInt8(ascii: "\""), let end = end(of: line, from: value.startIndex + 1) else { return nil }
      return String(decoding: line[value.startIndex + 1..<end], as: UTF8.self)
    }
    return nil
  }
}
