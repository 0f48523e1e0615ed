// A collection that is received row by row from a sync server: staged in a file of its own, then imported like the
// collection of a package, or made a file: to replace a server's, or a package for the user. Source: SyncRules.md.
// Invariant: a malformed row is refused; nothing is imported before all rows are there; memory does not grow with the
// number of rows; a collection for a server is read back and its rows are counted before it is returned.

public import Decks
import Files
public import Storage
import Templates
import Text
public import Values

public enum StagedKind: String, CaseIterable, Sendable {
  case notes, cards, revlog

  /// The type of each column: n is a whole number, t a text, * either.
  fileprivate var columns: [Character] {
    switch self {
    case .notes: Array("ntnnntt**nt")
    case .cards: Array("nnnnnnnnnnnnnnnnnt")
    case .revlog: Array("nnnnnnnnn")
    }
  }

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

/// Why a row or a collection is invalid. `reason` completes "the answer ...".
public struct StagedFault: Error, Equatable, Sendable {
  public let reason: String
}

/// The file would exceed the limit in bytes.
public struct StagedTooLarge: Error, Equatable, Sendable {
  public let limit: Int
}

/// The parts of a collection besides its rows: note types, decks, presets and settings.
///
///     var head = StagedHead()
///     head.decks = [["id": .integer(1), "name": .text("Default")]]
public struct StagedHead: Sendable {
  public var types: [Value.Record] = []
  public var decks: [Value.Record] = []
  public var presets: [Value.Record] = []
  public var settings = Value.Record()
  /// The time that due days count from, in seconds since 1970.
  public var created = 0
  public var modified = 0

  public init() {}

  /// Writes the one row of the table `col`.
  /// - Throws: `StagedFault` for a part without an id or with the id of another one.
  func write(to db: Database) throws {
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
    try db.execute(
      sql: "INSERT OR REPLACE INTO col VALUES (1, ?, ?, ?, 11, 0, 0, 0, ?, ?, ?, ?, '{}')",
      arguments: [
        created, modified, modified, Value.record(settings).json, try object(types, "note type"),
        try object(decks, "deck"), try object(presets, "preset"),
      ])
  }
}

/// A row as it was received, stored to send it back.
public struct StagedRow {
  public let id: Int64
  /// Seconds since 1970; 0 when the row has no such column.
  public let modified: Int64
  /// The columns as a JSON list.
  public let json: String

  fileprivate init(_ row: Row) { (id, modified, json) = (row.integer(0), row.integer(1), row.text(2)) }
}

/// A collection that is being assembled.
///
///     let staged = try StagedCollection(in: folder, isInterrupted: isInterrupted)
///     try staged.add(.notes, rows)
///     try staged.finish()
///     let report = try staged.importAll(db, moment, isInterrupted: isInterrupted)
public final class StagedCollection {
  let scratch: Scratch
  let file: ExclusiveDatabase
  private let limit: Int
  private static let pageSize = 4096
  public private(set) var head = StagedHead()
  /// The number of rows of each kind; set by `finish()`.
  public private(set) var counts: [StagedKind: Int] = [:]
  private var batches: [StagedKind: RowBatch] = [:]

  /// - Parameters:
  ///   - folder: the account's folder, for the file.
  ///   - limit: the limit on the file's size, in bytes.
  public init(in folder: String, limit: Int = .max, isInterrupted: @escaping @Sendable () -> Bool) throws {
    self.limit = limit
    scratch = try Scratch(.package, in: folder)
    file = try ForeignDatabase.create(scratch.path("collection"), isInterrupted: isInterrupted)
    try file.use { db in
      // No rollback is needed: if staging is not finished, the file is deleted.
      try db.begin()
      try db.execute(sql: CollectionWriter.tables)
    }
  }

  // MARK: Staging

  /// Adds rows as they were received; a row replaces an earlier one of the same id.
  /// - Throws: `StagedFault` for a malformed row, `StagedTooLarge`.
  public func add(_ kind: StagedKind, _ rows: [Value]) throws {
    if rows.isEmpty { return }
    let columns = kind.columns
    try file.use { db in
      try checkSize(db)
      let batch = try batches.kept(kind) {
        try RowBatch(db, into: kind.rawValue, "*", columns: columns.count, verb: "INSERT OR REPLACE", inLane: true)
      }
      for row in rows {
        try StagedCollection.put(row, kind, columns, into: batch)
        try batch.writeRow()
      }
    }
  }

