// What tells a sync that nothing here is to be sent without a look at every row: whatever is written has to be seen.

import Decks
import Storage
import TestSupport
import Testing

@testable import Sync

@Suite struct SentStampTests {
  private let folder = TemporaryFolder()
  private let migrations =
    DecksSchema.migrations + SyncTables.migrations + MediaTables.migrations + UndoLog.migrations

  private func open() -> Store {
    Store(
      path: folder.file("collection.sqlite"), migrations: migrations, isInterrupted: { false },
      undoClock: { 1_700_000_000 })
  }

  /// A collection with a card, of which all is said to be sent.
  private func sent() throws -> Store {
    let store = open()
    try store.operation("add") { db in
      let deck = try DeckTable.create(db, name: "A", now: 1).id
      _ = try CardTable.add(db, NewCard(prompt: "p", answer: "a"), to: deck, now: 1) { 5 }
    }
    #expect(try waiting(store) > 0)
    try keep(store)
    #expect(try waiting(store) == 0)
    return store
  }

  private func keep(_ store: Store) throws {
    let stamp = try #require(try store.read { try SentStamp.toKeep($0) })
    try store.operation("keep") { try stamp.keep($0) }
    #expect(try store.read { try SentStamp.toKeep($0) } == nil)
  }

  private func waiting(_ store: Store) throws -> Int { try store.read { try SyncTables.unsent($0).total } }

  private func card(_ db: Database) throws -> CardID {
    CardID(rawValue: try db.firstRow("SELECT min(id) FROM cards") { $0.integer(0) } ?? 0)
  }

  @Test func `keeping it is no step of undo, and changes nothing that it says`() throws {
    let store = try sent()
    #expect(try store.undoSteps().map(\.name) == ["add"])
    try store.operation("nothing") { _ in }
    #expect(try waiting(store) == 0)
  }

  @Test func `each write is seen: an operation, a unit, an undo, a redo`() throws {
    let store = try sent()
    try store.operation("flag") { db in try CardHiding.setFlag(db, card(db), to: 1, now: 2) }
    #expect(try waiting(store) > 0)
    try keep(store)
    store.beginUnit()
    try store.operation("flag") { db in try CardHiding.setFlag(db, card(db), to: 2, now: 2) }
    try store.commitUnit()
    #expect(try waiting(store) > 0)
    try keep(store)
    try store.undo { try SearchLog.forget($0) }
    #expect(try waiting(store) > 0)
    try keep(store)
    try store.undo(again: true, also: { try SearchLog.forget($0) })
    #expect(try waiting(store) > 0)
    try keep(store)
    try store.operation("remove") { db in _ = try CardTable.remove(db, [card(db)]) }
    #expect(try store.read { try SentStamp.toKeep($0) } != nil)
  }

  @Test func `an operation that failed is no write, one of another process is`() throws {
    let store = try sent()
    #expect(throws: DeckError.self) {
      try store.operation("flag") { db in
        try CardHiding.setFlag(db, card(db), to: 3, now: 2)
        throw DeckError.gone(what: "it")
      }
    }
    #expect(try waiting(store) == 0)
    let other = open()
    try other.operation("flag") { db in try CardHiding.setFlag(db, card(db), to: 4, now: 2) }
    #expect(try waiting(store) > 0)
  }

  @Test func `a backup of before the last write hides nothing`() throws {
    let store = try sent()
    try store.operation("flag") { db in try CardHiding.setFlag(db, card(db), to: 1, now: 2) }
    try store.undo { try SearchLog.forget($0) }
    let held = try HeldDatabase(folder.file("collection.sqlite"), scratch: folder.path) { false }
    try held.copy(to: folder.file("backup.sqlite")) { _, _ in }
    try keep(store)
    try store.replaceAll(from: folder.file("backup.sqlite"))
    #expect(try waiting(store) > 0)
  }

  @Test func `nothing is known of a server after the link was removed`() throws {
    let store = try sent()
    try store.operation("unlink") { try SyncTables.removeLink($0) }
    #expect(try waiting(store) > 0)
  }
}
