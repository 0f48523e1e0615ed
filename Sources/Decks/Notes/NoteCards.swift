// The cards of a note: which there are, and what they show, renewed whenever the note or its type changes.
// Invariant: after `renew` a note has exactly the cards that its type makes of its fields, and always one at least.

import Storage
import Text

/// A type with its templates parsed, for any number of notes.
struct NoteCardMaker {
  let type: NoteType
  let sides: [TemplatePair]
  /// Asked while texts are made; true ends that with `interrupted`.
  let isInterrupted: () -> Bool
  let isBasic: Bool
  /// A template shows the card's id, which is not known before the card is stored.
  let needsCardID: Bool
  /// Cards that one note has at most.
  static let mostCards = 500
  /// Bytes of fields read for all cards of one note; see `CardSides.workLimit` for one side.
  static let workLimit = 512_000_000

  init(_ type: NoteType, isInterrupted: @escaping () -> Bool = { false }) {
    (self.type, self.isInterrupted) = (type, isInterrupted)
    sides = type.cards.map(TemplatePair.init)
    isBasic = type.isBasic
    needsCardID = sides.contains { pair in
      [pair.front, pair.back].contains { $0.shows { $0.name == SpecialField.cardID.rawValue } }
    }
  }

  /// Whether what its cards show depends on their deck's name.
  var showsDeck: Bool { shows([.deck, .subdeck]) }
  var showsFlag: Bool { shows([.cardFlag]) }

  /// Whether a template shows one of these; a field of the same name takes precedence.
  private func shows(_ specials: [SpecialField]) -> Bool {
    let names = Set(specials.map(\.rawValue)).subtracting(type.fields)
    return sides.contains { pair in [pair.front, pair.back].contains { $0.shows { names.contains($0.name) } } }
  }

  /// Every card has a name: which one does not matter where only the cards are counted.
  func facts(_ note: NoteRecord, deckName: String) -> CardFacts {
    CardFacts(tags: note.tags, typeName: type.name, deckName: deckName, templateName: type.cards.first?.name ?? "")
  }

  /// The places of the cards that a note has, at least one.
  func ordinals(_ fields: NoteFields) -> [Int] {
    if type.isCloze {
      // As Anki has it, numbers beyond the last share its card.
      let found = Set(fields.clozeNumbers.filter { $0 > 0 }.map { min($0, Self.mostCards) - 1 })
      return found.isEmpty ? [0] : found.sorted()
    }
    let found = sides.indices.filter { sides[$0].front.isFilled(fields.filled) }
    return found.isEmpty ? [0] : found
  }

  /// What a card shows.
  func texts(_ fields: NoteFields, _ facts: CardFacts, ordinal: Int) throws(NoteError) -> CardTexts {
    guard let pair = sides.indices.contains(type.isCloze ? 0 : ordinal) ? sides[type.isCloze ? 0 : ordinal] : nil else {
      return CardTexts.nothing
    }
    if isBasic {
      let values = type.fields.map { fields.values[$0]?.text ?? "" }
      return try CardTexts(basic: values, isInterrupted: isInterrupted)
    }
    var facts = facts
    facts.templateName = type.cards[type.isCloze ? 0 : ordinal].name
    let all = fields.adding(facts)
    let isBlank = !type.isCloze && !pair.front.isFilled(all.filled)
    return try CardTexts(pair, fields: all, ordinal: ordinal, isBlank: isBlank, isInterrupted: isInterrupted)
  }
}

extension CardTexts {
  static let nothing = CardTexts(prompt: blank, answer: blank)

  /// Of a type of the shape of Basic: each side is a field, and one that was written as plain text shows as it was
  /// written.
  init(basic fields: [String], isInterrupted: @escaping () -> Bool = { false }) throws(NoteError) {
    func shown(_ place: Int) throws(NoteError) -> String {
      try CardTexts.basicSide(fields.indices.contains(place) ? fields[place] : "", isInterrupted: isInterrupted)
    }
    self.init(prompt: try shown(0), answer: try shown(1))
  }

