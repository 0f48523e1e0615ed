// What can go wrong at the door, as facts, and the words for each.
// Invariant: a wrong name and a wrong password are the same case with the same words.

import Files
public import Problems
import Text

/// A sign-in, an account or a password that was refused.
public enum AuthenticationError: Problem, Equatable {
  /// A wrong name or a wrong password: nothing tells which.
  case denied
  /// Too many failures; the time until the next try, in whole seconds, at least 1.
  case locked(retryAfter: Int)
  /// No name or no password was given; nothing was tried.
  case empty
  /// Another sign-in runs, here or in another process that has not let go for seconds.
  case busy
  /// The person signed out, or left, while the sign-in ran.
  case cancelled
  case signedIn(String)
  /// What was tried needs a sign-in.
  case required

  case badName(String, reason: String)
  case exists(String)
  /// The name could be taken for that of an account that is there.
  case looksLike(String, account: String)
  case unknownAccount(String, suggestion: String?)

  case tooShort(minimum: Int)
  case tooLong(maximum: Int)
  case badText
  case common
  case likeName

  /// The file or folder can be read or written by others than its owner.
  case exposed(path: String, mend: String)
  case foreign(path: String)
  /// It is cut, changed, or no file at all.
  case damaged(path: String, reason: String)
  case newer(path: String, version: String)
  /// Its password would take this much to check, in KiB and passes.
  case tooCostly(path: String, memory: Int, passes: Int)

  case failed(operation: String, path: String, code: Int32)
  case outOfMemory
  case passwordFile(path: String, code: Int32)
}

extension AuthenticationError {
  public var code: String {
    switch self {
    case .denied: "denied"
    case .locked: "locked"
    case .empty: "empty"
    case .busy: "busy"
    case .cancelled: "cancelled"
    case .signedIn: "signed_in"
    case .required: "auth_required"
    case .badName: "bad_name"
    case .exists, .looksLike: "exists"
    case .unknownAccount: "not_found"
    case .tooShort, .tooLong, .badText, .common, .likeName: "bad_password"
    case .exposed, .foreign: "exposed"
    case .damaged: "damaged"
    case .newer: "newer"
    case .tooCostly: "too_costly"
    case .failed: "failed"
    case .outOfMemory: "out_of_memory"
    case .passwordFile: "password_file"
    }
  }

  public var title: String {
    switch self {
    case .denied: "Sign-in denied"
    case .locked: "Too many failed tries"
    case .empty: "Nothing to try"
    case .busy: "A sign-in is running"
    case .cancelled: "Sign-in cancelled"
    case .signedIn: "Signed in already"
    case .required: "Sign-in needed"
    case .badName: "Not a name for an account"
    case .exists, .looksLike: "This account is there already"
    case .unknownAccount: "No such account"
    case .tooShort, .tooLong, .badText, .common, .likeName: "Not a good password"
    case .exposed, .foreign: "Not private"
    case .damaged: "The account's file is damaged"
    case .newer: "Written by a newer Deckhand"
    case .tooCostly: "This password would cost too much to check"
    case .failed: "The account's files could not be used"
    case .outOfMemory: "Not enough memory"
    case .passwordFile: "The password could not be read"
    }
  }

  public var message: String {
    switch self {
    case .denied: "wrong name or password"
    case .locked(let seconds): "too many failed tries; try again in \(AuthenticationError.duration(seconds))"
    case .empty: "a name and a password are needed"
    case .busy: "another sign-in is running; wait for it to end"
    case .cancelled: "the sign-in was cancelled"
    case .signedIn(let name): "\(quoted(name)) is signed in; sign out first with `logout`"
    case .required: "sign in first with `login`"
    case .badName(let name, let reason): "\(quoted(name)) can't be the name of an account: \(reason)"
    case .exists(let name): "an account \(quoted(name)) is there already"
    case .looksLike(let name, let account):
      "\(quoted(name)) looks like the account \(quoted(account)); choose another name"
    case .unknownAccount(let name, let near):
      "no account is called \(quoted(name))" + (near.map { " (did you mean \"\($0)\"?)" } ?? "")
    case .tooShort(let minimum): "a password needs at least \(minimum) bytes"
    case .tooLong(let maximum): "a password has at most \(grouped(maximum)) bytes"
    case .badText: "a password is UTF-8 text without NUL"
    case .common: "this password is one of the first that somebody would try; choose another"
    case .likeName: "this password is too much like the account's name; choose another"
    case .exposed(let path, let mend): "others than you can open \(printable(path)); mend it with `\(printable(mend))`"
    case .foreign(let path): "\(printable(path)) belongs to somebody else; it is not used"
    case .damaged(let path, let reason): "\(printable(path)): \(reason); put it back from a backup"
    case .newer(let path, let version): "\(printable(path)) needs a newer Deckhand (\(printable(version)))"
    case .tooCostly(let path, let memory, let passes):
      "\(printable(path)) asks for \(grouped(memory / 1024)) MiB and \(counted(passes, "pass", "passes")), more than a password may; "
        + "put it back from a backup"
    case .failed(let operation, let path, let code): "can't \(operation) \(printable(path)): \(systemWords(code))"
    case .outOfMemory: "there is not enough memory for a password; close something and try again"
    case .passwordFile(let path, let code): "can't read the password from \(printable(path)): \(systemWords(code))"
    }
  }

  public var details: [(name: String, value: ProblemDetail)] {
    switch self {
    case .locked(let seconds): [("retry_after", .integer(seconds))]
    case .badName(let name, _), .exists(let name), .looksLike(let name, _): [("name", .text(name))]
    case .unknownAccount(let name, let near):
      [("name", .text(name))] + (near.map { [("suggestion", .text($0))] } ?? [])
    case .exposed(let path, _), .foreign(let path), .damaged(let path, _), .newer(let path, _),
      .tooCostly(let path, _, _), .failed(_, let path, _), .passwordFile(let path, _):
      [("path", .text(path))]
    case .denied, .empty, .busy, .cancelled, .signedIn, .required, .tooShort, .tooLong, .badText, .common, .likeName,
      .outOfMemory:
      []
    }
  }

  /// `1 second`, `4 minutes and 16 seconds`.
  private static func duration(_ seconds: Int) -> String {
    let (minutes, rest) = seconds.quotientAndRemainder(dividingBy: 60)
    if minutes == 0 { return counted(rest, "second") }
    return rest == 0 ? counted(minutes, "minute") : "\(counted(minutes, "minute")) and \(counted(rest, "second"))"
  }
}
