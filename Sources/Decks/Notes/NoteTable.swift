// Notes in the database: adding, reading, finding, changing, removing; each change also updates the note's cards.
// Invariant: every note has a card, and every card has a note. A question about many notes takes a single pass over the
// table.

import Files
public import Storage
public import Templates
import Text

public enum NoteTable {
  private static let columns = "id, guid, type, mod, tags, fields, usn"

  // MARK: Finding

  /// - Throws: `DeckError.gone`.
  public static func record(_ db: Database, _ id: NoteID) throws -> NoteRecord {
    guard let found = try known(db, id) else { throw DeckError.gone(what: "the note") }
    return found
  }

  /// The note with an id; nil if there is none.
  public static func known(_ db: Database, _ id: NoteID) throws -> NoteRecord? {
    try db.firstRow("SELECT \(columns) FROM notes WHERE id = ?", [id.rawValue], record)
  }

  public static func exists(_ db: Database, _ id: NoteID) throws -> Bool {
    try db.hasRow("SELECT 1 FROM notes WHERE id = ?", [id.rawValue])
  }

  /// The id of the note with a guid; nil if there is none.
  /// - Parameter decks: the decks in one of which it must have a card; other decks may have another note with that
  ///   guid.
  public static func id(_ db: Database, guid: String, in decks: Set<DeckID>? = nil) throws -> NoteID? {
    guard let decks else {
      return try db.firstRow("SELECT id FROM notes WHERE guid = ?", [guid]) { NoteID(rawValue: $0.integer(0)) }
    }
    let sql = "SELECT notes.id, deck FROM notes JOIN cards ON note = notes.id WHERE guid = ? ORDER BY notes.id"
    let found = try db.rows(sql, [guid]) { (NoteID(rawValue: $0.integer(0)), DeckID(rawValue: $0.integer(1))) }
    return found.first { decks.contains($0.1) }?.0
  }

  /// The card of a note with a number, counted from 0; nil if it has none with that number.
  public static func card(_ db: Database, of note: NoteID, ordinal: Int) throws -> CardID? {
    try db.firstRow("SELECT id FROM cards WHERE note = ? AND ord = ?", [note.rawValue, ordinal]) {
      CardID(rawValue: $0.integer(0))
    }
  }

  /// The note of a type that a new note without a guid would duplicate, and its first card: the one whose first card
  /// has the same prompt and answer in the deck, or else the same prompt.
  /// - Parameter mayTake: whether a first card with only the same prompt counts.
  public static func same(
    _ db: Database, _ note: NewNote, type: NoteType, in deck: DeckID, where mayTake: (CardID) -> Bool
  ) throws -> (id: NoteID, card: CardID)? {
    let fields = try values(note.fields, of: type)
    try checkFilled(fields, type)
    let maker = NoteCardMaker(type, isInterrupted: isNeverInterrupted)
    let facts = maker.facts(tags: note.tags, deckName: try DeckTable.record(db, deck).name)
    guard let texts = try firstTexts(NoteFields(names: type.fields, values: fields), facts, maker) else { return nil }
    let writer = try CardWriter(db, deck: deck) { 0 }
    let exact = try NewCard(prompt: texts.prompt, answer: texts.answer).checked { try writer.find($0) }
    if let exact, let id = try self.note(db, withFirst: exact, isOf: type) { return (id, exact) }
    var prompt = texts.prompt
    let card = try prompt.withUTF8 { prompt in
      try writer.find(prompt: prompt) { try mayTake($0) && self.note(db, withFirst: $0, isOf: type) != nil }
    }
    guard let card, let id = try self.note(db, withFirst: card, isOf: type) else { return nil }
    return (id, card)
  }

  /// The note of a type of which a card is the first one; nil for other cards.
  private static func note(_ db: Database, withFirst card: CardID, isOf type: NoteType) throws -> NoteID? {
    let sql = """
      SELECT notes.id FROM notes JOIN cards ON cards.note = notes.id WHERE cards.id = ? AND notes.type = ?
        AND NOT EXISTS (SELECT 1 FROM cards c WHERE c.note = notes.id AND c.ord < cards.ord)
      """
    return try db.firstRow(sql, [card.rawValue, type.id.rawValue]) { NoteID(rawValue: $0.integer(0)) }
  }

