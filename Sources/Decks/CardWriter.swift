// The statements that insert a card and its note into a deck, prepared once and bound to bytes in place.
// Invariant: a card is written only after its texts have passed every rule, and never twice; a guid is never used twice
// without an error; a card that is not written leaves no note behind.

public import Storage
public import Templates

/// A card whose parts have passed every rule; nothing else can be written. The caller lends its texts for one call;
/// its other parts are in the form of their columns.
public struct CheckedCard {
  let prompt: TextBytes
  let answer: TextBytes
  let guid: TextBytes?
  let tags: String
  let fields: String?
  let document: String?
  /// Whether the card comes from a source whose texts may be formatted: then it states that these are not.
  public var saysNoFormatting = false
  /// The type and the fields of a note whose first card has these texts; nil for a note of the two texts.
  public var note: (type: NoteTypeID, fields: String)?

  /// - Parameter guid: if it is nil or empty, one is made.
  /// - Throws: `DeckError` for the first rule that a part breaks.
  public init(
    prompt: TextBytes, answer: TextBytes, guid: TextBytes?, tags: [String] = [], fields: [CardField] = [],
    document: String? = nil
  ) throws(DeckError) {
    self.prompt = try CardText.cleaned(prompt, "prompt")
    self.answer = try CardText.cleaned(answer, "answer")
    if self.prompt.isEmpty { throw .emptyPrompt }
    if self.answer.isEmpty { throw .emptyAnswer }
    self.guid = if let guid { try Guid.cleaned(guid) } else { nil }
    self.tags = try Tags.column(tags)
    self.fields = try FieldText.column(fields)
    self.document = if let document { try CardText.cleaned(document, "document") } else { nil }
  }

  /// The value for the index of content.
  var content: Int64 { CardText.content(prompt, answer) }

  /// The column with the note's fields, if they are others or a text has to be escaped as HTML; nil if the fields are
  /// the texts themselves.
  var noteFields: String? {
    if let note { return note.fields }
    guard prompt.contains(where: FieldHTML.isEscaped) || answer.contains(where: FieldHTML.isEscaped) else { return nil }
    var fields = Bytes()
    fields.reserveCapacity(prompt.count + answer.count + 64)
    for byte in prompt { FieldHTML.add(byte, ofPlainTo: &fields) }
    fields.append(NoteFieldText.separator)
    for byte in answer { FieldHTML.add(byte, ofPlainTo: &fields) }
    return fields.text
  }
}

final class CardWriter {
  enum Outcome: Equatable {
    case added(CardID)
    /// A card with the same guid, or with the same prompt and answer, is in the deck.
    case found(CardID)
    /// The note with the guid has a card in the deck, but not the one that the guid refers to.
    case foundSibling(CardID)
  }

  private let db: Database
  private let deck: DeckID
  private let random: () -> UInt64
  /// The bits of the next guid; nil if they have to be chosen.
  private var nextGuid: UInt64?
  /// The type of the cards' notes; nil until the first is written.
  private var type: NoteTypeID?
  private let noteInsertion: Statement
  private let insertion: Statement
  private let search: Statement

  init(_ db: Database, deck: DeckID, random: @escaping () -> UInt64) throws {
    (self.db, self.deck, self.random) = (db, deck, random)
    noteInsertion = try db.cachedStatement(
      sql: """
        INSERT INTO notes (id, guid, type, mod, tags, fields, data)
        VALUES ((\(NoteTable.freeIDQuery)), ?2, ?3, ?4, ?5, ifnull(?6, ?7 || char(31) || ?8), ?9)
        """)
    insertion = try db.cachedStatement(sql: StoredCard.insertion)
    search = try db.cachedStatement(
      sql: "SELECT id, prompt, answer FROM card_rows WHERE deck = ?1 AND content BETWEEN ?2 AND ?3 ORDER BY rank")
  }

