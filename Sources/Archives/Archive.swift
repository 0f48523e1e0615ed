// A tar archive compressed with zstd, read and written in pieces: `tar --zstd -xf` reads it. Headers are as in POSIX
// 1003.1, "ustar Interchange Format"; long names as in GNU tar.
// Invariant: memory is bounded by the piece size, whatever an archive claims; an entry has exactly as many bytes as
// its header says; names that lead out of the target folder are refused; an archive that is truncated or has a wrong
// checksum is an error, never a short file.

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

  public func add(_ name: String, _ bytes: [UInt8]) throws {
    try header(name, size: bytes.count, modified: 0)
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

  private func pad(_ size: Int) throws { try write([UInt8](repeating: 0, count: TarHeader.padding(of: size))) }

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

/// Returns the entries one after another; the bytes of an entry are read or skipped before the next.
public final class ArchiveReader {
  public struct Entry: Equatable, Sendable {
    public let name: String
    public let size: Int
  }

  private let file: ByteFile
  private let frames: FrameReader
  private var input = [UInt8](repeating: 0, count: 1 << 17)
  private var inputRange = 0..<0
  private var isInputOver = false
  private var left = 0
  private var padding = 0
  private var count = 0
  private static let mostEntries = 2_000_000
  private static let mostBytes = 1 << 40

  public init(_ path: String, isInterrupted: @escaping () -> Bool) throws {
    do throws(FrameFault) { frames = try FrameReader() } catch { throw ArchiveError.outOfMemory }
    file = try ByteFile(path, isInterrupted: isInterrupted)
  }

  private func damaged(_ reason: String) -> ArchiveError { .damaged(path: file.path, reason: reason) }

  /// Returns the next entry; nil at the end.
  public func next() throws -> Entry? {
    try skip(left + padding)
    (left, padding) = (0, 0)
    var longName: String?
    while true {
      let block = try exactly(TarHeader.length)
      if TarHeader.isEnd(block) {
        try drain()
        return nil
      }
      let head = try TarHeader(block, path: file.path)
      let size = head.size
      guard size <= ArchiveReader.mostBytes else { throw damaged("an entry claims to have \(grouped(size)) bytes") }
      let full = head.padding
      switch head.kind {
      case UInt8(ascii: "L"):
        guard size <= 4096 else { throw damaged("a name is too long") }
        longName = TarHeader.text(try exactly(size)[...])
        try skip(full)
      case UInt8(ascii: "0"), 0:
        count += 1
        if count > ArchiveReader.mostEntries { throw refused("it has more than \(grouped(Self.mostEntries)) files") }
        let name = longName ?? head.name
        guard TarHeader.isPlain(name) else { throw refused("it contains a file called \(quoted(name))") }
        (left, padding) = (size, full)
        return Entry(name: name, size: size)
      default: throw refused("it contains something that is not a file")
      }
    }
  }

  /// Reads up to that many bytes of the entry; empty at its end.
  public func read(_ most: Int = 1 << 17) throws -> [UInt8] {
    let bytes = try exactly(min(left, most))
    left -= bytes.count
    return bytes
  }

  /// Reads the whole entry, if it is not larger than the limit.
  public func rest(limit: Int) throws -> [UInt8] {
    guard left <= limit else { throw refused("a file in it is too large") }
    return try read(left)
  }

  private func refused(_ reason: String) -> ArchiveError { .refused(path: file.path, reason: reason) }

  // MARK: Bytes

  private func skip(_ count: Int) throws {
    var rest = count
    while rest > 0 { rest -= try exactly(min(rest, 1 << 17)).count }
  }

  private func exactly(_ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard try fill(&bytes) == count else { throw damaged("it ends too early") }
    return bytes
  }

  /// Reads to the end, so that the checksum is verified.
  private func drain() throws {
    var rest = [UInt8](repeating: 0, count: 1 << 16)
    while try fill(&rest) > 0 {}
    try checked { try frames.finish() }
  }

  private func fill(_ bytes: inout [UInt8]) throws -> Int {
    var filled = 0
    while filled < bytes.count {
      if inputRange.isEmpty, !isInputOver {
        let read = try file.read(into: &input)
        inputRange = 0..<read
        isInputOver = read == 0
      }
      let (taken, given) = try decompress(&bytes, from: filled)
      filled += given
      if isInputOver, taken == 0, given == 0 { break }
    }
    return filled
  }

  /// - Returns: how many input bytes were consumed, and how many bytes were written.
  private func decompress(_ bytes: inout [UInt8], from filled: Int) throws -> (taken: Int, given: Int) {
    let before = inputRange.count
    let (left, given) = try checked {
      try input.withUnsafeBytes { source in
        try bytes.withUnsafeMutableBytes { target in
          var rest = UnsafeRawBufferPointer(rebasing: source[inputRange])
          let given = try frames.unpack(&rest, into: UnsafeMutableRawBufferPointer(rebasing: target[filled...]))
          return (rest.count, given)
        }
      }
    }
    inputRange = (inputRange.upperBound - left)..<inputRange.upperBound
    return (before - left, given)
  }

  private func checked<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let fault as FrameFault {
      guard case .damaged(let reason) = fault else { throw ArchiveError.outOfMemory }
      throw damaged(reason)
    }
  }
}

