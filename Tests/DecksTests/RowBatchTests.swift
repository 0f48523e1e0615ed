// Batches of rows that one second thread writes: never two threads in one database.

import Glibc
import Storage
import TestDecks
import Testing

@testable import Decks

@Suite struct RowBatchTests {
  private let collection = TestCollection()

  @Test(arguments: [0, 1, 2])
  func `a batch that handed nothing over waits for what another of its thread is writing`(way: Int) throws {
    try collection.store.operation("add") { db in
      try db.execute(sql: "CREATE TABLE few (value INTEGER) STRICT")
      let lane = RowBatch.makeLane()
      let few = try RowBatch(db, into: "few (value)", "*", columns: 1, lane: lane)
      few.put(0, 1)
      few.endRow()
      let isDone = UnsafeMutablePointer<Bool>.allocate(capacity: 1)
      defer { isDone.deallocate() }
      isDone.pointee = false
      try lane.add {
        usleep(100_000)
        isDone.pointee = true
      }
      switch way {
      case 0: try few.write()
      case 1: _ = few.waitingCount
      default: few.forget()
      }
      #expect(isDone.pointee)
      try few.write()
      #expect(try db.firstRow("SELECT count(*) FROM few") { $0.count(0) } == (way == 2 ? 0 : 1))
    }
  }
}
