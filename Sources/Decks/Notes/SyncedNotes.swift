// Notes and cards that a sync changes: identified by the ids that they have on the server, and updated in place.
// Invariant: an existing card keeps its id and its place unless the change says otherwise; what was written counts as
// sent.

import Files
public import Storage
public import Templates
import Text

extension NoteReceiver {
  /// Replaces the fields and tags of an existing note, and the texts of its cards. No card is added or removed.
  public func renew(_ note: NoteRecord, of type: NoteType) throws {
    let kind = kind(of: type)
    let note = try fit(note, type)
    let known = try NoteTable.known(db, note.id)
    // Other programs drop what is stored with a note besides its fields whenever they write the note.
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

  /// Adds a card of a note, and the note itself if it is missing.
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
    note.fields = fitted(note.fields, type)
    note.guid = try cleaned(note.guid) ?? "\(note.id.rawValue)"
    return note
  }
}

/// What a sync does with existing notes.
///
///     try SyncedNotes.markUnsent(db, note)
public enum SyncedNotes {
  /// Marks a note as changed, so that it is sent.
  public static func markUnsent(_ db: Database, _ id: NoteID) throws {
    try db.cachedStatement(sql: "UPDATE notes SET \(Unsent.sql) WHERE id = ?").execute(arguments: [id.rawValue])
  }

  /// Marks a note as sent: the server has its present form, or its base records what the server has.
  public static func markSent(_ db: Database, _ id: NoteID) throws {
    try db.cachedStatement(sql: "UPDATE notes SET usn = 0 WHERE id = ?").execute(arguments: [id.rawValue])
  }

  /// Gives a note another id.
  public static func renumber(_ db: Database, _ old: Int64, to new: Int64) throws {
    try SyncedTable.cards.keep(db, NoteTable.cards(db, of: NoteID(rawValue: old)).map(\.rawValue))
    try db.execute(sql: "UPDATE notes SET id = ?, \(Unsent.sql) WHERE id = ?", arguments: [new, old])
  }

  /// The cards of a note that its type does not make of its fields and that were never studied; none if it makes none
  /// of the note's cards.
  public static func obsoleteCards(_ db: Database, of id: NoteID) throws -> [CardID] {
    let note = try NoteTable.record(db, id)
    let maker = NoteCardMaker(try NoteTypeTable.record(db, note.type), isInterrupted: isNeverInterrupted)
    let unmade = try NoteOrdinals.unmade(db, of: note, maker)
    return try unmade.isEmpty ? [] : NoteOrdinals.dropped(db, of: id, making: []).filter(unmade.contains)
  }

  /// Replaces the fields of a note after its type has changed, and updates its cards; with `makesCards`, it also adds
  /// cards, and removes those that were never studied.
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
