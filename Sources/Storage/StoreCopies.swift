// The database as a whole: copied while it is in use, and replaced by a copy.
// Invariant: a copy is one moment's content; a replacement is one transaction, which other processes see whole or not
// at all.

import Files
import Glibc

/// One moment of a database's file: what others write meanwhile is not seen.
///
///     let held = try HeldDatabase(path, scratch: scratch.folder, isInterrupted: isInterrupted)
///     try held.copy(to: target) { done, total in }
public final class HeldDatabase {
  private let database: ExclusiveDatabase
  private let path: String
  private let isInterrupted: @Sendable () -> Bool
  private static let pages: Int32 = 256

  /// - Parameters:
  ///   - path: a file that is there.
  ///   - scratch: a folder of the caller's own.
  ///   - isInterrupted: asked with each part that is copied; true gives up.
  public init(_ path: String, scratch: String, isInterrupted: @escaping @Sendable () -> Bool) throws {
    self.path = path
    self.isInterrupted = isInterrupted
    do {
      database = try HeldDatabase.opened(path)
    } catch let error as StorageError where error.isOfDisk {
      // A disk that is full or read-only has no room for what SQLite keeps beside a file in use, so nobody writes.
      let copy = scratch + "/held.sqlite"
      for ending in ["", "-wal"] where fileExists(path + ending) {
        try AtomicFile.copy(path + ending, to: copy + ending, isInterrupted: isInterrupted)
      }
      database = try HeldDatabase.opened(copy)
    }
  }

  private static func opened(_ path: String) throws -> ExclusiveDatabase {
    let database = try ExclusiveDatabase(path, .reading, settings: ["busy_timeout = 5000"])
    try database.use(for: "copying") { db in
      try db.execute(sql: "BEGIN")
      _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master")
    }
    return database
  }

  /// Writes it to a file that is not there yet, without the steps of undo.
  /// - Parameter progress: bytes done and all of them.
  public func copy(to target: String, progress: (Int, Int) -> Void) throws {
    try makePrivateFile(target)
    let copied = try ExclusiveDatabase(target)
    try database.use(for: "copying") { source in
      let size = try Int.fetchOne(source, sql: "PRAGMA page_size") ?? 0
      try copied.use(for: "copying") { copy in
        try copy.execute(sql: "PRAGMA synchronous = OFF")
        try source.backup(to: copy, pages: HeldDatabase.pages) { done, total in
          if isInterrupted() { throw StorageError.interrupted(path: path) }
          progress(done * size, total * size)
        }
        try copy.execute(sql: "PRAGMA journal_mode = DELETE")
        try copy.execute(sql: UndoLog.removal)
      }
    }
    try copied.close()
  }
}

/// Notices what others commit to a database from the moment on when it was made.
public final class ChangeWatch {
  private let database: ExclusiveDatabase
  private let version: Int?

  fileprivate init(_ path: String) throws {
    database = try ExclusiveDatabase(path, .reading, settings: [])
    version = try database.use(ChangeWatch.version)
  }

  private static func version(_ db: Database) throws -> Int? { try Int.fetchOne(db, sql: "PRAGMA data_version") }

  fileprivate func requireUnchanged() throws {
    if try database.use(ChangeWatch.version) != version { throw Changed() }
  }

  fileprivate struct Changed: Error {}
}

extension Store {
  /// Watches the file from now on; nil where there is none that can be read.
  public func watch() throws -> ChangeWatch? {
    guard let path, DatabaseFile.size(of: path) > 0 else { return nil }
    do { return try ChangeWatch(path) } catch let error as StorageError where error.isDamage || error.isOfDisk {
      return nil
    }
  }

  /// Replaces everything in the database by what a file holds, in one transaction. A file that is too damaged to be
  /// opened gives way to a new one: the caller has kept a copy.
  /// - Parameter watch: made before the caller kept a copy of what is replaced.
  /// - Returns: false, and nothing is replaced, where somebody has changed the database since `watch` was made.
  @discardableResult
  public func replaceAll(from path: String, since watch: ChangeWatch? = nil) throws -> Bool {
    do {
      try replace(by: path, watch)
    } catch is ChangeWatch.Changed {
      return false
    } catch let error as StorageError where error.isDamage {
      try close()
      guard let own = self.path else { return true }
      // The file first: without it SQLite takes no row from a log that is left.
      for ending in ["", "-wal", "-shm"] { try Folder.removeFile(own + ending) }
      try replace(by: path, nil)
    }
    noteReplaced()
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
