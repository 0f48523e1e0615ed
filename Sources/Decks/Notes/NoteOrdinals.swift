// The cards that a note has, by their numbers, so that a removed card stays removed when its note is exported and
// imported.
// Invariant: a note keeps at least one card.

import Files
public import Storage
public import Templates

/// The numbers of a note's cards, from 0.
public enum NoteOrdinals {
  /// The numbers of the cards that a type makes of a note's fields.
  /// - Parameter values: the values of the fields; nil for those of the note.
  static func made(_ note: NoteRecord, _ type: NoteType, values: [String]? = nil) -> [Int] {
    let maker = NoteCardMaker(type, isInterrupted: isNeverInterrupted)
    let fields = NoteFields(names: type.fields, values: values ?? NoteTable.padded(note.fields, type))
    // Every card has a deck, but its name does not matter here.
    return maker.ordinals(fields.adding(maker.facts(note, deckName: "d")))
  }

  /// The numbers of the cards that a note has in some decks: those that its type makes, nil if it has them all; and
  /// those that its type does not make any more, such as the card of a cloze that was removed in another program.
  public static func kept(
    _ db: Database, of note: NoteRecord, _ type: NoteType, in decks: Set<DeckID>
  ) throws -> (made: [Int]?, others: [Int]) {
    if !type.isCloze, type.cards.count == 1 { return (nil, []) }
    let cards = try db.rows("SELECT ord, deck FROM cards WHERE note = ? ORDER BY ord", [note.id.rawValue]) {
      (ordinal: $0.count(0), deck: DeckID(rawValue: $0.integer(1)))
    }
    let there = cards.filter { decks.contains($0.deck) }.map(\.ordinal)
    let wanted = Set(made(note, type))
    return (
      wanted.isSubset(of: there) ? nil : there.filter(wanted.contains), there.filter { !wanted.contains($0) }
    )
  }

  /// Removes the cards of a note except those with the given numbers; if it has none of those, all its cards stay.
  public static func keep(_ db: Database, _ ordinals: [Int], of note: NoteID) throws {
    let wanted = Set(try ordinals.compactMap { try NoteTable.card(db, of: note, ordinal: $0) })
    if wanted.isEmpty { return }
    try CardTable.remove(db, NoteTable.cards(db, of: note).filter { !wanted.contains($0) })
  }
}
