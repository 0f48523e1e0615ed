// Writes the rows of a schema 11 collection for a package.
// Invariant: the same cards produce the same bytes; a row whose id is taken gets the next free id.

import Decks
import Storage
import Text

final class CollectionWriter {
  private let db: Database
  private let notes: Statement
  private let cards: Statement
  private let log: Statement
  /// Batch for notes whose id is above all earlier ones, so that the id is free. Nil when guids may repeat.
  private let newNotes: RowBatch?
  private let newCards: RowBatch
  /// The highest ids of any note and any card so far.
  private var (highestNote, highestCard): (Int64, Int64) = (0, 0)

  /// The tables of schema 11. Only a whole collection needs the indices.
  static let tables = """
    CREATE TABLE col (
      id integer primary key, crt integer not null, mod integer not null, scm integer not null, ver integer not null,
      dty integer not null, usn integer not null, ls integer not null, conf text not null, models text not null,
      decks text not null, dconf text not null, tags text not null);
    CREATE TABLE notes (
      id integer primary key, guid text not null, mid integer not null, mod integer not null, usn integer not null,
      tags text not null, flds text not null, sfld integer not null, csum integer not null, flags integer not null,
      data text not null);
    CREATE TABLE cards (
      id integer primary key, nid integer not null, did integer not null, ord integer not null, mod integer not null,
      usn integer not null, type integer not null, queue integer not null, due integer not null, ivl integer not null,
      factor integer not null, reps integer not null, lapses integer not null, left integer not null,
      odue integer not null, odid integer not null, flags integer not null, data text not null);
    CREATE TABLE revlog (
      id integer primary key, cid integer not null, usn integer not null, ease integer not null, ivl integer not null,
      lastIvl integer not null, factor integer not null, time integer not null, type integer not null);
    CREATE TABLE graves (usn integer not null, oid integer not null, type integer not null);
    """

  static let indices = """
    CREATE INDEX ix_notes_usn ON notes (usn);
    CREATE INDEX ix_cards_usn ON cards (usn);
    CREATE INDEX ix_revlog_usn ON revlog (usn);
    CREATE INDEX ix_cards_nid ON cards (nid);
    CREATE INDEX ix_cards_sched ON cards (did, queue, due);
    CREATE INDEX ix_revlog_cid ON revlog (cid);
    CREATE INDEX ix_notes_csum ON notes (csum);
    """

  /// Begins a transaction, which `finish` commits.
  /// - Parameter ofSeveralDecks: whether guids may repeat. If so, notes are not batched, and no second thread writes.
  init(_ db: Database, ofSeveralDecks: Bool) throws {
    self.db = db
    try db.begin()
    try db.execute(sql: CollectionWriter.tables)
    if ofSeveralDecks { try db.execute(sql: "CREATE UNIQUE INDEX guids ON notes (guid)") }
    notes = try Statement(db, "INSERT OR IGNORE INTO notes VALUES (?1, ?2, ?3, ?4, -1, ?5, ?6, ?7, ?8, 0, ?9)")
    cards = try Statement(
      db,
      """
      INSERT OR IGNORE INTO cards
      VALUES (?1, ?2, ?3, ?4, ?5, -1, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
      """)
    newNotes =
      ofSeveralDecks
      ? nil
      : try RowBatch(
        db, into: "notes (usn, flags, id, guid, mid, mod, tags, flds, sfld, csum, data)", "-1, 0, *",
        columns: 9, inLane: true)
    newCards = try RowBatch(
      db,
      into: """
        cards (usn, id, nid, did, ord, mod, type, queue, due, ivl, factor, reps, lapses, left, odue, odid, flags, data)
        """, "-1, *", columns: 17, inLane: !ofSeveralDecks)
    log = try Statement(db, "INSERT OR IGNORE INTO revlog VALUES (?1, ?2, -1, ?3, ?4, ?5, ?6, ?7, ?8)")
  }

  /// A note to insert; its bytes are only valid during the call.
  struct Note {
    var id: Int64
    var guid: TextBytes
    var type: Int64
    var modified: Int64
    var tags: String
    var fields: TextBytes
    /// The first field without its HTML tags, and the field that notes are sorted by.
    var first: TextBytes
    var sorted: TextBytes
    var data = ""
  }

