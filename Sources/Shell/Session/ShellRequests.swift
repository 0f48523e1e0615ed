// The requests of `serve` to a shell of the same user, through a socket in the user's folder. Invariant: one request is
// held at a time and answered once; checking for requests never blocks the shell, and invalid requests are dropped.

import AnkiConnect
import Files
import Values
import Wire

/// The requests to a shell. Of several shells, the one used last receives them.
///
///     session.requests.listen(in: session)
///     if session.requests.take(), let request = session.requests.request { session.requests.answer(.busy) }
final class ShellRequests {
  private var listener: LocalListener?
  private var sender: LocalRequest?
  /// The request that waits for its answer.
  private(set) var request: ShellRequest?
  /// How many seconds `serve` waits for a running shell.
  static let timeout = 2.0

  /// The descriptors that become readable when a request arrives.
  var descriptors: [Int32] { listener?.descriptors ?? [] }

  /// Nil while nobody is signed in.
  private static func path(in session: Session) -> String? { session.data.folder.map { $0 + "/shell.socket" } }

  /// Listens in the signed-in user's folder, and takes over from the shell that was used before.
  func listen(in session: Session) {
    let isReal = !session.options.isDryRun && !session.options.isUnattended && session.options.step == nil
    // While a line is read, only the line editor has the keyboard.
    let hasKeyboard = session.console.terminal.hasKeyboard || LineReader.isReading
    guard isReal, hasKeyboard, let path = Self.path(in: session) else { return stop() }
    if let listener, listener.path == path, listener.isCurrent { return }
    listener = nil
    // A failure does not affect this shell; `serve` then reports that no shell is running.
    do { listener = try LocalListener(path, longestFrame: longestShellFrame) } catch { return }
  }

  func stop() {
    listener = nil
    drop()
  }

  /// Takes the next request, if there is one.
  func take() -> Bool {
    drop()
    while let next = listener?.next() {
      guard let found = syncHead(next.frame).flatMap(ShellRequest.init), next.isAwaited else { continue }
      (sender, request) = (next, found)
      return true
    }
    return false
  }

  /// Whether the requesting program still waits for the answer.
  var isAwaited: Bool { sender?.isAwaited == true }

  func answer(_ reply: ShellReply) {
    sender?.answer(JSONWriter.bytes(of: reply.value))
    drop()
  }

  /// Answers that this shell is busy.
  func refuse() { answer(.busy) }

  private func drop() { (sender, request) = (nil, nil) }

  // MARK: The sender

  /// Sends a request to the user's running shell.
  /// - Returns: the reply; nil when no shell is running; `.busy` when it does not answer in time because it is working
  ///   or suspended.
  static func ask(_ request: ShellRequest, _ session: Session) -> ShellReply? {
    guard let path = path(in: session) else { return nil }
    do throws(ProgramFailure) {
      let channel = try FrameChannel(connectedTo: path, longestFrame: longestShellFrame)
      let deadline = Deadline(
        seconds: timeout, clock: session.environment.clocks.elapsed, shouldStop: session.environment.isInterrupted)
      let answer = try channel.ask(JSONWriter.bytes(of: request.value), deadline: deadline)
      return syncHead(answer).flatMap(ShellReply.init) ?? .busy
    } catch {
      if case .missing = error { return nil }
      return .busy
    }
  }
}

extension Session {
  var requests: ShellRequests { input.requests }
}
