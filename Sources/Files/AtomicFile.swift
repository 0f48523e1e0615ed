// Files that are replaced whole or not at all: write to a temporary name in the same folder, sync it, rename it, sync
// the folder. Invariant: at every moment the path holds either the old or the new content; a failure leaves no
// temporary file behind; an export never writes among Deckhand's own files.

internal import CMapping
public import Glibc

/// The steps of replacing a file, in order.
public enum WritingStep: String, CaseIterable, Sendable {
  case begun, created, halfWritten, written, synced, renamed, done
}

/// Called at each step before the next one begins. Tests end the process there, or return an errno.
public typealias StepObserver = (WritingStep) -> Int32

/// How a file is replaced.
public struct Replacement {
  /// The mode of a new file, before the umask is applied.
  public var mode: mode_t
  /// Whether an existing file keeps its mode, and its owner and group as far as the user may set them.
  public var keepsMode = true
  /// Whether a symbolic link is kept and its target is replaced; if false, the file replaces the link itself.
  public var followsLinks = true
  /// False for a new file: if the path has one by the time this one is written, the write fails with EEXIST.
  public var replaces = true
  /// False for content that can be recreated and may be lost in a power failure.
  public var isSynced = true
  /// Whether the folder entry is synced too; false for a folder that is synced later, or that nobody reads until then.
  public var syncsName = true
  /// The temporary name in the same folder, or in a folder within it. Nil chooses a free one. A file that already has
  /// the given name is removed first, so the caller must hold a lock or put the process id into the name.
  public var temporaryName: String?
  public var step: StepObserver = { _ in 0 }
  /// Whether the path was chosen by a user or another program; then a file of Deckhand's own data is never replaced.
  public var isExport = false
  /// What may be at the path. Pipes and devices are written directly; allow them only for a path that the user typed.
  public var kinds = FileKinds.plain
  /// Polled for each piece that is written, and while waiting for a pipe; true cancels the write.
  public var isInterrupted: () -> Bool

  public init(mode: mode_t = 0o600, isInterrupted: @escaping () -> Bool) {
    (self.mode, self.isInterrupted) = (mode, isInterrupted)
  }

  /// Options for a file that the user asked for, to keep or to give away: the umask alone restricts its mode.
  public static func exported(
    _ kinds: FileKinds = .plain, isInterrupted: @escaping () -> Bool = isNeverInterrupted
  ) -> Replacement {
    var options = Replacement(mode: 0o666, isInterrupted: isInterrupted)
    options.kinds = kinds
    options.isExport = true
    return options
  }

  /// Options for one of the program's own files in one of its own folders: mode 0600, links not followed.
  public static func internalFile(temporaryName: String) -> Replacement {
    // None of the program's own files is a pipe, and callers of long writes pass their own `isInterrupted`.
    var options = Replacement(isInterrupted: isNeverInterrupted)
    options.keepsMode = false
    options.followsLinks = false
    options.temporaryName = temporaryName
    return options
  }

  fileprivate func reach(_ reached: WritingStep, of path: String) throws(FileError) {
    let number = step(reached)
    if number != 0 { throw FileError(path, .write, number: number) }
  }
}

public enum AtomicFile {
  /// Writes bytes as the whole content of the file. See the variant with a closure.
  public static func write(_ path: String, _ bytes: some Collection<UInt8>, mode: mode_t = 0o600) throws(FileError) {
    try write(path, bytes, Replacement(mode: mode, isInterrupted: isNeverInterrupted))
  }

  public static func write(_ path: String, _ bytes: some Collection<UInt8>, _ options: Replacement) throws(FileError) {
    do {
      try write(path, options) { sink in
        // In two halves, so that a test can end the process between them.
        let middle = bytes.index(bytes.startIndex, offsetBy: bytes.count / 2)
        try sink.append(bytes[..<middle])
        try sink.reach(.halfWritten)
        try sink.append(bytes[middle...])
      }
    } catch { throw error as? FileError ?? FileError(path, .write, number: EIO) }
  }

