// Where code runs that is not the user's own: a bundled plugin's in deckhand's process unless it has formats, any other
// plugin's in its own, a deckhand-plugin, and so a source of `build`. Invariants: code whose process cannot be started,
// or has ended, is not run elsewhere instead, only the user decides that; nothing that the process does, or
// fails to do, blocks the shell longer than the waiting caller allows; the process ends when its object is freed.

import Bindings
import CConfinement
import Files
import Glibc
public import LuaRuntime
import Wire

/// Why the process cannot be started.
struct IsolationFailure: Error { let words: String }

/// A running deckhand-plugin.
///
///     let process = try PluginProcess(path: path, variables: [], terms, seconds: 2, clock: clocks.elapsed)
final class PluginProcess: DistantChannel {
  private(set) var process: pid_t
  private let channel: Int32
  private let stream: FrameStream
  /// The time limit of a call in seconds; the kernel limits the process with it, too.
  private let seconds: Double
  private let clock: () -> Double
  private var renewed = -1.0
  private var isEnded = false
  /// The wait status that it ended with, once it has.
  private var ending: Int32 = 0

  private static let startSeconds = 10.0

  /// - Parameters:
  ///   - variables: `NAME=value`: the time zone.
  ///   - seconds: the time limit of a call.
  ///   - clock: monotonic seconds.
  init(
    path: String, variables: [String], _ terms: CodeTerms, seconds: Double, clock: @escaping () -> Double
  ) throws(IsolationFailure) {
    (self.seconds, self.clock) = (seconds, clock)
    do throws(ProgramFailure) { (process, channel) = try startTalkingProgram([path], environment: variables) } catch {
      throw IsolationFailure(words: "\(path) cannot be started; put deckhand-plugin next to deckhand")
    }
    // Short, so that a stop request without a signal is noticed too; with a timeout, a signal always ends the wait.
    var limit = timeval(tv_sec: 0, tv_usec: 20_000)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(channel, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    stream = FrameStream(input: channel, output: channel, longest: terms.longestFrame, isSocket: true, spinWait: true)
    do {
      try send(terms.frame)
      let deadline = Deadline(seconds: Self.startSeconds, clock: clock, shouldStop: { false })
      if try receive({ try deadline.check() }) == CodeServer.ready { return }
    } catch {
      // The way that the process ended says why.
    }
    finish()
    let isUnconfined = ending == CodeServer.notConfined << 8
    throw IsolationFailure(
      words: isUnconfined ? "this system cannot restrict what a process may do" : "\(path) did not answer")
  }

  deinit { finish() }

  // MARK: The channel

  func send(_ frame: [UInt8]) throws {
    renewTime()
    var blocked = 0
    do {
      try stream.send(frame) {
        // The process does not read: it may be busy, so this waits unless a stop was requested.
        blocked += Interrupts.areRequested ? 1 : 0
        if blocked > 50 { throw DistantFailure.unresponsive }
      }
    } catch is FrameEnd {
      throw failure()
    }
  }

  func receive(_ waiting: () throws -> Void) throws -> [UInt8] {
    do { return try stream.receive(waiting) } catch let end as FrameEnd {
      throw end == .gone ? failure() : DistantFailure.invalidMessage
    }
  }

  func makeRoom(by body: @escaping (Int) -> Void) { stream.makeRoom = body }

  func requestStop(_ value: Int32) {
    guard !isEnded else { return }
    sigqueue(process, SIGUSR1, sigval(sival_int: value))
  }

  // MARK: Time and end

  /// Limits the processor time of the process from now, to more than the limit that the shell itself enforces.
  private func renewTime() {
    let now = clock()
    guard now - renewed > 0.5, !isEnded else { return }
    renewed = now
    confine_time(process, UInt(seconds.rounded(.up)) + 3)
  }

  func end() { finish() }

  private func finish() {
    guard !isEnded else { return }
    isEnded = true
    close(channel)
    ending = endProgram(process)
  }

  private func failure() -> DistantFailure {
    finish()
    let signal = ending & 0x7F
    guard signal != 0 else { return .ended("ended with status \(ending >> 8)") }
    if signal == SIGXCPU { return .ended("used up its time") }
    return .ended("was ended by signal \(signal)" + (strsignal(signal).map { " (\(String(cString: $0)))" } ?? ""))
  }
}

public struct PluginIsolation {
  let host: PluginHost

  /// Whether a plugin's code runs, or would run, in its own process.
  public func holds(_ plugin: Plugin) -> Bool { plugin.wantsProcess && host.environment.folders.pluginProgram != nil }

  /// Checks that a plugin could run where it is supposed to.
  /// - Throws: `PluginError.cannotIsolate`.
  func check(_ plugin: Plugin) throws {
    _ = try process(for: plugin, CodeTerms(memoryLimit: plugin.limits.memory << 20, seed: nil))
  }

  /// Starts the process for a plugin, with this state as its twin; nil for a plugin that runs in Deckhand's process.
  func start(_ plugin: Plugin, _ lua: LuaState, seed: UInt64?) throws -> DistantCode? {
    var terms = CodeTerms(memoryLimit: plugin.limits.memory << 20, seed: seed)
    terms.isTracing = lua.isTracing
    guard let process = try process(for: plugin, terms) else { return nil }
    let code = DistantCode(lua, process, longestFrame: terms.longestFrame)
    code.onFailure = { [weak host, weak plugin] why in
      if let host, let plugin { PluginIsolation(host: host).unloadAfterFailure(plugin, why) }
    }
    return code
  }

  /// Starts the process for code that no plugin owns, with this state as its twin.
  /// - Parameter seconds: the time limit of a call.
  public func start(_ lua: LuaState, _ terms: CodeTerms, seconds: Double) throws -> DistantCode? {
    try process(terms, seconds: seconds) { LuaFailure.message("it cannot run in a process of its own: \($0)") }.map {
      DistantCode(lua, $0, longestFrame: terms.longestFrame)
    }
  }

  private func process(for plugin: Plugin, _ terms: CodeTerms) throws -> PluginProcess? {
    guard plugin.wantsProcess else { return nil }
    return try process(terms, seconds: plugin.limits.seconds) {
      PluginError.cannotIsolate(plugin: plugin.name, reason: $0)
    }
  }

  private func process(_ terms: CodeTerms, seconds: Double, _ failure: (String) -> any Error) throws -> PluginProcess? {
    guard let path = host.environment.folders.pluginProgram else { return nil }
    let zone = host.environment.variables.value("TZ").map { ["TZ=" + $0] } ?? []
    do throws(IsolationFailure) {
      return try PluginProcess(
        path: path, variables: zone, terms, seconds: seconds, clock: host.environment.clocks.elapsed)
    } catch {
      throw failure(error.words)
    }
  }

  /// Unloads a plugin whose process has ended, until it is loaded again. The caller gets the reason as an error.
  private func unloadAfterFailure(_ plugin: Plugin, _ why: DistantFailure) {
    plugin.lastError = why.words
    // During loading, the code that loads the plugin sets its state.
    guard plugin.state == .loaded else { return }
    host.unload(plugin)
    plugin.state = .failed(why.words + "; `plugin reload \(plugin.name)` starts it again")
  }
}

extension PluginHost {
  public var isolation: PluginIsolation { PluginIsolation(host: self) }
}
