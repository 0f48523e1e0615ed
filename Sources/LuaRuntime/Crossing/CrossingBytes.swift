// The bytes of the frames between deckhand and a process that runs a plugin's code. Invariant: reading never goes
// past the end of the frame, and a count is accepted only if the remaining bytes could hold that many items.

/// The received frame is not one that the other side may send.
struct CrossingError: Error {}

/// A frame being written. Numbers are in native byte order, as both sides run on the same machine.
struct CrossingWriter {
  private(set) var bytes: [UInt8]

  init(_ kind: FrameKind) { bytes = kind.holdsValues ? [kind.rawValue, 0] : [kind.rawValue] }

  var count: Int { bytes.count }

  mutating func byte(_ value: UInt8) { bytes.append(value) }

  mutating func word(_ value: Int) {
    withUnsafeBytes(of: UInt32(truncatingIfNeeded: value)) { bytes.append(contentsOf: $0) }
  }

  mutating func integer(_ value: Int) { withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) } }
  mutating func number(_ value: Double) { withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) } }

  mutating func data(_ value: UnsafeRawBufferPointer) {
    word(value.count)
    bytes.append(contentsOf: value)
  }

  mutating func text(_ value: String) {
    var value = value
    value.withUTF8 { data(UnsafeRawBufferPointer($0)) }
  }

  mutating func list<Entry>(_ entries: [Entry], _ write: (Entry, inout CrossingWriter) -> Void) {
    word(entries.count)
    for entry in entries { write(entry, &self) }
  }

  /// Writes one value: a text.
  mutating func message(_ text: String) {
    word(1)
    byte(ValueTag.bytes.rawValue)
    self.text(text)
  }

  /// Marks in a frame of values that some of its tables occur more than once.
  mutating func markSeenTables() { bytes[1] = 1 }

  /// Overwrites a word that was written as a placeholder before its value was known.
  mutating func setWord(_ value: Int, at place: Int) {
    withUnsafeBytes(of: UInt32(truncatingIfNeeded: value)) { word in
      for offset in 0..<4 { bytes[place + offset] = word[offset] }
    }
  }
}

/// A frame being read.
struct CrossingReader {
  private let bytes: UnsafeRawBufferPointer
  private(set) var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var left: Int { bytes.count - position }

  private mutating func take<Number: BitwiseCopyable>(_: Number.Type) throws(CrossingError) -> Number {
    let size = MemoryLayout<Number>.size
    guard size <= left else { throw CrossingError() }
    defer { position += size }
    return bytes.loadUnaligned(fromByteOffset: position, as: Number.self)
  }

  mutating func byte() throws(CrossingError) -> UInt8 { try take(UInt8.self) }
  mutating func word() throws(CrossingError) -> Int { Int(try take(UInt32.self)) }
  mutating func integer() throws(CrossingError) -> Int { try take(Int.self) }
  mutating func number() throws(CrossingError) -> Double { try take(Double.self) }

  /// Returns bytes in place: valid as long as the frame is.
  mutating func data() throws(CrossingError) -> UnsafeBufferPointer<UInt8> {
    let count = try word()
    guard count <= left else { throw CrossingError() }
    defer { position += count }
    return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count]).assumingMemoryBound(to: UInt8.self)
  }

  mutating func text() throws(CrossingError) -> String { String(decoding: try data(), as: UTF8.self) }

  mutating func list<Entry>(
    _ read: (inout CrossingReader) throws(CrossingError) -> Entry
  ) throws(CrossingError) -> [Entry] {
    var entries: [Entry] = []
    for _ in 0..<(try count()) { entries.append(try read(&self)) }
    return entries
  }

  /// Returns how many items follow, each at least one byte.
  mutating func count() throws(CrossingError) -> Int {
    let count = try word()
    guard count <= left else { throw CrossingError() }
    return count
  }
}
