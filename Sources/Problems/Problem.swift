// A failure of ordinary life, as every room states it: facts in an error type, words made from them in one place.
// Invariant: `code` is stable and meant for programs; `title` and `message` are for people and may change.

/// A fact that comes with a problem, named as Lua and JSON show it (`path`, `line`, `word`, `suggestion`).
public enum ProblemDetail: Equatable, Sendable {
  case text(String)
  case integer(Int)
  case number(Double)
}

/// An error that a person or a script is meant to read. Each room's error enum conforms and words its own cases.
public protocol Problem: Error, CustomStringConvertible {
  /// Stable, lower case with underscores: `not_found`, `empty_prompt`.
  var code: String { get }
  /// A few words, no full stop: what kind of failure it is.
  var title: String { get }
  /// One line: what failed, which value, what was expected, what to do next. No full stop at its end where it is one sentence.
  var message: String { get }
  /// Facts for programs beside the three above, in the order to show them.
  var details: [(name: String, value: ProblemDetail)] { get }
}

extension Problem {
  public var details: [(name: String, value: ProblemDetail)] { [] }
  public var description: String { message }
}

/// A problem whose facts are just its words: for the places that relay one (from Lua, from a plugin) instead of finding it.
public struct PlainProblem: Problem, Equatable, Sendable {
  public let code: String
  public let title: String
  public let message: String

  public init(code: String, title: String, message: String) {
    self.code = code
    self.title = title
    self.message = message
  }
}
