// What a problem tells programs and users. Invariant: the code is stable; title and message may change.

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
  public let message: String
  /// Facts for programs besides the three above, in display order: `path`, `line`, `word`, `suggestion`.
  public let details: [Detail]

  /// Combines the texts of one problem with the details of another.
  public init(code: ProblemCode, title: String, message: String, details: [Detail]) {
    self.code = code
    self.title = title
    self.message = message
    self.details = details
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
