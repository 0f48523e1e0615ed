// The files of accounts: private, read only if nobody else could have read or written them, replaced as a whole,
// locked.
// Invariant: a file that others could have read or written is not trusted.

import Files
import Glibc

extension AuthenticationError {
  static func ofFile(_ error: FileError) -> AuthenticationError {
    switch error.reason {
    case .busy: .busy
    case .interrupted: .cancelled
    default: .failed(operation: error.operation.rawValue, path: error.path, code: error.number)
    }
  }
}

enum PrivateFile {
  /// Reads one of our files, at most `limit` bytes. Rejects links, folders, others' files, and files open to others.
  static func read(_ path: String, limit: Int) throws(AuthenticationError) -> [UInt8] {
    let file: ByteFile
    do { file = try ByteFile(path, followingLinks: false, isInterrupted: isNeverInterrupted) } catch {
      switch error.reason {
      case .system(ELOOP): throw .damaged(path: path, reason: "it is a link; a file is expected")
      case .notAFile, .system(EISDIR): throw .damaged(path: path, reason: "it is not a file")
      default: throw .ofFile(error)
      }
    }
    if file.facts.owner != geteuid() { throw .foreign(path: path) }
    if file.facts.mode & 0o077 != 0 { throw .exposed(path: path, remedy: "chmod 600 \(shellQuoted(path))") }
    do { return try file.rest(limit: limit) } catch {
      if case .tooLarge = error.reason { throw .damaged(path: path, reason: "it is too long") }
      throw .ofFile(error)
    }
  }

  /// Rejects a folder that others can write to, or that belongs to another user.
  static func checkFolder(_ path: String) throws(AuthenticationError) {
    let facts: FileFacts?
    do { facts = try FileFacts.at(path, followingLinks: false) } catch { throw .ofFile(error) }
    guard let facts else { throw .failed(operation: "check", path: path, code: ENOENT) }
    if facts.kind != .folder { throw .damaged(path: path, reason: "it is not a folder") }
    if facts.owner != geteuid() { throw .foreign(path: path) }
    if facts.mode & 0o022 != 0 { throw .exposed(path: path, remedy: "chmod 700 \(shellQuoted(path))") }
  }

  /// Replaces a file by these bytes, mode 0600. The caller holds the lock.
  static func replace(_ path: String, with bytes: [UInt8], _ step: @escaping StepObserver) throws(AuthenticationError) {
    var options = Replacement.internalFile(temporaryName: lastPart(of: path) + ".new")
    options.step = step
    do { try AtomicFile.write(path, bytes, options) } catch { throw .ofFile(error) }
  }

  /// Makes a rename survive a loss of power.
  static func syncFolder(of path: String) { Folder.sync(parentFolder(of: path)) }

  /// Makes a folder with mode 0700, unless it exists.
  static func makeFolder(_ path: String) throws(AuthenticationError) {
    do { try makePrivateFolder(path) } catch { throw .ofFile(error) }
  }

  /// The names in a folder, sorted by code point; none if there is no folder.
  static func names(in path: String) throws(AuthenticationError) -> [String] {
    do { return try Folder.names(in: path) } catch { throw .ofFile(error) }
  }

  /// Removes a folder and its content, without following links. Continues after a failure, and throws the first one.
  static func removeTree(_ path: String) throws(AuthenticationError) {
    do { try Folder.removeTree(path) } catch { throw .ofFile(error) }
  }

  /// Waits for the lock of a file, at most five seconds; then throws `busy`.
  static func lock(_ path: String, _ environment: Environment) throws(AuthenticationError) -> FileLock {
    let wait = LockWait(seconds: 5, isInterrupted: environment.isInterrupted) {
      environment.clocks.pause(Int($0 * 1000))
    }
    do { return try FileLock(path, wait) } catch { throw .ofFile(error) }
  }

  /// Whether anything may be at the path, even a link that leads nowhere.
  static func exists(_ path: String) -> Bool {
    // If the folder cannot be searched, opening the file fails next and reports why.
    do { return try FileFacts.at(path, followingLinks: false) != nil } catch { return true }
  }
}
