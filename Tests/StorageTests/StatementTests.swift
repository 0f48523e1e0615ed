// Statements, their arguments, and the databases they run on.

import Files
import Glibc
import Problems
import TestSupport
import Values

@testable import Storage

@Suite struct StatementTests {
  private let folder = TemporaryFolder()

  struct Failure: Error {}

  private func open(_ path: String? = nil, collations: [String] = []) throws -> ExclusiveDatabase {
    try ExclusiveDatabase(path, .writing, settings: [], collations: collations)
  }

  private func numbers(_ db: Database) throws -> [Int] { try Int.fetchAll(db, sql: "SELECT a FROM numbers ORDER BY a") }

  private func detail(_ body: () throws -> Void) throws -> String? {
    try #require(throws: StorageError.self) { try body() }.detail
  }

  @Test func `a statement takes as many values as it has parameters, and writes nothing if it gets more or fewer`()
    throws
  {
    try open().use { db in
      try db.execute(sql: "CREATE TABLE numbers (a, b)")
      let insertion = "INSERT INTO numbers VALUES (?, ?)"
      #expect(try detail { try db.run(insertion, [1]) } == "there are more parameters than arguments")
      #expect(try detail { try db.run(insertion, [1, 2, 3]) } == "there are more arguments than parameters")
      #expect(
        try detail { try db.execute(sql: "DELETE FROM numbers", arguments: [1]) }
          == "there are more arguments than parameters")
      let named = "INSERT INTO numbers VALUES (:first, :second)"
      #expect(try detail { try db.run(named, ["first": 1]) } == "there is no argument for the parameter second")
      #expect(try numbers(db) == [])
      try db.run(named, ["first": 1, "second": nil])
      try db.execute(sql: "\(insertion); \(insertion)", arguments: [2, 0, 3, 0])
      #expect(try numbers(db) == [1, 2, 3])
      // A failure leaves nothing bound.
      try db.run(insertion, [4, 0])
      #expect(try numbers(db) == [1, 2, 3, 4])
    }
  }

  @Test func `values of every kind come back as they were given`() throws {
    try open().use { db in
      try db.execute(sql: "CREATE TABLE kinds (flag, number, share, word, bytes, other)")
      try db.run("INSERT INTO kinds VALUES (?, ?, ?, ?, ?, ?)", [true, Int64.max, 0.5, "", [UInt8](), nil as String?])
      try db.run(
        "INSERT INTO kinds VALUES (?, ?, ?, ?, ?, ?)", [false, -1, -0.5, "ä", [0, 255] as [UInt8], nil as Int?])
      let rows = try db.rows("SELECT * FROM kinds ORDER BY rowid") { row in
        (Bool(row, 0), row.integer(1), row.number(2), row.text(3), Array(row.blob(4)), row.optionalText(5), row.values)
      }
      #expect(rows.map(\.0) == [true, false] && rows.map(\.1) == [.max, -1] && rows.map(\.2) == [0.5, -0.5])
      #expect(rows.map(\.3) == ["", "ä"] && rows.map(\.4) == [[], [0, 255]] && rows.map(\.5) == [nil, nil])
      #expect(rows[1].6 == [.integer(0), .integer(-1), .number(-0.5), .text("ä"), .text("2 bytes"), .null])
      let names = try db.rows("SELECT word, number FROM kinds ORDER BY rowid") {
        ($0["word"], $0["share"], $0.blob(0).count)
      }
      #expect(names.map(\.0) == [.text(""), .text("ä")], "a column by its name")
      #expect(names.map(\.1) == [.null, .null], "there is no such column in this query")
      #expect(names.map(\.2) == [0, 0], "a text is no blob")
    }
  }

  @Test func `a second statement in one text is refused, a comment after the first is not`() throws {
    try open().use { db in
      #expect(try detail { _ = try Statement(db, "SELECT 1; SELECT 2") } == "there are several statements")
      #expect(try detail { _ = try Statement(db, "-- nothing") } == "there is no statement")
      #expect(try Statement(db, "SELECT 1; -- one\n").first { $0.integer(0) } == 1)
      try db.execute(sql: "CREATE TABLE numbers (a); -- that is all\n")
      #expect(try numbers(db) == [])
    }
  }

  @Test func `statements beyond the cache are prepared anew, and one in use is not handed out twice`() throws {
    try open().use { db in
      for number in 0...501 { #expect(try Int.fetchOne(db, sql: "SELECT \(number)") == number) }
      #expect(try Int.fetchOne(db, sql: "SELECT 0") == 0)
      let pairs = "SELECT 1 UNION SELECT 2"
      let walk = try db.cachedStatement(sql: pairs)
      #expect(try walk.next()?.integer(0) == 1)
      #expect(try Int.fetchAll(db, sql: pairs) == [1, 2])
      #expect(try walk.next()?.integer(0) == 2)
      #expect(try walk.next() == nil)
    }
  }

  @Test func `a trace gets statements with their values until it is removed`() throws {
    try open().use { db in
      var told: [String] = []
      db.trace { told.append($0) }
      _ = try Int.fetchOne(db, sql: "SELECT ? + 1", arguments: [1])
      db.trace(nil)
      _ = try Int.fetchOne(db, sql: "SELECT 3")
      #expect(told == ["SELECT 1 + 1"])
    }
  }

  @Test func `a collation compares as lower case, for ASCII letters only`() throws {
    try open(collations: ["small"]).use { db in
      let sorted = try String.fetchAll(
        db, sql: "SELECT * FROM (VALUES ('b'), ('Ba'), ('A'), ('É'), ('é')) ORDER BY 1 COLLATE small")
      #expect(sorted == ["A", "b", "Ba", "É", "é"])
      #expect(
        try Bool.fetchAll(db, sql: "SELECT 'aZ' = 'Az' COLLATE small UNION ALL SELECT 'É' = 'é' COLLATE small") == [
          true, false,
        ])
      #expect(try Bool.fetchOne(db, sql: "SELECT '@[`{' = '`{@[' COLLATE small") == false)
    }
  }

  @Test func `a transaction is committed, or rolled back if its body throws`() throws {
    try open().use { db in
      try db.execute(sql: "CREATE TABLE numbers (a)")
      #expect(
        try db.transaction {
          try db.run("INSERT INTO numbers VALUES (1) RETURNING a"); return "kept"
        } == "kept")
      #expect(throws: Failure.self) {
        try db.transaction {
          try db.run("INSERT INTO numbers VALUES (2)")
          throw Failure()
        }
      }
      #expect(throws: Failure.self, "SQLite may have taken it back by itself") {
        try db.transaction {
          try db.run("INSERT INTO numbers VALUES (3)")
          try db.rollback()
          throw Failure()
        }
      }
      #expect(try numbers(db) == [1] && !db.isInsideTransaction)
    }
  }

  @Test func `a savepoint whose transaction is gone reports it and leaves nothing behind`() throws {
    try open().use { db in
      try db.execute(sql: "CREATE TABLE numbers (a)")
      try db.begin()
      #expect(throws: StorageError.rolledBack(path: "the database in memory")) {
        try db.savepoint {
          try db.run("INSERT INTO numbers VALUES (1)")
          try db.rollback()
        }
      }
      #expect(try numbers(db) == [] && !db.isInsideTransaction)
    }
  }

  @Test func `a database with an open statement stays open; a closed one says that it is closed`() throws {
    let database = try open()
    var walk = try database.use { try Statement($0, "SELECT 1 UNION SELECT 2") } as Statement?
    #expect(try walk?.next() != nil)
    #expect(throws: StorageError.self) { try database.close() }
    #expect(try walk?.next()?.integer(0) == 2)
    walk = nil
    try database.close()
    try database.close()
    #expect(try detail { try database.use { try $0.execute(sql: "SELECT 1") } } == "the database is closed")
  }

  @Test(arguments: ["plain.sqlite", "a b?c#d%e.sqlite", "één\u{1}\u{10}.sqlite"])
  func `an immutable file is read whatever its name`(name: String) throws {
    let made = try open(folder.file(name))
    try made.use { try $0.execute(sql: "CREATE TABLE numbers (a); INSERT INTO numbers VALUES (7)") }
    try made.close()
    let read = try ExclusiveDatabase(folder.file(name), .immutable, settings: [])
    #expect(try read.use(numbers) == [7])
    #expect(throws: StorageError.self) { try read.use { try $0.execute(sql: "INSERT INTO numbers VALUES (8)") } }
    try read.close()
    #expect(try FileText.bytes(folder.file(name), limit: 1 << 20, isInterrupted: { false }).count > 0)
  }

  @Test func `a file that cannot be opened is reported with its path and SQLite's reason`() throws {
    let path = folder.file("missing/x.sqlite")
    let error = try #require(throws: StorageError.self) { _ = try ExclusiveDatabase(path) }
    #expect(error == .unreadable(path: path, detail: "unable to open database file"))
    #expect(!error.isDamage && error.reason == "unable to open database file")
    let text = folder.file("text.sqlite")
    try AtomicFile.write(text, Array(repeating: UInt8(ascii: "x"), count: 4096))
    let other = try #require(throws: StorageError.self) { _ = try ExclusiveDatabase(text) }
    #expect(other.isNoDatabase && other.isDamage && other.reason == "file is not a database")
    #expect(StorageError.full(path: path).reason == "The disk is full")
  }

  @Test func `a file that cannot be created is reported as a database error`() {
    let path = "/data/deckhand.sqlite"
    func words(_ path: String, _ number: Int32) -> any Error {
      StorageError.ofFile(FileError(path, .open, number: number), database: "/data/deckhand.sqlite")
    }
    #expect(words(path, ENOSPC) as? StorageError == .full(path: path))
    #expect(words(path, EDQUOT) as? StorageError == .full(path: path))
    #expect(words("/data", EROFS) as? StorageError == .readOnly(path: path))
    #expect(words(path, EISDIR) as? StorageError == .unreadable(path: path, detail: "is a directory"))
    #expect((words("/data", EACCES) as? FileError)?.path == "/data", "what is wrong with the folder is the folder's")
  }

  @Test func `a broken constraint is reported by its kind`() throws {
    try open().use { db in
      try db.execute(
        sql:
          "CREATE TABLE numbers (a UNIQUE, b NOT NULL, c REFERENCES numbers (a)); INSERT INTO numbers VALUES (1, 1, 1)")
      for (values, rule) in [
        ("1, 1, 1", StorageError.Constraint.unique(what: "UNIQUE constraint failed: numbers.a")),
        ("2, 1, 3", .foreignKey), ("2, NULL, 1", .other),
      ] {
        let error = try #require(throws: StorageError.self) {
          try db.run("INSERT INTO numbers VALUES (\(values))")
        }
        #expect(error.constraint == rule, "\(values)")
      }
      let syntax = try #require(throws: StorageError.self) { try db.run("NONSENSE") }
      #expect(syntax.constraint == nil && syntax.isOfSchema && !syntax.isOfRow)
    }
  }

  @Test func `counts and existence checks take arguments; of nothing they are 0 and false`() throws {
    let store = Store(path: nil, schema: UndoTests.schema, isInterrupted: { false })
    try store.operation("boxes") { try $0.execute(sql: "INSERT INTO boxes (name) VALUES ('a'), ('b'), ('c')") }
    for _ in 0..<2 {
      let rows = try store.read { db in
        try ["b", "z"].map { try db.hasRow("SELECT 1 FROM boxes WHERE name = ?", [$0]) }
      }
      #expect(rows == [true, false])
      let counts = try store.read { db in
        try ["count(*)", "max(id)", "id"].map { try db.count("SELECT \($0) FROM boxes WHERE name > ?", ["b"]) }
      }
      #expect(counts == [1, 3, 3])
      #expect(try store.read { try $0.count("SELECT id FROM boxes WHERE name = ?", ["z"]) } == 0)
    }
  }
}

