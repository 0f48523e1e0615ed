// Files that are written whole or not at all: a temporary name in the same folder, synced, renamed, the folder synced.
// Invariant: at every moment the path holds the old content or the new; a failure leaves no temporary file behind.

public import Glibc

/// Where a writer appends; gathered in memory and written by 64 KiB. An instance is good inside the closure it is given to.
public final class FileSink {
  private let path: String
  private let descriptor: Int32
  private var gathered: [UInt8] = []
  /// Bytes appended so far.
  public private(set) var count = 0
  private static let chunk = 1 << 16

  fileprivate init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
    gathered.reserveCapacity(FileSink.chunk + 4096)
  }

  public func append(_ bytes: some Collection<UInt8>) throws(StorageError) {
    count += bytes.count
    gathered.append(contentsOf: bytes)
    if gathered.count >= FileSink.chunk { try flush() }
  }

  public func append(_ text: String) throws(StorageError) { try append(text.utf8) }

  fileprivate func flush() throws(StorageError) {
    var written = 0
    while written < gathered.count {
      let step = gathered.withUnsafeBytes { bytes in
        write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
      }
      if step < 0 {
        if errno == EINTR { continue }
        throw .ofFile(path, .write)
      }
      written += step
    }
    gathered.removeAll(keepingCapacity: true)
  }
}

public enum AtomicFile {
  /// Writes bytes as the whole content of the file. See the variant with a closure.
  public static func write(_ path: String, _ bytes: some Collection<UInt8>, mode: mode_t = 0o600) throws {
    try write(path, mode: mode) { try $0.append(bytes) }
  }

  /// Writes what the closure appends as the whole content of the file. An existing file keeps its mode and, through a
  /// symbolic link, its place; what is not a plain file (a pipe, a terminal) is written straight.
  /// - Parameter mode: of a new file, whatever the umask.
  /// - Throws: `StorageError`, or what the closure throws; then the path holds what it held.
  public static func write(_ path: String, mode: mode_t = 0o600, _ body: (FileSink) throws -> Void) throws {
    let target = try finalTarget(of: path)
    var existing = stat()
    let exists = stat(target, &existing) == 0
    if exists, existing.st_mode & S_IFMT == S_IFDIR {
      throw StorageError.file(path: path, action: .write, number: EISDIR)
    }
    if exists, existing.st_mode & S_IFMT != S_IFREG { return try writeStraight(target, body) }
    let temporary = try Temporary(beside: target, mode: exists ? existing.st_mode & 0o7777 : mode)
    do {
      try temporary.fill(body)
      try temporary.moveIntoPlace()
    } catch {
      temporary.discard()
      throw error
    }
  }

  private static func writeStraight(_ path: String, _ body: (FileSink) throws -> Void) throws {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StorageError.ofFile(path, .open) }
    defer { close(descriptor) }
    let sink = FileSink(path: path, descriptor: descriptor)
    try body(sink)
    try sink.flush()
  }

  /// What a path stands for once symbolic links are followed, also when the last of them points to nothing yet.
  private static func finalTarget(of path: String) throws -> String {
    var current = path
    for _ in 0..<40 {
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      let length = readlink(current, &buffer, buffer.count)
      guard length >= 0 else { return current }
      let link = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      current = link.hasPrefix("/") ? link : parentFolder(of: current) + "/" + link
    }
    throw StorageError.file(path: path, action: .open, number: ELOOP)
  }
}

/// A file under a name of its own beside the one it is to become.
private final class Temporary {
  private let target: String
  private let name: String
  private let descriptor: Int32
  private var isOpen = true

  /// The name holds the process id and the first number that is free, so no random number is needed.
  init(beside target: String, mode: mode_t) throws(StorageError) {
    var descriptor: Int32 = -1
    var name = ""
    for attempt in 0..<1000 where descriptor < 0 {
      name = "\(target).\(getpid())-\(attempt).tmp"
      descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if descriptor < 0, errno != EEXIST { break }
    }
    guard descriptor >= 0 else { throw .ofFile(target, .write) }
    self.target = target
    self.name = name
    self.descriptor = descriptor
    guard fchmod(descriptor, mode) == 0 else {
      let number = errno
      discard()
      throw .ofFile(target, .write, number)
    }
  }

  func fill(_ body: (FileSink) throws -> Void) throws {
    let sink = FileSink(path: target, descriptor: descriptor)
    try body(sink)
    try sink.flush()
    guard fsync(descriptor) == 0 else { throw StorageError.ofFile(target, .write) }
  }

  func moveIntoPlace() throws(StorageError) {
    isOpen = false
    guard close(descriptor) == 0 else { throw .ofFile(target, .write) }
    guard rename(name, target) == 0 else { throw .ofFile(target, .replace) }
    let folder = open(parentFolder(of: target), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    // A folder that cannot be synced (some network disks) still holds the whole file.
    fsync(folder)
    close(folder)
  }

  func discard() {
    if isOpen { close(descriptor) }
    isOpen = false
    unlink(name)
  }
}
