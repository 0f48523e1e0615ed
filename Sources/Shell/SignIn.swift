// Signing in and out. Invariant: what one person had open, set or subscribed ends with the sign-out at once; the Lua states go
// as soon as none of their code runs, before the next line. A password goes from terminal or file into a Secret, nowhere else.

import Authentication
import Bindings
import CTerminal
import Commands
import Glibc
import LuaRuntime
import PluginHost
import Problems
import Storage
import Text
import ToggleSettings
import WordGames
import Workspace

/// The person left the question for a name or a password.
private struct LeftSignIn: Error {}

extension Shell {
  /// The commands that answer while nobody is signed in. A script runs too, but only `auth` answers it.
  private static let openCommands: Set<String> = ["login", "help", "version", "quit", "run"]

  func requireSignIn(for command: Command) throws {
    if !Self.openCommands.contains(command.name) { _ = try gate.requireAccess() }
  }

  // MARK: At the start

  /// Signs in before anything runs: from the password file, or by asking where a person sits at a terminal.
  /// - Parameter command: the first word of the command that is to run, nil for the prompt or a script.
  /// - Returns: the exit status when nothing is to run.
  public func open(for command: String?) -> Int32? {
    guard gate.needsAuthentication else { return refusalOfUser() }
    if let command, command != "run", Self.openCommands.contains(command) { return nil }
    if setup.passwordFile != nil {
      do {
        try signIn(setup.user, passwordFile: setup.passwordFile)
        return nil
      } catch {
        report(error, origin: "login")
        return ExitStatus.signIn
      }
    }
    return console.terminal.hasKeyboard && console.terminal.hasScreen ? askToSignIn() : nil
  }

  /// Without accounts nobody can be asked for by name.
  private func refusalOfUser() -> Int32? {
    guard let user = setup.user, setup.isUserRequired, gate.user == nil else { return nil }
    report(AuthenticationError.unknownAccount(user, suggestion: nil), origin: "login")
    return ExitStatus.signIn
  }

  /// Asks until somebody is signed in or leaves; answers the exit status then.
  private func askToSignIn() -> Int32? {
    while true {
      do {
        try Interrupts.holding { try signIn(setup.user, passwordFile: nil) }
        return nil
      } catch is LeftSignIn {
        return ExitStatus.signIn
      } catch let error as AuthenticationError where error.mayTryAgain {
        report(error, origin: "login", asJSON: false)
      } catch {
        let status = report(error, origin: "login", asJSON: false)
        return leaving ?? (status == ExitStatus.interrupted ? status : ExitStatus.signIn)
      }
    }
  }

  /// Asks whoever is signed in for their password until it is right; answers the exit status when they leave.
  func askForPassword() -> Int32? {
    while true {
      do {
        try Interrupts.holding {
          let password = try readPassword("Password for \(printable(gate.user ?? "")): ")
          try gate.confirm(password)
        }
        return nil
      } catch is LeftSignIn {
        return ExitStatus.done
      } catch let error as AuthenticationError where error.mayTryAgain {
        report(error, origin: "login", asJSON: false)
      } catch {
        let status = report(error, origin: "login", asJSON: false)
        return leaving ?? (status == ExitStatus.interrupted ? status : ExitStatus.signIn)
      }
    }
  }

  /// After the idle lock: the question for the password again.
  func askAgain() {
    guard let status = askToSignIn() else { return }
    leaving = leaving ?? (status == ExitStatus.signIn ? ExitStatus.done : status)
  }

  /// Looks at `--set` before anything runs: a value that does not fit is a wrong use.
  public func checkSettings() -> Int32 {
    guard !setup.settings.commandLine.isEmpty, let preferences else { return ExitStatus.done }
    for case .refused(let name, let given, let expected, .commandLine) in preferences.refusals {
      report(SettingsError.badValue(name, given: given, expected: expected, suggestion: nil), origin: "--set")
      return ExitStatus.usage
    }
    return ExitStatus.done
  }

  // MARK: Signing in

  /// Signs in. Without a name it is the only account's, or asked for; without a file the terminal is asked.
  func signIn(_ name: String?, passwordFile: String?) throws {
    if let user = gate.user { throw AuthenticationError.signedIn(user) }
    guard gate.needsAuthentication else {
      throw SignInError.noAccount
    }
    let name = try name ?? accountToSignIn()
    if let passwordFile {
      try gate.login(name, try password(in: passwordFile))
    } else {
      let begun = try gate.begin(name)
      do {
        let password = try readPassword("Password for \(printable(name)): ")
        if password.isEmpty { throw AuthenticationError.empty }
        try gate.finish(begun, password)
      } catch {
        gate.cancel(begun)
        throw error
      }
    }
    if let notice = gate.access?.notice { console.note(notice.message) }
    if isInScript { try workspace().beginUnit() }
  }

