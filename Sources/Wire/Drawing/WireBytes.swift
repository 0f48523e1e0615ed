// Encoding of the messages to and from deckhand-draw: little-endian numbers, texts and lists with a length prefix.
// Invariant: reading never goes past the end and never allocates more than the message can contain.

/// The message is invalid.
public struct WireError: Error, Equatable, Sendable {
  public init() {}
}

/// The maximum size of a frame: a length of four bytes followed by that many bytes.
public let longestFrame = 512 << 20

public struct WireWriter {
  public private(set) var bytes: [UInt8] = []
  public init() {}

  public mutating func byte(_ value: UInt8) { bytes.append(value) }
  public mutating func integer(_ value: Int) {
    withUnsafeBytes(of: Int64(value).littleEndian) { bytes.append(contentsOf: $0) }
  }
  public mutating func number(_ value: Double) {
    withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
  }
  public mutating func data(_ value: [UInt8]) {
    integer(value.count)
    bytes.append(contentsOf: value)
  }
  public mutating func text(_ value: String) { data(Array(value.utf8)) }
  public mutating func list<Entry>(_ entries: [Entry], _ write: (inout WireWriter, Entry) -> Void) {
    integer(entries.count)
    for entry in entries { write(&self, entry) }
  }
}

public struct WireReader {
  private let bytes: [UInt8]
  private var position = 0
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  public var isAtEnd: Bool { position == bytes.count }

  private mutating func take(_ count: Int) throws(WireError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= bytes.count - position else { throw WireError() }
    defer { position += count }
    return bytes[position..<position + count]
  }

  private mutating func word() throws(WireError) -> UInt64 {
    try take(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  public mutating func byte() throws(WireError) -> UInt8 {
    guard let byte = try take(1).first else { throw WireError() }
    return byte
  }

  public mutating func integer() throws(WireError) -> Int { Int(Int64(bitPattern: try word())) }

  /// A finite number.
  public mutating func number() throws(WireError) -> Double {
    let value = Double(bitPattern: try word())
    guard value.isFinite else { throw WireError() }
    return value
  }

  public mutating func data() throws(WireError) -> [UInt8] { Array(try take(try integer())) }

  public mutating func text() throws(WireError) -> String {
    guard let text = String(validating: try data(), as: UTF8.self) else { throw WireError() }
    return text
  }

  /// Each entry takes at least one byte, so a count larger than the remaining bytes is rejected before anything is
  /// read.
  public mutating func list<Entry>(
    _ read: (inout WireReader) throws(WireError) -> Entry
  ) throws(WireError) -> [Entry] {
    let count = try integer()
    guard count >= 0, count <= bytes.count - position else { throw WireError() }
    var entries: [Entry] = []
    for _ in 0..<count { entries.append(try read(&self)) }
    return entries
  }
}
