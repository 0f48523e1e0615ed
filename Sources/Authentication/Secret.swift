// Bytes that must not be seen: a password on its way to its check.
// Invariant: they live in memory that libsodium guards (never swapped where the system allows it, left out of core
// dumps, between guard pages) and wipes when the secret ends; no String and no array ever holds them.

import CSodium

/// A password. It can't be copied, printed or compared; it is wiped when it ends.
///
///     let password = try Secret(bytes: "correct horse".utf8)
///     password.withBytes { bytes in bytes.count }   // 13
public struct Secret: ~Copyable {
  private let memory: UnsafeMutableRawPointer
  /// How many bytes it holds.
  public let count: Int

  /// Whether two texts are the same, in a time that says nothing of where they differ.
  public static func areSame(_ first: String, _ second: String) -> Bool {
    let (first, second) = (Array(first.utf8), Array(second.utf8))
    return first.count == second.count && sodium_memcmp(first, second, first.count) == 0
  }

  /// The most bytes a password may have, after normalization; never cut, refused beyond.
  public static let longest = 1024

  /// Room that a line typed at the terminal needs: what the kernel takes of one. Normalization may make it shorter.
  public static let lineCapacity = 4096

  /// Room for `capacity` bytes, filled by a function that says how many it wrote. A function that fails or says
  /// nonsense leaves nothing behind.
  public init(
    capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(AuthenticationError) -> Int
  ) throws(AuthenticationError) {
    guard capacity > 0, capacity <= 1 << 20, sodium_init() >= 0, let memory = sodium_malloc(capacity) else {
      throw .outOfMemory
    }
    let filled: Int
    do {
      filled = try fill(UnsafeMutableRawBufferPointer(start: memory, count: capacity))
    } catch {
      sodium_free(memory)
      throw error
    }
    self.memory = memory
    count = max(0, min(filled, capacity))
  }

  /// Filled to its capacity by a function of libsodium, which answers 0 when it has done so.
  init(capacity: Int, filling fill: (UnsafeMutablePointer<UInt8>) -> Int32) throws(AuthenticationError) {
    try self.init(capacity: capacity) { (buffer) throws(AuthenticationError) in
      guard let start = buffer.bindMemory(to: UInt8.self).baseAddress, fill(start) == 0 else { throw .outOfMemory }
      return capacity
    }
  }

  /// A copy of bytes that were no secret before.
  public init(bytes: some Collection<UInt8>) throws(AuthenticationError) {
    try self.init(capacity: bytes.count + 1) { buffer in
      for (place, byte) in bytes.enumerated() { buffer[place] = byte }
      return bytes.count
    }
  }

  deinit { sodium_free(memory) }

  public var isEmpty: Bool { count == 0 }

  /// Gives the bytes for the time of the call. What is made of them must be a secret too, or say nothing about them.
  public func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: memory, count: count))
  }

  /// The same text in Unicode's normal form C, so that a letter typed in another way is the same password.
  /// Throws `badText` when it is not UTF-8 or holds a NUL.
  public func normalized() throws(AuthenticationError) -> Secret {
    try withBytes { (bytes) throws(AuthenticationError) in try UnicodeForm.composed(bytes) }
  }
}