  private func accountToSignIn() throws -> String {
    let names = try gate.store.names()
    if names.count == 1 { return names[0] }
    guard console.terminal.hasKeyboard else {
      throw SignInError.noName
    }
    guard let name = try ask("Account: ") else { throw LeftSignIn() }
    return name.trimmed
  }

  // MARK: Passwords

  /// A password from a file; `-` is the next line of standard input.
  func password(in file: String) throws -> Secret {
    if file == "-" { return try PasswordFile.readLine(from: 0) }
    let path = expandedPath(file)
    if let warning = PasswordFile.warning(for: path) { console.note("note: \(warning.message)") }
    return try PasswordFile.read(path)
  }

  /// A line of the terminal, without echo.
  func readPassword(_ prompt: String) throws -> Secret {
    guard console.terminal.hasKeyboard else {
      throw SignInError.noPassword
    }
    fflush(nil)
    var end = 0
    let secret = try Secret(capacity: Secret.lineCapacity) { buffer in
      end = secret_line_read(prompt, buffer.bindMemory(to: UInt8.self).baseAddress, buffer.count)
      return max(0, end)
    }
    switch end {
    case SECRET_LINE_INTERRUPTED: throw WorkspaceError.interrupted
    case SECRET_LINE_ENDED: throw LeftSignIn()
    case SECRET_LINE_TOO_LONG: throw AuthenticationError.tooLong(maximum: Secret.longest)
    case SECRET_LINE_NO_TERMINAL:
      throw SignInError.noTerminal
    default: return secret
    }
  }

  /// A new password: from a file, or typed twice.
  func newPassword(for name: String, file: String?) throws -> Secret {
    if let file { return try password(in: file) }
    let first = try readPassword("New password for \(printable(name)): ")
    let second = try readPassword("The same again: ")
    let areEqual = first.withBytes { one in second.withBytes { two in one.elementsEqual(two) } }
    guard areEqual else {
      throw SignInError.notTheSame
    }
    return first
  }

  // MARK: Signing out

  /// Signs out: saves, closes everything, tells. Without an account there is nothing to close.
  func signOut() throws {
    guard gate.user != nil else { return gate.logout() }
    var failure: (any Error)?
    do {
      try leaveWorkspace()
    } catch {
      failure = error
    }
    gate.logout()
    endSession()
    if let failure { throw failure }
  }

  /// Keeps what a script's unit did, and closes the data. It is opened again at its next use, when somebody is signed in.
  func leaveWorkspace() throws {
    // What waits for a save is saved first.
    saveDocuments()
    guard let workspace = takeWorkspace() else { return }
    do {
      if workspace.isInUnit { try end(workspace, status: ExitStatus.done) }
    } catch {
      try workspace.close()
      throw error
    }
    try workspace.close()
  }

  /// Ends all that the person's code was subscribed to, had added or had loaded. The person's Lua state, whose code may
  /// be running, is made anew by `settle`.
  func endSession() {
    session += 1
    events.removeAll()
    plugins.unloadAll()
    modes.remove(owner: .user)
    registry.removeAll(owner: .user)
    for alias in registry.aliases { registry.removeAlias(alias.name) }
    needsFreshState = true
  }

  /// Looks whether another process has added the first account meanwhile: the local data are its own then.
  func lookAgain() throws {
    let wasOpen = !gate.needsAuthentication
    try gate.lookAgain()
    guard wasOpen, gate.needsAuthentication else { return }
    try takeWorkspace()?.close()
    endSession()
  }

  /// Between two lines, when no Lua runs: the person's state is made anew after a sign-out, and what a session begins with is
  /// done after a sign-in.
  public func settle() throws {
    if needsFreshState {
      needsFreshState = false
      hasBegun = false
      try makeLuaAnew()
    }
    if !gate.needsAuthentication, !hasBegun {
      hasBegun = true
      if setup.usesPlugins { plugins.loadAtStart() }
      runStartScript()
    }
    useHistory()
  }

  // MARK: What Lua calls `auth`

  func authServices() -> AuthServices {
    AuthServices(
      needsAuthentication: { [unowned self] in gate.needsAuthentication },
      isAuthenticating: { [unowned self] in gate.isAuthenticating }, user: { [unowned self] in gate.user },
      login: { [unowned self] user, file in
        do {
          try signIn(user ?? setup.user, passwordFile: file)
        } catch is LeftSignIn {
          throw AuthenticationError.cancelled
        }
      }, logout: { [unowned self] in try signOut() })
  }

  /// A question for a password that was left, in the words of the gate.
  func answeringLeft<R: ~Copyable>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch is LeftSignIn {
      throw AuthenticationError.cancelled
    }
  }
}
