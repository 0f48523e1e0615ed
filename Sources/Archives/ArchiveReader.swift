// Reading such an archive from its beginning to its end.
// Invariant: names that lead out of where they are unpacked are refused; memory is bounded by a piece, whatever the
// archive
// says; an archive that ends early, or whose check sum is wrong, is an error and never a short file.

import CZstd
import Files
import Text

/// Gives one entry after the other; the bytes of one are read, or passed over, before the next.
public final class ArchiveReader {
  public struct Entry: Equatable, Sendable {
    public let name: String
    public let size: Int
  }

  private let file: ByteFile
  private let context: OpaquePointer
  private var input: [UInt8]
  private var inputRange = 0..<0
  private var isInputOver = false
  /// zstd is inside a frame, so more must come.
  private var isInFrame = true
  private var left = 0
  private var padding = 0
  private var count = 0
  private static let mostEntries = 2_000_000
  private static let mostBytes = 1 << 40

  public init(_ path: String, isInterrupted: @escaping () -> Bool) throws {
    guard let context = ZSTD_createDCtx() else { throw ArchiveError.outOfMemory }
    self.context = context
    // A file from elsewhere does not say how much memory is taken.
    ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, 27)
    input = [UInt8](repeating: 0, count: 1 << 17)
    do { file = try ByteFile(path, isInterrupted: isInterrupted) } catch {
      ZSTD_freeDCtx(context)
      throw error
    }
  }

  deinit { ZSTD_freeDCtx(context) }

  private func damaged(_ reason: String) -> ArchiveError { .damaged(path: file.path, reason: reason) }

  /// The next entry; nil at the end.
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
      guard size <= ArchiveReader.mostBytes else { throw damaged("an entry says that it has \(grouped(size)) bytes") }
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
        guard TarHeader.isPlain(name) else { throw refused("a file in it is called \(quoted(name))") }
        (left, padding) = (size, full)
        return Entry(name: name, size: size)
      default: throw refused("it holds something that is not a file")
      }
    }
  }

  /// Up to so many bytes of the entry; empty at its end.
  public func read(_ most: Int = 1 << 17) throws -> [UInt8] {
    let bytes = try exactly(min(left, most))
    left -= bytes.count
    return bytes
  }

  /// The whole entry, when it is not larger than the limit.
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

  /// To the end, so that the check sum is compared.
  private func drain() throws {
    var rest = [UInt8](repeating: 0, count: 1 << 16)
    while try fill(&rest) > 0 {}
    if isInFrame { throw damaged("it ends too early") }
  }

  private func fill(_ bytes: inout [UInt8]) throws -> Int {
    var filled = 0
    while filled < bytes.count {
      if inputRange.isEmpty, !isInputOver {
        let read = try file.read(into: &input)
        inputRange = 0..<read
        isInputOver = read == 0
      }
      let before = filled
      let consumed = try decompress(&bytes, &filled)
      if isInputOver, filled == before, consumed == 0 { break }
    }
    return filled
  }

  /// - Returns: how many bytes of the input it took.
  private func decompress(_ bytes: inout [UInt8], _ filled: inout Int) throws -> Int {
    var taken = 0
    let before = filled
    let result = input.withUnsafeBytes { source in
      bytes.withUnsafeMutableBytes { target in
        var from = ZSTD_inBuffer(src: source.baseAddress, size: inputRange.upperBound, pos: inputRange.lowerBound)
        var to = ZSTD_outBuffer(dst: target.baseAddress, size: target.count, pos: filled)
        let result = ZSTD_decompressStream(context, &to, &from)
        taken = from.pos - inputRange.lowerBound
        inputRange = from.pos..<inputRange.upperBound
        filled = to.pos
        return result
      }
    }
    if ZSTD_isError(result) != 0 { throw damaged(String(cString: ZSTD_getErrorName(result))) }
    if taken > 0 || filled > before { isInFrame = result != 0 }
    return taken
  }
}
