// What can go wrong with decks, cards, their files and their sessions, as facts, and the words for it.
// Invariant: codes never change; every message says which value it is about and what is expected instead.

public import Problems
import Text

public enum DeckError: Problem, Equatable {
  /// A deck of that name is there, or one that differs only in capitals.
  case exists(name: String)
  /// The name cannot be a deck's; `reason` completes "a deck's name ...".
  case badName(name: String, reason: String)
  /// No deck has that name.
  case deckNotFound(name: String, suggestion: String?)
  /// A deck or a card that was there has been removed.
  case gone(what: String)
  case emptyPrompt
  case emptyAnswer
  /// The same card is in the deck: by its guid, or by prompt and answer.
  case duplicate(guid: String?, prompt: String)
  /// A text is not UTF-8, holds NUL, or more than `CardText.limit` bytes; `reason` completes "the prompt ...".
  case badText(what: String, reason: String)
  case badTag(tag: String, reason: String)
  case badGuid(guid: String, reason: String)
  /// A batch is longer than the room that a deck gives to one (67 million cards).
  case batchTooLong
  /// A file that cannot be understood; `expected` completes "file:line:column: ...".
  case badFile(path: String, line: Int, column: Int, expected: String)
  /// A file in another encoding than was said.
  case badEncoding(path: String, encoding: TextEncoding)
  case unknownEncoding(name: String)
  /// A file, a row or a nesting beyond what is read.
  case tooLarge(path: String, line: Int, what: String)
  /// A format that is not known; the ending or the name that was given.
  case unknownFormat(name: String)
  /// A row of a strict import was refused.
  case refusedRow(path: String, place: RowPlace, code: String, reason: String)
  /// A session that has ended, or an empty one.
  case over
  case paused
  /// Asked to stop in a long search.
  case interrupted
  /// There is nothing to undo in a session.
  case nothingToUndo
  /// An answer that the session's kind does not know.
  case badAnswer(answer: String, expected: String)
  /// A query that cannot be understood; column counts characters from 1.
  case badQuery(query: String, column: Int, expected: String)
  /// No preset has that name.
  case presetNotFound(name: String, suggestion: String?)
  /// A preset of that name is there, or one that differs only in capitals.
  case presetExists(name: String)
  /// A log too short to fit the memory model to it.
  case tooFewReviews(count: Int, needed: Int)
  /// A deck option out of its range or of the wrong kind.
  case badOption(name: String, reason: String)

  public var code: String {
    switch self {
    case .exists, .presetExists: "exists"
    case .badName: "bad_name"
    case .deckNotFound, .presetNotFound, .gone: "not_found"
    case .emptyPrompt: "empty_prompt"
    case .emptyAnswer: "empty_answer"
    case .duplicate: "duplicate"
    case .badText: "bad_text"
    case .badTag: "bad_tag"
    case .badGuid: "bad_guid"
    case .batchTooLong, .tooLarge: "too_large"
    case .badFile, .unknownFormat: "bad_format"
    case .badEncoding, .unknownEncoding: "bad_encoding"
    case .refusedRow(_, _, let code, _): code
    case .over: "over"
    case .paused: "paused"
    case .interrupted: "interrupted"
    case .nothingToUndo: "nothing_to_undo"
    case .badAnswer: "bad_answer"
    case .badQuery: "bad_query"
    case .badOption: "bad_value"
    case .tooFewReviews: "too_few_reviews"
    }
  }

  public var title: String {
    switch self {
    case .exists: "The deck is there already"
    case .badName: "This cannot be a deck's name"
    case .deckNotFound: "No such deck"
    case .gone: "It has been removed"
    case .emptyPrompt: "The prompt is empty"
    case .emptyAnswer: "The answer is empty"
    case .duplicate: "The card is there already"
    case .badText: "This text cannot be kept"
    case .badTag: "This cannot be a tag"
    case .badGuid: "This cannot be a guid"
    case .batchTooLong, .tooLarge: "Too large"
    case .badFile: "The file cannot be understood"
    case .unknownFormat: "The format is not known"
    case .badEncoding: "The file is not UTF-8"
    case .unknownEncoding: "The encoding is not known"
    case .refusedRow: "A row was refused"
    case .over: "The session is over"
    case .paused: "The session is paused"
    case .interrupted: "Interrupted"
    case .nothingToUndo: "Nothing to undo"
    case .badAnswer: "This is not an answer"
    case .badQuery: "The query cannot be understood"
    case .badOption: "This cannot be the option's value"
    case .presetNotFound: "No such preset"
    case .presetExists: "The preset is there already"
    case .tooFewReviews: "Too few reviews"
    }
  }

