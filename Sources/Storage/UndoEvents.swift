// The events of a step as bytes: the latest uncompressed, the earlier ones compressed in chunks.
// Invariant: an event is never split between chunks; going back to a mark decompresses at most one chunk.

import Archives
import Wire

struct StepRows {
  /// The tables with their new rows, then the latest events.
  let head: [UInt8]
  /// The number of chunks with earlier events.
  let chunkCount: Int
  let chunk: (Int) throws -> [UInt8]

  var byteCount: Int {
    get throws { try (0..<chunkCount).reduce(head.count) { $0 + (try chunk($1).count) } }
  }
}

/// Appends events, and compresses them in chunks.
struct UndoEvents {
  /// A position in the events.
  struct Mark: Equatable {
    fileprivate let chunks: Int
    fileprivate let bytes: Int
  }

  /// The size in bytes at which events are compressed.
  static let chunk = 1 << 20

  /// The compressed chunks, and the size in bytes of each before.
  private(set) var packed: [(bytes: [UInt8], size: Int)] = []
  private var writer = WireWriter()
  private var packedCount = 0
  private var packer: FrameWriter?

  /// The latest events, not compressed yet.
  var last: [UInt8] { writer.bytes }
  /// Bytes of memory.
  var byteCount: Int { packedCount + writer.count }
  /// Bytes that were written, before compression.
  var writtenCount: Int { packed.reduce(writer.count) { $0 + $1.size } }
  var mark: Mark { Mark(chunks: packed.count, bytes: writer.count) }

  /// Appends an event: its kind, its table, the row, the length of the payload, and the payload.
  mutating func add(_ kind: UndoKind, table: Int, row: Int64, _ body: (inout WireWriter) -> Bool) throws -> Bool {
    if writer.count >= UndoEvents.chunk { try pack() }
    let start = writer.count
    writer.byte(kind.rawValue)
    writer.byte(UInt8(clamping: table))
    writer.integer(Int(row))
    let place = writer.count
    writer.word(0)
    guard body(&writer) else {
      writer.bytes.removeLast(writer.count - start)
      return false
    }
    writer.setWord(writer.count - place - 4, at: place)
    return true
  }

  private mutating func pack() throws {
    let packer = try self.packer ?? FrameWriter(level: 1)
    self.packer = packer
    var bytes: [UInt8] = []
    try writer.bytes.withUnsafeBytes { raw in try packer.feed(raw, isLast: true) { bytes.append(contentsOf: $0) } }
    // The copy drops unused capacity.
    packed.append((Array(bytes[...]), writer.count))
    packedCount += bytes.count
    writer.bytes.removeAll(keepingCapacity: true)
  }

  /// Decompresses a chunk.
  static func unpacked(_ bytes: [UInt8]) throws(WireError) -> [UInt8] {
    var events: [UInt8] = []
    do {
      let reader = try FrameReader()
      try bytes.withUnsafeBytes { raw in try reader.feed(raw) { events.append(contentsOf: $0) } }
      try reader.finish()
      return events
    } catch {
      // Whatever the error is, the chunk cannot be read.
      throw WireError()
    }
  }

  mutating func rewind(to mark: Mark) throws(WireError) {
    if packed.count > mark.chunks {
      writer.bytes = try UndoEvents.unpacked(packed[mark.chunks].bytes)
      for chunk in packed[mark.chunks...] { packedCount -= chunk.bytes.count }
      packed.removeLast(packed.count - mark.chunks)
    }
    // If a part was rolled back, the events may already end before the mark.
    if packed.count == mark.chunks, writer.count > mark.bytes { writer.bytes.removeLast(writer.count - mark.bytes) }
  }

  mutating func removeAll() { (packed, packedCount, writer) = ([], 0, WireWriter()) }
}
