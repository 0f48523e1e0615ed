// What a collection contains: note types, decks, presets, the day that day numbers count from; and its notes with
// their cards, one note at a time. Invariant: the result does not depend on the collection's schema; members of a note
// type, a deck or a preset that are not understood are kept; notes and cards are read by two parallel queries, so
// memory holds one note; a card is returned with its note or not at all.

import Decks
import Storage
import Templates
import Text
import Values

struct PackagedDeck {
  var name: String
  /// Whether it is a filtered deck, whose cards have another deck as their home.
  var isFiltered = false
  var preset: Int64?
  var limits = DeckLimits()
  var record = Value.Record()
}

struct PackagedPreset {
  var name: String
  var options = DeckOptions()
  var record = Value.Record()
}

struct PackageContents {
  var types: [Int64: Value.Record] = [:]
  var decks: [Int64: PackagedDeck] = [:]
  var presets: [Int64: PackagedPreset] = [:]
  /// Seconds since 1970.
  var created = 0.0
  var modified = 0.0
  var settings = Value.Record()
  /// Whether it is Anki's own file: decks keep their whole names within the deck that is imported into.
  var isOwn = false

  /// Returns the decks that are imported (those with cards, or all of CrowdAnki) with the parts of their names, outer
  /// ones first, and how many parts all share.
  func homes(_ db: Database) throws -> (decks: [(id: Int64, parts: [String])], depth: Int) {
    let isFolder = settings[CrowdAnkiReader.kept] != nil
    let used = try db.rows("SELECT DISTINCT iif(odid <> 0, odid, did) FROM cards") { $0.integer(0) }
    let all = (isFolder ? Array(decks.keys) : used).map { (id: $0, parts: PackageTargets.parts(decks[$0])) }
    return (all.sorted { $0.parts.lexicographicallyPrecedes($1.parts) }, PackageTargets.common(all.map(\.parts)))
  }

  /// Minutes that the local clock was behind UTC when the collection was created; nil when it is not recorded.
  var creationOffset: Int? { settings["creationOffset"]?.integer }

  /// Whether the collection uses Anki's first scheduler, also meant if it records none.
  var usesFirstScheduler: Bool { (settings["schedVer"]?.integer ?? 1) < 2 }

  /// Returns the number of the day that due days count from.
  /// - Parameter moment: provides the UTC offset when the collection does not record one.
  func firstDay(_ moment: StudyMoment) -> Int {
    let shown = creationOffset.map { created - 60 * Double($0) } ?? moment.local(created)
    let days = (shown / 86_400).rounded(.down)
    return Int(exactly: min(1e8, max(-1e8, days.isNaN ? 0 : days))) ?? 0
  }
}

struct ContentsReader {
  let db: Database
  let path: String
  private static let limits = JSONLimits(bytes: 256 << 20, depth: 64, values: 20_000_000, string: 64 << 20)

  /// - Throws: `PackageError` for a file that is not a collection, and for a newer schema.
  func contents() throws -> PackageContents {
    try checkTables()
    guard let version = try db.firstRow("SELECT ver FROM col", [], { $0.count(0) }) else {
      throw PackageError.damaged(path: path, place: "its collection", reason: "is empty")
    }
    if version > 18 { throw PackageError.newer(path: path) }
    // No program wrote 12 and 13, which were steps on the way to 14.
    guard version == 11 || version >= 14 else {
      throw PackageError.refused(path: path, place: "its collection", reason: "uses the old schema \(version)")
    }
    var contents = PackageContents()
    contents.isOwn = path.hasSuffix(".anki2")
    try db.forEachRow("SELECT crt, mod FROM col") { row in
      (contents.created, contents.modified) = (row.number(0), row.number(1) / 1000)
    }
    // Presets and settings have tables of their own from 14 on, note types and decks from 15 on.
    if version < 15 { try readColumns(into: &contents) }
    if version == 14 { try readPresets(into: &contents) }
    let tables = SchemaEighteen(db: db)
    do {
      if version >= 15 { try tables.read(into: &contents) }
      if version >= 14 { try tables.readSettings(into: &contents) }
    } catch is WireFault { throw faulty("the note types or decks") }
    return contents
  }

  /// Checks that it has the tables of a collection. `ForeignDatabase` reads no others than ordinary ones.
  private func checkTables() throws {
    for name in ["col", "notes", "cards", "revlog"] {
      switch try db.foreignTable(name) {
      case .ordinary: continue
      case .missing:
        throw PackageError.damaged(path: path, place: "its collection", reason: "lacks the table \(name)")
      case .other:
        throw PackageError.refused(path: path, place: "its collection", reason: "has no ordinary table \(name)")
      }
    }
    if try db.hasRow("SELECT 1 FROM sqlite_master WHERE type = 'view'") {
      throw PackageError.refused(path: path, place: "its collection", reason: "has a view, which no program writes")
    }
  }

