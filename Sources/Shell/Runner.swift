// Runs a command: finds it, checks permissions and dry-run rules, shows the result; and a line of one command with the
// target of its output. Invariant: a built-in command commits as it goes, one added by Lua only when it has succeeded;
// a dry run keeps no change; output goes to the terminal again however the command ends.

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
import Values
import Workspace

package struct Runner {
  let session: Session

  package init(_ session: Session) { self.session = session }

  /// Runs a command given as words; returns the exit status.
  package func runCommand(_ words: [String]) -> Int32 {
    var origin: String?
    var status = ExitStatus.done
    var trouble = ExitStatus.failed
    // Until the words are parsed, whether they ask for JSON can only be guessed.
    var wantsJSON = session.options.wantsJSON || words.prefix { $0 != "--" }.contains("--json")
    defer { session.storeGames() }
    do {
      guard let words = try Choosing(session: session).words(for: words) else {
        return session.state.leaving ?? ExitStatus.done
      }
      try Interrupts.holding {
        try session.plugins.prepareCommand(words)
        let (command, invocation) = try session.registry.parse(words: words)
        (origin, trouble) = (command.name, command.troubleStatus)
        wantsJSON = invocation.wantsJSON(in: session)
        try session.refreshAccounts()
        if command.access.needsSignIn { try session.host.requireSignIn() }
        // A plugin may run a file of commands.
        if command.access.isForCommandLineOnly, session.scripting.settingOwner.plugin != nil {
          throw ShellError.notFromLua(command: command.name)
        }
        try command.checkRehearsal(of: invocation, isRehearsed: session.options.isDryRun)
        let result = try lookingBack(command, invocation) {
          let result = try run(command, invocation)
          try session.requireWholeLists()
          // The records of bound objects are read now.
          if wantsJSON { session.show(result, asJSON: true) }
          return result
        }
        noteDeck(invocation)
        // Not while the past is read, which locks the data: the user may leave the pager much later.
        if !wantsJSON { session.show(result, asJSON: false) }
        status = result.status
        if session.events.hasListeners(.command) {
          // Of a line with a secret, listeners get only the name.
          let line = words.joined(separator: " ")
          let name = command.name
          try session.events.emit(.command, [session.namesSecret(line) ? name : line], brief: [name])
        }
      }
      return session.state.leaving ?? status
    } catch {
      let reported = session.report(
        error, origin: (error as? CommandError).map { _ in "deckhand" } ?? origin, asJSON: wantsJSON)
      return reported == ExitStatus.failed ? trouble : reported
    }
  }

  /// Runs a command with the data as it was at the step of `--at`.
  /// - Throws: `ShellError.onlyReading` for a command that does not only read.
  private func lookingBack(
    _ command: Command, _ invocation: Invocation, _ body: () throws -> CommandResult
  ) throws -> CommandResult {
    guard let step = session.options.step else { return try body() }
    guard command.onlyReads(invocation) else { throw ShellError.onlyReading(command: command.name) }
    return try session.workspace().at(step: step, body)
  }

  /// Records the deck that a command named; the prompt shows it.
  private func noteDeck(_ invocation: Invocation) {
    let names = invocation.command.arguments.filter { $0.kind == .deck || $0.name == "DECK" }.map(\.name)
    guard session.input.lineReader != nil, let name = names.flatMap({ invocation.list($0) }).last else { return }
    do { session.state.usedDeck = try session.workspace().decks.open(name) } catch {
      // The command removed the deck.
      session.state.usedDeck = nil
    }
  }

  /// Runs a line as a command for its value; shows nothing.
  func answer(of line: String) throws -> CommandAnswer {
    try answer(of: ShellWords.split(line, home: session.environment.folders.home))
  }

  func answer(of words: [String], isAllowed: (Command, Invocation) -> Bool = { _, _ in true }) throws -> CommandAnswer {
    try session.plugins.prepareCommand(words)
    let (command, invocation) = try session.registry.parse(words: words)
    if command.access.needsSignIn { try session.host.requireSignIn() }
    try command.checkRehearsal(of: invocation, isRehearsed: session.options.isDryRun)
    if command.access.isForCommandLineOnly || !isAllowed(command, invocation) {
      throw ShellError.notFromLua(command: command.name)
    }
    return try session.with(\.state.isAnswering, true) { try run(command, invocation).answer }
  }

  /// Runs a command's action. Short forms of other commands were replaced when the words were parsed.
  private func run(_ command: Command, _ invocation: Invocation) throws -> CommandResult {
    let adder = command.owner.plugin == nil ? nil : command.owner
    return try acting(as: invocation.aliasOwner ?? adder, in: session) {
      try session.changing(from: command.owner.plugin.map { "plugin \($0)" } ?? command.name) {
        guard session.options.isDryRun, case .changes = command.effect(of: invocation), try !session.isInUnit else {
          return try act(command, invocation)
        }
        return try RehearsalRun(session: session).run(asJSON: invocation.wantsJSON(in: session)) {
          try act(command, invocation)
        }
      }
    }
  }

  private func act(_ command: Command, _ invocation: Invocation) throws -> CommandResult {
    switch command.action {
    case .function(let run): return try session.workspace().asUnit { try run(invocation) }
    case .builtIn:
      guard let builtIn = session.tables.builtIns[command.name] else { break }
      return try builtIn.run(invocation, session)
    case .announced, .pluginAlias: break
    }
    throw CommandError.unknownCommand(command.name, suggestion: nil)
  }
}

