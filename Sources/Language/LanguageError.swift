// What can go wrong with the data of a language, and the messages for it.
// Invariant: each case names the file or language concerned and the remedy.

import Files
public import Problems
import Text

/// A failure to read the data that a language is analysed with.
public enum LanguageError: Problem, Equatable {
  /// The file is of the wrong format, or truncated.
  case damaged(path: String, reason: String)
  /// A language has no data. Without this error, every form would be its own lemma on one machine and not on another.
  case missing(language: String, package: String)
  /// There is no data from which the forms of a word are made; a package has it, or there is none for the language.
  case noForms(language: String, package: String?)
  /// A language has no list that says how often its words are used.
  case noFrequencies(language: String, code: String)
  /// What an analyser wrote, or a file in CoNLL-U, cannot be used. `source` is its name; `reason` is a clause.
  case badAnalysis(source: String, reason: String)
  /// The words of a language cannot be found here; `remedy` is what to do.
  case noAnalyser(_ language: String, remedy: String)
  /// The file could not be read.
  case unreadable(path: String, reason: String)

  public var report: ProblemReport {
    switch self {
    case .damaged(let path, let reason):
      ProblemReport(
        .badFile, "Damaged language data",
        "\(printable(path)) is damaged or in the wrong format: \(reason); install it again or remove it",
        ["path": path])
    case .missing(let language, let package):
      ProblemReport(
        .notHere, "No language data",
        "there are no dictionary forms for \(language); install Debian's \(package), or ship its files with the job",
        ["language": language, "package": package])
    case .noForms(let language, let package):
      ProblemReport(
        .notHere, "No forms of words",
        "the forms of \(language) words are not known here; "
          + (package.map { "install Debian's \($0)" } ?? "Spanish, Italian, French, Portuguese and Catalan have them"),
        ["language": language, "package": package])
    case .noFrequencies(let language, let code):
      ProblemReport(
        .notHere, "No list of frequent words",
        "which words of \(language) are frequent is not known here; install Debian's onboard-data, or write a list of "
          + "words, the most frequent first, to frequency/\(code).tsv in the data folder", ["language": language])
    case .badAnalysis(let source, let reason):
      ProblemReport(
        .badFile, "The analysis cannot be used",
        "the analysis by \(printable(source)) cannot be used: \(printable(reason))", ["source": source])
    case .noAnalyser(let language, let remedy):
      ProblemReport(
        .notHere, "No analyser",
        "the words of \(language) cannot be found here without an analyser or a dictionary; "
          + "\(printable(remedy, limit: 400))",
        ["language": language])
    case .unreadable(let path, let reason):
      ProblemReport(
        .unreadable, "Language data cannot be read", "\(printable(path)) cannot be read: \(reason)", ["path": path])
    }
  }
}

func dataBytes(_ path: String, limit: Int, isInterrupted: @escaping () -> Bool) throws(LanguageError) -> [UInt8] {
  do { return try FileText.bytes(path, limit: limit, isInterrupted: isInterrupted) } catch {
    throw .unreadable(path: path, reason: error.message)
  }
}

/// Returns the text of a file with data, without a byte order mark.
func dataText(_ path: String, limit: Int, isInterrupted: @escaping () -> Bool) throws(LanguageError) -> String {
  let bytes = try dataBytes(path, limit: limit, isInterrupted: isInterrupted)
  guard let text = String(validating: bytes.withoutMark, as: UTF8.self) else {
    throw .damaged(path: path, reason: "it is not UTF-8")
  }
  return text
}