  private func faulty(_ what: String) -> PackageError {
    .damaged(path: path, place: "its collection", reason: "has \(what) in a form that cannot be read")
  }

  // MARK: Schemas 11 and 14

  private func record(_ json: String, _ what: String) throws -> Value.Record {
    if json.isEmpty { return Value.Record() }
    do throws(JSONFailure) {
      // genanki names a note type again for each deck that it writes.
      let value = try JSONParser.parse(Array(json.utf8), limits: ContentsReader.limits, keepsLast: true)
      if let record = value.record { return record }
    } catch { throw faulty(what) }
    throw faulty(what)
  }

  private func readColumns(into contents: inout PackageContents) throws {
    let columns = try db.firstRow("SELECT models, decks, dconf, conf FROM col") { row in
      (0..<4).map { row.text(Int32($0)) }
    }
    guard let columns else { return }
    for (id, type) in try records(columns[0], "note types") { contents.types[id] = type }
    for (id, deck) in try records(columns[1], "decks") { contents.decks[id] = PackagedDeck(old: deck) }
    for (id, preset) in try records(columns[2], "presets") { contents.presets[id] = PackagedPreset(old: preset) }
    contents.settings = try record(columns[3], "settings")
  }

  private func records(_ json: String, _ what: String) throws -> [(Int64, Value.Record)] {
    try record(json, what).fields.map { field in
      guard let id = Int64(field.name), let value = field.value.record else { throw faulty(what) }
      return (id, value)
    }
  }

  private func readPresets(into contents: inout PackageContents) throws {
    try db.forEachRow("SELECT id, name, config FROM deck_config") { row in
      var preset = try record(row.text(2), "presets")
      preset["name"] = .text(row.text(1))
      contents.presets[row.integer(0)] = PackagedPreset(old: preset)
    }
  }
}

extension PackagedDeck {
  init(old: Value.Record) {
    (name, record) = (old["name"]?.text ?? "", old)
    isFiltered = old["dyn"]?.integer == 1
    preset = old["conf"]?.integer.map { Int64($0) }
    let (new, reviews) = (old["newLimit"]?.integer, old["reviewLimit"]?.integer)
    for (option, value) in [
      (DeckOptions.Name.newPerDay, new.map { Double(min(9999, max(0, $0))) }),
      (.reviewsPerDay, reviews.map { Double(min(9999, max(0, $0))) }),
      (.desiredRetention, old["desiredRetention"]?.double.map { $0 / 100 }),
    ] {
      guard let value else { continue }
      // A value out of range is ignored.
      do throws(DeckError) { try limits.set(option, to: value) } catch { continue }
    }
  }
}

extension PackagedPreset {
  init(old: Value.Record) {
    (name, record) = (old["name"]?.text ?? "", old)
    for (option, place) in SentHead.places {
      let group = place.group.map { old[$0]?.record ?? Value.Record() } ?? old
      if let value = group[place.key].flatMap({ Self.value(option, $0) }) { set(option, value) }
    }
    let versions = ["fsrsParams6", "fsrsParams5", "fsrsWeights"].map { old[$0]?.list?.compactMap(\.double) ?? [] }
    if let given = versions.first(where: { !$0.isEmpty }) { set(.parameters, .parameters(given)) }
  }

  /// A value out of range is ignored.
  private mutating func set(_ name: DeckOptions.Name, _ value: OptionValue) {
    do throws(DeckError) { try options.set(name, value) } catch { return }
  }

  private static func value(_ option: DeckOptions.Name, _ given: Value) -> OptionValue? {
    switch option.kind {
    // A value below the range is 0 in place of none: with it, no card was ever a leech, and no answer too long.
    case .whole(let range):
      given.integer.flatMap { $0 < range.lowerBound ? nil : .number(Double(min(range.upperBound, $0))) }
    case .number: given.double.map { .number($0) }
    case .flag: given.boolean.map { .flag($0) }
    case .choice: given.integer.flatMap { AnkiChoices.words(option)[$0] }.map { .choice($0) }
    // In minutes, as packages store them; a third of a minute is 20 seconds.
    case .steps: given.list.map { .steps($0.compactMap(\.double).map { ($0 * 60).rounded() }) }
    case .weekdays: given.list.map { .weekdays($0.compactMap(\.double)) }
    // Of several versions.
    case .parameters: nil
    }
  }
}

