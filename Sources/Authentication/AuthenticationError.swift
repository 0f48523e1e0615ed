// The errors of signing in and of accounts, as facts, and the message for each.
// Invariant: a wrong name and a wrong password are the same case with the same message.

import Files
public import Problems
import Text

/// The reason why a sign-in, an account or a password was refused.
///
///     do { try session.login("ana", password) } catch {
///       if error.mayTryAgain { ... }   // denied, locked, empty or busy
///     }
public enum AuthenticationError: Problem, Equatable {
  /// A wrong name or a wrong password: nothing reveals which.
  case denied
  /// Too many failures, with the time until the next attempt in whole seconds, at least 1.
  case locked(retryAfter: Int)
  /// No name or no password was given; nothing was tried.
  case empty
  /// Another sign-in is running, here or in another process that has held the lock for seconds.
  case busy
  /// The user signed out, or left, while the sign-in was running.
  case cancelled
  case signedIn(String)
  case required

  case badName(String, reason: String)
  case exists(String)
  /// The name could be confused with that of an existing account.
  case looksLike(String, account: String)
  case unknownAccount(String, suggestion: String?)

  case tooShort(minimum: Int)
  case tooLong(maximum: Int)
  case badText
  case common
  case likeName

  /// Users other than the owner can read or write the file or folder.
  case exposed(path: String, remedy: String)
  case foreign(path: String)
  /// The file is truncated, changed, or not a file at all.
  case damaged(path: String, reason: String)
  case newer(path: String, version: String)
  /// Checking its password would take this much, in KiB and passes.
  case tooCostly(path: String, memory: Int, passes: Int)

  case failed(operation: String, path: String, code: Int32)
  case outOfMemory
  case passwordFile(path: String, code: Int32)

  public var report: ProblemReport {
    switch self {
    case .denied: ProblemReport(.signIn(.denied), "Sign-in denied", "wrong name or password")
    case .locked(let seconds):
      ProblemReport(
        .signIn(.locked), "Too many failed tries",
        "too many failed tries; try again in \(AuthenticationError.duration(seconds))", ["retry_after": seconds])
    case .empty: ProblemReport(.signIn(.empty), "Nothing to try", "a name and a password are needed")
    case .busy: ProblemReport(.busy, "A sign-in is running", "another sign-in is running; wait for it to end")
    case .cancelled: ProblemReport(.cancelled, "Sign-in cancelled", "the sign-in was cancelled")
    case .signedIn(let name):
      ProblemReport(.signedIn, "Already signed in", "\(quoted(name)) is signed in; sign out first with `logout`")
    case .required: ProblemReport(.signIn(.authRequired), "Sign-in needed", "sign in first with `login`")
    case .badName(let name, let reason):
      ProblemReport(
        .badName, "Not a name for an account", "\(quoted(name)) cannot be the name of an account: \(reason)",
        ["name": name])
    case .exists(let name): .exists(name, "the account \(quoted(name)) already exists")
    case .looksLike(let name, let account):
      .exists(name, "\(quoted(name)) looks like the account \(quoted(account)); choose another name")
    case .unknownAccount(let name, let near):
      ProblemReport(
        .notFound, "No such account", "no account is called \(quoted(name))\(didYouMean(near))",
        ["name": name, "suggestion": near])
    case .tooShort(let minimum): .badPassword("a password needs at least \(minimum) bytes")
    case .tooLong(let maximum): .badPassword("a password can have at most \(grouped(maximum)) bytes")
    case .badText: .badPassword("a password must be UTF-8 text without NUL")
    case .common: .badPassword("this password is one of the first that somebody would try; choose another")
    case .likeName: .badPassword("this password is too much like the account's name; choose another")
    case .exposed, .foreign, .damaged, .newer, .tooCostly, .failed, .outOfMemory, .passwordFile: fileReport
    }
  }

  private var fileReport: ProblemReport {
    switch self {
    case .exposed(let path, let remedy):
      .notPrivate(path, "others can open \(printable(path)); fix this with `\(printable(remedy))`")
    case .foreign(let path): .notPrivate(path, "\(printable(path)) belongs to somebody else; it is not used")
    case .damaged(let path, let reason):
      ProblemReport(
        .damaged, "The account's file is damaged", "\(printable(path)): \(reason); restore it from a backup",
        ["path": path])
    case .newer(let path, let version):
      ProblemReport(
        .newer, "Written by a newer Deckhand", "\(printable(path)) needs a newer Deckhand (\(printable(version)))",
        ["path": path])
    case .tooCostly(let path, let memory, let passes):
      ProblemReport(
        .tooCostly, "This password would cost too much to check",
        "\(printable(path)) asks for \(grouped(memory / 1024)) MiB and \(counted(passes, "pass", "passes")), "
          + "more than is allowed for a password; restore it from a backup", ["path": path])
    case .failed(let operation, let path, let code):
      ProblemReport(
        .failed, "The account's files could not be used",
        "cannot \(operation) \(printable(path)): \(systemWords(code))", ["path": path])
    case .passwordFile(let path, let code):
      ProblemReport(
        .passwordFile, "The password could not be read",
        "cannot read the password from \(printable(path)): \(systemWords(code))", ["path": path])
    default:
      ProblemReport(
        .outOfMemory, "Not enough memory", "there is not enough memory for a password; close something and try again")
    }
  }

  /// `1 second`, `4 minutes and 16 seconds`.
  private static func duration(_ seconds: Int) -> String {
    let (minutes, rest) = seconds.quotientAndRemainder(dividingBy: 60)
    if minutes == 0 { return counted(rest, "second") }
    return rest == 0 ? counted(minutes, "minute") : "\(counted(minutes, "minute")) and \(counted(rest, "second"))"
  }

  public var mayTryAgain: Bool {
    switch self {
    case .denied, .locked, .empty, .busy: true
    default: false
    }
  }
}

extension ProblemReport {
  fileprivate static func exists(_ name: String, _ message: String) -> ProblemReport {
    ProblemReport(.exists, "This account already exists", message, ["name": name])
  }

  fileprivate static func badPassword(_ message: String) -> ProblemReport {
    ProblemReport(.badPassword, "Not a good password", message)
  }

  fileprivate static func notPrivate(_ path: String, _ message: String) -> ProblemReport {
    ProblemReport(.exposed, "Not private", message, ["path": path])
  }
}
