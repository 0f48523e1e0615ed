// Note types, presets, decks and tags that are to be sent, and what was deleted.
// Invariant: of an object that the server has, only what was changed here is another thing; a change that would make
// every device download anew is refused.

import Decks
import Exchange
import Storage
import Templates
import Values

/// Finds what is here and not on the server. Made after what came was taken in.
final class SyncOutgoing {
  let db: Database
  let bases: Bases
  let moment: StudyMoment
  let rows: ServerRows
  /// What is sent has this number.
  let usn: Int
  var head = SyncHead()
  private(set) var graves = SyncGraves()
  /// The rows by their ids here, in the order in which they go.
  var waiting = UnsentRows()
  var making: RowMaking
  /// What was settled, one sentence each.
  var findings: [String] = []

  /// - Parameters:
  ///   - usn: what the server gives to what comes next.
  ///   - head: of the collection: when it was made, its settings.
  ///   - isUpload: all of it goes as a file: the shape of a type may be another one.
  init(_ db: Database, usn: Int, _ head: StagedHead, _ moment: StudyMoment, isUpload: Bool = false) throws {
    (self.db, self.moment, self.usn) = (db, moment, usn)
    bases = try Bases(db)
    making = try RowMaking(cards: SentCardReader(db), log: SentReviews(db))
    rows = ServerRows(moment, created: head.created, settings: head.settings)
    try findTypes(isUpload: isUpload)
    try findPresets()
    try findDecks()
    try findGraves()
    try findRows()
  }

  /// How many rows and objects there are.
  var count: Int { head.count + graves.count + waiting.count }

  func put(_ kind: BaseKind, _ id: Int64, _ record: Value.Record, local: Int64) throws {
    try bases.put(
      kind, id, modified: Int64(record["mod"]?.integer ?? 0), Value.record(record).json, local: local)
    try bases.agree(kind, id)
  }

  func stamp(_ record: inout Value.Record, _ modified: Int? = nil) {
    record["usn"] = .integer(usn)
    record["mod"] = .integer(modified ?? Int(min(1e11, max(0, moment.now))))
  }

  func free(_ kind: BaseKind, _ id: Int64) throws -> Int64 {
    var id = id
    while try bases.isTaken(kind, id) { id += 1 }
    return id
  }

  // MARK: Note types

  private func findTypes(isUpload: Bool) throws {
    let unsent = Set(try db.rows("SELECT id FROM note_types WHERE \(Unsent.sql)") { $0.integer(0) })
    for type in try NoteTypeTable.list(db) {
      let local = type.id.rawValue
      let remote = try bases.remote(.noteType, of: local)
      guard remote == nil || unsent.contains(local) else { continue }
      // The types that everybody has are sent when they are used.
      let isStock = (1_600_000_000_001...1_600_000_000_006).contains(local)
      if remote == nil, isStock, try NoteTypeTable.noteCount(db, type.id) == 0 { continue }
      var record = type.record
      let id = try remote ?? free(.noteType, local)
      if let remote, let was = try bases[.noteType, remote].flatMap({ ServerRows.parse($0.json)?.record }) {
        let before = try NoteType(received: was, id: remote)
        if !isUpload, !type.isSendable(after: before) { throw SyncError.shape(type: type.name) }
        // A name that is another one's here.
        if type.name.hasPrefix(before.name), type.name.dropFirst(before.name.count).allSatisfy({ $0 == "+" }) {
          record["name"] = was["name"]
        }
      }
      record["id"] = .integer(Int(id))
      stamp(&record, type.modified)
      head.types.append(record)
      try put(.noteType, id, record, local: local)
      try NoteTypeTable.markSent(db, type.id)
    }
  }

  // MARK: Presets

  private func findPresets() throws {
    for preset in try PresetTable.list(db) {
      let local = preset.id.rawValue
      let remotes = try db.rows(
        "SELECT remote FROM bases WHERE kind = ? AND local = ?", [BaseKind.preset.rawValue, local]
      ) { $0.integer(0) }
      if remotes.isEmpty {
        let id = try free(.preset, Int64(min(1e14, max(1, moment.now * 1000))))
        var record = SentHead.preset(id, name: preset.name, preset.options)
        stamp(&record)
        head.presets.append(record)
        try put(.preset, id, record, local: local)
      }
      for remote in remotes {
        guard let base = try bases[.preset, remote], try isChanged(.preset, local, base.state),
          var record = ServerRows.parse(base.json)?.record
        else { continue }
        let (name, options) = ServerRows.preset(record)
        let names = DeckOptions.Name.allCases.filter { options[$0] != preset.options[$0] }
        if names.isEmpty, name == preset.name {
          try bases.agree(.preset, remote)
          continue
        }
        for name in names { SentHead.set(name, of: preset.options, in: &record) }
        if remotes.count == 1 { record["name"] = .text(preset.name) }
        stamp(&record)
        head.presets.append(record)
        try put(.preset, remote, record, local: local)
      }
    }
  }

  func isChanged(_ kind: BaseKind, _ local: Int64, _ state: String?) throws -> Bool {
    let (table, expression) = kind.stated
    return try db.firstRow("SELECT \(expression) FROM \(table) WHERE id = ?", [local]) { $0.optionalText(0) }
      != .some(state)
  }

  // MARK: Deleted

  private func findGraves() throws {
    func gone(_ kind: BaseKind) throws -> [Int64] {
      try db.rows("SELECT remote \(SyncTables.gone(kind)) ORDER BY remote") { $0.integer(0) }
    }
    graves.notes = try gone(.note)
    var cards = Set(try gone(.card))
    // The cards of a note that goes, also those that have no place here.
    let notes = Set(graves.notes)
    if !notes.isEmpty {
      try db.forEachRow("SELECT remote, json ->> 1 FROM server_rows WHERE kind = ?", [BaseKind.card.rawValue]) {
        row in
        if notes.contains(row.integer(1)) { cards.insert(row.integer(0)) }
      }
    }
    graves.cards = cards.sorted()
    for (kind, ids) in [(BaseKind.card, graves.cards), (.note, graves.notes)] {
      for id in ids { try bases.bury(kind, id, isSent: true) }
    }
    for id in try gone(.deck) {
      // Rows in it that have no place here keep it there.
      let sql = """
        SELECT 1 FROM server_rows WHERE kind = \(BaseKind.card.rawValue) AND (json ->> 2 = ?1 OR json ->> 15 = ?1)
        """
      let isUsed = try db.firstRow(sql, [id]) { _ in true } ?? false
      if id == DeckMerge.firstDeck || isUsed {
        try bases.setLocal(.deck, id, to: nil)
      } else {
        graves.decks.append(id)
        try bases.bury(.deck, id, isSent: true)
      }
    }
  }
}