  /// Of a field that is a side.
  static func basicSide(_ field: String, isInterrupted: @escaping () -> Bool = { false }) throws(NoteError) -> String {
    if let text = CardTexts.asWritten(field) { return text }
    let text = try CardTexts.shown(field, isInterrupted: isInterrupted)
    return text.isEmpty ? CardTexts.blank : text
  }

  /// The plain text that a field was written as; nil for HTML, and for what no card's text can be.
  static func asWritten(_ field: String) -> String? {
    // An escape has five bytes for one at most.
    guard field.utf8.count <= 5 * CardText.limit, !field.utf8.contains(0x0A), var text = HTMLText.plain(field),
      text.utf8.count <= CardText.limit
    else { return nil }
    let isText = text.withUTF8 { !$0.isEmpty && CardText.trimmed($0).count == $0.count && !hasEndlessMarks($0) }
    return isText ? text : nil
  }

  init(prompt: String, answer: String) { (self.prompt, self.answer) = (prompt, answer) }
}

/// Writes the cards of notes of one type in one operation.
struct NoteCardWriter {
  let db: Database
  let maker: NoteCardMaker
  let now: Double
  private var deckNames: [DeckID: String] = [:]

  /// - Parameter isInterrupted: asked while texts are made; true ends that with `interrupted`.
  init(_ db: Database, _ type: NoteType, now: Double, isInterrupted: @escaping () -> Bool = { false }) {
    (self.db, self.now) = (db, now)
    maker = NoteCardMaker(type, isInterrupted: isInterrupted)
  }

  private struct Stored {
    let id: CardID
    let deck: DeckID
    let ordinal: Int
    let content: Int64
    let flag: Int
  }

  /// Brings a note's cards to what its type makes of it now. New ones come on top of the deck of the note's first card.
  /// - Parameters:
  ///   - deck: for a note that has no cards yet.
  ///   - hasOtherTags: what the cards show may be the same.
  /// - Returns: how many cards were removed.
  @discardableResult
  mutating func renew(_ note: NoteRecord, newIn deck: DeckID? = nil, hasOtherTags: Bool = false) throws -> Int {
    if maker.isInterrupted() { throw NoteError.interrupted }
    let stored = try cards(of: note.id)
    guard let home = stored.first?.deck ?? deck else { throw DeckError.gone(what: "the note") }
    let facts = maker.facts(note, deckName: try deckName(home))
    let fields = NoteFields(names: maker.type.fields, values: note.fields)
    let wanted = maker.ordinals(fields.adding(facts))
    try checkWork(note, cards: wanted.count)
    let known = Set(stored.map(\.ordinal))
    for card in stored where wanted.contains(card.ordinal) { try rewrite(card, note, fields, always: hasOtherTags) }
    try add(wanted.filter { !known.contains($0) }, note, fields, facts, to: home)
    let gone = stored.filter { !wanted.contains($0.ordinal) }.map(\.id)
    return try CardTable.remove(db, gone)
  }

  /// The cards that a note has may show something else now; none comes or goes.
  mutating func rewrite(_ note: NoteRecord, hasOtherTags: Bool = false) throws {
    let fields = NoteFields(names: maker.type.fields, values: note.fields)
    for card in try cards(of: note.id) { try rewrite(card, note, fields, always: hasOtherTags) }
  }

  private func checkWork(_ note: NoteRecord, cards: Int) throws(NoteError) {
    let bytes = note.fields.reduce(0) { $0 + $1.utf8.count }
    if cards > 16, bytes * cards > NoteCardMaker.workLimit {
      throw .tooLarge(what: "a note of \(counted(cards, "card")) and \(grouped(bytes)) bytes")
    }
  }

  private func cards(of note: NoteID) throws -> [Stored] {
    let sql = "SELECT id, deck, ord, content, flag FROM cards WHERE note = ? ORDER BY ord"
    return try db.rows(sql, [note.rawValue]) { row in
      Stored(
        id: CardID(rawValue: row.integer(0)), deck: DeckID(rawValue: row.integer(1)), ordinal: row.count(2),
        content: row.integer(3), flag: row.count(4))
    }
  }

