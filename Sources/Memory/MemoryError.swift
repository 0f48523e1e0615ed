// What can go wrong with answers, parameters and forecasts, as facts, and the messages for it.
// Invariant: codes never change; every message says what is expected instead.

public import Problems
import Text

/// Why the memory model rejects an input.
public enum MemoryError: Problem, Equatable {
  /// A word that is not the name of a rating.
  case badAnswer(answer: String)
  /// `reason` completes "NAME ...".
  case badOption(name: String, reason: String)
  /// The log is too short to fit parameters to.
  case tooFewReviews(count: Int, needed: Int)

  public var report: ProblemReport {
    switch self {
    case .badAnswer(let answer):
      ProblemReport(
        .badAnswer, "Not an answer",
        "\(quoted(answer)) is not an answer; again, hard, good, easy, right or wrong expected")
    case .badOption(let name, let reason):
      ProblemReport(.badValue, "Invalid value of an option", "\(printable(name)) \(reason)", ["name": name])
    case .tooFewReviews(let count, let needed):
      ProblemReport(
        .tooFewReviews, "Too few reviews",
        "fitting the memory model needs at least \(counted(needed, "review")) on later days; there are "
          + grouped(count), ["count": count, "needed": needed])
    }
  }

  static func outside(_ range: ClosedRange<Double>, _ index: Int, of name: String) -> MemoryError {
    .badOption(name: name, reason: "must have a w\(index) from \(range.lowerBound) to \(range.upperBound)")
  }
}
