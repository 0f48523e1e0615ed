// The steps of a guess: normalised once, judged, scored, added to the found words; and its outcome. Invariants: a guess
// in normal form is judged in place; an outcome is numbers only, so that a String is made only of a guess that needs
// normalising, or that is passed to the mode's own functions.

import Lexicon
public import Problems
import Text

/// A guess in normal form, with the facts that judging needs. Valid as long as the bytes that it was made of.
///
///     let guess = game.read(bytes)
///     let outcome = try game.guess(guess)
public struct Guess {
  let text: GuessText
  /// Whether the guess was already in normal form, so that the given text itself may be passed on.
  public let isAsGiven: Bool
  /// Holds the bytes of a guess that had to be normalised.
  let normal: NormalText?

  public var word: String { String(decoding: text.bytes, as: UTF8.self) }
}

/// A text in normal form, with the facts that judging needs: its letters, and `Lexicon.hash(of: bytes)`.
typealias GuessText = (bytes: UnsafeBufferPointer<UInt8>, letters: Int, hash: UInt64)

/// The bytes of a normalised text, at a fixed address.
final class NormalText {
  let bytes: UnsafeMutableBufferPointer<UInt8>

  init(_ text: String) {
    let utf8 = text.utf8
    bytes = .allocate(capacity: utf8.count)
    _ = bytes.initialize(from: utf8)
  }

  deinit { bytes.deallocate() }
}

extension Game {
  /// Brings a guess, given as UTF-8, into normal form.
  public func read(_ bytes: UnsafeBufferPointer<UInt8>) -> Guess {
    if let hash = Lexicon.hash(ofPlain: bytes) {
      return Guess(text: (bytes, bytes.count, hash), isAsGiven: true, normal: nil)
    }
    return readNormalizing(bytes)
  }

  @inline(never) private func readNormalizing(_ bytes: UnsafeBufferPointer<UInt8>) -> Guess {
    let text = withoutBlanks(bytes)
    if let letters = lexicon.lettersIfNormal(text) {
      return Guess(text: (text, letters, Lexicon.hash(of: text)), isAsGiven: text.count == bytes.count, normal: nil)
    }
    let word = lexicon.normalized(String(decoding: text, as: UTF8.self))
    let normal = NormalText(word)
    let own = UnsafeBufferPointer(normal.bytes)
    return Guess(text: (own, word.count, Lexicon.hash(of: own)), isAsGiven: false, normal: normal)
  }

  /// Trims ASCII whitespace at both ends.
  private func withoutBlanks(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    guard let start = bytes.firstIndex(where: { !isASCIISpace($0) }),
      let end = bytes.lastIndex(where: { !isASCIISpace($0) })
    else { return UnsafeBufferPointer(start: nil, count: 0) }
    return UnsafeBufferPointer(rebasing: bytes[start...end])
  }

  /// Judges a guess, and adds it to the found words if it counts. Throws what a function of the mode throws.
  public func guess(_ guess: Guess) throws -> GuessOutcome {
    if isRunningHook { throw GameError.busy }
    if traits.mayEnd || tally.hasGivenUp || tally.passes > 0, try isFinished() { return .over }
    return try withExtendedLifetime(guess.normal) {
      if let failed = judge.firstFailure(guess.text) { return .refused(rule: failed) }
      return try accept(guess)
    }
  }

  /// The same for a guess given as UTF-8.
  public func guess(_ bytes: UnsafeBufferPointer<UInt8>) throws -> GuessOutcome { try guess(read(bytes)) }

  /// The same for a guess as a user typed it.
  public func guess(_ word: String) throws -> GuessOutcome {
    var word = word
    return try word.withUTF8 { try guess($0) }
  }

  /// The fast path: judges a guess of lower case ASCII letters if only the rules decide about it, and it changes only
  /// the found words and their points. Returns nil for any other guess, and then has no effect.
  public func guessPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> GuessOutcome? {
    guard traits.isPlain, !isRunningHook, !tally.hasGivenUp, tally.passes == 0, let hash = Lexicon.hash(ofPlain: bytes)
    else { return nil }
    let text: GuessText = (bytes, bytes.count, hash)
    if let failed = judge.firstFailure(text) { return .refused(rule: failed) }
    guard text.letters < base.letterCount, foundWords.count &+ 1 != tally.nextReward,
      foundWords.hasRoom(for: bytes.count)
    else { return nil }
    foundWords.add(bytes, hash: hash, letters: text.letters, points: text.letters, player: 0)
    tally.acceptedOnBase &+= 1
    return .accepted(points: text.letters)
  }

