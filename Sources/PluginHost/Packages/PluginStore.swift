// The folder of installed plugins, changed one plugin at a time. Invariant: at every moment, and after a kill or a
// power loss at any moment, the next start finds a plugin as it was before a change or as it is after it, with its
// grants: a change takes effect when its journal is written, and whoever finds a journal completes the change.

import Archives
import Files
import Text
import Values

/// Other files in `plugins/`:
///
///     .new-NAME   the future folder of NAME     .old-NAME   the former folder of NAME
///     .journal    the change in progress        .lock       held by whoever changes something
struct PluginStore {
  let data: String
  let folder: String
  let wait: LockWait

  private var journalPath: String { folder + "/.journal" }
  private var lockPath: String { folder + "/.lock" }
  private static let temporaryName = ".journal.tmp"
  private static let stagedPrefix = ".new-"
  private static let replacedPrefix = ".old-"
  /// The file in a plugin's folder that names where it was installed from; hidden, so no package contains it.
  static let sourceName = ".source"
  /// The data folder of a user without an account.
  private static let local = "local"

  func installed(_ plugin: String) -> String { folder + "/" + plugin }
  func staged(_ plugin: String) -> String { folder + "/" + Self.stagedPrefix + plugin }
  private func replaced(_ plugin: String) -> String { folder + "/" + Self.replacedPrefix + plugin }

  /// Locks the folder until the lock is released, and first completes or removes what a killed process left.
  func lock() throws -> FileLock {
    try makePrivateFolder(folder)
    let lock = try FileLock(lockPath, wait)
    do { try finish() } catch {
      lock.release()
      throw error
    }
    return lock
  }

  /// Writes a plugin's files to a folder that is not used yet. The caller holds the lock.
  func stage(_ plugin: String, _ files: [PackedFile]) throws -> String {
    let path = staged(plugin)
    do {
      try makePrivateFolder(path)
      var folders: Set<String> = [path]
      for file in files {
        let target = path + "/" + file.path
        try makePrivateFolder(parentFolder(of: target))
        var options = Replacement(mode: 0o600, isInterrupted: isNeverInterrupted)
        options.syncsName = false
        options.followsLinks = false
        options.temporaryName = ".writing.tmp"
        try AtomicFile.write(target, file.bytes, options)
        var parent = parentFolder(of: target)
        while parent != path, folders.insert(parent).inserted { parent = parentFolder(of: parent) }
      }
      for folder in folders { Folder.sync(folder) }
      Folder.sync(folder)
      return path
    } catch {
      try discard(plugin)
      throw error
    }
  }

  /// Adds a plugin whose name is free: with all its files, or not at all.
  func add(_ plugin: String, _ files: [PackedFile]) throws {
    let lock = try lock()
    defer { lock.release() }
    if fileExists(installed(plugin)) {
      throw PluginError.exists(name: plugin, what: "the file \(installed(plugin))")
    }
    let staged = try stage(plugin, files)
    do { try Folder.move(staged, to: installed(plugin)) } catch {
      try discard(plugin)
      throw error
    }
    Folder.sync(folder)
  }

  func discard(_ plugin: String) throws { try removeFolder(staged(plugin)) }

  /// Removes a folder; for a link to a folder, only the link.
  private func removeFolder(_ path: String) throws {
    guard let facts = try FileFacts.at(path, followingLinks: false) else { return }
    if facts.kind == .folder { try Folder.removeTree(path) } else { try Folder.removeFile(path) }
  }

  // MARK: A change

  /// The change of one plugin, as the journal states it.
  struct Change {
    let plugin: String
    /// Whether a staged folder becomes the plugin's folder; otherwise the plugin is removed.
    let isInstalled: Bool
    /// The folder of the grants, relative to the data folder: `local`, `accounts/ana`.
    let account: String
    /// The plugin's record in the file of grants afterwards.
    let grant: Value?
  }

  /// Makes a change completely or not at all. The caller holds the lock; the staged folder is gone when it throws.
  func commit(_ change: Change) throws {
    let before = try state(before: change)
    do {
      try AtomicFile.write(
        journalPath, JSONWriter.bytes(of: encoded(change)), .internalFile(temporaryName: Self.temporaryName))
      try perform(change)
      try removeJournal()
    } catch {
      // Only a part was written: everything is undone while the journal still exists.
      try undo(change, before)
      throw error
    }
    do { try removeFolder(replaced(change.plugin)) } catch {
      // The change is complete; what cannot be removed now is removed at the next start.
      return
    }
  }

