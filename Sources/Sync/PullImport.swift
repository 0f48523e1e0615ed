// Importing a whole collection from a server: the local rows, and a base for each remote row that differs from its
// local row. Invariant: everything is imported or nothing, within the caller's operation; a remote row that cannot be
// stored locally is kept as a base.

public import Decks
import Exchange
public import Storage
import Templates
import Text
import Values
import Wire

/// What was imported.
public struct PullReport: Equatable, Sendable {
  public var cards = 0
  public var notes = 0
  public var answers = 0
  public var decks = 0
  /// The number of notes and cards that cannot be stored locally.
  public var unstorable = 0
  /// The reasons, one per line.
  public var findings: [String] = []
}

extension PulledCollection {
  /// Imports all of it into an account without cards.
  /// - Parameter progress: called with the notes and answers done and their total; an error from it ends the import.
  public func importAll(
    _ db: Database, _ link: SyncLink, _ moment: StudyMoment, isInterrupted: @escaping @Sendable () -> Bool,
    progress: (Int, Int) throws -> Void
  ) throws -> PullReport {
    try WholeCollection.removeStockTypes(db)
    let hadLog = try db.hasRow("SELECT 1 FROM reviews")
    let received: AddReport
    do {
      received = try staged.importAll(db, moment, isInterrupted: isInterrupted, progress: progress)
    } catch let error as PackageError {
      if case .interrupted = error { throw SyncError.interrupted }
      throw SyncError.call(.badAnswer(reason: error.reasonOfServer), step: "sync/chunk", address: address)
    }
    try SyncTables.forgetRows(db)
    for table in [SyncedTable.cards, .notes] { try db.execute(sql: "UPDATE \(table.name) SET usn = 0") }
    try writeHead(Bases(db))
    try writeRows(BaseWriter(db), hadLog: hadLog)
    var fresh = link
    (fresh.meta, fresh.synced, fresh.address) = (meta, moment.now, address)
    try SyncTables.setLink(db, fresh)
    return try report(db, received)
  }

  private func writeHead(_ bases: Bases) throws {
    let head = staged.head
    for (kind, records) in [(BaseKind.noteType, head.types), (.deck, head.decks), (.preset, head.presets)] {
      for record in records {
        let id = ServerRows.id(record)
        let isHere = try kind.table?.has(bases.db, id) ?? false
        try bases.put(kind, id, record, isHere: isHere)
        if !isHere { continue }
        if kind == .noteType { try NoteTypeTable.markSent(bases.db, NoteTypeID(rawValue: id)) }
        try bases.agree(kind, id)
      }
    }
    try bases.putSettings(head)
    try bases.put(.tags, 0, Value.list(tags).json, isHere: false)
  }

  private func writeRows(_ writer: BaseWriter, hadLog: Bool) throws {
    try staged.forEachRow(.notes) { try writer.add($0, .note) }
    try staged.forEachRow(.cards) { try writer.add($0, .card) }
    // Local log rows are their own bases: only the rows that are missing from the log are looked for.
    if try hadLog || writer.logCount() != staged.counts[.revlog] {
      try staged.forEachRow(.revlog) { try writer.add($0, .review) }
    }
  }

  private func report(_ db: Database, _ received: AddReport) throws -> PullReport {
    var report = PullReport()
    report.cards = try WholeCollection.cardCount(db)
    report.notes = try db.count("SELECT count(*) FROM notes")
    report.answers = staged.counts[.revlog] ?? 0
    report.decks = try DeckTable.list(db).count
    let kinds = "\(BaseKind.card.rawValue), \(BaseKind.note.rawValue)"
    report.unstorable = try db.count("SELECT count(*) FROM bases WHERE kind IN (\(kinds)) AND NOT here")
    report.findings = received.lost + received.rejected.map { "note \($0.index): \($0.message)" }
    return report
  }
}

extension PackageError {
  /// Completes the sentence "the answer ...".
  fileprivate var reasonOfServer: String {
    switch self {
    case .damaged(_, let place, let reason), .refused(_, let place, let reason): "is damaged: \(place) \(reason)"
    case .notAPackage(_, let reason): "cannot be used: it \(reason)"
    case .newer, .noLibrary, .interrupted: "cannot be used"
    }
  }
}

/// Writes the bases of imported rows.
private final class BaseWriter {
  private let db: Database
  private let insertion: Statement
  private var own: [SyncedTable: Statement] = [:]

  init(_ db: Database) throws {
    self.db = db
    insertion = try Statement(
      db, "INSERT INTO bases (kind, id, modified, json, here, state) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
    for table in [SyncedTable.cards, .notes] {
      // The state of a row takes longer than its comparison, and few rows differ. LIMIT keeps them apart.
      let row = "SELECT *, \(table.row) = ?2 AS same FROM \(table.name) WHERE id = ?1 LIMIT 1"
      own[table] = try Statement(db, "SELECT same, iif(same, NULL, \(table.state)) FROM (\(row)) AS \(table.name)")
    }
  }

  func logCount() throws -> Int { try db.count("SELECT count(*) FROM reviews WHERE NOT \(Unsent.sql)") }

  /// Stores a remote row that differs from the local row.
  func add(_ row: StagedRow, _ kind: BaseKind) throws {
    var (isHere, state): (Bool, String?) = (false, nil)
    if let statement = kind.table.flatMap({ own[$0] }) {
      let found = try statement.first([row.id, row.json]) { ($0.integer(0) != 0, $0.optionalText(1)) }
      if found?.0 == true { return }
      (isHere, state) = (found != nil, found?.1)
    } else if try db.hasRow("SELECT 1 FROM reviews WHERE id = ?", [row.id]) {
      return
    }
    try insertion.execute(arguments: [kind.rawValue, row.id, row.modified, row.json, isHere, state])
  }
}
