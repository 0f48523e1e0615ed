// Sizes at which buffered stream code is most likely to fail. Invariant: includes every size near a power of two or a
// multiple of the buffer size, up to three buffers.

import Values

/// Returns every size within `reach` of a power of two or of a multiple of the buffer size, from 0 to three buffers,
/// in order.
///
///     for size in streamSizes(buffer: 1 << 17) { ... }   // 0...5, 5...11, ..., 131_069...131_075, ...
public func streamSizes(buffer: Int, reach: Int = 3) -> [Int] {
  let powers = (0...Int.bitWidth - 3).map { 1 << $0 }.prefix { $0 <= 3 * buffer }
  let edges = [0, 1, 2, 3].map { $0 * buffer }
  let sizes = (powers + edges).flatMap { $0 - reach...$0 + reach }
  return Set(sizes.filter { 0...3 * buffer + reach ~= $0 }).sorted()
}

/// Incompressible or highly compressible bytes: compressed output has other boundaries than its input.
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

/// The program's own generator: the same numbers for the same seed, compared with known ones by SeededNumbersTests.
public struct TestGenerator: RandomNumberGenerator, Sendable {
  private var numbers: SeededNumbers

  public init(_ seed: UInt64) { numbers = SeededNumbers(seed: seed) }

  public mutating func next() -> UInt64 { numbers.next() }
}
