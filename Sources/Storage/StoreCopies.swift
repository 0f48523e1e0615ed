// The database as a whole: copied while it is in use, and replaced with a copy. Invariant: a copy is the content at one
// moment; a replacement is one transaction, which other processes see completely or not at all.

import Files
import Glibc

/// Copies a database that nobody writes to, with its write-ahead log, which is beside the file that a link points to.
/// - Parameter target: where nothing exists; after a failure nothing is there.
public func copyDatabase(_ path: String, to target: String, isInterrupted: @escaping @Sendable () -> Bool) throws {
  let source = try finalTarget(of: path)
  do {
    for ending in ["", "-wal"] where fileExists(source + ending) {
      try AtomicFile.copy(source + ending, to: target + ending, isInterrupted: isInterrupted)
    }
  } catch {
    // A log that could not be copied is not there.
    unlink(target)
    throw error
  }
}

/// A snapshot of a database file: it does not see what others write later.
public final class DatabaseSnapshot {
  private let database: ExclusiveDatabase
  private let path: String
  private let isInterrupted: @Sendable () -> Bool
  private static let pages: Int32 = 256

  /// - Parameters:
  ///   - scratch: a folder that only the caller uses.
  ///   - isInterrupted: polled for each part that is copied; true gives up.
  public init(_ path: String, scratch: String, isInterrupted: @escaping @Sendable () -> Bool) throws {
    (self.path, self.isInterrupted) = (path, isInterrupted)
    do { database = try DatabaseSnapshot.opened(path) } catch let error as StorageError where error.isOfDisk {
      // A full or read-only disk has no room for the files that SQLite keeps next to a database, so nobody writes.
      let copy = scratch + "/held.sqlite"
      try copyDatabase(path, to: copy, isInterrupted: isInterrupted)
      database = try DatabaseSnapshot.opened(copy)
    }
  }

  private static func opened(_ path: String) throws -> ExclusiveDatabase {
    let database = try ExclusiveDatabase(path, .reading, settings: ["busy_timeout = 5000"])
    try database.use(for: "copying") { db in
      try db.execute(sql: "BEGIN")
      _ = try db.count("SELECT count(*) FROM sqlite_master")
    }
    return database
  }

  /// Writes the snapshot to a file that does not exist yet, without the undo steps.
  public func copy(to target: String, progress: (Int, Int) -> Void) throws {
    try makePrivateFile(target)
    let copied = try ExclusiveDatabase(target)
    try database.use(for: "copying") { source in
      let size = try source.count("PRAGMA page_size")
      try copied.use(for: "copying") { copy in
        try copy.execute(sql: "PRAGMA synchronous = OFF")
        try source.backup(to: copy, pages: DatabaseSnapshot.pages) { done, total in
          if isInterrupted() { throw StorageError.interrupted(path: path) }
          progress(done * size, total * size)
        }
        try copy.execute(sql: "PRAGMA journal_mode = DELETE")
        try copy.execute(sql: UndoLog.clearSQL)
      }
    }
    try copied.close()
  }
}

/// Detects what others commit to a database after this object was created.
public final class ChangeWatch {
  private let database: ExclusiveDatabase
  private let version: Int

  fileprivate init(_ path: String) throws {
    database = try ExclusiveDatabase(path, .reading, settings: [])
    version = try database.use { try $0.dataVersion }
  }

  fileprivate func requireUnchanged() throws {
    if try database.use({ try $0.dataVersion }) != version { throw Changed() }
  }

  fileprivate struct Changed: Error {}
}

extension Store {
  /// Starts to watch the file; nil if there is none that can be read.
  public func watch() throws -> ChangeWatch? {
    guard let path, DatabaseFile.size(of: path) > 0 else { return nil }
    do { return try ChangeWatch(path) } catch let error as StorageError where error.isDamage || error.isOfDisk {
      return nil
    }
  }

  /// Replaces everything in the database with the content of a file, in one transaction. If the database is too damaged
  /// to be opened, its file is replaced with a new one: the caller has kept a copy.
  /// - Parameter watch: created before the caller copied what is replaced.
  /// - Returns: false, with nothing replaced, if somebody has changed the database since `watch` was created.
  @discardableResult public func replaceAll(from path: String, since watch: ChangeWatch? = nil) throws -> Bool {
    do {
      try replace(by: path, watch)
    } catch is ChangeWatch.Changed {
      return false
    } catch let error as StorageError where error.isDamage {
      try close()
      guard let own = try self.path.map(finalTarget) else { return true }
      // The database file first: without it, SQLite reads nothing from a leftover log.
      for ending in ["", "-wal", "-shm"] { try Folder.removeFile(own + ending) }
      try replace(by: path, nil)
    }
    didReplaceDatabase()
    return true
  }

  private func replace(by path: String, _ watch: ChangeWatch?) throws {
    try whole("replacing") { db in
      let source = try ExclusiveDatabase(path)
      try source.use { try $0.backup(to: db, whenLocked: { try watch?.requireUnchanged() }) }
      try source.close()
    }
  }
}