  /// What the first card of a new note shows; nil for one that shows nothing, which is not a duplicate of any other.
  /// - Parameter isOnly: whether it is to be the only card, which does not show its id; nil for another note.
  fileprivate static func firstTexts(
    _ fields: NoteFields, _ facts: CardFacts, _ maker: NoteCardMaker, isOnly: Bool = false
  ) throws -> CardTexts? {
    let ordinals = maker.ordinals(fields.adding(facts))
    if isOnly, maker.needsCardID || ordinals != [0] { return nil }
    let texts = try maker.texts(fields, facts, ordinal: ordinals[0])
    return texts.prompt == CardTexts.blank ? nil : texts
  }

  public static func cards(_ db: Database, of note: NoteID) throws -> [CardID] {
    try db.rows("SELECT id FROM cards WHERE note = ? ORDER BY ord", [note.rawValue]) { CardID(rawValue: $0.integer(0)) }
  }

  /// The ids of all notes of a type, oldest first; 8 bytes each.
  public static func ids(_ db: Database, of type: NoteTypeID) throws -> [NoteID] {
    try db.rows("SELECT id FROM notes WHERE type = ? ORDER BY id", [type.rawValue]) { NoteID(rawValue: $0.integer(0)) }
  }

  /// The ids of the notes whose guid begins with `start`, an exact match first; at most 10 of them.
  public static func ids(_ db: Database, guidBeginning start: String) throws -> [NoteID] {
    let sql = "SELECT id FROM notes WHERE guid >= ?1 AND guid < ?1 || char(1114111) ORDER BY guid <> ?1, id LIMIT 10"
    return try db.rows(sql, [start]) { NoteID(rawValue: $0.integer(0)) }
  }

  // MARK: Adding

  /// The id for a new note, at least ?1, and above all ids that are less than 80,000 seconds after ?1, so that ids
  /// ascend. Ids further in the future are ignored. The id of a removed note stays reserved while a sync server still
  /// has the note: otherwise the server would not learn of the removal.
  static let freeIDQuery = """
    SELECT max(?1, 1 + ifnull(max(id), 0), 1 + ifnull(
      (SELECT max(id) FROM undo_removed WHERE kind = \(SyncedTable.notes.rawValue) AND id < ?1 + 80000000), 0))
    FROM notes WHERE id < ?1 + 80000000
    """

  /// The milliseconds since 1970.
  static func firstID(now: Double) -> Int64 { Int64(exactly: (now * 1000).rounded(.down)) ?? 0 }

  static func freeID(_ db: Database, now: Double) throws -> Int64 {
    let first = firstID(now: now)
    return try db.firstRow(freeIDQuery, [first]) { $0.integer(0) } ?? first
  }

  /// Adds a note with its cards to a deck, at the top unless the note says otherwise, the first card above the others.
  /// - Throws: `NoteError.noField`, `.emptyNote`, `.noCloze`, `.badField`, `.tooLarge`; `DeckError.duplicate`,
  ///   `.badTag`, `.badGuid`, `.gone`.
  @discardableResult
  public static func add(
    _ db: Database, _ note: NewNote, type: NoteType, to deck: DeckID, now: Double, random: () -> UInt64,
    isInterrupted: @escaping () -> Bool
  ) throws -> NoteID {
    let values = try values(note.fields, of: type)
    let column = try NoteFieldText.column(values, names: type.fields)
    let tags = try Tags.column(note.tags)
    let guid = try guid(db, note.guid, random)
    if !note.mayBeEmpty { try checkFilled(values, type) }
    let writer = NoteCardWriter(db, type, now: now, isInterrupted: isInterrupted)
    let fields = NoteFields(names: type.fields, values: values)
    let facts = writer.maker.facts(tags: Tags.list(tags), deckName: try DeckTable.record(db, deck).name)
    // Without a guid, a note is a duplicate if the deck has a card with the prompt and the answer of its first card.
    if !note.mayRepeat, (note.guid?.trimmed ?? "").isEmpty, let texts = try firstTexts(fields, facts, writer.maker) {
      let there = try CardWriter(db, deck: deck) { 0 }
      let found = try NewCard(prompt: texts.prompt, answer: texts.answer).checked { try there.find($0) }
      if found != nil { throw DeckError.duplicate(guid: nil, prompt: texts.prompt) }
    }
    let ordinals = try writer.ordinals(fields, facts)
    let id = NoteID(rawValue: try freeID(db, now: now))
    try db.cachedStatement(sql: insertion)
      .execute(arguments: [id.rawValue, guid, type.id.rawValue, seconds(now), tags, column])
    try writer.add(ordinals, of: id, fields, facts, to: deck, at: note.place)
    return id
  }

