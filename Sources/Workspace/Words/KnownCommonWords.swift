// Which words are common, according to a frequency list of this machine. Invariant: a list is compared with it once.

import Language
public import Lexicon

/// The common words of the last list that was requested.
struct KnownCommonWords {
  let lexicon: Lexicon
  let words: CommonWords?
}

extension WordOperations {
  /// Returns the common words of a list, according to a frequency list of this machine; nil if it contains too little.
  public func common(of lexicon: Lexicon) throws -> CommonWords? {
    if let known = workspace.opened.commonWords, known.lexicon === lexicon { return known.words }
    let words = try workspace.languages.frequencies(of: lexicon.language).flatMap { try CommonWords($0, of: lexicon) }
    workspace.opened.commonWords = KnownCommonWords(lexicon: lexicon, words: words)
    return words
  }

  /// Returns the common words for a game; nil if the settings or the user's list call for all words.
  func ofGame(_ lexicon: Lexicon, isGiven: Bool) throws -> CommonWords? {
    try isGiven || !workspace.preferences().games.choosesCommonWords ? nil : common(of: lexicon)
  }
}
