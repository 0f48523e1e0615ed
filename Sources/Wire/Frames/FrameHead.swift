// The header of a frame, for both sides of the channel. Invariant: an encoded length is decoded unchanged.

/// The length of a frame: four bytes, little endian.
public enum FrameHead {
  public static let size = 4

  /// Nil if the length does not fit into four bytes.
  public static func bytes(_ count: Int) -> [UInt8]? {
    UInt32(exactly: count).map { length in withUnsafeBytes(of: length.littleEndian) { Array($0) } }
  }

  /// - Parameter head: at least `size` bytes.
  public static func count(_ head: some Collection<UInt8>) -> Int {
    head.prefix(size).reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
