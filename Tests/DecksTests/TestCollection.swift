// A collection in memory with a repeating source of random bits, for the tests of this room.

import Decks
import GRDB
import Problems
import Storage
import TestSupport
import Testing

final class TestCollection {
  let store: Store
  var now = 1_700_000_000.0
  private var generator = TestGenerator(1)

  init(path: String? = nil) { store = Store(path: path, migrations: DecksSchema.migrations) }

  func random() -> UInt64 { generator.next() }

  func deck(_ name: String) throws -> DeckID {
    try store.operation("create") { try DeckTable.create($0, name: name, now: now).id }
  }

  @discardableResult
  func add(_ deck: DeckID, _ card: NewCard) throws -> CardID {
    try store.operation("add") { try CardTable.add($0, card, to: deck, now: now, random: random) }
  }

  @discardableResult
  func add(_ deck: DeckID, _ prompt: String, _ answer: String, guid: String? = nil) throws -> CardID {
    try add(deck, NewCard(prompt: prompt, answer: answer, guid: guid))
  }

  @discardableResult
  func addNote(_ deck: DeckID, _ fields: [String: String], _ stock: StockNoteType = .basic, tags: [String] = []) throws
    -> NoteID
  {
    try addNote(deck, NewNote(fields: fields, tags: tags)) { try NoteTypeTable.stock($0, stock, now: now) }
  }

  @discardableResult
  func addNote(_ deck: DeckID, _ note: NewNote, _ type: (Database) throws -> NoteType) throws -> NoteID {
    try store.operation("add") { try NoteTable.add($0, note, type: type($0), to: deck, now: now, random: random) }
  }

  func addAll(_ deck: DeckID, _ cards: [NewCard], _ onDuplicate: OnDuplicate = .skip) throws -> AddReport {
    try store.operation("add_all") { db in
      let batch = try CardBatch(db, deck: deck, onDuplicate: onDuplicate, now: now, random: random)
      for card in cards { try batch.add(card) }
      return batch.finish()
    }
  }

  func cards(_ deck: DeckID) throws -> [CardRecord] {
    try store.read { try CardTable.cards($0, ids: CardTable.ids($0, in: deck)) }
  }

  func prompts(_ deck: DeckID) throws -> [String] { try cards(deck).map(\.prompt) }

  func names() throws -> [String] { try store.read { try DeckTable.list($0).map(\.name) } }

  func importing(_ deck: DeckID, _ path: String, _ options: ImportOptions = ImportOptions()) throws -> AddReport {
    try store.operation("import") {
      try CardImport($0, into: deck, options: options, now: now, random: random).run(path)
    }
  }

  func exporting(_ deck: DeckID, _ path: String) throws -> ExportReport {
    try store.read { try CardExport($0, deck).run(to: path) }
  }
}

/// The code of the problem that the body throws, nil when it throws none.
func problemCode(_ body: () throws -> Void) -> String? {
  do {
    try body()
    return nil
  } catch let error as any Problem {
    return error.code
  } catch {
    return "\(error)"
  }
}
