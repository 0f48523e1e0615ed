// What can go wrong with words, as facts, and the messages for it.
// Invariant: each case names the file or language it is about and says what to do next.

public import Problems
import Text

/// A failure to find, read or use a word list.
public enum LexiconError: Problem, Equatable {
  /// No list of the language is installed; `package` is Debian's, empty if there is none.
  case noWordList(language: String, package: String)
  case unknownLanguage(name: String, suggestion: String?)
  /// The file could not be opened or read.
  case unreadable(path: String, reason: String)
  /// The compiled list could not be written.
  case unwritable(path: String, reason: String)
  /// The file is not a list of words in UTF-8.
  case badList(path: String, reason: String)
  /// The compiled list was truncated or written to by another program while it was in use.
  case cutShort(list: String, path: String)
  /// The user asked to stop, during a long search or while a list was read.
  case interrupted
  /// A malformed pattern for `match`, with the position of the faulty letter, from 1.
  case badPattern(pattern: String, position: Int, reason: String)

  public var report: ProblemReport {
    switch self {
    case .noWordList(let language, let package):
      ProblemReport(
        .noWordList, "No word list",
        "no word list for \(quoted(language)); " + (package.isEmpty ? "" : "install Debian's \(package), or ")
          + "load one: words.load(\"list.txt\", {language = \(quoted(language))})",
        ["language": language, "package": package.isEmpty ? nil : package])
    case .unknownLanguage(let name, let near):
      ProblemReport(
        .unknownLanguage, "Unknown language",
        "no language is called \(quoted(name))\(didYouMean(near)); `word languages` lists them",
        ["language": name, "suggestion": near])
    case .unreadable(let path, let reason):
      ProblemReport(
        .unreadable, "The list cannot be read", "\(printable(path)) cannot be read: \(reason)", ["path": path])
    case .unwritable(let path, let reason):
      ProblemReport(
        .unwritable, "The compiled list cannot be written",
        "\(printable(path)) cannot be written: \(reason); the list is compiled again at each start until this works",
        ["path": path])
    case .badList(let path, let reason):
      ProblemReport(.badList, "Not a word list", "\(printable(path)) is not a word list: \(reason)", ["path": path])
    case .cutShort(let list, let path):
      ProblemReport(
        .changedElsewhere, "The list was damaged",
        "another program changed \(printable(path)) while the words of \(printable(list)) were in use, so the answers "
          + "cannot be trusted; try again: the list will be compiled again",
        ["language": list, "path": path])
    case .interrupted: ProblemReport(.interrupted, "Interrupted", "interrupted")
    case .badPattern(let pattern, let position, let reason):
      ProblemReport(
        .badPattern, "Malformed pattern",
        "pattern \(quoted(pattern)), letter \(position): \(reason); "
          + "use letters, ? for one, * for any number, [abc] for a choice",
        ["pattern": pattern, "position": position])
    }
  }
}
