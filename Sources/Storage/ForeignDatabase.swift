// Databases other than the user's own: files of others, opened for reading only, and new files for export.
// Invariant: nothing that a foreign file defines is run, no trigger, view or function, and it is never written to.

import Files

/// A SQLite file of another program.
///
///     let file = try ForeignDatabase.open(path, isInterrupted: isInterrupted)
///     try file.use { db in ... }
public enum ForeignDatabase {
  /// Opens a file that nobody else uses, for reading.
  /// - Parameters:
  ///   - hasJournal: whether the file is this process's own copy with its journal next to it: both are read. Otherwise
  ///     the journal is ignored.
  ///   - collations: names of the collations that its tables use; all compare ASCII letters case-insensitively.
  ///   - isInterrupted: polled while statements run; true interrupts them.
  public static func open(
    _ path: String, hasJournal: Bool = false, collations: [String] = [], isInterrupted: @escaping @Sendable () -> Bool
  ) throws(StorageError) -> ExclusiveDatabase {
    try ExclusiveDatabase(
      path, hasJournal ? .reading : .immutable,
      settings: ["trusted_schema = OFF", "cell_size_check = ON", "query_only = ON", "mmap_size = 0"],
      collations: collations, poll: StatementPoll(isInterrupted))
  }

  /// Creates a file that only this process writes, once. It has no journal, because it is thrown away if writing fails.
  public static func create(
    _ path: String, isInterrupted: @escaping @Sendable () -> Bool
  ) throws -> ExclusiveDatabase {
    // SQLite would create the file with the permissions that the umask allows.
    do { try makePrivateFile(path) } catch { throw StorageError.ofFile(error, database: path) }
    return try ExclusiveDatabase(
      path, .writing,
      settings: [
        "page_size = 4096", "journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE", "cache_size = -4096",
      ], poll: StatementPoll(isInterrupted))
  }
}
