// Notes with a local edit whose type has other fields on the server now: which texts stay, and which go to the report.
// Invariant: a text that was written here and cannot be sent is in the report.

import Decks
import Storage
import Templates
import Text
import Values

extension SyncMerge {
  /// Gives notes with a local edit the fields that their types have after the merge, by the names of the fields.
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

  /// Puts a note into the report, as it was here.
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
  /// Whether a normal sync can make a type there, as it was, what this one is.
  func isSendable(after other: NoteType) -> Bool { keepsShape(of: other) && sortField == other.sortField }

  /// Whether another has the same number of fields and cards in the same order, as far as their names say.
  func keepsShape(of other: NoteType) -> Bool {
    guard holdsNotes(of: other) else { return false }
    // Names in another order are parts in another order; other names are the same parts renamed.
    func isReordered(_ names: [String], _ old: [String]) -> Bool { names != old && Set(names) == Set(old) }
    return !isReordered(fields, other.fields) && !isReordered(cards.map(\.name), other.cards.map(\.name))
  }
}
