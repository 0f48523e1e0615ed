// The rows of notes and cards that come from a package, written together where nothing is in their way.
// Invariant: a note is written before its cards, and a card before its row of where it came from; an id, a rank or a
// guid that is taken gives way. A second thread writes meanwhile: whoever wants to see the rows calls `flush` before.

import Storage
import Templates
import Text

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
    /// See `CardText.content`.
    let content: Int64

    /// - Parameter texts: what it shows.
    init(_ card: ReceivedCard, of note: NoteRecord, texts: CardTexts) {
      (self.card, self.note, content) = (card, note.id, texts.content)
    }

    func row(now: Double) -> NewCardRow {
      var row = NewCardRow(
        note: note.rawValue, ordinal: card.ordinal, deck: card.deck, rank: card.rank, content: content, now: now)
      (row.schedule, row.isSuspended, row.flag) = (card.schedule, card.isSuspended, card.flag)
      (row.burial, row.buriedUntil) = (card.burial, card.buriedUntil)
      return row
    }
  }

  /// The ids that rows may have.
  private struct FreeIDs {
    /// No note, and no card's place elsewhere, has a higher one.
    var (highestNote, highestForeign): (Int64, Int64) = (0, 0)
    var nextNote: Int64 = 0
    /// Of the last card that waits; nil where the table says it, because none does.
    var lastCard: Int64?
    /// Places elsewhere; nil where there were many before.
    var foreign: HashFilter?

    init(_ db: Database) throws {
      highestNote = try db.firstRow("SELECT max(id) FROM notes") { $0.integer(0) } ?? 0
      foreign = try HashFilter(db, "SELECT anki FROM anki_cards") { UInt64(bitPattern: $0.integer(0)) }
      try lookForForeign(db)
    }

    mutating func lookForForeign(_ db: Database) throws {
      highestForeign = try db.firstRow("SELECT max(anki) FROM anki_cards") { $0.integer(0) } ?? 0
    }

    /// Whether a card may have that place elsewhere.
    func mayHold(_ id: Int64) -> Bool {
      id <= highestForeign && foreign?.mayHold(UInt64(bitPattern: id)) ?? true
    }

    mutating func nextCard(_ db: Database) throws -> Int64 {
      let last =
        try lastCard ?? db.firstRow("SELECT seq FROM sqlite_sequence WHERE name = 'cards'") { $0.integer(0) } ?? 0
      if last == .max { throw StorageError.full(path: db.path) }
      lastCard = last + 1
      return last + 1
    }
  }

  private let db: Database
  private let now: Double
  private let statements: ReceivingStatements
  private let notes: RowBatch
  private let cards: RowBatch
  private let foreign: RowBatch
  /// The last cards, all that are not written among them.
  private var last: [Card] = []
  private var ids: FreeIDs

  /// - Parameter isAlone: whether a second thread writes, because the caller does nothing else with the database.
  init(_ db: Database, now: Double, _ statements: ReceivingStatements, isAlone: Bool) throws {
    (self.db, self.now, self.statements) = (db, now, statements)
    ids = try FreeIDs(db)
    notes = try RowBatch(db, into: "notes (id, guid, type, mod, tags, fields, data)", "*", columns: 7, inLane: isAlone)
    cards = try RowBatch(db, into: NewCardRow.target, "*", columns: NewCardRow.columnCount, inLane: isAlone)
    foreign = try RowBatch(db, into: "anki_cards (card, anki, amod, raw)", "*", columns: 4, inLane: isAlone)
  }

  /// The id that a note gets which is to have a given one.
  func noteID(_ wanted: Int64) throws -> Int64 {
    let id = max(1, wanted)
    if id > ids.highestNote { return id }
    try flush()
    statements.hasNote.bind(1, id)
    guard try statements.hasNote.first({ _ in true }) ?? false else { return id }
    let sql = "SELECT max(id) FROM notes WHERE id BETWEEN ?1 AND ?1 + 3600000"
    let free = max(ids.nextNote, (try db.firstRow(sql, [id]) { $0.integer(0) } ?? id) + 1)
    ids.nextNote = free + 1
    return free
  }

  /// Adds a note of an id that is free, with its cards.
  func add(_ note: Note, _ made: [Card]) throws {
    let record = note.record
    ids.highestNote = max(ids.highestNote, record.id.rawValue)
    notes.put(0, record.id.rawValue)
    notes.put(1, text: record.guid)
    notes.put(2, record.type.rawValue)
    notes.put(3, Int64(record.modified))
    notes.put(4, text: note.tags)
    notes.put(5, text: note.fields)
    notes.put(6, text: note.data)
    notes.endRow()
    for card in made { try add(card) }
    if notes.isFull { try handOver() }
  }

  private func add(_ card: Card) throws {
    let elsewhere = try foreignID(card.card)
    let id = try ids.nextCard(db)
    var row = card.row(now: now)
    row.id = id
    row.put(into: cards)
    cards.endRow()
    last.append(card)
    put(card.card, id, elsewhere)
    if cards.isFull || foreign.isFull { try handOver() }
  }

  private func put(_ card: ReceivedCard, _ id: Int64, _ elsewhere: Int64) {
    foreign.put(0, id)
    foreign.put(1, elsewhere)
    foreign.put(2, card.foreignModified)
    foreign.put(3, text: card.raw)
    foreign.endRow()
  }

  /// The id that the card gets for the one it had elsewhere.
  private func foreignID(_ card: ReceivedCard) throws -> Int64 {
    if ids.mayHold(card.foreignID) { try flush() }
    return try freeForeignID(card)
  }

  /// The same where nothing is being written.
  private func freeForeignID(_ card: ReceivedCard) throws -> Int64 {
    var wanted = card.foreignID
    if ids.mayHold(wanted) {
      statements.hasForeign.bind(1, wanted)
      if try statements.hasForeign.first({ _ in true }) ?? false { wanted = ids.highestForeign &+ 1 }
    }
    ids.highestForeign = max(ids.highestForeign, wanted)
    ids.foreign?.insert(UInt64(bitPattern: wanted))
    return wanted
  }

  // MARK: Writing

  /// In this order one row finds another that it names.
  private func inOrder(_ body: (RowBatch) throws -> Void) throws {
    do {
      try body(notes)
      try body(cards)
      try body(foreign)
    } catch let error as StorageError {
      try recover(from: error)
    }
  }

  /// Has what waits written meanwhile.
  private func handOver() throws {
    try inOrder { try $0.handOver() }
    let most = RowBatch.rows * (RowBatch.ahead + 2)
    if last.count > 2 * most { last.removeFirst(last.count - most) }
  }

  /// Waits until what was handed over is written, so that a row in the way of another is dealt with before anything is
  /// read.
  func drain() throws { try inOrder { try $0.drain() } }

  /// Writes what waits.
  func flush() throws {
    try inOrder { try $0.flush() }
    last.removeAll(keepingCapacity: true)
    ids.lastCard = nil
  }

  /// One of the cards is in the way of something: each that is not written by itself.
  private func recover(from error: StorageError) throws {
    guard case .unique(let what) = error.constraint, what.contains(text: ": cards.") else { throw error }
    // A row of where a card came from comes after the card: none of those that wait is of one that is written.
    let rest = last.suffix(cards.waitingCount)
    cards.forget()
    foreign.forget()
    try notes.flush()
    last = []
    ids.lastCard = nil
    for card in rest { try writeAlone(card) }
  }

  /// Writes a card whose note is written or waits, at once.
  @discardableResult
  func write(_ card: Card) throws -> CardID {
    try flush()
    return try writeAlone(card)
  }

  @discardableResult
  private func writeAlone(_ card: Card) throws -> CardID {
    var row = card.row(now: now)
    // The rank may be taken.
    for attempt in 0..<2 {
      if attempt > 0 { row.rank = try CardOrder.above(db, card.card.deck, room: CardOrder.step) }
      row.put(into: statements.card)
      if try statements.card.run() {
        let id = db.lastInsertedRowID
        // Others may have written such rows too.
        try ids.lookForForeign(db)
        let elsewhere = try freeForeignID(card.card)
        put(card.card, id, elsewhere)
        try foreign.flush()
        return CardID(rawValue: id)
      }
    }
    throw StorageError.damaged(path: db.path, detail: "the note \(card.note.rawValue) has a card of that place")
  }
}
