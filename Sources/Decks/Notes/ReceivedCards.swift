// Which cards of a package or a server came, and the statements that put notes and cards into the database.
// Invariant: a card is found by the id that it came with, whichever it has now.

import Storage

/// Which cards came: those that were here before keep their log.
public struct ReceivedCards {
  /// Their ids, in their order; nil for all, where there were none before.
  fileprivate var added: [Int64]?
  /// The ids that cards have, by those that they came with and that others had.
  fileprivate var renumbered: [Int64: Int64] = [:]

  init(_ db: Database) throws {
    added = try db.firstRow("SELECT 1 FROM cards LIMIT 1") { _ in [] } ?? nil
  }

  mutating func add(_ card: CardID, for wanted: CardID) {
    added?.append(card.rawValue)
    if card != wanted { renumbered[wanted.rawValue] = card.rawValue }
  }

  mutating func sort() { added?.sort() }

  /// The card that came with an id; nil where none did.
  func card(_ id: Int64) -> CardID? {
    if let renumbered = renumbered[id] { return CardID(rawValue: renumbered) }
    return holds(id) ? CardID(rawValue: id) : nil
  }

  /// Whether the card that has an id now came.
  func holds(_ id: Int64) -> Bool { added?.holds(id) ?? true }

  /// No card of a lower id came.
  var first: Int64 { added.map { $0.first ?? .max } ?? 0 }
}

extension [Int64] {
  /// Whether a number is among those that are in their order.
  fileprivate func holds(_ number: Int64) -> Bool {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low] == number
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
  let hasCard: Statement
  let card: Statement

  init(_ db: Database) throws {
    known = try Statement(db, "SELECT id, type, mod FROM notes WHERE guid = ?1")
    hasNote = try Statement(db, "SELECT 1 FROM notes WHERE id = ?1")
    hasCard = try Statement(db, "SELECT 1 FROM cards WHERE id = ?1")
    card = try Statement(db, StoredCard.insertion + " ON CONFLICT DO NOTHING")
  }
}
