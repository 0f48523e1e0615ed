// Merging note types and presets. Invariant: a local note type is renamed or renumbered if another type on the server
// has its name or id. Each option of a preset is taken from the side that changed it, from the server if both did.

import Decks
import Exchange
import Problems
import Storage
import Templates
import Text
import Values

extension SyncMerge {
  /// Leaves note types and presets that were removed locally on the server: removing them there would make every device
  /// download the whole collection. The report says so once; they come back when they are changed on the server.
  func leaveRemoved() throws {
    for (kind, what) in [(BaseKind.noteType, "note type"), (.preset, "preset")] {
      guard let table = kind.table else { continue }
      for (id, name) in try db.rows(
        "SELECT id, json ->> '$.name' \(SyncTables.gone(table))", [], { ($0.integer(0), $0.text(1)) })
      {
        try bases.setHere(kind, id, false)
        report.note(
          "the \(what) \(name) was removed here but stays on the server: only Anki can remove it there, and then every "
            + "device has to download everything")
      }
    }
  }

  func mergeTypes() throws {
    for record in pulled.staged.head.types {
      let id = ServerRows.id(record)
      let base = try bases[.noteType, id]
      if isKnown(base, BaseKind.json(.noteType, id, record)) { continue }
      try bases.put(.noteType, id, record, isHere: take(record, id, base))
      report.received += 1
    }
  }

  /// Writes a remote note type into the local one, or adds it; returns false if the type cannot be stored locally.
  func take(_ record: Value.Record, _ id: Int64, _ base: Base?) throws -> Bool {
    let given: NoteType
    do throws(NoteError) { given = try NoteType(received: record, id: id) } catch {
      report.note("the note type \(id) cannot be stored here: \(error.message)")
      return false
    }
    var isChanged = false
    if base?.isHere == true, let mine = try NoteTypeTable.known(db, given.id) {
      if try isUnsent(mine.id), mine.modified > given.modified, mine.keepsShape(of: given) { return true }
      if !given.keepsShape(of: mine) { heads.reshaped.append((mine.id, mine)) }
      isChanged = try NoteTypeTable.replace(db, mine.id, with: given)
    } else {
      func isOurs(_ id: NoteTypeID) throws -> Bool { try !bases.isHere(.noteType, id.rawValue) }
      if let clash = try NoteTypeTable.named(db, given.name), try isOurs(clash.id), !clash.isShaped(as: given) {
        try renameForConflict(clash)
      }
      isChanged = try NoteTypeTable.place(db, given, now: moment.now, isOurs: isOurs)
    }
    if isChanged { heads.changedTypes.append(given.id) }
    return true
  }

  private func isUnsent(_ id: NoteTypeID) throws -> Bool {
    try db.firstRow("SELECT \(Unsent.sql) FROM note_types WHERE id = ?", [id.rawValue]) { $0.integer(0) != 0 } ?? false
  }

  private func renameForConflict(_ type: NoteType) throws {
    var edit = NoteTypeEdit(type)
    repeat { edit.name += "+" } while try NoteTypeTable.named(db, edit.name) != nil
    try NoteTypeTable.edit(db, type.id, edit, agreed: true, now: moment.now, isInterrupted: isInterrupted)
    report.note("the note type \(type.name) was renamed to \(edit.name): another one on the server has its name")
  }

  func mergePresets() throws {
    for record in pulled.staged.head.presets {
      let id = ServerRows.id(record)
      let base = try bases[.preset, id]
      if isKnown(base, Value.record(record).json) { continue }
      // An unsent preset with this id: both sides changed the initial options.
      let mine = try SyncedTable.presets.has(db, id) ? PresetTable.record(db, PresetID(rawValue: id)) : nil
      var isOurs = false
      if let mine { isOurs = try merge(record, into: mine, since: base) }
      try bases.put(.preset, id, record, isHere: mine != nil)
      if mine == nil { heads.newPresets.insert(id) } else if !isOurs { try bases.agree(.preset, id) }
      report.received += 1
    }
  }

  /// Merges a remote preset into the local one, option by option; returns whether the local preset had a local edit.
  private func merge(_ record: Value.Record, into mine: PresetRecord, since base: Base?) throws -> Bool {
    let was = ServerRows.preset(base?.record ?? Value.Record())
    let theirs = ServerRows.preset(record)
    let isOurs = try base.map { try bases.isChanged(.presets, mine.id.rawValue, $0) } ?? true
    var options = mine.options
    for name in DeckOptions.Name.allCases where theirs.options[name] != was.options[name] {
      try options.set(name, theirs.options[name])
    }
    if options != mine.options { try PresetTable.setOptions(db, mine.id, to: options) }
    if theirs.name != was.name, theirs.name.lowercased() != mine.name.lowercased() {
      try PresetTable.rename(db, mine.id, to: PresetTable.freeName(db, like: theirs.name))
    }
    return isOurs
  }

  /// Returns the local preset of a remote one, and creates it if needed; nil if that has the initial options.
  func preset(_ id: Int64) throws -> PresetID? {
    guard let base = try bases[.preset, id] else { return nil }
    if base.isHere { return PresetID(rawValue: id) }
    let (name, options) = ServerRows.preset(base.record)
    if options == DeckOptions() { return nil }
    try PresetTable.place(db, PresetID(rawValue: id), named: name, options, now: moment.now) {
      try !bases.isHere(.preset, $0.rawValue)
    }
    try bases.setHere(.preset, id, true)
    try bases.agree(.preset, id)
    return PresetID(rawValue: id)
  }

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

  /// Whether the two types have the same kind and as many fields and cards, in the same order as far as names tell.
  func keepsShape(of other: NoteType) -> Bool {
    guard isCloze == other.isCloze, fieldList.count == other.fieldList.count, cards.count == other.cards.count else {
      return false
    }
    // The same names in another order mean that parts were reordered; other names mean that parts were renamed.
    func isReordered(_ names: [String], _ old: [String]) -> Bool { names != old && Set(names) == Set(old) }
    return !isReordered(fields, other.fields) && !isReordered(cards.map(\.name), other.cards.map(\.name))
  }
}
