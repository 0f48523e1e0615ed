// The rows of notes and cards that come from a package, written together where nothing is in their way.
// Invariant: a note is written before its cards, and a card before its row of where it came from; an id, a rank or a
// guid that is taken gives way.

import GRDB

/// New notes and their cards on their way into the database.
final class ReceivedRows {
  struct Note {
    let record: NoteRecord
    /// Columns.
    let tags: String
    let fields: String
    let data: String

    init(_ record: NoteRecord, tags: String, fields: String, data: String) {
      (self.record, self.tags, self.fields, self.data) = (record, tags, fields, data)
    }
  }

  struct Card {
    let card: ReceivedCard
    let note: NoteID
    /// The note's guid, from the second card on with `/2`.
    let guid: String
    let suffix: String
    let texts: CardTexts
    let tags: String

    init(_ card: ReceivedCard, of note: NoteRecord, texts: CardTexts, tags: String) {
      (self.card, self.note, guid, self.texts, self.tags) = (card, note.id, note.guid, texts, tags)
      suffix = card.ordinal == 0 ? "" : "/\(card.ordinal + 1)"
    }
  }

  private let db: Database
  private let now: Double
  private let statements: ReceivingStatements
  private let notes: RowBatch
  private let cards: RowBatch
  private let foreign: RowBatch
  private var waiting: [Card] = []
  /// No note, and no card's place elsewhere, has a higher id.
  private var (highestNote, highestForeign): (Int64, Int64) = (0, 0)
  private var nextFreeID: Int64 = 0

  init(_ db: Database, now: Double, _ statements: ReceivingStatements) throws {
    (self.db, self.now, self.statements) = (db, now, statements)
    notes = try RowBatch(db, into: "notes (id, guid, type, mod, tags, fields, data)", "*", columns: 7)
    cards = try RowBatch(
      db, into: "cards (\(ReceivingStatements.cardColumns))", "*", columns: ReceivingStatements.cardColumnCount)
    foreign = try RowBatch(db, into: "anki_cards (card, anki, amod, raw)", "*", columns: 4)
    highestNote = try db.firstRow("SELECT max(id) FROM notes") { $0.integer(0) } ?? 0
    highestForeign = try ReceivedRows.highestForeign(db)
  }

  private static func highestForeign(_ db: Database) throws -> Int64 {
    try db.firstRow("SELECT max(anki) FROM anki_cards") { $0.integer(0) } ?? 0
  }

  /// The id that a note gets which is to have a given one.
  func noteID(_ wanted: Int64) throws -> Int64 {
    let id = max(1, wanted)
    if id > highestNote { return id }
    try flush()
    statements.hasNote.bind(1, id)
    guard try statements.hasNote.first({ _ in true }) ?? false else { return id }
    let sql = "SELECT max(id) FROM notes WHERE id BETWEEN ?1 AND ?1 + 3600000"
    let free = max(nextFreeID, (try db.firstRow(sql, [id]) { $0.integer(0) } ?? id) + 1)
    nextFreeID = free + 1
    return free
  }

  /// Adds a note of an id that is free, with its cards.
  func add(_ note: Note, _ made: [Card]) throws {
    if notes.isFull || waiting.count >= RowBatch.rows { try flush() }
    let record = note.record
    highestNote = max(highestNote, record.id.rawValue)
    notes.put(0, record.id.rawValue)
    notes.put(1, text: record.guid)
    notes.put(2, record.type.rawValue)
    notes.put(3, Int64(record.modified))
    notes.put(4, text: note.tags)
    notes.put(5, text: note.fields)
    notes.put(6, text: note.data)
    notes.endRow()
    waiting += made
  }

  /// Writes what waits.
  func flush() throws {
    try notes.write()
    while !waiting.isEmpty {
      let part = waiting.prefix(RowBatch.rows)
      for card in part {
        ReceivingStatements.bind(card, guid: card.guid + card.suffix, rank: card.card.rank, now: now, to: cards)
        cards.endRow()
      }
      do {
        try cards.write()
        let last = db.lastInsertedRowID
        for (index, card) in part.enumerated() {
          try addForeign(card.card, CardID(rawValue: last - Int64(part.count - 1 - index)))
        }
        waiting.removeFirst(part.count)
      } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE {
        cards.forget()
        // One of them is in the way of something: each by itself.
        let part = Array(part)
        waiting.removeFirst(part.count)
        for card in part { try write(card) }
      }
    }
    try foreign.write()
  }

  /// Writes a card whose note is written.
  @discardableResult
  func write(_ card: Card) throws -> CardID {
    try foreign.write()
    // The rank may be taken, and then the guid.
    for attempt in 0..<3 {
      let rank = attempt == 0 ? card.card.rank : try CardOrder.above(db, card.card.deck, room: CardOrder.step)
      let guid = card.guid + (attempt < 2 ? "" : "/\(card.note.rawValue)") + card.suffix
      ReceivingStatements.bind(card, guid: guid, rank: rank, now: now, to: statements.card)
      if try statements.card.run() {
        let id = CardID(rawValue: db.lastInsertedRowID)
        // Others may have written such rows too.
        highestForeign = try ReceivedRows.highestForeign(db)
        try addForeign(card.card, id)
        try foreign.write()
        return id
      }
    }
    throw DeckError.duplicate(guid: card.guid + card.suffix, prompt: "")
  }

  private func addForeign(_ card: ReceivedCard, _ id: CardID) throws {
    var wanted = card.foreignID
    if wanted <= highestForeign {
      try foreign.write()
      statements.hasForeign.bind(1, wanted)
      if try statements.hasForeign.first({ _ in true }) ?? false { wanted = highestForeign &+ 1 }
    }
    highestForeign = max(highestForeign, wanted)
    foreign.put(0, id.rawValue)
    foreign.put(1, wanted)
    foreign.put(2, card.foreignModified)
    foreign.put(3, text: card.raw)
    try foreign.writeRow()
  }
}