extension Command {
  /// The exit status of its failures; commands that answer by status, as diff(1), use another than their answers.
  var troubleStatus: Int32 { ["deck diff", "deck merge"].contains(name) ? ExitStatus.usage : ExitStatus.failed }

  /// Whether it changes nothing except files that it is told to write.
  func onlyReads(_ invocation: Invocation) -> Bool {
    switch effect(of: invocation) {
    case .reads: return access != .open
    case .announces: return path.count == 2 && ["export", "page", "sheet", "render"].contains(path[1])
    default: return false
    }
  }
}

/// Runs a body with the rights of an owner; with the current ones for nil.
func acting<R>(as owner: Owner?, in session: Session, _ body: () throws -> R) rethrows -> R {
  try session.with(\.scripting.settingOwner, owner ?? session.scripting.settingOwner, body)
}

struct RehearsalRun {
  let session: Session
  private static let shown = 5

  /// Runs a command that changes data as a unit of work, and rolls it back.
  func run(asJSON: Bool, _ body: () throws -> CommandResult) throws -> CommandResult {
    let workspace = try session.workspace()
    let announced = session.rehearsal.announcedCount
    try workspace.beginUnit()
    let changes: [PendingChanges]
    do {
      let result = try body()
      // The command's own output (refused rows) is useful, but only for people.
      switch result.display {
      case .lines(let lines) where !asJSON:
        for (number, line) in lines.enumerated() { session.console.note((number == 0 ? "dry run: " : "  ") + line) }
      case .drawn(let lines) where !asJSON: for line in lines { session.console.note(line) }
      default: break
      }
      // A sign-out within the command has already closed the data.
      changes = workspace.isInUnit ? try workspace.pendingChanges(limit: asJSON ? nil : Self.shown) : []
    } catch {
      if workspace.isInUnit { try workspace.rollbackUnit() }
      throw error
    }
    if workspace.isInUnit { try workspace.rollbackUnit() }
    return CommandResult(.list(changes.flatMap(\.records)), .lines(lines(changes, since: announced)))
  }

  static let nothingWasChanged = "Nothing was changed (--dry-run)."

  /// One line per kind of change: `Would add 1,204 cards: el perro, el gato, …`
  /// - Parameter announced: how many effects outside the unit of work had been announced before it.
  func lines(_ changes: [PendingChanges], since announced: Int) -> [String] {
    if changes.isEmpty, session.rehearsal.announcedCount == announced { return ["Nothing would change."] }
    return changes.map { change in
      let plural = change.noun.hasPrefix("row of ") ? "rows" + change.noun.dropFirst(3) : nil
      var line = "Would \(verb(change)) \(session.counted(change.count, change.noun, plural))"
      let names = change.names.prefix(Self.shown).map { printable($0, limit: 40) }
      if !names.isEmpty { line += ": " + names.joined(separator: ", ") + (change.count > names.count ? ", …" : "") }
      return line
    } + [Self.nothingWasChanged]
  }

  private func verb(_ change: PendingChanges) -> String {
    switch change.kind {
    case .added: "add"
    case .changed: "change"
    case .removed: "remove"
    }
  }
}

struct CommandLine {
  let session: Session

  enum Target: Equatable {
    case terminal
    case file(String, adds: Bool)
    /// A command line for the system's shell.
    case program(String)
  }

