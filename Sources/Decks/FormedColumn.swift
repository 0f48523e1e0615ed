// The columns whose values have a form, and what a row gets in place of a value that has another.
// Invariant: the doctor asks the decoder that every command uses, so what no command can read is found and repaired.

import Files
import Storage
import Templates

/// A value that no command can read.
public struct UnreadableValue: Equatable, Sendable {
  public let table: String
  public let column: String
  public let row: Int64
  public let text: String
}

/// Such a column; its raw value is that of the finding.
enum FormedColumn: String, CaseIterable {
  // The rows as a server has them come first: a change of the others keeps them.
  case deckRow = "unreadable_deck_row"
  case presetRow = "unreadable_preset_row"
  case cardRow = "unreadable_card_row"
  case deckOptions = "unreadable_deck_options"
  case presetOptions = "unreadable_preset_options"
  case noteType = "unreadable_note_type"

  var table: String {
    switch self {
    case .deckRow, .deckOptions: "decks"
    case .presetRow, .presetOptions: "presets"
    case .cardRow: "cards"
    case .noteType: "note_types"
    }
  }

  var name: String {
    switch self {
    case .deckRow, .presetRow, .noteType: "json"
    case .deckOptions, .presetOptions: "options"
    case .cardRow: "raw"
    }
  }

  /// SQL for the rows to look at; those of a server are read by SQL alone.
  private var condition: String {
    switch self {
    case .deckRow, .presetRow: "NOT iif(json_valid(json), json_type(json) = 'object', 0)"
    case .cardRow: "raw IS NOT NULL AND NOT iif(json_valid(raw), json_array_length(raw) = 15, 0)"
    case .deckOptions, .presetOptions, .noteType: "1"
    }
  }

  func unreadable(_ db: Database) throws -> [UnreadableValue] {
    try db.rows("SELECT id, \(name) FROM \(table) WHERE \(condition)") { ($0.integer(0), $0.text(1)) }
      .filter { !canRead($0.1) }
      .map { UnreadableValue(table: table, column: name, row: $0.0, text: $0.1) }
  }

  private func canRead(_ text: String) -> Bool {
    do {
      switch self {
      case .deckRow, .presetRow, .cardRow: return false
      case .deckOptions: _ = try DeckLimits(json: text)
      case .presetOptions: _ = try DeckOptions(json: text)
      case .noteType: _ = try NoteType(stored: text)
      }
      return true
    } catch {
      // Why it cannot be read does not matter: it is set aside.
      return false
    }
  }

  /// Gives the row of each value that cannot be read its default. It counts as changed since the last sync.
  func repair(_ db: Database, now: Double) throws {
    for row in try unreadable(db).map(\.row) {
      switch self {
      case .deckRow, .presetRow:
        try db.execute(sql: "UPDATE \(table) SET json = '{}', \(Unsent.sql) WHERE id = ?", arguments: [row])
      case .cardRow: try db.execute(sql: "UPDATE cards SET raw = NULL, \(Unsent.sql) WHERE id = ?", arguments: [row])
      case .deckOptions, .presetOptions:
        try (self == .deckOptions ? SyncedTable.decks : .presets).keep(db, [row])
        try db.execute(sql: "UPDATE \(table) SET options = '{}' WHERE id = ?", arguments: [row])
      case .noteType: try rebuildType(db, row, now: now)
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
