// The cards of a note: which there are and what they show, updated whenever the note or its type changes. Invariant:
// after `renew`, a note has every card that its type makes of its fields, at least one. A card that it makes no longer
// stays with its schedule if it was studied: such a card goes only when somebody removes it.

import Files
public import Storage
public import Templates
import Text

extension NoteCardMaker {
  func facts(tags: [String], deckName: String) -> CardFacts {
    facts(tags: tags, deckName: deckName, subdeckName: DeckName.split(deckName).last ?? "")
  }
}

/// Writes the cards of notes of one type in one operation.
struct NoteCardWriter {
  let db: Database
  let maker: NoteCardMaker
  let now: Double
  private var deckNames: [DeckID: String] = [:]

  init(_ db: Database, _ type: NoteType, now: Double, isInterrupted: @escaping () -> Bool) {
    (self.db, self.now) = (db, now)
    maker = NoteCardMaker(type, isInterrupted: isInterrupted)
  }

  /// Updates a note's cards to what its type makes of it now. New cards go to the top of the deck of the note's first
  /// card.
  /// - Parameter deck: the deck for a note that has no cards yet.
  /// - Parameter hasOtherTags: whether the tags have changed; then all cards are written, even those whose texts are
  ///   the same.
  /// - Parameter before: see `NoteOrdinals.dropped`.
  /// - Returns: how many cards were removed.
  @discardableResult
  mutating func renew(
    _ note: NoteRecord, newIn deck: DeckID? = nil, hasOtherTags: Bool = false, before: (() -> [Int])? = nil
  ) throws -> Int {
    let stored = try SyncedCards.stored(db, of: note.id)
    guard let home = stored.first?.deck ?? deck else { throw DeckError.gone(what: "the note") }
    let facts = maker.facts(tags: note.tags, deckName: try deckName(home))
    let fields = NoteFields(names: maker.type.fields, values: note.fields)
    let wanted = try ordinals(fields, facts)
    let known = Set(stored.map(\.ordinal))
    for card in stored { try rewrite(card, note, fields, always: hasOtherTags) }
    try add(wanted.filter { !known.contains($0) }, of: note.id, fields, facts, to: home, at: .top)
    if known.isSubset(of: wanted) { return 0 }
    return try CardTable.remove(db, NoteOrdinals.dropped(db, of: note.id, making: wanted, before: before))
  }

  /// Updates what the cards of a note show, without adding or removing any.
  mutating func rewrite(_ note: NoteRecord, hasOtherTags: Bool = false) throws {
    let fields = NoteFields(names: maker.type.fields, values: note.fields)
    for card in try SyncedCards.stored(db, of: note.id) { try rewrite(card, note, fields, always: hasOtherTags) }
  }

  private mutating func deckName(_ deck: DeckID) throws -> String {
    let db = db
    return try deckNames.kept(deck) { try DeckTable.record(db, deck).name }
  }

  /// - Parameter always: if false, only a card whose texts have changed is written.
  private mutating func rewrite(_ card: StoredCard, _ note: NoteRecord, _ fields: NoteFields, always: Bool) throws {
    var facts = maker.facts(tags: note.tags, deckName: try deckName(card.deck))
    (facts.cardID, facts.flag) = (card.id.rawValue, card.flag)
    let texts = try maker.texts(fields, facts, ordinal: card.ordinal)
    let content = texts.content
    if content == card.content, !always { return }
    try db.run(CardTable.updateContent, [content, now, card.id.rawValue])
  }

  /// The numbers of the cards that the fields of a note make.
  /// - Throws: `NoteError.interrupted`, `.tooLarge`.
  func ordinals(_ fields: NoteFields, _ facts: CardFacts) throws(NoteError) -> [Int] {
    if maker.isInterrupted() { throw .interrupted }
    let made = maker.ordinals(fields.adding(facts))
    let bytes = fields.values.values.reduce(0) { $0 + $1.count }
    if made.count > 16, bytes * made.count > NoteCardMaker.workLimit {
      throw .tooLarge(what: "a note of \(counted(made.count, "card")) and \(grouped(bytes)) bytes")
    }
    return made
  }

