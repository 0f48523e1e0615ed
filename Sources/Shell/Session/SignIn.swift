// Signing in and out, the idle lock, and questions at the terminal. Invariant: everything one user had open, set or
// subscribed ends at once with the sign-out; a password goes only into a `Secret`; nothing is asked when nobody can
// answer; Ctrl-C, or a signal that ends the program, also ends the Lua code that asks.

import Authentication
import Bindings
import CTerminal
import Commands
import Files
import Glibc
import LuaRuntime
import Problems
import Text
import ToggleSettings
import Workspace

package struct SignIn {
  let session: Session

  package init(_ session: Session) { self.session = session }

  /// Signs in before anything runs: from the password file, or by asking a user at a terminal.
  /// - Parameter command: the first word of the command that is to run; nil for the prompt or a script.
  /// - Returns: the exit status when nothing is to run.
  package func open(for command: String?) -> Int32? {
    guard session.auth.needsAuthentication else {
      // The command line names a user but there are no accounts.
      guard let user = session.options.signIn.user, session.options.signIn.isUserRequired, session.auth.user == nil
      else { return nil }
      session.report(AuthenticationError.unknownAccount(user, suggestion: nil), origin: "login")
      return ExitStatus.signIn
    }
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
    return session.console.hasScreen && session.console.terminal.hasKeyboard ? askToSignIn() : nil
  }

  /// Whether a command runs before a sign-in. `run` itself could, but the code of its script needs a sign-in.
  private func isOpen(_ command: String) -> Bool {
    guard let command = session.tables.builtIns[command]?.command, !command.access.needsSignIn else { return false }
    if case .makesUnit = command.effect { return false }
    return true
  }

  /// Asks until a user is signed in or leaves; returns the exit status in the latter case.
  fileprivate func askToSignIn() -> Int32? {
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
      } catch AuthenticationError.cancelled { return status } catch let error as AuthenticationError
        where error.mayTryAgain
      {
        session.report(error, origin: "login", asJSON: false)
      } catch {
        let status = session.report(error, origin: "login", asJSON: false)
        return session.state.leaving ?? (status == ExitStatus.interrupted ? status : ExitStatus.signIn)
      }
    }
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

  /// Signs in. Without a name, the only account is used, or it is asked for; so is the password without a file.
  /// - Throws: `AuthenticationError.cancelled` when the user leaves the question.
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
    guard let name = try session.ask("Account: ") else { throw AuthenticationError.cancelled }
    return name.trimmed
  }

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
    case SECRET_LINE_ENDED: throw AuthenticationError.cancelled
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
}

final class LineInput {
  /// The line editor, while the prompt runs at a terminal.
  var lineReader: LineReader?
  let plainReader = PlainLineReader(isInterrupted: { Interrupts.wereRequested })
  /// Whether no key was pressed for so long that it is time to lock.
  var isIdle = false
  /// The history that the line editor uses.
  var historyPlace: HistoryPlace?
  /// The lines of an unfinished chunk of Lua, while further lines are read.
  var openChunk = ""
  var typedLines: [TypedLine] = []
}

/// A line of this session, as `history --lua` writes it.
struct TypedLine {
  let text: String
  let isCommand: Bool
  let hasFailed: Bool
}

extension Session {
  /// Asks for a line at the terminal; nil when nobody can answer.
  /// - Parameter mark: who asks, at the beginning of the line on which the user types; empty for the program.
  package func ask(_ text: String, mark: String = "") throws -> String? {
    if options.isUnattended || LineReader.isReading { return nil }
    let outcome: LineOutcome
    let question = broken(printable(text, limit: 1_000), mark)
    if let lineReader = input.lineReader {
      IdleLock(session: self).watch()
      outcome = try lineReader.read(prompt: question, hidesHistory: true)
    } else {
      if console.terminal.hasKeyboard { console.write(question) }
      outcome = try input.plainReader.read()
    }
    switch outcome {
    case .line(let line): return line
    case .endOfInput where Interrupts.endingSignal != nil: break
    case .stopped where input.isIdle: return IdleLock(session: self).unlockCovered() ? try ask(text, mark: mark) : nil
    case .endOfInput, .stopped:
      // The terminal shows nothing for Ctrl-D, so the line of the question is ended here.
      if input.lineReader == nil, canAsk { console.write("\n") }
      return nil
    case .interrupted: break
    }
    Interrupts.request()
    throw WorkspaceError.interrupted
  }

