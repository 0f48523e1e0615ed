// Untrusted card files imported into a deck: tables, Markdown, JSON, packages, and queries over existing cards.
// Invariant: each input meets the same collection, because its changes are rolled back.

import Decks
import Exchange
import Files
import FuzzDriver
import Storage
import Templates

struct CardFiles {
  private struct Back: Error {}

  private let folder: FuzzFolder
  private let store: Store
  private let deck: DeckID
  /// A collection as a file.
  private let whole: [UInt8]
  /// A package of the deck.
  private let package: [UInt8]
  private let moment = StudyMoment(now: 1_700_000_000, utcOffset: 0)

  init(_ folder: FuzzFolder) throws {
    self.folder = folder
    store = CardFiles.store(nil)
    deck = try CardFiles.fill(store)
    let path = folder.file("whole.sqlite")
    do {
      let file = CardFiles.store(path)
      _ = try CardFiles.fill(file)
      try file.close()
    }
    whole = try FileText.bytes(path, limit: 64 << 20, isInterrupted: { false })
    let destination = ExchangeSettings(folder: folder.path, moment: moment, isInterrupted: { false }) { $0.name }
    let packed = folder.file("whole.apkg")
    _ = try store.read { [deck] in try PackageExport($0, decks: [deck], destination).run(to: packed) }
    package = try FileText.bytes(packed, limit: 64 << 20, isInterrupted: { false })
  }

  private static func store(_ path: String?) -> Store {
    Store(
      path: path, schema: DecksSchema.schema + UndoLog.schema, isInterrupted: { false },
      undoClock: { 1_700_000_000 })
  }

  private static func fill(_ store: Store) throws -> DeckID {
    try store.operation("deck") { db in
      let deck = try DeckTable.create(db, name: "Deck", now: 1_700_000_000).id
      for (front, back) in [("el perro", "the dog"), ("{{c1::uno}}", "<b>one</b>"), ("año", "year")] {
        let adder = try CardAdder(db, deck: deck) { UInt64(front.utf8.count) &* 0x9E37_79B9_7F4A_7C15 }
        let card = NewCard(prompt: front, answer: back, tags: ["a::b"], fields: [CardField("level", .json("1.5"))])
        _ = try card.checked { try adder.add($0, at: .top, now: 1_700_000_000) }
      }
      return deck
    }
  }

  var targets: [FuzzTarget] {
    ["csv", "tsv", "txt", "md", "json", "jsonl"].map { ending in
      FuzzTarget(ending == "json" ? "json-cards" : ending) { bytes in try imported(bytes, as: ending) }
    } + [
      FuzzTarget("query") { bytes in
        let text = String(decoding: bytes.prefix(2_000), as: UTF8.self)
        let queries = try [CardQuery(text) { false }, CardQuery(text, isAnki: true) { false }]
        for query in queries {
          try store.read { db in _ = try CardTable.found(db, in: deck, matching: query, at: moment) }
        }
      },
      FuzzTarget("package") { bytes in try received(zipFile(parts(bytes))) },
      FuzzTarget("zip") { bytes in try received(bytes) },
      FuzzTarget("package-bytes") { bytes in try received(edited(package, by: bytes)) },
      FuzzTarget("collection") { bytes in
        let path = folder.write(edited(whole, by: bytes), to: "collection.sqlite")
        defer { for ending in ["", "-wal", "-shm", "-journal"] { folder.remove("collection.sqlite" + ending) } }
        let other = CardFiles.store(path)
        try other.read { db in
          for deck in try DeckTable.list(db) {
            for card in try CardTable.cards(db, ids: CardTable.ids(db, in: deck.id).prefix(20)) {
              _ = try NoteTable.record(db, card.note)
            }
          }
        }
        try other.read { _ = try DecksCheck.findings($0, now: 1_700_000_000) }
        _ = try other.operation("deck") { try DeckTable.create($0, name: "B", now: 1).id }
        _ = try other.undo()
      },
    ]
  }

  /// Imports, exports in the same format, and rolls back.
  private func imported(_ bytes: [UInt8], as ending: String) throws {
    let path = folder.write(bytes, to: "cards." + ending)
    let written = folder.file("written." + ending)
    do {
      try store.operation("import") { db in
        var number: UInt64 = 0
        let work = try CardImport(db, into: deck, options: ImportOptions(), isNewDeck: true, now: 1_700_000_000) {
          number += 1
          return number
        }
        try work.run(path, isInterrupted: { false })
        _ = try work.finish()
        _ = try CardExport(db, deck).run(to: written, isInterrupted: { false })
        throw Back()
      }
    } catch is Back {}
  }

  private func received(_ bytes: [UInt8]) throws {
    let path = folder.write(bytes, to: "cards.apkg")
    let settings = PackageSettings(folder: folder.path, moment: moment, isInterrupted: { false }) { _, name in name }
    do {
      try store.operation("import") { db in
        _ = try PackageImport(db, into: deck, settings).run(path)
        throw Back()
      }
    } catch is Back {}
  }
}
