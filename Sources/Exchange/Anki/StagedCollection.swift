// A collection that comes row by row, as a sync server gives it: put together in a file of its own, then taken in like
// the collection of a package. Source: SyncRules.md, "A normal sync".
// Invariant: what is not such a row is refused; nothing is taken in before all of it is there; memory does not grow
// with the rows.

public import Decks
import Files
public import Storage
public import Values

/// The rows that a collection has of one kind.
public enum StagedKind: String, CaseIterable, Sendable {
  case notes, cards, revlog

  /// What each column holds: n a whole number, t a text, * either.
  fileprivate var columns: [Character] {
    switch self {
    case .notes: Array("ntnnntt**nt")
    case .cards: Array("nnnnnnnnnnnnnnnnnt")
    case .revlog: Array("nnnnnnnnn")
    }
  }

  /// What a row is read by: see `StagedRow`.
  fileprivate var staged: String {
    let columns = names.map { $0 == "usn" ? "0" : $0 }.joined(separator: ", ")
    return "id, \(self == .revlog ? "0" : "mod"), json_array(\(columns))"
  }

  fileprivate var names: [String] {
    switch self {
    case .notes: ["id", "guid", "mid", "mod", "usn", "tags", "flds", "sfld", "csum", "flags", "data"]
    case .cards:
      [
        "id", "nid", "did", "ord", "mod", "usn", "type", "queue", "due", "ivl", "factor", "reps", "lapses", "left",
        "odue", "odid", "flags", "data",
      ]
    case .revlog: ["id", "cid", "usn", "ease", "ivl", "lastIvl", "factor", "time", "type"]
    }
  }
}

/// Why a row is none. `reason` completes "the answer ...".
public struct StagedFault: Error, Equatable, Sendable {
  public let reason: String
}

/// The file would have more than so many bytes.
public struct StagedTooLarge: Error, Equatable, Sendable {
  public let limit: Int
}

/// What a collection has once: its note types, decks, presets and settings.
///
///     var head = StagedHead()
///     head.decks = [["id": .integer(1), "name": .text("Default")]]
public struct StagedHead: Sendable {
  /// JSON objects of schema 11, each with an `id`.
  public var types: [Value.Record] = []
  public var decks: [Value.Record] = []
  public var presets: [Value.Record] = []
  public var settings = Value.Record()
  /// Seconds since 1970 that due days count from.
  public var created = 0
  /// Milliseconds since 1970.
  public var modified = 0

  public init() {}
}

/// A row as it came, for the way back.
public struct StagedRow {
  public let id: Int64
  /// Seconds since 1970; 0 where the row has none.
  public let modified: Int64
  /// A JSON list.
  public let json: String

  /// - Parameter row: of `StagedKind.staged`.
  fileprivate init(_ row: Row) { (id, modified, json) = (row.integer(0), row.integer(1), row.text(2)) }
}

/// A collection that is being put together.
///
///     let staged = try StagedCollection(in: folder, isInterrupted: isInterrupted)
///     try staged.add(.notes, rows)
///     try staged.finish()
///     let report = try staged.takeIn(db, moment, isInterrupted: isInterrupted)
public final class StagedCollection {
  let scratch: Scratch
  let file: ExclusiveDatabase
  /// Bytes that the file may have.
  private let limit: Int
  private static let pageSize = 4096
  public private(set) var head = StagedHead()
  /// Rows of each kind, once it is finished.
  public private(set) var counts: [StagedKind: Int] = [:]
  /// Rows on their way into the file; none once it is finished.
  private var batches: [StagedKind: RowBatch] = [:]

  /// - Parameters:
  ///   - folder: the account's, for the file.
  ///   - limit: bytes that the file may have.
  public init(in folder: String, limit: Int = .max, isInterrupted: @escaping @Sendable () -> Bool) throws {
    self.limit = limit
    scratch = try Scratch(.package, in: folder)
    file = try ForeignDatabase.create(scratch.path("collection"), isInterrupted: isInterrupted)
    try file.use { db in
      // The file is thrown away where it does not come to its end.
      try db.begin()
      try db.execute(sql: CollectionWriter.tables)
    }
  }

  // MARK: Putting together

