// Builds a database with this program's own schema from the rows of an untrusted file. Invariant: only rows are taken
// from such a file; anything in its schema other than the tables of this version is never run.

import Files

/// Why the rows of a file are refused.
public enum RebuildError: Error, Equatable {
  /// Schema objects that differ from those of this version: `trigger "evil"`.
  case strange([String])
}

/// A new file with the tables of a schema, for the rows of a file that cannot be used as it is.
public struct NewStore {
  let path: String
  private let schema: Schema
  let isInterrupted: @Sendable () -> Bool

  /// - Parameter path: where the file is created; nothing may exist there.
  public init(at path: String, schema: Schema, isInterrupted: @escaping @Sendable () -> Bool) {
    (self.path, self.schema, self.isInterrupted) = (path, schema, isInterrupted)
  }

  /// Copies the rows of a file.
  /// - Returns: a table with a row that refers to one that does not exist; nil if there is none. It is copied, too.
  /// - Throws: `RebuildError`, `StorageError`.
  public func rebuild(from source: String, finish: (Database) throws -> Void) throws -> String? {
    var dangling: String?
    try make { db in
      try db.execute(sql: "ATTACH ? AS source", arguments: [DatabaseFile.immutable(source)])
      let strange = try DatabaseSchema(db, "main").differingObjects(in: DatabaseSchema(db, "source"))
      guard strange.isEmpty else { throw RebuildError.strange(strange) }
      try db.execute(sql: "BEGIN")
      let indexed = "SELECT name FROM main.sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY rootpage"
      let indexes = LateIndexes(db, try db.rows(indexed) { $0.text(0) })
      try indexes.drop()
      for table in try UndoTable.all(db) {
        let columns = table.columns.map(UndoTable.quoted).joined(separator: ", ")
        // The source either has the stock rows of a new collection, or they were removed there.
        try db.execute(
          sql: """
            DELETE FROM main.\(table.quoted);
            INSERT INTO main.\(table.quoted) (\(columns)) SELECT \(columns) FROM source.\(table.quoted)
            """)
      }
      try indexes.make()
      try copySequences(db, from: "source")
      dangling = try db.firstRow("PRAGMA main.foreign_key_check") { $0.text(0) }
      try finish(db)
      try db.execute(sql: "COMMIT; DETACH source")
    }
    return dangling
  }

  /// Creates the file and passes it to the body, with triggers and foreign keys off. Nothing is synced to disk, because
  /// the file is thrown away if anything fails.
  func make(_ body: (Database) throws -> Void) throws {
    let made = Store(path: path, schema: schema, isInterrupted: isInterrupted)
    try made.operation("making a new collection") { _ in }
    try made.close()
    let settings = [
      "foreign_keys = OFF", "journal_mode = DELETE", "synchronous = OFF", "trusted_schema = OFF",
      "cell_size_check = ON", "mmap_size = 0",
    ]
    let file = try ExclusiveDatabase(path, .writing, settings: settings, poll: StatementPoll(isInterrupted))
    try file.use { db in
      db.setTriggers(areOn: false)
      try db.addFunctions(of: schema)
      try body(db)
    }
    try file.close()
  }

  /// Copies the counters of row ids, so that no id is reused: the log of a removed card must not become another card's.
  func copySequences(_ db: Database, from source: String) throws(StorageError) {
    try db.execute(
      sql: """
        DELETE FROM main.sqlite_sequence;
        INSERT INTO main.sqlite_sequence (name, seq) SELECT name, max(seq) FROM \(source).sqlite_sequence
        WHERE typeof(seq) = 'integer' AND seq BETWEEN 0 AND 1 << 52
          AND name IN (SELECT name FROM main.sqlite_master WHERE type = 'table') GROUP BY name
        """)
  }
}

/// The objects of a schema and the SQL of each.
struct DatabaseSchema {
  private var objects: [String: String] = [:]

  /// - Parameter name: the schema name of a database on the connection.
  init(_ db: Database, _ name: String) throws {
    // In a hostile file, `sqlite_master` may hold anything, also several rows of one name.
    try Statement(db, "SELECT type, name, tbl_name, sql FROM \(name).sqlite_master").forEachRow { row in
      objects["\(row.text(0)) \"\(row.text(1))\"", default: ""] += "\(row.text(2))\n\(row.text(3))\n"
    }
  }

  func differingObjects(in other: DatabaseSchema) -> [String] {
    Set(objects.keys).union(other.objects.keys).filter { objects[$0] != other.objects[$0] }.sorted()
  }
}
