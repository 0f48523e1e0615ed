// A guess on its way: made normal, judged, scored, kept.
// Invariant: small ASCII letters are judged in place; only a guess that counts, or that needs normalising, becomes a String.

import Lexicon
import Wording

extension Game {
  /// Judges a guess, given as its UTF-8, and keeps it when it counts. Throws what a hook of the mode throws.
  public func guess(_ bytes: UnsafeBufferPointer<UInt8>) throws -> GuessOutcome {
    if clock.limit != nil || hasGivenUp || passes > 0 || mode.hooks.finished != nil, try isFinished() { return .over }
    if isSmallASCII(bytes) { return try judged(bytes, letters: bytes.count) }
    var word = lexicon.normalized(String(decoding: bytes, as: UTF8.self))
    let letters = word.count
    return try word.withUTF8 { try judged($0, letters: letters) }
  }

  /// Judges a guess.
  public func guess(_ word: String) throws -> GuessOutcome {
    var word = word
    return try word.withUTF8 { try guess($0) }
  }

  private func judged(_ bytes: UnsafeBufferPointer<UInt8>, letters: Int) throws -> GuessOutcome {
    let guess = Judge.Guess(bytes: bytes, letters: letters, hash: Lexicon.hash(of: bytes))
    if let failed = judge.firstFailure(
      guess, found: foundWords, last: { self.foundWords.entries.last?.word ?? self.baseWord })
    {
      return .refused(judge.rules[failed])
    }
    return try accept(String(decoding: bytes, as: UTF8.self), letters: letters)
  }

  /// Asks the mode about a word that passed every rule, and keeps it.
  private func accept(_ word: String, letters: Int) throws -> GuessOutcome {
    if let problem = try mode.hooks.accept?(self, word) {
      return .declined(Refusal(code: problem.code, title: problem.title, message: problem.message, word: word))
    }
    let points = try mode.hooks.score?(self, word) ?? nativePoints(word, letters: letters)
    foundWords.add(word, letters: letters, points: points, player: currentPlayer)
    if let reward = mode.scoring.rewards.first(where: { $0.words == count }) { bonus += reward.points }
    passes = 0
    currentPlayer = (currentPlayer + 1) % mode.players
    acceptedOnBase += 1
    if let words = mode.wordsPerBase, acceptedOnBase >= words { try takeNewBase() }
    return .accepted(points: points)
  }

  private func nativePoints(_ word: String, letters: Int) -> Int {
    let bonus = letters >= length && letters > 1 ? mode.scoring.allLettersBonus : 0
    guard mode.scoring.usesLetterValues else { return letters + bonus }
    return word.reduce(bonus) { $0 + (letterValues[$1] ?? 1) }
  }

  private var letterValues: [Character: Int] { language.letterValues }
}

/// Whether the bytes are a to z only: normal form in every language.
@inline(__always)
private func isSmallASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
  var all: UInt8 = 0
  for byte in bytes { all |= byte &- 0x61 > 25 ? 1 : 0 }
  return all == 0
}
