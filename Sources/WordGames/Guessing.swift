// A guess on its way: made normal, judged, scored, kept.
// Invariant: a guess in normal form is judged in place; only one that needs normalising, or that the mode's own functions are asked
// about, becomes a String.

import Lexicon
import Wording

extension Game {
  /// Judges a guess, given as its UTF-8, and keeps it when it counts. Throws what a hook of the mode throws.
  public func guess(_ bytes: UnsafeBufferPointer<UInt8>) throws -> GuessOutcome {
    outcome(of: try verdict(on: bytes))
  }

  /// A verdict that was just given, with its words.
  public func outcome(of verdict: Verdict) -> GuessOutcome {
    switch verdict {
    case .accepted(let points): .accepted(points: points)
    case .refused(let rule): .refused(judge.rules[rule])
    case .declined: declined.map(GuessOutcome.declined) ?? .over
    case .over: .over
    }
  }

  /// The same, with the answer as numbers.
  public func verdict(on bytes: UnsafeBufferPointer<UInt8>) throws -> Verdict {
    if mayBeOver, try isFinished() { return .over }
    if let hash = Lexicon.hash(ofPlain: bytes) {
      return try judged(Judge.Guess(bytes: bytes, letters: bytes.count, hash: hash))
    }
    let bytes = withoutBlanks(bytes)
    if let letters = lexicon.lettersIfNormal(bytes) {
      return try judged(Judge.Guess(bytes: bytes, letters: letters, hash: Lexicon.hash(of: bytes)))
    }
    var word = lexicon.normalized(String(decoding: bytes, as: UTF8.self))
    let letters = word.count
    return try word.withUTF8 { try judged(Judge.Guess(bytes: $0, letters: letters, hash: Lexicon.hash(of: $0))) }
  }

  /// The bytes without the ASCII blanks at both ends.
  private func withoutBlanks(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    guard let start = bytes.firstIndex(where: { !isBlank($0) }), let end = bytes.lastIndex(where: { !isBlank($0) })
    else { return UnsafeBufferPointer(start: nil, count: 0) }
    return UnsafeBufferPointer(rebasing: bytes[start...end])
  }

  /// Whether the end must be asked about before a guess: false for an open-ended game under way.
  @inline(__always)
  private var mayBeOver: Bool { mode.seconds != nil || mode.hooks.finished != nil || hasGivenUp || passes > 0 }

  /// Judges a guess.
  public func guess(_ word: String) throws -> GuessOutcome {
    var word = word
    return try word.withUTF8 { try guess($0) }
  }

  @inline(__always)
  private func judged(_ guess: Judge.Guess) throws -> Verdict {
    if let failed = judge.firstFailure(guess) { return .refused(rule: failed) }
    return try accept(guess)
  }

  /// Asks the mode about a word that passed every rule, and keeps it.
  private func accept(_ guess: Judge.Guess) throws -> Verdict {
    guard !isAsking else { throw GameError.busy }
    var points: Int?
    if hasSay {
      let word = String(decoding: guess.bytes, as: UTF8.self)
      if let problem = try asking({ try mode.hooks.accept?(self, word) }) {
        declined = Refusal(code: problem.code, title: problem.title, message: problem.message, word: word)
        return .declined
      }
      points = try asking { try mode.hooks.score?(self, word) }
    }
    return .accepted(points: try keep(guess, points: bounded(points ?? nativePoints(guess))))
  }

  /// Takes a word among the found ones; answers its points.
  private func keep(_ guess: Judge.Guess, points: Int) throws -> Int {
    foundWords.add(guess.bytes, hash: guess.hash, letters: guess.letters, points: points, player: currentPlayer)
    if let reward = mode.scoring.rewards.first(where: { $0.words == count }) { bonus += reward.points }
    passes = 0
    if mode.players > 1 { currentPlayer = (currentPlayer + 1) % mode.players }
    acceptedOnBase += 1
    if let words = mode.wordsPerBase, acceptedOnBase >= words { try takeNewBase() }
    return points
  }

  private func nativePoints(_ guess: Judge.Guess) -> Int {
    let bonus = guess.letters >= letterCount && guess.letters > 1 ? mode.scoring.allLettersBonus : 0
    guard mode.scoring.usesLetterValues else { return guess.letters + bonus }
    return String(decoding: guess.bytes, as: UTF8.self).reduce(bonus) { $0 + (letterValues[$1] ?? 1) }
  }
}
