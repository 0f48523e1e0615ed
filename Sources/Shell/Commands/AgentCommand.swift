// `mcp`: lets the program in which an agent runs read cards and plan changes, through its standard input and output.
// Invariant: standard output has only messages of the protocol; an agent runs only commands that change data, never one
// for the terminal alone.

import AgentDoor
import Commands
import Files
import Glibc
import LuaRuntime
import Problems
import Values
import Workspace

extension AgentServer: PipeServer {
  var parent: Int? { nil }
}

enum AgentCommand {
  static let command = BuiltIn(
    "mcp", access: .atTerminal, effect: .acts,
    summary: "Lets an agent read your cards, and plan changes that you see before they are made.", answer: "nothing",
    details: """
      It speaks the Model Context Protocol over standard input and output: set up your agent to start `deckhand mcp`. \
      The agent finds cards and plans changes, of which it gets a table; it carries a plan out as one undo step that \
      names it, and can undo its own steps. `set mcp.allow` says whether it may only read, carry out plans (apply), \
      do so after you agreed (ask), or change cards at once (write); `set mcp.decks` limits it to some decks.
      """
  ) { _, session in
    try AccountCommands.requireNoScript(session)
    let input = InputPieces(descriptor: fcntl(0, F_DUPFD_CLOEXEC, 0))
    // Commands that an agent runs neither read nor write the messages of the protocol.
    session.console.usesStandardError = true
    let host = CommandHost(session)
    let server = AgentServer(host, clock: session.environment.clocks.elapsed)
    host.server = server
    session.console.didProgress = { done, total in
      do {
        if case .bytes(let bytes) = try input.next(within: 0) { server.receive(bytes) }
      } catch {
        // The next read reports it.
      }
      if server.isCancelled { Interrupts.request() }
      if let note = server.progress(done, of: total) { _ = writeAll(note, to: 1) }
    }
    defer { session.console.didProgress = { _, _ in } }
    return try LanguageServerCommand.serve(server, session, input: input)
  }
}

private final class CommandHost: AgentHost {
  private let session: Session
  weak var server: AgentServer?

  init(_ session: Session) { self.session = session }

  var version: String { session.options.version }
  func openWorkspace() throws -> Workspace { try ServeCommand.refreshedWorkspace(session) }

  func visibleDecks() throws -> [String] {
    try ShellWords.split(session.workspace().preferences().agents.decks, home: nil)
  }

  func run(_ words: [String]) throws -> Value {
    let answer = Result {
      try Runner(session).answer(of: words) { if case .changes = $0.effect(of: $1) { true } else { false } }
    }
    if server?.isCancelled == true {
      Interrupts.clear()
      throw WorkspaceError.interrupted
    }
    return try answer.get().value { session.scripting.record(of: $0) }
  }

  func readingInput<R>(_ text: String, _ body: () throws -> R) throws -> R {
    guard let file = tmpfile() else { throw FileError("standard input", .open) }
    defer { fclose(file) }
    let number = fileno(file)
    guard writeAll(text.utf8, to: number), lseek(number, 0, SEEK_SET) == 0, dup2(number, 0) == 0 else {
      throw FileError("standard input", .write)
    }
    return try body()
  }

  func performing<R>(for client: String, _ body: () throws -> R) throws -> R {
    let result = try session.with(\.data.origin, "mcp \(client)", body)
    try session.workspace().dailyBackups.begin()
    return result
  }
}
