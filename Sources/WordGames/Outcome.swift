// The result of a guess: points, or a refusal with its message.
// Invariant: an outcome is numbers only, so that judging a guess makes no String; the game has the words for it.

public import Problems

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
  /// The guess in the form in which it was judged.
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