  private mutating func deckName(_ deck: DeckID) throws -> String {
    if let known = deckNames[deck] { return known }
    let name = try DeckTable.record(db, deck).name
    deckNames[deck] = name
    return name
  }

  /// - Parameter always: otherwise only a card that shows something else counts as changed.
  private mutating func rewrite(
    _ card: Stored, _ note: NoteRecord, _ fields: NoteFields, always: Bool
  ) throws {
    var facts = maker.facts(note, deckName: try deckName(card.deck))
    (facts.cardID, facts.flag) = (card.id.rawValue, card.flag)
    let texts = try maker.texts(fields, facts, ordinal: card.ordinal)
    let content = texts.content
    if content == card.content, !always { return }
    try db.cachedStatement(sql: CardTable.updateContent).execute(arguments: [content, now, card.id.rawValue])
  }

  private func add(
    _ ordinals: [Int], _ note: NoteRecord, _ fields: NoteFields, _ facts: CardFacts, to deck: DeckID
  ) throws {
    if ordinals.isEmpty { return }
    let statement = try db.cachedStatement(sql: NewCardRow.insertion)
    var rank = try CardOrder.above(db, deck, room: CardOrder.step * Int64(ordinals.count))
    for ordinal in ordinals {
      let content = try maker.texts(fields, facts, ordinal: ordinal).content
      NewCardRow(note: note.id.rawValue, ordinal: ordinal, deck: deck, rank: rank, content: content, now: now)
        .put(into: statement)
      try statement.run()
      if maker.needsCardID { try showID(CardID(rawValue: db.lastInsertedRowID), fields, facts, ordinal) }
      rank += CardOrder.step
    }
  }

  private func showID(_ card: CardID, _ fields: NoteFields, _ facts: CardFacts, _ ordinal: Int) throws {
    var facts = facts
    facts.cardID = card.rawValue
    let content = try maker.texts(fields, facts, ordinal: ordinal).content
    try db.cachedStatement(sql: CardTable.updateContent).execute(arguments: [content, now, card.rawValue])
  }
}

extension CardTexts {
  /// What the index of content holds for them.
  var content: Int64 {
    var (prompt, answer) = (prompt, answer)
    return prompt.withUTF8 { prompt in answer.withUTF8 { CardText.content(prompt, $0) } }
  }
}

extension NoteTable {
  /// Renews the cards in some decks that show the name of their deck, which has changed.
  static func renewDeckNames(_ db: Database, in decks: some Sequence<DeckID>, now: Double) throws {
    for type in try NoteTypeTable.list(db) where NoteCardMaker(type).showsDeck {
      var writer = NoteCardWriter(db, type, now: now)
      for deck in decks {
        let sql = "SELECT DISTINCT note FROM cards JOIN notes ON notes.id = note WHERE deck = ? AND type = ?"
        let notes = try db.rows(sql, [deck.rawValue, type.id.rawValue]) { NoteID(rawValue: $0.integer(0)) }
        for note in notes { try writer.rewrite(record(db, note)) }
      }
    }
  }

  /// Renews the cards of the notes that some cards are of, whose deck or flag has changed, where a template shows it.
  static func renewPlaces(_ db: Database, of cards: some Sequence<CardID>, now: Double) throws {
    let sql = "SELECT notes.id, notes.type FROM cards JOIN notes ON notes.id = cards.note WHERE cards.id = ?"
    var writers: [NoteTypeID: NoteCardWriter?] = [:]
    var renewed: Set<NoteID> = []
    for card in cards {
      let found = try db.firstRow(sql, [card.rawValue]) { ($0.integer(0), $0.integer(1)) }
      guard let found else { continue }
      let (note, type) = (NoteID(rawValue: found.0), NoteTypeID(rawValue: found.1))
      if writers[type] == nil {
        let writer = NoteCardWriter(db, try NoteTypeTable.record(db, type), now: now)
        writers[type] = .some(writer.maker.showsDeck || writer.maker.showsFlag ? writer : nil)
      }
      guard var writer = writers[type] ?? nil, renewed.insert(note).inserted else { continue }
      try writer.rewrite(record(db, note))
    }
  }
}
