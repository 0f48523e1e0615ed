// What the tests share: a data folder that goes with the test, a clock in the hand, processes and pseudo terminals.

import Files
import Glibc
import Testing

@testable import Authentication

/// A clock that stands until it is moved.
final class HandClock {
  var reading = ClockReading(wall: 1_700_000_000_000, boot: 1_000_000, bootID: "first")
  private var state: UInt64 = 7

  func pass(_ seconds: Double) {
    reading.wall += Int64(seconds * 1000)
    reading.boot += Int64(seconds * 1000)
  }

  var environment: Environment {
    Environment(
      clocks: Clocks(reading: { self.reading }, pause: { usleep(UInt32($0) * 1000) }),
      random: RandomSources(entropy: {
        self.state = self.state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return self.state
      }))
  }
}

/// A data folder with a store; removed at the end.
final class DataFolder {
  let path: String
  let hand = HandClock()

  init() throws {
    var template = Array("/tmp/deckhand-auth-XXXXXX".utf8CString)
    path = String(cString: try #require(mkdtemp(&template)))
  }

  deinit {
    do { try PrivateFile.removeTree(path) } catch { print("left behind: \(error)") }
  }

  static let cheap = HashCost(memory: 8, passes: 1)

  func store(cost: HashCost = cheap) throws -> AccountStore {
    try AccountStore(data: path, environment: hand.environment, cost: cost)
  }

  /// A store with the account ana, whose password is `correct horse`.
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

/// A started probe, and what it says.
final class ProbeProcess {
  let id: pid_t
  private let output: Int32
  /// The terminal that it has, or -1.
  let terminal: Int32

  /// With a `script`, bash runs it with job control, `$0` being the probe.
  init(_ arguments: [String], onTerminal: Bool = false, script: String? = nil) throws {
    var path = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &path, 4095)
    let tests = String(decoding: path.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let probe = tests[..<(try #require(tests.lastIndex(of: "/")))] + "/AuthenticationProbe"
    var pipes: [Int32] = [0, 0]
    try #require(pipe(&pipes) == 0)
    for end in pipes { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_adddup2(&actions, pipes[1], 1)
    var terminal: Int32 = -1
    // A test run in the background may ignore SIGINT; the probe begins with everything as usual.
    var all = sigset_t()
    var none = sigset_t()
    sigfillset(&all)
    sigemptyset(&none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    if onTerminal {
      // As posix_openpt(3), unlockpt(3) and ptsname(3) do it on Linux; the importer hides these.
      terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
      var unlocked: Int32 = 0
      var number: Int32 = 0
      try #require(ioctl(terminal, 0x4004_5431, &unlocked) == 0 && ioctl(terminal, 0x8004_5430, &number) == 0)
      // 0x80 is POSIX_SPAWN_SETSID: the leader of a new session gets the first terminal that it opens.
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | 0x80))
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/pts/\(number)", O_RDWR, 0)
      posix_spawn_file_actions_adddup2(&actions, 0, 2)
    }
    let line = script.map { ["/bin/bash", "-mc", $0] } ?? []
    let program = line.first ?? String(probe)
    var words: [UnsafeMutablePointer<CChar>?] = (line + [String(probe)] + arguments).map { strdup($0) } + [nil]
    var settings: [UnsafeMutablePointer<CChar>?] = [
      strdup("SWIFT_BACKTRACE=enable=no"), strdup("PATH=/usr/bin:/bin"), nil,
    ]
    defer { for pointer in words + settings { free(pointer) } }
    var id = pid_t()
    try #require(posix_spawn(&id, program, &actions, &attributes, &words, &settings) == 0)
    close(pipes[1])
    self.id = id
    output = pipes[0]
    self.terminal = terminal
  }

  deinit {
    close(output)
    if terminal >= 0 { close(terminal) }
  }

  /// Everything that it says, without the line end, and how it ended: its exit status, or minus the signal.
  func end() -> (said: String, status: Int32) {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 256)
    while true {
      let count = Glibc.read(output, &buffer, buffer.count)
      if count <= 0 { break }
      bytes += buffer.prefix(count)
    }
    var status: Int32 = 0
    waitpid(id, &status, 0)
    let signal = status & 0x7F
    let text = String(decoding: bytes, as: UTF8.self)
    return (text.hasSuffix("\n") ? String(text.dropLast()) : text, signal == 0 ? (status >> 8) & 0xFF : -signal)
  }

  // MARK: The terminal

  var echoes: Bool {
    var mode = termios()
    return tcgetattr(terminal, &mode) == 0 && mode.c_lflag & UInt32(ECHO) != 0
  }

  func type(_ text: String) { _ = Array(text.utf8).withUnsafeBytes { Glibc.write(terminal, $0.baseAddress, $0.count) } }

  /// Reads what the terminal shows until it holds `text`, five seconds at most.
  func shows(_ text: String) -> Bool {
    var shown: [UInt8] = []
    for _ in 0..<500 {
      var waiting = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
      if poll(&waiting, 1, 10) == 1 {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(terminal, &buffer, buffer.count)
        if count <= 0 { return false }
        shown += buffer.prefix(count)
      }
      if String(decoding: shown, as: UTF8.self).contains(text) { return true }
    }
    return false
  }

  /// Waits until something holds, five seconds at most.
  func waits(_ condition: () -> Bool) -> Bool {
    for _ in 0..<500 {
      if condition() { return true }
      usleep(10_000)
    }
    return false
  }

  /// The letter of its state in /proc: `T` when it is stopped.
  var state: Character? {
    guard let file = fopen("/proc/\(id)/stat", "r") else { return nil }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 512)
    let count = fread(&buffer, 1, 512, file)
    let text = String(decoding: buffer.prefix(count), as: UTF8.self)
    return text.split(separator: ")").last?.split(separator: " ").first?.first
  }
}
