// Note types and presets that came from a server.
// Invariant: a type of ours that has the name or the id of another one there gives way; of a preset each option is the
// side's that changed it, the server's where both did.

import Decks
import Exchange
import Problems
import Storage
import Templates
import Values

extension SyncMerge {
  // MARK: Removed ones

  /// What was removed here stays there: without it every device would have to download everything. It is said once, and
  /// comes again when it is changed there.
  func leaveRemoved() throws {
    for (kind, what) in [(BaseKind.noteType, "note type"), (.preset, "preset")] {
      let rows = try db.rows("SELECT remote, json ->> '$.name' \(SyncTables.gone(kind))") {
        ($0.integer(0), $0.text(1))
      }
      for (remote, name) in rows {
        try bases.setLocal(kind, remote, to: nil)
        report.note(
          "the \(what) \(name) was removed here and stays on the server: only Anki can remove it there, and every device "
            + "has to download everything then")
      }
    }
  }

  // MARK: Note types

  func mergeTypes() throws {
    for record in pulled.staged.head.types {
      guard let id = record["id"]?.integer.map({ Int64($0) }) else { continue }
      let json = Value.record(record).json
      let base = try bases[.noteType, id]
      if isKnown(base, json) { continue }
      try bases.put(
        .noteType, id, modified: Int64(record["mod"]?.integer ?? 0), json,
        local: try local(record, id, base)?.rawValue)
      report.received += 1
    }
  }

  /// The type here that one there is.
  func local(_ record: Value.Record, _ id: Int64, _ base: Base?) throws -> NoteTypeID? {
    let given: NoteType
    do throws(NoteError) { given = try NoteType(received: record, id: id) } catch {
      report.note("the note type \(id) has no place here: \(error.message)")
      return nil
    }
    let types = try NoteTypeTable.list(db)
    if let local = base?.local, let mine = types.first(where: { $0.id.rawValue == local }) {
      let isNewer = try isUnsent(mine.id) && mine.modified > given.modified && mine.keepsShape(of: given)
      if isNewer { return mine.id }
      if !given.keepsShape(of: mine) { heads.reshaped.append((mine.id, mine)) }
      if try NoteTypeTable.replace(db, mine.id, with: given) { heads.changedTypes.append(mine.id) }
      return mine.id
    }
    let own = try types.filter { try bases.remote(.noteType, of: $0.id.rawValue) == nil }
    // Both made it, or it came from one package.
    if let same = own.first(where: { ($0.id.rawValue == id || $0.isNamed(as: given)) && $0.isShaped(as: given) }) {
      if try NoteTypeTable.replace(db, same.id, with: given) { heads.changedTypes.append(same.id) }
      return same.id
    }
    if let clash = own.first(where: { $0.isNamed(as: given) }) { try giveWay(clash) }
    return try NoteTypeTable.insert(received: given, db, now: moment.now).id
  }

  private func isUnsent(_ id: NoteTypeID) throws -> Bool {
    try db.firstRow("SELECT \(Unsent.sql) FROM note_types WHERE id = ?", [id.rawValue]) { $0.integer(0) != 0 } ?? false
  }

  private func giveWay(_ type: NoteType) throws {
    var edit = NoteTypeEdit(type)
    repeat { edit.name += "+" } while try NoteTypeTable.named(db, edit.name) != nil
    try NoteTypeTable.edit(db, type.id, edit, agreed: true, now: moment.now, isInterrupted: isInterrupted)
    report.note("the note type \(type.name) is called \(edit.name) now: another one there has its name")
  }

  // MARK: Presets

  func mergePresets() throws {
    for record in pulled.staged.head.presets {
      guard let id = record["id"]?.integer.map({ Int64($0) }) else { continue }
      let json = Value.record(record).json
      let base = try bases[.preset, id]
      if isKnown(base, json) { continue }
      let local = base?.local.map { PresetID(rawValue: $0) }
      var isOurs = false
      if let base, let local { isOurs = try merge(record, into: local, since: base) }
      try bases.put(
        .preset, id, modified: Int64(record["mod"]?.integer ?? 0), json,
        local: local?.rawValue)
      if !isOurs { try bases.agree(.preset, id) }
      if local == nil { heads.newPresets.insert(id) }
      report.received += 1
    }
  }

  /// - Returns: whether something of it is to be sent.
  private func merge(_ record: Value.Record, into local: PresetID, since base: Base) throws -> Bool {
    guard let mine = try PresetTable.list(db).first(where: { $0.id == local }) else { return false }
    let was = ServerRows.preset(ServerRows.parse(base.json)?.record ?? Value.Record())
    let theirs = ServerRows.preset(record)
    let isOurs = try isChanged(.preset, local.rawValue, base)
    var options = mine.options
    for name in DeckOptions.Name.allCases where theirs.options[name] != was.options[name] {
      try options.set(name, theirs.options[name])
    }
    if options != mine.options { try PresetTable.setOptions(db, local, to: options) }
    if theirs.name != was.name, theirs.name.lowercased() != mine.name.lowercased() {
      try PresetTable.rename(db, local, to: PresetTable.freeName(db, like: theirs.name))
    }
    return isOurs
  }

  /// Whether a row here differs from its base.
  func isChanged(_ kind: BaseKind, _ local: Int64, _ base: Base) throws -> Bool {
    let (table, state) = kind.stated
    let now = try db.firstRow("SELECT \(state) FROM \(table) WHERE id = ?", [local]) { $0.optionalText(0) }
    return now != .some(base.state)
  }

  /// The preset here that one there is; nil where that says nothing of its own.
  func preset(_ id: Int64) throws -> PresetID? {
    guard let base = try bases[.preset, id], let record = ServerRows.parse(base.json)?.record else { return nil }
    if let local = base.local { return PresetID(rawValue: local) }
    let (name, options) = ServerRows.preset(record)
    if options == DeckOptions() { return nil }
    let made = try PresetTable.receive(db, named: name, options)
    try bases.setLocal(.preset, id, to: made.rawValue)
    try bases.agree(.preset, id)
    return made
  }
}

extension NoteType {
  fileprivate func isNamed(as other: NoteType) -> Bool { name.lowercased() == other.name.lowercased() }
}
