// Opens a database file: for reading and writing, or for reading only if the disk does not allow more.
// Invariant: a full or read-only disk never prevents reading what is there.

import Files
import Glibc
import Text

struct DatabaseFile {
  /// The size in bytes to which SQLite truncates the write-ahead log once its content is in the database file.
  static let walLimit = 4 << 20

  /// nil for an in-memory database.
  let path: String?
  let schema: Schema
  let poll: StatementPoll

  static let memory = [
    // The largest cache in KiB, allocated as needed. More does not help: adding and exporting a million cards takes the
    // same time with 32 MiB, and 28 MiB more memory.
    "cache_size = -8192",
    // The journal that rolls back a failed statement of many rows stays in memory. In a file it costs a third of the
    // time of a long import, because each page is a system call. Removing 500,000 cards takes 60 MB more.
    "temp_store = MEMORY",
  ]

  private static let settings =
    memory + [
      "journal_size_limit = \(walLimit)",
      // Removed data is in the undo log anyway; overwriting its pages would write all of a large deck once more.
      "secure_delete = FAST",
    ]

  /// Opens the database; also returns the reason if it can only be read.
  func open(for operation: String) throws -> (database: ExclusiveDatabase, readOnlyReason: (any Error)?) {
    guard let path else { return (try open(nil, .writing), nil) }
    try requireFile(path)
    do {
      do { try makePrivateFile(path) } catch { throw StorageError.ofFile(error, database: path) }
      let database = try open(path, .writing)
      try database.use(for: operation) { db in
        guard try db.firstRow("PRAGMA journal_mode = WAL", [], { $0.text(0) }) == "wal" else {
          throw StorageError.unreadable(path: path, detail: "its disk does not support shared memory for SQLite")
        }
        // "Done" means on disk: committed changes survive a loss of power.
        try db.execute(sql: "PRAGMA synchronous = FULL")
      }
      return (database, nil)
    } catch {
      let isOfDisk = (error as? FileError)?.isUnwritable ?? (error as? StorageError)?.isOfDisk ?? false
      guard isOfDisk else { throw error }
      return (try openForReading(path), error)
    }
  }

  /// Requires a regular file or nothing: SQLite would report anything else as a broken disk, or take it for empty.
  private func requireFile(_ path: String) throws {
    do {
      guard let facts = try FileFacts.at(path) else {
        if try FileFacts.at(path, followingLinks: false) == nil { return }
        throw StorageError.unreadable(path: path, detail: "it is a link to a file that does not exist")
      }
      if facts.kind == .file { return }
      let detail = facts.kind == .folder ? "it is a folder" : "it is a pipe or a device"
      throw StorageError.unreadable(path: path, detail: detail)
    } catch let error as FileError { throw StorageError.ofFile(error, database: path) }
  }

  private func open(_ path: String?, _ mode: ExclusiveDatabase.Mode) throws(StorageError) -> ExclusiveDatabase {
    try ExclusiveDatabase(path, mode, settings: DatabaseFile.settings, poll: poll)
  }

  private func openForReading(_ path: String) throws -> ExclusiveDatabase {
    guard DatabaseFile.size(of: path) > 0 else {
      // There is no file yet and none can be created, so the caller reads an empty database.
      let empty = try open(nil, .writing)
      try empty.use { try schema.make($0) }
      return empty
    }
    do { return try open(path, .reading) } catch {
      // SQLite cannot create its own files next to the database, so nobody writes. The log has what was committed last.
      let log = try FileFacts.at(finalTarget(of: path) + "-wal", followingLinks: false)
      let hasLog = log.map { $0.kind == .file && $0.size > 0 } ?? false
      return try open(path, hasLog ? .immutableWithLog : .immutable)
    }
  }

  static func size(of path: String) -> Int {
    var facts = stat()
    return stat(path, &facts) == 0 ? Int(facts.st_size) : 0
  }

  /// Returns the URI that opens the file as immutable.
  static func immutable(_ path: String) -> String { address(path, "mode=ro&immutable=1") }

  static func address(_ path: String, _ parameters: String) -> String {
    // Without the empty host, SQLite would take the first part of a path that begins with two slashes for a host.
    (path.hasPrefix("/") ? "file://" : "file:") + percentEncoded(path: path) + "?" + parameters
  }
}
