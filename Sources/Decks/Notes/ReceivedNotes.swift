// Notes and cards that come from a package, with their own ids, templates and schedules.
// Invariant: a note is identified by its guid alone. Existing cards are never moved, rescheduled or, once studied,
// removed. A note that is added has the cards that came with it, and each shows what its type makes of it. New rows may
// be pending, to be written together: call `flush` before you read notes and cards. An existing card keeps its id and
// its place unless the change says otherwise; what was written counts as sent.

import Files
public import Storage
public import Templates
import Text

/// Adds received notes to the database, in one operation.
public final class NoteReceiver {
  let db: Database
  let now: Double
  /// What to do with a note that is already here; nil: it changes if the received one is newer.
  public var onDuplicate: OnDuplicate?
  /// The names, in lowercase, of fields of existing notes that stay as they are, besides those that the options of a
  /// note's deck name.
  public var keptFields: Set<String> = []
  private var keptOfDecks: [DeckID: Set<String>] = [:]
  /// How many notes had the guid of a note that came before them.
  public private(set) var repeatedCount = 0
  /// The ids of the notes that came; nil if all notes did, because there were none before.
  private var came: Set<Int64>?
  private let isInterrupted: () -> Bool
  private let field: (String) throws -> String
  private let knownNote: Statement
  private let rows: ReceivedRows
  /// The guids of existing notes, by their hashes; nil if there are many.
  private var guids: Set<UInt64>?
  private var kinds: [NoteTypeID: Kind] = [:]
  private var deckNames: [DeckID: String] = [:]
  /// The cards that came, once all of them are written.
  public var cards: ReceivedCards { rows.received }

  /// What is prepared once for all notes of a type.
  final class Kind {
    let maker: NoteCardMaker
    var writer: NoteCardWriter

    init(_ db: Database, _ type: NoteType, now: Double, isInterrupted: @escaping () -> Bool) {
      writer = NoteCardWriter(db, type, now: now, isInterrupted: isInterrupted)
      maker = writer.maker
    }
  }

  /// - Parameter isAlone: whether a second thread may write, because the caller does nothing else with the database.
  /// - Parameter field: called with each field that is to be stored; returns what is stored instead.
  public init(
    _ db: Database, now: Double, isAlone: Bool = false, isInterrupted: @escaping () -> Bool,
    field: @escaping (String) throws -> String = { $0 }
  ) throws {
    (self.db, self.now, self.isInterrupted, self.field) = (db, now, isInterrupted, field)
    knownNote = try Statement(db, "SELECT id, type, mod FROM notes WHERE guid = ?1")
    rows = try ReceivedRows(db, now: now, isAlone: isAlone)
    came = try db.hasRow("SELECT 1 FROM notes") ? [] : nil
    guids = try Set(db, "SELECT guid FROM notes") { NoteReceiver.hash($0.text(0)) }
  }

  /// Receives a note with its cards, at least one.
  /// - Parameter note: it gets another id if another note has its id; its type id is that of its source.
  /// - Parameter cards: the ids and template indices of its cards.
  /// - Parameter card: prepares one of them, if it is to be added.
  /// - Throws: `NoteError` for fields that cannot be stored, `DeckError.badGuid`; `DeckError.duplicate` if duplicates
  ///   are errors; what SQLite throws.
  public func receive(
    _ note: NoteRecord, of type: NoteType, cards: [(id: Int64, ordinal: Int)],
    card: (_ index: Int) throws -> StoredCard
  ) throws -> ReceivedOutcome {
    let kind = kind(of: type)
    var note = note
    note.fields = fitted(note.fields, type)
    guard let guid = try Guid.cleaned(note.guid) else {
      throw DeckError.badGuid(guid: note.guid, reason: "must not be blank")
    }
    note.guid = guid
    if let known = try known(guid) {
      let isRepeated = came?.contains(known.id) ?? true
      let choice = isRepeated ? nil : onDuplicate
      if isRepeated { repeatedCount += 1 }
      if choice == .error { throw DeckError.duplicate(guid: guid, prompt: "") }
      let id = NoteID(rawValue: known.id)
      let missing = try match(cards, of: id)
      guard known.type == type.id.rawValue else { return .conflicting }
      let renewal = try renewal(of: id, isNewer: note.modified > known.modified, choice, note, kind)
      if let renewal { try NoteTable.write(db, renewal.new, kind.maker.type) }
      for index in missing { try insert(card(index), renewal?.new ?? NoteTable.record(db, id), kind) }
      guard let (old, new) = renewal else { return missing.isEmpty ? .skipped : .added(missing.count) }
      try kind.writer.renew(new, hasOtherTags: old.tags != new.tags) {
        // The cards that came stay, even if the note no longer makes them.
        Set(NoteOrdinals.made(old, kind.maker.type)).subtracting(cards.map(\.ordinal)).sorted()
      }
      return try .updated(db.count("SELECT count(*) FROM cards WHERE note = ?", [id.rawValue]))
    }
    try insert(note, kind, cards.indices.map(card))
    return .added(cards.count)
  }

