// JSON (RFC 8259) as far as a saved game needs it, written and read without Foundation, which would cost start-up.
// Invariant: reading what was written gives the same value; reading ends with an error for any text that is not JSON, within
// bounds of depth.

/// A JSON value; the members of an object stand in the order they were written.
indirect enum JSONText: Equatable {
  case null
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array([JSONText])
  case object([Member])

  struct Member: Equatable {
    let name: String
    let value: JSONText
  }

  /// The member of an object, or nil.
  subscript(name: String) -> JSONText? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  var string: String? { if case .string(let text) = self { text } else { nil } }
  var integer: Int? { if case .integer(let number) = self { number } else { nil } }
  var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  var array: [JSONText]? { if case .array(let values) = self { values } else { nil } }
  var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .number(let number): number
    default: nil
    }
  }

  // MARK: - Writing

  /// The value as text on one line.
  var text: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .integer(let number): String(number)
    case .number(let number): number.isFinite ? "\(number)" : "null"
    case .string(let text): Self.quote(text)
    case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { Self.quote($0.name) + ":" + $0.value.text }.joined(separator: ",") + "}"
    }
  }

  private static func quote(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\" + String(scalar)
      case _ where scalar.value < 0x20:
        quoted += "\\u00" + (scalar.value < 0x10 ? "0" : "") + String(scalar.value, radix: 16)
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

/// Where a text stops being JSON.
struct JSONFault: Error {
  /// Bytes before the fault.
  let offset: Int
}

/// Reads one JSON value.
struct JSONReader {
  private let bytes: [UInt8]
  private var index = 0
  private static let deepest = 32

  private init(_ text: String) { bytes = Array(text.utf8) }

  static func read(_ text: String) throws(JSONFault) -> JSONText {
    var reader = JSONReader(text)
    let value = try reader.value(depth: 0)
    reader.skipBlanks()
    guard reader.index == reader.bytes.count else { throw reader.fault }
    return value
  }

  private var fault: JSONFault { JSONFault(offset: index) }
  private var next: UInt8 { index < bytes.count ? bytes[index] : 0 }

  private mutating func skipBlanks() {
    while [0x20, 0x09, 0x0A, 0x0D].contains(next) { index += 1 }
  }

  private mutating func take(_ text: StaticString) throws(JSONFault) {
    let wanted = text.withUTF8Buffer { Array($0) }
    guard bytes[index...].starts(with: wanted) else { throw fault }
    index += wanted.count
  }

  private mutating func value(depth: Int) throws(JSONFault) -> JSONText {
    guard depth < Self.deepest else { throw fault }
    skipBlanks()
    switch next {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"):
      try take("true")
      return .bool(true)
    case UInt8(ascii: "f"):
      try take("false")
      return .bool(false)
    case UInt8(ascii: "n"):
      try take("null")
      return .null
    default: return try number()
    }
  }

  private mutating func object(depth: Int) throws(JSONFault) -> JSONText {
    var members: [JSONText.Member] = []
    index += 1
    skipBlanks()
    while next != UInt8(ascii: "}") {
      if !members.isEmpty { try take(",") }
      skipBlanks()
      guard next == UInt8(ascii: "\"") else { throw fault }
      let name = try string()
      skipBlanks()
      try take(":")
      members.append(JSONText.Member(name: name, value: try value(depth: depth + 1)))
      skipBlanks()
    }
    index += 1
    return .object(members)
  }

  private mutating func array(depth: Int) throws(JSONFault) -> JSONText {
    var values: [JSONText] = []
    index += 1
    skipBlanks()
    while next != UInt8(ascii: "]") {
      if !values.isEmpty { try take(",") }
      values.append(try value(depth: depth + 1))
      skipBlanks()
    }
    index += 1
    return .array(values)
  }

  private mutating func number() throws(JSONFault) -> JSONText {
    let start = index
    while index < bytes.count, "+-.0123456789eE".utf8.contains(next) { index += 1 }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    if let integer = Int(text), text.utf8.first != UInt8(ascii: "+") { return .integer(integer) }
    guard let number = Double(text), number.isFinite else { throw fault }
    return .number(number)
  }

  private mutating func string() throws(JSONFault) -> String {
    index += 1
    var text: [UInt8] = []
    while next != UInt8(ascii: "\"") {
      guard index < bytes.count, next >= 0x20 else { throw fault }
      if next == UInt8(ascii: "\\") {
        index += 1
        text += try escaped()
      } else {
        text.append(next)
        index += 1
      }
    }
    index += 1
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of an escape, its backslash read.
  private mutating func escaped() throws(JSONFault) -> [UInt8] {
    let plain: [UInt8: UInt8] = [
      0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 0x08, 0x66: 0x0C, 0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09,
    ]
    let letter = next
    index += 1
    if let byte = plain[letter] { return [byte] }
    guard letter == UInt8(ascii: "u") else { throw fault }
    let first = try hexUnit()
    guard UTF16.isLeadSurrogate(first) else { return try utf8([first]) }
    try take("\\u")
    return try utf8([first, try hexUnit()])
  }

  private mutating func hexUnit() throws(JSONFault) -> UInt16 {
    guard index + 4 <= bytes.count,
      let unit = UInt16(String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16)
    else { throw fault }
    index += 4
    return unit
  }

  private func utf8(_ units: [UInt16]) throws(JSONFault) -> [UInt8] {
    guard let text = String(validating: units, as: UTF16.self) else { throw fault }
    return Array(text.utf8)
  }
}
