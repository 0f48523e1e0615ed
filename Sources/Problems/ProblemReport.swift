// An expected failure, as every room states it: facts in an error type, and one switch that turns them into words.
// Invariant: the code is stable; title and message may change.

/// A fact of a problem in the form for Lua and JSON.
public enum ProblemDetail: Equatable, Sendable {
  case text(String)
  case integer(Int)
  case number(Double)
}

public protocol ProblemFact {
  var problemDetail: ProblemDetail { get }
}

extension String: ProblemFact {
  public var problemDetail: ProblemDetail { .text(self) }
}

extension Int: ProblemFact {
  public var problemDetail: ProblemDetail { .integer(self) }
}

extension Double: ProblemFact {
  public var problemDetail: ProblemDetail { .number(self) }
}

/// The complete description of a problem.
///
///     ProblemReport(.notFound, "No such deck", "no deck is called \"Spanis\"", ["name": "Spanis", "suggestion": near])
public struct ProblemReport: Equatable, Sendable {
  public typealias Detail = (name: String, value: ProblemDetail)

  public let code: ProblemCode
  /// The kind of failure in a few words, without a full stop.
  public let title: String
  /// One line: what failed, which value, what was expected, what to do next.
  public let fault: String
  /// What became of the operation, as a sentence without its full stop: "Nothing was imported"; empty if that is clear.
  public private(set) var outcome = ""
  /// Facts for programs besides the three above, in display order: `path`, `line`, `word`, `suggestion`.
  public let details: [Detail]

  /// Combines the texts of one problem with the details of another.
  public init(code: ProblemCode, title: String, message: String, details: [Detail]) {
    (self.code, self.title, fault, self.details) = (code, title, message, details)
  }

  /// The fault with the outcome.
  public var message: String { outcome.isEmpty ? fault : "\(fault). \(outcome)." }

  public func ending(_ outcome: String) -> ProblemReport {
    var report = self
    report.outcome = outcome
    return report
  }

  /// - Parameter facts: nil values are left out.
  public init(
    _ code: ProblemCode, _ title: String, _ message: String, _ facts: KeyValuePairs<String, (any ProblemFact)?> = [:]
  ) {
    self.init(
      code: code, title: title, message: message,
      details: facts.compactMap { name, fact in fact.map { (name, $0.problemDetail) } })
  }

  /// Uses a code of the most frequent kind: `ProblemReport(.notFound, ...)` for `.failure(.notFound)`.
  public init(
    _ code: ProblemCode.Failure, _ title: String, _ message: String,
    _ facts: KeyValuePairs<String, (any ProblemFact)?> = [:]
  ) { self.init(.failure(code), title, message, facts) }

  /// Title and message in one line: "This word is too short. Words need at least 4 letters".
  public var titleAndMessage: String { "\(title). \(message)" }

  public static func == (first: ProblemReport, second: ProblemReport) -> Bool {
    (first.code, first.title, first.message) == (second.code, second.title, second.message)
      && first.details.elementsEqual(second.details) { $0 == $1 }
  }
}

/// An error that a user or a script is meant to read. A room's error enum conforms to it, and describes all its cases
/// in one switch:
///
///     enum DeckError: Problem {
///       case exists(name: String)
///       var report: ProblemReport {
///         switch self {
///         case .exists(let name): ProblemReport(.exists, "The deck is there already", "...", ["name": name])
///         }
///       }
///     }
public protocol Problem: Error, CustomStringConvertible {
  var report: ProblemReport { get }
}

extension Problem {
  /// The code as text for Lua and JSON; compare `report.code` instead.
  public var code: String { report.code.rawValue }
  public var title: String { report.title }
  public var message: String { report.message }
  public var details: [ProblemReport.Detail] { report.details }
  public var description: String { report.message }

  /// The problem with another code or message; its title and details stay.
  public func reworded(_ message: String? = nil, code: ProblemCode? = nil) -> PlainProblem {
    let report = report
    return PlainProblem(
      ProblemReport(
        code: code ?? report.code, title: report.title, message: message ?? report.message, details: report.details))
  }
}

/// A problem passed on from Lua or from a plugin, with its original texts.
public struct PlainProblem: Problem, Equatable {
  public let report: ProblemReport

  public init(_ report: ProblemReport) { self.report = report }

  /// - Parameter hasRetryTime: whether the problem says when to try again (`retry_after`).
  public init(code: String, title: String, message: String, hasRetryTime: Bool = false) {
    report = ProblemReport(ProblemCode(external: code, hasRetryTime: hasRetryTime), title, message)
  }
}