  /// The fields in the order of the type.
  fileprivate static func values(_ fields: [String: String], of type: NoteType) throws(NoteError) -> [String] {
    let names = type.fields
    if let unknown = fields.keys.filter({ !names.contains($0) }).min() { throw type.unknownField(unknown) }
    return names.map { fields[$0] ?? "" }
  }

  /// Checks that the texts of a new note are not empty.
  /// - Parameter fields: the fields in the order of the type.
  /// - Throws: `.noCloze`, `.emptyNote`.
  public static func checkFilled(_ fields: [String], _ type: NoteType) throws(NoteError) {
    let isCloze = type.isCloze
    if isCloze, !fields.contains(where: { !ClozeText(Bytes($0.utf8)).numbers.subtracting([0]).isEmpty }) {
      throw .noCloze
    }
    if !isCloze, let first = fields.first, !isFilled(Bytes(first.utf8)) { throw .emptyNote(field: type.fields[0]) }
  }

  static func guid(_ db: Database, _ given: String?, _ random: () -> UInt64) throws -> String {
    if let checked = try Guid.cleaned(given ?? "") {
      if try id(db, guid: checked) != nil { throw DeckError.duplicate(guid: checked, prompt: "") }
      return checked
    }
    for _ in 0..<8 {
      let made = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Guid.length) { bytes in
        Guid.write(random(), into: bytes)
        return String(decoding: bytes, as: UTF8.self)
      }
      if try id(db, guid: made) == nil { return made }
    }
    throw DeckError.duplicate(guid: given ?? "", prompt: "")
  }

  // MARK: Changing

  /// How many cards `update` would remove with these fields; changes nothing.
  public static func lostCards(_ db: Database, _ id: NoteID, fields: [String: String]) throws -> Int {
    let note = try record(db, id)
    let type = try NoteTypeTable.record(db, note.type)
    let values = try changed(padded(note.fields, type), by: fields, type)
    let wanted = NoteOrdinals.made(note, type, values: values)
    return try NoteOrdinals.dropped(db, of: id, making: wanted) { NoteOrdinals.made(note, type) }.count
  }

  private static func changed(
    _ values: [String], by fields: [String: String], _ type: NoteType
  ) throws(NoteError) -> [String] {
    var values = values
    for (name, value) in fields {
      guard let index = type.fields.firstIndex(of: name) else { throw type.unknownField(name) }
      values[index] = value
    }
    return values
  }

  /// Changes fields (HTML, by name) and tags; nil leaves the tags unchanged. The note's cards are added, updated and,
  /// if they were never studied, removed accordingly.
  /// - Returns: how many cards were removed.
  /// - Throws: as `add`.
  @discardableResult
  public static func update(
    _ db: Database, _ id: NoteID, fields: [String: String] = [:], tags: [String]? = nil, now: Double,
    isInterrupted: @escaping () -> Bool
  ) throws -> Int {
    let old = try record(db, id)
    let type = try NoteTypeTable.record(db, old.type)
    let values = try changed(padded(old.fields, type), by: fields, type)
    let tags = try Tags.list(tags.map { try Tags.column($0) } ?? Tags.column(old.tags))
    let new = NoteRecord(id: id, guid: old.guid, type: old.type, modified: seconds(now), tags: tags, fields: values)
    if new.tags == old.tags, zip(values, old.fields).allSatisfy({ $0.utf8.elementsEqual($1.utf8) }),
      values.count == old.fields.count
    {
      return 0
    }
    if !fields.isEmpty { try checkFilled(values, type) }
    try write(db, new, type)
    var writer = NoteCardWriter(db, type, now: now, isInterrupted: isInterrupted)
    return try writer.renew(new, hasOtherTags: new.tags != old.tags) { NoteOrdinals.made(old, type) }
  }

  /// Inserts a new note with the columns that do not come from other programs.
  static let insertion = "INSERT INTO notes (id, guid, type, mod, tags, fields) VALUES (?, ?, ?, ?, ?, ?)"

  static func writeTexts(_ db: Database, _ note: NoteID, modified: Int, tags: String, fields: String) throws {
    try SyncedTable.notes.keep(db, [note.rawValue])
    // `OR FAIL` as in `CardTable.updateContent`.
    let sql = "UPDATE OR FAIL notes SET mod = ?, \(Unsent.sql), tags = ?, fields = ? WHERE id = ?"
    try db.cachedStatement(sql: sql).execute(arguments: [modified, tags, fields, note.rawValue])
  }

  static func write(_ db: Database, _ note: NoteRecord, _ type: NoteType) throws {
    let column = try NoteFieldText.column(note.fields, names: type.fields)
    try writeTexts(db, note.id, modified: note.modified, tags: Tags.column(note.tags), fields: column)
  }

  /// As many fields as the type has, even if more or fewer were stored.
  static func padded(_ fields: [String], _ type: NoteType) -> [String] {
    let count = type.fieldList.count
    if fields.count == count { return fields }
    return Array((fields + Array(repeating: "", count: max(0, count - fields.count))).prefix(count))
  }

  /// Changes the fields that make what a card shows.
  /// - Throws: `madeFromNote` unless the type has the shape of Basic, `formatted` if plain text would lose formatting.
  static func write(_ db: Database, _ old: CardContent, _ new: CardContent, now: Double) throws {
    let note = try record(db, old.note)
    let type = try NoteTypeTable.record(db, note.type)
    var fields: [String: String] = [:]
    for (what, text, before, place) in [("prompt", new.prompt, old.prompt, 0), ("answer", new.answer, old.answer, 1)]
    where !text.utf8.elementsEqual(before.utf8) {
      if !type.isBasic { throw NoteError.madeFromNote(what: what, fields: type.fields) }
      let field = padded(note.fields, type)[place]
      if FieldHTML.isFormatted(field) { throw NoteError.formatted(field: type.fields[place]) }
      fields[type.fields[place]] = FieldHTML.html(ofPlain: text)
    }
    // A note with the shape of Basic has two fields and no template to evaluate.
    try update(db, old.note, fields: fields, tags: Tags.list(new.tags), now: now, isInterrupted: isNeverInterrupted)
  }

  /// The name of a field of a note; its number if the note has more fields than its type.
  static func fieldName(_ db: Database, _ note: NoteID, _ place: Int) throws -> String {
    let fields = try NoteTypeTable.record(db, record(db, note).type).fields
    return fields.indices.contains(place) ? fields[place] : "\(place + 1)"
  }

  /// Removes notes with all their cards; the log of their reviews stays.
  /// - Returns: how many cards were removed.
  @discardableResult
  public static func remove(_ db: Database, _ ids: some Sequence<NoteID>) throws -> Int {
    try CardTable.remove(db, ids.flatMap { try cards(db, of: $0) })
  }

  private static func record(_ row: Row) -> NoteRecord {
    var note = record(NoteID(rawValue: row.integer(0)), row, from: 1)
    note.isUnsent = Unsent.holds(usn: row.integer(6))
    return note
  }

  /// - Parameter guid: the index of the guid, which the type, the time, the tags and the fields follow.
  static func record(_ id: NoteID, _ row: Row, from guid: Int32) -> NoteRecord {
    NoteRecord(
      id: id, guid: row.text(guid), type: NoteTypeID(rawValue: row.integer(guid + 1)), modified: row.count(guid + 2),
      tags: Tags.list(row.text(guid + 3)), fields: NoteFieldText.list(row.text(guid + 4)))
  }
}

