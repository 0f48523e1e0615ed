// Waiting for changes in a folder, by inotify. Invariant: changes between the creation of the object and the wait are
// not missed, because the folder is watched from the start.

import Glibc

/// Watches a folder and its subfolders, except those whose names begin with a dot.
public final class FolderWatch {
  /// The maximum number of folders that are watched.
  private static let mostFolders = 10_000
  /// Milliseconds without a change after which a write counts as complete.
  private static let quiet: Int32 = 100
  /// Milliseconds of continuous changes after which the change is reported anyway.
  private static let timeout = 2_000

  private let path: String
  private let descriptor: CInt
  private var folders: Set<String> = []

  /// - Throws: `FileError` if the folder cannot be read, or the system's limit of watches is reached.
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
      // A subfolder may have been removed in the meantime.
      if errno == ENOENT || errno == ENOTDIR, folder != path { return }
      throw FileError(folder, .inspect)
    }
    for name in try Folder.names(in: folder) where name.first != "." {
      let inner = folder + "/" + name
      if let facts = try FileFacts.at(inner, followingLinks: false), facts.kind == .folder { try add(inner) }
    }
  }

  /// Waits for a change, and then until changes pause for a moment.
  /// - Returns: false if it was interrupted.
  /// - Throws: `FileError`, for example if the folder is gone.
  public func waitForChange(isInterrupted: () -> Bool) throws(FileError) -> Bool {
    while !takeEvents(within: Self.quiet) { if isInterrupted() { return false } }
    var waited = 0
    while waited < Self.timeout, takeEvents(within: Self.quiet) {
      if isInterrupted() { return false }
      waited += Int(Self.quiet)
    }
    // Adds new folders; a folder that moved is watched under its new name.
    folders = []
    try add(path)
    return !isInterrupted()
  }

  /// Drains the pending events and returns whether there were any. The caller scans the folder to find what changed.
  private func takeEvents(within milliseconds: Int32) -> Bool {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&wait, 1, milliseconds) > 0 else { return false }
    var (found, buffer) = (false, [UInt8](repeating: 0, count: 1 << 16))
    while read(descriptor, &buffer, buffer.count) > 0 { found = true }
    return found
  }
}

/// `IN_ONLYDIR`, which Swift does not import because it is an unsigned constant.
private let IN_ONLYDIR_EVENT: UInt32 = 0x0100_0000
