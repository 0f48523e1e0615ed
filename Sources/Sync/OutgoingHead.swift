// Note types, presets, decks and tags that are to be sent, and what was deleted.
// Invariant: of an object that the server has, only what was changed here is another thing; a change that would make
// every device download anew is refused.

import Decks
import Exchange
import GRDB
import Values

/// Finds what is here and not on the server. Made after what came was taken in.
final class SyncOutgoing {
  let db: Database
  let shadows: Shadows
  let moment: StudyMoment
  let rows: ServerRows
  /// What is sent has this number.
  let usn: Int
  var head = SyncHead()
  private(set) var graves = SyncGraves()
  /// The rows by their ids here, in the order in which they go.
  var waiting = WaitingRows()
  var making: RowMaking

  /// - Parameters:
  ///   - usn: what the server gives to what comes next.
  ///   - head: of the collection: when it was made, its settings.
  ///   - isUpload: all of it goes as a file: the shape of a type may be another one.
  init(_ db: Database, usn: Int, _ head: StagedHead, _ moment: StudyMoment, isUpload: Bool = false) throws {
    (self.db, self.moment, self.usn) = (db, moment, usn)
    shadows = try Shadows(db)
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

  private func put(_ kind: ShadowKind, _ id: Int64, _ record: Value.Record, local: Int64) throws {
    try shadows.put(
      kind, id, usn: Int64(usn), modified: Int64(record["mod"]?.integer ?? 0), Value.record(record).json, local: local)
    try shadows.agree(kind, id)
  }

  private func stamp(_ record: inout Value.Record, _ modified: Int? = nil) {
    record["usn"] = .integer(usn)
    record["mod"] = .integer(modified ?? Int(min(1e11, max(0, moment.now))))
  }

  private func free(_ kind: ShadowKind, _ id: Int64) throws -> Int64 {
    var id = id
    while try shadows.isTaken(kind, id) { id += 1 }
    return id
  }

  // MARK: Note types

  private func findTypes(isUpload: Bool) throws {
    let unsent = Set(try db.rows("SELECT id FROM note_types WHERE usn = -1") { $0.integer(0) })
    for type in try NoteTypeTable.list(db) {
      let local = type.id.rawValue
      let remote = try shadows.remote(.noteType, of: local)
      guard remote == nil || unsent.contains(local) else { continue }
      // The types that everybody has are sent when they are used.
      let isStock = (1_600_000_000_001...1_600_000_000_006).contains(local)
      if remote == nil, isStock, try NoteTypeTable.noteCount(db, type.id) == 0 { continue }
      var record = type.record
      let id = try remote ?? free(.noteType, local)
      if let remote, let was = try shadows[.noteType, remote].flatMap({ ServerRows.parse($0.json)?.record }) {
        let before = try NoteType(received: was, id: remote)
        if !isUpload, !type.keepsShape(of: before) || type.sortField != before.sortField {
          throw SyncError.shape(type: type.name)
        }
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
        "SELECT remote FROM sync_shadows WHERE kind = ? AND local = ?", [ShadowKind.preset.rawValue, local]
      ) { $0.integer(0) }
      if remotes.isEmpty {
        let id = try free(.preset, Int64(min(1e14, max(1, moment.now * 1000))))
        var record = SentHead.preset(id, name: preset.name, preset.options)
        stamp(&record)
        head.presets.append(record)
        try put(.preset, id, record, local: local)
      }
      for remote in remotes {
        guard let shadow = try shadows[.preset, remote], try isChanged(.preset, local, shadow.state),
          var record = ServerRows.parse(shadow.json)?.record
        else { continue }
        let (name, options) = ServerRows.preset(record)
        let names = DeckOptions.Name.allCases.filter { options[$0] != preset.options[$0] }
        if names.isEmpty, name == preset.name {
          try shadows.agree(.preset, remote)
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

  private func isChanged(_ kind: ShadowKind, _ local: Int64, _ state: String?) throws -> Bool {
    let (table, expression) = kind.stated
    return try db.firstRow("SELECT \(expression) FROM \(table) WHERE id = ?", [local]) { $0.optionalText(0) }
      != .some(state)
  }

  // MARK: Decks

  private func findDecks() throws {
    let there = names(try shadows.all(.deck).map { ($0.remote, ServerRows.parse($0.shadow.json)?.record) })
    let decks = try DeckTable.list(db)
    var remotes: [DeckID: Int64] = [:]
    for deck in decks { remotes[deck.id] = try shadows.remote(.deck, of: deck.id.rawValue) }
    let keys = decks.map { (deck: $0, key: $0.name.lowercased()) }
    for (index, (deck, key)) in keys.enumerated() {
      guard let remote = remotes[deck.id] else {
        // Those within a deck come right after it. One that only stands around decks of the server's is not needed.
        let within = keys[(index + 1)...].prefix { $0.key.utf8.starts(with: (key + "::").utf8) }
        let isNeeded =
          try within.isEmpty || DeckTable.count(db, deck.id) > 0
          || within.contains { remotes[$0.deck.id] == nil }
        if isNeeded { try add(deck) }
        continue
      }
      try change(deck, remote)
    }
    head.decks = ordered(head.decks, there)
  }

  private func names(_ decks: [(Int64, Value.Record?)]) -> [String: Int64] {
    Dictionary(decks.map { ($1?["name"]?.text?.lowercased() ?? "", $0) }) { first, _ in first }
  }

  /// The server gives a deck whose name another one still has there a name of its own: one comes after the other has
  /// given its name up, and where they go in a circle one has another name for a moment.
  private func ordered(_ decks: [Value.Record], _ there: [String: Int64]) -> [Value.Record] {
    var (there, rest, sent) = (there, decks[...], [Value.Record]())
    func id(_ deck: Value.Record) -> Int64 { Int64(deck["id"]?.integer ?? 0) }
    func send(_ deck: Value.Record) {
      there = there.filter { $0.value != id(deck) }
      there[deck["name"]?.text?.lowercased() ?? ""] = id(deck)
      sent.append(deck)
    }
    while let first = rest.first {
      let next = rest.firstIndex { deck in
        let owner = there[deck["name"]?.text?.lowercased() ?? ""]
        return owner == nil || owner == id(deck)
      }
      if let next {
        send(rest.remove(at: next))
        continue
      }
      // Once for each deck: then its name is nobody's.
      var aside = first
      aside["name"] = .text("\(first["name"]?.text ?? "") \(id(first))")
      rest[rest.startIndex]["mod"] = .integer((first["mod"]?.integer ?? 0) + 1)
      send(aside)
    }
    return sent
  }

  private func add(_ deck: DeckRecord) throws {
    let id = try free(.deck, max(2, Int64(min(1e14, max(0, deck.created * 1000))) + deck.id.rawValue))
    let preset = try DeckTable.nearestPreset(db, deck.id).flatMap { try shadows.remote(.preset, of: $0.rawValue) }
    var record = SentHead.deck(
      id, name: deck.name, modified: 0, preset: preset, try DeckTable.limits(db, deck.id))
    stamp(&record)
    head.decks.append(record)
    try put(.deck, id, record, local: deck.id.rawValue)
  }

  private func change(_ deck: DeckRecord, _ remote: Int64) throws {
    guard let shadow = try shadows[.deck, remote], try isChanged(.deck, deck.id.rawValue, shadow.state),
      let was = ServerRows.parse(shadow.json)?.record
    else { return }
    var record = was
    if ServerRows.deckName(was) != deck.name { record["name"] = .text(deck.name) }
    let limits = try DeckTable.limits(db, deck.id)
    for option in DeckLimits.names where ServerRows.limits(was).value(option) != limits.value(option) {
      SentHead.set(option, of: limits, in: &record)
    }
    let had = try (was["conf"]?.integer).flatMap { try shadows[.preset, Int64($0)]?.local }
    let has = try DeckTable.preset(db, deck.id)
    if had != has?.rawValue {
      let preset = try (has ?? DeckTable.nearestPreset(db, deck.id)).flatMap {
        try shadows.remote(.preset, of: $0.rawValue)
      }
      record["conf"] = .integer(Int(preset ?? 1))
    }
    if record == was { return try shadows.agree(.deck, remote) }
    stamp(&record)
    head.decks.append(record)
    try put(.deck, remote, record, local: deck.id.rawValue)
  }

  // MARK: Deleted

  private func findGraves() throws {
    func gone(_ kind: ShadowKind, _ table: String) throws -> [Int64] {
      try db.rows(
        """
        SELECT remote FROM sync_shadows s WHERE s.kind = ? AND s.local IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM \(table) WHERE id = s.local) ORDER BY remote
        """, [kind.rawValue]
      ) { $0.integer(0) }
    }
    graves.notes = try gone(.note, "notes")
    var cards = Set(try gone(.card, "cards"))
    // The cards of a note that goes, also those that have no place here.
    let notes = Set(graves.notes)
    if !notes.isEmpty {
      try db.forEachRow("SELECT remote, json ->> 1 FROM sync_shadows WHERE kind = ?", [ShadowKind.card.rawValue]) {
        row in
        if notes.contains(row.integer(1)) { cards.insert(row.integer(0)) }
      }
    }
    graves.cards = cards.sorted()
    for (kind, ids) in [(ShadowKind.card, graves.cards), (.note, graves.notes)] {
      for id in ids { try shadows.bury(kind, id) }
    }
    for id in try gone(.deck, "decks") {
      // What stands in it and has no place here keeps it there.
      let sql = """
        SELECT 1 FROM sync_shadows WHERE kind = \(ShadowKind.card.rawValue) AND (json ->> 2 = ?1 OR json ->> 15 = ?1)
        """
      let isUsed = try db.firstRow(sql, [id]) { _ in true } ?? false
      if id == SyncMerge.firstDeck || isUsed {
        try shadows.setLocal(.deck, id, to: nil)
      } else {
        graves.decks.append(id)
        try shadows.bury(.deck, id)
      }
    }
  }
}