  public func flush() throws { try rows.flush() }

  /// Writes the pending notes and cards, after the last of them.
  public func finish() throws { try rows.finish() }

  private func known(_ guid: String) throws -> (id: Int64, type: Int64, modified: Int)? {
    if let guids, !guids.contains(NoteReceiver.hash(guid)) { return nil }
    try rows.finish()
    knownNote.bind(1, guid)
    return try knownNote.first { ($0.integer(0), $0.integer(1), $0.count(2)) }
  }

  private static func hash(_ guid: String) -> UInt64 { UInt64(bitPattern: Int64(guid.hashValue)) }

  func kind(of type: NoteType) -> Kind {
    kinds.kept(type.id) { Kind(db, type, now: now, isInterrupted: isInterrupted) }
  }

  /// As many fields as the type has. What is too many is joined to the last one, as Anki's database check does.
  func fitted(_ fields: [String], _ type: NoteType) -> [String] {
    let count = type.fieldList.count
    guard count > 0, fields.count > count else { return NoteTable.padded(fields, type) }
    return Array(fields[..<(count - 1)]) + [fields[(count - 1)...].joined(separator: "; ")]
  }

  // MARK: An existing note

  /// The fields that the options of a note's deck keep; the options are read once for each deck.
  private func keptFields(ofDeckOf note: NoteID) throws -> Set<String> {
    let sql = "SELECT deck FROM cards WHERE note = ? LIMIT 1"
    guard let deck = try db.firstRow(sql, [note.rawValue], { DeckID(rawValue: $0.integer(0)) }) else { return [] }
    return try keptOfDecks.kept(deck) { try DeckTable.options(db, deck).keptFields }
  }

  /// Returns an existing note as it is and as the received one makes it; nil if it stays.
  private func renewal(
    of id: NoteID, isNewer: Bool, _ choice: OnDuplicate?, _ note: NoteRecord, _ kind: Kind
  ) throws -> (old: NoteRecord, new: NoteRecord)? {
    guard choice == .update || isNewer && choice != .skip else { return nil }
    var record = record(try prepared(note), id, kind)
    let old = try NoteTable.record(db, id)
    let kept = try keptFields.union(keptFields(ofDeckOf: id))
    for (index, name) in kind.maker.type.fields.enumerated() where kept.contains(name.lowercased()) {
      record.fields[index] = old.fields.indices.contains(index) ? old.fields[index] : ""
    }
    let isChanged = old.tags != record.tags || old.fields != record.fields
    return isNewer && choice != .update || isChanged ? (old, record) : nil
  }

  /// Records which cards of an existing note the received ones are, so that these get the answers of those.
  /// - Returns: the indices of those that the note lacks.
  private func match(_ cards: [(id: Int64, ordinal: Int)], of note: NoteID) throws -> [Int] {
    let sql = "SELECT ord, id FROM cards WHERE note = ?"
    let stored = Dictionary(try db.rows(sql, [note.rawValue]) { ($0.count(0), $0.integer(1)) }) { first, _ in first }
    for card in cards { if let here = stored[card.ordinal] { rows.match(here, with: card.id) } }
    return cards.indices.filter { stored[cards[$0].ordinal] == nil }
  }

  // MARK: A new note

  func record(_ note: NoteRecord, _ id: NoteID, _ kind: Kind) -> NoteRecord {
    NoteRecord(
      id: id, guid: note.guid, type: kind.maker.type.id, modified: note.modified, tags: note.tags, fields: note.fields,
      data: note.data)
  }

  private func prepared(_ note: NoteRecord) throws -> NoteRecord {
    var note = note
    for index in note.fields.indices { note.fields[index] = try field(note.fields[index]) }
    return note
  }

  /// Immediately writes another card of a note.
  @discardableResult
  func insert(_ card: StoredCard, _ note: NoteRecord, _ kind: Kind) throws -> CardID {
    let id = try rows.write(made(card, note, kind))
    if kind.maker.needsCardID { try kind.writer.rewrite(note) }
    return id
  }

  private func insert(_ note: NoteRecord, _ kind: Kind, _ cards: [StoredCard]) throws {
    let note = try prepared(note)
    let column = try NoteFieldText.column(note.fields, names: kind.maker.type.fields)
    let record = record(note, try rows.noteID(note.id), kind)
    came?.insert(record.id.rawValue)
    let tags = try Tags.column(note.tags)
    let made = try cards.map { try self.made($0, record, kind) }
    try rows.add(record, tags: tags, fields: column, made)
    guids?.insert(NoteReceiver.hash(note.guid))
    if kind.maker.needsCardID {
      try rows.flush()
      try kind.writer.rewrite(record)
    }
  }

  private func made(_ card: StoredCard, _ note: NoteRecord, _ kind: Kind) throws -> StoredCard {
    var card = card
    (card.note, card.content, card.created) = (note.id, try texts(card, note, kind).content, created(card.id))
    return card
  }

