// Writes JSON as a person reads it in a diff: keys sorted, two spaces a level, a list of plain numbers on one line.
// Invariant: the same value gives the same bytes, and reading them gives the same value.

public struct JSONWriter {
  private var bytes: [UInt8] = []

  /// The text of a value, with a line end at its end.
  public static func bytes(of value: JSONValue) -> [UInt8] {
    var writer = JSONWriter()
    writer.bytes.reserveCapacity(1024)
    writer.write(value, indent: 0)
    writer.add("\n")
    return writer.bytes
  }

  private mutating func add(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private mutating func write(_ value: JSONValue, indent: Int) {
    switch value {
    case .null: add("null")
    case .bool(let flag): add(flag ? "true" : "false")
    case .number(let number): add(number.text)
    case .string(let text): write(text)
    case .array(let values): write(values, indent: indent)
    case .object(let object): write(object, indent: indent)
    }
  }

  private mutating func write(_ values: [JSONValue], indent: Int) {
    if values.isEmpty { return add("[]") }
    let isFlat = values.allSatisfy { if case .number = $0 { true } else { false } }
    add("[")
    for (index, value) in values.enumerated() {
      if index > 0 { add(isFlat ? ", " : ",") }
      if !isFlat { breakLine(indent + 1) }
      write(value, indent: indent + 1)
    }
    if !isFlat { breakLine(indent) }
    add("]")
  }

  private mutating func write(_ object: JSONObject, indent: Int) {
    if object.isEmpty { return add("{}") }
    add("{")
    for (index, member) in object.members.enumerated() {
      if index > 0 { add(",") }
      breakLine(indent + 1)
      write(member.key)
      add(": ")
      write(member.value, indent: indent + 1)
    }
    breakLine(indent)
    add("}")
  }

  private mutating func breakLine(_ indent: Int) {
    bytes.append(0x0A)
    bytes.append(contentsOf: repeatElement(0x20, count: indent * 2))
  }

  private mutating func write(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): add("\\\"")
      case UInt8(ascii: "\\"): add("\\\\")
      case 0x0A: add("\\n")
      case 0x0D: add("\\r")
      case 0x09: add("\\t")
      case 0..<0x20, 0x7F:
        let hex = String(byte, radix: 16)
        add("\\u" + String(repeating: "0", count: 4 - hex.count) + hex)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
