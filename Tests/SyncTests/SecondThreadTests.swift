// A first pull that is large enough for a second thread; `ThreadWatchTests` also runs it under its thread check.

import Exchange
import Storage
import Testing
import Values

@testable import Sync

@Suite struct SecondThreadTests {
  /// Returns copies of a row with different ids in these columns.
  private func copies(_ row: Value, _ columns: [Int], guid: Int? = nil) throws -> [Value] {
    let values = try #require(row.list)
    return try (0..<500).map { number in
      var values = values
      for column in columns { values[column] = .integer(try #require(values[column].integer) + 10 * number) }
      if let guid { values[guid] = .text("guid \(number)") }
      return .list(values)
    }
  }

  @Test func `a first pull of many rows imports them all`() throws {
    let sides = TwoSides()
    let pulled = try sides.pulled(
      ServerSide.head(),
      [
        .notes: copies(ServerSide.note(100, "one"), [0], guid: 1), .cards: copies(ServerSide.card(100), [0, 1]),
        .revlog: copies(ServerSide.review(1_690_000_000_000, 3), [0, 1]),
      ], isWhole: true)
    let report = try sides.store.operation("sync") { db in
      try pulled.importAll(db, SyncLink(address: "a", user: "b"), sides.moment, isInterrupted: { false }) { _, _ in }
    }
    #expect((report.notes, report.cards, report.answers, report.unstorable) == (500, 500, 500, 0))
  }
}
