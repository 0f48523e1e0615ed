// Why other programs cannot connect. Invariant: a message names the port concerned.

public import Problems
import Text

/// Why deckhand-net does not listen.
///
///     ListenerError.taken(port: 8765).message   // "another program listens at the port 8765 ..."
public enum ListenerError: Problem, Equatable {
  /// `deckhand-net` is not at its path.
  case noProgram(path: String)
  case taken(port: Int)
  /// `reason` comes from the system.
  case cannotListen(port: Int, reason: String)
  case programFailed

  public var report: ProblemReport {
    switch self {
    case .noProgram(let path):
      ProblemReport(
        .notHere, "Cannot listen here",
        "listening for other programs needs deckhand-net, which is not at \(quoted(path)); put it beside deckhand",
        ["path": path])
    case .taken(let port):
      ProblemReport(
        .inUse, "The port is in use",
        "another program listens on port \(port): Anki with AnkiConnect, or another `serve`; stop it, or use --port",
        ["port": port])
    case .cannotListen(let port, let reason):
      ProblemReport(
        .noServer, "The port cannot be used", "cannot listen on port \(port): \(printable(reason))",
        ["port": port])
    case .programFailed:
      ProblemReport(.noServer, "Nothing listens any more", "deckhand-net ended; nothing listens for other programs")
    }
  }
}
