// Giving a server a whole collection in the place of its own. Source: SyncRules.md, "Other collections".
// Invariant: the file is made of the rows that a normal sync would leave on both sides, read again and counted; it goes
// within the operation that keeps them here.

import Decks
import Exchange
public import Storage
import Templates
import Values
import Wire

extension SyncExchange {
  /// Whether a normal sync cannot send what is here: the server has another collection than at the last sync or an
  /// older state of it, or a note type has another shape here.
  public static func needsUpload(_ db: Database, _ link: SyncLink, _ pulled: PulledCollection) throws -> Bool {
    guard let known = link.meta, known.schema == pulled.meta.schema, known.usn <= pulled.meta.usn else { return true }
    let bases = try Bases(db)
    for type in try NoteTypeTable.list(db) {
      guard let remote = try bases.remote(.noteType, of: type.id.rawValue),
        let was = try bases[.noteType, remote].flatMap({ ServerRows.parse($0.json)?.record })
      else { continue }
      if try !type.isSendable(after: NoteType(received: was, id: remote)) { return true }
    }
    return false
  }

  /// Puts what is here in the place of what the server has, in one operation.
  /// - Parameter folder: the account's, for the file.
  public func upload(_ db: Database, _ link: SyncLink, folder: String) throws -> SyncReport {
    let bases = try Bases(db)
    let head = try startingHead(bases, isFirst: link.meta == nil)
    let outgoing = try SyncOutgoing(db, usn: pulled.meta.usn, head, moment, isUpload: true)
    while try outgoing.next().count > 0 { if isInterrupted() { throw SyncError.interrupted } }
    var report = SyncReport()
    let here = try bases.counts()
    report.sent = here.cards + here.notes + here.reviews + here.types + here.decks + here.presets
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

  /// When the collection was made and its settings: those of the one that is here, or of the server's, whose first deck
  /// and preset every collection has.
  private func startingHead(_ bases: Bases, isFirst: Bool) throws -> StagedHead {
    var head = StagedHead()
    if !isFirst, let record = try bases[.settings, 0].flatMap({ ServerRows.parse($0.json)?.record }) {
      head.created = record["crt"]?.integer ?? pulled.staged.head.created
      head.settings = record["conf"]?.record ?? Value.Record()
      return head
    }
    let theirs = pulled.staged.head
    (head.created, head.settings) = (theirs.created, theirs.settings)
    for (kind, records) in [(BaseKind.deck, theirs.decks), (.preset, theirs.presets)] {
      for record in records where record["id"]?.integer == 1 {
        try bases.put(kind, 1, Value.record(record).json, local: nil)
      }
    }
    try bases.put(
      .settings, 0,
      Value.record(["crt": .integer(head.created), "conf": .record(head.settings)]).json, local: nil)
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
      let tags = try bases[.tags, 0].flatMap { ServerRows.parse($0.json)?.list } ?? []
      return try staged.makeWhole(
        usn: pulled.meta.usn + 1, now: Int(moment.now * 1000), tags: tags.compactMap(\.text), limit: longestSyncFrame)
    } catch let fault as StagedFault {
      throw SyncError.unsound(reason: fault.reason)
    }
  }
}

extension Bases {
  fileprivate func records(_ kind: BaseKind) throws -> [Value.Record] {
    try all(kind).compactMap { ServerRows.parse($0.base.json)?.record }.map { record in
      var record = record
      record["usn"] = .integer(0)
      return record
    }
  }

  /// The rows of a table there, some thousand at a time.
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
          AND NOT EXISTS (SELECT 1 FROM reviews WHERE id = remote AND NOT \(Unsent.sql))
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

  /// The server counts anew from here.
  fileprivate func markUploaded() throws {
    try db.execute(
      sql: """
        UPDATE bases SET json = json_set(json, CASE kind
          WHEN \(BaseKind.note.rawValue) THEN '$[4]' WHEN \(BaseKind.card.rawValue) THEN '$[5]'
          WHEN \(BaseKind.review.rawValue) THEN '$[2]' ELSE '$.usn' END, 0)
        WHERE kind NOT IN (\(BaseKind.tags.rawValue), \(BaseKind.settings.rawValue))
        """)
  }
}
