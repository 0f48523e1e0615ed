// Folders and files that only their owner may look into.
// Invariant: what is made here has mode 0700 (folders) or 0600 (files) from its first moment, whatever the umask.

import Glibc

/// Makes a folder and those above it that are missing, each with mode 0700. What is there stays as it is.
public func makePrivateFolder(_ path: String) throws(StorageError) {
  if path.isEmpty || access(path, F_OK) == 0 { return }
  try makePrivateFolder(parentFolder(of: path))
  guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .file(path: path, action: .open, number: errno) }
}

/// Makes an empty file with mode 0600 and its folder, when they are missing. SQLite gives `-wal` and `-shm` the same mode.
func makePrivateFile(_ path: String) throws(StorageError) {
  try makePrivateFolder(parentFolder(of: path))
  let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
  if descriptor >= 0 {
    close(descriptor)
  } else if errno != EEXIST {
    throw .unreadable(path: path, detail: String(cString: strerror(errno)))
  }
}

/// The folder that a path stands in: `.` for a bare name, `/` for what stands at the root.
func parentFolder(of path: String) -> String {
  let bytes = Array(path.utf8)
  guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return "." }
  return slash == 0 ? "/" : String(decoding: bytes[..<slash], as: UTF8.self)
}
