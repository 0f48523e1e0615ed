// Standard input by lines or as it arrives, for use in pipes: plain bytes, without an encoding.
// Invariant: memory is limited to one line.

internal import Glibc

public final class InputLines {
  /// The number of lines read so far.
  public private(set) var count = 0
  private let descriptor: Int32
  private let limit: Int
  private var buffer: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0
  private var isAtEnd = false

  /// - Parameters:
  ///   - limit: the maximum length of a line in bytes.
  ///   - descriptor: the descriptor to read from.
  public init(limit: Int, descriptor: Int32 = 0) {
    (self.limit, self.descriptor) = (limit, descriptor)
    buffer = .allocate(byteCount: 256 << 10, alignment: 16)
  }

  deinit { buffer.deallocate() }

  /// Returns the next line, valid until the next call, without its line feed, which the last may lack; nil at the end.
  /// - Throws: `FileError`, with `.tooLarge` for a line that is longer than the limit.
  public func next() throws(FileError) -> UnsafeRawBufferPointer? {
    var searched = start
    while true {
      if let base = buffer.baseAddress, let found = memchr(base + searched, 0x0A, end - searched) {
        let place = UnsafeRawPointer(found) - UnsafeRawPointer(base)
        defer { start = place + 1 }
        return try line(upTo: place)
      }
      searched = end
      if isAtEnd {
        if start == end { return nil }
        defer { start = end }
        return try line(upTo: end)
      }
      if end - start > limit { throw tooLarge }
      let moved = start
      try fill()
      searched -= moved - start
    }
  }

  private var tooLarge: FileError { FileError("standard input", .read, .tooLarge(limit: limit)) }

  private func line(upTo place: Int) throws(FileError) -> UnsafeRawBufferPointer {
    guard place - start <= limit else { throw tooLarge }
    count += 1
    return UnsafeRawBufferPointer(rebasing: buffer[start..<place])
  }

  /// Moves the unread bytes to the front and reads more after them.
  private func fill() throws(FileError) {
    if start > 0 {
      if let base = buffer.baseAddress { memmove(base, base + start, end - start) }
      (start, end) = (0, end - start)
    }
    if end == buffer.count {
      let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: buffer.count * 2, alignment: 16)
      larger.copyMemory(from: UnsafeRawBufferPointer(buffer))
      buffer.deallocate()
      buffer = larger
    }
    while true {
      let got = read(descriptor, buffer.baseAddress.map { $0 + end }, buffer.count - end)
      if got < 0, errno == EINTR { continue }
      if got < 0 { throw FileError("standard input", .read) }
      isAtEnd = got == 0
      end += got
      return
    }
  }
}

/// Standard input as it arrives.
public struct InputPieces {
  public enum Piece: Equatable {
    case bytes([UInt8])
    /// Nothing arrived within that time.
    case nothing
    case end
  }

  private static let most = 64 << 10
  private let descriptor: Int32

  public init(descriptor: Int32 = 0) { self.descriptor = descriptor }

  /// Returns what arrives next within that many milliseconds; 0 does not wait.
  public func next(within milliseconds: Int) throws(FileError) -> Piece {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&wait, 1, Int32(clamping: milliseconds)) > 0 else { return .nothing }
    var number: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: Self.most) { buffer, count in
      let got = read(descriptor, buffer.baseAddress, Self.most)
      if got < 0 { number = errno }
      count = max(0, got)
    }
    if number == EINTR || number == EAGAIN { return .nothing }
    if number != 0 { throw FileError("standard input", .read, number: number) }
    return bytes.isEmpty ? .end : .bytes(bytes)
  }
}
