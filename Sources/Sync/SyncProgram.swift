// Asks deckhand-sync: starts it at the first call, keeps it for the next one, lets go of it when anything fails.
// Invariant: one call, one answer; an interruption ends the program, and with it the connection.

import Files
import SyncWire
import Values

/// The program that talks to servers, outside this process.
///
///     let program = SyncProgram(path: "/usr/libexec/deckhand-sync", environment: [], clock: clock)
public final class SyncProgram {
  private let program: KeptProgram
  /// Seconds that one call may take in all, however much comes.
  private static let longestCall = 3600.0
  private static let limits = JSONLimits(bytes: longestSyncFrame, depth: 64, values: 20_000_000, string: 64 << 20)

  /// Starts nothing yet.
  /// - Parameters:
  ///   - path: of deckhand-sync; it stands beside deckhand.
  ///   - environment: `NAME=value`: the proxies that the user has set.
  ///   - clock: monotonic seconds.
  ///   - shouldStop: asked while it waits; true gives the call up.
  public init(
    path: String, environment: [String], clock: @escaping () -> Double, shouldStop: @escaping () -> Bool = { false }
  ) {
    program = KeptProgram(
      path: path, environment: environment, longestFrame: longestSyncFrame, clock: clock, shouldStop: shouldStop)
  }

  /// Makes a call.
  /// - Parameter body: JSON.
  /// - Returns: where the server is now, and its answer.
  func call(_ request: SyncRequest, _ body: [UInt8]) throws(SyncError) -> (address: String, answer: Value) {
    let (address, answer) = try exchange(request, body)
    do throws(JSONFailure) { return (address, try JSONParser.parse(answer, limits: SyncProgram.limits)) } catch {
      throw .call(.badAnswer(reason: "is not JSON"), step: request.call, address: address)
    }
  }

  /// Makes a call whose body and answer may be anything.
  func exchange(_ request: SyncRequest, _ body: [UInt8]) throws(SyncError) -> (address: String, answer: [UInt8]) {
    let (reply, answer) = try reply(to: request, body)
    switch reply {
    case .failed(let fault): throw .call(fault, step: request.call, address: request.address)
    case .done(let address): return (address, answer)
    }
  }

  private func reply(to request: SyncRequest, _ body: [UInt8]) throws(SyncError) -> (SyncReply, [UInt8]) {
    do throws(ProgramFailure) {
      return try program.request(within: SyncProgram.longestCall) { running, limit throws(ProgramFailure) in
        try running.send(JSONWriter.bytes(of: request.value), deadline: limit)
        try running.send(body, deadline: limit)
        guard let reply = syncHead(try running.receive(deadline: limit)).flatMap(SyncReply.init) else { throw .crashed }
        var answer: [UInt8] = []
        if case .done = reply { answer = try running.receive(deadline: limit) }
        return (reply, answer)
      }
    } catch {
      throw SyncError(error)
    }
  }
}

extension SyncError {
  fileprivate init(_ failure: ProgramFailure) {
    self =
      switch failure {
      case .missing(let path, _): .noProgram(path: path)
      case .crashed: .programFailed(reason: "ended in the middle")
      case .timedOut: .programFailed(reason: "took longer than an hour for one call")
      case .interrupted: .interrupted
      }
  }
}
