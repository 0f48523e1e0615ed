// Work on a second thread: its order, its limits, and the state after a failure.

import Glibc
import Synchronization
import TestSupport

@testable import Storage

@Suite struct WorkLaneTests {
  /// Records what pieces did, from any thread.
  private final class Notes: Sendable {
    private let numbers = Mutex<[Int]>([])
    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
    var all: [Int] { numbers.withLock { $0 } }
  }

  @Test func `pieces run in order, on another thread`() throws {
    let (lane, notes, here) = (WorkLane(ahead: 3), Notes(), pthread_self())
    for number in 0..<1000 {
      try lane.add { notes.add(pthread_equal(pthread_self(), here) == 0 ? number : -1) }
    }
    lane.waitUntilIdle()
    #expect(notes.all == Array(0..<1000))
    try lane.add { notes.add(1000) }
    lane.waitUntilIdle()
    #expect(notes.all.count == 1001)
  }

  @Test func `the number of pending pieces is limited`() throws {
    let (lane, added, seen) = (WorkLane(ahead: 2), Notes(), Notes())
    for number in 0..<50 {
      try lane.add {
        // While the first one runs, others would be added without end.
        if number == 0 { for _ in 0..<20_000 where added.all.count < 10 { sched_yield() } }
        seen.add(added.all.count - number)
      }
      added.add(number)
    }
    lane.waitUntilIdle()
    // One is running, two are pending.
    #expect(seen.all.count == 50 && seen.all.allSatisfy { $0 <= 3 })
  }

  @Test func `after a failure no piece starts until the error was taken`() throws {
    let (lane, notes, isFilled) = (WorkLane(ahead: 8), Notes(), Notes())
    for number in 0..<6 {
      _ = try lane.add { () throws(StorageError) in
        while isFilled.all.isEmpty { sched_yield() }
        if number == 2 { throw StorageError.full(path: "2") }
        notes.add(number)
      }
    }
    isFilled.add(1)
    lane.waitUntilIdle()
    #expect(try !lane.add { notes.add(10) })
    #expect(lane.takeFailure() == .full(path: "2"))
    #expect(notes.all == [0, 1])
    #expect(try lane.add { notes.add(11) })
    lane.waitUntilIdle()
    #expect(notes.all == [0, 1, 11])
  }

  @Test func `a lane that ends has nothing running`() throws {
    let notes = Notes()
    for _ in 0..<50 {
      let lane = WorkLane(ahead: 4)
      for _ in 0..<4 {
        try lane.add {
          notes.add(1)
          for _ in 0..<100 { sched_yield() }
          notes.add(-1)
        }
      }
    }
    #expect(notes.all.reduce(0, +) == 0)
  }

  @Test func `signals are delivered to other threads`() throws {
    let (lane, notes) = (WorkLane(ahead: 1), Notes())
    try lane.add {
      var blocked = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &blocked)
      for signal in [SIGINT, SIGTERM, SIGHUP, SIGWINCH] { notes.add(Int(sigismember(&blocked, signal))) }
    }
    lane.waitUntilIdle()
    #expect(notes.all == [1, 1, 1, 1])
  }

  /// Reports its deinitialisation.
  private final class Held: Sendable {
    let notes: Notes
    init(_ notes: Notes) { self.notes = notes }
    deinit { notes.add(1) }
  }

  @Test func `the captures of a piece are released before it counts as done`() throws {
    let (lane, notes) = (WorkLane(ahead: 2), Notes())
    for number in 1...500 {
      let held = Held(notes)
      try lane.add { _ = held.notes }
      _ = consume held
      lane.waitUntilIdle()
      #expect(notes.all.count == number)
    }
  }
}

/// Bulk adds, packages and a first pull under a library that ends the process when two threads use one SQLite
/// connection: runs the suites `SecondThreadTests` of three rooms once more in this program.
@Suite struct ThreadWatchTests {
  @Test(arguments: ["DecksTests", "ExchangeTests", "SyncTests"])
  func `no two SQLite calls on one connection overlap`(room: String) throws {
    let folder = TemporaryFolder()
    let source = sourceRoot() + "/Tests/Faults/threads.c"
    let compiler = try Child(
      ["/usr/bin/cc", "-shared", "-fPIC", "-O1", "-o", folder.file("threads.so"), source, "-ldl"],
      environment: ["PATH=/usr/bin:/bin"])
    let made = try compiler.finish(input: "")
    #expect(made.status == 0, "\(made.errors)")
    let environment = [
      "LD_PRELOAD=\(folder.file("threads.so"))", "THREADS_LOG=\(folder.file("log"))", "TMPDIR=\(folder.path)",
      "PATH=/usr/bin:/bin",
    ]
    let tests = try Child(
      ["/proc/self/exe", "--testing-library", "swift-testing", "--filter", "^\(room)\\.SecondThreadTests"],
      environment: environment)
    let run = try tests.finish(input: "")
    #expect(run.status == 0, "\(run.output) \(run.errors)")
    let log = String(decoding: try #require(folder.read("log")), as: UTF8.self).split(separator: " ")
    // The calls, and the connections used by more than one thread: if there are none, nothing was tested.
    #expect(log.count == 2 && Int(log[0]) ?? 0 > 1000 && Int(log[1]) ?? 0 > 0, "\(log)")
  }
}
