// The migrations that bring a database's tables to what this program expects, and the code that runs them.
// Invariant: all missing migrations run in one transaction, so a file never has only some of them, even if two
// processes open it at the same moment; a file with migrations that are unknown here is refused before it is changed.

/// A named change of the tables. Names are prefixed with their module: `decks.1`. A released migration never changes.
///
///     Migration("decks.2", sql: "ALTER TABLE cards ADD COLUMN flag INTEGER NOT NULL DEFAULT 0")
public struct Migration: Sendable {
  public let name: String
  /// The SQL functions that its views and indexes call.
  let functions: [SQLFunction]
  let apply: @Sendable (Database) throws -> Void

  public init(
    _ name: String, functions: [SQLFunction] = [], _ apply: @escaping @Sendable (Database) throws -> Void
  ) {
    (self.name, self.functions, self.apply) = (name, functions, apply)
  }

  /// Creates a migration that only runs SQL.
  public init(_ name: String, functions: [SQLFunction] = [], sql: String) {
    self.init(name, functions: functions) { try $0.execute(sql: sql) }
  }
}

extension Database {
  /// Registers the SQL functions that the tables of migrations need.
  func addFunctions(of migrations: [Migration]) throws(StorageError) {
    for migration in migrations { for function in migration.functions { try add(function) } }
  }
}

/// Returns the names of the migrations that a file already has. The file may be hostile: a virtual table is not read.
func appliedMigrations(_ db: Database) throws -> Set<String> {
  let isThere = "SELECT 1 FROM sqlite_master WHERE name = 'grdb_migrations' AND sql LIKE 'CREATE TABLE %'"
  guard try Int.fetchOne(db, sql: isThere) != nil else { return [] }
  return try Set(String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations"))
}

/// Runs the missing migrations. The caller holds the write lock.
func migrate(_ db: Database, by migrations: [Migration]) throws {
  try db.execute(sql: "CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
  let applied = try appliedMigrations(db)
  for migration in migrations where !applied.contains(migration.name) {
    try migration.apply(db)
    try db.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES (?)", arguments: [migration.name])
  }
}
