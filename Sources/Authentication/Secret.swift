// Bytes that must not be seen: a password on its way to its check. Invariant: from the kernel on they are in memory
// that libsodium guards (never swapped if the system allows it, excluded from core dumps, between guard pages) and
// wipes when the secret is destroyed; no String and no array ever holds them.

import CSodium
import Files
import Glibc
import Text

/// A password. It cannot be copied, printed or compared; it is wiped when it is destroyed.
///
///     let password = try Secret(bytes: "correct horse".utf8)
///     password.withBytes { bytes in bytes.count }   // 13
public struct Secret: ~Copyable {
  private let memory: UnsafeMutableRawPointer
  /// The number of bytes.
  public let count: Int

  /// Whether two texts are equal, compared in a time that does not reveal where they differ.
  public static func areSame(_ first: String, _ second: String) -> Bool {
    let (first, second) = (Array(first.utf8), Array(second.utf8))
    return first.count == second.count && sodium_memcmp(first, second, first.count) == 0
  }

  /// The most bytes of a password after normalization; longer ones are rejected, never truncated.
  public static let longest = 1024

  /// The capacity for a line typed at the terminal, as the kernel accepts; normalization may make it shorter.
  public static let lineCapacity = 4096

  /// Allocates `capacity` bytes and lets a function fill them, which returns how many; a wrong count is clamped.
  public init(
    capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(AuthenticationError) -> Int
  ) throws(AuthenticationError) {
    guard capacity > 0, capacity <= 1 << 20, sodium_init() >= 0, let memory = sodium_malloc(capacity) else {
      throw .outOfMemory
    }
    let filled: Int
    do { filled = try fill(UnsafeMutableRawBufferPointer(start: memory, count: capacity)) } catch {
      sodium_free(memory)
      throw error
    }
    self.memory = memory
    count = max(0, min(filled, capacity))
  }

  /// Fills the whole capacity by a function of libsodium that returns 0 on success.
  init(capacity: Int, filling fill: (UnsafeMutablePointer<UInt8>) -> Int32) throws(AuthenticationError) {
    try self.init(capacity: capacity) { (buffer) throws(AuthenticationError) in
      guard let start = buffer.bindMemory(to: UInt8.self).baseAddress, fill(start) == 0 else { throw .outOfMemory }
      return capacity
    }
  }

  /// Copies bytes that were not secret before.
  public init(bytes: some Collection<UInt8>) throws(AuthenticationError) {
    try self.init(capacity: bytes.count + 1) { buffer in
      for (place, byte) in bytes.enumerated() { buffer[place] = byte }
      return bytes.count
    }
  }

  deinit { sodium_free(memory) }

  public var isEmpty: Bool { count == 0 }

  /// Passes the bytes to `body`. What is made of them must be a secret too, or reveal nothing about them.
  public func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: memory, count: count))
  }

  /// Returns the text in Unicode normal form C. Throws `badText` if it is not UTF-8 or contains a NUL.
  public func normalized() throws(AuthenticationError) -> Secret {
    try withBytes { (bytes) throws(AuthenticationError) in
      if bytes.contains(0) { throw .badText }
      return try Secret(capacity: bytes.count * 16 + 68) { (buffer) throws(AuthenticationError) in
        guard let size = composeUTF8(bytes, in: buffer.bindMemory(to: Int32.self)) else { throw .badText }
        return size
      }
    }
  }
}

/// Reads a password without a terminal.
///
///     let password = try PasswordFile.read("/run/secrets/ana")
public enum PasswordFile {
  /// Reads the password in a file: its whole content except one line end at its end.
  public static func read(_ path: String) throws(AuthenticationError) -> Secret {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    if file < 0 { throw .passwordFile(path: path, code: errno) }
    defer { close(file) }
    return try Secret(capacity: Secret.lineCapacity) { (buffer) throws(AuthenticationError) in
      try fill(buffer, from: file, path, isLine: false)
    }
  }

  /// The problem with the mode of a password file that others can open, or nil. Such a file is still accepted.
  public static func warning(for path: String) -> AuthenticationError? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 else { return nil }
    return .exposed(path: path, remedy: "chmod 600 \(shellQuoted(path))")
  }

  /// Reads the password in the next line of standard input, or of another open file, and no more.
  public static func readLine(from file: Int32) throws(AuthenticationError) -> Secret {
    try Secret(capacity: Secret.lineCapacity) { (buffer) throws(AuthenticationError) in
      try fill(buffer, from: file, "standard input", isLine: true)
    }
  }

  /// Reads to the end of the file or the line; a line byte by byte, because what follows belongs to somebody else.
  /// Returns the number of bytes without a line end at the end.
  private static func fill(
    _ buffer: UnsafeMutableRawBufferPointer, from file: Int32, _ path: String, isLine: Bool
  ) throws(AuthenticationError) -> Int {
    guard let start = buffer.baseAddress else { throw .outOfMemory }
    var count = 0
    while true {
      if count == buffer.count { throw .tooLong(maximum: Secret.longest) }
      let got = Glibc.read(file, start + count, isLine ? 1 : buffer.count - count)
      if got < 0 && errno == EINTR && !isLine { continue }
      if got < 0 { throw .passwordFile(path: path, code: errno) }
      if got == 0 { return withoutLineEnd(buffer, count) }
      count += got
      if isLine, buffer[count - 1] == 0x0A { return withoutLineEnd(buffer, count) }
    }
  }

  private static func withoutLineEnd(_ buffer: UnsafeMutableRawBufferPointer, _ count: Int) -> Int {
    guard count > 0, buffer[count - 1] == 0x0A else { return count }
    return count > 1 && buffer[count - 2] == 0x0D ? count - 2 : count - 1
  }
}
