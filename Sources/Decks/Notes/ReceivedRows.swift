// The rows of notes and cards that come from a package, written together where nothing conflicts with them.
// Invariant: a note is written before its cards; an id, a rank or a guid that is taken is replaced. A second thread may
// be writing: call `flush` before you read the rows.

import Storage
import Templates
import Text

/// New notes and their cards that are on their way into the database.
final class ReceivedRows {
  /// The ids that new rows may get.
  private struct FreeIDs {
    /// The highest ids of notes and cards so far.
    var (highestNote, highestCard): (Int64, Int64) = (0, 0)
    /// The ids of existing cards; nil if there are many.
    var cards: Set<UInt64>?
    /// The highest card id before. Cards with lower ids cannot be recognised as new by their ids.
    let lastCard: Int64

    init(_ db: Database) throws {
      highestNote = Int64(try db.count("SELECT max(id) FROM notes"))
      highestCard = Int64(try db.count("SELECT max(id) FROM cards"))
      cards = try Set(db, "SELECT id FROM cards") { UInt64(bitPattern: $0.integer(0)) }
      lastCard = try CardTable.lastID(db)
    }

    /// Whether a card may already have this id.
    func mayHold(_ id: Int64) -> Bool { id <= highestCard && cards?.contains(UInt64(bitPattern: id)) ?? true }

    mutating func take(_ id: Int64) {
      highestCard = max(highestCard, id)
      cards?.insert(UInt64(bitPattern: id))
    }
  }

  private let db: Database
  private let now: Double
  private let hasNote: Statement
  private let hasCard: Statement
  private let insertion: Statement
  private let notes: RowBatch
  private let cards: RowBatch
  /// The guids of other programs, and the contents of cards, come in no order. Nil unless `isAlone`.
  private var indexes: LateIndexes?
  /// The last cards, including all that are not written yet.
  private var last: [StoredCard] = []
  /// The ids of new cards that are lower than existing ones and are not yet in the log of changed texts.
  private var low: [Int64] = []
  private var ids: FreeIDs
  private var came: ReceivedCards

  /// - Parameter isAlone: whether a second thread may write, because the caller does nothing else with the database.
  init(_ db: Database, now: Double, isAlone: Bool) throws {
    (self.db, self.now) = (db, now)
    hasNote = try Statement(db, "SELECT 1 FROM notes WHERE id = ?1")
    hasCard = try Statement(db, "SELECT 1 FROM cards WHERE id = ?1")
    insertion = try Statement(db, StoredCard.insertion + " ON CONFLICT DO NOTHING")
    ids = try FreeIDs(db)
    notes = try RowBatch(db, into: "notes (id, guid, type, mod, tags, fields, data)", "*", columns: 7, inLane: isAlone)
    cards = try RowBatch(db, into: StoredCard.target, "*", columns: StoredCard.columnCount, inLane: isAlone)
    came = try ReceivedCards(db)
    if isAlone { indexes = LateIndexes(db, ["notes_guid", "cards_content"]) }
  }

  /// Returns the id for a note that is added next: `wanted` if it is free, else a nearby one.
  func noteID(_ wanted: NoteID) throws -> NoteID {
    let id = max(1, wanted.rawValue)
    if id > ids.highestNote { return NoteID(rawValue: id) }
    try flush()
    hasNote.bind(1, id)
    guard try hasNote.hasRow() else { return NoteID(rawValue: id) }
    let sql = "SELECT max(id) FROM notes WHERE id BETWEEN ?1 AND ?1 + 3600000"
    var free = id
    repeat {
      free = (try db.firstRow(sql, [free]) { $0.integer(0) } ?? free) + 1
      hasNote.bind(1, free)
    } while try hasNote.hasRow()
    return NoteID(rawValue: free)
  }

  /// Adds a note, whose id is free, with its cards; `tags` and `fields` are the texts of its columns.
  func add(_ note: NoteRecord, tags: String, fields: String, _ made: [StoredCard]) throws {
    ids.highestNote = max(ids.highestNote, note.id.rawValue)
    notes.put(0, note.id.rawValue)
    notes.put(1, text: note.guid)
    notes.put(2, note.type.rawValue)
    notes.put(3, Int64(note.modified))
    notes.put(4, text: tags)
    notes.put(5, text: fields)
    notes.put(6, text: note.data)
    notes.endRow()
    for card in made { try add(card) }
    if notes.isFull { try submit() }
  }

  private func add(_ card: StoredCard) throws {
    let card = try numbered(card)
    card.put(into: cards)
    cards.endRow()
    last.append(card)
    if cards.isFull { try submit() }
  }