  /// Adds rows as they came; one whose id is there takes its place.
  /// - Throws: `StagedFault` for what is no such row, `StagedTooLarge`.
  public func add(_ kind: StagedKind, _ rows: [Value]) throws {
    if rows.isEmpty { return }
    let columns = kind.columns
    try file.use { db in
      let batch =
        try batches[kind] ?? RowBatch(db, into: kind.rawValue, "*", columns: columns.count, replaces: true)
      batches[kind] = batch
      for row in rows {
        try StagedCollection.put(row, kind, columns, into: batch)
        try batch.writeRow()
      }
      if try db.firstRow("PRAGMA page_count", [], { $0.count(0) }) ?? 0 > limit / StagedCollection.pageSize {
        throw StagedTooLarge(limit: limit)
      }
    }
  }

  private static func put(
    _ row: Value, _ kind: StagedKind, _ columns: [Character], into batch: RowBatch
  ) throws(StagedFault) {
    guard let values = row.list, values.count == columns.count else {
      throw StagedFault(reason: "has a row of \(kind.rawValue) that is not a list of \(columns.count) values")
    }
    for (index, column) in columns.enumerated() {
      switch values[index] {
      case .integer(let number) where column != "t": batch.put(index, Int64(number))
      case .text(let text) where column != "n": batch.put(index, text: text)
      default:
        throw StagedFault(reason: "has a row of \(kind.rawValue) whose \(kind.names[index]) has the wrong type")
      }
    }
  }

  /// Adds what a collection has once.
  /// - Throws: `StagedFault` for a part without an id.
  public func setHead(_ head: StagedHead) throws {
    func object(_ records: [Value.Record], _ what: String) throws(StagedFault) -> String {
      var parts: [(String, Value)] = []
      for record in records {
        guard let id = record["id"]?.integer else { throw StagedFault(reason: "has a \(what) without an id") }
        parts.append(("\(id)", .record(record)))
      }
      guard Set(parts.map(\.0)).count == parts.count else {
        throw StagedFault(reason: "has two \(what)s with the same id")
      }
      return Value.record(parts).json
    }
    let parts = [
      try object(head.types, "note type"), try object(head.decks, "deck"), try object(head.presets, "preset"),
    ]
    self.head = head
    try file.use { db in
      try db.execute(
        sql: "INSERT OR REPLACE INTO col VALUES (1, ?, ?, ?, 11, 0, 0, 0, ?, ?, ?, ?, '{}')",
        arguments: [
          head.created, head.modified, head.modified, Value.record(head.settings).json, parts[0], parts[1], parts[2],
        ])
    }
  }

  /// All rows were added: counts them.
  public func finish() throws {
    try file.use { db in
      for batch in batches.values { try batch.flush() }
      batches = [:]
      try db.commit()
      for kind in StagedKind.allCases {
        counts[kind] = try db.firstRow("SELECT count(*) FROM \(kind.rawValue)") { $0.count(0) }
      }
    }
  }

  // MARK: Taking in

  /// Takes all of it into an account that has no cards, in one operation.
  /// - Parameter progress: notes done and all of them; what it throws ends it.
  /// - Throws: `PackageError` for what cannot be a collection.
  public func takeIn(
    _ db: Database, _ moment: StudyMoment, isInterrupted: @escaping @Sendable () -> Bool,
    progress: (Int, Int) throws -> Void = { _, _ in }
  ) throws -> AddReport {
    let settings = PackageSettings(folder: scratch.folder, moment: moment, isInterrupted: isInterrupted) { _, name in
      name
    }
    let work = PackageImport(db, whole: settings)
    return try file.use { try work.run($0, nil, "the collection of the server", progress) }
  }

  /// Each row as it came, by its id, but for the number of the sync, which is 0: see `SyncedTable`.
  public func forEachRow(_ kind: StagedKind, _ body: (StagedRow) throws -> Void) throws {
    try file.use { db in
      try db.forEachRow("SELECT \(kind.staged) FROM \(kind.rawValue) ORDER BY id") { try body(StagedRow($0)) }
    }
  }

  /// Each card as it came, and out of its filtered deck.
  public func forEachCard(_ body: (StagedRow, AnkiCard) throws -> Void) throws {
    try file.use { db in
      let sql = "SELECT \(StagedKind.cards.staged), \(PackageRows.cardColumns) FROM cards ORDER BY id"
      try db.forEachRow(sql) { try body(StagedRow($0), AnkiCard($0, from: 3)) }
    }
  }
}
