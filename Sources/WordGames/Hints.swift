// Hints: the first letter and the length of a word that was not found yet, in exchange for points.
// Invariant: if there is nothing to hint at, the hint costs nothing.

import Text

extension Game {
  /// Returns a hint as text. It costs `mode.scoring.hintCost` points if the rules can tell what is left to find.
  public func hint() throws -> String {
    if isRunningHook { throw GameError.busy }
    if let hint = mode.hooks.hint { return try runningHook { try hint(self) } }
    let missed = missed()
    var generator = AnyGenerator(base: choice.random)
    defer { choice.random = generator.base }
    guard let word = missed.randomElement(using: &generator), let first = word.first else {
      return "Every possible word is found"
    }
    let cost = tally.hintCosts[tally.currentPlayer] + mode.scoring.hintCost
    tally.hintCosts[tally.currentPlayer] = min(cost, 1_000_000_000)
    return "A word of \(counted(word.count, "letter")) begins with \(first)"
  }
}
