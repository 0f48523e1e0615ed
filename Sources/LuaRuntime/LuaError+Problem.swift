// An error of another program's code, as the caller receives it. Invariant: what stopped that code does not stop the
// caller; for the caller it is an ordinary error.

public import Problems

extension LuaError {
  /// Makes an ordinary error with the problem's message; the problem is its value in Lua.
  public init(reporting problem: any Problem, trace: String? = nil) {
    let problem = PlainProblem(problem.report)
    self.init(kind: .runtime, message: problem.report.message, trace: trace, problem: problem)
  }
}