  /// Adds cards of a note to a deck, the first one above the others.
  func add(
    _ ordinals: [Int], of note: NoteID, _ fields: NoteFields, _ facts: CardFacts, to deck: DeckID, at place: CardPlace
  ) throws {
    if ordinals.isEmpty { return }
    let statement = try db.cachedStatement(sql: StoredCard.insertion)
    var rank = try CardOrder.rank(db, deck, for: place, count: ordinals.count)
    var facts = facts
    facts.cardID = try CardTable.freeID(db, now: now)
    for ordinal in ordinals {
      let content = try maker.texts(fields, facts, ordinal: ordinal).content
      let id = CardID(rawValue: facts.cardID)
      StoredCard(id: id, note: note, ordinal: ordinal, deck: deck, rank: rank, content: content, now: now)
        .put(into: statement)
      try statement.run()
      facts.cardID += 1
      rank += CardOrder.step
    }
  }
}

extension CardTexts {
  /// The value for the index of content.
  var content: Int64 {
    var (prompt, answer) = (prompt, answer)
    return prompt.withUTF8 { prompt in answer.withUTF8 { CardText.content(prompt, $0) } }
  }
}

extension NoteTable {
  /// Updates the cards in some decks that show the name of their deck, after it has changed.
  static func updateDeckNames(_ db: Database, in decks: some Sequence<DeckID>, now: Double) throws {
    for type in try NoteTypeTable.list(db) where NoteCardMaker(type, isInterrupted: isNeverInterrupted).showsDeck {
      var writer = NoteCardWriter(db, type, now: now, isInterrupted: isNeverInterrupted)
      for deck in decks {
        let sql = "SELECT DISTINCT note FROM cards JOIN notes ON notes.id = note WHERE deck = ? AND type = ?"
        let notes = try db.rows(sql, [deck.rawValue, type.id.rawValue]) { NoteID(rawValue: $0.integer(0)) }
        for note in notes { try writer.rewrite(record(db, note)) }
      }
    }
  }

  /// Updates the cards of the notes of some cards whose deck, flag or id has changed, if a template shows one of these.
  static func updatePlaces(_ db: Database, of cards: some Sequence<CardID>, now: Double) throws {
    let sql = """
      SELECT notes.id, notes.type FROM (SELECT value AS wanted FROM json_each(?))
      CROSS JOIN cards ON cards.id = wanted CROSS JOIN notes ON notes.id = cards.note
      """
    let found = try db.rows(sql, [CardTable.list(cards.lazy.map(\.rawValue))]) {
      (NoteID(rawValue: $0.integer(0)), NoteTypeID(rawValue: $0.integer(1)))
    }
    var writers: [NoteTypeID: NoteCardWriter?] = [:]
    var renewed: Set<NoteID> = []
    for (note, type) in found {
      if writers[type] == nil {
        let writer = NoteCardWriter(db, try NoteTypeTable.record(db, type), now: now, isInterrupted: isNeverInterrupted)
        let maker = writer.maker
        writers[type] = .some(maker.showsDeck || maker.showsFlag || maker.needsCardID ? writer : nil)
      }
      guard var writer = writers[type] ?? nil, renewed.insert(note).inserted else { continue }
      try writer.rewrite(record(db, note))
    }
  }
}

/// The numbers of a note's cards, from 0.
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

  static func made(_ note: NoteRecord, _ maker: NoteCardMaker, values: [String]? = nil) -> [Int] {
    let type = maker.type
    let fields = NoteFields(names: type.fields, values: values ?? NoteTable.padded(note.fields, type))
    // Every card has a deck, but its name does not matter here.
    return maker.ordinals(fields.adding(maker.facts(tags: note.tags, deckName: "d")))
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
  /// - Parameter wanted: the numbers of the cards that it makes now.
  /// - Parameter before: returns the numbers of those that it made before; nil for all its cards. A card that it did
  ///   not make before, such as one that came with a package, stays.
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
