// An expected failure, as every room states it: facts in an error type, and one switch that turns them into words.

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
