// A user who presses Ctrl-C, for tests of long work. Invariant: whoever is out of patience stays so.

import Synchronization

/// A user who interrupts after a number of checks.
public final class Patience: Sendable {
  private let rest: Atomic<Int>

  public init(_ count: Int = .max) { rest = Atomic(count) }

  /// How many more checks pass; negative once some did not.
  public var left: Int { rest.load(ordering: .relaxed) }

  public func isOver() -> Bool { rest.subtract(1, ordering: .relaxed).newValue < 0 }

  public func set(_ count: Int) { rest.store(count, ordering: .relaxed) }
}