  /// Writes a card at the rank, unless it is already in the deck.
  func write(_ card: CheckedCard, rank: Int64, now: Double) throws -> Outcome {
    if let guid = card.guid {
      let text = String(decoding: guid, as: UTF8.self)
      let first = try firstCard(ofNote: text)
      if let first, first.ordinal == 0 { return .found(first.id) }
      if Guid.parts(text) != nil, let id = try CardTable.id(db, guid: text, in: deck) { return .found(id) }
      if let first { return .foundSibling(first.id) }
      return .added(try insert(card, guid: guid, rank, now))
    }
    if let id = try find(card) { return .found(id) }
    for _ in 0..<8 {
      let bits = nextGuid ?? random()
      let id = try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Guid.length) { made in
        Guid.write(bits, into: made)
        let isFree = try Guid.areFree(db, from: bits, count: 1)
        return isFree ? try insert(card, guid: TextBytes(made), rank, now) : nil
      }
      nextGuid = id == nil ? nil : bits &+ 1
      if let id { return .added(id) }
    }
    throw StorageError.failed(path: db.path, result: 0, detail: "no free guid was found for a note")
  }

  /// The first card in the deck of the note with a guid; the card that the guid refers to may have been removed.
  private func firstCard(ofNote guid: String) throws -> (id: CardID, ordinal: Int)? {
    // The + keeps SQLite from scanning the cards of the deck.
    let sql =
      "SELECT cards.id, ord FROM notes CROSS JOIN cards ON note = notes.id WHERE guid = ? AND +deck = ? ORDER BY ord"
    return try db.firstRow(sql, [guid, deck.rawValue]) { (CardID(rawValue: $0.integer(0)), $0.count(1)) }
  }

  /// The topmost card with the same prompt and answer.
  func find(_ card: CheckedCard) throws -> CardID? {
    try find(content: card.content...card.content, prompt: card.prompt, answer: card.answer)
  }

  /// The topmost card with the prompt for which `isWanted` is true.
  func find(prompt: TextBytes, where isWanted: (CardID) throws -> Bool) throws -> CardID? {
    try find(content: CardText.contents(ofPrompt: prompt), prompt: prompt, answer: nil, where: isWanted)
  }

  private func insert(_ card: CheckedCard, guid: TextBytes, _ rank: Int64, _ now: Double) throws -> CardID {
    let note = try insertNote(card, guid: guid, now)
    do {
      let id = CardID(rawValue: try CardTable.freeID(db, now: now))
      var row = StoredCard(
        id: id, note: NoteID(rawValue: note), ordinal: 0, deck: deck, rank: rank, content: card.content, now: now)
      row.document = card.document
      row.put(into: insertion)
      try insertion.run()
      return id
    } catch let error as StorageError {
      // The caller continues only after a constraint failed; any other error rolls back the whole operation.
      if error.constraint != nil {
        try db.cachedStatement(sql: "DELETE FROM notes WHERE id = ?").execute(arguments: [note])
      }
      throw error
    }
  }

  private func insertNote(_ card: CheckedCard, guid: TextBytes, _ now: Double) throws -> Int64 {
    let basic = try self.type ?? NoteTypeTable.basic(db, now: now)
    self.type = basic
    let type = card.note?.type ?? basic
    noteInsertion.bind(1, NoteTable.firstID(now: now))
    noteInsertion.bind(2, inPlace: guid)
    noteInsertion.bind(3, type.rawValue)
    noteInsertion.bind(4, Int64(seconds(now)))
    noteInsertion.bind(5, card.tags)
    let fields = card.noteFields
    noteInsertion.bind(6, fields)
    if fields == nil {
      noteInsertion.bind(7, inPlace: card.prompt)
      noteInsertion.bind(8, inPlace: card.answer)
    }
    noteInsertion.bind(9, NoteData.column(card.fields))
    try noteInsertion.run()
    return db.lastInsertedRowID
  }

  private func find(
    content: ClosedRange<Int64>, prompt: TextBytes, answer: TextBytes?,
    where isWanted: (CardID) throws -> Bool = { _ in true }
  ) throws -> CardID? {
    search.bind(1, deck.rawValue)
    search.bind(2, content.lowerBound)
    search.bind(3, content.upperBound)
    defer { search.reset() }
    while let row = try search.next() {
      guard CardText.areSame(row.bytes(1), prompt), answer.map({ CardText.areSame(row.bytes(2), $0) }) ?? true
      else { continue }
      let id = CardID(rawValue: row.integer(0))
      if try isWanted(id) { return id }
    }
    return nil
  }
}

/// Adds single cards to a deck. After some of them, the next ones wait, to be written together.
public final class CardAdder: WaitingRows {
  private let db: Database
  private let deck: DeckID
  private let random: () -> UInt64
  private let writer: CardWriter
  /// A range that contains all ranks of the deck; nil if it is not known.
  private var ranks: ClosedRange<Int64>?
  private var waiting: WaitingCards?
  /// How many cards were added by themselves since others waited; negative if few of them waited.
  private var count = 0

  /// - Throws: `gone`.
  public init(_ db: Database, deck: DeckID, random: @escaping () -> UInt64) throws {
    guard try DeckTable.exists(db, deck) else { throw DeckError.gone(what: "the deck") }
    (self.db, self.deck, self.random) = (db, deck, random)
    writer = try CardWriter(db, deck: deck, random: random)
  }

  /// Adds a card.
  /// - Throws: `duplicate`.
  public func add(_ card: CheckedCard, at place: CardPlace, now: Double) throws -> CardID {
    let known = rank(at: place)
    let rank = try known ?? CardOrder.rank(db, deck, for: place)
    switch try writer.write(card, rank: rank, now: now) {
    case .added(let id):
      if known == nil { ranks = try CardOrder.ranks(db, deck) } else { include(rank) }
      count += 1
      return id
    case .found(let id), .foundSibling(let id):
      let guid = card.guid.map { String(decoding: $0, as: UTF8.self) }
      throw DeckError.duplicate(guid: guid, prompt: try CardTable.card(db, id)?.prompt ?? "")
    }
  }

  /// Adds a card that waits, to be written by `flush` at the latest; nil for one that has to be added by itself.
  /// - Throws: `duplicate`; the error of writing earlier cards, which keep waiting.
  public func addLater(_ card: CheckedCard, at place: CardPlace, now: Double) throws -> CardID? {
    guard count >= CardBatch.fewCards, card.guid == nil, let rank = rank(at: place) else { return nil }
    let waiting = try self.waiting ?? WaitingCards(db, deck: deck, now: now, random: random)
    self.waiting = waiting
    if waiting.isFull { try waiting.isKnown ? waiting.submit() : waiting.write() }
    let content = card.content
    if let same = try waiting.same(as: card, content, writer, flush: waiting.write) {
      throw DeckError.duplicate(guid: nil, prompt: try CardTable.card(db, same)?.prompt ?? "")
    }
    waiting.now = now
    include(rank)
    return try waiting.add(card, content, rank: rank)
  }

  public var waitingCount: Int { waiting?.count ?? 0 }

  /// Writes the cards that wait. If that fails, they keep waiting.
  public func flush() throws {
    guard let waiting else { return }
    // A loop that often uses the database adds cards by themselves.
    count = waiting.isUnderWay || waiting.count >= CardBatch.fewCards ? 0 : -1000
    try waiting.write()
    self.waiting = nil
  }

  private func include(_ rank: Int64) { ranks = ranks.map { min($0.lowerBound, rank)...max($0.upperBound, rank) } }

  private func rank(at place: CardPlace) -> Int64? { ranks.flatMap { CardOrder.rank(beside: $0, for: place) } }
}
