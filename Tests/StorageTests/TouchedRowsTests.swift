// Which steps block each other, and what a running unit has changed: rows with and without row ids.

import Storage
import TestSupport
import Testing
import Values

@Suite struct TouchedRowsTests {
  private let store = Store(path: nil, schema: UndoTests.schema, isInterrupted: { false }, undoClock: { 1_700_000_000 })

  private func step(_ name: String, _ statements: String...) throws {
    try store.operation(name) { db in for sql in statements { try db.execute(sql: sql) } }
  }

  private func id(_ name: String) throws -> Int {
    try #require(try store.undoSteps().first { $0.name == name }?.id)
  }

  private func words() throws -> [String] {
    try store.read { db in
      try db.rows("SELECT word, language, count FROM words ORDER BY 1, 2") { "\($0.values)" }
    }
  }

  @Test func `a row between those that a step changed belongs to another step`() throws {
    try step("boxes", "INSERT INTO boxes (id, name) VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e')")
    try step("down", "UPDATE boxes SET name = 'E' WHERE id = 5", "UPDATE boxes SET name = 'C' WHERE id = 3")
    try step("up", "UPDATE boxes SET name = 'A' WHERE id = 1", "UPDATE boxes SET name = '!' WHERE id = 5")
    try step("between", "UPDATE boxes SET name = 'D' WHERE id = 4", "UPDATE boxes SET name = 'B' WHERE id = 2")
    #expect(throws: UndoError.changedSince("down", by: ["up"])) { try store.undo(id("down")) }
    try store.undo(id("up"))
    try store.undo(id("down"))
    let names = try store.read { try String.fetchAll($0, sql: "SELECT name FROM boxes ORDER BY id") }
    #expect(names == ["a", "B", "c", "D", "e"])
    #expect(throws: UndoError.changedSince("boxes", by: ["between"])) { try store.undo(id("boxes")) }
  }

  @Test func `rows identified by a key block each other by their key`() throws {
    try step("words", "INSERT INTO words VALUES ('a', 'en', 1), ('a', 'es', 2), ('b', 'en', 3), ('c', 'en', x'0102')")
    try step("one", "UPDATE words SET count = 10 WHERE word = 'a' AND language = 'en'")
    try step("two", "UPDATE words SET count = 20 WHERE word = 'b'", "DELETE FROM words WHERE word = 'c'")
    try step("three", "DELETE FROM words WHERE word = 'a' AND language = 'en'")
    #expect(throws: UndoError.changedSince("one", by: ["three"])) { try store.undo(id("one")) }
    try store.undo(id("two"))
    try store.undo(id("three"))
    try store.undo(id("one"))
    #expect(try store.read { try Int.fetchOne($0, sql: "SELECT sum(count) FROM words WHERE word <> 'c'") } == 6)
    #expect(try store.read { try String.fetchOne($0, sql: "SELECT hex(count) FROM words WHERE word = 'c'") } == "0102")
  }

  @Test func `rows whose keys share a prefix, or have the key in later columns, are distinct`() throws {
    try step("words", "INSERT INTO words VALUES ('a', 'en', 1), ('a', 'es', 2), ('a', 'it', 3), ('a', 'de', 4)")
    try step("one", "DELETE FROM words WHERE language = 'en'", "UPDATE words SET count = 10 WHERE language = 'de'")
    try step("two", "DELETE FROM words WHERE language = 'es'", "UPDATE words SET count = 20 WHERE language = 'it'")
    try store.undo(id("one"))
    #expect(try words().map { $0.filter(\.isNumber) } == ["4", "1", "20"])
    try step("behind", "INSERT INTO turned VALUES ('x', 1, 7), ('x', 2, 7)")
    try step("three", "DELETE FROM turned WHERE id = 1")
    try step("four", "DELETE FROM turned WHERE id = 2")
    try step("again", "INSERT INTO turned VALUES ('y', 1, 7)")
    #expect(throws: UndoError.changedSince("three", by: ["again"])) { try store.undo(id("three")) }
    try store.undo(id("four"))
    #expect(try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM turned") } == 2)
  }

