// What the tests share: a temporary data folder with a clock, and the probe program that is killed and raced.

import Glibc
import TestSupport

@testable import Authentication

/// A data folder with a store; removed at the end.
final class DataFolder {
  private let folder = TemporaryFolder()
  let hand = TestClock()

  var path: String { folder.path }

  static let cheap = HashCost(memory: 8, passes: 1)

  func store(cost: HashCost = cheap) throws -> AccountStore {
    try AccountStore(data: path, environment: hand.environment, cost: cost)
  }

  /// Returns a store with the account ana, whose password is `correct horse`.
  func storeWithAna(cost: HashCost = cheap) throws -> AccountStore {
    let store = try store(cost: cost)
    _ = try store.add("ana", try Secret("correct horse"), adoptingLocal: false)
    return store
  }

  var credentials: String { path + "/accounts/ana/credentials" }

  func read(_ path: String) throws -> [UInt8] { try PrivateFile.read(path, limit: 100_000) }
  func write(_ path: String, _ bytes: [UInt8]) throws { try PrivateFile.replace(path, with: bytes) { _ in 0 } }
}

extension Secret {
  init(_ text: String) throws(AuthenticationError) { try self.init(bytes: Array(text.utf8)) }
}

func refusal(_ body: () throws -> Void) -> AuthenticationError? {
  do { try body() } catch {
    if let error = error as? AuthenticationError { return error }
    Issue.record(error)
  }
  return nil
}

/// A running probe, and its output.
final class ProbeProcess {
  let id: pid_t
  private let output: Int32
  /// The terminal on its standard input and standard error.
  private let terminal: PseudoTerminal?

  /// If a `script` is given, bash runs it with job control, with the probe as `$0`.
  init(_ arguments: [String], onTerminal: Bool = false, script: String? = nil) throws {
    let words = (script.map { ["/bin/bash", "-mc", $0] } ?? []) + [builtProgram("AuthenticationProbe")] + arguments
    let ends = try makePipe()
    defer { close(ends.writing) }
    output = ends.reading
    let environment = ["PATH=/usr/bin:/bin"]
    if onTerminal {
      let terminal = try PseudoTerminal(words, environment: environment, standardOutput: ends.writing)
      (self.terminal, id) = (terminal, terminal.process)
    } else {
      terminal = nil
      id = try spawn(words, environment: environment) { posix_spawn_file_actions_adddup2(&$0, ends.writing, 1) }
    }
  }

  deinit { close(output) }

  /// Returns its output without the line feed, and its exit status, or minus the signal.
  func end() -> (said: String, status: Int32) {
    let text = String(decoding: drained(output), as: UTF8.self)
    let status = terminal?.waitStatus() ?? waitStatus(of: id)
    let signal = status & 0x7F
    return (text.hasSuffix("\n") ? String(text.dropLast()) : text, signal == 0 ? (status >> 8) & 0xFF : -signal)
  }

  var echoes: Bool { terminal?.echoes ?? false }

  func type(_ text: String) { terminal?.type(text) }

  /// Reads what the terminal shows until it contains `text`, five seconds at most.
  func shows(_ text: String) -> Bool { terminal?.shows(text) ?? false }

  /// The letter of its state in /proc: `T` when it is stopped.
  var state: Character? {
    text(of: "/proc/\(id)/stat").split(separator: ")").last?.split(separator: " ").first?.first
  }
}