enum AnkiChoices {
  static func words(_ name: DeckOptions.Name) -> [Int: String] {
    switch name {
    case .newGather:
      [0: "deck", 5: "deck", 1: "lowest_position", 2: "highest_position", 3: "random_notes", 4: "random_cards"]
    case .leechAction: [0: "suspend", 1: "tag"]
    case .newSort: [0: "template", 1: "gathered", 2: "template_random", 3: "random_note", 4: "random"]
    case .newMix: [0: "mix", 1: "after", 2: "before"]
    case .reviewOrder:
      [
        0: "due_random", 1: "due_deck", 2: "deck_due", 3: "shortest", 4: "longest", 5: "hardest", 6: "easiest",
        7: "forgotten", 11: "remembered", 12: "overdue", 8: "random", 9: "added", 10: "added_last",
      ]
    default: [:]
    }
  }

  /// Returns the number of a choice, the lowest where several numbers mean the same.
  static func number(_ name: DeckOptions.Name, _ word: String) -> Int? {
    words(name).filter { $0.value == word }.map(\.key).min()
  }
}

struct PackagedNote {
  /// With the id and the note type id that it has in the package.
  let note: NoteRecord
  var cards: [AnkiCard] = []
  /// Whether cards were skipped because their ordinal was taken or out of range.
  var hasMoreCards = false
}

final class PackageRows {
  private let keepsMarks: Bool
  private let notes: Statement
  private let cards: Statement
  private var card: Row?
  let count: Int
  private(set) var hasStrayCards = false
  private(set) var refusedTags = 0

  static let cardColumns = """
    id, nid, did, ord, mod, type, queue, due, ivl, factor, reps, lapses, left, odue, odid, flags, data
    """

  init(_ db: Database, keepsMarks: Bool = true) throws {
    self.keepsMarks = keepsMarks
    count = try db.count("SELECT count(*) FROM notes")
    notes = try Statement(db, "SELECT id, guid, mid, mod, tags, flds, data FROM notes ORDER BY id")
    cards = try Statement(db, "SELECT \(PackageRows.cardColumns) FROM cards ORDER BY nid, ord, id")
    card = try cards.next()
  }

  /// Returns the next note; nil after the last one.
  func next() throws -> PackagedNote? {
    guard let row = try notes.next() else {
      if card != nil { hasStrayCards = true }
      return nil
    }
    let id = row.integer(0)
    let tags = PackageRows.tags(row.text(4)) { _ in refusedTags += 1 }
    var note = PackagedNote(
      note: NoteRecord(
        id: NoteID(rawValue: min(AnkiCard.mostNumber, id)), guid: row.text(1),
        type: NoteTypeID(rawValue: row.integer(2)),
        modified: min(Int(AnkiCard.mostNumber), max(0, row.count(3))),
        tags: keepsMarks ? tags : Tags.withoutMarks(tags), fields: PackageRows.fields(row.bytes(5)), data: row.text(6)))
    while let next = card, next.integer(1) <= id {
      if next.integer(1) == id { append(next, to: &note) } else { hasStrayCards = true }
      card = try cards.next()
    }
    return note
  }

  /// Adds a card to its note. If two cards have the same ordinal, the first one is kept.
  private func append(_ row: Row, to note: inout PackagedNote) {
    let ordinal = row.count(3)
    guard (0..<500).contains(ordinal), note.cards.last?.ordinal != ordinal else { return note.hasMoreCards = true }
    var card = AnkiCard(row)
    card.separateRelearning()
    note.cards.append(card)
  }

  /// Splits the column `tags`; what cannot be a tag is passed to `refuse`.
  static func tags(_ text: String, refuse: (String) -> Void = { _ in }) -> [String] {
    if text.isEmpty { return [] }
    var tags: [String] = []
    for part in text.split(whereSeparator: \.isWhitespace) {
      let scalars = part.unicodeScalars.filter { $0.properties.generalCategory != .control }
      let tag = String(String.UnicodeScalarView(scalars))
      if tag.isEmpty { continue }
      if scalars.count > Tags.limit || tags.count == 1000 { refuse(tag) } else { tags.append(tag) }
    }
    return tags
  }

  /// Splits the column `flds` at U+001F. Bytes that are not UTF-8 are replaced, and NUL bytes are removed.
  static func fields(_ column: TextBytes) -> [String] {
    column.split(separator: 0x1F, omittingEmptySubsequences: false).map { field in
      if field.contains(0) { return String(decoding: field.filter { $0 != 0 }, as: UTF8.self) }
      return String(decoding: UnsafeBufferPointer(rebasing: field), as: UTF8.self)
    }
  }
}
