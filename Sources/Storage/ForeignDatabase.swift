// Databases that are not the user's own: those of others, opened only to be read, and new ones that are written out.
// Invariant: nothing that a file of somebody else's says is run: no trigger, no view, no function of its own, and it is
// never written to.

import Files

/// A SQLite file of another program.
///
///     let file = try ForeignDatabase.open(path, isInterrupted: isInterrupted)
///     try file.use { db in ... }
public enum ForeignDatabase {
  /// Opens a file that nobody else uses, to be read.
  /// - Parameters:
  ///   - hasJournal: the file is a copy of this process's own, beside which its journal is: both are read. Otherwise
  ///     what waits in a journal is passed over.
  ///   - collations: names of orders of texts that its tables are made with; all go by small letters.
  ///   - isInterrupted: asked while statements run; true ends them.
  public static func open(
    _ path: String, hasJournal: Bool = false, collations: [String] = [], isInterrupted: @escaping @Sendable () -> Bool
  ) throws(StorageError) -> ExclusiveDatabase {
    try ExclusiveDatabase(
      path, hasJournal ? .reading : .immutable,
      settings: ["trusted_schema = OFF", "cell_size_check = ON", "query_only = ON", "mmap_size = 0"],
      collations: collations, poll: StatementPoll(isInterrupted))
  }

  /// Makes a file that is written once, by this process alone, and thrown away when that fails: without a journal.
  public static func create(
    _ path: String, isInterrupted: @escaping @Sendable () -> Bool
  ) throws -> ExclusiveDatabase {
    // SQLite would make it as the umask says.
    do { try makePrivateFile(path) } catch { throw StorageError.ofFile(error, database: path) }
    return try ExclusiveDatabase(
      path, .writing,
      settings: [
        "page_size = 4096", "journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE", "cache_size = -4096",
      ], poll: StatementPoll(isInterrupted))
  }
}
