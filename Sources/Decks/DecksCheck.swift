// Finds and repairs rows of decks and cards that are wrong although SQLite considers the file intact: another program
// wrote them, or the disk flipped bits. Invariant: a check changes nothing, and asks the decoder that every command
// uses. A repair changes only what a check finds, and never removes a card or a note whose texts can be read.

import Files
public import Storage
import Templates

/// One kind of error, with the number of rows that have it.
public struct DecksFinding: Equatable, Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    // What cannot be read comes first: other repairs read it, and changes of the rows keep those of a server.
    case deckRow = "unreadable_deck_row"
    case presetRow = "unreadable_preset_row"
    case cardRow = "unreadable_card_row"
    case deckOptions = "unreadable_deck_options"
    case presetOptions = "unreadable_preset_options"
    case noteType = "unreadable_note_type"
    case cardWithoutDeck = "card_without_deck"
    case cardWithoutNote = "card_without_note"
    case noteWithoutType = "note_without_type"
    case noteWithoutCard = "note_without_card"
    case cardWithoutTemplate = "card_without_template"
    case deckWithoutParent = "deck_without_parent"
    case deckKey = "deck_key"
    case missingGuid = "missing_guid"
    case badSchedule = "bad_schedule"
    case badReview = "bad_review"
    case futureAnswer = "future_answer"
    case badFields = "bad_fields"

    /// The table and the column with values that cannot be read; nil for another kind of error.
    var column: (table: String, name: String)? {
      switch self {
      case .deckRow: ("decks", "json")
      case .presetRow: ("presets", "json")
      case .cardRow: ("cards", "raw")
      case .deckOptions: ("decks", "options")
      case .presetOptions: ("presets", "options")
      case .noteType: ("note_types", "json")
      default: nil
      }
    }
  }

  public let kind: Kind
  public let count: Int
  /// The ids of the first rows.
  public let rows: [Int64]
}

public enum DecksCheck {
  private static let rowLimit = 20
  /// The name of the deck for cards whose deck is gone or not known.
  private static let recovered = "Recovered"

  /// The query for the rows with a kind of error; nil if the query is not enough to find them.
  private static func sql(_ kind: DecksFinding.Kind) -> String? {
    switch kind {
    case .cardWithoutDeck: "SELECT id FROM cards WHERE deck NOT IN (SELECT id FROM decks)"
    case .cardWithoutNote: "SELECT id FROM cards WHERE note NOT IN (SELECT id FROM notes)"
    case .noteWithoutType: "SELECT id FROM notes WHERE type NOT IN (SELECT id FROM note_types)"
    case .noteWithoutCard: "SELECT id FROM notes WHERE NOT EXISTS (SELECT 1 FROM cards WHERE note = notes.id)"
    case .cardWithoutTemplate:
      // A card that its note does not make beside others is `NoteOrdinals.unmade`.
      """
      SELECT min(cards.id) FROM note_types JOIN notes ON notes.type = note_types.id JOIN cards ON cards.note = notes.id
      WHERE NOT cloze AND json_valid(json) GROUP BY notes.id
      HAVING NOT max(ord BETWEEN 0 AND json_array_length(json, '$.tmpls') - 1)
      """
    case .missingGuid: "SELECT id FROM notes WHERE guid = ''"
    case .badSchedule:
      """
      SELECT id FROM cards WHERE state NOT IN (0, 1, 2, 3) OR reps < 0 OR lapses < 0
        OR (\(CardStatus.studied) AND (due IS NULL OR stability IS NULL OR difficulty IS NULL))
        OR abs(coalesce(due, 0)) > 1e12 OR stability <= 0 OR stability > 1e6 OR difficulty < 1 OR difficulty > 10
      """
    case .badReview:
      // Rows with the rating 0 are not answers: the card was rescheduled.
      "SELECT id FROM reviews WHERE rating NOT BETWEEN 0 AND 4 OR abs(at) > 1e12"
    case .badFields:
      "SELECT id FROM notes WHERE \(NoteData.fieldsSQL) IS NOT NULL AND NOT json_valid(\(NoteData.fieldsSQL))"
    default: nil
    }
  }

  private static func query(_ kind: DecksFinding.Kind) -> String { sql(kind) ?? "SELECT 0 WHERE 0" }

  /// Finds all errors.
  /// - Parameter now: seconds since 1970; answers with a later time come from a wrong clock.
  public static func findings(_ db: Database, now: Double) throws -> [DecksFinding] {
    try DecksFinding.Kind.allCases.compactMap { kind in
      let rows: [Int64] =
        if kind.column != nil {
          try kind.unreadable(db).map(\.row)
        } else if let sql = sql(kind) {
          try db.rows(sql) { $0.integer(0) }
        } else if kind == .futureAnswer { try FutureAnswers.cards(db, now: now).map(\.rawValue) } else {
          try decks(db, kind).map(\.rawValue)
        }
      return rows.isEmpty ? nil : DecksFinding(kind: kind, count: rows.count, rows: Array(rows.prefix(rowLimit)))
    }
  }

