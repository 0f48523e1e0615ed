// Finds the process that holds the write lock of a database, by asking the kernel. Nothing is stored.
// Invariant: the query uses the descriptor that SQLite already has open. Opening and closing another one would drop
// SQLite's locks, because closing any descriptor of a file drops all POSIX locks of the process on it.

import Glibc

/// Returns the id of the process that holds the write lock of the SQLite file at `path` (in WAL mode), or nil if no
/// other process does or the kernel does not tell. SQLite puts that lock on byte 120 of the `-shm` file (its "WAL-mode
/// File Format", 2.3.1).
func lockHolder(of path: String) -> Int? {
  guard let descriptor = openDescriptor(of: path + "-shm") else { return nil }
  var lock = flock()
  lock.l_type = Int16(F_WRLCK)
  lock.l_whence = Int16(SEEK_SET)
  lock.l_start = 120
  lock.l_len = 1
  guard fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK), lock.l_pid > 0 else { return nil }
  return Int(lock.l_pid)
}

private func openDescriptor(of path: String) -> Int32? {
  var wanted = stat()
  guard stat(path, &wanted) == 0 else { return nil }
  let limit = min(4096, Int32(clamping: sysconf(Int32(_SC_OPEN_MAX))))
  for descriptor in 0..<max(3, limit) {
    var found = stat()
    guard fstat(descriptor, &found) == 0 else { continue }
    if found.st_ino == wanted.st_ino, found.st_dev == wanted.st_dev { return descriptor }
  }
  return nil
}