  /// When a card was added: Anki's ids are times in milliseconds. For an id that cannot be one it is now.
  private func created(_ id: CardID) -> Double {
    let time = Double(id.rawValue) / 1000
    return time > NoteReceiver.firstTime && time < now ? time : now
  }

  /// The year 2006, in which Anki began.
  private static let firstTime = 1_136_073_600.0

  private func texts(_ card: StoredCard, _ note: NoteRecord, _ kind: Kind) throws -> CardTexts {
    if kind.maker.isBasic, card.ordinal == 0 { return try CardTexts(basic: note.fields, isInterrupted: isInterrupted) }
    var facts = kind.maker.facts(tags: note.tags, deckName: try deckName(card.deck))
    facts.flag = card.flag
    let fields = NoteFields(names: kind.maker.type.fields, values: note.fields)
    return try kind.maker.texts(fields, facts, ordinal: card.ordinal)
  }

  private func deckName(_ deck: DeckID) throws -> String {
    try deckNames.kept(deck) {
      try rows.drain()
      return try DeckTable.record(db, deck).name
    }
  }

  /// Replaces the fields and tags of an existing note, and the texts of its cards. No card is added or removed.
  public func renew(_ note: NoteRecord, of type: NoteType) throws {
    let kind = kind(of: type)
    let note = try fit(note, type)
    let known = try NoteTable.known(db, note.id)
    // Other programs drop what is stored with a note besides its fields whenever they write the note.
    try db.cachedStatement(
      sql: """
        UPDATE OR FAIL notes SET guid = ?, type = ?, mod = ?, usn = 0, tags = ?, fields = ?,
          data = ifnull(nullif(?, ''), data) WHERE id = ?
        """
    ).execute(arguments: [
      note.guid, type.id.rawValue, note.modified, try Tags.column(note.tags),
      try NoteFieldText.column(note.fields, names: type.fields), note.data, note.id.rawValue,
    ])
    let hasOtherTags = known.map { $0.tags != note.tags } ?? false
    try kind.writer.rewrite(record(note, note.id, kind), hasOtherTags: hasOtherTags)
  }

  /// Adds a card of a note, and the note itself if it is missing.
  public func add(_ card: StoredCard, of note: NoteRecord, _ type: NoteType) throws -> CardID {
    let kind = kind(of: type)
    let note = try fit(note, type)
    if try !NoteTable.exists(db, note.id) {
      try insert(note, kind, [])
      try rows.flush()
      try SyncedNotes.markSent(db, note.id)
    }
    return try insert(card, record(note, note.id, kind), kind)
  }

  private func fit(_ note: NoteRecord, _ type: NoteType) throws -> NoteRecord {
    var note = note
    note.fields = fitted(note.fields, type)
    note.guid = try Guid.cleaned(note.guid) ?? "\(note.id.rawValue)"
    return note
  }
}

/// What a sync does with existing notes.
public enum SyncedNotes {
  /// Marks a note as changed, so that it is sent.
  public static func markUnsent(_ db: Database, _ id: NoteID) throws {
    try db.cachedStatement(sql: "UPDATE notes SET \(Unsent.sql) WHERE id = ?").execute(arguments: [id.rawValue])
  }

  /// Marks a note as sent: the server has its present form, or its base records what the server has.
  public static func markSent(_ db: Database, _ id: NoteID) throws {
    try db.cachedStatement(sql: "UPDATE notes SET usn = 0 WHERE id = ?").execute(arguments: [id.rawValue])
  }

  public static func renumber(_ db: Database, _ old: Int64, to new: Int64) throws {
    try SyncedTable.cards.keep(db, NoteTable.cards(db, of: NoteID(rawValue: old)).map(\.rawValue))
    try db.execute(sql: "UPDATE notes SET id = ?, \(Unsent.sql) WHERE id = ?", arguments: [new, old])
  }

  /// The cards of a note that its type does not make of its fields and that were never studied; none if it makes none
  /// of the note's cards.
  public static func obsoleteCards(_ db: Database, of id: NoteID) throws -> [CardID] {
    let note = try NoteTable.record(db, id)
    let maker = NoteCardMaker(try NoteTypeTable.record(db, note.type), isInterrupted: isNeverInterrupted)
    let unmade = try NoteOrdinals.unmade(db, of: note, maker)
    return try unmade.isEmpty ? [] : NoteOrdinals.dropped(db, of: id, making: []).filter(unmade.contains)
  }

  /// Replaces the fields of a note after its type has changed, and updates its cards; with `makesCards`, it also adds
  /// cards, and removes those that were never studied.
  public static func reshape(
    _ db: Database, _ note: NoteRecord, to fields: [String], makesCards: Bool, isInterrupted: @escaping () -> Bool
  ) throws {
    let type = try NoteTypeTable.record(db, note.type)
    var new = note
    new.fields = NoteTable.padded(fields, type)
    try NoteTable.write(db, new, type)
    var writer = NoteCardWriter(db, type, now: Double(note.modified), isInterrupted: isInterrupted)
    if makesCards { try writer.renew(new) } else { try writer.rewrite(new) }
  }
}
