// `serve`: lets other programs on this machine work with the cards through AnkiConnect's interface; and `lsp`, the
// language server for editors of `build` sources. Invariant: nothing listens unless the command runs; what a program
// changes is one undo step that names it; a web page gets access only with permission; `lsp` ends with the editor.

import AnkiConnect
import Authentication
import Bindings
import Commands
import Files
import Glibc
import LanguageServer
import LuaRuntime
import Problems
import Text
import ToggleSettings
import Values
import Wire
import Workspace

enum ServeCommand {
  static let command = BuiltIn(
    "serve", access: .atTerminal, effect: .acts, summary: "Lets programs that talk to Anki work with your cards.",
    answer: "{address}, then {actions} at its end",
    details: """
      It offers the interface of the add-on AnkiConnect on 127.0.0.1, port \(ServingSettings.port), until Ctrl-C: \
      dictionaries in the browser, note-taking programs and scripts add, find and change notes as they would in Anki. \
      Nothing listens unless this command runs, and other machines cannot connect. Browser extensions and pages of \
      this machine have access; any other page is refused at first, and the terminal asks about it: at most one \
      question a minute, once for each page. A yes is saved in the setting serve.origins. \
      `set serve.key WORD` gives access only to programs that know the word. What a program does is an undo step. A \
      shell may run at the same time in another terminal.
      """,
    options: [
      Option("--port", "N", .integer(0...65_535), help: "a port other than \(ServingSettings.port); 0 is any free port")
    ], example: "serve --port 8766"
  ) { invocation, session in
    try AccountCommands.requireNoScript(session)
    // Anything that cannot be opened is reported before the first client connects.
    _ = try session.workspace().preferences()
    let listener = try ActionListener(
      program: session.environment.folders.netProgram,
      port: invocation.optionalInteger("--port") ?? ServingSettings.port, clock: session.environment.clocks.elapsed,
      shouldStop: session.environment.isInterrupted)
    let address = "http://127.0.0.1:\(listener.port)"
    let whose = session.auth.user.map { "the cards of \(quoted($0))" } ?? "your cards"
    session.show(
      CommandResult(
        .record(["address": address]),
        line: "Other programs can use \(whose) at \(address) as they use Anki; Ctrl-C stops it."),
      asJSON: invocation.wantsJSON(in: session))
    _ = session.console.flush()
    let host = ServingHost(session)
    let server = ActionServer(host)
    while let (request, body) = try listener.next(whileWaiting: host.hearAnswer) {
      host.hearAnswer()
      let (reply, text) = server.answer(request, body)
      try listener.answer(reply, text)
      try session.workspace().dailyBackups.begin()
    }
    if Interrupts.endingSignal == nil { Interrupts.clear() }
    return CommandResult(
      .record(["actions": server.count]), line: "Stopped listening. Done: \(session.counted(server.count, "action")).")
  }

  /// The workspace with what other processes have changed: accounts, settings, the time zone.
  static func refreshedWorkspace(_ session: Session) throws -> Workspace {
    session.environment.clocks.rereadZone()
    try session.refreshAccounts()
    let workspace = try session.workspace()
    try workspace.settings.refresh()
    return workspace
  }
}

/// The server's access to the session.
private final class ServingHost: ActionHost {
  private let session: Session
  /// The origin of the question that the user has not answered yet.
  private var question: String?
  private var asked: Set<String> = []
  /// The time on the monotonic clock from which another question may be asked.
  private var nextQuestion = 0.0

  init(_ session: Session) { self.session = session }

  func openWorkspace() throws -> Workspace { try session.workspace() }

  func performing<Result>(action: String, for client: String?, _ body: () throws -> Result) throws -> Result {
    // `Yomitan, addNote`
    try session.with(\.data.origin, "\(client.map { printable($0, limit: 60) } ?? "serve"), \(action)", body)
  }

  /// Refreshed each time, since another process may have made an account or changed a setting, or the time zone.
  func clientSettings() throws -> (origins: [String], key: String) {
    let serving = try ServeCommand.refreshedWorkspace(session).preferences().serving
    return (serving.origins, serving.key)
  }

  /// Asks once for each origin, and at most once a minute; `hearAnswer` takes the answer while requests go on.
  func askAbout(_ origin: String) {
    let now = session.environment.clocks.elapsed()
    guard question == nil, now >= nextQuestion, asked.insert(origin).inserted else { return }
    nextQuestion = now + 60
    let name = printable(origin, limit: 300)
    guard session.canAsk else {
      return log("The page \(name) asks for access; `set serve.origins \"\(name)\"` allows it.")
    }
    // Text typed ahead does not answer another program's question.
    tcflush(STDIN_FILENO, TCIFLUSH)
    session.console.write("May pages of \(name) read and change your cards, from now on? [y/N] ")
    _ = session.console.flush()
    question = origin
  }

