// Undo: any change to tables of any shape is undone and redone exactly.

import Storage
import TestSupport

@Suite struct UndoTests {
  static let schema =
    UndoLog.schema
    + Schema(
      """
      CREATE TABLE boxes (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE) STRICT;
      CREATE TABLE things (
        id INTEGER PRIMARY KEY, box INTEGER NOT NULL REFERENCES boxes(id) ON DELETE CASCADE, rank INTEGER NOT NULL,
        weight REAL, data BLOB, colour TEXT NOT NULL DEFAULT 'red', UNIQUE (box, rank)) STRICT;
      CREATE TABLE notes (thing INTEGER NOT NULL REFERENCES things(id) ON DELETE CASCADE, text TEXT) STRICT;
      CREATE TABLE sent_words (word TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
      CREATE TABLE words (word TEXT, language TEXT, count ANY, PRIMARY KEY (word, language)) STRICT, WITHOUT ROWID;
      CREATE TABLE turned (text TEXT, id INTEGER, kind INTEGER, PRIMARY KEY (kind, id)) STRICT, WITHOUT ROWID;
      """)

  struct Failure: Error {}

  let store = UndoTests.store()

  static func store(_ path: String? = nil) -> Store {
    Store(path: path, schema: UndoTests.schema, isInterrupted: { false }, undoClock: { 1_700_000_000 })
  }

  /// Returns everything in the tables, as text.
  func dump(_ store: Store) throws -> [String] {
    try store.read { db in
      try ["boxes", "things", "notes", "words"].flatMap { table in
        let data = table == "things" ? ", hex(data)" : ""
        return try db.rows("SELECT *\(data) FROM \(table) ORDER BY 1, 2") { "\(table) \($0.values)" }
      }
    }
  }

  private func names(_ store: Store) throws -> [String] { try store.undoSteps().map(\.name) }

  /// Makes a random change to random rows.
  private func change(_ db: Database, _ numbers: inout SystemLike) throws {
    let n = numbers.next(1000)
    switch numbers.next(11) {
    case 0, 1: try db.execute(sql: "INSERT OR IGNORE INTO boxes (name) VALUES (?)", arguments: ["box \(n % 12)"])
    case 2, 3, 4:
      try db.execute(
        sql: """
          INSERT OR IGNORE INTO things (box, rank, weight, data)
          SELECT id, ?, ?, CAST(? AS BLOB) FROM boxes ORDER BY id % 5, id LIMIT 3
          """, arguments: [n, Double(n) / 3, n % 2 == 0 ? "bytes \(n)" : nil])
    case 5: try db.execute(sql: "DELETE FROM boxes WHERE id % 7 = ?", arguments: [n % 7])
    case 6:
      try db.execute(sql: "UPDATE things SET rank = -rank - 1, weight = NULL WHERE id % 3 = ?", arguments: [n % 3])
    case 7: try db.execute(sql: "DELETE FROM things WHERE id % 5 = ?", arguments: [n % 5])
    case 8:
      try db.execute(sql: "INSERT INTO notes SELECT id, 'note ' || id FROM things WHERE id % 4 = ?", arguments: [n % 4])
    case 9:
      try db.execute(
        sql: "INSERT INTO words VALUES (?, 'en', ?) ON CONFLICT DO UPDATE SET count = excluded.count",
        arguments: ["w\(n % 9)", n])
      try db.execute(sql: "REPLACE INTO words VALUES (?, 'es', 1.5)", arguments: ["w\(n % 9)"])
    default: try db.execute(sql: "DELETE FROM words WHERE count > ?", arguments: [n])
    }
  }