  /// Writes what the closure appends as the whole content of the file. Anything but a regular file (a pipe, a terminal)
  /// is refused, or written directly if `kinds` is `.any`.
  /// - Parameter finishing: receives the open file after everything is written and before it is synced.
  /// - Throws: `FileError`, or what a closure throws; the path then holds its old content.
  public static func write(
    _ path: String, _ options: Replacement, finishing: (Int32) throws -> Void = { _ in },
    _ body: (FileSink) throws -> Void
  ) throws {
    let existing = options.followsLinks ? try FileFacts.at(path) : nil
    if existing?.kind == .folder { throw FileError(path, .write, number: EISDIR) }
    if let existing, existing.kind != .file {
      guard options.kinds == .any else { throw FileError(path, .write, .notAFile) }
      // Opened by the path itself: what `/dev/stdout` links to has no other name.
      return try writeStraight(path, options, body)
    }
    // A rename asks only for the right to write to the folder.
    if existing != nil, options.replaces, access(path, W_OK) != 0 { throw FileError(path, .write) }
    let target = options.followsLinks ? try finalTarget(of: path) : path
    if options.isExport, isAmongOwnFiles(target) { throw FileError(path, .write, .ownFolder) }
    var options = options
    let kept = options.keepsMode ? existing : nil
    options.mode = kept?.mode ?? masked(options.mode)
    let temporary = try Temporary(beside: target, options, like: kept)
    do {
      try temporary.fill(body)
      try finishing(temporary.descriptor)
      try temporary.moveIntoPlace()
    } catch {
      temporary.discard()
      throw error
    }
  }

  /// Copies a file.
  public static func copy(_ path: String, to target: String, isInterrupted: @escaping () -> Bool) throws {
    let file = try ByteFile(path, followingLinks: false, isInterrupted: isInterrupted)
    let options = Replacement(isInterrupted: isInterrupted)
    try write(target, options) { sink in try file.forEachPiece { try sink.append($0) } }
  }

  /// Writes to a path that the user may have typed: `-` is standard output (which stays open) if `kinds` is `.any`.
  public static func writeGiven(_ path: String, _ options: Replacement, _ body: (FileSink) throws -> Void) throws {
    guard path == "-", options.kinds == .any else { return try write(path, options, body) }
    fflush(nil)
    let sink = FileSink(path: FileSink.standardOutput, descriptor: 1, isPlain: false, options)
    try body(sink)
    try sink.flush()
  }

  /// The umask that the program was started with. Reading it means changing it, so that happens only once.
  private static let mask: mode_t = {
    let mask = umask(0o077)
    umask(mask)
    return mask
  }()

  /// Applies the user's umask to the mode of a new file.
  private static func masked(_ mode: mode_t) -> mode_t { mode & (~mask | 0o600) }

  private static func writeStraight(_ path: String, _ options: Replacement, _ body: (FileSink) throws -> Void) throws {
    let descriptor = try openForWriting(path, options.isInterrupted)
    defer { close(descriptor) }
    let sink = FileSink(path: path, descriptor: descriptor, isPlain: false, options)
    try body(sink)
    try sink.flush()
  }

  /// Opens a pipe or a device, and waits until a pipe has a reader. Opening a socket always fails, with
  /// the errno of a pipe without a reader.
  private static func openForWriting(_ path: String, _ isInterrupted: () -> Bool) throws(FileError) -> Int32 {
    while true {
      do throws(FileError) { return try openFile(path, O_WRONLY | O_NONBLOCK) } catch {
        guard error.number == ENXIO, isPipe(path) else { throw error }
      }
      if isInterrupted() { throw FileError(path, .write, .interrupted) }
      usleep(20_000)
    }
  }

  private static func isPipe(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFIFO
  }
}

/// The folder, among the data of one person, that holds what other programs export.
public let exportsFolderName = "exports"

/// Whether a file is, or would be, in a data folder: below a folder that holds a collection, or the accounts. The
/// folders of exports and of plugins are not counted.
private func isAmongOwnFiles(_ path: String) -> Bool {
  // A folder that cannot be followed cannot be written to either.
  guard var folder = realPath(parentFolder(of: path)) else { return false }
  var within = ""
  while true {
    if fileExists(folder + "/collection.sqlite") { return within != exportsFolderName }
    if fileExists(folder + "/accounts/.lock"), within != "plugins" { return true }
    if folder == "/" { return false }
    (within, folder) = (lastPart(of: folder), parentFolder(of: folder))
  }
}

/// Returns the path that remains after following symbolic links, even if the last link points to a missing file.
public func finalTarget(of path: String) throws(FileError) -> String {
  var current = path
  for _ in 0..<40 {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink(current, &buffer, buffer.count)
    guard length >= 0 else { return current }
    let link = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    current = link.hasPrefix("/") ? link : parentFolder(of: current) + "/" + link
  }
  throw FileError(path, .open, number: ELOOP)
}

/// Collects what a writer appends and writes it in blocks of 64 KiB. In a closure, it is valid only there.
public final class FileSink {
  fileprivate static let standardOutput = "standard output"
  private let path: String
  private let descriptor: Int32
  private let isPlain: Bool
  private let options: Replacement
  @usableFromInline var gathered: [UInt8] = []
  private var flushed = 0
  /// Bytes appended so far.
  public var count: Int { flushed + gathered.count }
  @inlinable static var chunk: Int { 1 << 16 }

  fileprivate init(path: String, descriptor: Int32, isPlain: Bool = true, _ options: Replacement) {
    (self.path, self.descriptor, self.isPlain, self.options) = (path, descriptor, isPlain, options)
    gathered.reserveCapacity(FileSink.chunk + 4096)
  }

