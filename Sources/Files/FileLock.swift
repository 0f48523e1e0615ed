// A lock that processes share, by flock.
// Invariant: the lock goes with the process that holds it, so a killed one never leaves anything locked; waiting ends
// at its deadline, or when the user asks to stop.

internal import Glibc
internal import SystemPackage

/// How long another process's lock is waited for, on the clock that the program hands in.
public struct LockWait {
  /// From the first try to the last.
  public var seconds: Double
  /// Seconds that only grow.
  public var elapsed: () -> Double
  public var isInterrupted: () -> Bool
  /// Waits for so many seconds; a signal ends it sooner.
  public var pause: (Double) -> Void

  public init(
    seconds: Double = 5, elapsed: @escaping () -> Double, isInterrupted: @escaping () -> Bool,
    pause: @escaping (Double) -> Void = pauseForSignal
  ) {
    self.seconds = seconds
    self.elapsed = elapsed
    self.isInterrupted = isInterrupted
    self.pause = pause
  }

  /// Measured by its own pauses: where the clock that is handed in is one that waits.
  public static func byPauses(
    seconds: Double, isInterrupted: @escaping () -> Bool,
    pause: @escaping (Double) -> Void = pauseForSignal
  ) -> LockWait {
    var waited = 0.0
    return LockWait(
      seconds: seconds, elapsed: { waited }, isInterrupted: isInterrupted,
      pause: {
        pause($0)
        waited += $0
      })
  }
}

/// Waits for so many seconds, or until a signal comes.
public func pauseForSignal(_ seconds: Double) { poll(nil, 0, Int32(clamping: Int((seconds * 1000).rounded(.up)))) }

/// Holds a lock until it is released or let go of.
///
///     let lock = try FileLock(folder + "/.lock", wait)
///     defer { lock.release() }
public final class FileLock {
  /// The open file, good until the lock is released.
  public private(set) var descriptor: Int32
  private static let pauseBetweenTries = 0.01

  /// Opens the file, making it with mode 0600, and waits for its lock.
  /// - Throws: `FileError` with the reason `busy` or `interrupted`, or what is wrong with the file.
  public init(_ path: String, _ wait: LockWait) throws(FileError) {
    descriptor = try FileLock.open(path)
    do { try FileLock.lock(descriptor, path, wait) } catch {
      release()
      throw error
    }
  }

  /// Tries once; nil when somebody else holds the lock.
  public init?(ifFree path: String) throws(FileError) {
    descriptor = try FileLock.open(path)
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let number = errno
      release()
      if number == EWOULDBLOCK { return nil }
      throw FileError(path, .lock, number: number)
    }
  }

  /// Locks a file that is open already; closing it lets the lock go.
  public static func lock(_ descriptor: Int32, _ path: String, _ wait: LockWait) throws(FileError) {
    let end = wait.elapsed() + wait.seconds
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { throw FileError(path, .lock) }
      if wait.isInterrupted() { throw FileError(path, .lock, .interrupted) }
      if wait.elapsed() >= end { throw FileError(path, .lock, .busy) }
      wait.pause(pauseBetweenTries)
    }
  }

  public func release() {
    guard descriptor >= 0 else { return }
    // Closing alone would leave it to a program that is being started, which has the descriptor until it runs.
    flock(descriptor, LOCK_UN)
    close(descriptor)
    descriptor = -1
  }

  deinit { release() }

  private static func open(_ path: String) throws(FileError) -> Int32 {
    try openFile(path, .readWrite, [.create, .noFollow, .nonBlocking], mode: 0o600).rawValue
  }
}
