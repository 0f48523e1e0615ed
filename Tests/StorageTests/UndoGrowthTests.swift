// Undo of many rows: compressed as they are recorded, restored exactly, in linear time.

import Storage
import TestSupport

@Suite struct UndoGrowthTests {
  struct Failure: Error {}

  private let tests = UndoTests()

  /// Adds rows to two boxes in turn, so that the rows of a box are not adjacent.
  private func fill(_ store: Store, _ count: Int) throws {
    try store.operation("filling") { db in
      try db.execute(sql: "INSERT INTO boxes (name) VALUES ('a'), ('b')")
      try db.execute(
        sql: """
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
          INSERT INTO things (box, rank, weight, data)
          SELECT 1 + i % 2, i * 7919 % ?, i, CAST('a thing with a longer name and the number ' || i AS BLOB) FROM n
          """, arguments: [count, count * 2])
    }
  }

  @Test func `a step of many chunks of events is undone and redone exactly, also by another process`() throws {
    let folder = TemporaryFolder()
    let path = folder.file("data.sqlite")
    let first = UndoTests.store(path)
    try fill(first, 40_000)
    let before = try tests.dump(first)
    try first.operation("emptying") { db in
      try db.execute(sql: "UPDATE things SET weight = weight + 0.5 WHERE id % 3 = 0")
      try db.execute(sql: "DELETE FROM boxes WHERE id = 1")
      try db.execute(sql: "UPDATE things SET rank = -rank - 1, data = NULL")
    }
    let after = try tests.dump(first)
    let chunks = try first.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM undo_chunks WHERE step = 2") }
    #expect(try #require(chunks) > 1)
    try first.close()
    let second = UndoTests.store(path)
    for _ in 0..<2 {
      try second.undo()
      #expect(try tests.dump(second) == before)
      try second.undo(again: true)
      #expect(try tests.dump(second) == after)
    }
    #expect(throws: UndoError.self) { try second.undo(1) }
    try second.operation("forgetting") { try $0.execute(sql: "DELETE FROM undo_steps") }
    #expect(try second.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM undo_chunks") } == 0)
  }

  @Test func `a compressed part is rolled back, and earlier changes are undone`() throws {
    let store = UndoTests.store()
    try fill(store, 20_000)
    let before = try tests.dump(store)
    store.beginUnit()
    try store.operation("one") { try $0.execute(sql: "UPDATE things SET weight = 1 WHERE id < 15000") }
    let between = try tests.dump(store)
    for id in [1, 2] {
      #expect(throws: Failure.self) {
        try store.operation("two") { db in
          try db.execute(sql: "DELETE FROM boxes WHERE id = ?", arguments: [id])
          throw Failure()
        }
      }
    }
    #expect(try tests.dump(store) == between)
    try store.operation("three") { try $0.execute(sql: "DELETE FROM boxes WHERE id = 2") }
    try store.commitUnit(named: "unit")
    try store.undo()
    #expect(try tests.dump(store) == before)
  }

  @Test func `removed rows take a fraction of their bytes in memory, and never all at once`() throws {
    let store = UndoTests.store()
    try fill(store, 60_000)
    try store.operation("emptying") { db in
      try db.execute(sql: "DELETE FROM boxes")
      #expect(store.waitingBytes > 60_000 * 60)
    }
    let packed = try store.read { try Int.fetchOne($0, sql: "SELECT sum(length(events)) FROM undo_chunks") }
    #expect(try #require(packed) < 60_000 * 30)
    let longest = try store.read { try Int.fetchOne($0, sql: "SELECT max(length(rows)) FROM undo_steps") }
    #expect(try #require(longest) < 3 << 20)
  }

  /// Processor time to restore half of the rows, whose ids are not adjacent, and to remove them again.
  private func secondsOfUndo(_ count: Int) throws -> Double {
    let store = UndoTests.store()
    try fill(store, count)
    try store.operation("emptying") { try $0.execute(sql: "DELETE FROM boxes WHERE id = 1") }
    let start = processorSeconds()
    try store.undo()
    try store.undo(again: true)
    return processorSeconds() - start
  }

  @Test func `undoing four times the rows takes at most twelve times as long`() throws {
    _ = try secondsOfUndo(1000)
    // Other programs slow one of the two down, but not three times in a row.
    let isInTime = try (0..<3).contains { _ in try secondsOfUndo(80_000) < 12 * secondsOfUndo(20_000) }
    #expect(isInTime)
  }
}