  /// Takes the answer to the open question, if the user has typed a line.
  func hearAnswer() {
    var typed = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard let origin = question, poll(&typed, 1, 0) > 0 else { return }
    question = nil
    do {
      guard case .line(let line) = try session.input.plainReader.read(), Session.isYes(line) else { return }
      // Another shell may have changed the setting during the question.
      let origins = (try clientSettings().origins + [origin]).joined(separator: " ")
      let preferences = try session.workspace().preferences()
      try preferences.tree.set(preferences.serving.$origins, text: origins, by: .user)
      log("Pages of \(printable(origin, limit: 300)) have access from now on.")
    } catch {
      session.report(error, origin: "serve")
    }
  }

  /// Data without an account belongs to the user of the machine.
  func profiles() throws -> (all: [String], active: String) {
    let names = try session.auth.store.names()
    let active = session.auth.user ?? session.environment.variables.value("USER") ?? "local"
    return (names.contains(active) ? names : [active] + names, active)
  }

  func log(_ line: String) { session.console.note(line) }
  func synchronize() throws { try UnattendedSync.run(session.workspace(), session) }
}

/// A server for one client at standard input and output.
protocol PipeServer: AnyObject {
  var exitStatus: Int32? { get }
  /// The process whose end also ends the server; nil if it is unknown.
  var parent: Int? { get }
  func receive(_ bytes: [UInt8])
  /// Returns the bytes to write; nil if there is nothing to do.
  func work() -> [UInt8]?
  func end()
}

extension LanguageServer: PipeServer {}

enum LanguageServerCommand {
  /// Milliseconds between checks that the editor is still running.
  private static let pollInterval = 1000

  static let command = BuiltIn(
    "lsp", access: .atTerminal,
    summary: "Helps an editor with the sources of `build` while you type them.", answer: "nothing",
    details: """
      It speaks the Language Server Protocol over standard input and output. In .md, .csv, .tsv and .jsonl files and \
      in deck.json it marks what `build` would refuse, completes tags, decks, note types and fields, and writes ids. \
      The folder is the nearest one with a deck.json, or else the nearest that was built. Your cards are read, but \
      never changed. Set up your editor to start `deckhand lsp` as the language server for Markdown, CSV and JSON.
      """, example: "lsp"
  ) { invocation, session in
    try AccountCommands.requireNoScript(session)
    if isatty(0) == 1 {
      session.console.note("This command is started by an editor; Ctrl-D ends it. `help lsp` explains more.")
    }
    return try serve(LanguageServer(try SourceFeatures(session), version: session.options.version), session)
  }

  /// Runs a server until its client ends it or exits.
  static func serve(
    _ server: any PipeServer, _ session: Session, input: InputPieces = InputPieces()
  ) throws -> CommandResult {
    // With SIGPIPE ignored, a client that exited shows as a failed write.
    signal(SIGPIPE, SIG_IGN)
    let output = FileSink(standardOutput: 1)
    while server.exitStatus == nil, !session.environment.isInterrupted() {
      let answer = server.work()
      if let answer {
        try output.append(answer)
        try output.flush()
      }
      switch try input.next(within: answer == nil ? pollInterval : 0) {
      case .bytes(let bytes): server.receive(bytes)
      case .end: finish(server, output)
      case .nothing: if answer == nil, isGone(server.parent) { server.end() }
      }
    }
    if Interrupts.endingSignal == nil { Interrupts.clear() }
    if session.input.lineReader == nil { session.state.leaving = server.exitStatus ?? ExitStatus.interrupted }
    return CommandResult()
  }

  /// Answers the requests that arrived before the end of the input.
  private static func finish(_ server: any PipeServer, _ output: FileSink) {
    do throws(FileError) {
      while server.exitStatus == nil, let answer = server.work() {
        try output.append(answer)
        try output.flush()
      }
    } catch {
      // Nobody reads the answers any more; the server ends the same way.
    }
    server.end()
  }

  private static func isGone(_ process: Int?) -> Bool {
    guard let process = process.flatMap(pid_t.init(exactly:)), process > 0 else { return false }
    return kill(process, 0) != 0 && errno == ESRCH
  }
}
