// Sizes at which code that works on a stream through a buffer goes wrong, if it does.
// Invariant: no size is left out that lies at a power of two or at an edge of the buffer, up to three buffers.

/// Every size within `reach` of a power of two or of an edge of the buffer, from 0 to three buffers, in order.
///
///     for size in streamSizes(buffer: 1 << 17) { ... }   // 0...5, 5...11, ..., 131_069...131_075, ...
public func streamSizes(buffer: Int, reach: Int = 3) -> [Int] {
  let powers = (0...Int.bitWidth - 3).map { 1 << $0 }.prefix { $0 <= 3 * buffer }
  let edges = [0, 1, 2, 3].map { $0 * buffer }
  let sizes = (powers + edges).flatMap { $0 - reach...$0 + reach }
  return Set(sizes.filter { 0...3 * buffer + reach ~= $0 }).sorted()
}

/// Bytes that cannot be packed, or those of which little is left: what a packer gives has other edges than what it is
/// given.
public enum StreamContent: CaseIterable, Sendable {
  case random, even

  public func bytes(_ count: Int) -> [UInt8] {
    switch self {
    case .even: return [UInt8](repeating: UInt8(ascii: "a"), count: count)
    case .random:
      var generator = TestGenerator(UInt64(count))
      var words = (0...count / 8).map { _ in generator.next() }
      return words.withUnsafeMutableBytes { Array($0.prefix(count)) }
    }
  }
}
