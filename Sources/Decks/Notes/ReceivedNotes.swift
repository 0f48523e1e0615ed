// Notes and cards that come from a package, with ids, templates and schedules of their own.
// Invariant: a note is known by its guid alone; what is there already is never moved or scheduled anew; a note that is
// added has the cards that came with it, and each shows what its type makes of it.

public import GRDB
import Text

/// Takes notes into the database, in one operation.
///
///     let receiver = try NoteReceiver(db, now: now, isInterrupted: isInterrupted)
///     let outcome = try receiver.receive(note, of: type, cards)
public final class NoteReceiver {
  let db: Database
  let now: Double
  private let isInterrupted: () -> Bool
  private let field: (String) throws -> String
  let statements: ReceivingStatements
  private var kinds: [NoteTypeID: Kind] = [:]
  private var deckNames: [DeckID: String] = [:]
  private var nextFreeID: Int64 = 0
  /// Cards of a higher id came with these notes.
  public let lastCardBefore: CardID

  /// What is made ready once for all notes of a type.
  final class Kind {
    let maker: NoteCardMaker
    var writer: NoteCardWriter
    /// Both sides are a field each: no template has to be gone through.
    let isBasic: Bool

    init(_ db: Database, _ type: NoteType, now: Double, isInterrupted: @escaping () -> Bool) {
      writer = NoteCardWriter(db, type, now: now, isInterrupted: isInterrupted)
      maker = writer.maker
      isBasic = type.isBasic
    }
  }

  /// - Parameters:
  ///   - now: seconds since 1970.
  ///   - field: is given each field that is stored, and gives what is stored in its place.
  public init(
    _ db: Database, now: Double, isInterrupted: @escaping () -> Bool = { false },
    field: @escaping (String) throws -> String = { $0 }
  ) throws {
    (self.db, self.now, self.isInterrupted, self.field) = (db, now, isInterrupted, field)
    statements = try ReceivingStatements(db)
    let last = try db.firstRow("SELECT seq FROM sqlite_sequence WHERE name = 'cards'") { $0.integer(0) }
    lastCardBefore = CardID(rawValue: last ?? 0)
  }

  /// Takes a note with its cards, of which there is one at least.
  /// - Parameters:
  ///   - ordinals: the places of its cards.
  ///   - card: makes one of them ready, when it is to be added.
  /// - Throws: `NoteError` for fields that cannot be stored, `DeckError.badGuid`; what SQLite throws.
  public func receive(
    _ note: ReceivedNote, of type: NoteType, ordinals: [Int], card: (_ index: Int) throws -> ReceivedCard
  ) throws -> ReceivedOutcome {
    let kind = kind(of: type)
    var note = note
    note.fields = NoteTable.padded(note.fields, type)
    guard let guid = try cleaned(note.guid) else {
      throw DeckError.badGuid(guid: note.guid, reason: "must not be blank")
    }
    note.guid = guid
    statements.known.bind(1, guid)
    let known = try statements.known.first { (id: $0.integer(0), type: $0.integer(1), modified: $0.count(2)) }
    if let known {
      guard known.type == type.id.rawValue else { return .conflicting }
      let changed = try renew(NoteID(rawValue: known.id), isNewer: note.modified > known.modified, note, kind)
      let added = try addMissing(NoteID(rawValue: known.id), kind, ordinals, card)
      if changed > 0 { return .updated(changed) }
      return added > 0 ? .added(added) : .skipped
    }
    let cards = try ordinals.indices.map(card)
    if let outcome = try takeOver(note, kind, cards) { return outcome }
    let record = try insert(note, kind)
    for card in cards { try insert(card, record, kind) }
    return .added(cards.count)
  }

  func kind(of type: NoteType) -> Kind {
    if let known = kinds[type.id] { return known }
    let made = Kind(db, type, now: now, isInterrupted: isInterrupted)
    kinds[type.id] = made
    return made
  }

  func cleaned(_ given: String) throws -> String? {
    var given = given
    return try given.withUTF8 { try Guid.cleaned($0).map { String(decoding: $0, as: UTF8.self) } }
  }

  // MARK: A note that is there

  /// - Returns: how many cards it has that show something else now.
  private func renew(_ id: NoteID, isNewer: Bool, _ note: ReceivedNote, _ kind: Kind) throws -> Int {
    guard isNewer else { return 0 }
    let record = record(try prepared(note), id, kind)
    try NoteTable.write(db, record, kind.maker.type)
    try kind.writer.renew(record)
    return try db.firstRow("SELECT count(*) FROM cards WHERE note = ?", [id.rawValue]) { $0.count(0) } ?? 0
  }

  /// Cards that are missing are added whether the note is newer or not.
  private func addMissing(
    _ id: NoteID, _ kind: Kind, _ ordinals: [Int], _ card: (Int) throws -> ReceivedCard
  ) throws -> Int {
    let stored = Set(try db.rows("SELECT ord FROM cards WHERE note = ?", [id.rawValue]) { $0.count(0) })
    let missing = ordinals.indices.filter { !stored.contains(ordinals[$0]) }
    if missing.isEmpty { return 0 }
    let record = try NoteTable.record(db, id)
    for index in missing { try insert(card(index), record, kind) }
    return missing.count
  }

