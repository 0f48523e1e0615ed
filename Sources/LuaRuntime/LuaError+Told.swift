// An error of somebody else's code, as its caller is told of it. Invariant: what stopped that code does not stop the caller; the
// error is an ordinary one from there on.

public import Problems

extension LuaError {
  /// An ordinary error in these words, whose value in Lua is the problem.
  public init(telling problem: PlainProblem, trace: String? = nil) {
    self.init(kind: .runtime, message: problem.message, trace: trace, problem: problem)
  }
}