  /// A reproducible generator.
  struct SystemLike {
    var state: UInt64
    mutating func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }
  }

  @Test(arguments: 0..<12) func `random changes are undone and redone step by step`(seed: Int) throws {
    var numbers = SystemLike(state: UInt64(seed) &* 77 &+ 5)
    var states = [try dump(store)]
    for step in 0..<40 {
      try store.operation("step \(step)") { db in
        for _ in 0..<(1 + numbers.next(4)) { try change(db, &numbers) }
      }
      let state = try dump(store)
      if try store.undoSteps().first?.name == "step \(step)" { states.append(state) }
    }
    let steps = states.count - 1
    #expect(steps > 20)
    for back in 1...steps {
      var parts: [Int] = []
      try store.undo(progress: { done, count in parts.append(count - done) })
      #expect(try dump(store) == states[steps - back])
      #expect(parts.elementsEqual((0..<parts.count).reversed()) && parts.count > 1)
    }
    #expect(throws: UndoError.nothingToUndo) { try store.undo() }
    for again in 1...steps {
      try store.undo(again: true)
      #expect(try dump(store) == states[again])
    }
    #expect(throws: UndoError.nothingToRedo) { try store.undo(again: true) }
    #expect(try store.integrityProblems() == [])
  }

  @Test func `a unit is one step, without the parts that failed`() throws {
    store.beginUnit()
    try store.operation("one") { try $0.execute(sql: "INSERT INTO boxes (name) VALUES ('a')") }
    #expect(throws: Failure.self) {
      try store.operation("two") { db in
        try db.execute(sql: "INSERT INTO boxes (name) VALUES ('b'), ('c')")
        try db.execute(sql: "DELETE FROM boxes WHERE name = 'a'")
        throw Failure()
      }
    }
    try store.operation("three") { try $0.execute(sql: "INSERT INTO boxes (name) VALUES ('d')") }
    try store.commitUnit(named: "adding boxes (run make.lua)")
    #expect(try names(store) == ["adding boxes (run make.lua)"])
    #expect(try store.undoSteps()[0].count == 2)
    try store.undo()
    #expect(try dump(store) == [])
    try store.undo(again: true)
    #expect(try dump(store).count == 2)
  }

  @Test func `unrecorded changes survive undoing the step, and do not block it`() throws {
    for word in ["one", "two"] {
      try store.operation(word) { db in
        try db.execute(sql: "INSERT INTO sent_words VALUES (?)", arguments: [word])
        try db.execute(sql: "INSERT INTO words VALUES (?, 'en', 1)", arguments: [word])
      }
      try store.undo()
    }
    #expect(try dump(store) == [])
    let told = try store.read { try String.fetchAll($0, sql: "SELECT word FROM sent_words ORDER BY 1") }
    #expect(told == ["one", "two"])
    try store.operation("told") { try $0.execute(sql: "DELETE FROM sent_words") }
    #expect(try names(store) == ["two"])
  }

  @Test func `an operation that leaves every row as it was makes no step, nor do unrecorded tables`() throws {
    let store = Store(
      path: nil, schema: UndoTests.schema, isInterrupted: { false }, undoClock: { 1_700_000_000 },
      unrecorded: ["notes"])
    try store.operation("one") { db in
      try db.execute(sql: "INSERT INTO boxes (name) VALUES ('a')")
      try db.execute(sql: "INSERT INTO words VALUES ('w', 'en', 1)")
    }
    try store.operation("nothing") { db in
      try db.execute(sql: "UPDATE boxes SET name = 'a'")
      try db.execute(sql: "UPDATE words SET count = 1")
    }
    try store.operation("notes") { try $0.execute(sql: "INSERT INTO notes SELECT id, 'x' FROM things") }
    #expect(try names(store) == ["one"])
    #expect(try store.undoSteps()[0].count == 2)
  }

  @Test(arguments: 0..<12)
  func `parts of a unit are rolled back one by one, and the rest is undone as a whole`(seed: Int) throws {
    var numbers = SystemLike(state: UInt64(seed) &* 177 &+ 5)
    try store.operation("before") { db in for _ in 0..<30 { try change(db, &numbers) } }
    let before = try dump(store)
    store.beginUnit()
    var states: [([String], RecordedChange)] = []
    for step in 0..<12 {
      let state = try dump(store)
      let recorded = try store.recordingChange {
        try store.operation("part") { db in for _ in 0..<3 { try change(db, &numbers) } }
      }
      states.append((state, recorded.change))
      // An operation in between that is not a part.
      if step == 5 {
        try store.operation("between") { try $0.execute(sql: "INSERT INTO boxes (name) VALUES ('z')") }
      }
    }
    while states.count > 8 {
      let (state, recorded) = states.removeLast()
      try store.operation("back") { try store.takeBack(recorded, $0) }
      #expect(try dump(store) == state)
    }
    let after = try dump(store)
    try store.commitUnit(named: "unit")
    try store.undo()
    #expect(try dump(store) == before)
    try store.undo(again: true)
    #expect(try dump(store) == after)
    #expect(try store.integrityProblems() == [])
  }

  @Test func `a unit whose only part was rolled back makes no step, and a unit with one part takes that part's step`()
    throws
  {
    func add(_ name: String) throws -> RecordedChange {
      try store.recordingChange {
        try store.operation("add") { try $0.execute(sql: "INSERT INTO boxes (name) VALUES (?)", arguments: [name]) }
      }.change
    }
    store.beginUnit()
    let first = try add("a")
    try store.operation("back") { try store.takeBack(first, $0) }
    try store.commitUnit(named: "nothing")
    #expect(try names(store) == [])
    store.beginUnit()
    let second = try add("b")
    try store.commitUnit(named: "b")
    let third = try add("c")
    #expect(try store.undoSteps().map(\.id) == [third.step, second.step])
    store.beginUnit()
    let more = [try add("d"), try add("e")]
    try store.commitUnit(named: "d and e")
    #expect(more.map(\.step) == [nil, nil])
    try store.operation("d goes") { try store.takeBack(more[0], $0) }
    #expect(try dump(store).count == 3)
    let none = try store.recordingChange { try store.operation("none") { _ in } }.change
    #expect(none.isEmpty)
  }

  @Test func `a rolled-back change is not a step`() throws {
    store.beginUnit()
    try store.operation("one") { try $0.execute(sql: "INSERT INTO boxes (name) VALUES ('a')") }
    try store.rollbackUnit()
    try? store.operation("two") { db in
      try db.execute(sql: "INSERT INTO boxes (name) VALUES ('a')")
      throw Failure()
    }
    try store.operation("nothing") { _ in }
    #expect(try names(store) == [])
  }

  @Test func `a hundred thousand new rows cost a step no more than a range`() throws {
    try store.operation("adding") { db in
      try db.execute(sql: "INSERT INTO boxes (name) VALUES ('a')")
      try db.execute(
        sql: """
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
          INSERT INTO things (box, rank) SELECT 1, i FROM n
          """)
    }
    let bytes = try store.read { try Int.fetchOne($0, sql: "SELECT bytes FROM undo_steps") }
    #expect(try #require(bytes) < 500)
    #expect(try store.undoSteps()[0].count == 100_001)
    try store.undo()
    #expect(try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM things") } == 0)
  }

  @Test func `a step in the middle is undone if no later step depends on it, across processes and restarts`() throws {
    let folder = TemporaryFolder()
    let path = folder.file("data.sqlite")
    let first = UndoTests.store(path)
    try first.operation("box a") { try $0.execute(sql: "INSERT INTO boxes (name) VALUES ('a')") }
    let second = UndoTests.store(path)
    try second.operation("box b") { try $0.execute(sql: "INSERT INTO boxes (name) VALUES ('b')") }
    try second.operation("renaming a") { try $0.execute(sql: "UPDATE boxes SET name = 'A' WHERE id = 1") }
    try second.operation("a thing in b") { try $0.execute(sql: "INSERT INTO things (box, rank) VALUES (2, 1)") }
    try first.close()
    let third = UndoTests.store(path)
    let before = try dump(third)
    #expect(throws: UndoError.changedSince("box a", by: ["renaming a"])) { try third.undo(1) }
    // Its row is unchanged, but another row refers to it.
    #expect(throws: UndoError.self) { try third.undo(2) }
    #expect(try dump(third) == before)
    #expect(throws: UndoError.noStep(99)) { try third.undo(99) }
    try third.undo(3)
    #expect(throws: UndoError.notNow("renaming a", isUndone: true)) { try third.undo(3) }
    #expect(throws: UndoError.self) { try second.undo(1, again: true) }
    try third.undo(1)
    #expect(try dump(third).count == 2)
    #expect(try third.read { try String.fetchAll($0, sql: "PRAGMA foreign_key_check") }.isEmpty)
    // Foreign keys are enforced again.
    #expect(throws: StorageError.self) {
      try third.operation("orphan") { try $0.execute(sql: "INSERT INTO things (box, rank) VALUES (77, 1)") }
    }
  }

  @Test func `a step is not undone if its rows refer to what an earlier step added, which was undone`() throws {
    try store.operation("box") { try $0.execute(sql: "INSERT INTO boxes (name) VALUES ('a')") }
    try store.operation("thing") { try $0.execute(sql: "INSERT INTO things (box, rank) VALUES (1, 1)") }
    try store.operation("removing") { try $0.execute(sql: "DELETE FROM things") }
    try store.undo(1)
    let dangling = UndoError.differs("removing", what: "rows of things would refer to rows that do not exist")
    #expect(throws: dangling) { try store.undo() }
    // The same holds once a new step makes the first one impossible to redo.
    try store.operation("another box") { try $0.execute(sql: "INSERT INTO boxes (name) VALUES ('b')") }
    try store.undo()
    #expect(throws: dangling) { try store.undo() }
    #expect(throws: UndoError.noStep(1)) { try store.undo(1, again: true) }
    #expect(try names(store) == ["another box", "removing", "thing"])
    #expect(try store.integrityProblems() == [] && dump(store).isEmpty)
  }

  @Test func `a part of an earlier unit is taken back as a change, whatever its own unit has changed`() throws {
    try store.operation("boxes") { try $0.execute(sql: "INSERT INTO boxes (name) VALUES ('a'), ('b'), ('c')") }
    func rename(_ name: String, to new: String) throws {
      try store.operation("renaming") {
        try $0.execute(sql: "UPDATE boxes SET name = ? WHERE name = ?", arguments: [new, name])
      }
    }
    func boxes() throws -> [String] {
      try store.read { try String.fetchAll($0, sql: "SELECT name FROM boxes ORDER BY id") }
    }
    store.beginUnit()
    let part = try store.recordingChange { try rename("a", to: "A") }.change
    try rename("b", to: "B")
    try store.commitUnit(named: "first")
    store.beginUnit()
    // It takes as many bytes in the log as the part.
    try rename("c", to: "C")
    try store.operation("back") { try store.takeBack(part, $0) }
    try store.commitUnit(named: "second")
    #expect(try boxes() == ["a", "B", "C"])
    try store.undo()
    #expect(try boxes() == ["A", "B", "c"])
  }

  @Test func `a row changed by something else is not overwritten`() throws {
    try store.operation("box") { try $0.execute(sql: "INSERT INTO boxes (name) VALUES ('a')") }
    try store.operation("renaming") { try $0.execute(sql: "UPDATE boxes SET name = 'b'") }
    // A program that does not write the undo log.
    try store.operation("outside") { db in
      try db.execute(sql: "UPDATE boxes SET name = 'mine'")
      try db.execute(sql: "DELETE FROM undo_steps WHERE id > 2")
    }
    try store.operation("forgetting") { try $0.execute(sql: "DELETE FROM undo_steps WHERE name = 'outside'") }
    #expect(throws: UndoError.self) { try store.undo() }
    #expect(try store.read { try String.fetchOne($0, sql: "SELECT name FROM boxes") } == "mine")
  }

  @Test func `a new step clears the redo steps, and the oldest steps are dropped`() throws {
    for index in 0..<1200 {
      try store.operation("step \(index)") { db in
        try db.execute(sql: "INSERT INTO boxes (name) VALUES (?)", arguments: ["\(index)"])
      }
    }
    #expect(try (1000...1020).contains(store.undoSteps(limit: 5000).count))
    try store.undo()
    try store.operation("another") { try $0.execute(sql: "INSERT INTO boxes (name) VALUES ('x')") }
    #expect(throws: UndoError.nothingToRedo) { try store.undo(again: true) }
  }

  @Test func `nothing is undone within a unit that has changed something`() throws {
    try store.operation("box") { try $0.execute(sql: "INSERT INTO boxes (name) VALUES ('a')") }
    store.beginUnit()
    try store.operation("box") { try $0.execute(sql: "INSERT INTO boxes (name) VALUES ('b')") }
    #expect(throws: UndoError.inUnit) { try store.undo() }
    try store.rollbackUnit()
    try store.undo()
  }

  @Test func `a damaged log undoes nothing`() throws {
    try store.operation("box") { try $0.execute(sql: "INSERT INTO boxes (name) VALUES ('a')") }
    for length in 0..<40 {
      try store.operation("damaging") { db in
        try db.execute(sql: "UPDATE undo_steps SET rows = randomblob(?)", arguments: [length])
      }
      do { try store.undo() } catch is UndoError {}
    }
    #expect(try dump(store).count == 1)
  }
}
