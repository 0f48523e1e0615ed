// The words that were not found in a game, in the order in which they are worth showing. Invariant: none of them is a
// word that the mode's own `accept` declines.

import Lexicon

/// The words of a game that were not found: the most used first, if their use is known, and short words last.
///
///     try MissedWords(of: game).forEach { word in
///       print(word)
///       return true
///     }
public struct MissedWords {
  /// Words of up to this many letters are mostly ones like `of` and `the`.
  private static let shortWord = 3

  private let game: Game

  public init(of game: Game) { self.game = game }

  /// Calls `body` with one word after another until it returns false.
  public func forEach(_ body: (String) throws -> Bool) throws {
    for word in ordered {
      if let accept = game.mode.hooks.accept, try game.runningHook({ try accept(game, word) }) != nil { continue }
      if try !body(word) { return }
    }
  }

  private var ordered: [String] {
    let missed = game.missed()
    guard let words = game.common?.byUse(missed) else { return missed }
    return words.filter { $0.count > Self.shortWord } + words.filter { $0.count <= Self.shortWord }
  }
}
