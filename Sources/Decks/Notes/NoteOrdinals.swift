// Which cards a note has, by their numbers: one that was removed stays away while its note goes from file to file.
// Invariant: a note keeps at least one card.

import Files
public import Storage
public import Templates

/// The numbers of a note's cards, from 0.
public enum NoteOrdinals {
  /// Those that a type makes of a note's fields.
  static func made(_ note: NoteRecord, _ type: NoteType) -> [Int] {
    let maker = NoteCardMaker(type, isInterrupted: isNeverInterrupted)
    let fields = NoteFields(names: type.fields, values: NoteTable.padded(note.fields, type))
    // Every card has a deck: which it is does not matter here.
    return maker.ordinals(fields.adding(maker.facts(note, deckName: "d")))
  }

  /// Those that a note has in some decks; nil where it has all that its type makes.
  public static func kept(
    _ db: Database, of note: NoteRecord, _ type: NoteType, in decks: Set<DeckID>
  ) throws -> [Int]? {
    if !type.isCloze, type.cards.count == 1 { return nil }
    let cards = try db.rows("SELECT ord, deck FROM cards WHERE note = ? ORDER BY ord", [note.id.rawValue]) {
      (ordinal: $0.count(0), deck: DeckID(rawValue: $0.integer(1)))
    }
    let there = cards.filter { decks.contains($0.deck) }.map(\.ordinal)
    return Set(made(note, type)).isSubset(of: there) ? nil : there
  }

  /// Takes away the cards of a note but those of some numbers; all of them stay where it has none of those.
  public static func keep(_ db: Database, _ ordinals: [Int], of note: NoteID) throws {
    let wanted = Set(try ordinals.compactMap { try NoteTable.card(db, of: note, ordinal: $0) })
    if wanted.isEmpty { return }
    try CardTable.remove(db, NoteTable.cards(db, of: note).filter { !wanted.contains($0) })
  }
}
