// A temporary folder for a test, and plain reading and writing of files without the program's own code, which is what
// is tested. Invariant: nothing is left below /tmp when the object is gone.

public import Glibc
public import Testing

/// A folder below /tmp that is removed with its content when the object is deinitialised.
public final class TemporaryFolder {
  public let path: String
  private let isOurs: Bool

  /// A folder that somebody else removes.
  public init(at path: String) { (self.path, isOurs) = (path, false) }

  public init() {
    isOurs = true
    var template = Array("/tmp/deckhand-test-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { preconditionFailure("/tmp takes no folder: errno \(errno)") }
    path = String(cString: made)
  }

  /// Creates a folder with a copy of the other one's files and folders.
  public convenience init(copying other: TemporaryFolder) throws {
    self.init()
    try copyTree(other.path, to: path)
  }

  deinit { if isOurs { removeTree(path) } }

  public func file(_ name: String) -> String { path + "/" + name }

  /// Writes a file with these bytes, in folders that it makes where there are none; returns its path.
  @discardableResult public func write(_ bytes: [UInt8], to name: String) throws -> String {
    try makeFolder(TestSupport.folder(of: name))
    try writeFile(bytes, to: file(name))
    return file(name)
  }

  @discardableResult public func write(_ text: String, to name: String) throws -> String {
    try write(Array(text.utf8), to: name)
  }

  /// The bytes of a file; nil if there is none.
  public func read(_ name: String) -> [UInt8]? { contents(of: file(name)) }

  /// Creates a folder and those above it.
  @discardableResult public func makeFolder(_ name: String) throws -> String {
    var made = path
    for part in name.split(separator: "/") {
      made += "/" + part
      try #require(mkdir(made, 0o700) == 0 || errno == EEXIST)
    }
    return made
  }

  public func status(_ name: String) throws -> stat {
    var status = stat()
    try #require(stat(file(name), &status) == 0)
    return status
  }

  /// Sets the modification time of a file to that in `status`.
  public func setTime(_ name: String, _ status: stat) {
    utimensat(AT_FDCWD, file(name), [status.st_mtim, status.st_mtim], 0)
  }

  /// The names in the folder, sorted.
  public var names: [String] { TestSupport.names(in: path) }

  /// The names in a subfolder, sorted.
  public func names(_ folder: String) -> [String] { TestSupport.names(in: file(folder)) }
}

/// Calls the body with the path of a new folder that is removed afterwards.
public func withFolder(_ body: (String) throws -> Void) throws {
  let folder = TemporaryFolder()
  try body(folder.path)
  withExtendedLifetime(folder) {}
}

/// Writes a file with these bytes; a new file is accessible only to its owner. Linux runs no script that is open for
/// writing; see `waitsUntilClosed`.
public func writeFile(_ bytes: [UInt8], to path: String, _ place: SourceLocation = #_sourceLocation) throws {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
  try #require(descriptor >= 0, "\(path): errno \(errno)", sourceLocation: place)
  #expect(writeAll(bytes, to: descriptor), sourceLocation: place)
  close(descriptor)
  #expect(!bytes.starts(with: "#!".utf8) || waitsUntilClosed(path), sourceLocation: place)
}

public func writeFile(_ text: String, to path: String) throws { try writeFile(Array(text.utf8), to: path) }

/// The bytes of a file, also of one in /proc; nil if there is none.
public func contents(of path: String) -> [UInt8]? {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  return drained(descriptor)
}

/// The text of a file; empty if there is none.
public func text(of path: String) -> String { String(decoding: contents(of: path) ?? [], as: UTF8.self) }

/// The size of a file in bytes; -1 if there is none.
public func size(of path: String) -> Int {
  var status = stat()
  return stat(path, &status) == 0 ? Int(status.st_size) : -1
}

/// The mode of a file; 0 if there is none.
public func mode(of path: String) -> mode_t {
  var status = stat()
  return stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
}

/// Creates a folder accessible only to its owner; returns false if it cannot.
@discardableResult public func makeFolder(_ path: String) -> Bool { mkdir(path, 0o700) == 0 }

/// The names in a folder, sorted; empty if there is no such folder.
public func names(in path: String) -> [String] {
  guard let folder = opendir(path) else { return [] }
  defer { closedir(folder) }
  var names: [String] = []
  while let entry = readdir(folder) {
    let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    if name != ".", name != ".." { names.append(name) }
  }
  return names.sorted()
}

/// Copies the regular files and folders of a folder into an existing one, with their modes.
private func copyTree(_ source: String, to target: String) throws {
  for name in names(in: source) {
    let (from, to) = (source + "/" + name, target + "/" + name)
    var status = stat()
    try #require(lstat(from, &status) == 0)
    if status.st_mode & S_IFMT == S_IFDIR {
      try #require(makeFolder(to))
      try copyTree(from, to: to)
    } else {
      try writeFile(try #require(contents(of: from)), to: to)
    }
    chmod(to, status.st_mode & 0o7777)
  }
}

/// Removes a file, or a folder with its content, even if a test removed its permissions. A link is not followed.
public func removeTree(_ path: String) {
  var status = stat()
  guard lstat(path, &status) == 0 else { return }
  guard status.st_mode & S_IFMT == S_IFDIR else {
    unlink(path)
    return
  }
  chmod(path, 0o700)
  for name in names(in: path) { removeTree(path + "/" + name) }
  rmdir(path)
}