  @Test func `an old row that a part replaced counts as old again once the part was rolled back`() throws {
    struct Failure: Error {}
    try step("before", "INSERT INTO boxes (id, name) VALUES (20, 'old'), (40, 'other')")
    store.beginUnit()
    // Many ranges, so that a row is looked up in a set.
    for id in stride(from: 60, to: 0, by: -2) where ![20, 40].contains(id) {
      try step("new", "INSERT INTO boxes (id, name) VALUES (\(id), 'new \(id)')")
    }
    #expect(throws: Failure.self) {
      try store.operation("replacing") { db in
        try db.execute(sql: "DELETE FROM boxes WHERE id IN (20, 40)")
        try db.execute(sql: "INSERT INTO boxes (id, name) VALUES (40, 'x'), (20, 'y'), (31, 'z')")
        try db.execute(sql: "UPDATE boxes SET name = name || '!' WHERE id IN (20, 31, 30)")
        throw Failure()
      }
    }
    try step("changing", "UPDATE boxes SET name = name || '?' WHERE id IN (20, 30, 40)")
    try store.commitUnit(named: "all of it")
    try store.undo()
    let names = try store.read { try String.fetchAll($0, sql: "SELECT name FROM boxes ORDER BY id") }
    #expect(names == ["old", "other"])
    try store.undo(again: true)
    #expect(try store.read { try String.fetchOne($0, sql: "SELECT name FROM boxes WHERE id = 20") } == "old?")
    #expect(try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM boxes") } == 30)
  }

  private func pending(limit: Int? = nil) throws -> [String: [RowChange.Kind: Int]] {
    let changes = try store.pendingChanges(limit: limit)
    return Dictionary(uniqueKeysWithValues: changes.map { ($0.table, $0.counts) })
  }

  @Test func `each row counts once, by its final state, whatever happened to it in between`() throws {
    try step(
      "before", "INSERT INTO boxes (id, name) VALUES (1, 'a'), (2, 'b'), (3, 'c')",
      "INSERT INTO words VALUES ('a', 'en', 1), ('b', 'en', 2), ('c', 'en', 3)")
    #expect(try pending().isEmpty, "no unit is under way")
    store.beginUnit()
    try step("removed and back", "DELETE FROM boxes WHERE id = 1", "INSERT INTO boxes (id, name) VALUES (1, 'A')")
    try step("twice", "UPDATE boxes SET name = 'x' WHERE id = 2", "UPDATE boxes SET name = 'b' WHERE id = 2")
    try step("gone", "UPDATE boxes SET name = 'y' WHERE id = 3", "DELETE FROM boxes WHERE id = 3")
    try step("new", "INSERT INTO boxes (name) VALUES ('n'), ('m')", "UPDATE boxes SET name = 'N' WHERE name = 'n'")
    try step("new and gone", "INSERT INTO boxes (id, name) VALUES (50, 'z')", "DELETE FROM boxes WHERE id = 50")
    try step(
      "keys", "UPDATE words SET count = 5 WHERE word = 'a'", "DELETE FROM words WHERE word = 'b'",
      "DELETE FROM words WHERE word = 'c'", "INSERT INTO words VALUES ('c', 'en', 4), ('d', 'en', 5)")
    let expected: [String: [RowChange.Kind: Int]] = [
      "boxes": [.changed: 1, .removed: 1, .added: 2], "words": [.changed: 2, .removed: 1, .added: 1],
    ]
    #expect(try pending() == expected && pending(limit: 1) == expected)
    let boxes = try #require(try store.pendingChanges(limit: nil).first { $0.table == "boxes" })
    let changed = try #require(boxes.rows.first { $0.kind == .changed })
    #expect(changed.before.map(\.name) == ["name"] && changed.before.map(\.value) == [.text("a")])
    #expect(changed.after.map(\.value) == [.integer(1), .text("A")])
    let removed = try #require(boxes.rows.first { $0.kind == .removed })
    #expect(removed.before.map(\.value) == [.integer(3), .text("c")] && removed.after.isEmpty)
    try store.rollbackUnit()
    #expect(try pending().isEmpty && words().count == 3)
  }

  @Test func `a new row that is removed and inserted again among others counts once`() throws {
    store.beginUnit()
    try step(
      "again", "INSERT INTO boxes (id, name) VALUES (10, 'x')", "DELETE FROM boxes WHERE id = 10",
      "INSERT INTO boxes (id, name) VALUES (5, 'a'), (6, 'b'), (7, 'c'), (8, 'd'), (9, 'e'), (10, 'f')")
    let expected: [String: [RowChange.Kind: Int]] = ["boxes": [.added: 6]]
    #expect(try pending() == expected)
    try store.rollbackUnit()
  }

  @Test func `a text of which only the Unicode form differs has changed`() throws {
    try step("before", "INSERT INTO boxes (id, name) VALUES (1, 'caf\u{E9}')")
    store.beginUnit()
    try step("decomposed", "UPDATE boxes SET name = 'cafe\u{301}' WHERE id = 1")
    let expected: [String: [RowChange.Kind: Int]] = ["boxes": [.changed: 1]]
    #expect(try pending() == expected)
    try store.rollbackUnit()
  }

  @Test func `without a log there is nothing to undo, and nothing to report about a unit`() throws {
    let plain = Store(path: nil, schema: StoreTests.schema, isInterrupted: { false })
    plain.beginUnit()
    try plain.operation("adding") { try $0.execute(sql: "INSERT INTO words VALUES ('a')") }
    #expect(try plain.pendingChanges(limit: nil).isEmpty && plain.undoSteps().isEmpty && plain.waitingBytes == 0)
    try plain.commitUnit()
    #expect(throws: UndoError.nothingToUndo) { try plain.undo() }
    #expect(throws: UndoError.nothingToRedo) { try plain.undo(again: true) }
    #expect(throws: UndoError.nothingToUndo) { try plain.nextStep(nil, again: false) }
    #expect(throws: UndoError.nothingToRedo) { try plain.nextStep(nil, again: true) }
  }

  @Test func `rows that replace old ones count as changed, not new, whatever the limit of listed rows`() throws {
    try step("before", "INSERT INTO boxes (id, name) VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e')")
    store.beginUnit()
    try step(
      "replacing", "INSERT OR REPLACE INTO boxes (id, name) SELECT id, name || '!' FROM boxes",
      "INSERT INTO boxes (id, name) VALUES (6, 'f'), (7, 'g'), (8, 'h')")
    let expected: [String: [RowChange.Kind: Int]] = ["boxes": [.changed: 5, .added: 3]]
    for limit in [nil, 0, 1, 2, 3, 4, 9] { #expect(try pending(limit: limit) == expected, "\(limit ?? -1)") }
    try store.rollbackUnit()
  }
}
