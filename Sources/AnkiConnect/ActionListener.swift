// Listens for other programs through deckhand-net, which opens the socket and speaks HTTP.
// Invariant: one request at a time; an interrupt ends the wait, and releasing the listener ends deckhand-net.

import Files
public import Problems
import Text
import Values
public import Wire

/// A port on this machine that accepts requests.
///
///     let listener = try ActionListener(program: path, port: 8765, clock: clock, shouldStop: isInterrupted)
///     while let (request, body) = try listener.next() { try listener.answer(reply, text) }
public final class ActionListener {
  public let port: Int
  private let process: ChannelProcess
  private let clock: () -> Double
  private let shouldStop: () -> Bool
  private static let timeout = 10.0

  /// - Parameters:
  ///   - program: the path of deckhand-net.
  ///   - port: 0 for any free port.
  ///   - clock: monotonic seconds.
  ///   - shouldStop: polled while waiting.
  public init(
    program: String, port: Int, clock: @escaping () -> Double, shouldStop: @escaping () -> Bool
  ) throws(ListenerError) {
    (self.clock, self.shouldStop) = (clock, shouldStop)
    let answer: ListenReply?
    do throws(ProgramFailure) {
      process = try ChannelProcess(path: program, environment: [], longestFrame: longestSyncFrame)
      let deadline = Deadline(seconds: Self.timeout, clock: clock, shouldStop: { false })
      try process.send(JSONWriter.bytes(of: ListenRequest(port: port).value), deadline: deadline)
      answer = syncHead(try process.ask([], deadline: deadline)).flatMap(ListenReply.init)
    } catch {
      if case .missing = error { throw .noProgram(path: program) }
      throw .programFailed
    }
    switch answer {
    case .listening(let found): self.port = found
    case .taken: throw .taken(port: port)
    case .failed(let reason): throw .cannotListen(port: port, reason: reason)
    case nil: throw .programFailed
    }
  }

  /// Waits for the next request.
  /// - Parameter whileWaiting: called at least ten times a second.
  /// - Returns: nil after an interrupt.
  public func next(
    whileWaiting: @escaping () -> Void = {}
  ) throws(ListenerError) -> (request: ClientRequest, body: [UInt8])? {
    do throws(ProgramFailure) {
      let endless = Deadline(seconds: .infinity, clock: clock) { [shouldStop] in
        whileWaiting()
        return shouldStop()
      }
      let head = try process.receive(deadline: endless)
      let body = try process.receive(deadline: endless)
      guard let request = syncHead(head).flatMap(ClientRequest.init) else { throw .crashed }
      return (request, body)
    } catch {
      if error == .interrupted { return nil }
      throw .programFailed
    }
  }

  public func answer(_ reply: ClientReply, _ body: [UInt8]) throws(ListenerError) {
    do throws(ProgramFailure) {
      // The action's result is sent even after an interrupt.
      let deadline = Deadline(seconds: Self.timeout, clock: clock, shouldStop: { false })
      try process.send(JSONWriter.bytes(of: reply.value), deadline: deadline)
      try process.send(body, deadline: deadline)
    } catch {
      throw .programFailed
    }
  }
}

/// Why deckhand-net does not listen.
///
///     ListenerError.taken(port: 8765).message   // "another program listens at the port 8765 ..."
public enum ListenerError: Problem, Equatable {
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
