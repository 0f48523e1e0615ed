// Replaces the collection of a server. Source: SyncRules.md, "Other collections".
// Invariant: the uploaded file contains the rows that a normal sync would leave on both sides; it is reopened and its
// rows are counted. It is sent within the operation that stores these rows locally.

import Decks
import Exchange
public import Storage
import Templates
import Values
import Wire

extension SyncExchange {
  /// Whether a normal sync cannot send the local collection: the server has another collection than at the last sync
  /// or an older state of it, or a local note type has another shape.
  public static func needsUpload(_ db: Database, _ link: SyncLink, _ pulled: PulledCollection) throws -> Bool {
    guard let known = link.meta, known.schema == pulled.meta.schema, known.usn <= pulled.meta.usn else { return true }
    let bases = try Bases(db)
    for type in try NoteTypeTable.list(db) {
      let id = type.id.rawValue
      guard let base = try bases[.noteType, id], base.isHere else { continue }
      if try !type.isSendable(after: NoteType(received: base.record, id: id)) { return true }
    }
    return false
  }

  /// Replaces the server's collection with the local one, in one operation.
  public func upload(_ db: Database, _ link: SyncLink, folder: String) throws -> SyncReport {
    let bases = try Bases(db)
    let head = try startingHead(bases, isFirst: link.meta == nil)
    let outgoing = try SyncOutgoing(db, usn: pulled.meta.usn, head, moment, isUpload: true)
    while try outgoing.next().count > 0 { if isInterrupted() { throw SyncError.interrupted } }
    var report = SyncReport()
    let here = try bases.counts()
    report.sent = here.total
    var fresh = link
    if sends {
      let bytes = try file(bases, head, in: folder)
      try server.upload(bytes)
      fresh.meta = try server.meta()
      try bases.markUploaded()
    }
    (fresh.synced, fresh.address) = (moment.now, server.address)
    try SyncTables.setLink(db, fresh)
    report.link = fresh
    return report
  }

  /// Returns the creation time and settings of the collection: the local ones, or the server's for the first sync. In
  /// that case the server's first deck and preset, which every collection has, become bases.
  private func startingHead(_ bases: Bases, isFirst: Bool) throws -> StagedHead {
    var head = StagedHead()
    if !isFirst, let record = try bases[.settings, 0]?.record {
      head.created = record["crt"]?.integer ?? pulled.staged.head.created
      head.settings = record["conf"]?.record ?? Value.Record()
      return head
    }
    let theirs = pulled.staged.head
    (head.created, head.settings) = (theirs.created, theirs.settings)
    for (kind, records) in [(BaseKind.deck, theirs.decks), (.preset, theirs.presets)] {
      for record in records where record["id"]?.integer == 1 { try bases.put(kind, 1, record, isHere: false) }
    }
    try bases.putSettings(head)
    return head
  }

  func file(_ bases: Bases, _ start: StagedHead, in folder: String) throws -> [UInt8] {
    let staged = try StagedCollection(in: folder, isInterrupted: isInterrupted)
    var head = start
    head.types = try bases.records(.noteType)
    head.decks = try bases.records(.deck)
    head.presets = try bases.records(.preset)
    do {
      try staged.setHead(head)
      for kind in StagedKind.allCases {
        try bases.forEachRow(kind) { rows in
          if isInterrupted() { throw SyncError.interrupted }
          try staged.add(kind, rows)
        }
      }
      let tags = try bases[.tags, 0]?.list ?? []
      return try staged.makeWhole(
        usn: pulled.meta.usn + 1, now: Int(moment.now * 1000), tags: tags.compactMap(\.text), limit: longestSyncFrame)
    } catch let fault as StagedFault { throw SyncError.unsound(reason: fault.reason) }
  }
}

extension Bases {
  fileprivate func records(_ kind: BaseKind) throws -> [Value.Record] {
    try all(kind).map { _, base in
      var record = base.record
      record["usn"] = .integer(0)
      return record
    }
  }

  /// Reads the bases of a table, `OutgoingChunk.mostRows` at a time.
  fileprivate func forEachRow(_ kind: StagedKind, _ body: ([Value]) throws -> Void) throws {
    let sql =
      switch kind {
      case .notes: "SELECT json FROM server_rows WHERE kind = \(BaseKind.note.rawValue)"
      case .cards: "SELECT json FROM server_rows WHERE kind = \(BaseKind.card.rawValue)"
      case .revlog:
        """
        SELECT json_array(id, card, 0, rating, ivl, last_ivl, factor, time, kind)
        FROM reviews WHERE NOT \(Unsent.sql)
        UNION ALL SELECT json FROM bases WHERE kind = \(BaseKind.review.rawValue)
          AND NOT EXISTS (SELECT 1 FROM reviews WHERE reviews.id = bases.id AND NOT \(Unsent.sql))
        """
      }
    var rows: [Value] = []
    try db.forEachRow(sql) { row in
      if let value = ServerRows.parse(row.text(0)) { rows.append(value) }
      if rows.count == OutgoingChunk.mostRows {
        try body(rows)
        rows = []
      }
    }
    try body(rows)
  }

  /// Sets the `usn` of all bases to 0, from which the server counts after an upload.
  fileprivate func markUploaded() throws {
    try db.execute(
      sql: """
        UPDATE bases SET json = json_set(json, CASE kind
          WHEN \(BaseKind.note.rawValue) THEN '$[4]' WHEN \(BaseKind.card.rawValue) THEN '$[5]'
          WHEN \(BaseKind.review.rawValue) THEN '$[2]' ELSE '$.usn' END, 0)
        WHERE kind NOT IN (\(BaseKind.tags.rawValue), \(BaseKind.settings.rawValue), \(BaseKind.noteType.rawValue))
        """)
    for table in [SyncedTable.decks, .presets] {
      try db.execute(sql: "UPDATE \(table.name) SET json = json_set(json, '$.usn', 0) WHERE NOT \(Unsent.sql)")
    }
  }
}