  /// Checks the rows that are written: the second thread may still be writing those that were added last.
  private func checkSize(_ db: Database) throws {
    if try db.count("PRAGMA page_count") > limit / StagedCollection.pageSize { throw StagedTooLarge(limit: limit) }
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

  /// Sets the note types, decks, presets and settings.
  /// - Throws: `StagedFault` for a part without an id or with the id of another one.
  public func setHead(_ head: StagedHead) throws {
    self.head = head
    try file.use { try head.write(to: $0) }
  }

  /// Commits and counts the rows. Call this after the last row was added.
  public func finish() throws {
    try file.use { db in
      for batch in batches.values { try batch.flush() }
      batches = [:]
      try checkSize(db)
      try db.commit()
      for kind in StagedKind.allCases { counts[kind] = try db.count("SELECT count(*) FROM \(kind.rawValue)") }
    }
  }

  // MARK: Importing

  /// Imports the collection into an account that has no cards, in one operation.
  /// - Parameter progress: called with the notes and answers done and their total; an error from it ends the import.
  /// - Throws: `PackageError` when the rows do not form a valid collection.
  public func importAll(
    _ db: Database, _ moment: StudyMoment, isInterrupted: @escaping @Sendable () -> Bool,
    progress: (Int, Int) throws -> Void = { _, _ in }
  ) throws -> AddReport {
    let settings = PackageSettings(folder: scratch.folder, moment: moment, isInterrupted: isInterrupted) { _, name in
      name
    }
    let work = try PackageImport(db, into: nil, settings, isFromServer: true)
    return try file.use { try work.run($0, nil, "the collection of the server", progress) }
  }

  /// Calls `body` with each row in the order of ids. The row is as received, except that `usn` is 0: see `SyncedTable`.
  public func forEachRow(_ kind: StagedKind, _ body: (StagedRow) throws -> Void) throws {
    try file.use { db in
      try db.forEachRow("SELECT \(kind.staged) FROM \(kind.rawValue) ORDER BY id") { try body(StagedRow($0)) }
    }
  }

  /// Calls `body` with each card: as received, and moved out of its filtered deck.
  public func forEachCard(_ body: (StagedRow, AnkiCard) throws -> Void) throws {
    try file.use { db in
      let sql = "SELECT \(StagedKind.cards.staged), \(PackageRows.cardColumns) FROM cards ORDER BY id"
      try db.forEachRow(sql) { try body(StagedRow($0), AnkiCard($0, from: 3)) }
    }
  }

  /// Finishes the file as a collection that replaces the one on a server.
  /// - Parameters:
  ///   - usn: the number of the next change on the server.
  ///   - now: milliseconds since 1970.
  ///   - tags: the tags that the collection lists.
  /// - Returns: the file's bytes.
  /// - Throws: `StagedFault` when the file fails its integrity check or lacks rows that were added.
  public func makeWhole(usn: Int, now: Int, tags: [String], limit: Int) throws -> [UInt8] {
    try finish()
    try file.use { db in
      try db.transaction {
        try writeSortFields(db)
        for kind in StagedKind.allCases { try db.execute(sql: "UPDATE \(kind.rawValue) SET usn = 0") }
        let listed = Value.record(tags.map { ($0, .integer(0)) }).json
        try db.execute(
          sql: "UPDATE col SET mod = ?1, scm = ?1, ls = ?1, usn = ?2, tags = ?3", arguments: [now, usn, listed])
        try db.execute(sql: CollectionWriter.indices)
      }
    }
    try check()
    return try FileText.bytes(scratch.path("collection"), limit: limit, isInterrupted: isNeverInterrupted)
  }

  private func writeSortFields(_ db: Database) throws {
    var places: [Int64: Int] = [:]
    for type in head.types {
      guard let id = type["id"]?.integer else { continue }
      places[Int64(id)] = type["sortf"]?.integer ?? 0
    }
    let update = try Statement(db, "UPDATE notes SET sfld = ?1, csum = ?2 WHERE id = ?3")
    let walk = try Statement(db, "SELECT id, mid, flds FROM notes ORDER BY id")
    while let row = try walk.next() {
      let fields = PackageRows.fields(row.bytes(2))
      let place = places[row.integer(1)] ?? 0
      var first = FieldHTML.sortText(fields.first ?? "")
      update.bind(1, fields.indices.contains(place) && place > 0 ? FieldHTML.sortText(fields[place]) : first)
      update.bind(2, first.withUTF8(CollectionWriter.checksum))
      update.bind(3, row.integer(0))
      try update.run()
    }
  }

  private func check() throws {
    let file = try ForeignDatabase.open(scratch.path("collection"), longest: nil) { false }
    try file.use { db in
      let problem = try db.firstRow("PRAGMA integrity_check") { $0.text(0) } ?? ""
      if problem != "ok" { throw StagedFault(reason: "failed the integrity check: \(problem)") }
      for kind in StagedKind.allCases {
        let count = try db.count("SELECT count(*) FROM \(kind.rawValue)")
        if count != counts[kind] { throw StagedFault(reason: "lacks rows of \(kind.rawValue)") }
      }
    }
  }

  /// Writes the collection as a package, which `deck import` and Anki can read.
  public func pack(to path: String, _ moment: StudyMoment) throws {
    var destination = ExchangeSettings(
      folder: scratch.folder, moment: moment, isInterrupted: isNeverInterrupted
    ) { $0.name }
    (destination.format, destination.isOwn) = (.colpkg, true)
    let builder = PackageBuilder(path: path, scratch: scratch, destination: destination)
    _ = try builder.build(collection: scratch.path("collection"), media: [], .plain)
  }
}
