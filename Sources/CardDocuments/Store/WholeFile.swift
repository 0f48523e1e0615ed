// Conversion of file errors to document errors, and access to files that the user names outside the store.
// Invariant: each error keeps the path and the errno.

import Files
import Glibc

extension DocumentError {
  static func reading(_ error: FileError) -> DocumentError {
    switch error.reason {
    case .system(ELOOP): .symbolicLink(path: error.path)
    case .system(EISDIR), .notAFile: .notAFile(path: error.path)
    case .tooLarge(let limit): .tooLargeFile(path: error.path, limit: limit)
    case .interrupted: .interrupted(error)
    default: .cannotRead(path: error.path, errno: error.number)
    }
  }

  static func writing(_ error: FileError) -> DocumentError {
    switch error.reason {
    case .interrupted: .interrupted(error)
    default: .cannotWrite(path: error.path, errno: error.number)
    }
  }
}

/// Reads a regular file up to a size limit; rejects anything else.
func readPlainFile(
  _ path: String, limit: Int, followingLinks: Bool, isInterrupted: @escaping () -> Bool
) throws(DocumentError) -> [UInt8] {
  do throws(FileError) {
    return try ByteFile(path, followingLinks: followingLinks, isInterrupted: isInterrupted).rest(limit: limit)
  } catch { throw .reading(error) }
}

/// Writes a file for the user atomically: the path holds the old content or the new one. A path that is not a regular
/// file (a pipe, a terminal) is rejected.
func writeWhole(_ bytes: [UInt8], to path: String) throws(DocumentError) {
  do { try AtomicFile.write(path, bytes, .exported()) } catch { throw .writing(error) }
}