/// The notes among which a first field is looked for.
public struct FirstFieldScope: Hashable, Sendable {
  /// Nil for the notes of every type.
  public var type: NoteTypeID?
  /// Nil for all decks.
  public var decks: [DeckID]?

  public init(type: NoteTypeID?, decks: [DeckID]? = nil) { (self.type, self.decks) = (type, decks) }
}

extension NoteTable {
  /// The key by which first fields are compared: the text without tags, with the names of media.
  public static func firstFieldKey(_ field: String) -> String {
    var field = field
    return field.withUTF8(isShownAsWritten) ? field : FieldHTML.sortText(field).trimmed.composed
  }

  /// Returns those of the keys that belong to the first field of some note.
  /// - Parameter keys: results of `firstFieldKey`.
  public static func taken(_ db: Database, _ keys: Set<String>, in scope: FirstFieldScope) throws -> Set<String> {
    var found: Set<String> = []
    try forEachFirstField(db, in: scope) { key in if keys.contains(key) { found.insert(key) } }
    return found
  }

  /// Calls `body` with the keys of all first fields.
  public static func forEachFirstField(_ db: Database, in scope: FirstFieldScope, _ body: (String) -> Void) throws {
    var conditions: [String] = []
    let decks = scope.decks.map { "(" + $0.map { String($0.rawValue) }.joined(separator: ",") + ")" }
    if let type = scope.type { conditions.append("type = \(type.rawValue)") }
    if let decks { conditions.append("id IN (SELECT note FROM cards WHERE deck IN \(decks))") }
    let clause = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    try Statement(db, "SELECT fields FROM notes\(clause)").forEachRow { row in
      let column = row.bytes(0)
      let end = NoteFieldText.place(of: NoteFieldText.separator, in: column) ?? column.count
      body(firstFieldKey(String(decoding: column[..<end], as: UTF8.self)))
    }
  }

