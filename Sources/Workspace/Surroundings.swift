// What the program takes from the world around it, handed in once. Invariant: nothing below the program reads the clock,
// random numbers or a path by itself, so every test and every `--seed` run repeats.

import Values

/// The clocks and the chance that a workspace works with.
public struct Surroundings {
  /// Seconds since 1970.
  public var now: () -> Double
  /// Seconds that only grow, while the machine runs: for clocks that count down.
  public var elapsed: () -> Double
  /// Seconds east of Greenwich that local time is at a moment, for the day that a study session belongs to.
  public var zoneOffset: (Double) -> Double
  /// 64 random bits, never of a seed: for ids.
  public var entropy: () -> UInt64
  /// Random choices in games and sessions: of the seed where one was given.
  public var choices: RandomChoices
  /// Whether the person asks to stop: polled by long work.
  public var isInterrupted: () -> Bool
  /// A rehearsal (`--dry-run`): only a unit of work, which is taken back, may change anything.
  public var isRehearsal = false
  /// Tells the user a line; a rehearsal says with it what would be done.
  public var announce: (String) -> Void = { _ in }

  public init(
    now: @escaping () -> Double, elapsed: @escaping () -> Double, zoneOffset: @escaping (Double) -> Double = { _ in 0 },
    entropy: @escaping () -> UInt64, choices: RandomChoices, isInterrupted: @escaping () -> Bool = { false }
  ) {
    self.now = now
    self.elapsed = elapsed
    self.zoneOffset = zoneOffset
    self.entropy = entropy
    self.choices = choices
    self.isInterrupted = isInterrupted
  }
}

/// A stream of random numbers that repeats for the same seed. Shared by all that draw from it, so that a whole run repeats.
public final class RandomChoices: RandomNumberGenerator {
  private var numbers: SeededNumbers

  public init(seed: UInt64) { numbers = SeededNumbers(seed: seed) }

  public func next() -> UInt64 { numbers.next() }
}
