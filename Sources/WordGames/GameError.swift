// What can go wrong before a guess is judged: rules, modes, base words, saved games.
// Invariant: each case names the value it is about and says what was expected.

public import Problems
import Text

/// A failure to make or restore a game or a mode. What a guess gets is a `Refusal`.
public enum GameError: Problem, Equatable {
  /// `suggestion` is ` (did you mean "x"?)` or empty.
  case unknownRule(name: String, suggestion: String)
  case badRule(text: String, expected: String)
  case unknownMode(name: String, suggestion: String)
  case badMode(name: String, reason: String)
  case modeTaken(name: String, owner: Owner)
  case badBase(word: String, reason: String)
  /// The list has no word of that length; `lengths` are those it has.
  case noBaseWord(length: Int, language: String, lengths: [Int])
  case badState(reason: String)
  /// A function of the mode tried to guess or to start anew while the game waited for its answer.
  case busy

  public var code: String {
    switch self {
    case .unknownRule: "unknown_rule"
    case .badRule: "bad_rule"
    case .unknownMode: "unknown_mode"
    case .badMode: "bad_mode"
    case .modeTaken: "exists"
    case .badBase: "bad_base"
    case .noBaseWord: "no_base_word"
    case .badState: "bad_state"
    case .busy: "busy"
    }
  }

  public var title: String {
    switch self {
    case .unknownRule: "Unknown rule"
    case .badRule: "Malformed rule"
    case .unknownMode: "Unknown mode"
    case .badMode: "Malformed mode"
    case .modeTaken: "The mode is there already"
    case .badBase: "Not a base word"
    case .noBaseWord: "No base word"
    case .badState: "Not a saved game"
    case .busy: "The game is busy"
    }
  }

  public var message: String {
    switch self {
    case .unknownRule(let name, let suggestion):
      "no rule is called \(quoted(name))\(suggestion); the rules are \(Rule.namesInWords)"
    case .badRule(let text, let expected): "rule \(quoted(text)): \(expected) expected"
    case .unknownMode(let name, let suggestion):
      "no mode is called \(quoted(name))\(suggestion); `play --list` lists them"
    case .badMode(let name, let reason): "mode \(quoted(name)): \(reason)"
    case .modeTaken(let name, let owner):
      "mode \(quoted(name)) is there already"
        + (owner == .program ? ", built in" : ", of \(owner.plugin?.description ?? owner.description)")
    case .badBase(let word, let reason): "base word \(quoted(String(word.prefix(60)))): \(reason)"
    case .noBaseWord(let length, let language, let lengths):
      "no \(printable(language)) word has \(counted(length, "letter"))"
        + (lengths.first.flatMap { first in lengths.last.map { "; the list has words of \(first) to \($0)" } } ?? "")
    case .busy: "the game waits for an answer of its mode; guess, or start anew, after it"
    case .badState(let reason): "the saved game can't be read: \(reason)"
    }
  }

  public var details: [(name: String, value: ProblemDetail)] {
    switch self {
    case .badBase(let word, _): [("word", .text(word))]
    case .noBaseWord(let length, let language, _): [("length", .integer(length)), ("language", .text(language))]
    default: []
    }
  }
}
