// One process at a time writes in a folder of documents.
// Invariant: the lock goes with the process that held it, so a killed one never leaves the folder locked.

import Glibc

/// Holds the folder's lock until it is released or let go of.
final class StoreLock {
  private var descriptor: Int32

  /// Waits a little for another process, then gives up.
  init(_ folder: DocumentFolder) throws(DocumentError) {
    let path = folder.full(DocumentFolder.lock)
    descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotWrite(path: path, errno: errno) }
    for _ in 0..<250 {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
      guard errno == EWOULDBLOCK || errno == EINTR else { break }
      usleep(20_000)
    }
    let reason = errno
    release()
    throw .cannotWrite(path: folder.path, errno: reason == EWOULDBLOCK ? EBUSY : reason)
  }

  /// A lock on a file that shows that its writer lives; nil when somebody else holds it.
  init?(alive path: String) {
    descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      release()
      return nil
    }
  }

  func release() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  deinit { release() }
}
