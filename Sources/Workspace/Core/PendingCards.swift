// The texts that cards show before and after the changes of a unit of work; the card rows contain only a hash of
// them.
// Invariant: a card counts as changed if its own row or the text that it shows differs.

import Decks
import Storage
import Templates
import Text
import Values

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
