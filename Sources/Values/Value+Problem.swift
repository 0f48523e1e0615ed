// A problem as a value for programs. Invariant: code, title and message come first, then the details.

public import Problems

extension Value {
  public init(_ problem: any Problem) {
    let report = problem.report
    let words = [("code", report.code.rawValue), ("title", report.title), ("message", report.message)]
    self = .record(words.map { ($0, .text($1)) } + report.details.map { ($0.name, Value($0.value)) })
  }

  public init(_ detail: ProblemDetail) {
    switch detail {
    case .text(let text): self = .text(text)
    case .integer(let number): self = .integer(number)
    case .number(let number): self = .number(number)
    }
  }
}