  public var message: String {
    switch self {
    case .exists(let name):
      "a deck called \(quoted(name)) is there already; names that differ only in capitals are the same"
    case .badName(let name, let reason): "a deck's name \(reason): \(quoted(name))"
    case .deckNotFound(let name, let suggestion):
      "no deck is called \(quoted(name))" + (suggestion.map { " (did you mean \(quoted($0))?)" } ?? "")
    case .gone(let what): "\(what) has been removed"
    case .emptyPrompt: "the prompt is empty"
    case .emptyAnswer: "the answer is empty"
    case .duplicate(let guid?, _): "a card with the guid \(quoted(guid)) is in the deck already"
    case .duplicate(nil, let prompt):
      "a card with the prompt \(quoted(prompt)) and the same answer is in the deck already"
    case .badText(let what, let reason): "the \(what) \(reason)"
    case .badTag(let tag, let reason): "a tag \(reason): \(quoted(tag))"
    case .badGuid(let guid, let reason): "a guid \(reason): \(quoted(guid))"
    case .batchTooLong: "one batch holds at most 67,108,864 cards; add the rest in another"
    case .badFile(let path, let line, let column, let expected):
      "\(fileName(path)):\(line):\(column): \(expected). Nothing was imported."
    case .badEncoding(let path, let encoding):
      "\(fileName(path)) is written in \(encoding.rawValue); give --encoding \(encoding.rawValue), or save it as utf-8. "
        + "Nothing was imported."
    case .unknownEncoding(let name):
      "no encoding is called \(quoted(name))\(didYouMean(name, among: TextEncoding.allNames)); there are "
        + TextEncoding.allNames.joined(separator: ", ")
    case .tooLarge(let path, let line, let what): "\(fileName(path)):\(line): \(what). Nothing was imported."
    case .unknownFormat(let name):
      "no format is called \(quoted(name))\(didYouMean(name, among: CardFormat.allNames)); there are "
        + CardFormat.allNames.joined(separator: ", ") + "; --format names one whatever the file is called"
    case .refusedRow(let path, let place, _, let reason):
      "\(fileName(path)):\(place.inFile): \(reason). Nothing was imported."
    case .over: "the session is over; restart it for all cards and all its time"
    case .paused: "the session is paused; resume it first"
    case .interrupted: "interrupted"
    case .nothingToUndo: "nothing has been answered since the session began"
    case .badAnswer(let answer, let expected): "\(quoted(answer)) is not an answer here; \(expected) expected"
    case .badQuery(let query, let column, let expected):
      "\(expected) expected at column \(column) of the query \(quoted(query))"
    case .badOption(let name, let reason): "\(printable(name)) \(reason)"
    case .presetNotFound(let name, let suggestion):
      "no preset is called \(quoted(name))" + (suggestion.map { " (did you mean \(quoted($0))?)" } ?? "")
    case .presetExists(let name):
      "a preset called \(quoted(name)) is there already; names that differ only in capitals are the same"
    case .tooFewReviews(let count, let needed):
      "fitting the memory model takes at least \(counted(needed, "review")) on later days; there are \(grouped(count))"
    }
  }

  public var details: [(name: String, value: ProblemDetail)] {
    switch self {
    case .deckNotFound(let name, let suggestion), .presetNotFound(let name, let suggestion):
      [("name", .text(name))] + (suggestion.map { [("suggestion", .text($0))] } ?? [])
    case .exists(let name), .presetExists(let name), .badName(let name, _), .badOption(let name, _):
      [("name", .text(name))]
    case .tooFewReviews(let count, let needed): [("count", .integer(count)), ("needed", .integer(needed))]
    case .badFile(let path, let line, let column, _):
      [("path", .text(path)), ("line", .integer(line)), ("column", .integer(column))]
    case .tooLarge(let path, let line, _): [("path", .text(path)), ("line", .integer(line))]
    case .refusedRow(let path, let place, _, _):
      [("path", .text(path)), ("line", .integer(place.line))] + (place.column.map { [("column", .integer($0))] } ?? [])
    case .badEncoding(let path, _): [("path", .text(path))]
    case .badQuery(_, let column, _): [("column", .integer(column))]
    default: []
    }
  }
}

/// The last part of a path, as messages about a file's content name it.
private func fileName(_ path: String) -> String {
  printable(path.split(separator: "/", omittingEmptySubsequences: true).last.map(String.init) ?? path)
}
