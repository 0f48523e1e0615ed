// What goes wrong between the rooms, not within one. Invariant: every handle that outlived its workspace says so with one code.

public import Problems

public enum WorkspaceError: Problem, Equatable {
  /// The person signed out, or nobody has signed in yet.
  case authenticationRequired
  /// Something was kept from before a sign-out.
  case signedOut(what: String)
  /// The person asked to stop.
  case interrupted
  /// A change outside of a unit of work, in a rehearsal.
  case rehearsal(String)

  public var code: String {
    switch self {
    case .authenticationRequired, .signedOut: "auth_required"
    case .interrupted: "interrupted"
    case .rehearsal: "dry_run"
    }
  }

  public var title: String {
    switch self {
    case .authenticationRequired: "Sign in first"
    case .signedOut: "Signed out"
    case .interrupted: "Interrupted"
    case .rehearsal: "Not in a rehearsal"
    }
  }

  public var message: String {
    switch self {
    case .authenticationRequired: "nobody is signed in; `login` first"
    case .signedOut(let what): "this \(what) was opened before a sign-out; sign in and open it again"
    case .interrupted: "interrupted; nothing was changed"
    case .rehearsal(let operation): "\(operation) is not done under --dry-run; nothing was changed"
    }
  }
}
