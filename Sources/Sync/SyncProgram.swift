// Calls deckhand-net: starts it for the first call, keeps it running for the next one, and drops it after any failure.
// Invariant: each call gets one answer; an interrupt ends the program, and with it the connection.

import Files
import Values
import Wire

/// The program that talks to servers, in a separate process.
public final class SyncProgram {
  private let program: ReusableProgram
  /// A call whose answer has not been received yet.
  private var begun: SyncRequest?
  /// The limit in seconds for one call, even while data keeps arriving.
  private static let longestCall = 3600.0
  private static let limits = JSONLimits(bytes: longestSyncFrame, depth: 64, values: 20_000_000, string: 64 << 20)

  /// Does not start the program yet.
  public init(path: String, environment: [String], clock: @escaping () -> Double, shouldStop: @escaping () -> Bool) {
    program = ReusableProgram(
      path: path, environment: environment, longestFrame: longestSyncFrame, clock: clock, shouldStop: shouldStop)
  }

  func parsed(_ answer: [UInt8], of request: SyncRequest) throws(SyncError) -> Value {
    do throws(JSONFailure) { return try JSONParser.parse(answer, limits: SyncProgram.limits) } catch {
      throw .call(.badAnswer(reason: "is not JSON"), step: request.call, address: request.address)
    }
  }

  /// Sends a call without waiting, so that the caller can do other work; `exchange` with the same call receives its
  /// answer. Any other call before that cancels it.
  func begin(_ request: SyncRequest, _ body: [UInt8]) throws(SyncError) {
    do throws(ProgramFailure) {
      try program.begin(within: SyncProgram.longestCall) { running, limit throws(ProgramFailure) in
        try SyncProgram.send(request, body, running, limit)
      }
    } catch { throw SyncError(error) }
    begun = request
  }

  /// Makes a call whose body and answer may be any bytes.
  func exchange(_ request: SyncRequest, _ body: [UInt8]) throws(SyncError) -> (address: String, answer: [UInt8]) {
    let (reply, answer) = try reply(to: request, body)
    switch reply {
    case .failed(let fault): throw .call(fault, step: request.call, address: request.address)
    case .done(let address): return (address, answer)
    }
  }

  private func reply(to request: SyncRequest, _ body: [UInt8]) throws(SyncError) -> (SyncReply, [UInt8]) {
    let isBegun = begun == request
    begun = nil
    do throws(ProgramFailure) {
      if isBegun, let answer = try program.end(SyncProgram.receive) { return answer }
      return try program.request(within: SyncProgram.longestCall) { running, limit throws(ProgramFailure) in
        try SyncProgram.send(request, body, running, limit)
        return try SyncProgram.receive(running, limit)
      }
    } catch { throw SyncError(error) }
  }

  private static func send(
    _ request: SyncRequest, _ body: [UInt8], _ running: ChannelProcess, _ limit: Deadline
  ) throws(ProgramFailure) {
    try running.send(JSONWriter.bytes(of: request.value), deadline: limit)
    try running.send(body, deadline: limit)
  }

  private static func receive(
    _ running: ChannelProcess, _ limit: Deadline
  ) throws(ProgramFailure) -> (SyncReply, [UInt8]) {
    guard let reply = syncHead(try running.receive(deadline: limit)).flatMap(SyncReply.init) else { throw .crashed }
    var answer: [UInt8] = []
    if case .done = reply { answer = try running.receive(deadline: limit) }
    return (reply, answer)
  }
}

extension SyncError {
  fileprivate init(_ failure: ProgramFailure) {
    self =
      switch failure {
      case .missing(let path, _): .noProgram(path: path)
      case .crashed, .refused: .programFailed(reason: "ended unexpectedly")
      case .timedOut: .programFailed(reason: "took longer than an hour for one call")
      case .interrupted: .interrupted
      }
  }
}