  /// Returns the change that would bring back what is there now.
  private func state(before change: Change) throws -> Change {
    Change(
      plugin: change.plugin, isInstalled: fileExists(installed(change.plugin)), account: change.account,
      grant: try GrantFile(folder: data + "/" + change.account).record(of: change.plugin))
  }

  /// Each step may have been done already.
  private func perform(_ change: Change) throws {
    let (old, new, here) = (replaced(change.plugin), staged(change.plugin), installed(change.plugin))
    let isStaged = fileExists(new)
    if fileExists(here), isStaged || !change.isInstalled {
      try removeFolder(old)
      try Folder.move(here, to: old)
    }
    if change.isInstalled, isStaged { try Folder.move(new, to: here) }
    Folder.sync(folder)
    try setGrant(of: change, change.grant)
  }

  private func undo(_ change: Change, _ before: Change) throws {
    let (old, new, here) = (replaced(change.plugin), staged(change.plugin), installed(change.plugin))
    if change.isInstalled, !fileExists(new), fileExists(here) { try Folder.move(here, to: new) }
    if before.isInstalled, !fileExists(here), fileExists(old) { try Folder.move(old, to: here) }
    try setGrant(of: change, before.grant)
    try removeJournal()
    try removeFolder(new)
  }

  private func setGrant(of change: Change, _ grant: Value?) throws {
    let accountFolder = data + "/" + change.account
    // An account that was removed meanwhile grants nothing.
    if change.account != Self.local, !fileExists(accountFolder) { return }
    try makePrivateFolder(accountFolder)
    let lock = try FileLock(GrantFile.lockPath(in: accountFolder), wait)
    defer { lock.release() }
    var grants = try GrantFile(folder: accountFolder)
    try grants.set(change.plugin, record: grant)
  }

  private func removeJournal() throws {
    try Folder.removeFile(journalPath)
    Folder.sync(folder)
  }

  // MARK: After a kill

  /// Completes what a killed process left unfinished, unless another process is working.
  func recover() throws {
    guard hasLeftovers else { return }
    if fileExists(journalPath) {
      try lock().release()
    } else if let lock = try FileLock(ifFree: lockPath) {
      defer { lock.release() }
      try finish()
    }
  }

  private var hasLeftovers: Bool {
    // A folder that cannot be listed has nothing to complete; listing the plugins reports why.
    do { return try Folder.names(in: folder).contains { isLeftover($0) || $0 == ".journal" } } catch { return false }
  }

  private func isLeftover(_ name: String) -> Bool {
    name.hasPrefix(Self.stagedPrefix) || name.hasPrefix(Self.replacedPrefix) || name == Self.temporaryName
  }

  /// The caller holds the lock.
  private func finish() throws {
    if fileExists(journalPath) {
      let change = try decoded(FileText.bytes(journalPath, limit: 1 << 20, isInterrupted: isNeverInterrupted))
      try perform(change)
      try removeJournal()
    }
    for name in try Folder.names(in: folder) where isLeftover(name) { try removeFolder(folder + "/" + name) }
  }

  private func encoded(_ change: Change) -> Value {
    .record([
      ("plugin", .text(change.plugin)), ("installed", .boolean(change.isInstalled)),
      ("account", .text(change.account)), ("grant", change.grant ?? .null),
    ])
  }

  private func decoded(_ bytes: [UInt8]) throws -> Change {
    do {
      let record = try JSONParser.parse(bytes, limits: GrantFile.limits).record
      guard let plugin = record?["plugin"]?.text, Manifest.isName(plugin),
        let isInstalled = record?["installed"]?.boolean, let account = record?["account"]?.text, isAccount(account)
      else { throw PluginFileError.badJournal(path: journalPath) }
      return Change(
        plugin: plugin, isInstalled: isInstalled, account: account,
        grant: record?["grant"]?.record.map { .record($0) })
    } catch is JSONFailure {
      throw PluginFileError.badJournal(path: journalPath)
    }
  }

  /// Whether the text is the relative path of a user's data folder.
  private func isAccount(_ text: String) -> Bool {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let isPlain = parts.allSatisfy { !$0.isEmpty && !$0.hasPrefix(".") && !$0.utf8.contains(0) }
    return isPlain && (text == Self.local || parts.count == 2 && parts[0] == "accounts")
  }
}