  /// Runs a line; returns the exit status.
  func run(_ line: String) throws -> Int32 {
    let (command, target) = try Self.parts(of: line)
    let words = try ShellWords.split(command, home: session.environment.folders.home)
    switch target {
    case .terminal: return Runner(session).runCommand(words)
    case .file(let path, let adds): return try run(words, into: session.environment.folders.expanded(path), adds: adds)
    case .program(let program): return try run(words, through: program)
    }
  }

  /// Splits a line into its command and the target of its output. An operator counts only as an unquoted word.
  static func parts(of line: String) throws -> (command: String, target: Target) {
    let words = ShellWords.placed(line)
    let signs: Set<String> = ["|", ">", ">>"]
    guard let place = words.firstIndex(where: { !$0.isQuoted && signs.contains($0.text) }) else {
      return (line, .terminal)
    }
    let sign = words[place]
    let bytes = Array(line.utf8)
    let command = String(decoding: bytes[..<sign.range.lowerBound], as: UTF8.self)
    let rest = String(decoding: bytes[sign.range.upperBound...], as: UTF8.self).trimmed
    guard !rest.isEmpty else { throw RedirectionError.nothingBehind(sign: sign.text) }
    if sign.text == "|" { return (command, .program(rest)) }
    guard words.count == place + 2 else { throw RedirectionError.severalFiles(sign: sign.text) }
    return (command, .file(words[place + 1].text, adds: sign.text == ">>"))
  }

  private func run(_ words: [String], into path: String, adds: Bool) throws -> Int32 {
    guard session.rehearsal.mayActOutside("write \(path)") else { return ExitStatus.done }
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (adds ? O_APPEND : O_TRUNC)
    let file = open(path, flags, 0o666)
    guard file >= 0 else { throw RedirectionError.cannotWrite(path: path, errno: errno) }
    defer { close(file) }
    var failure: Int32 = 0
    let status = session.console.redirected(to: file) {
      let status = Runner(session).runCommand(words)
      errno = 0
      if !session.console.flush() { failure = errno == 0 ? EIO : errno }
      return status
    }
    if failure != 0 { throw RedirectionError.cannotWrite(path: path, errno: failure) }
    return status
  }

  private func run(_ words: [String], through program: String) throws -> Int32 {
    guard let (child, input) = startShell(program) else {
      throw RedirectionError.cannotStart(program: program, errno: errno)
    }
    let status = session.console.redirected(to: input) { Runner(session).runCommand(words) }
    close(input)
    let end = waitForExit(of: child)
    guard status == ExitStatus.done else { return status }
    // The terminal has only echoed ^C, so the next output must begin on a new line.
    if end == ExitStatus.interrupted { session.console.message("interrupted") }
    return end
  }
}

/// Starts the system's shell on a command line; nil with errno set when it cannot be started.
/// - Returns: the shell, and the descriptor of its standard input.
func startShell(_ text: String) -> (child: pid_t, input: Int32)? {
  guard let ends = uninheritedPipe() else { return nil }
  fflush(nil)
  let child = spawnProgram(["/bin/sh", "-c", text], input: ends.reading)
  let failure = errno
  close(ends.reading)
  if child == nil { close(ends.writing) }
  errno = failure
  return child.map { ($0, ends.writing) }
}

/// Starts a program on the same terminal; nil with errno set when it cannot be started.
/// - Parameter input: its standard input; nil for that of this program.
func spawnProgram(_ words: [String], input: Int32? = nil) -> pid_t? {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  if let input { posix_spawn_file_actions_adddup2(&actions, input, 0) }
  var child: pid_t = 0
  let failure = withStrings(words) { posix_spawn(&child, words[0], &actions, nil, $0, environ) }
  errno = failure
  return failure == 0 ? child : nil
}

extension Console {
  /// Runs `body` with standard output redirected; its output is then for a program. A reader may exit early.
  func redirected<R>(to descriptor: Int32, _ body: () -> R) -> R {
    fflush(nil)
    let terminal = fcntl(1, F_DUPFD_CLOEXEC, 0)
    let handler = signal(SIGPIPE, SIG_IGN)
    dup2(descriptor, 1)
    // A line of a file of commands may be redirected within a redirected run.
    let wasRedirected = isRedirected
    isRedirected = true
    defer {
      fflush(nil)
      dup2(terminal, 1)
      close(terminal)
      signal(SIGPIPE, handler)
      standard_output_forget_failure()
      isRedirected = wasRedirected
    }
    return body()
  }
}