  /// The values that no command can read.
  public static func unreadable(_ db: Database) throws -> [UnreadableValue] {
    try DecksFinding.Kind.allCases.flatMap { try $0.unreadable(db) }
  }

  public static func notesWithoutCard(_ db: Database) throws -> [NoteID] {
    try db.rows(query(.noteWithoutCard)) { NoteID(rawValue: $0.integer(0)) }
  }

  /// The decks of which `deckKey` or `deckWithoutParent` is true.
  public static func decks(_ db: Database, _ kind: DecksFinding.Kind) throws -> [DeckID] {
    let decks = try db.rows("SELECT id, name, name_key FROM decks") { ($0.integer(0), $0.text(1), $0.text(2)) }
    let keys = Set(decks.map(\.2))
    return decks.filter { _, name, key in
      do throws(DeckError) {
        let made = try DeckName(name)
        return kind == .deckKey ? made.key != key : made.parents.contains { !keys.contains($0.key) }
      } catch { return kind == .deckKey }
    }.map { DeckID(rawValue: $0.0) }
  }

  /// Repairs what can be repaired.
  /// - Returns: the errors that remain.
  public static func mend(_ db: Database, now: Double, random: () -> UInt64) throws -> [DecksFinding] {
    var left = try findings(db, now: now)
    // A repair may uncover what another one repairs: a note that gets a type has no card.
    for _ in 0..<3 where !left.isEmpty {
      try repair(db, left, now: now, random: random)
      left = try findings(db, now: now)
    }
    return left
  }

  private static func repair(_ db: Database, _ found: [DecksFinding], now: Double, random: () -> UInt64) throws {
    for finding in found {
      switch finding.kind {
      case .deckRow, .presetRow, .cardRow, .deckOptions, .presetOptions, .noteType:
        try finding.kind.repairValues(db, now: now)
      case .cardWithoutDeck: try moveToRecovered(db, now: now)
      case .cardWithoutNote:
        try CardTable.remove(db, db.rows(query(.cardWithoutNote)) { CardID(rawValue: $0.integer(0)) })
      case .noteWithoutType: try addTypes(db, now: now)
      case .noteWithoutCard:
        try addCards(db, now: now)
        let ids = query(.noteWithoutCard)
        try db.execute(sql: "\(SyncedTable.notes.saveRemovedSQL(ids)); DELETE FROM notes WHERE id IN (\(ids))")
      case .cardWithoutTemplate: try giveTemplates(db, now: now)
      case .deckWithoutParent, .deckKey: try repairDecks(db, now: now)
      case .missingGuid:
        try eachNote(db, .missingGuid) { note in
          try SyncedTable.notes.keep(db, [note.rawValue])
          let guid = try NoteTable.guid(db, nil, random)
          try db.execute(sql: "UPDATE notes SET guid = ? WHERE id = ?", arguments: [guid, note.rawValue])
        }
      case .badSchedule: try repairSchedules(db)
      case .badReview: try ReviewTable.remove(db, query(.badReview))
      case .futureAnswer: try FutureAnswers.moveToNow(db, now: now)
      case .badFields: try eachNote(db, .badFields) { try NoteData.write(db, $0, "") }
      }
    }
  }

  /// Moves cards whose deck is gone to the deck named `recovered`.
  private static func moveToRecovered(_ db: Database, now: Double) throws {
    let deck = try DeckTable.ensure(db, DeckName(recovered), now: now).id
    let ids = try db.rows(query(.cardWithoutDeck)) { CardID(rawValue: $0.integer(0)) }
    for id in ids {
      let rank = try CardOrder.above(db, deck, room: CardOrder.step)
      try SyncedTable.cards.keep(db, [id.rawValue])
      try db.execute(
        sql: "UPDATE OR IGNORE cards SET deck = ?, rank = ? WHERE id = ?",
        arguments: [deck.rawValue, rank, id.rawValue])
    }
  }

