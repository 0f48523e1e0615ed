// The few things that accounts do with files: read one that is private, replace one whole, lock, remove a folder.
// Invariant: a file is replaced in one step or stays as it was; what others could have read or written is not trusted.

import Glibc

/// The steps of writing, for tests that end the process at each.
public enum WritingStep: String, CaseIterable, Sendable {
  case begun, created, halfWritten, written, synced, renamed, done
}

/// Called as each step of a write is reached.
public typealias StepObserver = (WritingStep) -> Void

enum PrivateFile {
  /// Reads a file of ours, at most `limit` bytes. A link, a folder, somebody else's file and one that others can open are
  /// refused.
  static func read(_ path: String, limit: Int) throws(AuthenticationError) -> [UInt8] {
    let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    if file < 0 {
      if errno == ELOOP { throw .damaged(path: path, reason: "it is a link, and a file is expected") }
      throw .failed(operation: "open", path: path, code: errno)
    }
    defer { close(file) }
    try check(file, path)
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    let count = Glibc.read(file, &bytes, limit + 1)
    if count < 0 { throw .failed(operation: "read", path: path, code: errno) }
    if count > limit { throw .damaged(path: path, reason: "it is too long") }
    return Array(bytes.prefix(count))
  }

  private static func check(_ file: Int32, _ path: String) throws(AuthenticationError) {
    var status = stat()
    if fstat(file, &status) != 0 { throw .failed(operation: "look at", path: path, code: errno) }
    if status.st_mode & S_IFMT != S_IFREG { throw .damaged(path: path, reason: "it is no file") }
    if status.st_uid != geteuid() { throw .foreign(path: path) }
    if status.st_mode & 0o077 != 0 { throw .exposed(path: path, mend: "chmod 600 \(shellQuoted(path))") }
  }

  /// Refuses a folder that others can write to or that is somebody else's.
  static func checkFolder(_ path: String) throws(AuthenticationError) {
    var status = stat()
    if lstat(path, &status) != 0 { throw .failed(operation: "look at", path: path, code: errno) }
    if status.st_mode & S_IFMT != S_IFDIR { throw .damaged(path: path, reason: "it is no folder") }
    if status.st_uid != geteuid() { throw .foreign(path: path) }
    if status.st_mode & 0o022 != 0 { throw .exposed(path: path, mend: "chmod 700 \(shellQuoted(path))") }
  }

  /// Replaces a file by these bytes: a new one beside it, synced, renamed. Mode 0600.
  static func replace(_ path: String, with bytes: [UInt8], _ reach: StepObserver) throws(AuthenticationError) {
    let new = path + ".new"
    reach(.begun)
    unlink(new)  // Left by a process that was killed; the lock says that nobody writes it now.
    let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if file < 0 { throw .failed(operation: "make", path: new, code: errno) }
    do throws(AuthenticationError) {
      defer { close(file) }
      reach(.created)
      try write(bytes[..<(bytes.count / 2)], to: file, new)
      reach(.halfWritten)
      try write(bytes[(bytes.count / 2)...], to: file, new)
      reach(.written)
      if fsync(file) != 0 { throw .failed(operation: "sync", path: new, code: errno) }
      reach(.synced)
      if rename(new, path) != 0 { throw .failed(operation: "replace", path: path, code: errno) }
    } catch {
      unlink(new)
      throw error
    }
    reach(.renamed)
    syncFolder(of: path)
    reach(.done)
  }

  private static func write(_ bytes: ArraySlice<UInt8>, to file: Int32, _ path: String) throws(AuthenticationError) {
    var rest = bytes
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if written < 0 && errno == EINTR { continue }
      if written <= 0 { throw .failed(operation: "write", path: path, code: errno) }
      rest = rest.dropFirst(written)
    }
  }

  /// Makes a rename last through a loss of power. A file system that can't is no reason to undo it.
  static func syncFolder(of path: String) {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let file = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { return }
    fsync(file)
    close(file)
  }

  /// Makes a folder with mode 0700; one that is there is fine.
  static func makeFolder(_ path: String) throws(AuthenticationError) {
    if mkdir(path, 0o700) != 0 && errno != EEXIST { throw .failed(operation: "make", path: path, code: errno) }
  }

  /// The names in a folder, sorted by code point; none when there is no folder.
  static func names(in path: String) throws(AuthenticationError) -> [String] {
    guard let folder = opendir(path) else {
      if errno == ENOENT { return [] }
      throw .failed(operation: "list", path: path, code: errno)
    }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
      }
      if let name, name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Removes a folder and what is in it, following no links. Goes on after a failure and throws the first.
  static func removeTree(_ path: String, depth: Int = 0) throws(AuthenticationError) {
    var failure: AuthenticationError?
    if depth > 64 { throw .failed(operation: "remove", path: path, code: ELOOP) }
    for name in try names(in: path) {
      let inside = path + "/" + name
      if unlink(inside) == 0 { continue }
      let code = errno
      if code == EISDIR || code == EPERM {
        do { try removeTree(inside, depth: depth + 1) } catch { failure = failure ?? error }
      } else {
        failure = failure ?? .failed(operation: "remove", path: inside, code: code)
      }
    }
    if let failure { throw failure }
    if rmdir(path) != 0 { throw .failed(operation: "remove", path: path, code: errno) }
  }

  static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }
}

/// A path as a shell reads it in one word.
func shellQuoted(_ path: String) -> String {
  let isPlain = path.utf8.allSatisfy {
    (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || "/._-".utf8.contains($0)
  }
  return isPlain
    ? path : "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}

/// A lock that processes share, by flock: it ends with the process that holds it.
struct FileLock: ~Copyable {
  let file: Int32

  /// Opens the file (making it, mode 0600) and waits for its lock, five seconds at most; then `busy`.
  init(_ path: String, _ clock: AuthenticationClock) throws(AuthenticationError) {
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    if file < 0 { throw .failed(operation: "open", path: path, code: errno) }
    for _ in 0..<500 {
      if flock(file, LOCK_EX | LOCK_NB) == 0 { return }
      if errno != EWOULDBLOCK && errno != EINTR { throw .failed(operation: "lock", path: path, code: errno) }
      clock.pause(10)
    }
    throw .busy
  }

  deinit { close(file) }
}
