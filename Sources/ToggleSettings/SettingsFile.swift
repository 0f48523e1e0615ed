// The system's file of settings: what whoever looks after the machine wants for everybody on it.
// Form: {"values": {"game.language": "spanish", "sound": {"right": true}}, "locked": ["game.language"]}
// Invariant: anything else than this form is refused with its line and column; size and depth are bounded.

import Wording

/// Reads a system file of settings.
public enum SettingsFile {
  /// The largest file that is read, in bytes.
  public static let largest = 1 << 20

  /// The settings of the file's text. `path` is for the messages and for `why`.
  public static func read(_ bytes: [UInt8], path: String) throws(SettingsError) -> [LayeredSetting] {
    var reader = JSONReader(bytes: bytes, path: path)
    if bytes.count > largest { throw reader.failure("a file of at most \(counted(largest, "byte")) is expected") }
    var values: [(name: String, value: SettingValue)] = []
    var locked: [String] = []
    try reader.object { (key, reader) throws(SettingsError) in
      switch key {
      case "values": try reader.settings(in: "", depth: 1, &values)
      case "locked": locked = try reader.strings()
      default: throw reader.failure("\"values\" or \"locked\" is expected, not \(quoted(key))")
      }
    }
    try reader.end()
    let ordered = values.enumerated().sorted {
      (dots($0.element.name), $0.offset) < (dots($1.element.name), $1.offset)
    }
    return ordered.map { _, entry in
      let isLocked = locked.contains { entry.name == $0 || entry.name.hasPrefix($0 + ".") }
      return LayeredSetting(entry.name, entry.value, from: .system(path: path, locked: isLocked))
    }
  }

  private static func dots(_ name: String) -> Int { name.utf8.count { $0 == UInt8(ascii: ".") } }
}

/// As much of JSON (RFC 8259) as the form needs: objects, lists of strings, strings, numbers, true and false.
private struct JSONReader {
  private let bytes: [UInt8]
  private let path: String
  private var place = 0

  init(bytes: [UInt8], path: String) {
    self.bytes = bytes
    self.path = path
  }

  func failure(_ expected: String) -> SettingsError {
    let before = bytes[..<min(place, bytes.count)]
    let line = before.count { $0 == 0x0A } + 1
    let column = place - (before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0) + 1
    return .badFile(path: path, line: line, column: column, expected: expected)
  }

  /// Calls `member` with each key, the reader standing before the value.
  mutating func object(_ member: (String, inout JSONReader) throws(SettingsError) -> Void) throws(SettingsError) {
    try take("{", "an object")
    if isNext("}") { return }
    repeat {
      let key = try string()
      try take(":", "\":\"")
      try member(key, &self)
    } while isNext(",")
    try take("}", "\",\" or \"}\"")
  }

  mutating func settings(
    in prefix: String, depth: Int, _ values: inout [(name: String, value: SettingValue)]
  ) throws(SettingsError) {
    if depth > SettingBounds.depth { throw failure("at most \(SettingBounds.depth) levels are expected") }
    var found: [(name: String, value: SettingValue)] = []
    try object { (key, reader) throws(SettingsError) in
      let name = prefix.isEmpty ? key : prefix + "." + key
      if reader.peek == UInt8(ascii: "{") {
        try reader.settings(in: name, depth: depth + 1, &found)
      } else {
        found.append((name, try reader.value()))
      }
    }
    values += found
  }

  mutating func strings() throws(SettingsError) -> [String] {
    try take("[", "a list of names")
    var list: [String] = []
    if isNext("]") { return list }
    repeat { list.append(try string()) } while isNext(",")
    try take("]", "\",\" or \"]\"")
    return list
  }

  mutating func end() throws(SettingsError) {
    if peek != nil { throw failure("the end of the file is expected") }
  }

  private mutating func value() throws(SettingsError) -> SettingValue {
    if peek == UInt8(ascii: "\"") { return .text(try string()) }
    if isWord("true") { return .flag(true) }
    if isWord("false") { return .flag(false) }
    let start = place
    while place < bytes.count, "+-.eE0123456789".utf8.contains(bytes[place]) { place += 1 }
    guard let number = Double(String(decoding: bytes[start..<place], as: UTF8.self)), number.isFinite else {
      place = start
      throw failure("a text, a number, true or false is expected")
    }
    return .number(number)
  }

  private mutating func string() throws(SettingsError) -> String {
    try take("\"", "a text in double quotes")
    let start = place
    var text: [UInt8] = []
    while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
      if bytes[place] < 0x20 { throw failure("the end of the text is expected on its line") }
      if bytes[place] == UInt8(ascii: "\\") {
        text += Array(String(try escaped()).utf8)
      } else {
        text.append(bytes[place])
        place += 1
      }
    }
    guard let string = String(validating: text, as: UTF8.self) else {
      place = start
      throw failure("UTF-8 is expected")
    }
    try take("\"", "the end of the text")
    return string
  }

  private mutating func escaped() throws(SettingsError) -> Character {
    place += 1
    guard place < bytes.count else { throw failure("the end of the text is expected") }
    defer { place += 1 }
    switch bytes[place] {
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Character(Unicode.Scalar(bytes[place]))
    case UInt8(ascii: "u"): return Character(try unicodeEscape())
    default: throw failure("an escape of JSON is expected after \"\\\"")
    }
  }

  /// `XXXX` after `\u`, and a second half where the first is one. Ends on the last digit.
  private mutating func unicodeEscape() throws(SettingsError) -> Unicode.Scalar {
    let first = try fourDigits()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, place + 2 < bytes.count, bytes[place + 1] == UInt8(ascii: "\\"),
      bytes[place + 2] == UInt8(ascii: "u")
    else { throw failure("the second half of a surrogate pair is expected") }
    place += 2
    let second = try fourDigits()
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw failure("the second half of a surrogate pair is expected") }
    return scalar
  }

  private mutating func fourDigits() throws(SettingsError) -> UInt32 {
    guard place + 4 < bytes.count,
      bytes[place + 1...place + 4].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let number = UInt32(String(decoding: bytes[place + 1...place + 4], as: UTF8.self), radix: 16)
    else { throw failure("four hexadecimal digits are expected") }
    place += 4
    return number
  }

  /// The next byte that is no blank, the place moved to it.
  var peek: UInt8? {
    mutating get {
      while place < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) { place += 1 }
      return place < bytes.count ? bytes[place] : nil
    }
  }

  private mutating func isNext(_ character: Unicode.Scalar) -> Bool {
    guard peek == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  private mutating func take(_ character: Unicode.Scalar, _ expected: String) throws(SettingsError) {
    guard isNext(character) else {
      throw failure("\(expected) is expected" + (place >= bytes.count ? ", the file ends here" : ""))
    }
  }

  private mutating func isWord(_ word: String) -> Bool {
    _ = peek
    guard bytes[place...].starts(with: word.utf8) else { return false }
    place += word.utf8.count
    return true
  }
}
