// The bytes of the frames between deckhand and the programs that it starts. Invariant: reading never goes past the end
// of the frame, and a count is accepted only if the remaining bytes could hold that many items.

/// The received frame is not one that the other side may send.
public struct WireError: Error, Equatable, Sendable {
  public init() {}
}

/// The maximum size of a frame: a length of four bytes followed by that many bytes.
public let longestFrame = 512 << 20

/// A frame being written. Numbers are in native byte order, as both sides run on the same machine.
public struct WireWriter {
  public var bytes: [UInt8] = []

  @inlinable public init() {}

  @inlinable public var count: Int { bytes.count }

  @inlinable public mutating func byte(_ value: UInt8) { bytes.append(value) }

  @inlinable public mutating func word(_ value: Int) {
    withUnsafeBytes(of: UInt32(truncatingIfNeeded: value)) { bytes.append(contentsOf: $0) }
  }

  @inlinable public mutating func integer(_ value: Int) { withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) } }
  @inlinable public mutating func number(_ value: Double) {
    withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
  }

  @inlinable public mutating func data(_ value: UnsafeRawBufferPointer) {
    word(value.count)
    bytes.append(contentsOf: value)
  }

  @inlinable public mutating func text(_ value: String) {
    var value = value
    value.withUTF8 { data(UnsafeRawBufferPointer($0)) }
  }

  public mutating func data(_ value: [some BitwiseCopyable]) { value.withUnsafeBytes { data($0) } }

  public mutating func list<Entry>(_ entries: [Entry], _ write: (inout WireWriter, Entry) -> Void) {
    word(entries.count)
    for entry in entries { write(&self, entry) }
  }

  public mutating func setWord(_ value: Int, at place: Int) {
    withUnsafeBytes(of: UInt32(truncatingIfNeeded: value)) { word in
      for offset in 0..<4 { bytes[place + offset] = word[offset] }
    }
  }
}

/// A frame being read.
public struct WireReader {
  @usableFromInline let bytes: UnsafeRawBufferPointer
  /// Where reading goes on; it may be set back to where it was.
  public var position = 0

  @inlinable public init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  @inlinable public var left: Int { bytes.count - position }

  @inlinable mutating func take<Number: BitwiseCopyable>(_: Number.Type) throws(WireError) -> Number {
    let size = MemoryLayout<Number>.size
    guard size <= left else { throw WireError() }
    defer { position += size }
    return bytes.loadUnaligned(fromByteOffset: position, as: Number.self)
  }

  @inlinable public mutating func byte() throws(WireError) -> UInt8 { try take(UInt8.self) }
  @inlinable public mutating func word() throws(WireError) -> Int { Int(try take(UInt32.self)) }
  @inlinable public mutating func integer() throws(WireError) -> Int { try take(Int.self) }
  @inlinable public mutating func number() throws(WireError) -> Double { try take(Double.self) }

  /// Returns a number that is neither infinite nor NaN.
  public mutating func finite() throws(WireError) -> Double {
    let number = try number()
    guard number.isFinite else { throw WireError() }
    return number
  }

  /// Returns bytes in place: valid as long as the frame is.
  @inlinable public mutating func data() throws(WireError) -> UnsafeBufferPointer<UInt8> {
    let count = try count()
    defer { position += count }
    return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count]).assumingMemoryBound(to: UInt8.self)
  }

  /// Returns the values that `data` wrote.
  @inlinable public mutating func array<Item: BitwiseCopyable>(of _: Item.Type) throws(WireError) -> [Item] {
    let (bytes, size) = (UnsafeRawBufferPointer(try data()), MemoryLayout<Item>.stride)
    return (0..<bytes.count / size).map { bytes.loadUnaligned(fromByteOffset: $0 * size, as: Item.self) }
  }

  @inlinable public mutating func text() throws(WireError) -> String { String(decoding: try data(), as: UTF8.self) }

  public mutating func list<Entry>(_ read: (inout WireReader) throws(WireError) -> Entry) throws(WireError) -> [Entry] {
    try (0..<count()).map { _ throws(WireError) in try read(&self) }
  }

  /// Returns how many items follow, each at least one byte.
  @inlinable public mutating func count() throws(WireError) -> Int {
    let count = try word()
    guard count <= left else { throw WireError() }
    return count
  }
}

/// A message that fills a whole frame.
public protocol WireMessage { init(from reader: inout WireReader) throws(WireError) }

extension WireMessage {
  /// Throws `WireError`, also if bytes are left.
  public init(decoding frame: [UInt8]) throws(WireError) {
    self = try frame.withUnsafeBytes { bytes in
      var reader = WireReader(bytes)
      return Result { () throws(WireError) in
        let message = try Self(from: &reader)
        if reader.left > 0 { throw WireError() }
        return message
      }
    }.get()
  }
}
