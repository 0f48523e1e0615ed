// What a game tells of the words that were not found: hints, in exchange for points, and the words themselves.
// Invariant: if there is nothing to hint at, the hint costs nothing.

import Lexicon
import Text

extension Game {
  /// Returns a hint as text; if the game is about a learner's own words, what one means that was not found. It costs
  /// `mode.scoring.hintCost` points if the rules can tell what is left to find.
  public func hint() throws -> String {
    if isRunningHook { throw GameError.busy }
    let left = own.answers.isEmpty ? [] : listsMissed ? missed() : try solution?.words ?? []
    let found = Set(foundWords.words)
    let answers = left.compactMap { found.contains($0) ? nil : own.answers[$0] }
    var hint = answers.randomElement(using: &choice.random)
    if hint == nil, let own = mode.hooks.hint { return try runningHook { try own(self) } }
    if hint == nil, let word = missed().randomElement(using: &choice.random), let first = word.first {
      hint = "A word of \(counted(word.count, "letter")) begins with \(first)"
    }
    guard let hint else { return "Every possible word is found" }
    tally.charge(hint: mode.scoring.hintCost)
    return hint
  }

  /// Passes one word after another that was not found to `body`, until it returns false: the most used first, if their
  /// use is known, and short words last, which are mostly ones like `of` and `the`. A word that the mode's own `accept`
  /// declines is left out.
  public func forEachMissed(_ body: (String) throws -> Bool) throws {
    var words = missed()
    if let common {
      words = common.byUse(words)
      words = words.filter { $0.count > 3 } + words.filter { $0.count <= 3 }
    }
    for word in words {
      if let accept = mode.hooks.accept, try runningHook({ try accept(self, word) }) != nil { continue }
      if try !body(word) { return }
    }
  }
}
