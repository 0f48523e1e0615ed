// The stored copies of a server's rows: an unchanged row is its own base.

import Decks
import Storage
import TestSupport
import Values

@testable import Exchange
@testable import Sync

@Suite struct BasesTests {
  private let sides = TwoSides(hasUndo: true)
  private let note = NoteID(rawValue: Int64(ServerSide.note))

  init() throws { try sides.linked() }

  /// The bases of notes and cards, stored beside their rows.
  private func kept() throws -> [String] { try rows("bases") }

  /// The rows that the server has of them.
  private func rows(_ table: String) throws -> [String] {
    let sql = "SELECT json FROM \(table) WHERE kind IN (0, 1) ORDER BY kind, id"
    return try sides.store.read { try $0.rows(sql) { $0.text(0) } }
  }

  /// The rows as the server has them, without the USN.
  private func sent(_ card: Value, _ note: Value) -> [String] {
    zip([card, note], [5, 4]).map { row, place in
      var values = row.list ?? []
      values[place] = .integer(0)
      var writer = JSONWriter(.compact)
      writer.write(.list(values))
      return String(decoding: writer.bytes, as: UTF8.self)
    }
  }

  /// Undoes the last step, or the step with a name.
  private func undo(_ name: String? = nil) throws {
    let step = try sides.store.undoSteps().first { $0.name == name }
    try sides.store.undo(step?.id) { try SearchLog.forget($0) }
  }

  private func edit(_ fields: [String: String]) throws {
    try sides.store.operation("edit") { db in
      _ = try NoteTable.update(db, note, fields: fields, now: 1_699_999_000, isInterrupted: { false })
    }
  }

  @Test func `unchanged rows are stored once, and represent the server's state`() throws {
    #expect(try kept().isEmpty)
    #expect(try rows("server_rows") == sent(ServerSide.card(100), ServerSide.note(100, "one")))
    #expect(try sides.unsent().total == 0)
    #expect(try sides.store.read { try Bases($0).counts() }.cards == 1)
  }

  @Test func `a changed row keeps its base, and undoing or sending the change removes it`() throws {
    let before = try rows("server_rows")
    try sides.change { db, id in try CardHiding.setFlag(db, [id], to: 3, now: 1_699_999_000) }
    try edit(["Back": "two"])
    #expect(try kept() == before && rows("server_rows") == before)
    #expect(try sides.unsent().cards == 1 && sides.unsent().notes == 1)
    try undo()
    try undo()
    #expect(try kept().isEmpty && rows("server_rows") == before)
    #expect(try sides.unsent().total == 0)
    try sides.change { db, id in try CardHiding.setFlag(db, [id], to: 3, now: 1_699_999_000) }
    try edit(["Back": "two"])
    let (_, out) = try sides.outgoing(sides.pulled())
    let (card, note) = (try #require(out[.cards]?.first), try #require(out[.notes]?.first))
    #expect(try kept().isEmpty && sides.unsent().total == 0)
    #expect(try rows("server_rows") == sent(.list(card), .list(note)))
    // Once that sync is undone, both are unsent again.
    try undo("send")
    #expect(try kept() == before && sides.unsent().cards == 1 && sides.unsent().notes == 1)
  }

  @Test func `changed note texts create no base for the card, and a reverted change is not sent`() throws {
    try edit(["Back": "two"])
    #expect(try kept().count == 1)
    try sides.change { db, id in try CardHiding.setSuspended(db, [id], true, now: 1_699_999_000) }
    try sides.change { db, id in try CardHiding.setSuspended(db, [id], false, now: 1_699_999_100) }
    try edit(["Back": "one"])
    #expect(try kept().count == 2)
    let (_, out) = try sides.outgoing(sides.pulled())
    #expect(out.isEmpty)
    // The card is as on the server; so is the note, except for its modification time.
    #expect(try sides.unsent().total == 0 && kept().count == 1)
  }

  @Test func `a removal is sent once and forgotten by undo, and rows restored after it was sent get new ids`() throws {
    func remove() throws {
      try sides.store.operation("remove") { db in _ = try NoteTable.remove(db, [note]) }
    }
    try remove()
    #expect(try kept().isEmpty && sides.unsent().removals == 2)
    #expect(try sides.store.read { try Bases($0).counts() }.notes == 1)
    try undo()
    #expect(try sides.unsent().total == 0)
    try sides.store.undo(again: true) { try SearchLog.forget($0) }
    #expect(try sides.unsent().removals == 2)
    let graves = try sides.outgoing(sides.pulled()).0.graves
    #expect(graves.notes == [Int64(ServerSide.note)] && graves.cards == [Int64(ServerSide.card)])
    #expect(try sides.unsent().total == 0)
    try undo("remove")
    // The server does not have it, whatever is changed.
    try edit(["Back": "two"])
    #expect(try kept().isEmpty && sides.unsent().notes == 1 && sides.unsent().cards == 1)
    let (_, out) = try sides.outgoing(sides.pulled())
    #expect(out[.notes]?.map { $0[0] } == [.integer(ServerSide.note + 1)])
    #expect(out[.cards]?.map { $0[0] } == [.integer(ServerSide.card + 1)])
    #expect(try sides.unsent().total == 0)
  }

  @Test func `removing the link leaves nothing behind, and another server gets everything`() throws {
    try sides.store.operation("unlink") { try SyncTables.removeLink($0) }
    #expect(try rows("server_rows").isEmpty && sides.unsent().notes == 1 && sides.unsent().cards == 1)
    try undo()
    #expect(try sides.unsent().total == 0 && rows("server_rows").count == 2)
  }
}
