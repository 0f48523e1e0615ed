// Delays after wrong passwords, and several processes with one account.

import Files
import Glibc
import Problems
import TestSupport

@testable import Authentication

@Suite struct WaitingTests {
  private let data = DataFolder()

  private func tries(_ store: AccountStore, _ name: String = "ana", _ password: String = "wrong horse")
    -> AuthenticationError?
  {
    refusal { _ = try store.verify(name, try Secret(password)) }
  }

  @Test func `each failure doubles the delay, from one second to an hour`() throws {
    let store = try data.storeWithAna()
    for seconds in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600, 3600] {
      #expect(tries(store) == .denied)
      #expect(tries(store) == .locked(retryAfter: seconds))
      #expect(tries(store, "ana", "correct horse") == .locked(retryAfter: seconds))
      data.hand.pass(Double(seconds) - 0.4)
      #expect(tries(store) == .locked(retryAfter: 1))
      data.hand.pass(0.4)
    }
    #expect(tries(store, "ana", "correct horse") == nil)
    #expect(tries(store) == .denied)
    #expect(tries(store) == .locked(retryAfter: 1))
  }

  @Test func `the delay survives the program, and applies to no other account`() throws {
    let store = try data.storeWithAna()
    _ = try store.add("ben", try Secret("battery staple"), adoptingLocal: false)
    #expect(tries(store) == .denied)
    #expect(tries(try data.store()) == .locked(retryAfter: 1))
    #expect(tries(try data.store(), "ben", "battery staple") == nil)
  }

  @Test(arguments: ["ana", "nobody"])
  func `spaces around a name count as an attempt at it, whether the name exists or not`(name: String) throws {
    let store = try DataFolder().storeWithAna()
    #expect(tries(store, name) == .denied)
    for typed in [" \(name)", "\(name)\t", String(repeating: " ", count: 300) + name] {
      #expect(tries(store, typed) == .locked(retryAfter: 1))
    }
  }

  @Test func `changing the clock does not shorten the delay, neither now nor across a restart`() throws {
    let store = try data.storeWithAna()
    for _ in 0..<5 {
      #expect(tries(store) == .denied)
      data.hand.pass(64)
    }
    #expect(tries(store) == .denied)
    data.hand.reading.wall += 1_000_000_000
    #expect(tries(store) == .locked(retryAfter: 32))
    data.hand.reading.wall -= 2_000_000_000
    #expect(tries(store) == .locked(retryAfter: 32))
    // A restart with the clock set back: the delay starts anew, and only once.
    data.hand.reading = ClockReading(wall: 5_000, boot: 10, bootID: "second")
    #expect(tries(store) == .locked(retryAfter: 32))
    data.hand.pass(31)
    #expect(tries(store) == .locked(retryAfter: 1))
    data.hand.pass(1)
    #expect(tries(store) == .denied)
    // A restart with the right clock: the time in between counts.
    data.hand.reading = ClockReading(wall: data.hand.reading.wall + 60_000, boot: 10, bootID: "third")
    #expect(tries(store) == .locked(retryAfter: 4))
    data.hand.pass(4)
    #expect(tries(store, "ana", "correct horse") == nil)
  }

  @Test func `a time in the future does not lock until the machine is restarted`() throws {
    let store = try data.storeWithAna()
    var future = data.hand.reading
    future.boot += 1_000_000_000_000
    try data.write(data.path + "/accounts/ana/attempts", Failures(count: 3, last: future).record(tag: "account"))
    #expect(tries(store) == .locked(retryAfter: 4))
    data.hand.pass(4)
    #expect(tries(store, "ana", "correct horse") == nil)
  }

  @Test func `removing the record of failures does not avoid the delay`() throws {
    let store = try data.storeWithAna()
    #expect(tries(store) == .denied)
    for _ in 0..<3 {
      unlink(data.path + "/accounts/ana/attempts")
      #expect(tries(store, "ana", "correct horse") == .locked(retryAfter: 16))
      data.hand.pass(15)
      #expect(tries(store, "ana", "correct horse") == .locked(retryAfter: 1))
    }
    data.hand.pass(1)
    #expect(tries(store, "ana", "correct horse") == nil)
  }

  @Test func `too little memory for a hash is reported, and does not use up an attempt`() async throws {
    await #expect(processExitsWith: .success) {
      let data = DataFolder()
      let store = try data.storeWithAna(cost: HashCost(memory: 262_144, passes: 1))
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
      // The memory used now, and little more.
      let pages = try FileText.read("/proc/self/statm", limit: 1000)?.split(separator: " ").first.flatMap { UInt($0) }
      limit.rlim_cur = try #require(pages) * 4096 + (128 << 20)
      setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
      for _ in 0..<3 {
        do {
          _ = try store.verify("ana", try Secret("correct horse"))
          exit(3)
        } catch {
          if error as? AuthenticationError != .outOfMemory { exit(4) }
        }
      }
      limit.rlim_cur = limit.rlim_max
      setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
      _ = try store.verify("ana", try Secret("correct horse"))
    }
  }

  @Test func `unknown names are delayed too, in a file that does not grow`() throws {
    let store = try data.store()
    #expect(tries(store, "nobody") == .denied)
    #expect(tries(store, "Nobody") == .locked(retryAfter: 1))
    for number in 0..<800 { #expect(tries(store, "name\(number)") == .denied) }
    let locked = (0..<800).count { tries(store, "name\($0)") == .locked(retryAfter: 1) }
    #expect(locked > 600)
    var status = stat()
    #expect(stat(data.path + "/accounts/.attempts", &status) == 0 && status.st_size <= 4097 * 128)
    #expect(try PrivateFile.names(in: data.path + "/accounts") == [".attempts"])
  }

  @Test func `an invalid record counts as some failures`() throws {
    let store = try data.storeWithAna()
    let path = data.path + "/accounts/ana/attempts"
    for garbage in [
      "x", "failures -1 0 0 x", "failures 99999999999999999999 0 0 x", String(repeating: "\u{FFFF}", count: 100),
    ] {
      try data.write(path, Array(garbage.utf8))
      #expect(tries(store) == .locked(retryAfter: 16), "\(garbage)")
    }
    try data.write(
      path,
      Failures(count: 1_000_000_000, last: ClockReading(wall: .max, boot: .min, bootID: "first")).record(tag: "account")
    )
    #expect(tries(store)?.code == "denied" || tries(store)?.code == "locked")
  }

  @Test func `an attempt is counted before it is made, so killing the process gains nothing`() throws {
    _ = try data.storeWithAna()
    var counted: [String] = []
    // The clock is read when the attempt begins, and again after a wrong password.
    var environment = data.hand.environment
    environment.clocks.reading = {
      let bytes =
        PrivateFile.exists(data.path + "/accounts/ana/attempts")
        ? try? data.read(data.path + "/accounts/ana/attempts") : []
      counted.append(String(decoding: (bytes ?? []).prefix(10), as: UTF8.self))
      return data.hand.reading
    }
    let store = try AccountStore(data: data.path, environment: environment, cost: DataFolder.cheap)
    #expect(tries(store) == .denied)
    #expect(counted == ["failures 0", "failures 1"])
    data.hand.pass(5)
    #expect(tries(store, "ana", "correct horse") == nil)
    #expect(tries(store) == .denied)
    #expect(counted == ["failures 0", "failures 1", "failures 1", "failures 0", "failures 1"])
  }

  @Test func `a wrong name takes as long as a wrong password`() throws {
    let store = try data.storeWithAna(cost: .interactive)
    var times: [[Double]] = [[], []]
    // The minimum of many is the time of the work itself: other programs only ever add to it.
    func minima() throws -> (known: Double, unknown: Double, areAlike: Bool) {
      let (known, unknown) = (try #require(times[0].min()), try #require(times[1].min()))
      return (known, unknown, known < 1.5 * unknown && unknown < 1.5 * known)
    }
    // On a busy machine it takes more tries until one of each kind was undisturbed.
    for number in 0..<120 {
      if number >= 30, number % 2 == 0, try minima().areAlike { break }
      let name = number % 2 == 0 ? "ana" : "nobody\(number)"
      let start = processorSeconds()
      #expect(tries(store, name) == .denied)
      times[number % 2].append((processorSeconds() - start) * 1000)
      data.hand.pass(4000)
    }
    let (known, unknown, areAlike) = try minima()
    #expect(areAlike, "\(times)")
    print("a wrong password: \(known) ms, a wrong name: \(unknown) ms")
  }
}

@Suite struct ProcessTests {
  private let data = DataFolder()

  @Test(arguments: WritingStep.allCases)
  func `a process killed at any step of a password change leaves the old one or the new one`(step: WritingStep) throws {
    let store = try data.storeWithAna()
    let (said, status) = try ProbeProcess(
      ["change", data.path, "ana", "correct horse", "battery staple", step.rawValue]
    ).end()
    #expect(said.isEmpty && status == -SIGKILL)
    data.hand.pass(7200)
    let old = refusal { _ = try store.verify("ana", try Secret("correct horse")) }
    data.hand.pass(7200)
    let new = refusal { _ = try store.verify("ana", try Secret("battery staple")) }
    let isNew = step == .renamed || step == .done
    #expect(old == (isNew ? .denied : nil))
    #expect(new == (isNew ? nil : .denied))
    // The killed process's leftovers are in nobody's way.
    data.hand.pass(7200)
    let present = isNew ? "battery staple" : "correct horse"
    try store.changePassword(of: "ana", from: try Secret(present), to: try Secret("third password of ana's"))
    #expect(try PrivateFile.names(in: data.path + "/accounts/ana") == ["attempts", "credentials"])
  }

  @Test(arguments: WritingStep.allCases)
  func `a process killed at any step of adding leaves the account or the local data`(step: WritingStep) throws {
    mkdir(data.path + "/local", 0o700)
    try data.write(data.path + "/local/history", [7])
    #expect(try ProbeProcess(["add", data.path, "ana", "correct horse", step.rawValue]).end().status == -SIGKILL)
    let store = try data.store()
    #expect(try store.names().isEmpty)
    #expect(try data.read(store.openLocal().folder() + "/history") == [7])
    _ = try store.add("ana", try Secret("correct horse"), adoptingLocal: true)
    #expect(try data.read(data.path + "/accounts/ana/history") == [7])
    _ = try store.verify("ana", try Secret("correct horse"))
  }

  @Test func `after a sign-in no copy of the password is left in memory`() throws {
    let store = try data.store()
    let password = "Quetzal-73-wandert"
    _ = try store.add("ana", try Secret(password), adoptingLocal: false)
    try data.write(data.path + "/p", Array((password + "\n").utf8))
    let masked = String(decoding: password.utf8.map { $0 ^ 1 }, as: UTF8.self)
    let (said, status) = try ProbeProcess(["scan", data.path, "ana", data.path + "/p", masked]).end()
    // One copy while it is in use, in its own locked page; none afterwards.
    #expect(said == "1 0")
    #expect(status == 0)
  }

  @Test func `two processes that sign in at once both succeed`() throws {
    _ = try data.storeWithAna()
    for _ in 0..<5 {
      let processes = try (0..<4).map { _ in try ProbeProcess(["verify", data.path, "ana", "correct horse"]) }
      #expect(processes.map { $0.end().said } == ["ok", "ok", "ok", "ok"])
    }
  }

  @Test func `many processes that guess at once get one attempt`() throws {
    _ = try data.storeWithAna()
    // After so many failures the delay is an hour: it is not over before the last process has started.
    var last = Environment.ofSystem(bootID: "probe").clocks.reading()
    (last.wall, last.boot) = (last.wall - Failures.longestWait, last.boot - Failures.longestWait)
    try data.write(data.path + "/accounts/ana/attempts", Failures(count: 12, last: last).record(tag: "account"))
    let processes = try (0..<12).map { try ProbeProcess(["verify", data.path, "ana", "wrong horse \($0)"]) }
    let answers = processes.map { $0.end().said }
    #expect(answers.count { $0 == "denied" } == 1)
    #expect(answers.count { $0 == "locked" } == 11)
  }

  @Test func `while another process holds the account's lock a sign-in is busy, but not forever`() throws {
    let store = try data.storeWithAna()
    let path = data.path + "/accounts/ana/attempts"
    let file = open(path, O_RDWR | O_CREAT, 0o600)
    defer { close(file) }
    #expect(flock(file, LOCK_EX) == 0)
    var environment = data.hand.environment
    environment.clocks.pause = { _ in }
    let impatient = try AccountStore(
      data: data.path,
      environment: environment,
      cost: DataFolder.cheap)
    #expect(refusal { _ = try impatient.verify("ana", try Secret("correct horse")) } == .busy)
    flock(file, LOCK_UN)
    _ = try store.verify("ana", try Secret("correct horse"))
  }
}
