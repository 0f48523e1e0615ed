// What stands before the bytes of a frame, on both sides of the channel.
// Invariant: a length that was written is read as itself.

/// The length of a frame: four bytes, little endian.
///
///     guard let head = FrameHead.bytes(frame.count) else { return false }   // longer than 4 GiB
public enum FrameHead {
  public static let size = 4

  /// Nil for what four bytes cannot say.
  public static func bytes(_ count: Int) -> [UInt8]? {
    UInt32(exactly: count).map { length in withUnsafeBytes(of: length.littleEndian) { Array($0) } }
  }

  /// - Parameter head: `size` bytes at least.
  public static func count(_ head: some Collection<UInt8>) -> Int {
    head.prefix(size).reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
