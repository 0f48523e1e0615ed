// Folders: creating them for their owner only, listing, syncing, and removing them with their content. Invariant:
// private folders have mode 0700 and private files 0600 from creation on, whatever the umask; removing follows no link.

internal import CMapping
internal import Glibc
import Text

/// Returns the last component of a path; the path itself if it has none.
///
///     lastPart(of: "/home/ana/words.csv")   // "words.csv"
public func lastPart(of path: String) -> String {
  path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path
}

/// Returns the folder that contains a path: `.` for a bare name, `/` for an entry of the root.
public func parentFolder(of path: String) -> String {
  guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
  return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
}

/// Returns an unused path: the start and the ending, with a number between them if that path is taken.
public func freePath(_ start: String, _ ending: String) throws(FileError) -> String {
  var (path, number) = (start + ending, 1)
  while try FileFacts.at(path, followingLinks: false) != nil {
    number += 1
    path = "\(start)-\(number)\(ending)"
  }
  return path
}

/// Creates a folder and its missing parents, each with mode 0700. Existing folders are left as they are. Each parent is
/// synced, because a folder lost in a power failure would take the synced files in it along.
public func makePrivateFolder(_ path: String) throws(FileError) {
  var created: [String] = []
  try makeFolder(path, mode: 0o700, &created)
}

/// Creates a folder that the user asked for, and its missing parents; the umask alone restricts the mode.
/// - Parameter created: gets the paths of the folders that were not there.
public func makeExportedFolder(_ path: String, _ created: inout [String]) throws(FileError) {
  try makeFolder(path, mode: 0o777, &created)
}

private func makeFolder(_ path: String, mode: mode_t, _ created: inout [String]) throws(FileError) {
  let parent = parentFolder(of: path)
  // The working folder is its own parent, and looks missing to who may not search it.
  if path.isEmpty || path == parent { return }
  do { if try FileFacts.at(path) != nil { return } } catch { throw FileError(path, .make, error.reason) }
  try makeFolder(parent, mode: mode, &created)
  guard mkdir(path, mode) == 0 else {
    if errno == EEXIST { return }
    throw FileError(path, .make)
  }
  created.append(path)
  Folder.sync(parent)
}

/// Runs a body that lists the files and folders it creates. If it throws, they are removed, the last one first.
public func removingOnFailure(_ body: (_ created: inout [String]) throws -> Void) rethrows {
  var created: [String] = []
  do { try body(&created) } catch {
    for path in created.reversed() { remove(path) }
    throw error
  }
}

/// Creates an empty file with mode 0600, and its folder, if they are missing.
public func makePrivateFile(_ path: String) throws(FileError) {
  try makePrivateFolder(parentFolder(of: path))
  do { close(try openFile(path, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)) } catch {
    if error.number != EEXIST { throw error }
  }
}

/// Describes a folder that others may write to or own, and the remedy; nil if it is safe or does not exist.
public func insecureFolderProblem(_ path: String) -> String? {
  let facts: FileFacts?
  // If its facts cannot be read, opening the folder fails later and reports why.
  do { facts = try FileFacts.at(path) } catch { return nil }
  guard let facts, facts.kind == .folder else { return nil }
  if facts.owner != geteuid(), facts.owner != 0 {
    return "the folder \(quoted(path)) belongs to another user, who can change everything in it"
  }
  guard facts.mode & 0o022 != 0 else { return nil }
  return "others may write to \(quoted(path)), and so change what is stored there or run code as you; "
    + "`chmod go-w \(printable(shellQuoted(path), limit: 4096))` prevents that"
}

/// Returns the path without symbolic links, `.` and `..`; nil, with `errno` set, if it cannot be followed.
public func realPath(_ path: String) -> String? {
  guard let real = realpath(path, nil) else { return nil }
  defer { free(real) }
  return String(cString: real)
}

