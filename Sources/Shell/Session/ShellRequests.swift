// Where `serve` asks the shell of the same user to show something: a socket in the user's folder. Invariant: one
// request is held at a time and answered once; asking never makes the shell wait, and what makes no sense is dropped.

import AnkiConnect
import Files
import Values
import Wire

/// The requests of a shell. Of several shells the one that was used last gets them.
///
///     session.requests.listen(in: session)
///     if session.requests.take(), let request = session.requests.request { session.requests.answer(.busy) }
final class ShellRequests {
  private var listener: LocalListener?
  private var sender: LocalRequest?
  /// The one that waits for its answer.
  private(set) var request: ShellRequest?
  /// Seconds that `serve` waits for a shell that is there.
  static let patience = 2.0

  /// What becomes readable when something comes.
  var descriptors: [Int32] { listener?.descriptors ?? [] }

  /// Nil while nobody is signed in.
  private static func path(in session: Session) -> String? { session.data.folder.map { $0 + "/shell.socket" } }

  /// Listens in the folder of whoever is signed in, and takes over from the shell that was used before.
  func listen(in session: Session) {
    let isReal = !session.options.isDryRun && !session.options.isUnattended && session.options.step == nil
    // While a line is read nobody else has the keyboard.
    let hasKeyboard = session.console.terminal.hasKeyboard || LineReader.isReading
    guard isReal, hasKeyboard, let path = Self.path(in: session) else { return stop() }
    if let listener, listener.path == path, listener.isCurrent { return }
    listener = nil
    // Without it nothing is missed here, and `serve` says that no shell is there.
    do { listener = try LocalListener(path, longestFrame: longestShellFrame) } catch { return }
  }

  func stop() {
    listener = nil
    drop()
  }

  /// Takes the next request, if one has come.
  func take() -> Bool {
    drop()
    while let next = listener?.next() {
      guard let found = syncHead(next.frame).flatMap(ShellRequest.init), next.isAwaited else { continue }
      (sender, request) = (next, found)
      return true
    }
    return false
  }

  /// Whether who asked still waits for the answer.
  var isAwaited: Bool { sender?.isAwaited == true }

  func answer(_ reply: ShellReply) {
    sender?.answer(JSONWriter.bytes(of: reply.value))
    drop()
  }

  /// Answers that this shell does something else.
  func refuse() { answer(.busy) }

  private func drop() { (sender, request) = (nil, nil) }

  // MARK: The other side

  /// Asks the shell that runs beside this one.
  /// - Returns: nil where none does; `.busy` where it does not answer in time, as while it works on something long or
  ///   is stopped.
  static func ask(_ request: ShellRequest, _ session: Session) -> ShellReply? {
    guard let path = path(in: session) else { return nil }
    do throws(ProgramFailure) {
      let channel = try FrameChannel(connectedTo: path, longestFrame: longestShellFrame)
      let deadline = Deadline(
        seconds: patience, clock: session.environment.clocks.elapsed, shouldStop: session.environment.isInterrupted)
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
