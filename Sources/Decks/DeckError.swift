// What can go wrong with decks, cards and their sessions, as facts, and the messages for it.
// Invariant: codes never change; every message says which value it is about and what is expected instead.

public import Problems
import Text

public enum DeckError: Problem, Equatable {
  case exists(name: String)
  /// The name cannot be used for a deck; `reason` completes "a deck's name ...".
  case badName(name: String, reason: String)
  case deckNotFound(name: String, suggestion: String?)
  case gone(what: String)
  case emptyPrompt
  case emptyAnswer
  /// The same card is already in the deck, by its guid, or by prompt and answer. Without a prompt: a note with the guid
  /// already exists, in any deck.
  case duplicate(guid: String?, prompt: String)
  /// A text is not UTF-8, contains NUL, or has more than `CardTexts.limit` bytes; `reason` completes "the prompt ...".
  case badText(what: String, reason: String)
  case badTag(tag: String, reason: String)
  case badGuid(guid: String, reason: String)
  case over
  case paused
  case interrupted
  case nothingToUndo
  /// A query cannot be parsed; `column` counts characters from 1; `near` is a word that may be meant.
  case badQuery(query: String, column: Int, expected: String, near: String? = nil)
  case presetNotFound(name: String, suggestion: String?)
  case badPresetName(name: String, reason: String)
  case presetExists(name: String)
  case badOption(name: String, reason: String)
  /// Not a day on which cards can be due.
  case badDue(text: String)

  /// Names the word at a column of a query: `"dew" at column 4 of the query "is:dew"`.
  private static func place(_ query: String, _ column: Int) -> String {
    let characters = QueryParser.characters(of: query, atMost: column + 40).dropFirst(column - 1)
    let word = characters.prefix { !$0.isWhitespace && $0 != "(" && $0 != ")" }
    return (word.isEmpty || word == ["\""] ? "at" : "\(quoted(String(word))) at")
      + " column \(column) of the query \(quoted(query))"
  }

  public var report: ProblemReport {
    switch self {
    case .exists(let name):
      ProblemReport(
        .exists, "The deck already exists",
        "a deck called \(quoted(name)) already exists; names that differ only in case are the same", ["name": name])
    case .badName(let name, let reason):
      ProblemReport(.badName, "Invalid deck name", "a deck's name \(reason): \(quoted(name))", ["name": name])
    case .deckNotFound(let name, let near):
      ProblemReport(
        .notFound, "No such deck", "no deck is called \(quoted(name))\(didYouMean(near))",
        ["name": name, "suggestion": near])
    case .gone(let what): ProblemReport(.notFound, "It has been removed", "\(what) has been removed")
    case .over:
      ProblemReport(
        .over, "The session is over", "the session is over; restart it to begin again with all cards and the full time")
    case .paused: ProblemReport(.paused, "The session is paused", "the session is paused; resume it first")
    case .interrupted: ProblemReport(.interrupted, "Interrupted", "interrupted")
    case .nothingToUndo:
      ProblemReport(.nothingToUndo, "Nothing to undo", "nothing has been answered since the session began")
    case .badQuery(let query, let column, let expected, let near):
      ProblemReport(
        .badQuery, "The query cannot be understood",
        "\(Self.place(query, column)): \(expected) expected\(didYouMean(near))",
        ["column": column, "suggestion": near])
    case .badOption(let name, let reason):
      ProblemReport(.badValue, "Invalid value of an option", "\(printable(name)) \(reason)", ["name": name])
    case .badDue(let text):
      ProblemReport(
        .badDue, "Not a day to be due",
        "days from today like 0 or 3-7, or a date from today on like 2030-06-01, expected, got \(quoted(text))")
    case .presetNotFound(let name, let near):
      ProblemReport(
        .notFound, "No such preset", "no preset is called \(quoted(name))\(didYouMean(near))",
        ["name": name, "suggestion": near])
    case .badPresetName(let name, let reason):
      ProblemReport(.badName, "Invalid preset name", "a preset's name \(reason): \(quoted(name))", ["name": name])
    case .presetExists(let name):
      ProblemReport(
        .exists, "The preset already exists",
        "a preset called \(quoted(name)) already exists; names that differ only in case are the same", ["name": name])
    case .emptyPrompt: ProblemReport(.emptyPrompt, "The prompt is empty", "the prompt is empty")
    case .emptyAnswer: ProblemReport(.emptyAnswer, "The answer is empty", "the answer is empty")
    case .duplicate(let guid?, ""):
      ProblemReport(.duplicate, "The note already exists", "a note with the guid \(quoted(guid)) already exists")
    case .duplicate(let guid?, _): .duplicate("with the guid \(quoted(guid))")
    case .duplicate(nil, let prompt): .duplicate("with the prompt \(quoted(prompt)) and the same answer")
    case .badText(let what, let reason): ProblemReport(.badText, "This text cannot be stored", "the \(what) \(reason)")
    case .badTag(let tag, let reason): ProblemReport(.badTag, "Invalid tag", "a tag \(reason): \(quoted(tag))")
    case .badGuid(let guid, let reason): ProblemReport(.badGuid, "Invalid guid", "a guid \(reason): \(quoted(guid))")
    }
  }
}

extension ProblemReport {
  fileprivate static func duplicate(_ which: String) -> ProblemReport {
    ProblemReport(.duplicate, "The card already exists", "a card \(which) is already in the deck")
  }
}
