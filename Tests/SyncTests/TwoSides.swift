// Local rows and the rows of a server, merged without a server: the basis of the sync tests.

import Decks
import Exchange
import Storage
import Templates
import TestSupport
import Values
import Wire

@testable import Sync

extension SyncProgram {
  /// Calls the program that was built beside the tests.
  static var built: SyncProgram {
    SyncProgram(path: builtProgram("deckhand-net"), environment: [], clock: monotonicSeconds, shouldStop: { false })
  }

  /// Makes a call and parses its answer.
  func call(_ request: SyncRequest, _ body: [UInt8]) throws(SyncError) -> (address: String, answer: Value) {
    let (address, answer) = try exchange(request, body)
    return (address, try parsed(answer, of: request))
  }
}

/// An account and the rows it receives.
///
///     let sides = TwoSides()
///     try sides.linked()
///     try sides.merge(sides.pulled(head, [.cards: [row]]))
struct TwoSides {
  let folder = TemporaryFolder()
  let schema = DecksSchema.schema + SyncTables.schema + MediaTables.schema
  let store: Store
  let moment = StudyMoment(now: 1_700_000_000)

  init(hasUndo: Bool = false) {
    let schema = schema
    store =
      hasUndo
      ? Store(
        path: folder.file("collection.sqlite"), schema: schema + UndoLog.schema, isInterrupted: { false },
        undoClock: { 1_700_000_000 })
      : Store(path: nil, schema: schema, isInterrupted: { false })
  }

  func pulled(
    _ head: StagedHead = StagedHead(), _ rows: [StagedKind: [Value]] = [:], graves: SyncGraves = SyncGraves(),
    isWhole: Bool = false, usn: Int = 9
  ) throws -> PulledCollection {
    let staged = try StagedCollection(in: folder.path) { false }
    var head = head
    head.created = 1_600_000_000
    try staged.setHead(head)
    for (kind, list) in rows { try staged.add(kind, list) }
    try staged.finish()
    var pulled = PulledCollection(
      staged: staged, meta: SyncMeta(modified: 1, schema: 1, usn: usn), tags: [], address: "")
    (pulled.graves, pulled.isWhole) = (graves, isWhole)
    return pulled
  }

  /// Merges what was received.
  @discardableResult
  func merge(_ pulled: PulledCollection, isFirst: Bool = false) throws -> SyncReport {
    try store.operation("sync") { db in
      let merge = try SyncMerge(db, pulled, moment, isInterrupted: { false }) { _, _ in }
      try merge.run(isFirst: isFirst)
      return merge.report
    }
  }

  /// Returns everything that would be sent.
  func outgoing(_ pulled: PulledCollection) throws -> (SyncOutgoing, [StagedKind: [[Value]]]) {
    try store.operation("send") { db in
      let outgoing = try SyncOutgoing(db, usn: pulled.meta.usn, pulled.staged.head, moment)
      var rows: [StagedKind: [[Value]]] = [:]
      while true {
        let chunk = try outgoing.next()
        if chunk.count == 0 { return (outgoing, rows) }
        for (kind, list) in chunk.rows {
          rows[kind, default: []] += list.compactMap { ServerRows.parse($0)?.list }
        }
      }
    }
  }

  /// Creates a collection that both sides have.
  func linked() throws {
    try linked(
      ServerSide.head(),
      [
        .notes: [ServerSide.note(100, "one")], .cards: [ServerSide.card(100)],
        .revlog: [ServerSide.review(1_690_000_000_000, 3)],
      ])
  }

  func linked(_ head: StagedHead, _ rows: [StagedKind: [Value]] = [:]) throws {
    let first = try pulled(head, rows, isWhole: true)
    try merge(first, isFirst: true)
    #expect(try outgoing(first).0.count == 0)
    try store.operation("link") { db in
      var link = SyncLink(address: "a", user: "b")
      link.meta = first.meta
      try SyncTables.setLink(db, link)
    }
  }

  func here() throws -> CardRecord? {
    try store.read { db in
      try CardTable.card(db, CardID(rawValue: Int64(ServerSide.card)))
    }
  }

  func note() throws -> NoteRecord {
    let id = try #require(try here()?.note)
    return try store.read { try NoteTable.record($0, id) }
  }

  func change(_ body: (Database, CardID) throws -> Void) throws {
    let id = try #require(try here()?.id)
    try store.operation("change") { try body($0, id) }
  }

  /// Changes fields of the server's note here.
  func write(_ fields: [String: String], at now: Double = 200) throws {
    try change { db, id in
      let note = try #require(try CardTable.card(db, id)?.note)
      try NoteTable.update(db, note, fields: fields, now: now, isInterrupted: { false })
    }
  }

  func unsent() throws -> SyncCounts { try store.read { try SyncTables.unsent($0) } }

  /// Changes the type of the server's notes here.
  func editType(_ body: (inout NoteTypeEdit) -> Void) throws {
    try store.operation("edit") { db in
      let type = try NoteTypeTable.find(db, named: "Basic")
      var edit = NoteTypeEdit(type)
      body(&edit)
      try NoteTypeTable.edit(db, type.id, edit, agreed: true, now: 300, isInterrupted: { false })
    }
  }
}
