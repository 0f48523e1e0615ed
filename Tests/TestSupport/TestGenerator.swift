// Reproducible random numbers.

import Values

/// The program's own generator: the same numbers for the same seed, compared with known ones by SeededNumbersTests.
public struct TestGenerator: RandomNumberGenerator, Sendable {
  private var numbers: SeededNumbers

  public init(_ seed: UInt64) { numbers = SeededNumbers(seed: seed) }

  public mutating func next() -> UInt64 { numbers.next() }
}
