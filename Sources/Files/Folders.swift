// Folders: made for their owner alone, listed, synced, removed with all that is in them.
// Invariant: what is made private has mode 0700 (folders) or 0600 (files) from its first moment, whatever the umask;
// removing follows no symbolic link.

internal import CMapping
internal import Glibc
internal import SystemPackage
import Text

/// The name of what is at a path, without its folders; the path itself where it has none.
///
///     lastPart(of: "/home/ana/words.csv")   // "words.csv"
public func lastPart(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

/// The folder that a path is in: `.` for a bare name, `/` for what is at the root.
public func parentFolder(of path: String) -> String {
  guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
  return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
}

/// Makes a folder and those above it that are missing, each with mode 0700. What is there stays as it is. A loss of
/// power takes none of them away again: files in them that are synced would go along.
public func makePrivateFolder(_ path: String) throws(FileError) { try makeFolder(path, mode: 0o700) }

/// The same for a folder that the user asked for, to keep or to give away: as open as their umask lets it be.
public func makeExportedFolder(_ path: String) throws(FileError) { try makeFolder(path, mode: 0o777) }

private func makeFolder(_ path: String, mode: mode_t) throws(FileError) {
  if path.isEmpty || fileExists(path) { return }
  try makeFolder(parentFolder(of: path), mode: mode)
  guard mkdir(path, mode) == 0 else {
    if errno == EEXIST { return }
    throw FileError(path, .make)
  }
  Folder.sync(parentFolder(of: path))
}

/// Makes an empty file with mode 0600 and its folder, when they are missing.
public func makePrivateFile(_ path: String) throws(FileError) {
  try makePrivateFolder(parentFolder(of: path))
  do {
    closeQuietly(try openFile(path, .readWrite, [.create, .exclusiveCreate], mode: 0o600))
  } catch {
    if error.number != EEXIST { throw error }
  }
}

/// What is wrong with a folder that others may write into or that is another user's, and what to do about it; nil when
/// all is well, or nothing is there.
public func openToOthers(_ path: String) -> String? {
  let facts: FileFacts?
  // Where nothing can be looked at, opening it fails and says why.
  do { facts = try FileFacts.at(path) } catch { return nil }
  guard let facts, facts.kind == .folder else { return nil }
  if facts.owner != geteuid(), facts.owner != 0 {
    return "the folder \(quoted(path)) belongs to another user, who can change everything in it"
  }
  guard facts.mode & 0o022 != 0 else { return nil }
  return "others may write to \(quoted(path)), and so change what is stored there or run code as you; "
    + "`chmod go-w \(path)` prevents that"
}

public enum Folder {
  /// Bytes that the user may still write where a folder is; nil where the system does not say.
  public static func freeBytes(in path: String) -> Int? {
    var facts = statvfs()
    guard statvfs(path, &facts) == 0 else { return nil }
    return Int(clamping: UInt64(facts.f_bavail) &* UInt64(facts.f_frsize))
  }

  /// The names in a folder, sorted, those that are not UTF-8 left out; none when there is no folder.
  public static func names(in path: String) throws(FileError) -> [String] {
    guard let stream = opendir(path) else {
      if errno == ENOENT { return [] }
      throw FileError(path, .list)
    }
    defer { closedir(stream) }
    return entries(of: stream).compactMap { String(validating: $0, as: UTF8.self) }.sorted()
  }

  /// The folders within a folder by name, also by a link, hidden ones left out; none when it cannot be read.
  public static func subfolders(of path: String) -> [String] {
    do throws(FileError) {
      var found: [String] = []
      for name in try names(in: path) where !name.hasPrefix(".") && isFolder(path + "/" + name) { found.append(name) }
      return found
    } catch { return [] }
  }

  /// Refuses a folder at the path of a file, before any work for it.
  public static func refuse(_ path: String, _ operation: FileError.Attempt) throws(FileError) {
    if isFolder(path) { throw FileError(path, operation, number: EISDIR) }
  }

  /// Whether a path leads to a folder, also by a link.
  public static func isFolder(_ path: String) -> Bool {
    // Where nothing can be looked at, opening it fails and says why.
    do { return try FileFacts.at(path)?.kind == .folder } catch { return false }
  }

  /// Makes the names in a folder last through a loss of power. A file system that cannot (some network disks) still
  /// holds the whole files.
  public static func sync(_ path: String) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// Writes out all that waits for the file system of a folder: one wait in place of one for each of many files.
  public static func syncFileSystem(of path: String) throws(FileError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(path, .open) }
    defer { close(descriptor) }
    let failure = mapping_sync_file_system(descriptor)
    if failure != 0 { throw FileError(path, .write, number: failure) }
  }

  /// Writes what of a file waits for the disk.
  public static func syncFile(_ path: String) throws(FileError) {
    let descriptor = try openFile(path, .readOnly, .noFollow)
    defer { closeQuietly(descriptor) }
    guard fsync(descriptor.rawValue) == 0 else { throw FileError(path, .sync) }
  }

  /// Makes a folder of a name that nothing has yet, with mode 0700. Who asks for it removes it with `removeTree`.
  /// - Parameter prefix: what the name begins with.
  public static func makeTemporary(in folder: String, prefix: String) throws(FileError) -> String {
    var template = Array((folder + "/" + prefix + "-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw FileError(folder + "/" + prefix, .make) }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes a file or a link; one that is not there is no error.
  public static func removeFile(_ path: String) throws(FileError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw FileError(path, .remove) }
  }

  /// Gives a file or a folder another name, in the place of what has that name.
  public static func move(_ path: String, to other: String) throws(FileError) {
    guard rename(path, other) == 0 else { throw FileError(other, .move) }
  }

  /// Removes a folder and all that is in it. It goes on after a failure and throws the first.
  public static func removeTree(_ path: String) throws(FileError) {
    var failure: FileError?
    removeEntries(of: open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), path, depth: 0, &failure)
    if let failure { throw failure }
    guard rmdir(path) == 0 else { throw FileError(path, .remove) }
  }

  /// Takes the descriptor, and goes by descriptors all the way, so that nobody can put a link in the way.
  private static func removeEntries(of descriptor: Int32, _ path: String, depth: Int, _ failure: inout FileError?) {
    guard descriptor >= 0 else { return failure = failure ?? FileError(path, .remove) }
    guard depth < 64, let stream = fdopendir(descriptor) else {
      failure = failure ?? FileError(path, .remove, number: depth < 64 ? errno : ELOOP)
      close(descriptor)
      return
    }
    defer { closedir(stream) }
    for bytes in entries(of: stream) {
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

  /// The bytes of the names, without the folder itself and the one above it.
  private static func entries(of stream: OpaquePointer) -> [[UInt8]] {
    var names: [[UInt8]] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      // Itself and the folder above.
      if name.first == UInt8(ascii: "."), name.count == 1 || name.count == 2 && name[1] == name[0] { continue }
      names.append(name)
    }
    return names
  }
}