struct TarHeader {
  /// The size of a header, and of the blocks that a file's content is padded to, in bytes.
  static let length = 512
  static let file = UInt8(ascii: "0")

  var name: String
  /// In bytes.
  var size: Int
  /// Seconds since 1970.
  var modified = 0
  /// The type flag: tar's letter or digit.
  var kind = TarHeader.file
  /// Whether the name field is unusual: it has bytes after a NUL, a prefix, or is not UTF-8.
  private(set) var hasStrangeName = false

  init(name: String, size: Int, modified: Int = 0, kind: UInt8 = TarHeader.file) {
    (self.name, self.size, self.modified, self.kind) = (name, size, modified, kind)
  }

  /// The number of bytes that fill the file's last block.
  var padding: Int { TarHeader.padding(of: size) }

  static func padding(of size: Int) -> Int { (length - size % length) % length }

  static func isEnd(_ block: [UInt8]) -> Bool { block.allSatisfy { $0 == 0 } }

  /// Whether a name leads to a file below the folder that it is unpacked into.
  static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 1024
      && name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
        !part.isEmpty && part != "." && part != ".." && part.utf8.count <= 255
      }
  }

  // MARK: Writing

  var block: [UInt8] {
    var head = [UInt8](repeating: 0, count: TarHeader.length)
    func put(_ text: some Collection<UInt8>, at place: Int) {
      for (index, byte) in text.enumerated() { head[place + index] = byte }
    }
    func octal(_ value: Int, digits: Int) -> [UInt8] {
      let text = String(max(0, value), radix: 8)
      return Array((String(repeating: "0", count: max(0, digits - text.count)) + text).utf8)
    }
    put(name.utf8.prefix(100), at: 0)
    put(octal(0o600, digits: 7), at: 100)
    put(octal(0, digits: 7), at: 108)
    put(octal(0, digits: 7), at: 116)
    if size < 1 << 33 {
      put(octal(size, digits: 11), at: 124)
    } else {
      // Eleven octal digits hold less than 8 GiB; beyond that, GNU tar uses binary.
      head[124] = 0x80
      put(withUnsafeBytes(of: UInt64(size).bigEndian) { Array($0) }, at: 128)
    }
    put(octal(modified, digits: 11), at: 136)
    put("        ".utf8, at: 148)
    head[156] = kind
    put("ustar\0".utf8, at: 257)
    put("00".utf8, at: 263)
    let sum = head.reduce(0) { $0 + Int($1) }
    put(octal(sum, digits: 6) + [0, 0x20], at: 148)
    return head
  }

  // MARK: Reading

  init(_ block: [UInt8], path: String) throws(ArchiveError) {
    let stored = try TarHeader.number(block[148..<156], path)
    let sum = block.enumerated().reduce(0) { $0 + ((148..<156).contains($1.offset) ? 32 : Int($1.element)) }
    guard sum == stored else { throw .damaged(path: path, reason: "the checksum of a header is wrong") }
    name = TarHeader.text(block[..<100])
    size = try TarHeader.number(block[124..<136], path)
    kind = block[156]
    let rest = block[..<100].drop { $0 != 0 }
    hasStrangeName =
      rest.contains { $0 != 0 } || block[345..<500].contains { $0 != 0 }
      || String(validating: block[..<100].prefix { $0 != 0 }, as: UTF8.self) == nil
  }

  private static func number(_ field: ArraySlice<UInt8>, _ path: String) throws(ArchiveError) -> Int {
    guard let first = field.first else { return 0 }
    if first == 0x80 {
      let value = field.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return Int(clamping: value)
    }
    let digits = field.drop { $0 == 0x20 }.prefix { (0x30...0x37).contains($0) }
    guard digits.count <= 12 else { throw .damaged(path: path, reason: "a number in a header is too large") }
    return digits.reduce(0) { $0 << 3 | Int($1 - 0x30) }
  }

  /// Returns the text of a field, up to its first NUL.
  static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
}
