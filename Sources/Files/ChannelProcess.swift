// A program of ours that is started by posix_spawn, talked to over a socket pair, and killed when it is let go of.
// Invariant: nothing it does can block the shell for longer than the time limit (see `FrameChannel`).

public import Glibc

/// Why such a program gave no answer.
public enum ProgramFailure: Error, Equatable, Sendable {
  /// It is not where it is looked for.
  case missing(path: String, errno: Int32)
  /// It ended, or said what makes no sense.
  case crashed
  case timedOut(seconds: Double)
  /// The user wanted it to stop.
  case interrupted
}

/// A running program. Frames are a length of four bytes, then so many bytes.
///
///     let process = try ChannelProcess(path: path, environment: [], longestFrame: 1 << 20)
///     let answer = try process.ask(request, deadline: deadline)
public final class ChannelProcess {
  public let process: pid_t
  private var isReaped = false
  private let channel: FrameChannel

  /// - Parameters:
  ///   - environment: `NAME=value`.
  ///   - longestFrame: bytes; a longer one is not received.
  public init(path: String, environment: [String], longestFrame: Int) throws(ProgramFailure) {
    let started = try startTalkingProgram([path], environment: environment)
    process = started.process
    channel = FrameChannel(started.socket, longestFrame: longestFrame)
  }

  /// Sends a request and waits for its answer.
  public func ask(_ request: [UInt8], deadline: Deadline) throws(ProgramFailure) -> [UInt8] {
    try channel.ask(request, deadline: deadline)
  }

  /// Sends one frame.
  public func send(_ frame: [UInt8], deadline: Deadline) throws(ProgramFailure) {
    try channel.send(frame, deadline: deadline)
  }

  /// Waits for one frame.
  public func receive(deadline: Deadline) throws(ProgramFailure) -> [UInt8] {
    try channel.receive(deadline: deadline)
  }

  /// False once it has ended.
  public func isAlive() -> Bool {
    var status: Int32 = 0
    if !isReaped, waitpid(process, &status, WNOHANG) == process { isReaped = true }
    return !isReaped
  }

  deinit {
    // It would end by itself at the end of its input, unless it is in the middle of something.
    if isAlive() { endProgram(process) }
  }
}

/// A program that is started when it is first needed, kept for the next request, and let go of when one fails.
///
///     let answer = try program.request(within: 30) { running, deadline in try running.ask(bytes, deadline: deadline) }
public final class KeptProgram {
  private let path: String
  private let environment: [String]
  private let longestFrame: Int
  private let clock: () -> Double
  private let shouldStop: () -> Bool
  /// The one that runs.
  public private(set) var process: ChannelProcess?
  /// The one that works on a request whose answer was not taken yet.
  private var begun: (ChannelProcess, Deadline)?

  /// Starts nothing yet.
  /// - Parameters:
  ///   - environment: `NAME=value`.
  ///   - longestFrame: bytes of one.
  ///   - clock: monotonic seconds.
  ///   - shouldStop: asked while it waits; true gives the request up.
  public init(
    path: String, environment: [String], longestFrame: Int, clock: @escaping () -> Double,
    shouldStop: @escaping () -> Bool
  ) {
    (self.path, self.environment, self.longestFrame) = (path, environment, longestFrame)
    (self.clock, self.shouldStop) = (clock, shouldStop)
  }

  /// Makes one request, of one frame or several. A program that died before it, unseen, is replaced without a word;
  /// when `body` throws, the program is not asked again.
  /// - Parameter seconds: that the whole request may take.
  public func request<Answer>(
    within seconds: Double, _ body: (ChannelProcess, Deadline) throws(ProgramFailure) -> Answer
  ) throws(ProgramFailure) -> Answer {
    begun = nil
    let (running, deadline) = try running(within: seconds)
    process = nil
    let answer = try body(running, deadline)
    process = running
    return answer
  }

  /// Sends a request whose answer is taken by `end`, while the program works on it. Any other request before that gives
  /// it up, and the program with it.
  public func begin(
    within seconds: Double, _ body: (ChannelProcess, Deadline) throws(ProgramFailure) -> Void
  ) throws(ProgramFailure) {
    begun = nil
    let (running, deadline) = try running(within: seconds)
    process = nil
    try body(running, deadline)
    begun = (running, deadline)
  }

  /// Takes the answer of what was begun.
  /// - Returns: nil where nothing was.
  public func end<Answer>(
    _ body: (ChannelProcess, Deadline) throws(ProgramFailure) -> Answer
  ) throws(ProgramFailure) -> Answer? {
    guard let (running, deadline) = begun else { return nil }
    begun = nil
    let answer = try body(running, deadline)
    process = running
    return answer
  }

  private func running(within seconds: Double) throws(ProgramFailure) -> (ChannelProcess, Deadline) {
    let deadline = Deadline(seconds: seconds, clock: clock, shouldStop: shouldStop)
    if let process, process.isAlive() { return (process, deadline) }
    return (try ChannelProcess(path: path, environment: environment, longestFrame: longestFrame), deadline)
  }
}

/// How long one request may take, and whether the user still wants its answer.
///
///     try Deadline(seconds: 30, clock: clock, shouldStop: isInterrupted).check()
public struct Deadline {
  private let seconds: Double
  private let deadline: Double
  private let clock: () -> Double
  private let shouldStop: () -> Bool

  /// - Parameters:
  ///   - seconds: from now on.
  ///   - clock: monotonic seconds.
  public init(seconds: Double, clock: @escaping () -> Double, shouldStop: @escaping () -> Bool) {
    (self.seconds, self.clock, self.shouldStop) = (seconds, clock, shouldStop)
    deadline = clock() + seconds
  }

  public func check() throws(ProgramFailure) {
    if shouldStop() { throw .interrupted }
    if clock() > deadline { throw .timedOut(seconds: seconds) }
  }
}