  /// Prints all but the last line of a question that is too long for one line; returns the last line for the prompt.
  private func broken(_ question: String, _ mark: String) -> String {
    let width = console.terminal.width - mark.displayWidth
    guard canAsk, question.displayWidth >= width else { return mark + question }
    var lines = question.lines(within: max(1, width - 1), breaksWords: false)
    let last = lines.removeLast()
    console.show(lines)
    return mark + (question.last == " " ? last + " " : last)
  }

  var canAsk: Bool { console.hasScreen && !options.isUnattended && console.terminal.hasKeyboard }

  /// Asks for yes or no if a user can be asked; otherwise the answer is yes, as the command was given deliberately.
  func confirm(_ question: String) throws -> Bool {
    guard canAsk else { return true }
    return Self.isYes(try ask(question + " [y/N] "))
  }

  static func isYes(_ answer: String?) -> Bool { ["y", "yes"].contains(answer?.trimmed.lowercased()) }
}

/// Locks the session when no key was pressed for too long.
struct IdleLock {
  let session: Session

  /// Makes the prompt watch for the idle lock while a user is signed in.
  func watch() { session.input.lineReader?.tick = tick() }

  /// Returns a callback for the line reader that says whether it is time to lock; the time counts from now.
  func tick() -> () -> Bool {
    session.input.isIdle = false
    guard session.auth.user != nil else { return { false } }
    var (clock, keys) = (IdleClock(now: session.environment.clocks.reading().boot), LineReader.keyCount)
    return { [session] in
      let now = session.environment.clocks.reading().boot
      if LineReader.keyCount != keys { clock.touch(now: now) }
      keys = LineReader.keyCount
      session.input.isIdle = clock.isOver(minutes: session.preferences?.session.idleMinutes ?? 0, now: now)
      return session.input.isIdle
    }
  }

  private var notice: String {
    "Locked after \(session.counted(session.preferences?.session.idleMinutes ?? 0, "minute")) without a key press."
  }

  /// Signs out, and asks for the password again.
  func lock() {
    session.input.isIdle = false
    let notice = notice
    do {
      try session.signOut()
      session.console.write("\n")
      session.console.note(notice)
      if let status = SignIn(session).askToSignIn() {
        session.state.leaving = session.state.leaving ?? (status == ExitStatus.signIn ? ExitStatus.done : status)
      }
    } catch {
      session.report(error)
      session.state.leaving = session.state.leaving ?? ExitStatus.failed
    }
  }

  /// Milliseconds until a screen locks; nil when it does not, because of the setting or because nobody is signed in.
  func untilLock(_ idle: IdleClock) -> Int? {
    guard session.auth.user != nil, session.console.terminal.hasKeyboard,
      let minutes = session.preferences?.session.idleMinutes
    else { return nil }
    return idle.remaining(minutes: minutes, now: session.environment.clocks.reading().boot).map { Int($0) }
  }

  /// Clears the terminal, since somebody else may be looking at it now, and asks for the password.
  func unlockCovered() -> Bool {
    session.console.write(Terminal.clearing)
    return unlock()
  }

  /// Covers a screen, releases its keys, and asks for the password.
  func unlock(_ screen: Screen, _ keys: KeyReader) throws -> Bool {
    keys.end()
    screen.cover()
    guard unlock() else { return false }
    try keys.begin()
    return true
  }

  /// Asks for the password before a screen continues. What is open stays open, and nothing runs until then.
  /// - Returns: false when the user left instead; then nobody is signed in.
  func unlock() -> Bool {
    session.input.isIdle = false
    session.console.note(notice)
    switch SignIn(session).askForPassword() {
    case nil: return true
    case let status?:
      do { try session.signOut() } catch { session.report(error) }
      session.state.leaving = session.state.leaving ?? status
      return false
    }
  }
}