  /// Notes whose type is gone get a type with the same number of fields, or else Basic.
  private static func addTypes(_ db: Database, now: Double) throws {
    let lost = try db.rows("SELECT id, fields FROM notes WHERE id IN (\(query(.noteWithoutType)))") {
      (NoteID(rawValue: $0.integer(0)), $0.bytes(1).count { $0 == NoteFieldText.separator } + 1)
    }
    let basic = try NoteTypeTable.stock(db, .basic, now: now)
    let types = [basic] + (try NoteTypeTable.list(db))
    for (note, count) in lost {
      try SyncedTable.notes.keep(db, [note.rawValue])
      let type = types.first { $0.fields.count == count } ?? basic
      try db.execute(sql: "UPDATE notes SET type = ? WHERE id = ?", arguments: [type.id.rawValue, note.rawValue])
      var writer = NoteCardWriter(db, type, now: now, isInterrupted: isNeverInterrupted)
      try writer.rewrite(NoteTable.record(db, note))
    }
  }

  /// Makes the cards of notes that have none again, in the deck named `recovered`. A note without any text gets none.
  private static func addCards(_ db: Database, now: Double) throws {
    for id in try notesWithoutCard(db) {
      let note = try NoteTable.record(db, id)
      guard note.fields.contains(where: { isFilled(Bytes($0.utf8)) }) else { continue }
      let deck = try DeckTable.ensure(db, DeckName(recovered), now: now).id
      let type = try NoteTypeTable.record(db, note.type)
      var writer = NoteCardWriter(db, type, now: now, isInterrupted: isNeverInterrupted)
      try writer.renew(note, newIn: deck)
    }
  }

  /// A note none of whose cards has a template: one becomes the first card that the note makes.
  private static func giveTemplates(_ db: Database, now: Double) throws {
    for id in try db.rows(query(.cardWithoutTemplate), [], { $0.integer(0) }) {
      guard let card = try CardTable.card(db, CardID(rawValue: id)) else { continue }
      let note = try NoteTable.record(db, card.note)
      let type = try NoteTypeTable.record(db, note.type)
      try SyncedTable.cards.keep(db, [id])
      try db.execute(
        sql: "UPDATE cards SET ord = ? WHERE id = ?", arguments: [NoteOrdinals.made(note, type).first ?? 0, id])
      var writer = NoteCardWriter(db, type, now: now, isInterrupted: isNeverInterrupted)
      try writer.rewrite(note)
    }
  }

  /// Decks are found by their names: a deck gets another name if its own is not valid or belongs to another deck.
  private static func repairDecks(_ db: Database, now: Double) throws {
    for (id, name, key) in try db.rows(
      "SELECT id, name, name_key FROM decks", [], { ($0.integer(0), $0.text(1), $0.text(2)) })
    {
      var made: DeckName
      do throws(DeckError) { made = try DeckName(name) } catch { made = DeckName(parts: [recovered]) }
      if made.text != name || made.key != key {
        if let other = try DeckTable.named(db, made.text), other.id.rawValue != id {
          made = DeckName(parts: [try DeckTable.freeName(db, like: made.text)])
        }
        try SyncedTable.decks.keep(db, [id])
        try db.execute(
          sql: "UPDATE decks SET name = ?, name_key = ? WHERE id = ?", arguments: [made.text, made.key, id])
      }
      for parent in made.parents { _ = try DeckTable.ensure(db, parent, now: now) }
    }
  }

  private static func eachNote(_ db: Database, _ kind: DecksFinding.Kind, _ body: (NoteID) throws -> Void) throws {
    for id in try db.rows(query(kind), [], { NoteID(rawValue: $0.integer(0)) }) { try body(id) }
  }

  /// Brings values of a schedule within their limits; a card with too little information becomes new again.
  private static func repairSchedules(_ db: Database) throws {
    try SyncedTable.cards.keep(db, db.rows(query(.badSchedule)) { $0.integer(0) })
    try db.execute(
      sql: """
        UPDATE cards SET state = 0, step = 0, due = NULL, interval = NULL, stability = NULL, difficulty = NULL,
          last_review = NULL
        WHERE state NOT IN (0, 1, 2, 3) OR abs(coalesce(due, 0)) > 1e12
          OR (\(CardStatus.studied) AND (due IS NULL OR stability IS NULL OR difficulty IS NULL))
        """)
    try db.execute(
      sql: """
        UPDATE cards SET reps = max(reps, 0), lapses = max(lapses, 0),
          stability = CASE WHEN stability <= 0 THEN 0.01 WHEN stability > 1e6 THEN 36500 ELSE stability END,
          difficulty = min(max(difficulty, 1), 10)
        WHERE reps < 0 OR lapses < 0 OR stability <= 0 OR stability > 1e6 OR difficulty < 1 OR difficulty > 10
        """)
  }
}

/// A value that no command can read.
public struct UnreadableValue: Equatable, Sendable {
  public let table: String
  public let column: String
  public let row: Int64
  public let text: String
}

