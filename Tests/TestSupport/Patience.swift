// A user who presses Ctrl-C, for tests of long work. Invariant: whoever is out of patience stays so.

import Synchronization

/// A user who interrupts after a number of checks.
public final class Patience: Sendable {
  private let left: Atomic<Int>

  public init(_ count: Int = .max) { left = Atomic(count) }

  public func isOver() -> Bool { left.subtract(1, ordering: .relaxed).newValue < 0 }

  public func set(_ count: Int) { left.store(count, ordering: .relaxed) }
}
