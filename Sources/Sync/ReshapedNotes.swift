// Handles notes with a local edit whose type has other fields on the server now: decides which texts stay and which
// go to the report.
// Invariant: a text that was written locally and cannot be sent is in the report.

import Decks
import Storage
import Templates
import Text
import Values

extension SyncMerge {
  /// Gives notes with a local edit the fields that their types have after the merge, matched by field name.
  func reshapeNotes() throws {
    for (id, old) in heads.reshaped {
      let type = try NoteTypeTable.record(db, id)
      for note in try NoteTable.ids(db, of: id) {
        if isInterrupted() { throw SyncError.interrupted }
        let isNew = try bases[.note, note.rawValue] == nil
        let record = try NoteTable.record(db, note)
        guard isNew || record.isUnsent else { continue }
        var fields = Dictionary(firstOf: zip(old.fields, record.fields))
        let values = type.fields.map { fields.removeValue(forKey: $0) ?? "" }
        if fields.values.contains(where: { !$0.trimmed.isEmpty }) { setAside(record, old) }
        try SyncedNotes.reshape(db, record, to: values, makesCards: isNew, isInterrupted: isInterrupted)
      }
    }
  }

  /// Adds a note to the report as it was locally.
  func setAside(_ note: NoteRecord, _ type: NoteType) {
    guard heads.setAside.insert(note.guid).inserted else { return }
    let fields = zip(type.fields, note.fields).map { ($0, Value.text($1)) }
    report.setAside.append([
      "guid": .text(note.guid), "type": .text(type.name), "tags": .list(note.tags.map { .text($0) }),
      "fields": .record(fields),
    ])
  }
}

extension NoteType {
  /// Whether a normal sync can change the other type on the server into this one.
  func isSendable(after other: NoteType) -> Bool { keepsShape(of: other) && sortField == other.sortField }

  /// Whether the two types have equally many fields and cards in the same order, as far as their names tell.
  func keepsShape(of other: NoteType) -> Bool {
    guard holdsNotes(of: other) else { return false }
    // The same names in another order mean that parts were reordered; other names mean that parts were renamed.
    func isReordered(_ names: [String], _ old: [String]) -> Bool { names != old && Set(names) == Set(old) }
    return !isReordered(fields, other.fields) && !isReordered(cards.map(\.name), other.cards.map(\.name))
  }
}
