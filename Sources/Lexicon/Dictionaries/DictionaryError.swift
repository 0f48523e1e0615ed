// What can go wrong with a dictionary, as facts, and the messages for it.
// Invariant: each case names the file it is about.

public import Problems
import Text

/// A failure to find or read a dictionary.
public enum DictionaryError: Problem, Equatable {
  /// The file is not what its name says, or is truncated.
  case damaged(path: String, reason: String)
  case unknown(name: String, suggestion: String?)
  /// A dictionary that is being added does not say of which language its words are.
  case noLanguage(path: String)
  /// There is no dictionary for words of the language; `package` is a Debian package of one.
  case none(language: String, package: String?)

  public var report: ProblemReport {
    switch self {
    case .damaged(let path, let reason):
      ProblemReport(
        .badFile, "Not a dictionary",
        "\(printable(path)) is damaged or not a dictionary: \(reason); install it again or remove it", ["path": path])
    case .unknown(let name, let near):
      ProblemReport(
        .notFound, "No such dictionary",
        "no dictionary is called \(quoted(name))\(didYouMean(near)); `word dictionaries` lists them",
        ["name": name, "suggestion": near])
    case .noLanguage(let path):
      ProblemReport(
        .badValue, "The language is missing",
        "\(printable(path)) does not say which language its words are in; say it, for example with --language spanish",
        ["path": path])
    case .none(let language, let package):
      ProblemReport(
        .notFound, "No dictionary",
        "there is no dictionary for \(language); " + (package.map { "install Debian's \($0), or " } ?? "")
          + "put a table of words and meanings into a folder that `word dictionaries` lists",
        ["language": language, "package": package])
    }
  }
}
