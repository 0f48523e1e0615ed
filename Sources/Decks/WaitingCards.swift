// New cards of a batch that are pending, to be written together, and what is known about the cards of the deck.
// Invariant: no two pending cards have the same prompt and answer. What is known about the deck's cards may include
// cards that are gone, but misses none; once another process changes the database, nothing is known any more. Call
// `write` before you read or change the database.

import Storage
import Templates

/// Cards without a guid of their own that are to be added to one deck, each with its note.
final class WaitingCards {
  private let db: Database
  /// The time of the next card, in seconds since 1970.
  var now: Double
  private let random: () -> UInt64
  private let rows: RowBatch
  /// The contents of cards are hashes.
  private let indexes: LateIndexes
  private let basic: NoteTypeID
  /// The contents of the last cards, including all that are not written yet.
  private var contents: [Int64] = []
  private var known: Set<UInt64>?
  /// The connection's count of changes when everything was last written; all of them were made by this batch.
  private var changes: Int
  private var nextGuid: UInt64
  /// How many guids from `nextGuid` on are free. This and `nextID` are valid only while nothing else changes the
  /// database.
  private var freeGuids = 0
  /// The lowest id of the next card and its note.
  private var nextID: Int64 = 0
  private static let guidLimit = 1 << 20

  /// The columns of a row, in order.
  private enum Column: Int, CaseIterable { case rank, guid, content, fields, tags, data, document, id, type, time }

  /// ?1 is the deck; `column1` is the first `Column`.
  private static let parts = [
    RowBatch.Part(
      into: "notes (id, guid, type, mod, tags, fields, data)",
      "column8, column2, column9, CAST(column10 AS INTEGER), column5, column4, column6"),
    RowBatch.Part(
      into: "cards (id, deck, created, mod, ord, rank, content, document, note)",
      "column8, ?1, column10, column10, 0, column1, column3, column7, column8"),
  ]

  init(_ db: Database, deck: DeckID, now: Double, random: @escaping () -> UInt64) throws {
    (self.db, self.random, self.now) = (db, random, now)
    known = try Set(db, "SELECT content FROM cards WHERE deck = ?", [deck.rawValue]) {
      UInt64(bitPattern: $0.integer(0))
    }
    basic = try NoteTypeTable.basic(db, now: now)
    rows = try RowBatch(db, WaitingCards.parts, shared: 1, columns: Column.allCases.count, inLane: true)
    indexes = LateIndexes(db, ["cards_content"])
    rows.putShared(1, deck.rawValue)
    changes = db.totalChanges
    nextGuid = random()
  }

  var count: Int { rows.waitingCount }
  var isFull: Bool { rows.isFull }
  /// Whether cards are being written: nothing else has used the database since the first of them was handed over.
  var isUnderWay: Bool { rows.isUnderWay }
  /// Whether the deck's cards are known without a query; then cards can be written on the other thread.
  var isKnown: Bool { known != nil }

  /// Whether the deck may have a card with that content, or one is pending.
  private func isPossible(_ content: Int64) -> Bool {
    if known != nil, !isUnderWay, db.totalChanges != changes { known = nil }
    return known?.contains(UInt64(bitPattern: content)) ?? true
  }

  /// The card of the deck with the texts of a card; found without a query if there cannot be one.
  func same(
    as card: CheckedCard, _ content: Int64, _ writer: CardWriter, flush: () throws -> Void
  ) throws -> CardID? {
    guard isPossible(content) else { return nil }
    // No card may be searched for while others are being written.
    if isUnderWay || contents.contains(content) { try flush() }
    return try writer.find(card)
  }

