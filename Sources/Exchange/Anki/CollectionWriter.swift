// Writes the rows of a schema 11 collection for a package.
// Invariant: the same cards produce the same bytes; ids are those of the account, where each is used once.

import Decks
import Storage
import Text

final class CollectionWriter {
  private let db: Database
  /// Writes the notes one by one; nil when guids cannot repeat, and a batch writes them.
  private let notes: Statement?
  private let newNotes: RowBatch
  private let newCards: RowBatch
  private let log: Statement
  private var highestNote: Int64 = 0

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
    notes =
      try ofSeveralDecks
      ? Statement(db, "INSERT OR IGNORE INTO notes VALUES (?1, ?2, ?3, ?4, -1, ?5, ?6, ?7, ?8, 0, ?9)") : nil
    newNotes = try RowBatch(
      db, into: "notes (usn, flags, id, guid, mid, mod, tags, flds, sfld, csum, data)", "-1, 0, *", columns: 9,
      inLane: !ofSeveralDecks)
    newCards = try RowBatch(
      db,
      into: """
        cards (usn, id, nid, did, ord, mod, type, queue, due, ivl, factor, reps, lapses, left, odue, odid, flags, data)
        """, "-1, *", columns: 17, inLane: !ofSeveralDecks)
    log = try Statement(db, "INSERT INTO revlog VALUES (?1, ?2, -1, ?3, ?4, ?5, ?6, ?7, ?8)")
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
    var data: String
  }

  func add(_ note: Note) throws {
    highestNote = max(highestNote, note.id)
    guard let notes else {
      put(note, guid: note.guid, into: newNotes)
      return try newNotes.writeRow()
    }
    put(note, guid: note.guid, into: notes)
    if try notes.run() { return }
    // A note of another deck has that guid already.
    var own = CollectionWriter.distinctGuid(String(decoding: note.guid, as: UTF8.self), of: note.id)
    try own.withUTF8 { guid in
      put(note, guid: guid, into: notes)
      try notes.run()
    }
  }

  /// Returns the guid of a note whose own guid belongs to a note of another deck.
  static func distinctGuid(_ guid: String, of note: Int64) -> String { "\(guid)/\(note)" }

  private func put(_ note: Note, guid: TextBytes, into row: some ColumnBinding) {
    row.put(0, note.id)
    row.put(1, text: guid)
    row.put(2, note.type)
    row.put(3, note.modified)
    row.put(4, text: note.tags)
    row.put(5, text: note.fields)
    row.put(6, text: note.sorted)
    row.put(7, CollectionWriter.checksum(note.first))
    row.put(8, text: note.data)
  }

  func hasNote(_ id: Int64) throws -> Bool {
    if id > highestNote { return false }
    try writeWaiting()
    return try db.hasRow("SELECT 1 FROM notes WHERE id = ?", [id])
  }

  func add(_ card: AnkiCard) throws {
    for (index, number) in [card.id, card.note, card.deck, Int64(card.ordinal), card.modified].enumerated() {
      newCards.put(index, number)
    }
    for (index, number) in card.numbers.enumerated() { newCards.put(index + 5, Int64(number)) }
    newCards.put(16, text: card.data)
    try newCards.writeRow()
  }

  func add(_ review: ReceivedReview) throws {
    let numbers = [review.id, review.card] + review.answer.numbers
    for (index, number) in numbers.enumerated() { log.bind(Int32(index + 1), number) }
    try log.run()
  }

  /// Returns the first four bytes of a field's SHA-1.
  static func checksum(_ text: TextBytes) -> Int64 {
    sha1(UnsafeRawBufferPointer(text)).prefix(4).reduce(0) { $0 << 8 | Int64($1) }
  }

  private func writeWaiting() throws {
    try newNotes.flush()
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
