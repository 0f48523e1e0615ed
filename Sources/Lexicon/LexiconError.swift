// What can go wrong with words, as facts, and the words for it.
// Invariant: each case names the file or language it is about and says what to do next.

public import Problems
import Text

/// A failure to find, read or use a word list.
public enum LexiconError: Problem, Equatable {
  /// No list of the language is installed; `package` is Debian's, empty when it has none.
  case noWordList(language: String, package: String)
  /// No language has that name; `suggestion` is ` (did you mean "x"?)` or empty.
  case unknownLanguage(name: String, suggestion: String)
  /// The file could not be opened or read.
  case unreadable(path: String, reason: String)
  /// The compiled list could not be written.
  case unwritable(path: String, reason: String)
  /// The file is not a list of words in UTF-8.
  case badList(path: String, reason: String)
  /// Asked to stop in a long search or while a list is read.
  case interrupted
  /// A pattern for `match` that is not well formed, with the 1-based letter where.
  case badPattern(pattern: String, position: Int, reason: String)

  public var code: String {
    switch self {
    case .noWordList: "no_word_list"
    case .unknownLanguage: "unknown_language"
    case .unreadable: "unreadable"
    case .unwritable: "unwritable"
    case .badList: "bad_list"
    case .interrupted: "interrupted"
    case .badPattern: "bad_pattern"
    }
  }

  public var title: String {
    switch self {
    case .noWordList: "No word list"
    case .unknownLanguage: "Unknown language"
    case .unreadable: "The list can't be read"
    case .unwritable: "The compiled list can't be written"
    case .badList: "Not a word list"
    case .interrupted: "Interrupted"
    case .badPattern: "Malformed pattern"
    }
  }

  public var message: String {
    switch self {
    case .noWordList(let language, let package):
      "no word list for \(quoted(language)); " + (package.isEmpty ? "" : "install Debian's \(package), or ")
        + "load one: words.load(\"list.txt\", {language = \(quoted(language))})"
    case .unknownLanguage(let name, let suggestion):
      "no language is called \(quoted(name))\(suggestion); `word languages` lists them"
    case .unreadable(let path, let reason): "\(printable(path)) can't be read: \(reason)"
    case .unwritable(let path, let reason):
      "\(printable(path)) can't be written: \(reason); the list is compiled anew at each start until it can"
    case .badList(let path, let reason): "\(printable(path)) is not a word list: \(reason)"
    case .interrupted: "interrupted"
    case .badPattern(let pattern, let position, let reason):
      "pattern \(quoted(pattern)), letter \(position): \(reason); use letters, ? for one, * for any number, [abc] for a choice"
    }
  }

  public var details: [(name: String, value: ProblemDetail)] {
    switch self {
    case .noWordList(let language, let package):
      [("language", .text(language))] + (package.isEmpty ? [] : [("package", .text(package))])
    case .unknownLanguage(let name, _): [("language", .text(name))]
    case .unreadable(let path, _), .unwritable(let path, _), .badList(let path, _): [("path", .text(path))]
    case .interrupted: []
    case .badPattern(let pattern, let position, _):
      [("pattern", .text(pattern)), ("position", .integer(position))]
    }
  }
}
