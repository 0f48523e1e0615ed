// A note of a package and its cards as they come, and the statements that put them into the database.
// Invariant: what comes may be anything; it is checked where it is taken in.

import Storage
import Templates

/// A note as a package has it.
public struct ReceivedNote {
  /// Milliseconds since 1970; another one is taken where a note has it already.
  public var id: Int64
  public var guid: String
  /// Seconds since 1970.
  public var modified: Int
  public var tags: [String]
  /// HTML, in the order of the type's fields.
  public var fields: [String]
  /// What else the package says of it.
  public var data: String

  public init(id: Int64, guid: String, modified: Int, tags: [String], fields: [String], data: String) {
    (self.id, self.guid, self.modified) = (id, guid, modified)
    (self.tags, self.fields, self.data) = (tags, fields, data)
  }
}

/// A card of such a note.
public struct ReceivedCard {
  public var deck: DeckID
  public var rank: Int64
  public var ordinal: Int
  public var schedule = CardSchedule()
  public var isSuspended = false
  public var flag = 0
  public var burial: Burial?
  /// Of a burial, in seconds since 1970.
  public var buriedUntil: Double?
  /// The id that it has elsewhere, in milliseconds since 1970.
  public var foreignID: Int64
  /// When it was changed there, in seconds since 1970.
  public var foreignModified: Int64
  /// Its row there, for the way back.
  public var raw: String

  public init(deck: DeckID, rank: Int64, ordinal: Int, foreignID: Int64, foreignModified: Int64, raw: String) {
    (self.deck, self.rank, self.ordinal) = (deck, rank, ordinal)
    (self.foreignID, self.foreignModified, self.raw) = (foreignID, foreignModified, raw)
  }
}

/// What became of a note that came.
public enum ReceivedOutcome: Equatable, Sendable {
  /// So many cards are new.
  case added(Int)
  /// So many cards show something else now.
  case updated(Int)
  /// It was there, as new or newer.
  case skipped
  /// A note of that guid is there, of another type.
  case conflicting
}

/// The statements of `NoteReceiver`, made ready once.
struct ReceivingStatements {
  let known: Statement
  let hasNote: Statement
  let hasForeign: Statement
  let card: Statement

  init(_ db: Database) throws {
    known = try Statement(db, "SELECT id, type, mod FROM notes WHERE guid = ?1")
    hasNote = try Statement(db, "SELECT 1 FROM notes WHERE id = ?1")
    hasForeign = try Statement(db, "SELECT 1 FROM anki_cards WHERE anki = ?1")
    card = try Statement(db, NewCardRow.insertion + " ON CONFLICT DO NOTHING")
  }
}
