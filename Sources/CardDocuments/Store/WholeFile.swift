// Files outside the store, that a person names: written whole or not at all by Storage's AtomicFile.

import Glibc
import Storage

/// `.` for a name without a folder.
func parentFolder(of path: String) -> String {
  guard let cut = path.lastIndex(of: "/") else { return "." }
  return cut == path.startIndex ? "/" : String(path[..<cut])
}

/// The path holds its old content or the new one; what is not a plain file (a pipe, a terminal) is written straight.
func writeWhole(_ bytes: [UInt8], to path: String) throws(DocumentError) {
  do { try AtomicFile.write(path, bytes) } catch StorageError.file(_, _, let number) {
    throw .cannotWrite(path: path, errno: number)
  } catch StorageError.full {
    throw .cannotWrite(path: path, errno: ENOSPC)
  } catch { throw .cannotWrite(path: path, errno: EIO) }
}
