// A tar archive compressed with zstd, written in pieces: `tar --zstd -xf` reads it.
// Invariant: memory is bounded by the piece size; an entry has exactly as many bytes as its header says.

public import Files
public import Problems
import Text

/// Writes one archive; `finish` ends it.
///
///     try AtomicFile.write(path, Replacement(isInterrupted: isInterrupted)) { sink in
///       let archive = try ArchiveWriter(sink)
///       try archive.add("manifest.json", bytes)
///       try archive.finish()
///     }
public final class ArchiveWriter {
  private let sink: FileSink
  private let frames: FrameWriter

  public init(_ sink: FileSink) throws {
    self.sink = sink
    do throws(FrameFault) { frames = try FrameWriter(level: 3, hasCheckSum: true) } catch {
      throw ArchiveError.outOfMemory
    }
  }

  /// Adds a file that is in memory.
  public func add(_ name: String, _ bytes: [UInt8], modified: Int = 0) throws {
    try header(name, size: bytes.count, modified: modified)
    try write(bytes)
    try pad(bytes.count)
  }

  /// Adds a file from the disk.
  /// - Parameter piece: called with the size of each piece before it is added; if it throws, adding ends.
  public func add(_ name: String, from file: ByteFile, piece: (Int) throws -> Void = { _ in }) throws {
    let size = file.size ?? 0
    try header(name, size: size, modified: file.facts.modified.seconds)
    var count = 0
    try file.forEachPiece { bytes in
      count += bytes.count
      if count > size { throw ArchiveError.changedMeanwhile(path: file.path) }
      try piece(bytes.count)
      try write(bytes)
    }
    guard count == size else { throw ArchiveError.changedMeanwhile(path: file.path) }
    try pad(size)
  }

  /// Writes the end of the archive.
  public func finish() throws {
    try write([UInt8](repeating: 0, count: TarHeader.length * 2))
    try compress([], isLast: true)
  }

  // MARK: Entries (long names in GNU tar's format)

  private func header(_ name: String, size: Int, modified: Int) throws {
    let bytes = Array(name.utf8)
    if bytes.count > 100 {
      try write(TarHeader(name: "././@LongLink", size: bytes.count + 1, kind: UInt8(ascii: "L")).block)
      try write(bytes + [0])
      try pad(bytes.count + 1)
    }
    let short = String(decoding: bytes.prefix(100), as: UTF8.self)
    try write(TarHeader(name: short, size: size, modified: modified).block)
  }

  private func pad(_ size: Int) throws {
    try write([UInt8](repeating: 0, count: TarHeader.padding(of: size)))
  }

  // MARK: Compression

  private func write(_ bytes: some RandomAccessCollection<UInt8>) throws { try compress(Array(bytes), isLast: false) }

  private func compress(_ bytes: [UInt8], isLast: Bool) throws {
    do {
      try bytes.withUnsafeBytes { try frames.feed($0, isLast: isLast) { try sink.append($0) } }
    } catch is FrameFault {
      throw ArchiveError.outOfMemory
    }
  }
}

public enum ArchiveError: Problem, Equatable {
  /// It is not an archive, or its bytes were changed.
  case damaged(path: String, reason: String)
  /// It contains a name that leads out of its folder, or exceeds a limit.
  case refused(path: String, reason: String)
  /// A file changed its size while it was read.
  case changedMeanwhile(path: String)
  case outOfMemory

  public var report: ProblemReport {
    switch self {
    case .damaged(let path, let reason):
      ProblemReport(
        .archiveDamaged, "The archive is damaged", "\(quoted(path)) is not a complete archive: \(printable(reason))",
        ["path": path])
    case .refused(let path, let reason):
      ProblemReport(
        .archiveRefused, "The archive is refused", "\(quoted(path)) is refused: \(printable(reason))",
        ["path": path])
    case .changedMeanwhile(let path):
      ProblemReport(
        .changedElsewhere, "Changed in the meantime", "\(quoted(path)) changed while it was read; try again",
        ["path": path])
    case .outOfMemory:
      ProblemReport(.outOfMemory, "Not enough memory", "there is not enough memory to compress or to unpack")
    }
  }
}