  /// Asks the mode about a word that passed every rule, and adds it.
  @inline(__always) private func accept(_ guess: Guess) throws -> GuessOutcome {
    if traits.hasWordHooks { return try acceptWithHooks(guess) }
    let points = nativePoints(guess)
    try add(guess, points: points)
    return .accepted(points: points)
  }

  @inline(never) private func acceptWithHooks(_ guess: Guess) throws -> GuessOutcome {
    let word = guess.word
    if let problem = try runningHook({ try mode.hooks.accept?(self, word) }) {
      tally.declined = Refusal(problem.report, word: word)
      return .declined
    }
    let points = bounded(try runningHook { try mode.hooks.score?(self, word) } ?? nativePoints(guess))
    try add(guess, points: points)
    return .accepted(points: points)
  }

  /// Adds a word to the found ones.
  @inline(__always) private func add(_ guess: Guess, points: Int) throws {
    let text = guess.text
    let isLast = tally.acceptedOnBase &+ 1 == traits.wordsPerBase
    let before: (base: BaseInPlay, tally: GameTally)? = isLast ? (base: base, tally: tally) : nil
    foundWords.add(text.bytes, hash: text.hash, letters: text.letters, points: points, player: tally.currentPlayer)
    tally.passes = 0
    tally.acceptedOnBase &+= 1
    if foundWords.count == tally.nextReward {
      tally.bonus += reward?.points ?? 0
      tally.nextReward = mode.scoring.firstReward(after: count)
    }
    if traits.players > 1 { tally.currentPlayer = (tally.currentPlayer + 1) % traits.players }
    guard let before else { return }
    do { try setUp(base: chosenBase()) } catch {
      restore(base: before.base, tally: before.tally, found: Array(foundWords.state(from: 0).dropLast()))
      throw error
    }
  }

  @inline(__always) private func nativePoints(_ guess: Guess) -> Int {
    traits.hasPlainPoints && guess.text.letters < base.letterCount ? guess.text.letters : fullPoints(guess)
  }

  @inline(never) private func fullPoints(_ guess: Guess) -> Int {
    let letters = guess.text.letters
    let bonus = letters >= base.letterCount && letters > 1 ? mode.scoring.allLettersBonus : 0
    guard mode.scoring.usesLetterValues else { return bounded(letters + bonus) }
    return bounded(guess.word.reduce(bonus) { $0 + (traits.letterValues[$1] ?? 1) })
  }
}

/// The answer to one guess:
///
///     let outcome = try game.guess("cab")
///     game.code(of: outcome)                          // nil: it counts
///     game.refusal(of: "cab", as: outcome)?.title     // "This word is too short"
public enum GuessOutcome: Equatable, Sendable {
  /// The word counts, and earns the given points.
  case accepted(points: Int)
  /// The rule at this index in the game's `rules` was the first to fail.
  case refused(rule: Int)
  /// Every rule passed, but the mode's own `accept` declined the word; the game's `declined` has the reason.
  case declined
  /// The game is finished; nothing was judged.
  case over

  @inlinable public var counts: Bool {
    if case .accepted = self { return true }
    return false
  }
}

extension Game {
  /// The stable name of a refusal, for programs; nil if the word counts. The outcome must be that of the last guess.
  public func code(of outcome: GuessOutcome) -> String? {
    switch outcome {
    case .accepted: nil
    case .refused(let rule): judge.rules[rule].report.code.rawValue
    case .declined: declined?.code
    case .over: ProblemCode.Failure.over.text
    }
  }

  /// The refusal in words, for the last guess as it was judged; nil if the word counts.
  public func refusal(of word: String, as outcome: GuessOutcome) -> Refusal? {
    switch outcome {
    case .accepted: return nil
    case .refused(let index): return Refusal(judge.rules[index].report, word: word)
    case .declined: return declined
    case .over: return Refusal(ProblemReport(.over, "The game is over", "Start a new one to go on"), word: word)
    }
  }
}

/// The reason why a word does not count.
///
///     Refusal(Rule.unused.report, word: "cab").message   // "Keep looking!"
public struct Refusal: Problem, Equatable, Sendable {
  public let report: ProblemReport
  public let word: String

  /// - Parameter report: its details are left out.
  public init(_ report: ProblemReport, word: String) {
    self.report = ProblemReport(report.code, report.title, report.message, ["word": word])
    self.word = word
  }

  /// A refusal by a mode that gives no reason other than this message.
  public static func notAccepted(_ message: String, word: String) -> Refusal {
    Refusal(ProblemReport(.notAccepted, "This word does not count", message), word: word)
  }
}
