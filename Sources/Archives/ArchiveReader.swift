// Reading an archive of `ArchiveWriter` from start to end.
// Invariant: names that lead out of the target folder are refused; memory is bounded by the piece size, whatever the
// archive claims; an archive that is truncated or has a wrong checksum is an error, never a short file.

import Files
import Text

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
