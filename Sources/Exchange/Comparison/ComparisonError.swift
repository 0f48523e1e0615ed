// Everything that can go wrong in a comparison, as facts, and the messages for it.
// Invariant: codes never change; every message says what was given and what was expected.

public import Problems
import Text

/// Why a comparison or a merge fails.
public enum ComparisonError: Problem, Equatable {
  /// Neither a deck nor a file.
  case noOperand(String, suggestion: String?)
  /// A merge of files without a destination for the result.
  case needsOutput
  /// Both sides changed lines of a file that are not cards.
  case notCards
  /// The deck has no conflict in that note or field.
  case noConflict(String)
  /// The chosen side of a conflict is a file that is not in the account.
  case noFile(name: String, side: SettledSide)

  public var report: ProblemReport {
    switch self {
    case .noOperand(let name, let near):
      ProblemReport(
        .notFound, "Nothing to compare",
        "\(quoted(name)) is neither a deck nor a file\(didYouMean(near)); a deck, DECK@STEP, a file or a folder of "
          + "sources expected", ["name": name, "suggestion": near])
    case .needsOutput:
      ProblemReport(
        .missingArgument, "No output file",
        "OURS is not a deck that the result can be written to; use --output FILE")
    case .notCards:
      ProblemReport(
        .badFormat, "No cards",
        "both sides changed lines that are not cards; merge these as text (`git merge-file`); nothing was written")
    case .noConflict(let name):
      ProblemReport(
        .notFound, "No conflict", "there is no conflict of \(quoted(name)); `deck conflicts DECK` lists them",
        ["name": name])
    case .noFile(let name, let side):
      ProblemReport(
        .notFound, "No such file",
        "the file \(quoted(name)) of \(side.rawValue) is not in your account; add it with `media add` under this "
          + "name, or choose another side; nothing was settled", ["name": name])
    }
  }
}
