// The note types, presets, decks, tags and graves that a sync sends. Invariant: an object that the server has is sent
// with only its local changes; a change that would make every device download the collection again is refused.

import Decks
import Exchange
import Storage
import Templates
import Values

/// Finds the local edits: everything that differs from the server. Created after the merge.
final class SyncOutgoing {
  let db: Database
  let bases: Bases
  let moment: StudyMoment
  let rows: ServerRows
  /// The `usn` of the rows and objects that are sent.
  let usn: Int
  var head = SyncHead()
  private(set) var graves = SyncGraves()
  /// The ids of the rows, in the order in which they are sent.
  var waiting = UnsentRows()
  var context: RowContext
  /// How name conflicts were resolved, one sentence each.
  var findings: [String] = []

  /// - Parameter isUpload: the whole collection is sent as a file, so the shape of a note type may differ.
  init(_ db: Database, usn: Int, _ head: StagedHead, _ moment: StudyMoment, isUpload: Bool = false) throws {
    (self.db, self.moment, self.usn) = (db, moment, usn)
    bases = try Bases(db)
    context = try RowContext(cards: SentCards(db), log: SentReviews(db))
    rows = ServerRows(moment, created: head.created, settings: head.settings)
    try findTypes(isUpload: isUpload)
    try findPresets()
    try findDecks()
    try findGraves()
    try findRows()
  }

  /// The number of rows and objects to send.
  var count: Int { head.count + graves.count + waiting.count }

  /// Stores what is sent to the server as the base.
  func put(_ kind: BaseKind, _ id: Int64, _ record: Value.Record) throws {
    try bases.put(kind, id, record, isHere: true)
    try bases.agree(kind, id)
  }

  func stamp(_ record: inout Value.Record, _ modified: Int? = nil) {
    record["usn"] = .integer(usn)
    record["mod"] = .integer(modified ?? Int(min(1e11, max(0, moment.now))))
  }

  /// Returns the id under which a new row is sent: its own, unless the server has or had that id.
  func freed(_ kind: BaseKind, _ table: SyncedTable, _ id: Int64) throws -> Int64 {
    if try !bases.isTaken(kind, id) { return id }
    let free = try bases.freeID(kind, after: id)
    try table.renumber(db, id, to: free)
    return free
  }

  private func findTypes(isUpload: Bool) throws {
    let unsent = Set(try db.rows("SELECT id FROM note_types WHERE \(Unsent.sql)") { $0.integer(0) })
    for type in try NoteTypeTable.list(db) {
      let base = try bases[.noteType, type.id.rawValue].flatMap { $0.isHere ? $0 : nil }
      guard base == nil || unsent.contains(type.id.rawValue) else { continue }
      // The stock types are sent once they have notes.
      let isStock = DecksSchema.stockIDs.contains(type.id.rawValue)
      if base == nil, isStock, try NoteTypeTable.noteCount(db, type.id) == 0 { continue }
      var record = type.record
      var id = type.id.rawValue
      if let was = base?.record {
        let before = try NoteType(received: was, id: id)
        if !isUpload, !type.isSendable(after: before) { throw SyncError.shape(type: type.name) }
        // The `+` was only added because another local type has the name.
        if NoteTypeTable.isMarked(type.name, from: before.name),
          let other = try NoteTypeTable.named(db, before.name), other.id != type.id
        {
          record["name"] = was["name"]
        }
      } else {
        id = try freed(.noteType, .noteTypes, id)
        record["id"] = .integer(Int(id))
      }
      stamp(&record, type.modified)
      head.types.append(record)
      try put(.noteType, id, record)
      try NoteTypeTable.markSent(db, NoteTypeID(rawValue: id))
    }
  }

  private func findPresets() throws {
    for preset in try PresetTable.list(db) {
      var id = preset.id.rawValue
      var record: Value.Record
      if let base = try bases[.preset, id] {
        // `Default`, which every server has, was not used locally until now.
        if !base.isHere { try bases.setHere(.preset, id, true) }
        guard try !base.isHere || bases.isChanged(.presets, id, base) else { continue }
        record = base.record
        let (name, options) = ServerRows.preset(record)
        let names = DeckOptions.Name.allCases.filter { options[$0] != preset.options[$0] }
        if names.isEmpty, name == preset.name {
          try bases.agree(.preset, id)
          continue
        }
        for name in names { SentHead.set(name, of: preset.options, in: &record) }
        record["name"] = .text(preset.name)
      } else {
        id = try freed(.preset, .presets, id)
        let came = try ServerRows.record(SyncedTable.presets.json(db, id))
        record = SentHead.preset(id, name: preset.name, preset.options, over: came)
      }
      stamp(&record)
      head.presets.append(record)
      try put(.preset, id, record)
    }
  }

  private func findGraves() throws {
    func gone(_ table: SyncedTable) throws -> [Int64] {
      try db.rows("SELECT id \(SyncTables.gone(table)) ORDER BY id") { $0.integer(0) }
    }
    graves.notes = try gone(.notes)
    var cards = Set(try gone(.cards))
    // Includes cards that cannot be stored locally.
    let notes = Set(graves.notes)
    if !notes.isEmpty {
      try db.forEachRow("SELECT id, json ->> 1 FROM server_rows WHERE kind = ?", [BaseKind.card.rawValue]) { row in
        if notes.contains(row.integer(1)) { cards.insert(row.integer(0)) }
      }
    }
    graves.cards = cards.sorted()
    for (kind, ids) in [(BaseKind.card, graves.cards), (.note, graves.notes)] {
      for id in ids { try bases.bury(kind, id, isSent: true) }
    }
    let decks = try gone(.decks)
    if decks.isEmpty { return }
    // A deck stays on the server for cards in it that cannot be stored locally.
    var used: Set<Int64> = [DeckMerge.firstDeck]
    try db.forEachRow("SELECT json ->> 2, json ->> 15 FROM server_rows WHERE kind = ?", [BaseKind.card.rawValue]) {
      used.formUnion([$0.integer(0), $0.integer(1)])
    }
    for id in decks {
      if used.contains(id) {
        try bases.setHere(.deck, id, false)
      } else {
        graves.decks.append(id)
        try bases.bury(.deck, id, isSent: true)
      }
    }
  }
}