@Suite struct SQLFunctionTests {
  private let store = Store(
    path: nil,
    schema: Schema(
      """
      CREATE TABLE t (kind, text);
      CREATE VIEW v AS SELECT kind, twice(kind, text) AS shown FROM t;
      INSERT INTO t VALUES (1, 'né'), (2, 'a'), (2, ''), (2, NULL), (2, x'FF41'), (1, 5), (4, 'x');
      """,
      functions: [
        SQLFunction("twice", arguments: 2) {
          var calls = 0
          return { call in
            calls += 1
            if call.integer(0) == 1 { call.answer("\(call.text(1))\(call.text(1))") }
            if call.integer(0) == 2 { call.answer(call.bytes(1)) }
            if call.integer(0) == 3 { call.answer("\(calls)") }
          }
        }
      ]), isInterrupted: { false })

  @Test func `a view shows what the function returns, and NULL if it returns nothing`() throws {
    let shown = try store.read { db in try db.rows("SELECT shown FROM v ") { $0.optionalText(0) } }
    #expect(shown == ["néné", "a", "", "", "\u{FFFD}A", "55", nil])
  }

  @Test func `a function keeps its own state while the connection is open`() throws {
    let counts = try store.read { db in try db.rows("SELECT twice(3, text) FROM t") { $0.integer(0) } }
    #expect(counts == Array(1...7))
  }
}
