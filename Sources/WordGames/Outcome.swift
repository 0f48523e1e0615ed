// What a guess gets: points, or a refusal with its words.
// Invariant: an outcome is numbers only, so that judging a guess makes no String; the game has the words for it.

public import Problems

/// The answer to one guess:
///
///     let outcome = try game.guess("cab")
///     game.code(of: outcome)                          // nil: it counts
///     game.refusal(of: "cab", as: outcome)?.title     // "This word is too short"
public enum GuessOutcome: Equatable, Sendable {
  /// The word counts, for so many points.
  case accepted(points: Int)
  /// The rule of this index in the game's `rules` failed first.
  case refused(rule: Int)
  /// Every rule passed, and the mode's own `accept` said no; the game's `declined` has its words.
  case declined
  /// The game is finished; nothing was judged.
  case over

  @inlinable public var counts: Bool {
    if case .accepted = self { return true }
    return false
  }
}

extension Game {
  /// Stable name of a refusal for programs; nil when the word counts. The outcome is that of the last guess.
  public func code(of outcome: GuessOutcome) -> String? {
    switch outcome {
    case .accepted: nil
    case .refused(let rule): judge.rules[rule].code
    case .declined: declined?.code
    case .over: "over"
    }
  }

  /// The refusal in words, for the guess as it was judged; nil when the word counts. The outcome is that of the last guess.
  public func refusal(of word: String, as outcome: GuessOutcome) -> Refusal? {
    switch outcome {
    case .accepted: return nil
    case .refused(let index):
      let rule = judge.rules[index]
      return Refusal(code: rule.code, title: rule.title, message: rule.message, word: word)
    case .declined: return declined
    case .over:
      return Refusal(code: "over", title: "The game is over", message: "Start a new one to go on", word: word)
    }
  }
}

/// Why a word does not count.
public struct Refusal: Problem, Equatable, Sendable {
  public let code: String
  public let title: String
  public let message: String
  /// The guess as it was judged.
  public let word: String

  public init(code: String, title: String, message: String, word: String) {
    self.code = code
    self.title = title
    self.message = message
    self.word = word
  }

  public var details: [(name: String, value: ProblemDetail)] { [("word", .text(word))] }
}
