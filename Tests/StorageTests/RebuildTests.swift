// Rebuilding an untrusted file keeps its rows and nothing else; a batch gives each table its own columns; the undo log
// stays within its limit.

import Files
import TestSupport

@testable import Storage

@Suite struct RebuildTests {
  private static let schema = Schema(
    """
    CREATE TABLE boxes (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE) STRICT;
    CREATE TABLE things (id INTEGER PRIMARY KEY, box INTEGER NOT NULL REFERENCES boxes(id)) STRICT;
    CREATE TABLE noted (name TEXT) STRICT;
    CREATE INDEX noted_name ON noted(name);
    CREATE TRIGGER box_noted AFTER INSERT ON boxes BEGIN INSERT INTO noted VALUES (new.name); END;
    INSERT INTO boxes (name) VALUES ('stock');
    """)

  /// Returns the content of a new file rebuilt from one that these statements changed.
  private func rebuilt(
    _ statements: String, finish: (Database) throws -> Void = { _ in }
  ) throws -> (boxes: [String], noted: [String], next: Int, dangling: String?) {
    let folder = TemporaryFolder()
    let source = Store(path: folder.file("x.sqlite"), schema: Self.schema, isInterrupted: { false })
    try source.operation("filling") { db in
      try db.execute(sql: "DELETE FROM boxes; INSERT INTO boxes (name) VALUES ('a'), ('b'), ('c')")
    }
    try source.close()
    let raw = try ExclusiveDatabase(folder.file("x.sqlite"))
    try raw.use { try $0.execute(sql: "PRAGMA foreign_keys = OFF; \(statements); PRAGMA journal_mode = DELETE") }
    try raw.close()
    let target = folder.file("y.sqlite")
    let dangling = try NewStore(at: target, schema: Self.schema, isInterrupted: { false })
      .rebuild(from: folder.file("x.sqlite"), finish: finish)
    #expect(folder.names == ["x.sqlite", "y.sqlite"])
    let made = Store(path: target, schema: Self.schema, isInterrupted: { false })
    return try made.operation("looking") { db in
      let boxes = try String.fetchAll(db, sql: "SELECT name FROM boxes ORDER BY id")
      let noted = try String.fetchAll(db, sql: "SELECT name FROM noted INDEXED BY noted_name ORDER BY rowid")
      try db.execute(sql: "INSERT INTO boxes (name) VALUES ('next')")
      return (boxes, noted, Int(db.lastInsertedRowID), dangling)
    }
  }

  @Test func `a URI names its path, whatever the path begins with`() {
    #expect(DatabaseFile.immutable("//.b/ñ.sqlite") == "file:////.b/%C3%B1.sqlite?mode=ro&immutable=1")
    #expect(DatabaseFile.immutable("a.sqlite").hasPrefix("file:a.sqlite?"))
  }

  @Test func `rows are copied as they are: no trigger runs, no stock row stays, no id is reused`() throws {
    let made = try rebuilt("DELETE FROM boxes WHERE name = 'c'; DELETE FROM noted WHERE name = 'b'")
    #expect(made.boxes == ["a", "b"] && made.noted == ["stock", "a", "c"])
    // 1 was the stock row, 2 to 4 were copied, one of them removed.
    #expect(made.next == 5 && made.dangling == nil)
  }

  @Test func `rows can be changed before anyone sees them`() throws {
    #expect(try rebuilt("SELECT 1") { try $0.execute(sql: "DELETE FROM boxes WHERE name <> 'a'") }.boxes == ["a"])
  }

  @Test(arguments: [
    ("CREATE TRIGGER evil AFTER DELETE ON boxes BEGIN DELETE FROM things; END", "trigger \"evil\""),
    ("CREATE VIEW evil AS SELECT 1", "view \"evil\""), ("DROP TRIGGER box_noted", "trigger \"box_noted\""),
    ("CREATE TABLE more (a)", "table \"more\""),
  ])
  func `a file with another schema is refused by its name`(statement: String, stranger: String) {
    #expect(throws: RebuildError.strange([stranger])) { try rebuilt(statement) }
  }

  @Test func `a row with a dangling reference is copied, and its table is named`() throws {
    var rows = 0
    let made = try rebuilt("INSERT INTO things VALUES (1, 77)") { rows = try $0.count("SELECT count(*) FROM things") }
    #expect(made.dangling == "things" && rows == 1)
  }

  @Test func `each table of a batch gets the columns it names, also for rows that come late`() throws {
    try ExclusiveDatabase(nil, .writing, settings: []).use { db in
      try db.execute(sql: "CREATE TABLE names (id, name); CREATE TABLE sizes (id, size, kind)")
      let parts = [
        RowBatch.Part(into: "names (id, name)", "column1, column2"),
        RowBatch.Part(into: "sizes (id, size, kind)", "column1, column3, ?1"),
      ]
      let batch = try RowBatch(db, parts, shared: 1, columns: 3)
      batch.putShared(1, Int64(9))
      for number in 1...100 {
        batch.put(0, Int64(number))
        batch.put(1, text: "name \(number)")
        batch.put(2, Double(number) / 2)
        try batch.writeRow()
      }
      try batch.flush()
      let sql = "SELECT name || ' ' || size || ' ' || kind FROM names JOIN sizes USING (id) ORDER BY id"
      #expect(try String.fetchAll(db, sql: sql) == (1...100).map { "name \($0) \(Double($0) / 2) 9" })
    }
  }

  @Test func `the oldest steps are dropped once all of them exceed 256 MB`() throws {
    let store = Store(path: nil, schema: UndoTests.schema, isInterrupted: { false }, undoClock: { 1_700_000_000 })
    for name in ["one", "two"] {
      try store.operation(name) { try $0.execute(sql: "INSERT INTO boxes (name) VALUES (?)", arguments: [name]) }
    }
    try store.operation("three") {
      try $0.execute(sql: "INSERT INTO things (box, rank, data) VALUES (1, 1, randomblob(2 << 20))")
    }
    // Pretend that these are large.
    try store.operation("sizes") {
      try $0.execute(sql: "UPDATE undo_steps SET bytes = 100 << 20 WHERE name <> 'three'")
    }
    #expect(try store.undoSteps().map(\.name) == ["three", "two", "one"])
    try store.operation("sizes") {
      try $0.execute(sql: "UPDATE undo_steps SET bytes = 150 << 20 WHERE name <> 'three'")
    }
    // A step of more than 1 MB checks the limit at once.
    try store.operation("four") { try $0.execute(sql: "DELETE FROM things") }
    #expect(try store.undoSteps().map(\.name) == ["four", "three", "two"])
  }

  @Test func `dangling foreign keys are found`() throws {
    let store = Store(
      path: nil,
      schema: Schema("CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a REFERENCES a)"),
      isInterrupted: { false })
    #expect(try store.integrityProblems() == [])
    #expect(throws: StorageError.self) { try store.operation("x") { try $0.execute(sql: "INSERT INTO b VALUES (7)") } }
    try store.read { try $0.execute(sql: "PRAGMA foreign_keys = OFF; INSERT INTO b VALUES (7)") }
    #expect(try store.integrityProblems() == ["row 1 of b refers to a row that does not exist in a"])
  }
}
