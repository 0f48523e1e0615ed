// A second thread that does work in order while the first goes on: reading and checking rows takes as long as writing
// them, and a machine has two processors.
// Invariant: at most `ahead` pieces wait, so that memory stays bounded; after a piece failed, none starts until the
// failure is taken; no piece is running once `waitUntilIdle` or `deinit` has returned. A piece holds only what
// may cross threads. The second thread blocks all signals, so the other threads receive them.

import Glibc

/// A second thread for pieces of work.
public final class WorkLane {
  public typealias Piece = @Sendable () throws(StorageError) -> Void

  private let state: State
  private var thread: pthread_t?

  /// The state that both threads share, protected by a lock.
  private final class State {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let ahead: Int
    private var pieces: [Piece] = []
    private var isBusy = false
    private var isEnding = false
    private var failure: StorageError?

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

    /// The loop of the second thread.
    func run() {
      while true {
        var piece = next()
        if piece == nil { return }
        var fault: StorageError?
        do throws(StorageError) { try piece?() } catch { fault = error }
        // Releases what the piece holds, including statements of the database, before it counts as done.
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

    private func next() -> Piece? {
      locked {
        while pieces.isEmpty, !isEnding { pthread_cond_wait(changed, lock) }
        if isEnding { return nil }
        isBusy = true
        defer { if pieces.count == ahead / 2 { pthread_cond_broadcast(changed) } }
        return pieces.removeFirst()
      }
    }

    /// - Returns: false, with nothing added, after a failure.
    func add(_ piece: @escaping Piece) -> Bool {
      locked {
        if pieces.count >= ahead {
          // Not woken for each finished piece: waking a thread takes as long as some rows.
          while failure == nil, pieces.count > ahead / 2 { pthread_cond_wait(changed, lock) }
        }
        if failure != nil { return false }
        pieces.append(piece)
        if pieces.count == 1 { pthread_cond_broadcast(changed) }
        return true
      }
    }

    func waitUntilIdle() { locked { while isBusy || !pieces.isEmpty { pthread_cond_wait(changed, lock) } } }

    var fault: StorageError? { locked { failure } }

    func takeFailure() -> StorageError? {
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

  /// - Parameter ahead: how many pieces may wait besides the running one.
  public init(ahead: Int) { state = State(ahead: max(1, ahead)) }

  deinit {
    guard let thread else { return }
    state.end()
    pthread_join(thread, nil)
  }

  /// Runs a piece after the earlier ones; blocks while too many wait. If no thread can be created, runs it on this one.
  /// - Returns: false, with nothing added, once a piece has failed, until the failure is taken.
  @discardableResult public func add(_ piece: @escaping Piece) throws(StorageError) -> Bool {
    if thread == nil, !begin() {
      try piece()
      return true
    }
    return state.add(piece)
  }

  /// Waits for all pieces; a failure stays until it is taken.
  public func waitUntilIdle() { state.waitUntilIdle() }

  /// The failure of a piece, until it is taken.
  var failure: StorageError? { state.fault }

  func takeFailure() -> StorageError? { state.takeFailure() }

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
