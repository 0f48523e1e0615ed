// Databases other than the user's own: files of others, opened for reading only, and new files for export.
// Invariant: nothing that a foreign file defines is run: only ordinary tables can be read, no view, virtual table or
// table with generated columns; no trigger fires, since the file is never written to. A value in it has a limited
// length, and reading it can be interrupted.

import CSQLite
import Files

/// A SQLite file of another program.
public enum ForeignDatabase {
  /// The limit on the length of a value in bytes, unless the reader needs another one: for the note types of a
  /// collection, which old packages keep in one value.
  public static let longestValue = 32 << 20

  /// Opens a file that nobody else uses, for reading.
  /// - Parameters:
  ///   - hasJournal: whether the file is this process's own copy with its journal next to it: both are read. Otherwise
  ///     the journal is ignored.
  ///   - collations: names of the collations that its tables use; all compare ASCII letters case-insensitively.
  ///   - schema: that of its tables, for a file of this program.
  ///   - longest: the limit on the length of a value in bytes; nil for a file that this program wrote.
  public static func open(
    _ path: String, hasJournal: Bool = false, collations: [String] = [], schema: Schema? = nil,
    longest: Int? = longestValue, isInterrupted: @escaping @Sendable () -> Bool
  ) throws(StorageError) -> ExclusiveDatabase {
    let file = try ExclusiveDatabase(
      path, hasJournal ? .reading : .immutable,
      settings: ["trusted_schema = OFF", "cell_size_check = ON", "query_only = ON", "mmap_size = 0"],
      collations: collations, poll: StatementPoll(isInterrupted))
    try file.readOnlyTables(of: schema, longest: longest)
    return file
  }

  /// Creates a file that only this process writes, once. It has no journal, because it is thrown away if writing fails.
  public static func create(_ path: String, isInterrupted: @escaping @Sendable () -> Bool) throws -> ExclusiveDatabase {
    // SQLite would create the file with the permissions that the umask allows.
    do { try makePrivateFile(path) } catch { throw StorageError.ofFile(error, database: path) }
    return try ExclusiveDatabase(
      path, .writing,
      settings: [
        "page_size = 4096", "journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE", "cache_size = -4096",
      ], poll: StatementPoll(isInterrupted))
  }
}

/// The tables that a foreign file may be read from.
final class ReadableTables: Sendable {
  let names: Set<String>

  /// - Throws: `StorageError` for a damaged schema.
  init(of database: Database) throws(StorageError) {
    // A view has no pages. Its columns are not asked for: views of views may take forever to expand.
    let ordinary = """
      SELECT name FROM sqlite_master AS t WHERE CASE WHEN type = 'table' AND rootpage > 0
        THEN NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(t.name) WHERE hidden > 1) ELSE 0 END
      """
    let statement = try Statement(database, ordinary)
    var names: Set<String> = []
    while let row = try statement.next() { names.insert(row.text(0)) }
    self.names = names
  }

  /// Whether a statement may read a table; SQLite's own ones tell about the schema.
  func contains(_ table: String) -> Bool {
    names.contains(table) || table.hasPrefix("sqlite_") || table.hasPrefix("pragma_")
  }
}

public enum ForeignTable: Sendable {
  case ordinary, missing
  /// A view, a virtual table, a table with generated columns: it cannot be read.
  case other
}

extension Database {
  public func foreignTable(_ name: String) throws -> ForeignTable {
    if connection.readable?.names.contains(where: { $0.lowercased() == name.lowercased() }) ?? true { return .ordinary }
    let isThere = "SELECT 1 FROM sqlite_master WHERE name = ? COLLATE NOCASE AND type IN ('table', 'view')"
    return try hasRow(isThere, [name]) ? .other : .missing
  }
}
