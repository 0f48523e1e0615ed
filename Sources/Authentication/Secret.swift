// Bytes that must not be seen: a password on its way to its check.
// Invariant: they are in memory that libsodium guards (never swapped if the system allows it, excluded from core dumps,
// between guard pages) and wipes when the secret is destroyed; no String and no array ever holds them.

import CSodium
import Text

/// A password. It cannot be copied, printed or compared; it is wiped when it is destroyed.
///
///     let password = try Secret(bytes: "correct horse".utf8)
///     password.withBytes { bytes in bytes.count }   // 13
public struct Secret: ~Copyable {
  private let memory: UnsafeMutableRawPointer
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

  /// Allocates `capacity` bytes and lets a function fill them, which returns how many it wrote. If the function fails,
  /// the memory is freed; an invalid count is clamped.
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

  /// Returns the text in Unicode normal form C, so that a letter typed in another form gives the same password. Throws
  /// `badText` if it is not UTF-8 or contains a NUL.
  public func normalized() throws(AuthenticationError) -> Secret {
    try withBytes { (bytes) throws(AuthenticationError) in try UnicodeForm.composed(bytes) }
  }
}

enum UnicodeForm {
  /// The text of the bytes in normal form C.
  static func composed(_ bytes: UnsafeRawBufferPointer) throws(AuthenticationError) -> Secret {
    if bytes.contains(0) { throw .badText }
    return try Secret(capacity: bytes.count * 16 + 68) { (buffer) throws(AuthenticationError) in
      guard let size = composeUTF8(bytes, in: buffer.bindMemory(to: Int32.self)) else { throw .badText }
      return size
    }
  }
}
