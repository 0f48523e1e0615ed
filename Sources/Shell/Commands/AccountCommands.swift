// `account ...`, `passwd`, `login`, `logout`, `whoami`. Invariant: a password comes from the terminal or a file, never from the
// words of a command; what tells a wrong name from a wrong password is said nowhere.

import Authentication
import CTerminal
import Commands
import Files
import Text
import Values
import Workspace

extension Shell {
  static let accountTheme = "Accounts"

  func accountCommands() -> [Command] {
    [addAccount(), listAccounts(), removeAccount(), login(), logout(), changePassword(), whoAmI()]
  }

  private static let newPasswordFile = Option(
    "--new-password-file", "FILE", .file, help: "read the new password from FILE; - is a line of standard input")

  // MARK: Accounts

  private func addAccount() -> Command {
    Command(
      "account", "add", theme: Self.accountTheme, effect: .acts, summary: "Adds an account with a password.",
      details: """
        The first account takes over the data that are here, and from then on nothing is reached before a sign-in. \
        A password has 8 to 1,024 bytes; it keeps honest people out, not somebody who can read the disk.
        """,
      arguments: [Argument("NAME", help: "letters, digits, . _ -")], options: [Self.newPasswordFile],
      example: "account add ana"
    ) { [unowned self] invocation in
      try requireNoScript()
      let name = invocation.text("NAME").trimmed
      try gate.store.checkNew(name)
      let password = try answeringLeft {
        try newPassword(for: name, file: invocation.optionalText("--new-password-file"))
      }
      let isFirst = gate.user == nil
      try makePrivateFolder(environment.folders.data)
      if isFirst { try leaveWorkspace() }
      let added = try gate.addAccount(name, password)
      if isFirst {
        endSession()
        process_forbid_core_dumps()
      }
      let more = isFirst ? " It has the data that were here, and you are signed in." : ""
      return CommandResult(.text(added), line: "Added the account \(quoted(added)).\(more)")
    }
  }

  private func listAccounts() -> Command {
    Command(
      "account", "list", theme: Self.accountTheme, effect: .reads, summary: "Lists the accounts.",
      example: "account list"
    ) { [unowned self] _ in
      let user = gate.user
      let names = try gate.store.names()
      let table = TableText(
        [.init("Account"), .init("")], rows: names.map { [$0, $0 == user ? "signed in" : ""] },
        whenEmpty: "No accounts; `account add NAME` makes the first one.")
      let values = names.map { Value.record([("name", .text($0)), ("signed_in", .boolean($0 == user))]) }
      return CommandResult(.list(values), .table(table))
    }
  }

  private func removeAccount() -> Command {
    Command(
      "account", "remove", theme: Self.accountTheme, effect: .acts,
      summary: "Removes your account with everything in it.",
      details: "At a terminal it asks first. Only the account that is signed in can be removed.",
      arguments: [Argument("NAME", .account, help: "the account that is signed in")], example: "account remove ana"
    ) { [unowned self] invocation in
      try requireNoScript()
      let name = invocation.text("NAME")
      guard let user = gate.user, try gate.store.account(named: name) == user else {
        throw SignInError.notSignedIn(as: name)
      }
      guard try confirm("Remove the account \(quoted(user)) with all its decks, documents and settings?") else {
        return CommandResult(.boolean(false), line: "Nothing was removed.")
      }
      try leaveWorkspace()
      try gate.removeAccount()
      endSession()
      return CommandResult(.boolean(true), line: "Removed the account \(quoted(user)).")
    }
  }

  /// A script is one unit of work, and accounts are beyond what a unit can take back.
  private func requireNoScript() throws {
    guard !isInScript else {
      throw SignInError.inScript
    }
  }

  // MARK: Signing in

  private func login() -> Command {
    Command(
      "login", theme: Self.accountTheme, effect: .reads, summary: "Signs in.",
      details: "The password is asked for at the terminal, or read from the file that --password-file names.",
      arguments: [Argument("NAME", isOptional: true, help: "whose account; may be left out when there is only one")],
      example: "login ana"
    ) { [unowned self] invocation in
      try answeringLeft {
        try signIn(invocation.optionalText("NAME") ?? setup.user, passwordFile: setup.passwordFile)
      }
      return CommandResult(.text(gate.user ?? ""), line: "Signed in as \(gate.user ?? "").")
    }
  }

  private func logout() -> Command {
    Command(
      "logout", theme: Self.accountTheme, effect: .reads, summary: "Signs out: everything is saved and closed.",
      example: "logout"
    ) { [unowned self] _ in
      guard gate.user != nil else {
        return CommandResult(.null, line: "There is no account to sign out of; `account add NAME` makes one.")
      }
      try signOut()
      return CommandResult(.boolean(true), line: "Signed out.")
    }
  }

  private func changePassword() -> Command {
    Command(
      "passwd", theme: Self.accountTheme, effect: .acts, summary: "Changes your password.",
      details: "The present one is asked for first, or read from the file that --password-file names.",
      options: [Self.newPasswordFile], example: "passwd"
    ) { [unowned self] invocation in
      guard let user = gate.user else {
        throw SignInError.noAccount
      }
      let old = try answeringLeft {
        try setup.passwordFile.map { try password(in: $0) } ?? readPassword("Present password of \(printable(user)): ")
      }
      let new = try answeringLeft {
        try newPassword(for: user, file: invocation.optionalText("--new-password-file"))
      }
      try gate.store.changePassword(of: user, from: old, to: new)
      return CommandResult(.boolean(true), line: "Changed the password of \(quoted(user)).")
    }
  }

  private func whoAmI() -> Command {
    Command(
      "whoami", theme: Self.accountTheme, effect: .reads, summary: "Tells who is signed in.", example: "whoami"
    ) { [unowned self] _ in
      guard let user = gate.user else {
        return CommandResult(.null, line: "Nobody in particular: there is no account, the data are local.")
      }
      return CommandResult(.text(user), line: user)
    }
  }
}