  /// Inserts a note.
  /// - Parameter guid: replaces the note's own guid.
  /// - Returns: the id that the note got.
  func add(_ note: Note, guid: TextBytes? = nil) throws -> Int64 {
    if let newNotes, note.id > highestNote {
      highestNote = note.id
      put(note, guid: note.guid, into: newNotes)
      newNotes.put(0, note.id)
      try newNotes.writeRow()
      return note.id
    }
    try writeWaiting()
    let id = try write(id: note.id, notes, "notes") { put(note, guid: guid ?? note.guid, into: notes) }
    if let id {
      highestNote = max(highestNote, id)
      return id
    }
    // A note of another deck has that guid already.
    var own = CollectionWriter.distinctGuid(String(decoding: guid ?? note.guid, as: UTF8.self), of: note.id)
    return try own.withUTF8 { try add(note, guid: $0) }
  }

  /// Returns the guid of a note whose own guid belongs to a note of another deck.
  static func distinctGuid(_ guid: String, of note: Int64) -> String { "\(guid)/\(note)" }

  /// Binds all columns except the id.
  private func put(_ note: Note, guid: TextBytes, into row: some ColumnBinding) {
    row.put(1, text: guid)
    row.put(2, note.type)
    row.put(3, note.modified)
    row.put(4, text: note.tags)
    row.put(5, text: note.fields)
    row.put(6, text: note.sorted)
    row.put(7, CollectionWriter.checksum(note.first))
    row.put(8, text: note.data)
  }

  func guid(of note: Int64) throws -> String? {
    if note > highestNote { return nil }
    try writeWaiting()
    return try db.firstRow("SELECT guid FROM notes WHERE id = ?", [note]) { $0.text(0) }
  }

  func add(_ card: AnkiCard) throws {
    if card.id > highestCard {
      highestCard = card.id
      put(card, into: newCards)
      newCards.put(0, card.id)
      return try newCards.writeRow()
    }
    try writeWaiting()
    _ = try write(id: card.id, cards, "cards") { put(card, into: cards) }
  }

  private func put(_ row: AnkiCard, into target: some ColumnBinding) {
    target.put(1, row.note)
    target.put(2, row.deck)
    target.put(3, Int64(row.ordinal))
    target.put(4, row.modified)
    for (index, number) in row.numbers.enumerated() { target.put(index + 5, Int64(number)) }
    target.put(16, text: row.data)
  }

  /// - Returns: the id that the row got.
  func add(_ review: ReceivedReview) throws -> Int64 {
    let id = try write(id: review.id, log, "revlog") {
      for (index, number) in ([review.card] + review.answer.numbers).enumerated() { log.bind(Int32(index + 2), number) }
    }
    return id ?? review.id
  }

  /// Inserts a row under its id, or under the next free id.
  /// - Returns: nil when a unique value other than the id is taken.
  private func write(
    id: Int64, _ statement: Statement, _ table: String, _ bind: () -> Void
  ) throws -> Int64? {
    bind()
    statement.bind(1, id)
    if try statement.run() { return id }
    let free = try freeID(id, table)
    bind()
    statement.bind(1, free)
    return try statement.run() ? free : nil
  }

  private func freeID(_ id: Int64, _ table: String) throws -> Int64 {
    let sql = """
      SELECT id + 1 FROM \(table) AS taken
      WHERE id >= ?1 AND NOT EXISTS (SELECT 1 FROM \(table) WHERE id = taken.id + 1) ORDER BY id LIMIT 1
      """
    return try db.firstRow(sql, [id]) { $0.integer(0) } ?? id
  }

  /// Returns the first four bytes of a field's SHA-1.
  static func checksum(_ text: TextBytes) -> Int64 {
    sha1(UnsafeRawBufferPointer(text)).prefix(4).reduce(0) { $0 << 8 | Int64($1) }
  }

  private func writeWaiting() throws {
    try newNotes?.flush()
    try newCards.flush()
  }

  func finish(_ head: StagedHead, hasIndices: Bool) throws {
    try writeWaiting()
    try head.write(to: db)
    try db.execute(sql: "DROP INDEX IF EXISTS guids")
    if hasIndices { try db.execute(sql: CollectionWriter.indices) }
    try db.commit()
  }
}
