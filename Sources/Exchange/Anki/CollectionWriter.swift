// The rows of a collection of schema 11 that is made for a package.
// Invariant: the same cards give the same bytes; an id that is taken gives way to the next that is free.

import Decks
import Storage
import Text

final class CollectionWriter {
  private let db: Database
  private let notes: Statement
  private let cards: Statement
  private let log: Statement
  /// Rows whose id is above all before them: nothing can be taken. Nil where guids may be.
  private let newNotes: RowBatch?
  private let newCards: RowBatch
  /// No note and no card has a higher id.
  private var (highestNote, highestCard): (Int64, Int64) = (0, 0)

  /// The tables as every collection of that schema has them; only a whole collection needs indices.
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

  /// Begins a transaction, which `finish` ends.
  /// - Parameter ofSeveralDecks: in which guids may be the same; then nothing is written meanwhile.
  init(_ db: Database, ofSeveralDecks: Bool) throws {
    self.db = db
    try db.begin()
    try db.execute(sql: CollectionWriter.tables)
    if ofSeveralDecks { try db.execute(sql: "CREATE UNIQUE INDEX guids ON notes (guid)") }
    notes = try Statement(
      db, "INSERT OR IGNORE INTO notes VALUES (?1, ?2, ?3, ?4, -1, ?5, ?6, ?7, ?8, 0, ?9)")
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

  /// A note on its way into the table; its bytes are lent for one call.
  struct Note {
    var id: Int64
    var guid: TextBytes
    var type: Int64
    var modified: Int64
    var tags: TextBytes
    var fields: TextBytes
    /// The first field without its tags, and the field that notes are sorted by.
    var first: TextBytes
    var sorted: TextBytes
    var data = ""
  }

  /// - Parameter guid: in the place of the note's.
  /// - Returns: the id that it has now.
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
    // Two decks have a card of that guid.
    var own = String(decoding: guid ?? note.guid, as: UTF8.self) + "/\(note.id)"
    return try own.withUTF8 { try add(note, guid: $0) }
  }

  /// The columns beside the id.
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

  /// The guid of a note that is in the table.
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

  /// The columns beside the id.
  private func put(_ row: AnkiCard, into target: some ColumnBinding) {
    target.put(1, row.note)
    target.put(2, row.deck)
    target.put(3, Int64(row.ordinal))
    target.put(4, row.modified)
    target.put(5, Int64(row.type))
    target.put(6, Int64(row.queue))
    target.put(7, Int64(row.due))
    target.put(8, Int64(row.ivl))
    target.put(9, Int64(row.factor))
    target.put(10, Int64(row.reps))
    target.put(11, Int64(row.lapses))
    target.put(12, Int64(row.left))
    target.put(13, Int64(row.odue))
    target.put(14, Int64(row.odid))
    target.put(15, Int64(row.flags))
    target.put(16, text: row.data)
  }

  /// - Returns: the id that it has now.
  func add(_ review: ReceivedReview) throws -> Int64 {
    let id = try write(id: review.id, log, "revlog") {
      let answer = review.answer
      log.bind(2, review.card)
      log.bind(3, answer.ease)
      log.bind(4, answer.interval)
      log.bind(5, answer.lastInterval)
      log.bind(6, answer.factor)
      log.bind(7, answer.time)
      log.bind(8, answer.kind)
    }
    return id ?? review.id
  }

  /// Writes a row under its id, or under the next that is free.
  /// - Returns: nil when something else than the id is taken.
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

  /// The next id that no row has.
  private func freeID(_ id: Int64, _ table: String) throws -> Int64 {
    let sql = """
      SELECT id + 1 FROM \(table) AS taken
      WHERE id >= ?1 AND NOT EXISTS (SELECT 1 FROM \(table) WHERE id = taken.id + 1) ORDER BY id LIMIT 1
      """
    return try db.firstRow(sql, [id]) { $0.integer(0) } ?? id
  }

  /// The first four bytes of the hash of a field.
  static func checksum(_ text: TextBytes) -> Int64 {
    withUnsafeTemporaryAllocation(byteCount: 20, alignment: 8) { digest in
      sha1(UnsafeRawBufferPointer(text), into: digest)
      return Int64(UInt32(bigEndian: digest.load(as: UInt32.self)))
    }
  }

  /// Writes the notes and cards that wait.
  private func writeWaiting() throws {
    try newNotes?.flush()
    try newCards.flush()
  }

  /// The row of the collection, and the end of the transaction.
  func finish(_ head: CollectionHead, hasIndices: Bool) throws {
    try writeWaiting()
    let modified = head.modified * 1000
    try db.execute(
      sql: "INSERT INTO col VALUES (1, ?, ?, ?, 11, 0, 0, 0, ?, ?, ?, ?, '{}')",
      arguments: [head.created, modified, modified, head.settings, head.types, head.decks, head.presets])
    try db.execute(sql: "DROP INDEX IF EXISTS guids")
    if hasIndices { try db.execute(sql: CollectionWriter.indices) }
    try db.commit()
  }
}
