// The cards that came from a package or a server, and the statements that insert notes and cards.
// Invariant: a card is found by the id that it came with, even if it has another id here.

import Storage
import Text

/// The cards that came. Cards that were here before keep their log.
public struct ReceivedCards {
  /// Their ids, sorted; nil if all cards came, because there were none before.
  fileprivate var added: [Int64]?
  /// The ids of cards by the ids that they came with, which other cards already had.
  fileprivate var renumbered: [Int64: Int64] = [:]

  init(_ db: Database) throws { added = try db.firstRow("SELECT 1 FROM cards LIMIT 1") { _ in [] } ?? nil }

  mutating func add(_ card: CardID, for wanted: CardID) {
    added?.append(card.rawValue)
    if card != wanted { renumbered[wanted.rawValue] = card.rawValue }
  }

  mutating func sort() { added?.sort() }

  /// The card that came with an id; nil if none did.
  func card(_ id: Int64) -> CardID? {
    if let renumbered = renumbered[id] { return CardID(rawValue: renumbered) }
    return holds(id) ? CardID(rawValue: id) : nil
  }

  /// Whether the card that now has this id came.
  func holds(_ id: Int64) -> Bool { added?.holds(id) ?? true }

  /// The lowest id of a card that came.
  var first: Int64 { added.map { $0.first ?? .max } ?? 0 }
}

extension [Int64] {
  /// Whether a sorted list contains a number.
  fileprivate func holds(_ number: Int64) -> Bool {
    let low = indices.bisected { self[$0] < number }
    return low < count && self[low] == number
  }
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

/// The prepared statements of `NoteReceiver`.
struct ReceivingStatements {
  let known: Statement
  let hasNote: Statement
  let hasCard: Statement
  let card: Statement

  init(_ db: Database) throws {
    known = try Statement(db, "SELECT id, type, mod FROM notes WHERE guid = ?1")
    hasNote = try Statement(db, "SELECT 1 FROM notes WHERE id = ?1")
    hasCard = try Statement(db, "SELECT 1 FROM cards WHERE id = ?1")
    card = try Statement(db, StoredCard.insertion + " ON CONFLICT DO NOTHING")
  }
}
