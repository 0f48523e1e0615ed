// A lock that processes share, by flock. Invariant: the lock ends with the process that holds it, so a killed process
// leaves nothing locked; waiting ends at its deadline, or when the user interrupts it.

internal import Glibc

/// How long to wait for a lock that another process holds, by the pauses between the tries.
public struct LockWait {
  /// The limit, from the first try to the last.
  public var seconds: Double
  public var isInterrupted: () -> Bool
  /// Pauses for that many seconds; a signal ends the pause early.
  public var pause: (Double) -> Void

  public init(
    seconds: Double = 5, isInterrupted: @escaping () -> Bool, pause: @escaping (Double) -> Void = pauseForSignal
  ) { (self.seconds, self.isInterrupted, self.pause) = (seconds, isInterrupted, pause) }
}

/// Pauses for that many seconds, or until a signal arrives.
public func pauseForSignal(_ seconds: Double) { poll(nil, 0, Int32(clamping: Int((seconds * 1000).rounded(.up)))) }

/// A lock that is held until it is released or the object is deallocated.
public final class FileLock {
  /// The open file, valid until the lock is released.
  public private(set) var descriptor: Int32
  private static let pauseBetweenTries = 0.01

  /// Opens the file, creating it with mode 0600 if it is missing, and waits for its lock.
  /// - Throws: `FileError` with the reason `busy` or `interrupted`, or why the file cannot be opened.
  public init(_ path: String, _ wait: LockWait) throws(FileError) {
    descriptor = try FileLock.open(path)
    do { try FileLock.lock(descriptor, path, wait) } catch {
      release()
      throw error
    }
  }

  /// Tries once; nil if the lock is held elsewhere.
  public init?(ifFree path: String) throws(FileError) {
    descriptor = try FileLock.open(path)
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let number = errno
      release()
      if number == EWOULDBLOCK { return nil }
      throw FileError(path, .lock, number: number)
    }
  }

  /// Locks a file that is already open; closing the file releases the lock.
  public static func lock(_ descriptor: Int32, _ path: String, _ wait: LockWait) throws(FileError) {
    var waited = 0.0
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { throw FileError(path, .lock) }
      if wait.isInterrupted() { throw FileError(path, .lock, .interrupted) }
      if waited >= wait.seconds { throw FileError(path, .lock, .busy) }
      wait.pause(pauseBetweenTries)
      waited += pauseBetweenTries
    }
  }

  public func release() {
    guard descriptor >= 0 else { return }
    // Closing is not enough: a program that is being started holds the descriptor, and the lock, until it runs.
    flock(descriptor, LOCK_UN)
    close(descriptor)
    descriptor = -1
  }

  deinit { release() }

  private static func open(_ path: String) throws(FileError) -> Int32 {
    try openFile(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o600)
  }
}
