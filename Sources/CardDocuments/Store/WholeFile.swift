// The errors of files as errors of documents, and files outside the store, that the user names.
// Invariant: each keeps the path and the errno.

import Files
import Glibc

extension DocumentError {
  /// Reading failed.
  static func reading(_ error: FileError) -> DocumentError {
    switch error.reason {
    case .system(ELOOP): .symbolicLink(path: error.path)
    case .system(EISDIR), .notAFile: .notAFile(path: error.path)
    case .tooLarge(let limit): .tooLargeFile(path: error.path, limit: limit)
    case .interrupted: .interrupted(error)
    default: .cannotRead(path: error.path, errno: error.number)
    }
  }

  /// Writing failed.
  static func writing(_ error: FileError) -> DocumentError {
    switch error.reason {
    case .interrupted: .interrupted(error)
    default: .cannotWrite(path: error.path, errno: error.number)
    }
  }
}

/// The content of a regular file below a size; anything else is refused.
func readPlainFile(
  _ path: String, limit: Int, followingLinks: Bool, isInterrupted: @escaping () -> Bool
) throws(DocumentError) -> [UInt8] {
  do throws(FileError) {
    return try ByteFile(path, followingLinks: followingLinks, isInterrupted: isInterrupted).rest(limit: limit)
  } catch { throw .reading(error) }
}

/// Writes a file for the user: the path holds its old content or the new one; what is not a regular file (a pipe, a
/// terminal) is refused.
func writeWhole(_ bytes: [UInt8], to path: String) throws(DocumentError) {
  do { try AtomicFile.write(path, bytes, .exported()) } catch { throw .writing(error) }
}