  /// Returns the card with a free id: its own, if it is free.
  private func numbered(_ card: StoredCard) throws -> StoredCard {
    var card = card
    let wanted = card.id
    if ids.mayHold(wanted.rawValue) {
      try flush()
      hasCard.bind(1, wanted.rawValue)
      if try hasCard.hasRow() { card.id = CardID(rawValue: try CardTable.freeID(db, now: now)) }
    }
    ids.take(card.id.rawValue)
    came.add(card.id, for: wanted)
    if card.id.rawValue <= ids.lastCard { low.append(card.id.rawValue) }
    return card
  }

  func match(_ card: Int64, with id: Int64) { if card != id { came.renumbered[id] = card } }

  /// The cards that came, once they are written.
  var received: ReceivedCards {
    var cards = came
    cards.added?.sort()
    return cards
  }

  /// Runs `body` on the notes, then on the cards, so that a note is written before its cards.
  private func inOrder(_ body: (RowBatch) throws -> Void) throws {
    do {
      try body(notes)
      try body(cards)
    } catch let error as StorageError {
      try recover(from: error)
    }
  }

  /// Starts writing the pending rows. With `isAlone`, a second thread writes them.
  private func submit() throws {
    try indexes?.willWriteBuffer(after: drain)
    try inOrder { try $0.submit() }
    let most = RowBatch.rows * (RowBatch.ahead + 2)
    if last.count > 2 * most { last.removeFirst(last.count - most) }
  }

  /// Waits until all rows that were handed over are written, so that a conflict between rows is resolved before
  /// anything is read.
  func drain() throws { try inOrder { try $0.drain() } }

  func flush() throws {
    try inOrder { try $0.flush() }
    last.removeAll(keepingCapacity: true)
    if low.isEmpty { return }
    try SearchLog.note(db, low)
    low.removeAll()
  }

  /// Writes the pending rows and the indexes that were left for later.
  func finish() throws {
    try flush()
    try indexes?.make()
  }

  /// Handles a card that conflicts with another row: writes each card that is not yet written by itself.
  private func recover(from error: StorageError) throws {
    guard case .unique(let what) = error.constraint, what.contains(text: ": cards.") else { throw error }
    let rest = last.suffix(cards.waitingCount)
    cards.forget()
    try notes.flush()
    last = []
    for card in rest { try writeAlone(card) }
  }

  /// Immediately writes a card whose note is written or pending.
  @discardableResult
  func write(_ card: StoredCard) throws -> CardID {
    try flush()
    let card = try numbered(card)
    try writeAlone(card)
    try flush()
    return card.id
  }

  private func writeAlone(_ card: StoredCard) throws {
    var card = card
    // Tries again with another rank, because the rank may be taken.
    for attempt in 0..<2 {
      if attempt > 0 { card.rank = try CardOrder.above(db, card.deck, room: CardOrder.step) }
      card.put(into: insertion)
      if try insertion.run() { return }
    }
    throw StorageError.damaged(
      path: db.path, detail: "the note \(card.note.rawValue) already has a card with that number")
  }
}

/// The cards that came. Cards that were here before, under the ids that they came with, keep their log.
public struct ReceivedCards {
  /// Their ids, sorted; nil if all cards came, because there were none before.
  fileprivate var added: [Int64]?
  /// The ids here by the ids in the package: of cards that came whose ids other cards had, and of cards that were here
  /// under other ids.
  fileprivate var renumbered: [Int64: Int64] = [:]

  init(_ db: Database) throws { added = try db.firstRow("SELECT 1 FROM cards LIMIT 1") { _ in [] } ?? nil }

  mutating func add(_ card: CardID, for wanted: CardID) {
    added?.append(card.rawValue)
    renumbered[wanted.rawValue] = card == wanted ? nil : card.rawValue
  }

  /// The card that has this id in the package; nil if no card of the package came or is here under another id.
  func card(_ id: Int64) -> CardID? {
    if let renumbered = renumbered[id] { return CardID(rawValue: renumbered) }
    return holds(id) ? CardID(rawValue: id) : nil
  }

  /// Whether the card that now has this id came.
  func holds(_ id: Int64) -> Bool {
    guard let added else { return true }
    let low = added.indices.bisected { added[$0] < id }
    return low < added.count && added[low] == id
  }

  /// The lowest id of a card that came.
  var first: Int64 { added.map { $0.first ?? .max } ?? 0 }
}

/// The outcome for a note that came.
public enum ReceivedOutcome: Equatable, Sendable {
  /// The number of new cards.
  case added(Int)
  /// The number of cards that show something else now.
  case updated(Int)
  /// It was already there, in the same or a newer version.
  case skipped
  /// There is a note with that guid, of another type.
  case conflicting
}
