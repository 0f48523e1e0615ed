// Taking over what was fetched from a server: cards here, and a shadow of each row of the server's.
// Invariant: all of it or nothing, in the operation that it is called in; what has no place here stands in its shadow,
// as it came.

public import Decks
import Exchange
public import Storage
import Templates
import Text
import Values
import Wire

/// What was taken over.
///
///     report.cards     // 12,040
///     report.shadowed  // 3: rows that have no place here and are kept as they came
public struct PullReport: Equatable, Sendable {
  public var cards = 0
  public var notes = 0
  public var answers = 0
  public var decks = 0
  /// Notes and cards that can be nothing here.
  public var shadowed = 0
  /// Why, one line a reason.
  public var findings: [String] = []

  public init() {}
}

extension PulledCollection {
  /// Takes all of it into an account without cards.
  /// - Parameter progress: notes done and all of them; what it throws ends it.
  public func takeIn(
    _ db: Database, _ link: SyncLink, _ moment: StudyMoment, isInterrupted: @escaping @Sendable () -> Bool,
    progress: (Int, Int) throws -> Void
  ) throws -> PullReport {
    try WholeCollection.removeStockTypes(db)
    let hadLog = try db.firstRow("SELECT 1 FROM reviews") { _ in true } ?? false
    let (places, received): (ReceivedPlaces, AddReport)
    do {
      (places, received) = try staged.takeIn(db, moment, isInterrupted: isInterrupted, progress: progress)
    } catch let error as PackageError {
      if case .interrupted = error { throw SyncError.interrupted }
      throw SyncError.call(.badAnswer(reason: error.reasonOfServer), step: "sync/chunk", address: address)
    }
    try SyncTables.forgetRows(db)
    let writer = try ShadowWriter(db)
    try write(writer, places, hadLog: hadLog)
    try writer.finish()
    var fresh = link
    (fresh.meta, fresh.synced, fresh.address) = (meta, moment.now, address)
    try SyncTables.setLink(db, fresh)
    return try report(db, received)
  }

  /// - Parameter hadLog: the log here had rows before.
  private func write(_ writer: ShadowWriter, _ places: ReceivedPlaces, hadLog: Bool) throws {
    for kind in [StagedKind.notes, .cards] { try staged.forEachRow(kind) { row in try writer.add(row, kind) } }
    try writer.flush()
    // The log here holds its own rows: only those are looked for that are not among them.
    if try hadLog || writer.logCount() != staged.counts[.revlog] {
      try staged.forEachRow(.revlog) { row in try writer.add(row, .revlog) }
    }
    let head = staged.head
    for (kind, records) in [(ShadowKind.noteType, head.types), (.deck, head.decks), (.preset, head.presets)] {
      for record in records {
        let id = Int64(record["id"]?.integer ?? 0)
        let local: Int64? =
          switch kind {
          case .noteType: places.types[id]?.rawValue
          case .deck: places.decks[id]?.rawValue
          default: places.presets[id]?.rawValue
          }
        try writer.add(kind, id: id, record, local: local)
      }
    }
    try writer.add(.tags, id: 0, json: Value.list(tags).json)
    try writer.add(
      .settings, id: 0, json: Value.record(["crt": .integer(head.created), "conf": .record(head.settings)]).json)
  }

  private func report(_ db: Database, _ received: AddReport) throws -> PullReport {
    var report = PullReport()
    report.cards = try WholeCollection.cardCount(db)
    report.notes = try db.firstRow("SELECT count(*) FROM notes") { $0.count(0) } ?? 0
    report.answers = staged.counts[.revlog] ?? 0
    report.decks = try DeckTable.list(db).count
    let kinds = "\(ShadowKind.card.rawValue), \(ShadowKind.note.rawValue)"
    report.shadowed =
      try db.firstRow("SELECT count(*) FROM sync_shadows WHERE kind IN (\(kinds)) AND local IS NULL") {
        $0.count(0)
      } ?? 0
    report.findings = received.lost + received.rejected.map { "note \($0.index): \($0.message)" }
    return report
  }
}

