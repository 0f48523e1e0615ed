// What a guess gets: points, or a refusal with its words.
// Invariant: an outcome carries no text of its own unless a mode made it, so that judging a guess makes no String.

public import Wording

/// The answer to one guess.
public enum GuessOutcome: Equatable, Sendable {
  /// The word counts, for so many points.
  case accepted(points: Int)
  /// This native rule failed first.
  case refused(Rule)
  /// Every rule passed, and the mode's own `accept` said no.
  indirect case declined(Refusal)
  /// The game is finished; nothing was judged.
  case over

  /// Stable name of a refusal for programs; nil when the word counts.
  public var code: String? {
    switch self {
    case .accepted: nil
    case .refused(let rule): rule.code
    case .declined(let refusal): refusal.code
    case .over: "over"
    }
  }

  /// The refusal in words, for the guess it answers; nil when the word counts.
  public func refusal(of word: String) -> Refusal? {
    switch self {
    case .accepted: nil
    case .refused(let rule): Refusal(code: rule.code, title: rule.title, message: rule.message, word: word)
    case .declined(let refusal): refusal
    case .over: Refusal(code: "over", title: "The game is over", message: "Start a new one to go on", word: word)
    }
  }
}

/// The answer to one guess without words: cheap to hand on.
public enum Verdict: Equatable, Sendable {
  case accepted(points: Int)
  /// The rule of this index in the game's `rules` failed first.
  case refused(rule: Int)
  /// The mode's own `accept` said no; the game's `declined` has its words.
  case declined
  case over
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
