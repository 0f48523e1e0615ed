// All cards of an account at once: whether there are any, and removing them before others replace them.
// Invariant: the log is removed with the cards; media, documents, games and settings stay.

public import Storage
import Templates

/// The decks, notes, cards and log of an account as a whole.
///
///     if try WholeCollection.cardCount(db) == 0 { try WholeCollection.removeStockTypes(db) }
public enum WholeCollection {
  /// The number of cards. Notes need not be counted, because each has at least one card.
  public static func cardCount(_ db: Database) throws -> Int { try db.count("SELECT count(*) FROM cards") }

  /// Removes the decks, cards, notes, note types, presets and the log.
  public static func removeAll(_ db: Database) throws {
    for deck in try DeckTable.list(db) where try DeckTable.exists(db, deck.id) { _ = try DeckTable.remove(db, deck.id) }
    for table in ["reviews", "notes", "note_types", "presets"] { try db.execute(sql: "DELETE FROM \(table)") }
  }

  /// Removes the stock note types that have no notes: they are created again when they are needed.
  public static func removeStockTypes(_ db: Database) throws {
    for type in try NoteTypeTable.list(db) {
      let isStock = StockNoteType.allCases.contains { $0.rawValue == type.name && $0.isSame(as: type) }
      if isStock, try NoteTypeTable.noteCount(db, type.id) == 0 { try NoteTypeTable.remove(db, type.id) }
    }
  }
}
