// Signing in and out. Invariant: everything one user had open, set or subscribed ends at once with the sign-out; Lua
// states end before the next line, as soon as none of their code runs. A password goes from a terminal or file into a
// `Secret` and nowhere else.

import Authentication
import Bindings
import CTerminal
import Commands
import Files
import Glibc
import LuaRuntime
import PluginHost
import Problems
import Storage
import Text
import ToggleSettings
import WordGames
import Workspace

/// The user left the question for a name or a password.
private struct LeftSignIn: Error {}

package struct SignIn {
  let session: Session

  package init(_ session: Session) { self.session = session }

  // MARK: At the start

  /// Signs in before anything runs: from the password file, or by asking a user at a terminal.
  /// - Parameter command: the first word of the command that is to run; nil for the prompt or a script.
  /// - Returns: the exit status when nothing is to run.
  package func open(for command: String?) -> Int32? {
    guard session.auth.needsAuthentication else { return refusalOfUser() }
    if let command, isOpen(command) { return nil }
    if session.options.signIn.passwordFile != nil {
      do {
        try signIn(session.options.signIn.user, passwordFile: session.options.signIn.passwordFile)
        return nil
      } catch {
        session.report(error, origin: "login")
        return ExitStatus.signIn
      }
    }
    return session.console.terminal.hasKeyboard && session.console.terminal.hasScreen ? askToSignIn() : nil
  }

  /// Whether a command runs before a sign-in. `run` itself could, but the code of its script needs a sign-in.
  private func isOpen(_ command: String) -> Bool {
    guard let command = session.tables.builtIns[command]?.command, !command.access.needsSignIn else { return false }
    if case .makesUnit = command.effect { return false }
    return true
  }

  /// The error status when the command line names a user but there are no accounts.
  private func refusalOfUser() -> Int32? {
    guard let user = session.options.signIn.user, session.options.signIn.isUserRequired, session.auth.user == nil else {
      return nil
    }
    session.report(AuthenticationError.unknownAccount(user, suggestion: nil), origin: "login")
    return ExitStatus.signIn
  }

  /// Asks until a user is signed in or leaves; returns the exit status in the latter case.
  private func askToSignIn() -> Int32? {
    ask(whenLeft: ExitStatus.signIn) { try signIn(session.options.signIn.user, passwordFile: nil) }
  }

  /// Asks the signed-in user for the password until it is right; returns the exit status when they leave.
  func askForPassword() -> Int32? {
    ask(whenLeft: ExitStatus.done) {
      let password = try readPassword("Password for \(printable(session.auth.user ?? "")): ")
      try session.auth.confirm(password)
    }
  }

  /// Repeats `question` until it succeeds; returns the exit status when the user leaves or may not try again.
  private func ask(whenLeft status: Int32, _ question: () throws -> Void) -> Int32? {
    while true {
      do {
        try Interrupts.holding(question)
        return nil
      } catch is LeftSignIn {
        return status
      } catch let error as AuthenticationError where error.mayTryAgain {
        session.report(error, origin: "login", asJSON: false)
      } catch {
        let status = session.report(error, origin: "login", asJSON: false)
        return session.state.leaving ?? (status == ExitStatus.interrupted ? status : ExitStatus.signIn)
      }
    }
  }

  /// Asks for a sign-in after the idle lock.
  func askAgain() {
    guard let status = askToSignIn() else { return }
    session.state.leaving = session.state.leaving ?? (status == ExitStatus.signIn ? ExitStatus.done : status)
  }

  /// Checks `--set` before anything runs: an invalid value, or a misspelt name of one of the program's settings, is a
  /// usage error. Scripts and plugins may still declare other names.
  package func checkSettings() -> Int32 {
    guard !session.options.settings.commandLine.isEmpty, let preferences = session.preferences else {
      return ExitStatus.done
    }
    for case .refused(let name, let reason, .commandLine) in preferences.refusals {
      return refuse(SettingsError.refused(name, reason: reason))
    }
    for error in preferences.misspelt { return refuse(error) }
    return ExitStatus.done
  }

  private func refuse(_ error: SettingsError) -> Int32 {
    session.data.hasReportedSettings = true
    session.report(error, origin: "--set")
    return ExitStatus.usage
  }

  // MARK: Signing in

  /// Signs in. Without a name, the only account is used, or the name is asked for; without a file, the password is
  /// asked for.
  func signIn(_ name: String?, passwordFile: String?) throws {
    if let user = session.auth.user { throw AuthenticationError.signedIn(user) }
    guard session.auth.needsAuthentication else { throw SignInError.noAccount }
    let name = try name ?? accountToSignIn()
    if let passwordFile {
      try session.auth.login(name, try password(in: passwordFile))
    } else {
      let begun = try session.auth.begin(name)
      do {
        let password = try readPassword("Password for \(printable(name)): ")
        if password.isEmpty { throw AuthenticationError.empty }
        try session.auth.finish(begun, password)
      } catch {
        session.auth.cancel(begun)
        throw error
      }
    }
    if let notice = session.auth.access?.notice { session.console.note(notice.message) }
    if session.state.isInScript { try session.workspace().beginUnit() }
  }

  private func accountToSignIn() throws -> String {
    let names = try session.auth.store.names()
    if names.count == 1 { return names[0] }
    guard session.console.terminal.hasKeyboard else { throw SignInError.noName }
    guard let name = try session.ask("Account: ") else { throw LeftSignIn() }
    return name.trimmed
  }

  // MARK: Passwords

  /// Reads a password from a file; `-` is the next line of standard input.
  func password(in file: String) throws -> Secret {
    if file == "-" { return try PasswordFile.readLine(from: 0) }
    let path = session.environment.folders.expanded(file)
    if let warning = PasswordFile.warning(for: path) { session.console.note("note: \(warning.message)") }
    return try PasswordFile.read(path)
  }

  /// Reads a line from the terminal without echo.
  /// - Parameter option: the option that names a file with this password.
  func readPassword(_ prompt: String, option: String = "--password-file") throws -> Secret {
    guard session.console.terminal.hasKeyboard else { throw SignInError.noPassword(option: option) }
    fflush(nil)
    var end = 0
    let secret = try Secret(capacity: Secret.lineCapacity) { buffer in
      end = CallPause.waitingForUser {
        secret_line_read(prompt, buffer.bindMemory(to: UInt8.self).baseAddress, buffer.count)
      }
      return max(0, end)
    }
    switch end {
    case SECRET_LINE_INTERRUPTED: throw WorkspaceError.interrupted
    case SECRET_LINE_ENDED: throw LeftSignIn()
    case SECRET_LINE_TOO_LONG: throw AuthenticationError.tooLong(maximum: Secret.longest)
    case SECRET_LINE_NO_TERMINAL: throw SignInError.noPassword(option: option)
    default: return secret
    }
  }

  /// Reads a new password: from a file, or typed twice.
  func newPassword(for name: String, file: String?) throws -> Secret {
    if let file { return try password(in: file) }
    let first = try readPassword("New password for \(printable(name)): ", option: "--new-password-file")
    let second = try readPassword("Repeat the password: ", option: "--new-password-file")
    let areEqual = first.withBytes { one in second.withBytes { two in one.elementsEqual(two) } }
    guard areEqual else { throw SignInError.notTheSame }
    return first
  }

  /// Turns leaving a password question into the error `cancelled`.
  func mapCancellation<R: ~Copyable>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch is LeftSignIn {
      throw AuthenticationError.cancelled
    }
  }
}
