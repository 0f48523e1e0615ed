// Reading files from the start, in chunks or whole, with a limit on what is read. Invariant: memory is bounded by the
// chunk or the given limit, never by the file; no call waits without polling for an interrupt.

internal import Glibc

/// Which kinds of files may be opened.
public enum FileKinds: Sendable {
  /// Regular files only: anything else at the path (a pipe, a device) is an error at once.
  case plain
  /// Pipes and devices too, which may have to be waited for: only for a path that the user typed.
  case any
}

/// For a small file of the program's own: reading it always ends, and its content is needed after a Ctrl-C too.
public func isNeverInterrupted() -> Bool { false }

/// A file that is read from start to end.
public final class ByteFile {
  public let path: String
  public let facts: FileFacts
  private let descriptor: Int32
  private let isInterrupted: () -> Bool

  /// - Parameters:
  ///   - kinds: `.plain` refuses pipes and devices at once, without waiting for a writer. A folder is always refused.
  ///   - followingLinks: false refuses a symbolic link at the end of the path (`ELOOP`).
  ///   - isInterrupted: polled before each read and while waiting for one; true cancels it.
  public init(
    _ path: String, _ kinds: FileKinds = .plain, followingLinks: Bool = true, isInterrupted: @escaping () -> Bool
  ) throws(FileError) {
    // Non-blocking, because opening a pipe would wait for a writer.
    let descriptor = try openFile(path, O_RDONLY | O_NONBLOCK | (followingLinks ? 0 : O_NOFOLLOW))
    do throws(FileError) {
      let facts = try FileFacts.of(descriptor, path: path)
      if facts.kind == .folder { throw FileError(path, .read, number: EISDIR) }
      if kinds == .plain, facts.kind != .file { throw FileError(path, .read, .notAFile) }
      self.facts = facts
    } catch {
      close(descriptor)
      throw error
    }
    (self.path, self.descriptor, self.isInterrupted) = (path, descriptor, isInterrupted)
  }

  /// Opens a path that the user may have typed: `-` is standard input if `kinds` is `.any`.
  public static func given(
    _ path: String, _ kinds: FileKinds, isInterrupted: @escaping () -> Bool
  ) throws(FileError) -> ByteFile {
    if path == "-", kinds == .any { return try ByteFile(standardInput: isInterrupted) }
    return try ByteFile(path, kinds, isInterrupted: isInterrupted)
  }

  public init(standardInput isInterrupted: @escaping () -> Bool) throws(FileError) {
    path = "standard input"
    descriptor = fcntl(0, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { throw FileError(path, .open) }
    facts = try FileFacts.of(descriptor, path: path)
    self.isInterrupted = isInterrupted
    if facts.kind == .folder { throw FileError(path, .read, number: EISDIR) }
  }

  deinit { close(descriptor) }

  /// The size of a regular file in bytes when it was opened; nil for a pipe or a terminal.
  public var size: Int? { facts.kind == .file ? facts.size : nil }

  /// Reads into the buffer from `offset` on, with one system call.
  /// - Returns: the number of bytes read; 0 at the end of the file, or if the buffer has no room after the offset.
  public func read(into buffer: inout [UInt8], from offset: Int = 0) throws(FileError) -> Int {
    let result = buffer.withUnsafeMutableBytes { bytes in
      let room = UnsafeMutableRawBufferPointer(rebasing: bytes[min(max(0, offset), bytes.count)...])
      return Result { () throws(FileError) in try read(into: room) }
    }
    return try result.get()
  }

  /// Reads into the caller's memory, with one system call.
  public func read(into memory: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    let isPlain = facts.kind == .file
    while true {
      try waitUntilReady(descriptor, POLLIN, path, isPlain: isPlain, isInterrupted)
      let count = Glibc.read(descriptor, memory.baseAddress, memory.count)
      if count >= 0 { return count }
      // A file that claims to be regular but makes readers wait, such as /proc/kmsg, has no end.
      if errno == EAGAIN, isPlain { throw FileError(path, .read, .notAFile) }
      guard errno == EAGAIN || errno == EINTR else { throw FileError(path, .read) }
    }
  }

  /// Fills memory, with as many system calls as that takes.
  /// - Returns: the number of bytes read; less than there is room for only at the end of the file.
  public func fill(_ memory: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    var done = 0
    while done < memory.count {
      let count = try read(into: UnsafeMutableRawBufferPointer(rebasing: memory[done...]))
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Calls `body` with each piece of what is left, whose memory is valid during the call.
  public func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 16)
    defer { memory.deallocate() }
    while case let count = try read(into: memory), count > 0 {
      try body(UnsafeRawBufferPointer(rebasing: memory[..<count]))
    }
  }

  /// Returns the bytes of a regular file from an offset on, whatever the current position; fewer at its end.
  public func bytes(at offset: Int, count: Int) throws(FileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: max(0, count))
    var done = 0
    while done < bytes.count {
      let got = bytes.withUnsafeMutableBytes { memory in
        pread(descriptor, memory.baseAddress.map { $0 + done }, memory.count - done, offset + done)
      }
      if got == 0 { break }
      if got > 0 { done += got } else if errno != EINTR { throw FileError(path, .read) }
    }
    bytes.removeLast(bytes.count - done)
    return bytes
  }

  /// Returns everything that is left, at most `limit` bytes.
  public func rest(limit: Int) throws(FileError) -> [UInt8] {
    if let size, size > limit { throw FileError(path, .read, .tooLarge(limit: limit)) }
    var content: [UInt8] = []
    content.reserveCapacity(size ?? 0)
    // A file in /proc states the size 0.
    var chunk = [UInt8](repeating: 0, count: min(1 << 16, max(1 << 12, (size ?? 1 << 16) + 1)))
    while true {
      let count = try read(into: &chunk)
      if count == 0 { return content }
      if content.count + count > limit { throw FileError(path, .read, .tooLarge(limit: limit)) }
      content.append(contentsOf: chunk[..<count])
    }
  }
}

/// Waits until a descriptor can be read or written; a regular file is always ready.
func waitUntilReady(
  _ descriptor: Int32, _ events: Int32, _ path: String, isPlain: Bool, _ isInterrupted: () -> Bool
) throws(FileError) {
  var waits = pollfd(fd: descriptor, events: Int16(events), revents: 0)
  repeat {
    if isInterrupted() { throw FileError(path, events == POLLIN ? .read : .write, .interrupted) }
  } while !isPlain && keepsWaiting(&waits)
}

/// Polls once and returns whether to keep waiting. A signal (such as a window resize) ends the poll without saying
/// anything about the descriptor: a pipe that nobody has opened yet is not at its end.
private func keepsWaiting(_ waits: inout pollfd) -> Bool {
  let count = poll(&waits, 1, 50)
  return count == 0 || count < 0 && errno == EINTR
}

public enum FileText {
  /// Returns the whole content of a file of at most `limit` bytes.
  public static func bytes(
    _ path: String, limit: Int, _ kinds: FileKinds = .plain, isInterrupted: @escaping () -> Bool
  ) throws(FileError) -> [UInt8] {
    try ByteFile(path, kinds, isInterrupted: isInterrupted).rest(limit: limit)
  }

  /// Returns the whole content as text; nil if it is not UTF-8.
  public static func read(
    _ path: String, limit: Int, isInterrupted: @escaping () -> Bool
  ) throws(FileError) -> String? {
    String(validating: try bytes(path, limit: limit, isInterrupted: isInterrupted), as: UTF8.self)
  }
}