extension PackageError {
  /// Completes "the answer ...".
  fileprivate var reasonOfServer: String {
    switch self {
    case .damaged(_, let place, let reason), .refused(_, let place, let reason): "is damaged: \(place) \(reason)"
    case .notAPackage(_, let reason): "cannot be used: it \(reason)"
    case .newer, .noLibrary, .interrupted: "cannot be used"
    }
  }
}

/// Writes shadows. A second thread writes those of notes and cards, until `flush`.
private final class ShadowWriter {
  private let db: Database
  private let insertion: Statement
  private let review: Statement
  private let notes: RowBatch
  private let cards: RowBatch

  init(_ db: Database) throws {
    self.db = db
    insertion = try Statement(
      db, "INSERT INTO sync_shadows (kind, remote, usn, modified, json, local) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
    review = try Statement(db, "SELECT 1 FROM reviews WHERE id = ?1")
    let target = "sync_shadows (kind, remote, usn, modified, json, local, state)"
    // The rows here that they are of, and what these hold.
    notes = try RowBatch(
      db, into: target, "\(ShadowKind.note.rawValue), *, (SELECT id FROM notes WHERE id = column1), NULL", columns: 4,
      inLane: true)
    let card = "FROM cards WHERE id = column1"
    cards = try RowBatch(
      db, into: target,
      "\(ShadowKind.card.rawValue), *, (SELECT id \(card)), (SELECT \(ShadowKind.cardState) \(card))", columns: 4,
      inLane: true)
  }

  /// Writes the notes and cards that wait.
  func flush() throws {
    try notes.flush()
    try cards.flush()
  }

  /// Rows of the log here that came.
  func logCount() throws -> Int {
    try db.firstRow("SELECT count(*) FROM reviews WHERE NOT \(Unsent.sql)") { $0.count(0) } ?? 0
  }

  /// A row of a table. The log here holds its own rows.
  func add(_ row: StagedRow, _ kind: StagedKind) throws {
    switch kind {
    case .notes: try add(row, to: notes)
    case .cards: try add(row, to: cards)
    case .revlog:
      review.bind(1, row.id)
      if try review.first({ _ in true }) ?? false { return }
      try add(.review, id: row.id, usn: row.usn, modified: row.modified, json: row.json)
    }
  }

  private func add(_ row: StagedRow, to batch: RowBatch) throws {
    batch.put(0, row.id)
    batch.put(1, row.usn)
    batch.put(2, row.modified)
    batch.put(3, text: row.json)
    try batch.writeRow()
  }

  func add(_ kind: ShadowKind, id: Int64, _ record: Value.Record, local: Int64?) throws {
    try add(
      kind, id: id, usn: Int64(record["usn"]?.integer ?? 0), modified: Int64(record["mod"]?.integer ?? 0),
      json: Value.record(record).json, local: local)
  }

  func add(
    _ kind: ShadowKind, id: Int64, usn: Int64 = 0, modified: Int64 = 0, json: String, local: Int64? = nil
  ) throws {
    insertion.bind(1, kind.rawValue)
    insertion.bind(2, id)
    insertion.bind(3, usn)
    insertion.bind(4, modified)
    insertion.bind(5, json)
    insertion.bind(6, local)
    try insertion.run()
  }

  /// Writes that nothing of all this is to be sent.
  func finish() throws {
    let types = "SELECT local FROM sync_shadows WHERE kind = \(ShadowKind.noteType.rawValue)"
    let states = [
      agreement(.deck), agreement(.preset), "UPDATE notes SET usn = 0 WHERE \(Unsent.sql)",
      "UPDATE note_types SET usn = 0 WHERE id IN (\(types))",
    ]
    for sql in states { try db.execute(sql: sql) }
  }

  private func agreement(_ kind: ShadowKind) -> String { Shadows.agreement(kind, "local IS NOT NULL") }
}