  /// Whether the key is the field itself: most fields are a word in ASCII.
  private static func isShownAsWritten(_ bytes: TextBytes) -> Bool {
    guard let first = bytes.first, let last = bytes.last, first != 0x20, last != 0x20 else { return bytes.isEmpty }
    return bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "&") }
  }

  /// The notes of some cards, each once, in the order of the cards.
  public static func notes(_ db: Database, ofCards ids: [CardID]) throws -> [NoteID] {
    let sql = """
      SELECT note FROM (SELECT key AS place, value AS wanted FROM json_each(?))
      CROSS JOIN cards ON cards.id = wanted ORDER BY place
      """
    return try db.rows(sql, [CardTable.list(ids.lazy.map(\.rawValue))]) { NoteID(rawValue: $0.integer(0)) }
      .distinct(by: \.self)
  }

  /// Whether all notes of a type with the shape of Basic that have cards in a deck are plain: see `NoteRecord.isPlain`.
  public static func arePlain(_ db: Database, of type: NoteTypeID, in deck: DeckID) throws -> Bool {
    let sql = "SELECT notes.fields FROM cards JOIN notes ON notes.id = note WHERE deck = ? AND type = ?"
    var arePlain = true
    try db.forEachRow(sql, while: { arePlain }, [deck.rawValue, type.rawValue]) { row in
      arePlain = NoteRecord.arePlain(NoteFieldText.list(row.text(0)))
    }
    return arePlain
  }

  public static func tags(_ db: Database) throws -> [String] {
    var tags: Set<String> = []
    try db.forEachRow("SELECT DISTINCT tags FROM notes WHERE tags <> ''") { tags.formUnion(Tags.list($0.text(0))) }
    return tags.sorted()
  }
}

extension NewNote {
  /// Its fields as a column, and what its only card shows; nil if it has several, or one that shows nothing or its own
  /// id.
  func onlyCard(_ sides: PlainSides, deckName: String) throws -> (fields: String, texts: CardTexts)? {
    let type = sides.maker.type
    let values = try NoteTable.values(fields, of: type)
    let column = try NoteFieldText.column(values, names: type.fields)
    try NoteTable.checkFilled(values, type)
    let tags = try Tags.list(Tags.column(tags))
    let texts = try sides.texts(values) { values in
      let facts = sides.maker.facts(tags: tags, deckName: deckName)
      return try NoteTable.firstTexts(NoteFields(names: type.fields, values: values), facts, sides.maker, isOnly: true)
    }
    return texts.map { (column, $0) }
  }
}
