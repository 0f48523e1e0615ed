// The changes that a rehearsal would make, in the user's terms: cards, decks, settings, documents.
// Invariant: the changes are read from the current unit of work, so they are exactly what committing the unit would do.
// A card counts as changed if its own row or the text that it shows differs.

import CardDocuments
import Decks
public import Storage
import Templates
import Text
public import Values

/// Objects of one kind that would be added, changed or removed.
public struct PendingChanges: Sendable {
  public let kind: RowChange.Kind
  /// In the singular: `card`.
  public let noun: String
  public let count: Int
  /// The names of the first objects; empty for a kind without names.
  public let names: [String]
  /// The first objects, as records for programs.
  public let records: [Value]
}

extension Workspace {
  /// Returns what the current unit of work has changed so far.
  /// - Parameter limit: how many objects of each kind are listed by name; nil lists all.
  public func pendingChanges(limit: Int?) throws -> [PendingChanges] {
    try games.store()
    // As in a commit: moved elements are saved only now.
    if let failure = opened.documents?.saveAll().first { throw failure }
    // A card shows the texts and tags of its note, so it counts although only the time differs in its own row.
    let ignored = RecordedObject.all.map { table, object in
      (table, IgnoredColumns(object.bookkeeping, showing: table == "cards" ? "notes" : nil))
    }
    let tables = try store().pendingChanges(limit: limit, ignoring: Dictionary(uniqueKeysWithValues: ignored))
    let cards = tables.first { $0.table == "cards" }?.rows.filter { $0.kind == .changed } ?? []
    let notes = Set(cards.compactMap { $0.after("note")?.integer })
    let shown = PendingCards(tables)
    let changedCards = tables.first { $0.table == "cards" }?.counts[.changed] ?? 0
    return try tables.flatMap { table in
      // Beyond the limit it is not known which notes those of the changed cards are.
      let count = table.counts[.changed, default: 0]
      if table.table == "notes", table.rows.count < count, count <= changedCards { return [PendingChanges]() }
      let isCards = table.table == "cards"
      let rows = isCards ? try read { db in try table.rows.map { try shown.shown(db, $0) } } : table.rows
      return pending(table, rows, notesOfCards: notes)
    }
  }

  /// Returns the changes of one table.
  /// - Parameter notes: the notes of changed cards, which are named instead of these notes.
  private func pending(_ changes: TableChanges, _ all: [RowChange], notesOfCards notes: Set<Int>) -> [PendingChanges] {
    guard let thing = RecordedObject.all[changes.table] ?? RecordedObject(changes.table) else { return [] }
    return RowChange.Kind.allCases.compactMap { kind in
      // A note is added, changed and removed together with its cards.
      let isNote = changes.table == "notes"
      if isNote, kind != .changed { return nil }
      let isNamed = { (row: RowChange) in isNote && row.after("id")?.integer.map(notes.contains) ?? false }
      // If only bookkeeping columns differ, the user would not call it a change.
      let isOfUser = { (row: RowChange) in kind != .changed || row.before.contains { !thing.ignores($0.name) } }
      let rows = all.filter { $0.kind == kind }
      let shown = rows.filter { isOfUser($0) && !isNamed($0) }
      if isNote, shown.isEmpty { return nil }
      let count = changes.counts[kind, default: 0] - (rows.count - shown.count)
      if count <= 0 { return nil }
      return PendingChanges(
        kind: kind, noun: thing.noun, count: count, names: shown.compactMap { thing.name(of: $0) },
        records: shown.map { thing.record(of: $0) })
    }
  }
}

private struct RecordedObject {
  let noun: String
  /// The columns that name a row, in order of preference.
  let naming: [String]
  /// Columns that do not count as a change by themselves.
  let bookkeeping: Set<String>

  init(_ noun: String, _ naming: [String], bookkeeping: Set<String> = []) {
    (self.noun, self.naming) = (noun, naming)
    self.bookkeeping = bookkeeping.union(["modified", "mod", "usn"])
  }

  /// Describes a table without an entry in `all`; nil for a table that only accompanies others.
  init?(_ table: String) {
    if RecordedObject.companions.contains(table) { return nil }
    self.init("row of \(table)", [])
  }

  private static let companions: Set<String> = [
    "builds", "build_sources", "build_rows", "build_media", "bases", "games_found", "reviews", "mistypes",
  ]