/// Quotes a path so that a shell, or this program's own prompt, reads it as one word.
package func shellQuoted(_ path: String) -> String {
  let isPlain = path.utf8.allSatisfy {
    (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || "/._-".utf8.contains($0)
  }
  return isPlain ? path : "'" + path.replacing(text: "'", with: "'\\''") + "'"
}

public enum Folder {
  /// Returns how many bytes the user may still write to the folder's file system; nil if the system does not say.
  public static func freeBytes(in path: String) -> Int? {
    var facts = statvfs()
    guard statvfs(path, &facts) == 0 else { return nil }
    return Int(clamping: UInt64(facts.f_bavail) &* UInt64(facts.f_frsize))
  }

  /// Returns the names in a folder, sorted, without those that are not UTF-8; empty if there is no folder.
  public static func names(in path: String) throws(FileError) -> [String] {
    guard let stream = opendir(path) else {
      if errno == ENOENT { return [] }
      throw FileError(path, .list)
    }
    defer { closedir(stream) }
    return try entries(of: stream, path).compactMap { String(validating: $0, as: UTF8.self) }.sorted()
  }

  /// Returns the names of the subfolders, including links to folders, without hidden ones; empty if there is no folder.
  public static func subfolders(of path: String) throws(FileError) -> [String] {
    try names(in: path).filter { name in
      // What cannot be looked at may be one: reading it fails and reports why.
      do { return try !name.hasPrefix(".") && FileFacts.at(path + "/" + name)?.kind == .folder } catch { return true }
    }
  }

  /// Throws if a folder is at the path of a file, before any work is done for the file.
  public static func refuse(_ path: String, _ operation: FileError.Attempt) throws(FileError) {
    if isFolder(path) { throw FileError(path, operation, number: EISDIR) }
  }

  public static func isFolder(_ path: String) -> Bool {
    // If its facts cannot be read, opening it fails later and reports why.
    do { return try FileFacts.at(path)?.kind == .folder } catch { return false }
  }

  /// Syncs a folder, so that its entries survive a power failure, if the file system can (some network disks cannot).
  public static func sync(_ path: String) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// Writes all pending data of the folder's file system to the disk: one wait instead of one for each of many files.
  public static func syncFileSystem(of path: String) throws(FileError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(path, .open) }
    defer { close(descriptor) }
    let failure = mapping_sync_file_system(descriptor)
    if failure != 0 { throw FileError(path, .write, number: failure) }
  }

  /// Writes the pending data of a file to the disk.
  public static func syncFile(_ path: String) throws(FileError) {
    let descriptor = try openFile(path, O_RDONLY | O_NOFOLLOW)
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw FileError(path, .sync) }
  }

  /// Creates a folder with a unique name and mode 0700. The caller removes it with `removeTree`.
  public static func makeTemporary(in folder: String, prefix: String) throws(FileError) -> String {
    var template = Array((folder + "/" + prefix + "-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw FileError(folder + "/" + prefix, .make) }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes a file or a link; a missing one is not an error.
  public static func removeFile(_ path: String) throws(FileError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw FileError(path, .remove) }
  }

  /// Renames a file or a folder, replacing what has the new name.
  public static func move(_ path: String, to other: String) throws(FileError) {
    guard rename(path, other) == 0 else { throw FileError(other, .move) }
  }

  /// Removes a folder and everything in it. It continues after a failure and throws the first one.
  public static func removeTree(_ path: String) throws(FileError) {
    var failure: FileError?
    removeEntries(of: open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), path, depth: 0, &failure)
    if let failure { throw failure }
    guard rmdir(path) == 0 else { throw FileError(path, .remove) }
  }

  /// Removes the entries of an open folder and closes it; by descriptors alone, so that no link can redirect it.
  private static func removeEntries(of descriptor: Int32, _ path: String, depth: Int, _ failure: inout FileError?) {
    guard descriptor >= 0 else { return failure = failure ?? FileError(path, .remove) }
    guard depth < 64, let stream = fdopendir(descriptor) else {
      failure = failure ?? FileError(path, .remove, number: depth < 64 ? errno : ELOOP)
      close(descriptor)
      return
    }
    defer { closedir(stream) }
    let names: [[UInt8]]
    do { names = try entries(of: stream, path) } catch { return failure = failure ?? error }
    // The mark goes last: as long as it is there, a later sweep removes what a kill or a failure leaves.
    let mark = Array(Leftovers.mark.utf8)
    for bytes in names.filter({ $0 != mark }) + names.filter({ $0 == mark }) where bytes != mark || failure == nil {
      let name = bytes.map { CChar(bitPattern: $0) } + [0]
      if unlinkat(descriptor, name, 0) == 0 { continue }
      let inside = path + "/" + String(decoding: bytes, as: UTF8.self)
      guard errno == EISDIR || errno == EPERM else {
        failure = failure ?? FileError(inside, .remove)
        continue
      }
      let below = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      removeEntries(of: below, inside, depth: depth + 1, &failure)
      if unlinkat(descriptor, name, AT_REMOVEDIR) != 0 { failure = failure ?? FileError(inside, .remove) }
    }
  }

  /// Returns the names as bytes, without `.` and `..`.
  static func entries(of stream: OpaquePointer, _ path: String) throws(FileError) -> [[UInt8]] {
    var names: [[UInt8]] = []
    while true {
      // Only `errno` tells the end of a folder from a failure.
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 { throw FileError(path, .list) }
        return names
      }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      // `.` and `..`.
      if name.first == UInt8(ascii: "."), name.count == 1 || name.count == 2 && name[1] == name[0] { continue }
      names.append(name)
    }
  }
}
