// The words that a game leaves unfound, in the order in which they are worth showing. Invariant: none of them is one
// that the mode's own `accept` refuses.

import Lexicon

/// The words of a game that were not found: those first that are used most, where that is known, the shortest last.
///
///     try MissedWords(of: game).forEach { word in
///       print(word)
///       return true
///     }
public struct MissedWords {
  /// Words of so many letters are little more than `of` and `the`.
  private static let shortWord = 3

  private let game: Game

  public init(of game: Game) { self.game = game }

  /// Calls `body` with one word after the other until it answers false.
  public func forEach(_ body: (String) throws -> Bool) throws {
    for word in ordered {
      if let accept = game.mode.hooks.accept, try game.asking({ try accept(game, word) }) != nil { continue }
      if try !body(word) { return }
    }
  }

  private var ordered: [String] {
    let missed = game.missed()
    guard let words = game.common?.byUse(missed) else { return missed }
    return words.filter { $0.count > Self.shortWord } + words.filter { $0.count <= Self.shortWord }
  }
}
