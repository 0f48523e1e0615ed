// Reads and writes protocol buffers, which Anki uses in collections of schema 18 and in packages.
// Source: protobuf.dev, "Encoding". Invariant: no byte outside the message is read; a varint that is too long ends
// reading with an error.

/// The bytes of a message are malformed.
struct WireFault: Error {}

/// A field of a message.
struct WireField {
  enum Content {
    case number(UInt64)
    case float(Float)
    case bytes(ArraySlice<UInt8>)
  }

  let number: Int
  let content: Content

  var integer: Int { if case .number(let value) = content { Int(truncatingIfNeeded: value) } else { 0 } }
  var flag: Bool { integer != 0 }
  var float: Double { if case .float(let value) = content { WireField.typed(value) } else { 0 } }
  var bytes: ArraySlice<UInt8> { if case .bytes(let bytes) = content { bytes } else { [] } }
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Packed 32-bit floats, or a single one.
  var floats: [Double] {
    switch content {
    case .float: return [float]
    case .number: return []
    case .bytes(let bytes):
      return stride(from: bytes.startIndex, to: bytes.endIndex - bytes.count % 4, by: 4).map { start in
        let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[start + $1]) << (8 * UInt32($1)) }
        return WireField.typed(Float(bitPattern: bits))
      }
    }
  }

  /// The number that was typed: 0.9, not 0.8999999761; 0 for one that is not finite.
  private static func typed(_ value: Float) -> Double { value.isFinite ? Double(value.description) ?? 0 : 0 }
}

/// Iterates over the fields of a message.
///
///     var reader = ProtobufReader(bytes)
///     while let field = try reader.next() { ... }
struct ProtobufReader {
  private let bytes: ArraySlice<UInt8>
  private var place: Int

  init(_ bytes: ArraySlice<UInt8>) { (self.bytes, place) = (bytes, bytes.startIndex) }

  /// Returns all fields; messages have few.
  static func fields(_ bytes: ArraySlice<UInt8>) throws(WireFault) -> [WireField] {
    var (reader, found) = (ProtobufReader(bytes), [WireField]())
    while let field = try reader.next() { found.append(field) }
    return found
  }

  /// Returns the next field; nil at the end.
  mutating func next() throws(WireFault) -> WireField? {
    if place == bytes.endIndex { return nil }
    let key = try varint()
    let number = Int(truncatingIfNeeded: key >> 3)
    switch key & 7 {
    case 0: return WireField(number: number, content: .number(try varint()))
    case 1: return WireField(number: number, content: .number(try fixed(8)))
    case 2:
      let count = try varint()
      guard count <= UInt64(bytes.endIndex - place) else { throw WireFault() }
      defer { place += Int(count) }
      return WireField(number: number, content: .bytes(bytes[place..<place + Int(count)]))
    case 5:
      return WireField(number: number, content: .float(Float(bitPattern: UInt32(truncatingIfNeeded: try fixed(4)))))
    default: throw WireFault()
    }
  }

  private mutating func varint() throws(WireFault) -> UInt64 {
    var (value, shift) = (UInt64(0), UInt64(0))
    while shift < 64 {
      guard place < bytes.endIndex else { throw WireFault() }
      let byte = bytes[place]
      place += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    throw WireFault()
  }

  private mutating func fixed(_ count: Int) throws(WireFault) -> UInt64 {
    guard bytes.endIndex - place >= count else { throw WireFault() }
    defer { place += count }
    return (0..<count).reduce(UInt64(0)) { $0 | UInt64(bytes[place + $1]) << (8 * UInt64($1)) }
  }
}

/// Writes a message.
struct ProtobufWriter {
  private(set) var bytes: [UInt8] = []

  mutating func number(_ field: Int, _ value: Int) {
    varint(UInt64(field) << 3)
    varint(UInt64(bitPattern: Int64(value)))
  }

  mutating func bytes(_ field: Int, _ value: some Collection<UInt8>) {
    varint(UInt64(field) << 3 | 2)
    varint(UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  private mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
