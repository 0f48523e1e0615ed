// A file outside the store, written whole or not at all.
// Invariant: the path holds its old content or the new one; what is not a plain file (a pipe, a terminal) is written straight.

import Glibc

/// `.` for a name without a folder.
func parentFolder(of path: String) -> String {
  guard let cut = path.lastIndex(of: "/") else { return "." }
  return cut == path.startIndex ? "/" : String(path[..<cut])
}

/// The one call site for files that a person names; Storage's AtomicFile does the same.
func writeWhole(_ bytes: [UInt8], to path: String) throws(DocumentError) {
  var status = stat()
  let isThere = stat(path, &status) == 0
  let isPlain = !isThere || status.st_mode & S_IFMT == S_IFREG
  let target = isPlain ? path + ".\(getpid()).tmp" : path
  let flags = isPlain ? O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC : O_WRONLY | O_CLOEXEC
  let descriptor = open(target, flags, isThere ? status.st_mode & 0o777 : 0o600)
  guard descriptor >= 0 else { throw .cannotWrite(path: path, errno: errno) }
  var isWritten = writeAll(bytes, to: descriptor) == 0
  if isPlain, isWritten { isWritten = fsync(descriptor) == 0 }
  let failure = errno
  close(descriptor)
  guard isWritten else {
    if isPlain { unlink(target) }
    throw .cannotWrite(path: path, errno: failure)
  }
  if isPlain, rename(target, path) != 0 {
    let failure = errno
    unlink(target)
    throw .cannotWrite(path: path, errno: failure)
  }
}