  public convenience init(standardOutput descriptor: Int32 = 1) {
    self.init(path: Self.standardOutput, descriptor: descriptor, isPlain: false, .exported(.any))
  }

  @inlinable public func append(_ bytes: some Collection<UInt8>) throws(FileError) {
    gathered.append(contentsOf: bytes)
    if gathered.count >= FileSink.chunk { try flush() }
  }

  public func append(_ text: String) throws(FileError) { try append(text.utf8) }

  fileprivate func reach(_ reached: WritingStep) throws(FileError) {
    try flush()
    if isPlain { try options.reach(reached, of: path) }
  }

  /// Writes what was appended. A failed write is an error, never silently lost output.
  public func flush() throws(FileError) {
    var rest = gathered[...]
    while !rest.isEmpty {
      try waitUntilReady(descriptor, POLLOUT, path, isPlain: isPlain, options.isInterrupted)
      // A call interrupted by a signal is repeated after `isInterrupted` is polled.
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count >= 0 || errno == EAGAIN || errno == EINTR else { throw FileError(path, .write) }
      rest = rest.dropFirst(max(0, count))
    }
    flushed += gathered.count
    gathered.removeAll(keepingCapacity: true)
  }
}

/// The temporary file next to the file that it will replace.
private final class Temporary {
  private let target: String
  private let name: String
  let descriptor: Int32
  private let options: Replacement
  private var isOpen = true

  /// - Parameter kept: the file whose owner and group it gets, if possible; nil for those of a new file.
  init(beside target: String, _ options: Replacement, like kept: FileFacts?) throws(FileError) {
    try options.reach(.begun, of: target)
    (self.target, self.options) = (target, options)
    (name, descriptor) = try Temporary.create(beside: target, options.temporaryName)
    // Only root may change the owner. Done before the mode is set, because it clears bits of the mode.
    if let kept, fchown(descriptor, kept.owner, kept.group) != 0 { fchown(descriptor, uid_t.max, kept.group) }
    guard fchmod(descriptor, options.mode) == 0 else {
      let number = errno
      discard()
      throw FileError(target, .write, number: number)
    }
  }

  /// Creates the file under the given name or under a free one, which holds the process id and the first free number.
  private static func create(
    beside target: String, _ given: String?
  ) throws(FileError) -> (name: String, descriptor: Int32) {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
    if let given {
      let folder = parentFolder(of: target)
      let name = folder == "." && !target.contains("/") ? given : folder + "/" + given
      unlink(name)
      do { return (name, try openFile(name, flags, mode: 0o600)) } catch {
        throw FileError(target, .write, error.reason)
      }
    }
    let stem = Leftovers.stem(of: target)
    Leftovers.sweep(parentFolder(of: target), of: lastPart(of: stem))
    for attempt in 0..<Int(Leftovers.mostAttempts) {
      let name = Leftovers.temporary(for: stem, attempt: attempt)
      do { return (name, try openFile(name, flags, mode: 0o600)) } catch {
        if error.number != EEXIST { throw FileError(target, .write, error.reason) }
      }
    }
    throw FileError(target, .write, number: EEXIST)
  }

  func fill(_ body: (FileSink) throws -> Void) throws {
    try options.reach(.created, of: target)
    let sink = FileSink(path: target, descriptor: descriptor, options)
    try body(sink)
    try sink.flush()
    try options.reach(.written, of: target)
  }

  func moveIntoPlace() throws(FileError) {
    if options.isSynced {
      guard fsync(descriptor) == 0 else { throw FileError(target, .sync) }
      try options.reach(.synced, of: target)
    }
    isOpen = false
    guard close(descriptor) == 0 else { throw FileError(target, .write) }
    guard (options.replaces ? rename(name, target) : renameIfFree()) == 0 else { throw FileError(target, .replace) }
    // The new content is in place: the observer's result cannot undo that any more.
    _ = options.step(.renamed)
    if options.isSynced, options.syncsName { Folder.sync(parentFolder(of: target)) }
    _ = options.step(.done)
  }

  private func renameIfFree() -> Int32 {
    if mapping_rename_if_free(name, target) == 0 { return 0 }
    // NFS cannot do that, but can give a file a second name. A few file systems can do neither.
    guard errno == EINVAL || errno == ENOSYS else { return -1 }
    if link(name, target) == 0 {
      unlink(name)
      return 0
    }
    guard [EPERM, EOPNOTSUPP, ENOSYS].contains(errno) else { return -1 }
    guard !fileExists(target) else {
      errno = EEXIST
      return -1
    }
    return rename(name, target)
  }

  func discard() {
    if isOpen { close(descriptor) }
    isOpen = false
    unlink(name)
  }
}
