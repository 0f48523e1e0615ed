// `lsp`: the language server for editors of `build` sources. Invariant: standard output carries only protocol messages;
// the server ends with the editor, however the editor ends.

import Bindings
import Commands
import Files
import Glibc
import LanguageServer
import LuaRuntime
import Problems
import Workspace

enum LanguageServerCommand {
  static let name = "lsp"

  /// Milliseconds between checks that the editor is still running.
  private static let pollInterval = 1000

  static var command: BuiltIn {
    BuiltIn(
      name, access: .atTerminal,
      summary: "Helps an editor with the sources of `build` while you type them.", answer: "nothing",
      details: """
        It speaks the Language Server Protocol over standard input and output. In .md, .csv, .tsv and .jsonl files and \
        in deck.json it marks what `build` would refuse, completes tags, decks, note types and fields, and writes ids. \
        The folder is the nearest one with a deck.json, or else the nearest that was built. Your cards are read, but \
        never changed. Set up your editor to start `deckhand lsp` as the language server for Markdown, CSV and JSON.
        """,
      example: "lsp"
    ) { invocation, session in
      try AccountCommands.requireNoScript(session)
      return try serve(session)
    }
  }

  private static func serve(_ session: Session) throws -> CommandResult {
    if isatty(0) == 1 {
      session.console.note("This command is started by an editor; Ctrl-D ends it. `help lsp` explains more.")
    }
    // With SIGPIPE ignored, an editor that exited shows as a failed write.
    signal(SIGPIPE, SIG_IGN)
    let server = LanguageServer(try SourceFeatures(session), version: session.options.version)
    let (input, output) = (InputPieces(), FileSink(standardOutput: 1))
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
    if let signal = Interrupts.endingSignal { session.leave(by: signal) } else { Interrupts.clear() }
    if session.input.lineReader == nil { session.state.leaving = server.exitStatus ?? ExitStatus.interrupted }
    return CommandResult()
  }

  /// Answers the requests that arrived before the end of the input.
  private static func finish(_ server: LanguageServer, _ output: FileSink) {
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
