// Work that a second thread does in its order while the first goes on: reading and checking rows takes as long as
// writing them, and a machine has two processors.
// Invariant: at most `ahead` pieces wait, so that memory stays bounded; after a piece that failed none is begun until
// the failure was taken; no piece is under way once `wait`, `drain` or the lane's end has come back. Signals go to the
// other threads.

import Glibc

/// A second thread for pieces of work. What a piece touches nobody else touches between `add` and `wait`.
///
///     let lane = WorkLane(ahead: 4)
///     lane.add { try write(rows) }
///     try lane.wait()
public final class WorkLane {
  private let state: State
  private var thread: pthread_t?

  /// What both threads know, behind a lock.
  private final class State {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let ahead: Int
    private var pieces: [() throws -> Void] = []
    private var isBusy = false
    private var isEnding = false
    private var failure: (any Error)?

    init(ahead: Int) {
      self.ahead = ahead
      pthread_mutex_init(lock, nil)
      pthread_cond_init(changed, nil)
    }

    deinit {
      pthread_cond_destroy(changed)
      pthread_mutex_destroy(lock)
      changed.deallocate()
      lock.deallocate()
    }

    private func locked<T>(_ body: () -> T) -> T {
      pthread_mutex_lock(lock)
      defer { pthread_mutex_unlock(lock) }
      return body()
    }

    /// What the second thread does.
    func run() {
      while true {
        var piece = next()
        if piece == nil { return }
        var fault: (any Error)?
        do { try piece?() } catch { fault = error }
        // What it holds, statements of the database among it, is given up before it counts as done.
        piece = nil
        locked {
          isBusy = false
          if let fault {
            failure = fault
            pieces.removeAll()
          }
          if pieces.isEmpty { pthread_cond_broadcast(changed) }
        }
      }
    }

    private func next() -> (() throws -> Void)? {
      locked {
        while pieces.isEmpty, !isEnding { pthread_cond_wait(changed, lock) }
        if isEnding { return nil }
        isBusy = true
        defer { if pieces.count == ahead / 2 { pthread_cond_broadcast(changed) } }
        return pieces.removeFirst()
      }
    }

    /// - Returns: false, with nothing added, after a failure.
    func add(_ piece: @escaping () throws -> Void) -> Bool {
      locked {
        if pieces.count >= ahead {
          // Not for each piece that goes: waking a thread takes as long as some rows.
          while failure == nil, pieces.count > ahead / 2 { pthread_cond_wait(changed, lock) }
        }
        if failure != nil { return false }
        pieces.append(piece)
        if pieces.count == 1 { pthread_cond_broadcast(changed) }
        return true
      }
    }

    func drain() { locked { while isBusy || !pieces.isEmpty { pthread_cond_wait(changed, lock) } } }

    func takeFailure() -> (any Error)? {
      locked {
        defer { failure = nil }
        return failure
      }
    }

    func end() {
      locked {
        isEnding = true
        pthread_cond_broadcast(changed)
      }
    }
  }

  /// - Parameter ahead: pieces that may wait beside the one under way.
  public init(ahead: Int) { state = State(ahead: max(1, ahead)) }

  deinit {
    guard let thread else { return }
    state.end()
    pthread_join(thread, nil)
  }

  /// Has a piece done after those before it, waiting while too many wait. Where no thread is to be had it is done here.
  /// - Returns: false, with nothing added, once a piece has failed: `wait` says how.
  @discardableResult
  public func add(_ piece: @escaping () throws -> Void) throws -> Bool {
    if thread == nil, !begin() {
      try piece()
      return true
    }
    return state.add(piece)
  }

  /// Waits for all pieces.
  /// - Throws: what the first that failed threw, once.
  public func wait() throws {
    state.drain()
    if let failure = state.takeFailure() { throw failure }
  }

  /// Waits for all pieces; a failure stays to be taken.
  public func drain() { state.drain() }

  private func begin() -> Bool {
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var made = pthread_t()
    let context = Unmanaged.passRetained(state)
    let code = pthread_create(
      &made, nil,
      { context in
        if let context { Unmanaged<State>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, context.toOpaque())
    guard code == 0 else {
      context.release()
      return false
    }
    thread = made
    return true
  }
}
