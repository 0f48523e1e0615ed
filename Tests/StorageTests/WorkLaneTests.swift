// Work on a second thread: its order, its bounds, and what a failure leaves.

import Glibc
import Synchronization
import Testing

@testable import Storage

@Suite struct WorkLaneTests {
  /// What pieces did, from any thread.
  private final class Notes: Sendable {
    private let numbers = Mutex<[Int]>([])
    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
    var all: [Int] { numbers.withLock { $0 } }
  }

  @Test func `pieces are done in their order, on another thread`() throws {
    let (lane, notes, here) = (WorkLane(ahead: 3), Notes(), pthread_self())
    for number in 0..<1000 {
      try lane.add { notes.add(pthread_equal(pthread_self(), here) == 0 ? number : -1) }
    }
    try lane.drain()
    #expect(notes.all == Array(0..<1000))
    try lane.add { notes.add(1000) }
    try lane.drain()
    #expect(notes.all.count == 1001)
  }

  @Test func `no more than so many pieces wait`() throws {
    let (lane, begun) = (WorkLane(ahead: 2), Notes())
    for number in 0..<50 {
      try lane.add {
        begun.add(number)
        usleep(500)
      }
      // One is under way, two wait.
      #expect(begun.all.count >= number - 2)
    }
    try lane.drain()
  }

  @Test func `after a failure nothing is begun until it was taken`() throws {
    let (lane, notes) = (WorkLane(ahead: 8), Notes())
    for number in 0..<6 {
      _ = try lane.add { () throws(StorageError) in
        usleep(2000)
        if number == 2 { throw StorageError.full(path: "2") }
        notes.add(number)
      }
    }
    lane.waitUntilIdle()
    #expect(try !lane.add { notes.add(10) })
    #expect(throws: StorageError.full(path: "2")) { try lane.drain() }
    #expect(notes.all == [0, 1])
    #expect(try lane.add { notes.add(11) })
    try lane.drain()
    #expect(notes.all == [0, 1, 11])
  }

  @Test func `a lane that ends has nothing under way`() throws {
    let notes = Notes()
    for _ in 0..<50 {
      let lane = WorkLane(ahead: 4)
      for _ in 0..<4 {
        try lane.add {
          notes.add(1)
          usleep(300)
          notes.add(-1)
        }
      }
    }
    #expect(notes.all.reduce(0, +) == 0)
  }

  @Test func `signals go to the other threads`() throws {
    let (lane, notes) = (WorkLane(ahead: 1), Notes())
    try lane.add {
      var blocked = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &blocked)
      for signal in [SIGINT, SIGTERM, SIGHUP, SIGWINCH] { notes.add(Int(sigismember(&blocked, signal))) }
    }
    try lane.drain()
    #expect(notes.all == [1, 1, 1, 1])
  }

  /// Says when it goes.
  private final class Held: Sendable {
    let notes: Notes
    init(_ notes: Notes) { self.notes = notes }
    deinit { notes.add(1) }
  }

  @Test func `what a piece holds is given up before it counts as done`() throws {
    let (lane, notes) = (WorkLane(ahead: 2), Notes())
    for number in 1...500 {
      let held = Held(notes)
      try lane.add { _ = held.notes }
      _ = consume held
      try lane.drain()
      #expect(notes.all.count == number)
    }
  }
}
