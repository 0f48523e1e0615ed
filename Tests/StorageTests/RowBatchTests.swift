// Batches of rows that a second thread writes: never two threads in one database, and no row silently lost.

import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Storage

@Suite struct RowBatchTests {
  private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
  }

  private func database(_ body: (Database) throws -> Void) throws {
    let file = try ExclusiveDatabase(nil, .writing, settings: [])
    try file.use { db in
      try db.execute(sql: "CREATE TABLE few (value INTEGER PRIMARY KEY) STRICT")
      try body(db)
    }
  }

  enum Use: CaseIterable { case flush, drain, count, forget, read, bind, changes, transaction, preparing }

  @Test(arguments: Use.allCases)
  func `users of a database wait for what a second thread is writing into it`(use: Use) throws {
    try database { db in
      let few = try RowBatch(db, into: "few (value)", "*", columns: 1, inLane: true)
      let query = try Statement(db, "SELECT count(*) FROM few WHERE value < ?1")
      few.put(0, 1)
      few.endRow()
      let isDone = Flag()
      db.connection.isLent = true
      try db.connection.sharedLane().add {
        // Long enough for the other thread to go on, if it does not wait.
        for _ in 0..<20_000 { sched_yield() }
        isDone.set()
      }
      switch use {
      case .flush: try few.flush()
      case .drain: try few.drain()
      case .count: #expect(few.waitingCount == 1)
      case .forget: few.forget()
      case .read: _ = try db.firstRow("SELECT 1") { $0.count(0) }
      case .bind: query.bind(1, 7)
      case .changes: #expect(db.totalChanges == 0)
      case .transaction: #expect(!db.isInsideTransaction)
      case .preparing: _ = try Statement(db, "SELECT 2")
      }
      #expect(isDone.isSet)
      try few.flush()
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM few") == (use == .forget ? 0 : 1))
    }
  }

  @Test func `rows of a long batch are in the table in order, and those after a failure stay pending`() throws {
    try database { db in
      let few = try RowBatch(db, into: "few (value)", "*", columns: 1, inLane: true)
      for number in 1...1000 {
        few.put(0, Int64(number))
        try few.writeRow()
      }
      try few.flush()
      #expect(try Int.fetchAll(db, sql: "SELECT value FROM few ORDER BY value") == Array(1...1000))
      // The first of them already exists.
      for number in 1000..<1064 {
        few.put(0, Int64(number))
        few.endRow()
      }
      try few.submit()
      // Reads fail while rows are missing, until the batch was checked.
      for _ in 0..<2 {
        let error = #expect(throws: StorageError.self) { try Int.fetchOne(db, sql: "SELECT count(*) FROM few") }
        #expect(error?.constraint == .other)
      }
      #expect(few.waitingCount == 64)
      #expect(throws: StorageError.self) { try few.drain() }
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM few") == 1000)
      few.forget()
      try few.flush()
      #expect(few.waitingCount == 0)
    }
  }

  @Test(arguments: [(false, 16_384), (true, 2), (false, 16_385)])
  func `an index is made again after the rows as it was; while a statement reads, or with many rows, none is dropped`(
    reads: Bool, rows: Int
  ) throws {
    try database { db in
      let numbers = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows)) SELECT i FROM n"
      try db.execute(sql: "CREATE INDEX odd ON few(value % 2); INSERT INTO few \(numbers); BEGIN")
      func index() throws -> String? {
        try db.firstRow("SELECT sql FROM sqlite_master WHERE name = 'odd'") { $0.text(0) }
      }
      let (walk, made) = (try Statement(db, "SELECT value FROM few"), try index())
      if reads { _ = try walk.next() }
      let indexes = LateIndexes(db, ["odd"])
      for _ in 0..<16 { try indexes.willWriteBuffer {} }
      #expect(try (index() == nil) == (!reads && rows <= 16_384))
      try indexes.make()
      #expect(try index() == made)
      walk.reset()
      try db.commit()
    }
  }

  @Test func `a rollback removes all rows, also after a failure of the second thread`() throws {
    try database { db in
      try db.begin()
      let few = try RowBatch(db, into: "few (value)", "*", columns: 1, inLane: true)
      for _ in 0..<2 {
        few.put(0, 5)
        few.endRow()
      }
      try few.submit()
      #expect(throws: StorageError.self) { try db.commit() }
      try db.rollback()
      #expect(!db.isInsideTransaction)
    }
  }
}
