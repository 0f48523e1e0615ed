// The cards that a note has, by their numbers: those that its type makes of its fields, and the others.
// Invariant: a note keeps at least one card, and a change of a note keeps every card that was studied.

import Files
public import Storage
public import Templates

public enum NoteOrdinals {
  /// The numbers of the cards that a type makes of a note's fields.
  /// - Parameter values: the values of the fields; nil for those of the note.
  static func made(_ note: NoteRecord, _ type: NoteType, values: [String]? = nil) -> [Int] {
    made(note, NoteCardMaker(type, isInterrupted: isNeverInterrupted), values: values)
  }

  /// Whether the type of a card's note makes a card with this number of its fields.
  static func makes(_ db: Database, _ ordinal: Int, sibling: CardID) throws -> Bool {
    guard let card = try CardTable.card(db, sibling) else { return false }
    let note = try NoteTable.record(db, card.note)
    return try made(note, NoteTypeTable.record(db, note.type)).contains(ordinal)
  }

  private static func made(_ note: NoteRecord, _ maker: NoteCardMaker, values: [String]? = nil) -> [Int] {
    let type = maker.type
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
    return (wanted.isSubset(of: there) ? nil : there.filter(wanted.contains), there.filter { !wanted.contains($0) })
  }

  /// Removes the cards of a note that were never studied, except those with the given numbers; if it has none of
  /// those, all its cards stay.
  public static func keep(_ db: Database, _ ordinals: [Int], of note: NoteID) throws {
    guard try ordinals.contains(where: { try NoteTable.card(db, of: note, ordinal: $0) != nil }) else { return }
    try CardTable.remove(db, dropped(db, of: note, making: ordinals))
  }

  /// The cards that go when a note changes: those that it no longer makes and that were never studied.
  /// - Parameters:
  ///   - wanted: the numbers of the cards that it makes now.
  ///   - before: returns the numbers of those that it made before; nil for all its cards. A card that it did not make
  ///     before, such as one that came with a package, stays.
  static func dropped(
    _ db: Database, of note: NoteID, making wanted: [Int], before: (() -> [Int])? = nil
  ) throws -> [CardID] {
    let sql = "SELECT id, ord FROM cards WHERE note = ? AND \(CardStatus.neverStudied)"
    let others = try cards(db, sql, note).filter { !wanted.contains($0.ordinal) }
    guard !others.isEmpty, let before = before?() else { return others.map(\.id) }
    return others.filter { before.contains($0.ordinal) }.map(\.id)
  }

  /// The cards of a note that its type does not make of its fields; none if it makes none of the note's cards.
  /// - Parameter maker: of the note's type, with its fields.
  static func unmade(_ db: Database, of note: NoteRecord, _ maker: NoteCardMaker) throws -> [CardID] {
    let wanted = Set(made(note, maker))
    let cards = try cards(db, "SELECT id, ord FROM cards WHERE note = ? ORDER BY ord", note.id)
    let others = cards.filter { !wanted.contains($0.ordinal) }
    return others.count < cards.count ? others.map(\.id) : []
  }

  /// Whether one of a note's cards was studied.
  public static func isStudied(_ db: Database, _ note: NoteID) throws -> Bool {
    try db.hasRow("SELECT 1 FROM cards WHERE note = ? AND NOT (\(CardStatus.neverStudied))", [note.rawValue])
  }

  /// Whether a card's note no longer makes it.
  public static func isUnmade(_ db: Database, _ card: CardID, of note: NoteID) throws -> Bool {
    guard let note = try NoteTable.known(db, note), let type = try NoteTypeTable.known(db, note.type) else {
      return false
    }
    return try unmade(db, of: note, NoteCardMaker(type, isInterrupted: isNeverInterrupted)).contains(card)
  }

  /// All cards that their notes do not make.
  public static func unmade(_ db: Database, isInterrupted: @escaping () -> Bool) throws -> [CardID] {
    var found: [CardID] = []
    for type in try NoteTypeTable.list(db) {
      let maker = NoteCardMaker(type, isInterrupted: isInterrupted)
      // A type with one template makes the first card of every note.
      let others = !type.isCloze && type.cards.count == 1 ? "AND id IN (SELECT note FROM cards WHERE ord <> 0)" : ""
      let sql = "SELECT id FROM notes WHERE type = ? \(others) ORDER BY id"
      for id in try db.rows(sql, [type.id.rawValue], { NoteID(rawValue: $0.integer(0)) }) {
        if isInterrupted() { throw NoteError.interrupted }
        found += try unmade(db, of: NoteTable.record(db, id), maker)
      }
    }
    return found
  }

  private static func cards(_ db: Database, _ sql: String, _ note: NoteID) throws -> [(id: CardID, ordinal: Int)] {
    try db.rows(sql, [note.rawValue]) { (CardID(rawValue: $0.integer(0)), StoredCard.ordinal($0.integer(1))) }
  }
}