  static let all: [String: RecordedObject] = [
    "cards": RecordedObject("card", ["prompt"], bookkeeping: ["step"]),
    "decks": RecordedObject("deck", ["name"], bookkeeping: ["studied"]), "notes": RecordedObject("note", ["fields"]),
    "note_types": RecordedObject("note type", ["name"]), "presets": RecordedObject("preset", ["name"]),
    "media": RecordedObject("media file", ["name"]), "documents": RecordedObject("document", ["id"]),
    "settings": RecordedObject("setting", ["name"]), "games_saved": RecordedObject("game", []),
    "games_results": RecordedObject("finished game", []), "listed_words": RecordedObject("listed word", ["lemma"]),
    "reading_places": RecordedObject("reading place", []),
  ]

  func ignores(_ column: String) -> Bool { bookkeeping.contains(column) }

  func name(of row: RowChange) -> String? {
    let columns = row.after + row.before
    return naming.lazy.compactMap { name in columns.first { $0.name == name }?.value.text }.first
      .map { String($0.prefix { $0 != "\u{1F}" }) }
  }

  func record(of row: RowChange) -> Value {
    var fields: [(String, Value)] = [("change", .text(row.kind.rawValue)), ("kind", .text(noun))]
    if let name = name(of: row) { fields.append(("name", .text(name))) }
    if row.kind == .changed {
      let changed = row.before.filter { !ignores($0.name) }
      fields.append(("before", .record(changed.map { ($0.name, $0.value) })))
      let names = Set(changed.map(\.name))
      fields.append(("after", .record(row.after.filter { names.contains($0.name) }.map { ($0.name, $0.value) })))
    } else {
      fields.append(("row", .record((row.after + row.before).map { ($0.name, $0.value) })))
    }
    return .record(fields)
  }
}

extension RowChange {
  func before(_ name: String) -> Value? { before.first { $0.name == name }?.value }
  func after(_ name: String) -> Value? { after.first { $0.name == name }?.value }
  /// The current value of a column, or its last value if the row was removed.
  func value(_ name: String) -> Value? { after(name) ?? before(name) }
}

/// The note rows that a unit changes, for the cards of these notes.
struct PendingCards {
  private let notes: [Int: RowChange]

  init(_ tables: [TableChanges]) {
    let rows = tables.first { $0.table == "notes" }?.rows ?? []
    notes = Dictionary(firstOf: rows.compactMap { row in row.value("id")?.integer.map { ($0, row) } })
  }

  /// Returns a card's row with prompt, answer and tags instead of the hash.
  func shown(_ db: Database, _ row: RowChange) throws -> RowChange {
    let note = row.value("note")?.integer
    let now = try note.flatMap { try NoteSource.of(db, NoteID(rawValue: Int64($0))) }
    let was = source(before: note.flatMap { notes[$0] }, now)
    let (shown, showed) = (try columns(db, row, now), try columns(db, row, was))
    let before = row.before.filter { $0.name != "content" }
    let after = row.after.filter { $0.name != "content" }
    switch row.kind {
    case .added: return RowChange(.added, before: before, after: after + shown)
    case .removed: return RowChange(.removed, before: before + showed, after: after)
    case .changed:
      let changed = showed.filter { old in shown.contains { $0.name == old.name && $0.value != old.value } }
      return RowChange(.changed, before: before + changed, after: after + shown)
    }
  }

  private func source(before row: RowChange?, _ now: NoteSource?) -> NoteSource? {
    guard let row else { return now }
    guard let type = row.before("type")?.integer.map({ NoteTypeID(rawValue: Int64($0)) }) ?? now?.type,
      let fields = row.before("fields")?.text ?? now?.fields, let tags = row.before("tags")?.text ?? now?.tags
    else { return now }
    return NoteSource(type: type, fields: fields, tags: tags)
  }

  private func columns(
    _ db: Database, _ row: RowChange, _ source: NoteSource?
  ) throws -> [(name: String, value: Value)] {
    guard let source, let id = row.value("id")?.integer, let deck = row.value("deck")?.integer else { return [] }
    let sides = try source.sides(
      db,
      of: (
        CardID(rawValue: Int64(id)), DeckID(rawValue: Int64(deck)), row.value("ord")?.integer ?? 0,
        row.value("flag")?.integer ?? 0
      ))
    guard let sides else { return [] }
    return [("prompt", .text(sides.prompt)), ("answer", .text(sides.answer)), ("tags", .text(source.tags))]
  }
}
