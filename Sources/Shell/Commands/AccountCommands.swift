// `account ...`, `passwd`, `login`, `logout`, `whoami`. Invariant: a password comes from the terminal or a file, never
// from a command's arguments; no message reveals whether the name or the password was wrong.

import Authentication
import CTerminal
import Commands
import Files
import Text
import Values
import Workspace

enum AccountCommands {
  static var all: [BuiltIn] { [addAccount, listAccounts, removeAccount, login, logout, changePassword, whoAmI] }

  private static let newPasswordFile = Option(
    "--new-password-file", "FILE", .file, help: "read the new password from FILE; - reads a line of standard input")

  private static let addAccount = BuiltIn(
    "account", "add", access: .atTerminal, effect: .acts, summary: "Adds an account with a password.", answer: "text",
    details: """
      The first account takes over the existing local data; from then on, nothing can be used before you sign in. A \
      password has 8 to 1,024 bytes. It does not protect your data from somebody who can read the disk.
      """, arguments: [Argument("NAME", help: "letters, digits, . _ -")], options: [Self.newPasswordFile],
    example: "account add ana"
  ) { invocation, session in
    try requireNoScript(session)
    let name = invocation.text("NAME").trimmed
    try session.auth.store.checkNew(name)
    let password = try SignIn(session).newPassword(for: name, file: invocation.optionalText("--new-password-file"))
    try session.auth.store.checkNew(password, for: name)
    let isFirst = session.auth.user == nil
    try makePrivateFolder(session.environment.folders.data)
    if isFirst { try session.leaveWorkspace() }
    let added = try session.auth.addAccount(name, password)
    if isFirst {
      session.endSession()
      process_forbid_core_dumps()
    }
    let more = isFirst ? " It took over the local data, and you are signed in." : ""
    return CommandResult(.text(added), line: "Added the account \(quoted(added)).\(more)")
  }

  private static let listAccounts = BuiltIn(
    "account", "list", access: .atTerminal, summary: "Lists the accounts.", answer: "{name, signed_in}..."
  ) { _, session in
    let user = session.auth.user
    return CommandResult(
      listing: try session.auth.store.names(), [.name("Account"), ""],
      whenEmpty: "No accounts; `account add NAME` creates the first one."
    ) {
      ["name": $0, "signed_in": $0 == user]
    } row: {
      [$0, $0 == user ? "signed in" : ""]
    }
  }

  private static let removeAccount = BuiltIn(
    "account", "remove", access: .atTerminal, effect: .acts, summary: "Removes your account and everything in it.",
    answer: "boolean", details: "At a terminal it asks first. Only the account that is signed in can be removed.",
    arguments: [Argument("NAME", .account, help: "the account that is signed in")], example: "account remove ana"
  ) { invocation, session in
    try requireNoScript(session)
    guard let user = session.auth.user else { throw SignInError.noAccount }
    let name = invocation.text("NAME")
    guard try session.auth.store.account(named: name) == user else { throw SignInError.notSignedIn(as: name) }
    guard try session.confirm("Remove the account \(quoted(user)) with all its decks, documents and settings?") else {
      return CommandResult(.boolean(false), line: "Nothing was removed.")
    }
    try session.leaveWorkspace()
    // The user is signed out even when some of the account's files could not be removed.
    defer { if session.auth.user != user { session.endSession() } }
    try session.auth.removeAccount()
    return CommandResult(.boolean(true), line: "Removed the account \(quoted(user)).")
  }

  /// Refuses to run inside a script: changes to accounts cannot be rolled back with its unit of work.
  static func requireNoScript(_ session: Session) throws {
    guard !session.state.isInScript else { throw SignInError.inScript }
  }

  private static let login = BuiltIn(
    "login", access: .atSignIn, summary: "Signs in.", answer: "text",
    details: "The password is asked for at the terminal, or read from a file.",
    arguments: [Argument("NAME", isOptional: true, help: "the account; may be left out if there is only one")],
    options: [Option("--password-file", "FILE", .file, access: .read, help: "read the password from FILE")],
    example: "login ana"
  ) { invocation, session in
    try SignIn(session).signIn(
      invocation.optionalText("NAME") ?? session.options.signIn.user,
      passwordFile: invocation.optionalText("--password-file").map(session.environment.folders.expanded)
        ?? session.options.signIn.passwordFile)
    return CommandResult(.text(session.auth.user ?? ""), line: "Signed in as \(session.auth.user ?? "").")
  }

  private static let logout = BuiltIn(
    "logout", access: .atTerminal, summary: "Signs out: everything is saved and closed.", answer: "boolean or nothing"
  ) { _, session in
    guard session.auth.user != nil else {
      return CommandResult(.null, line: "There is no account to sign out of; `account add NAME` creates one.")
    }
    try session.signOut()
    return CommandResult(.boolean(true), line: "Signed out.")
  }

  private static let changePassword = BuiltIn(
    "passwd", access: .atTerminal, effect: .acts, summary: "Changes your password.", answer: "boolean",
    details: "It asks for the current password first, or reads it from the file given with --password-file.",
    options: [Self.newPasswordFile]
  ) { invocation, session in
    guard let user = session.auth.user else { throw SignInError.noAccount }
    let old =
      try session.options.signIn.passwordFile.map { try SignIn(session).password(in: $0) }
      ?? SignIn(session).readPassword("Current password of \(printable(user)): ")
    let new = try SignIn(session).newPassword(for: user, file: invocation.optionalText("--new-password-file"))
    try session.auth.store.changePassword(of: user, from: old, to: new)
    return CommandResult(.boolean(true), line: "Changed the password of \(quoted(user)).")
  }

  private static let whoAmI = BuiltIn(
    "whoami", access: .atTerminal, summary: "Shows who is signed in.", answer: "text or nothing"
  ) { _, session in
    guard let user = session.auth.user else {
      return CommandResult(.null, line: "Nobody: there is no account, and the data is local.")
    }
    return CommandResult(.text(user), line: user)
  }
}
