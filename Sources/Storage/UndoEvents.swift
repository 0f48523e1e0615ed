// The events of a step as bytes: the last ones as they are, the ones before packed in chunks.
// Invariant: an event is wholly in one chunk; taking back a part unpacks at most one.

import Archives

/// The rows of a step as they are kept.
struct StepRows {
  /// The tables with what is new in them, then the last events.
  let head: [UInt8]
  /// How many chunks of events come before those.
  let chunkCount: Int
  /// A chunk, packed.
  let chunk: (Int) throws -> [UInt8]

  init(head: [UInt8], packed: [[UInt8]]) {
    self.init(head: head, chunkCount: packed.count) { packed[$0] }
  }

  init(head: [UInt8], chunkCount: Int, chunk: @escaping (Int) throws -> [UInt8]) {
    (self.head, self.chunkCount, self.chunk) = (head, chunkCount, chunk)
  }

  var byteCount: Int {
    get throws { try (0..<chunkCount).reduce(head.count) { $0 + (try chunk($1).count) } }
  }
}

/// Appends events, and packs them as they become many.
struct UndoEvents {
  /// Where the events ended once.
  struct Mark: Equatable {
    fileprivate let chunks: Int
    fileprivate let bytes: Int
  }

  /// Bytes after which events are packed.
  static let chunk = 1 << 20

  private(set) var packed: [[UInt8]] = []
  private var writer = UndoWriter()
  private var packedCount = 0
  /// Bytes of each chunk before it was packed, and of all.
  private var sizes: [Int] = []
  private var sizesSum = 0
  private var packer: FrameWriter?

  /// The last events, not packed yet.
  var last: [UInt8] { writer.bytes }
  /// Bytes of memory.
  var byteCount: Int { packedCount + writer.count }
  /// Bytes that were written, packed since or not.
  var writtenCount: Int { sizesSum + writer.count }
  var mark: Mark { Mark(chunks: packed.count, bytes: writer.count) }

  /// Writes an event: its kind, its table, the row, the length of what follows, and that.
  /// - Parameter body: writes it, and says whether it is to be kept.
  mutating func add(_ kind: UndoKind, table: Int, row: Int64, _ body: (inout UndoWriter) -> Bool) throws -> Bool {
    if writer.count >= UndoEvents.chunk { try pack() }
    let start = writer.count
    writer.byte(kind.rawValue)
    writer.byte(UInt8(clamping: table))
    writer.integer(row)
    let place = writer.count
    writer.count(0)
    guard body(&writer) else {
      writer.truncate(to: start)
      return false
    }
    writer.setCount(writer.count - place - 4, at: place)
    return true
  }

  private mutating func pack() throws {
    let packer = try self.packer ?? FrameWriter(level: 1)
    self.packer = packer
    var bytes: [UInt8] = []
    try writer.bytes.withUnsafeBytes { raw in try packer.feed(raw, isLast: true) { bytes.append(contentsOf: $0) } }
    // Without the room that it did not need.
    packed.append(Array(bytes[...]))
    packedCount += bytes.count
    sizes.append(writer.count)
    sizesSum += writer.count
    writer.truncate(to: 0)
  }

  /// What a chunk holds.
  static func unpacked(_ bytes: [UInt8]) throws(UndoDamage) -> [UInt8] {
    var events: [UInt8] = []
    do {
      let reader = try FrameReader()
      try bytes.withUnsafeBytes { raw in try reader.feed(raw) { events.append(contentsOf: $0) } }
      try reader.finish()
      return events
    } catch {
      // Whatever is wrong with it, it cannot be read.
      throw UndoDamage()
    }
  }

  mutating func goBack(to mark: Mark) throws(UndoDamage) {
    if packed.count > mark.chunks {
      writer = UndoWriter(bytes: try UndoEvents.unpacked(packed[mark.chunks]))
      for chunk in packed[mark.chunks...] { packedCount -= chunk.count }
      for size in sizes[mark.chunks...] { sizesSum -= size }
      packed.removeLast(packed.count - mark.chunks)
      sizes.removeLast(sizes.count - mark.chunks)
    }
    // Where a part was taken back, it is further back already.
    if packed.count == mark.chunks, writer.count > mark.bytes { writer.truncate(to: mark.bytes) }
  }

  mutating func removeAll() {
    (packed, packedCount, sizes, sizesSum, writer) = ([], 0, [], 0, UndoWriter())
  }
}
