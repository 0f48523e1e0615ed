// What can go wrong before a guess is judged: rules, modes, base words, saved games.
// Invariant: each case names the value it is about and says what was expected.

public import Problems
import Text

/// A failure to make or restore a game or a mode. A guess that does not count gets a `Refusal`.
///
///     GameError.unknownRule(name: "unusd", suggestion: "unused").code   // "unknown_rule"
public enum GameError: Problem, Equatable {
  case unknownRule(name: String, suggestion: String?)
  case badRule(text: String, expected: String)
  case badMode(name: String, reason: String)
  case badBase(word: String, reason: String)
  /// The list has no word of that length; `lengths` are those it has.
  case noBaseWord(length: Int, language: String, lengths: [Int])
  case badState(reason: String)
  /// A function of the mode tried to guess, to get a hint or to start anew while the game waited for the function.
  case busy
  /// The mode has more data for the game than can be stored.
  case tooMuchData(mode: String, reason: String)

  public var report: ProblemReport {
    switch self {
    case .unknownRule(let name, let near):
      ProblemReport(
        .unknownRule, "Unknown rule",
        "no rule is called \(quoted(name))\(didYouMean(near)); the rules are "
          + "\(Rule.samples.map(\.form).joined(separator: ", "))",
        ["suggestion": near])
    case .badRule(let text, let expected):
      ProblemReport(.badRule, "Malformed rule", "rule \(quoted(text)): \(expected) expected")
    case .badMode(let name, let reason): ProblemReport(.badMode, "Malformed mode", "mode \(quoted(name)): \(reason)")
    case .badBase(let word, let reason):
      ProblemReport(
        .badBase, "Not a base word", "base word \(quoted(String(word.prefix(60)))): \(reason)", ["word": word])
    case .noBaseWord(let length, let language, let lengths):
      ProblemReport(
        .noBaseWord, "No base word",
        "no \(printable(language)) word has \(counted(length, "letter"))"
          + (lengths.first.flatMap { first in lengths.last.map { "; the list has words of \(first) to \($0) letters" } }
            ?? ""),
        ["length": length, "language": language])
    case .busy:
      ProblemReport(
        .busy, "The game is busy",
        "the game is waiting for an answer from its mode; guess, ask for a hint or start again afterwards")
    case .tooMuchData(let mode, let reason):
      ProblemReport(
        .tooLarge, "A mode stores too much data",
        "mode \(quoted(mode)): its game.data cannot be stored with the game: \(reason)")
    case .badState(let reason): ProblemReport(.badState, "Not a saved game", "the saved game cannot be read: \(reason)")
    }
  }
}
