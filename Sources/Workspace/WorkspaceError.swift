// What goes wrong between the rooms, not within one. Invariant: every handle that outlived its workspace says so with
// one code.

public import Problems

/// Why nothing can be done in a workspace.
///
///     do { try workspace.decks() } catch WorkspaceError.authenticationRequired { ... }
public enum WorkspaceError: Problem, Equatable {
  /// The user signed out, or nobody has signed in yet.
  case authenticationRequired
  /// Something was kept from before a sign-out.
  case signedOut(what: String)
  /// The user asked to stop.
  case interrupted
  /// A change outside of a unit of work, in a rehearsal.
  case rehearsal(String)

  public var report: ProblemReport {
    switch self {
    case .authenticationRequired:
      ProblemReport(.signIn(.authRequired), "Sign in first", "nobody is signed in; `login` first")
    case .signedOut(let what):
      ProblemReport(
        .signIn(.authRequired), "Signed out",
        "this \(what) was opened before a sign-out; sign in and open it again")
    case .interrupted: ProblemReport(.interrupted, "Interrupted", "interrupted; nothing was changed")
    case .rehearsal(let operation):
      ProblemReport(
        .rehearsal, "Not in a rehearsal", "\(operation) is not done under --dry-run; nothing was changed")
    }
  }
}