  /// Adds a card at a rank that is free.
  func add(_ card: CheckedCard, _ content: Int64, rank: Int64) throws -> CardID {
    if rows.isEmpty, isUnderWay, freeGuids < RowBatch.rows { try rows.drain() }
    if rows.isEmpty, !isUnderWay { try findNumbers(for: RowBatch.rows) }
    nextID = max(nextID, NoteTable.firstID(now: now))
    rows.editFilling { number(&$0, row: $0.count, rank) }
    rows.put(Column.content.rawValue, content)
    if let html = card.noteFields {
      rows.put(Column.fields.rawValue, text: html)
    } else {
      rows.put(Column.fields.rawValue, card.prompt, NoteFieldText.separator, card.answer)
    }
    rows.put(Column.tags.rawValue, text: card.tags)
    rows.put(Column.data.rawValue, text: NoteData.column(card.fields))
    rows.put(Column.document.rawValue, text: card.document)
    rows.put(Column.type.rawValue, card.note?.type.rawValue ?? basic.rawValue)
    rows.put(Column.time.rawValue, now)
    rows.endRow()
    contents.append(content)
    known?.insert(UInt64(bitPattern: content))
    return CardID(rawValue: nextID - 1)
  }

  /// Starts writing the pending cards on the other thread.
  /// - Throws: the error of an earlier write: see `write`.
  func submit() throws {
    let most = RowBatch.rows * (RowBatch.ahead + 2)
    if contents.count > 2 * most { contents.removeFirst(contents.count - most) }
    if !isUnderWay { try requireTransaction() }
    try indexes.willWriteBuffer(after: rows.drain)
    try rows.submit()
  }

  /// Writes the pending cards. If this fails, or an earlier write has failed, they stay pending.
  func write() throws {
    // If an earlier write failed, its error says why the transaction was rolled back.
    try rows.drain()
    try requireTransaction()
    try rows.flush()
    try indexes.make()
    contents.removeAll(keepingCapacity: true)
    changes = db.totalChanges
  }

  /// Gives the pending cards other guids and ids, and ranks one below the other, after a failure to write them.
  func renumber(at rank: inout Int64) throws {
    nextGuid = random()
    try findNumbers(for: rows.waitingCount)
    try rows.editWaiting { part in
      for row in 0..<part.count {
        number(&part, row: row, rank)
        rank += CardOrder.step
      }
    }
  }

  /// Finds the next free id, and consecutive guids that no note has, more than needed if that is easy.
  private func findNumbers(for count: Int) throws {
    try requireTransaction()
    nextID = try max(NoteTable.freeID(db, now: now), CardTable.freeID(db, now: now))
    for attempt in 0..<16 {
      freeGuids = max(count, attempt < 8 ? WaitingCards.guidLimit : 1)
      if try Guid.areFree(db, from: nextGuid, count: freeGuids) { return }
      nextGuid = random()
    }
    throw StorageError.failed(path: db.path, result: 0, detail: "no free guid was found for a note")
  }

  /// After SQLite has rolled back the transaction, each further row would be committed by itself.
  private func requireTransaction() throws {
    guard db.isInsideTransaction else { throw StorageError.rolledBack(path: db.path) }
  }

  private func number(_ part: inout RowBuffer, row: Int, _ rank: Int64) {
    part.put(Column.rank.rawValue, rank, row: row)
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Guid.length) { guid in
      Guid.write(nextGuid, into: guid)
      part.put(Column.guid.rawValue, text: TextBytes(guid), row: row)
    }
    part.put(Column.id.rawValue, nextID, row: row)
    nextGuid &+= 1
    freeGuids -= 1
    nextID += 1
  }
}

extension Set<UInt64> {
  /// Reads the hashes of rows, to know without a query which are not there: up to 24 bytes of memory for each.
  /// - Parameter query: the rows to insert.
  /// - Parameter hash: returns the hash of a row.
  /// - Returns: nil if there are more than 10,000 rows: reading them takes longer than it saves.
  init?(_ db: Database, _ query: String, _ arguments: StatementArguments = [], _ hash: (Row) throws -> UInt64) throws {
    let most = 10_000
    let found = try db.rows(query + " LIMIT \(most + 1)", arguments, hash)
    if found.count > most { return nil }
    self.init(found)
  }
}
