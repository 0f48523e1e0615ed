// The tables that this program makes in a database.
// Invariant: all tables are made in one transaction, so a file never has only some of them, even if two processes open
// it at the same moment; a file of another version is refused before it is changed.

/// The tables, views and triggers of one module, or of all together.
public struct Schema: Sendable {
  /// The version that SQLite keeps in the file as `user_version`. A change of the tables raises it.
  static let version = 1

  let sql: String
  let functions: [SQLFunction]

  public init(_ sql: String, functions: [SQLFunction] = []) { (self.sql, self.functions) = (sql, functions) }

  public static func + (first: Schema, second: Schema) -> Schema {
    Schema(first.sql + "\n" + second.sql, functions: first.functions + second.functions)
  }

  /// Whether the file has the tables of this version; false for an empty file.
  /// - Throws: `StorageError.newer`; `StorageError.damaged` for tables without a version.
  static func isMade(_ db: Database, path: String) throws -> Bool {
    let found = try db.count("PRAGMA user_version")
    if found > version { throw StorageError.newer(path: path, version: found) }
    if found == version { return true }
    guard try db.count("SELECT count(*) FROM sqlite_master") == 0 else {
      throw StorageError.damaged(path: path, detail: "its tables have no version")
    }
    return false
  }

  /// Makes the tables, unless another process did meanwhile. The caller holds the write lock.
  func make(_ db: Database, path: String = "") throws {
    if try Schema.isMade(db, path: path) { return }
    try db.execute(sql: sql)
    try db.execute(sql: "PRAGMA user_version = \(Schema.version)")
  }
}

extension Database {
  /// Registers the SQL functions that the tables need.
  func addFunctions(of schema: Schema) throws(StorageError) { for function in schema.functions { try add(function) } }
}
