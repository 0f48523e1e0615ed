// Reading files from their beginning, by chunks or whole, with a bound on what is read.
// Invariant: memory is bounded by the chunk or by the limit given, never by the file; no call waits without asking
// whether it is to stop.

internal import Glibc
internal import SystemPackage

/// Which files are opened.
public enum FileKinds: Sendable {
  /// Regular files only: whatever else is at the path (a pipe, a device) is an error at once.
  case plain
  /// Pipes and devices too, which may be waited for: only for a path that the user typed.
  case any
}

/// For a small file of the program's own: reading it ends by itself, and what it holds is needed after a Ctrl-C too.
public func isNeverInterrupted() -> Bool { false }

/// A file read from its beginning to its end.
///
///     let file = try ByteFile(path, isInterrupted: environment.isInterrupted)
///     while try file.read(into: &chunk) > 0 { ... }
public final class ByteFile {
  public let path: String
  /// As they were when the file was opened.
  public let facts: FileFacts
  private let descriptor: FileDescriptor
  private let isInterrupted: () -> Bool

  /// - Parameters:
  ///   - kinds: `.plain` refuses pipes and devices at once, without waiting for whoever writes to them. A folder is
  ///     refused
  ///     always.
  ///   - followingLinks: false refuses a symbolic link at the end of the path (`ELOOP`).
  ///   - isInterrupted: asked before each read and while one is waited for; true gives up.
  public init(
    _ path: String, _ kinds: FileKinds = .plain, followingLinks: Bool = true,
    isInterrupted: @escaping () -> Bool
  ) throws(FileError) {
    // Opened without waiting: a pipe would wait for somebody who writes into it.
    let options: FileDescriptor.OpenOptions = followingLinks ? [.nonBlocking] : [.nonBlocking, .noFollow]
    let descriptor = try openFile(path, .readOnly, options)
    do throws(FileError) {
      let facts = try FileFacts.of(descriptor.rawValue, path: path)
      if facts.kind == .folder { throw FileError(path, .read, number: EISDIR) }
      if kinds == .plain, facts.kind != .file { throw FileError(path, .read, .notAFile) }
      self.facts = facts
    } catch {
      closeQuietly(descriptor)
      throw error
    }
    self.path = path
    self.descriptor = descriptor
    self.isInterrupted = isInterrupted
  }

  /// What a path that the user may have typed names: `-` is standard input where any kind of file is read.
  public static func given(
    _ path: String, _ kinds: FileKinds, isInterrupted: @escaping () -> Bool
  ) throws(FileError) -> ByteFile {
    if path == "-", kinds == .any { return try ByteFile(standardInput: isInterrupted) }
    return try ByteFile(path, kinds, isInterrupted: isInterrupted)
  }

  /// What comes from standard input, which stays open.
  public init(standardInput isInterrupted: @escaping () -> Bool) throws(FileError) {
    path = "standard input"
    let copy = dup(0)
    guard copy >= 0 else { throw FileError(path, .open) }
    descriptor = FileDescriptor(rawValue: copy)
    facts = try FileFacts.of(copy, path: path)
    self.isInterrupted = isInterrupted
    if facts.kind == .folder { throw FileError(path, .read, number: EISDIR) }
  }

  deinit { closeQuietly(descriptor) }

  /// The bytes of a regular file when it was opened; nil for a pipe or a terminal.
  public var size: Int? { facts.kind == .file ? facts.size : nil }

  /// Fills the buffer from an offset on, as far as one call of the system gives.
  /// - Returns: how many bytes came; 0 at the end of the file, or when the buffer has no room after the offset.
  public func read(into buffer: inout [UInt8], from offset: Int = 0) throws(FileError) -> Int {
    let result = buffer.withUnsafeMutableBytes { bytes in
      let room = UnsafeMutableRawBufferPointer(rebasing: bytes[min(max(0, offset), bytes.count)...])
      return Result { () throws(FileError) in try read(into: room) }
    }
    return try result.get()
  }

  /// The same into memory of the caller's.
  public func read(into memory: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    let isPlain = facts.kind == .file
    while true {
      try waitUntilReady(descriptor, POLLIN, path, isPlain: isPlain, isInterrupted)
      do { return try descriptor.read(into: memory, retryOnInterrupt: false) } catch let error as Errno {
        if error == .interrupted { continue }
        // What calls itself a regular file and has to be waited for, as /proc/kmsg does, has no end.
        if error == .resourceTemporarilyUnavailable, isPlain { throw FileError(path, .read, .notAFile) }
        if error != .resourceTemporarilyUnavailable { throw FileError(path, .read, error) }
      } catch {
        throw FileError(path, .read, error)
      }
    }
  }

  /// Bytes from a place of a regular file on, wherever reading has come; fewer at its end.
  public func bytes(at offset: Int, count: Int) throws(FileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: max(0, count))
    var done = 0
    while done < bytes.count {
      let got = bytes.withUnsafeMutableBytes { memory in
        Result { () throws(FileError) in
          do {
            let rest = UnsafeMutableRawBufferPointer(rebasing: memory[done...])
            return try descriptor.read(fromAbsoluteOffset: Int64(offset + done), into: rest)
          } catch {
            throw FileError(path, .read, error)
          }
        }
      }
      let count = try got.get()
      if count == 0 { break }
      done += count
    }
    bytes.removeLast(bytes.count - done)
    return bytes
  }

  /// All that is left, at most `limit` bytes.
  public func rest(limit: Int) throws(FileError) -> [UInt8] {
    if let size, size > limit { throw FileError(path, .read, .tooLarge(limit: limit)) }
    var content: [UInt8] = []
    content.reserveCapacity(size ?? 0)
    var chunk = [UInt8](repeating: 0, count: min(1 << 16, max(1, (size ?? 1 << 16) + 1)))
    while true {
      let count = try read(into: &chunk)
      if count == 0 { return content }
      if content.count + count > limit { throw FileError(path, .read, .tooLarge(limit: limit)) }
      content.append(contentsOf: chunk[..<count])
    }
  }
}

/// Waits until a descriptor can be read or written; a regular file always can.
func waitUntilReady(
  _ descriptor: FileDescriptor, _ events: Int32, _ path: String, isPlain: Bool, _ isInterrupted: () -> Bool
) throws(FileError) {
  var waits = pollfd(fd: descriptor.rawValue, events: Int16(events), revents: 0)
  repeat {
    if isInterrupted() { throw FileError(path, events == POLLIN ? .read : .write, .interrupted) }
  } while !isPlain && isStillWaited(&waits)
}

/// A signal (the window got another size) ends the wait, and says nothing of the descriptor: a pipe that nobody has
/// opened yet would read as one that has ended.
private func isStillWaited(_ waits: inout pollfd) -> Bool {
  let count = poll(&waits, 1, 50)
  return count == 0 || count < 0 && errno == EINTR
}

public enum FileText {
  /// The whole content of a file of at most `limit` bytes.
  public static func bytes(
    _ path: String, limit: Int, _ kinds: FileKinds = .plain, isInterrupted: @escaping () -> Bool
  ) throws(FileError) -> [UInt8] {
    try ByteFile(path, kinds, isInterrupted: isInterrupted).rest(limit: limit)
  }

  /// The same as text; nil when it is not UTF-8.
  public static func read(
    _ path: String, limit: Int, isInterrupted: @escaping () -> Bool
  ) throws(FileError) -> String? {
    String(validating: try bytes(path, limit: limit, isInterrupted: isInterrupted), as: UTF8.self)
  }
}
