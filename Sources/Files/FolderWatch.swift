// Waiting until something changes in a folder, by inotify.
// Invariant: what changed before the wait began is not missed: the folder is watched from the moment the object is
// made.

import Glibc

/// Watches a folder and those within it, as far as their names do not begin with a dot.
///
///     let watch = try FolderWatch("spanish")
///     while try watch.waitForChange(isInterrupted: environment.isInterrupted) { ... }
public final class FolderWatch {
  /// Folders that are watched at most.
  private static let mostFolders = 10_000
  /// Milliseconds without a change after which what was written is taken for whole.
  private static let quiet: Int32 = 100
  /// Milliseconds of changes without a pause after which it is told all the same.
  private static let patience = 2_000

  private let path: String
  private let descriptor: CInt
  private var folders: Set<String> = []

  /// - Throws: `FileError` where the folder cannot be read, or the system watches no more.
  public init(_ path: String) throws(FileError) {
    self.path = path
    descriptor = inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC))
    if descriptor < 0 { throw FileError(path, .inspect) }
    try add(path)
  }

  deinit { close(descriptor) }

  private func add(_ folder: String) throws(FileError) {
    guard folders.count < Self.mostFolders, folders.insert(folder).inserted else { return }
    let events =
      IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF
    guard inotify_add_watch(descriptor, folder, UInt32(events) | IN_ONLYDIR_EVENT) >= 0 else {
      // It may have gone meanwhile.
      if errno == ENOENT || errno == ENOTDIR, folder != path { return }
      throw FileError(folder, .inspect)
    }
    for name in try Folder.names(in: folder) where name.first != "." {
      let inner = folder + "/" + name
      if let facts = try FileFacts.at(inner, followingLinks: false), facts.kind == .folder { try add(inner) }
    }
  }

  /// Waits for a change, and then until nothing more changes for a moment.
  /// - Parameter isInterrupted: asked while it waits.
  /// - Returns: false when it was interrupted.
  /// - Throws: `FileError`, where the folder is gone among others.
  public func waitForChange(isInterrupted: () -> Bool) throws(FileError) -> Bool {
    while !takeEvents(within: Self.quiet) { if isInterrupted() { return false } }
    var waited = 0
    while waited < Self.patience, takeEvents(within: Self.quiet) {
      if isInterrupted() { return false }
      waited += Int(Self.quiet)
    }
    // What is new among the folders; what moved is watched under its new name.
    folders = []
    try add(path)
    return !isInterrupted()
  }

  /// Reads what happened; which file it was is found by looking.
  private func takeEvents(within milliseconds: Int32) -> Bool {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&wait, 1, milliseconds) > 0 else { return false }
    var (found, buffer) = (false, [UInt8](repeating: 0, count: 1 << 16))
    while read(descriptor, &buffer, buffer.count) > 0 { found = true }
    return found
  }
}

/// `IN_ONLYDIR`, which Swift does not see as it is a number with no sign.
private let IN_ONLYDIR_EVENT: UInt32 = 0x0100_0000
