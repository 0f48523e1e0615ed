// Opening a database's file: to read and write, or where the disk does not allow that, to read.
// Invariant: a full disk, or one that may not be written to, keeps nobody from reading what is there.

import Files
import Glibc

struct DatabaseFile {
  /// Bytes of the log that stay on the disk once they were written into the file.
  static let keptLog = 4 << 20

  /// nil for a database in memory.
  let path: String?
  let migrations: [Migration]
  let poll: StatementPoll

  private static let settings = [
    // KiB at most, taken as they are needed. More gain nothing: a million cards added and sent out take the same time
    // with 32 MiB, and 28 MiB more.
    "cache_size = -8192",
    "journal_size_limit = \(keptLog)",
    // What a statement of many rows needs to take itself back stays in memory: in a file it costs a third of the time
    // of a long import, each page a call of the system. Removing 500,000 cards takes 60 MB more.
    "temp_store = MEMORY",
    // What was removed is in the log of undo anyway; overwriting its pages would write all of a large deck once more.
    "secure_delete = FAST",
  ]

  /// The open database, and why it can only be read where that is so.
  func open(for operation: String) throws -> (database: ExclusiveDatabase, readOnlyReason: (any Error)?) {
    guard let path else { return (try open(nil, .writing), nil) }
    try requireFile(path)
    do {
      do { try makePrivateFile(path) } catch { throw StorageError.ofFile(error, database: path) }
      let database = try open(path, .writing)
      try database.use(for: operation) { db in
        guard try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL") == "wal" else {
          throw StorageError.unreadable(path: path, detail: "its disk does not support shared memory for SQLite")
        }
        // "Done" means on disk: what was committed outlives a loss of power.
        try db.execute(sql: "PRAGMA synchronous = FULL")
      }
      return (database, nil)
    } catch {
      guard DatabaseFile.allowsReading(error) else { throw error }
      return (try openForReading(path), error)
    }
  }

  /// A file, or a place where one can be made: SQLite takes what else is there for a broken disk or for an empty file.
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
      // Nothing is there yet, and nothing can be made: all that can be read is nothing.
      let empty = try open(nil, .writing)
      try empty.use { try migrate($0, by: migrations) }
      return empty
    }
    do {
      return try open(path, .reading)
    } catch {
      // Without a place for its own files SQLite reads the file as it is.
      return try open(path, .immutable)
    }
  }

  private static func allowsReading(_ error: any Error) -> Bool {
    if let error = error as? FileError { return error.isUnwritable }
    return (error as? StorageError)?.isOfDisk ?? false
  }

  static func size(of path: String) -> Int {
    var facts = stat()
    return stat(path, &facts) == 0 ? Int(facts.st_size) : 0
  }

  /// The file as an address that says that nobody changes it.
  static func immutable(_ path: String) -> String {
    // Without an empty host a path of two slashes would begin with one.
    var address = path.hasPrefix("/") ? "file://" : "file:"
    for byte in path.utf8 {
      let isPlain = UnicodeScalar(byte).properties.isAlphabetic && byte < 0x80 || "/.-_0123456789".utf8.contains(byte)
      let hexadecimal = (byte < 16 ? "0" : "") + String(byte, radix: 16)
      address += isPlain ? String(UnicodeScalar(byte)) : "%" + hexadecimal
    }
    return address + "?mode=ro&immutable=1"
  }
}
