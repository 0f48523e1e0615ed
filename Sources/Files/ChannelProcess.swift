// A helper program that is started with posix_spawn, used over a socket pair, and killed when its object is released.
// Invariant: a frame is sent or received whole, or the call fails; no wait exceeds its deadline, and the death of the
// program never raises a signal here.

public import Glibc
import Wire

/// Why a helper program did not do what it was asked for.
public enum ProgramFailure: Error, Equatable, Sendable {
  /// The program was not found at its path.
  case missing(path: String, errno: Int32)
  /// The program ended, or sent something invalid.
  case crashed
  case timedOut(seconds: Double)
  /// The user interrupted the request.
  case interrupted
  /// The program understood the request and refused it, for this reason.
  case refused(String)
}

/// A running helper program. A frame is a length of four bytes followed by that many bytes.
public final class ChannelProcess {
  public let process: pid_t
  private var isReaped = false
  private let socket: CInt
  private let stream: FrameStream

  /// - Parameters:
  ///   - environment: `NAME=value`.
  ///   - longestFrame: the limit in bytes; a longer frame is neither sent nor received.
  public init(path: String, environment: [String], longestFrame: Int) throws(ProgramFailure) {
    (process, socket) = try startTalkingProgram([path], environment: environment)
    stream = FrameStream(input: socket, output: socket, longest: longestFrame, isSocket: true)
    _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
  }

  /// Sends a request and waits for its answer.
  public func ask(_ request: [UInt8], deadline: Deadline) throws(ProgramFailure) -> [UInt8] {
    try send(request, deadline: deadline)
    return try receive(deadline: deadline)
  }

  public func send(_ frame: [UInt8], deadline: Deadline) throws(ProgramFailure) {
    try reporting { try stream.send(frame) { try wait(for: POLLOUT, deadline) } }
  }

  /// Waits for one frame.
  public func receive(deadline: Deadline) throws(ProgramFailure) -> [UInt8] {
    try reporting { try stream.receive { try wait(for: POLLIN, deadline) } }
  }

  private func reporting<Result>(_ body: () throws -> Result) throws(ProgramFailure) -> Result {
    do { return try body() } catch let failure as ProgramFailure { throw failure } catch { throw .crashed }
  }

  /// Waits until the socket is ready, or a signal arrives.
  private func wait(for event: Int32, _ deadline: Deadline) throws(ProgramFailure) {
    try deadline.check()
    var query = pollfd(fd: socket, events: Int16(event), revents: 0)
    // Short, so that an interrupt that raised no signal in this process is noticed too.
    if poll(&query, 1, 100) < 0, errno != EINTR { throw .crashed }
  }

  /// Returns false once the program has ended.
  public func isAlive() -> Bool {
    var status: Int32 = 0
    if !isReaped, waitpid(process, &status, WNOHANG) == process { isReaped = true }
    return !isReaped
  }

  deinit {
    close(socket)
    // It would end by itself at the end of its input, unless it is busy with a request.
    if isAlive() { endProgram(process) }
  }
}

/// A program that is started at the first request, kept for the next one, and dropped when a request fails.
public final class ReusableProgram {
  private let path: String
  private let environment: [String]
  private let longestFrame: Int
  private let clock: () -> Double
  private let shouldStop: () -> Bool
  /// The running program, when it is idle.
  public private(set) var process: ChannelProcess?
  /// The running program whose answer has not been read yet.
  private var begun: (ChannelProcess, Deadline)?

  /// Creates the object without starting the program.
  public init(
    path: String, environment: [String], longestFrame: Int, clock: @escaping () -> Double,
    shouldStop: @escaping () -> Bool
  ) {
    (self.path, self.environment, self.longestFrame) = (path, environment, longestFrame)
    (self.clock, self.shouldStop) = (clock, shouldStop)
  }

  /// Makes one request, of one or several frames. A program that died unnoticed before it is restarted silently; if
  /// `body` throws, the program is dropped.
  public func request<Answer>(
    within seconds: Double, _ body: (ChannelProcess, Deadline) throws(ProgramFailure) -> Answer
  ) throws(ProgramFailure) -> Answer { try keeping(running(within: seconds), body) }

  /// Sends a request whose answer `end` reads later. Any other request before that drops it together with the program.
  public func begin(
    within seconds: Double, _ body: (ChannelProcess, Deadline) throws(ProgramFailure) -> Void
  ) throws(ProgramFailure) {
    let started = try running(within: seconds)
    try body(started.0, started.1)
    begun = started
  }

  /// Reads the answer to the request that `begin` sent; returns nil if no request is open.
  public func end<Answer>(
    _ body: (ChannelProcess, Deadline) throws(ProgramFailure) -> Answer
  ) throws(ProgramFailure) -> Answer? {
    guard let started = begun else { return nil }
    begun = nil
    return try keeping(started, body)
  }

  private func keeping<Answer>(
    _ started: (ChannelProcess, Deadline), _ body: (ChannelProcess, Deadline) throws(ProgramFailure) -> Answer
  ) throws(ProgramFailure) -> Answer {
    let answer = try body(started.0, started.1)
    process = started.0
    return answer
  }

  /// Returns the program, which is idle no longer; a request that `begin` sent is dropped.
  private func running(within seconds: Double) throws(ProgramFailure) -> (ChannelProcess, Deadline) {
    let deadline = Deadline(seconds: seconds, clock: clock, shouldStop: shouldStop)
    defer { (process, begun) = (nil, nil) }
    if let process, process.isAlive() { return (process, deadline) }
    return (try ChannelProcess(path: path, environment: environment, longestFrame: longestFrame), deadline)
  }
}

/// The time limit of one request, and a check whether the user still wants its answer.
public struct Deadline {
  private let seconds: Double
  private let deadline: Double
  private let clock: () -> Double
  private let shouldStop: () -> Bool

  /// - Parameter seconds: counted from now.
  public init(seconds: Double, clock: @escaping () -> Double, shouldStop: @escaping () -> Bool) {
    (self.seconds, self.clock, self.shouldStop) = (seconds, clock, shouldStop)
    deadline = clock() + seconds
  }

  public func check() throws(ProgramFailure) {
    if shouldStop() { throw .interrupted }
    if clock() > deadline { throw .timedOut(seconds: seconds) }
  }
}
