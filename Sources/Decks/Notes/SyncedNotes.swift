// Notes and cards that a sync changes: known by the ids that they have elsewhere, renewed in place.
// Invariant: a card that is here keeps its own id and its place unless the change says otherwise; what was written
// counts as sent.

import Files
public import Storage
public import Templates
import Text

extension NoteReceiver {
  /// Gives a note that is here other fields and tags, and its cards other texts. None comes or goes.
  public func renew(_ note: NoteRecord, of type: NoteType) throws {
    let kind = kind(of: type)
    let note = try fit(note, type)
    let known = try NoteTable.known(db, note.id)
    // Other programs drop what a note keeps beside its fields whenever they write it.
    try db.cachedStatement(
      sql: """
        UPDATE OR FAIL notes SET guid = ?, type = ?, mod = ?, usn = 0, tags = ?, fields = ?,
          data = ifnull(nullif(?, ''), data) WHERE id = ?
        """
    ).execute(arguments: [
      note.guid, type.id.rawValue, note.modified, try Tags.column(note.tags),
      try NoteFieldText.column(note.fields, names: type.fields), note.data, note.id.rawValue,
    ])
    let hasOtherTags = known.map { $0.tags != note.tags } ?? false
    try kind.writer.rewrite(record(note, note.id, kind), hasOtherTags: hasOtherTags)
  }

  /// Adds a card of a note. The note is added before where it is not here.
  public func add(_ card: StoredCard, of note: NoteRecord, _ type: NoteType) throws -> CardID {
    let kind = kind(of: type)
    let note = try fit(note, type)
    if try !NoteTable.exists(db, note.id) {
      _ = try insert(note, kind)
      try SyncedNotes.markSent(db, note.id)
    }
    return try insert(card, record(note, note.id, kind), kind)
  }

  private func fit(_ note: NoteRecord, _ type: NoteType) throws -> NoteRecord {
    var note = note
    note.fields = NoteTable.padded(note.fields, type)
    note.guid = try cleaned(note.guid) ?? "\(note.id.rawValue)"
    return note
  }
}

/// What a sync does with notes that are here.
///
///     try SyncedNotes.markUnsent(db, note)
public enum SyncedNotes {
  /// A note is to be sent.
  public static func markUnsent(_ db: Database, _ id: NoteID) throws {
    try db.cachedStatement(sql: "UPDATE notes SET \(Unsent.sql) WHERE id = ?").execute(arguments: [id.rawValue])
  }

  /// A note is on the server as it is here, or its base says how.
  public static func markSent(_ db: Database, _ id: NoteID) throws {
    try db.cachedStatement(sql: "UPDATE notes SET usn = 0 WHERE id = ?").execute(arguments: [id.rawValue])
  }

  /// Gives a note another id.
  public static func renumber(_ db: Database, _ old: Int64, to new: Int64) throws {
    try SyncedTable.cards.keep(db, NoteTable.cards(db, of: NoteID(rawValue: old)).map(\.rawValue))
    try db.execute(sql: "UPDATE notes SET id = ?, \(Unsent.sql) WHERE id = ?", arguments: [new, old])
  }

  /// The cards of a note that its type does not make of its fields, where it makes others.
  public static func unmadeCards(_ db: Database, of id: NoteID) throws -> [CardID] {
    let note = try NoteTable.record(db, id)
    let wanted = Set(NoteOrdinals.made(note, try NoteTypeTable.record(db, note.type)))
    let cards = try db.rows("SELECT id, ord FROM cards WHERE note = ?", [id.rawValue]) {
      (id: CardID(rawValue: $0.integer(0)), place: $0.count(1))
    }
    let unmade = cards.filter { !wanted.contains($0.place) }
    return unmade.count < cards.count ? unmade.map(\.id) : []
  }

  /// Gives a note the fields that its type has now, and where it has no cards elsewhere, the cards.
  public static func reshape(
    _ db: Database, _ note: NoteRecord, to fields: [String], makesCards: Bool, isInterrupted: @escaping () -> Bool
  ) throws {
    let type = try NoteTypeTable.record(db, note.type)
    let new = NoteRecord(
      id: note.id, guid: note.guid, type: note.type, modified: note.modified, tags: note.tags,
      fields: NoteTable.padded(fields, type))
    try NoteTable.write(db, new, type)
    var writer = NoteCardWriter(db, type, now: Double(note.modified), isInterrupted: isInterrupted)
    if makesCards { try writer.renew(new) } else { try writer.rewrite(new) }
  }
}
