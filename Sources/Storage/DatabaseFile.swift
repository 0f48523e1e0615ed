// Opening a database's file: to read and write, or where the disk does not allow that, to read.
// Invariant: a full disk, or one that may not be written to, keeps nobody from reading what is there.

import CSQLite
import Files
import GRDB
import Glibc

/// Settles once what SQLite does in the whole process; each opening of a database reads it first.
let sqliteIsConfigured = deckhand_configure_sqlite() == 0

struct DatabaseFile {
  /// Bytes of the log that stay on the disk once they were written into the file.
  static let keptLog = 4 << 20

  /// nil for a database in memory.
  let path: String?
  let migrations: [Migration]

  /// The open database, and why it can only be read where that is so.
  func open() throws -> (queue: DatabaseQueue, readOnlyReason: (any Error)?) {
    guard let path else { return (try DatabaseQueue(configuration: configuration()), nil) }
    do {
      do { try makePrivateFile(path) } catch { throw StorageError.ofFile(error, database: path) }
      var configuration = configuration()
      configuration.journalMode = .wal
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      // "Done" means on disk: what was committed outlives a loss of power. GRDB sets NORMAL, so it is said after the
      // opening.
      try queue.unsafeReentrantWrite { try $0.execute(sql: "PRAGMA synchronous = FULL") }
      return (queue, nil)
    } catch {
      guard DatabaseFile.allowsReading(error) else { throw error }
      let reason = (error as? DatabaseError).map { StorageError.ofDatabase($0, path: path, operation: "writing") }
      return (try openForReading(path), reason ?? error)
    }
  }

  private func configuration() -> Configuration {
    _ = sqliteIsConfigured
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    configuration.busyMode = .timeout(0.1)
    configuration.label = "deckhand"
    // KiB at most, taken as they are needed. More gain nothing: a million cards added and sent out take the same time
    // with 32 MiB, and 28 MiB more.
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -8192") }
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA journal_size_limit = \(DatabaseFile.keptLog)") }
    // What a statement of many rows needs to take itself back stays in memory: in a file it costs a third of the time
    // of a long import, each page a call of the system. Removing 500,000 cards takes 60 MB more.
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA temp_store = MEMORY") }
    // What was removed is in the log of undo anyway; overwriting its pages would write all of a large deck once more.
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA secure_delete = FAST") }
    return configuration
  }

  private func openForReading(_ path: String) throws -> DatabaseQueue {
    guard DatabaseFile.size(of: path) > 0 else {
      // Nothing is there yet, and nothing can be made: all that can be read is nothing.
      let empty = try DatabaseQueue(configuration: configuration())
      try empty.unsafeReentrantWrite { try migrate($0, by: migrations) }
      return empty
    }
    var configuration = configuration()
    configuration.readonly = true
    do {
      let fresh = try DatabaseQueue(path: path, configuration: configuration)
      try fresh.unsafeReentrantRead { _ = try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") }
      return fresh
    } catch is DatabaseError {
      // Without a place for its own files SQLite reads the file as it is.
      return try DatabaseQueue(path: DatabaseFile.immutable(path), configuration: configuration)
    }
  }

  private static func allowsReading(_ error: any Error) -> Bool {
    if let error = error as? DatabaseError {
      let codes: [ResultCode] = [.SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_PERM]
      return codes.contains(error.resultCode.primaryResultCode)
    }
    if let error = error as? FileError { return error.isUnwritable }
    switch error as? StorageError {
    case .full, .unreadable: return true
    default: return false
    }
  }

  static func size(of path: String) -> Int {
    var facts = stat()
    return stat(path, &facts) == 0 ? Int(facts.st_size) : 0
  }

  /// The file as an address that says that nobody changes it.
  static func immutable(_ path: String) -> String {
    var address = "file:"
    for byte in path.utf8 {
      let isPlain = UnicodeScalar(byte).properties.isAlphabetic && byte < 0x80 || "/.-_0123456789".utf8.contains(byte)
      let hexadecimal = (byte < 16 ? "0" : "") + String(byte, radix: 16)
      address += isPlain ? String(UnicodeScalar(byte)) : "%" + hexadecimal
    }
    return address + "?mode=ro&immutable=1"
  }
}
