// Custom SQL functions: called by views, with any column values.

import Testing

@testable import Storage

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
