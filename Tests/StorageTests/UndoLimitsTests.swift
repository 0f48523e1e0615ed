// Steps that cannot be undone: those that are too large, those whose rows were replaced, and stores without an undo
// log.

import Problems
import Storage
import TestSupport
import Values

@Suite struct UndoLimitsTests {
  private let folder = TemporaryFolder()
  private let store: Store

  init() { store = UndoTests.store(folder.file("data.sqlite")) }

  private func step(_ name: String, _ statements: String...) throws {
    try store.operation(name) { db in for sql in statements { try db.execute(sql: sql) } }
  }

  private func names() throws -> [String] { try store.undoSteps().map(\.name) }

  private func things() throws -> Int { try store.read { try $0.count("SELECT count(*) FROM things") } }

  /// Adds four rows of 25 MB that do not compress.
  private func fill() throws {
    try step(
      "filling",
      """
      INSERT INTO things (box, rank, data)
      SELECT 1, value, randomblob(26214400) FROM (SELECT 1 AS value UNION SELECT 2 UNION SELECT 3 UNION SELECT 4)
      """)
  }

  @Test func `a step larger than the log is carried out all the same, and undo cannot go past it`() throws {
    try step("box", "INSERT INTO boxes (name) VALUES ('a')")
    try fill()
    // Undoing it would have to record all of it for redo, which a unit may have to do.
    store.beginUnit()
    #expect(throws: UndoError.tooLarge("filling")) { try store.undo() }
    try store.rollbackUnit()
    #expect(try things() == 4 && names() == ["filling", "box"])
    #expect(try store.undo().isTooLarge && things() == 0 && store.largeStep == nil)
    #expect(throws: UndoError.tooLarge("filling")) { try store.undo(again: true) }
    try fill()
    try step("emptying", "DELETE FROM things")
    #expect(try things() == 0 && names() == ["emptying"] && store.largeStep == "emptying")
    let large = try #require(try store.undoSteps().first)
    #expect(large.isTooLarge && large.count == 4)
    #expect(throws: UndoError.tooLarge("emptying")) { try store.undo() }
    #expect(throws: UndoError.tooLarge("emptying")) {
      try LookBack(store).read(at: large.id - 1, also: { _ in }) {}
    }
    var seen: [String] = []
    try step("another", "INSERT INTO boxes (name) VALUES ('b')")
    try LookBack(store).walk { seen.append($1.name) }
    #expect(seen == ["another"])
    // Later steps are undone as usual.
    try store.undo()
    #expect(try store.read { try $0.count("SELECT count(*) FROM boxes") } == 1)
    #expect(throws: UndoError.tooLarge("emptying")) { try store.undo() }
  }

  @Test func `an undone step that was dropped cannot be looked back at`() throws {
    for name in ["a", "b", "c"] { try step(name, "INSERT INTO boxes (name) VALUES ('\(name)')") }
    try store.undo()
    try step("d", "INSERT INTO boxes (name) VALUES ('d')")
    #expect(try store.undoSteps().map(\.id) == [4, 2, 1])
    func boxes(at step: Int) throws -> Int {
      try LookBack(store).read(at: step, also: { _ in }) {
        try store.read { try $0.count("SELECT count(*) FROM boxes") }
      }
    }
    #expect(try [0, 1, 2, 4].map { try boxes(at: $0) } == [0, 1, 2, 3])
    for id in [3, 5, -1] { #expect(throws: UndoError.noStep(id)) { _ = try boxes(at: id) } }
  }

  @Test func `within a unit a part that is too large cannot be rolled back, the rest can`() throws {
    try step("box", "INSERT INTO boxes (name) VALUES ('a')")
    try fill()
    store.beginUnit()
    try step("emptying", "DELETE FROM things")
    try step("box", "INSERT INTO boxes (name) VALUES ('b')")
    try store.commitUnit(named: "unit")
    #expect(try names() == ["unit"])
    #expect(throws: UndoError.tooLarge("unit")) { try store.undo() }
    #expect(try store.read { try $0.count("SELECT count(*) FROM boxes") } == 2)
  }

  @Test func `a row in place of a removed one prevents undoing the removal`() throws {
    try step("box", "INSERT INTO boxes (name) VALUES ('a')")
    try step("thing", "INSERT INTO things (id, box, rank) VALUES (1, 1, 5)")
    try step("removing", "DELETE FROM things")
    try step("again", "INSERT INTO things (id, box, rank) VALUES (2, 1, 5)")
    let removing = try #require(try store.undoSteps().first { $0.name == "removing" })
    let error = try #require(throws: UndoError.self) { try store.undo(removing.id) }
    #expect(error.code == "undo_conflict" && error.message.contains("undo that first; nothing"), "\(error)")
    #expect(try store.read { try Int.fetchAll($0, sql: "SELECT id FROM things") } == [2])
    try store.undo()
    try store.undo()
    #expect(try store.read { try Int.fetchAll($0, sql: "SELECT id FROM things") } == [1])
  }

  @Test func `bytes that a unit changes are reported by their number`() throws {
    try step("box", "INSERT INTO boxes (name) VALUES ('a')")
    try step("thing", "INSERT INTO things (box, rank, data) VALUES (1, 1, x'010203')")
    store.beginUnit()
    try step("change", "UPDATE things SET data = x'04'")
    let rows = try #require(try store.pendingChanges(limit: nil).first).rows
    #expect(rows.map { $0.before.map(\.value) } == [[.text("3 bytes")]])
    try store.rollbackUnit()
  }

  @Test func `a unit that violates constraints at its end is rolled back, and the store goes on`() throws {
    store.beginUnit()
    try store.operation("thing") { db in
      try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
      try db.execute(sql: "INSERT INTO things (box, rank) VALUES (77, 1)")
    }
    #expect(throws: StorageError.self) { try store.commitUnit(named: "unit") }
    #expect(try things() == 0 && names().isEmpty)
    try step("box", "INSERT INTO boxes (name) VALUES ('a')")
    #expect(try names() == ["box"])
  }

  @Test func `a recorded change, and one that changes nothing, are reverted within another operation`() throws {
    let (_, nothing) = try store.recordingChange { try step("nothing", "UPDATE boxes SET name = 'x'") }
    let (_, box) = try store.recordingChange { try step("box", "INSERT INTO boxes (name) VALUES ('a')") }
    try store.operation("back") { try store.takeBack(nothing, $0) }
    #expect(try store.read { try $0.count("SELECT count(*) FROM boxes") } == 1)
    try store.operation("back") { try store.takeBack(box, $0) }
    #expect(try store.read { try $0.count("SELECT count(*) FROM boxes") } == 0)
  }

  @Test func `a store without an undo log records no change and reverts none`() throws {
    let plain = Store(path: nil, schema: UndoTests.schema, isInterrupted: { false })
    let (count, change) = try plain.recordingChange {
      try plain.operation("box") { try $0.execute(sql: "INSERT INTO boxes (name) VALUES ('a')") }
      return 7
    }
    #expect(count == 7)
    try plain.operation("back") { try plain.takeBack(change, $0) }
    #expect(try plain.read { try $0.count("SELECT count(*) FROM boxes") } == 1)
    #expect(throws: UndoError.nothingToUndo) { try LookBack(plain).walk { _, _ in } }
    #expect(throws: UndoError.nothingToUndo) { try plain.undo() }
    #expect(throws: UndoError.nothingToRedo) { try plain.undo(again: true) }
  }

  @Test func `adjacent rows that two steps changed do not conflict`() throws {
    try step("boxes", "INSERT INTO boxes (id, name) VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e'), (6, 'f')")
    try step("down", "UPDATE boxes SET name = 'C' WHERE id = 3", "UPDATE boxes SET name = 'B' WHERE id = 2")
    try step("up", "UPDATE boxes SET name = 'D' WHERE id = 4", "UPDATE boxes SET name = 'E' WHERE id = 5")
    let down = try #require(try store.undoSteps().first { $0.name == "down" })
    try store.undo(down.id)
    let names = try store.read { try String.fetchAll($0, sql: "SELECT name FROM boxes ORDER BY id") }
    #expect(names == ["a", "b", "c", "D", "E", "f"])
    try store.undo(down.id, again: true)
    try step("edge", "UPDATE boxes SET name = '!' WHERE id = 2")
    #expect(throws: UndoError.changedSince("down", by: ["edge"])) { try store.undo(down.id) }
    try step("other edge", "UPDATE boxes SET name = '?' WHERE id = 5")
    let up = try #require(try store.undoSteps().first { $0.name == "up" })
    #expect(throws: UndoError.changedSince("up", by: ["other edge"])) { try store.undo(up.id) }
  }
}