  /// A plain card of that guid in the deck is the note's only card: it was sent out once and comes back.
  private func takeOver(_ note: ReceivedNote, _ kind: Kind, _ cards: [ReceivedCard]) throws -> ReceivedOutcome? {
    guard cards.count == 1, let card = cards.first, kind.isBasic else { return nil }
    statements.plain.bind(1, card.deck.rawValue)
    statements.plain.bind(2, note.guid)
    let found = try statements.plain.first { (id: CardID(rawValue: $0.integer(0)), modified: $0.number(1)) }
    guard let found else { return nil }
    if note.modified <= seconds(found.modified) { return .skipped }
    if let prompt = FieldHTML.plain(note.fields[0]), let answer = FieldHTML.plain(note.fields[1]),
      !prompt.trimmed.isEmpty, !answer.trimmed.isEmpty
    {
      try CardTable.update(
        db, found.id, prompt: prompt, answer: answer, tags: note.tags, now: Double(note.modified))
      return .updated(1)
    }
    // What plain text cannot hold makes it a card of a note.
    let record = try insert(note, kind)
    try CardTable.change(
      db, "UPDATE cards SET note = ?, ord = 0, tags = ?, modified = ? WHERE id = ?",
      [record.id.rawValue, try Tags.column(record.tags), now, found.id.rawValue])
    try kind.writer.rewrite(record)
    return .updated(1)
  }

  // MARK: A new note

  func record(_ note: ReceivedNote, _ id: NoteID, _ kind: Kind) -> NoteRecord {
    NoteRecord(
      id: id, guid: note.guid, type: kind.maker.type.id, modified: note.modified, tags: note.tags, fields: note.fields)
  }

  private func prepared(_ note: ReceivedNote) throws -> ReceivedNote {
    var note = note
    for index in note.fields.indices { note.fields[index] = try field(note.fields[index]) }
    return note
  }

  func insert(_ note: ReceivedNote, _ kind: Kind) throws -> NoteRecord {
    let note = try prepared(note)
    let column = try NoteFieldText.column(note.fields, names: kind.maker.type.fields)
    var id = max(1, note.id)
    statements.hasNote.bind(1, id)
    if try statements.hasNote.first({ _ in true }) ?? false {
      let sql = "SELECT max(id) FROM notes WHERE id BETWEEN ?1 AND ?1 + 3600000"
      id = max(nextFreeID, (try db.firstRow(sql, [id]) { $0.integer(0) } ?? id) + 1)
      nextFreeID = id + 1
    }
    let statement = statements.note
    statement.bind(1, id)
    statement.bind(2, note.guid)
    statement.bind(3, kind.maker.type.id.rawValue)
    statement.bind(4, note.modified)
    statement.bind(5, try Tags.column(note.tags))
    statement.bind(6, column)
    statement.bind(7, note.data)
    try statement.run()
    return record(note, NoteID(rawValue: id), kind)
  }

  @discardableResult
  func insert(_ card: ReceivedCard, _ note: NoteRecord, _ kind: Kind) throws -> CardID {
    let texts = try texts(card, note, kind)
    let statement = statements.card
    let schedule = card.schedule
    let suffix = card.ordinal == 0 ? "" : "/\(card.ordinal + 1)"
    // The rank may be taken, and then the guid.
    for attempt in 0..<3 {
      statement.bind(1, card.deck.rawValue)
      statement.bind(2, attempt == 0 ? card.rank : try CardOrder.above(db, card.deck, room: CardOrder.step))
      statement.bind(3, note.guid + (attempt < 2 ? "" : "/\(note.id.rawValue)") + suffix)
      statement.bind(4, texts.content)
      statement.bind(5, texts.prompt)
      statement.bind(6, texts.answer)
      statement.bind(7, try Tags.column(note.tags))
      statement.bind(8, now)
      statement.bind(9, now)
      statement.bind(10, card.isSuspended ? 1 : 0)
      statement.bind(11, schedule.state.rawValue)
      statement.bind(12, schedule.step)
      statement.bind(13, schedule.due)
      statement.bind(14, schedule.stability)
      statement.bind(15, schedule.difficulty)
      statement.bind(16, schedule.reps)
      statement.bind(17, schedule.lapses)
      statement.bind(18, schedule.lastReview)
      statement.bind(19, note.id.rawValue)
      statement.bind(20, card.ordinal)
      statement.bind(21, card.flag)
      statement.bind(22, card.burial?.rawValue ?? 0)
      statement.bind(23, card.burial == nil ? nil : card.buriedUntil)
      if try statement.run() {
        let id = CardID(rawValue: db.lastInsertedRowID)
        try insertForeign(card, id, note, kind)
        return id
      }
    }
    throw DeckError.duplicate(guid: note.guid + suffix, prompt: "")
  }

  private func insertForeign(_ card: ReceivedCard, _ id: CardID, _ note: NoteRecord, _ kind: Kind) throws {
    var foreign = card.foreignID
    statements.hasForeign.bind(1, foreign)
    if try statements.hasForeign.first({ _ in true }) ?? false {
      foreign = try db.firstRow("SELECT max(anki) + 1 FROM anki_cards") { $0.integer(0) } ?? foreign
    }
    statements.foreign.bind(1, id.rawValue)
    statements.foreign.bind(2, foreign)
    statements.foreign.bind(3, card.foreignModified)
    statements.foreign.bind(4, card.raw)
    try statements.foreign.run()
    if kind.maker.needsCardID { try kind.writer.rewrite(note) }
  }

  // MARK: What a card shows

  private func texts(_ card: ReceivedCard, _ note: NoteRecord, _ kind: Kind) throws -> CardTexts {
    if kind.isBasic, card.ordinal == 0, let texts = CardTexts(plain: note.fields) { return texts }
    var facts = kind.maker.facts(note, deckName: try deckName(card.deck))
    facts.flag = card.flag
    let fields = NoteFields(names: kind.maker.type.fields, values: note.fields)
    return try kind.maker.texts(fields, facts, ordinal: card.ordinal)
  }

  private func deckName(_ deck: DeckID) throws -> String {
    if let known = deckNames[deck] { return known }
    let name = try DeckTable.record(db, deck).name
    deckNames[deck] = name
    return name
  }
}
