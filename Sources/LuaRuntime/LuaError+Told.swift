// An error of somebody else's code, as its caller is told of it. Invariant: what stopped that code does not stop the
// caller; the error is an ordinary one from there on.

public import Problems

extension LuaError {
  /// An ordinary error in these words, whose value in Lua is the problem.
  public init(telling problem: any Problem, trace: String? = nil) {
    let problem = PlainProblem(problem.report)
    self.init(kind: .runtime, message: problem.report.message, trace: trace, problem: problem)
  }
}