extension DecksFinding.Kind {
  /// The values that no command can read. Those of a server are found by SQL alone.
  func unreadable(_ db: Database) throws -> [UnreadableValue] {
    guard let (table, name) = column else { return [] }
    let condition =
      switch self {
      case .deckRow, .presetRow: "NOT iif(json_valid(json), json_type(json) = 'object', 0)"
      case .cardRow: "raw IS NOT NULL AND NOT iif(json_valid(raw), json_array_length(raw) = 15, 0)"
      default: "1"
      }
    return try db.rows("SELECT id, \(name) FROM \(table) WHERE \(condition)") { ($0.integer(0), $0.text(1)) }
      .filter { !canRead($0.1) }
      .map { UnreadableValue(table: table, column: name, row: $0.0, text: $0.1) }
  }

  private func canRead(_ text: String) -> Bool {
    do {
      switch self {
      case .deckOptions: _ = try DeckLimits(json: text)
      case .presetOptions: _ = try DeckOptions(json: text)
      case .noteType: _ = try NoteType(stored: text)
      default: return false
      }
      return true
    } catch {
      // Why it cannot be read does not matter: it is set aside.
      return false
    }
  }

  /// Gives the row of each value that cannot be read its default. It counts as changed since the last sync.
  fileprivate func repairValues(_ db: Database, now: Double) throws {
    for value in try unreadable(db) {
      let (table, row) = (value.table, value.row)
      switch self {
      case .deckRow, .presetRow:
        try db.execute(sql: "UPDATE \(table) SET json = '{}', \(Unsent.sql) WHERE id = ?", arguments: [row])
      case .cardRow: try db.execute(sql: "UPDATE cards SET raw = NULL, \(Unsent.sql) WHERE id = ?", arguments: [row])
      case .deckOptions, .presetOptions:
        try (self == .deckOptions ? SyncedTable.decks : .presets).keep(db, [row])
        try db.execute(sql: "UPDATE \(table) SET options = '{}' WHERE id = ?", arguments: [row])
      default: try rebuildType(db, row, now: now)
      }
    }
  }

  /// Gives a note type as many fields as its notes have, and a plain template for each of their cards.
  private func rebuildType(_ db: Database, _ id: Int64, now: Double) throws {
    let known = try db.firstRow("SELECT name, cloze FROM note_types WHERE id = ?", [id]) { row in
      (name: row.text(0), isCloze: row.integer(1) != 0)
    }
    guard let known else { return }
    let counts = try db.rows("SELECT fields FROM notes WHERE type = ?", [id]) { row in
      row.bytes(0).count { $0 == NoteFieldText.separator } + 1
    }
    let last = try db.count("SELECT ifnull(max(ord), 0) FROM cards JOIN notes ON notes.id = note WHERE type = \(id)")
    let draft = NoteTypeDraft(
      plain: known.name, fields: counts.max() ?? 2, cards: min(max(last, 0), 30) + 1, isCloze: known.isCloze)
    let type = NoteType(draft, id: NoteTypeID(rawValue: id), modified: seconds(now))
    try db.execute(
      sql: "UPDATE note_types SET basic = ?, mod = ?, json = ?, \(Unsent.sql) WHERE id = ?",
      arguments: [type.isBasic, type.modified, type.json, id])
    var writer = NoteCardWriter(db, type, now: now, isInterrupted: isNeverInterrupted)
    // A card without a deck gets one by another repair.
    let notes = """
      SELECT id FROM notes WHERE type = ?
        AND NOT EXISTS (SELECT 1 FROM cards WHERE note = notes.id AND deck NOT IN (SELECT id FROM decks))
      """
    for note in try db.rows(notes, [id], { NoteID(rawValue: $0.integer(0)) }) {
      try writer.rewrite(NoteTable.record(db, note))
    }
  }
}

extension NoteTypeDraft {
  /// Each card asks for one field and answers with the others; of a cloze type, the first field has the clozes.
  fileprivate init(plain name: String, fields count: Int, cards: Int, isCloze: Bool) {
    let fields = count == 2 && !isCloze ? ["Front", "Back"] : (1...count).map { "Field \($0)" }
    let shown = fields.map { "{{\($0)}}" }
    let made = (0..<(isCloze ? 1 : cards)).map { number in
      let asked = min(number, count - 1)
      let others = shown.indices.filter { $0 != asked }.map { shown[$0] }.joined(separator: "<br>\n")
      if isCloze {
        return CardTemplate("Cloze", front: "{{cloze:\(fields[0])}}", back: "{{cloze:\(fields[0])}}<br>\n\(others)")
      }
      return CardTemplate(
        "Card \(number + 1)", front: shown[asked], back: "{{FrontSide}}\n\n<hr id=answer>\n\n\(others)")
    }
    self.init(name: name, fields: fields, cards: made, isCloze: isCloze)
  }
}
