// The cost of undo and durability. Invariant: both sides do the same to the same tables; only what is measured
// differs.

import Authentication
import CardDocuments
import Decks
import Files
import Glibc
import Lexicon
import Memory
import Storage
import ToggleSettings
import WordGames
import Workspace

struct SafetyFigures {
  private let folder = Asked.folder + "/safety"
  private static let count = sized(100_000)

  func all() throws -> [Figure?] { try [adding(), undoing(), answering()] }

  private func store(_ name: String, hasUndo: Bool) -> Store {
    for ending in ["", "-wal", "-shm"] { unlink("\(folder)/\(name)\(ending)") }
    return Store(
      path: folder + "/" + name, schema: DecksSchema.schema + UndoLog.schema,
      isInterrupted: { false }, undoClock: hasUndo ? { 0 } : nil)
  }

  /// Fills a new deck; returns the seconds that adding the cards took.
  private func fill(_ store: Store) throws -> Double {
    let deck = try store.operation("deck") { try DeckTable.create($0, name: "Bench", now: 0).id }
    let start = now()
    try store.operation("cards") { db in
      let batch = try CardBatch(db, deck: deck, onDuplicate: .skip, now: 0) { UInt64.random(in: 0...UInt64.max) }
      for n in 0..<Self.count {
        _ = try batch.add(NewCard(prompt: "prompt \(n)", answer: "answer \(n)", guid: "bench:\(n)"))
      }
      _ = try batch.finish()
    }
    return now() - start
  }

  private func adding() throws -> Figure? {
    func seconds(_ name: String, hasUndo: Bool) throws -> Double {
      let store = store(name, hasUndo: hasUndo)
      let seconds = try fill(store)
      try store.close()
      return seconds
    }
    return try compare(
      "100,000 cards that can be undone against 100,000 that cannot", wanted: 1.05, rounds: 9, scale: 1e3, unit: "ms",
      ours: { try seconds("with.sqlite", hasUndo: true) }, reference: { try seconds("without.sqlite", hasUndo: false) })
  }

  private func undoing() throws -> Figure? {
    var removed: Store?
    return try compare(
      "undoing the removal of a deck of 100,000 against the removal", wanted: 2, rounds: 5, scale: 1e3, unit: "ms"
    ) {
      let start = now()
      try removed?.undo()
      defer { removed = nil }
      let seconds = now() - start
      try removed?.close()
      return seconds
    } reference: {
      let store = store("removal.sqlite", hasUndo: true)
      _ = try fill(store)
      removed = store
      let start = now()
      try store.operation("removal") { db in
        guard let deck = try DeckTable.list(db).first else { return }
        _ = try DeckTable.remove(db, deck.id)
      }
      return now() - start
    }
  }

  private func answering() throws -> Figure? {
    let title = "an answer that is on disk against SQLite's own commit of as much"
    guard isAsked(title) else { return nil }
    let plain = store("plain.sqlite", hasUndo: false)
    _ = try fill(plain)
    try plain.close()
    let plainFile = try ExclusiveDatabase(folder + "/plain.sqlite")
    try plainFile.use { try $0.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL") }
    let study = try study()
    var card = 0
    return try compare(title, wanted: 2, rounds: 15, scale: 1e3, unit: "ms") {
      let start = now()
      _ = try study.answer(.again)
      return now() - start
    } reference: {
      card += 1
      let start = now()
      try plainFile.use { db in
        try db.transaction {
          try db.execute(
            sql: "UPDATE cards SET state = 1, due = 60, stability = 1, difficulty = 5 WHERE id = ?", arguments: [card])
          try db.execute(
            sql:
              "INSERT INTO reviews (card, at, rating, state, interval, stability, difficulty) VALUES (?, 0, 1, 0, 0, 1, 5)",
            arguments: [card])
        }
      }
      return now() - start
    }
  }

  private func study() throws -> SessionHandle {
    let access = try AccountStore(
      data: folder + "/data-\(Int(now()))", environment: .ofSystem(bootID: "bench", isInterrupted: { false })
    ).openLocal()
    let environment = Environment.ofSystem(seed: 1, bootID: "bench") { false }
    let workspace = try Workspace(
      access, environment: environment, settings: SettingSources(), lexicons: LexiconLibrary(environment),
      modes: ModeTable(), drawing: DrawingProgram(path: "", environment: [], clock: { 0 }, shouldStop: { false }))
    let deck = try workspace.decks.create("Bench")
    for n in 0..<40 { _ = try deck.add(NewCard(prompt: "p\(n)", answer: "a")) }
    return try deck.study(SessionHandle.Options(workspace.preferences()))
  }
}
