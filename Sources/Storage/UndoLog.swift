// The undo steps, stored in the database that they changed: each is written in the transaction that it records.
// Invariant: a step is undone or redone completely or not at all, and only if no later step that is in effect has
// touched the same rows. The oldest steps are removed when there are too many or they take too much room.

import Wire

public struct UndoStep: Equatable, Sendable {
  public let id: Int
  /// What was done: "adding 3 cards to Spanish".
  public let name: String
  /// Seconds since 1970.
  public let at: Double
  /// Whether the step was undone, and can be redone.
  public let isUndone: Bool
  /// The number of rows that it changed.
  public let count: Int
  /// Whether it changed more than can be stored, and so cannot be undone; once undone, it cannot be redone.
  public internal(set) var isTooLarge: Bool
}

public enum UndoLog {
  public static let stepLimit = 1000
  /// The most bytes of all steps together.
  private static let byteLimit = 256 << 20
  /// How many steps are added between two removals of the oldest.
  private static let pruneInterval: Int64 = 16

  public static let schema = Schema(
    """
    CREATE TABLE undo_steps (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL,
      at REAL NOT NULL,
      undone INTEGER NOT NULL DEFAULT 0,
      count INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      rows BLOB,
      receipt TEXT
    ) STRICT;
    CREATE INDEX undo_steps_undone ON undo_steps(id) WHERE undone = 1;
    CREATE TABLE undo_chunks (
      step INTEGER NOT NULL REFERENCES undo_steps(id) ON DELETE CASCADE,
      number INTEGER NOT NULL,
      events BLOB NOT NULL,
      PRIMARY KEY (step, number)
    ) STRICT;
    """)

  /// Empties the log of a copy, without relying on foreign keys.
  static let clearSQL = "DELETE FROM undo_chunks; DELETE FROM undo_steps"

  /// Stores the changes of the recorder as a new step. Steps that were undone can no longer be redone.
  /// - Parameter receipt: a text of whoever made the step, for `receipts`.
  /// - Returns: the id of the step; nil if nothing was changed, which makes no step.
  static func add(
    _ db: Database, _ recorder: UndoRecorder, named name: String, receipt: String?, at now: Double
  ) throws -> Int? {
    guard !recorder.isEmpty else { return nil }
    let rows = try rows(of: recorder)
    let bytes = try rows?.byteCount ?? 0
    // Of a step that was undone although a later one is in effect, an empty row with `undone` 2 stays, which is not
    // listed: to undo that later step is not to go back to an earlier state.
    if try db.hasRow("SELECT 1 FROM undo_steps WHERE undone = 1") {
      try db.run("DELETE FROM undo_chunks WHERE step IN (SELECT id FROM undo_steps WHERE undone = 1)")
      try db.run(
        """
        UPDATE undo_steps SET undone = 2, bytes = 0, rows = NULL
        WHERE undone = 1 AND id < (SELECT max(id) FROM undo_steps WHERE undone = 0)
        """)
      try db.run("DELETE FROM undo_steps WHERE undone = 1")
    }
    let insertion = try db.cachedStatement(
      sql: "INSERT INTO undo_steps (name, at, count, bytes, rows, receipt) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
    try insertion.bind([name, now, recorder.rowCount, bytes, nil, receipt])
    try run(insertion, rows?.head, at: 5)
    let id = db.lastInsertedRowID
    if let rows {
      try writeChunks(db, rows, of: id)
      if bytes > 1 << 20 || id % pruneInterval == 0 { try prune(db) }
    } else {
      // Earlier steps cannot be reached past a step that cannot be undone.
      try db.run("DELETE FROM undo_steps WHERE id < ?", [id])
    }
    return Int(id)
  }

  /// Replaces the rows of a step with those recorded while it was undone, so that it can be redone, or the reverse. A
  /// step that was undone and is too large for that stays undone.
  static func replace(_ db: Database, _ step: UndoStep, with recorder: UndoRecorder) throws {
    let rows = try rows(of: recorder)
    try db.run("DELETE FROM undo_chunks WHERE step = ?", [step.id])
    let update = try db.cachedStatement(sql: "UPDATE undo_steps SET undone = ?2, bytes = ?3, rows = ?4 WHERE id = ?1")
    try update.bind([step.id, !step.isUndone, rows?.byteCount ?? 0, nil])
    try run(update, rows?.head, at: 4)
    if let rows { try writeChunks(db, rows, of: Int64(step.id)) }
  }

  /// The rows of a recorded step; nil if they are more than can be stored, which the recorder then says.
  private static func rows(of recorder: UndoRecorder) throws -> StepRows? {
    if recorder.isTooLarge { return nil }
    let rows = recorder.encoded()
    if try rows.byteCount <= byteLimit { return rows }
    recorder.stopRecording()
    return nil
  }

  private static func writeChunks(_ db: Database, _ rows: StepRows, of step: Int64) throws {
    guard rows.chunkCount > 0 else { return }
    let insertion = try db.cachedStatement(sql: "INSERT INTO undo_chunks (step, number, events) VALUES (?1, ?2, ?3)")
    for number in 0..<rows.chunkCount {
      insertion.bind(1, step)
      insertion.bind(2, number)
      try run(insertion, rows.chunk(number), at: 3)
    }
  }

  /// Runs a statement with bytes that are bound in place, because a step may be large.
  private static func run(_ statement: Statement, _ bytes: [UInt8]?, at place: Int32) throws {
    guard let bytes else { return try statement.finish() }
    try bytes.withUnsafeBytes { raw in
      statement.bind(place, inPlace: raw)
      try statement.finish()
    }
  }

  /// Removes the oldest steps until the rest are few and small enough.
  private static func prune(_ db: Database) throws {
    var (count, bytes, oldest): (Int, Int64, Int64) = (0, 0, 0)
    try db.forEachRow("SELECT id, bytes FROM undo_steps ORDER BY id DESC") { row in
      count += 1
      bytes += row.integer(1)
      if oldest == 0, count > stepLimit || bytes > Int64(byteLimit) { oldest = row.integer(0) }
    }
    if oldest > 0 { try db.run("DELETE FROM undo_steps WHERE id <= ?", [oldest]) }
  }

  static func steps(_ db: Database, limit: Int) throws -> [UndoStep] {
    try db.rows("\(columns) WHERE undone < 2 ORDER BY id DESC LIMIT ?", [limit], step)
  }

  /// Returns the steps that were made with a receipt, the newest first.
  public static func receipts(_ db: Database) throws -> [(step: UndoStep, receipt: String)] {
    try db.rows("\(columns) WHERE receipt IS NOT NULL AND undone < 2 ORDER BY id DESC", []) { (step($0), $0.text(6)) }
  }

  /// Returns the step to undo or redo: that of the id, or else the last one done, or the first one undone.
  static func step(_ db: Database, _ id: Int?, isUndone: Bool) throws -> UndoStep {
    if let id {
      let found = try db.firstRow("\(columns) WHERE id = ? AND undone < 2", [id], step)
      guard let found else { throw UndoError.noStep(id) }
      guard found.isUndone == isUndone else { throw UndoError.notNow(found.name, isUndone: found.isUndone) }
      return found
    }
    let order = isUndone ? "undone = 1 ORDER BY id" : "undone = 0 ORDER BY id DESC"
    let found = try db.firstRow("\(columns) WHERE \(order) LIMIT 1", [], step)
    guard let found else { throw isUndone ? UndoError.nothingToRedo : UndoError.nothingToUndo }
    return found
  }

  private static let columns = "SELECT id, name, at, undone, count, rows IS NULL, receipt FROM undo_steps"

  private static func step(_ row: Row) -> UndoStep {
    UndoStep(
      id: row.count(0), name: row.text(1), at: row.number(2), isUndone: row.integer(3) != 0, count: row.count(4),
      isTooLarge: row.integer(5) != 0)
  }

  static func rows(_ db: Database, of step: UndoStep) throws -> StepRows {
    if step.isTooLarge { throw UndoError.tooLarge(step.name) }
    let head = try db.firstRow("SELECT rows FROM undo_steps WHERE id = ?", [step.id]) { Array($0.blob(0)) } ?? []
    let count = try db.count("SELECT count(*) FROM undo_chunks WHERE step = ?", [step.id])
    return StepRows(head: head, chunkCount: count) { number in
      let sql = "SELECT events FROM undo_chunks WHERE step = ? AND number = ?"
      guard let chunk = try db.firstRow(sql, [step.id, number], { Array($0.blob(0)) }) else { throw WireError() }
      return chunk
    }
  }

  /// Returns the steps whose rows cannot be decoded.
  public static func damagedSteps(_ db: Database) throws -> [UndoStep] {
    try db.rows("\(columns) WHERE rows IS NOT NULL", [], step).filter { step in
      do {
        try UndoneRows(rows(db, of: step), []).forEachChunk { _ in }
        return false
      } catch is WireError { return true }
    }
  }

  public static func removeAll(_ db: Database) throws { try db.run("DELETE FROM undo_steps") }

  /// Returns the names of the steps that touched the same rows and must be undone or redone first.
  static func conflicts(_ db: Database, _ step: UndoStep, _ known: [UndoTable]) throws -> [String] {
    // Undoing conflicts with later steps that are in effect; redoing also conflicts with earlier steps that are undone.
    let earlier = step.isUndone ? "(id < ?1 AND undone = 1) OR " : ""
    let sql = "\(columns) WHERE \(earlier)(id > ?1 AND undone = 0) ORDER BY id"
    let others = try db.rows(sql, [step.id], self.step)
    if others.isEmpty { return [] }
    let mine = try touched(db, step, known)
    return try others.filter { other in
      if other.isTooLarge { return true }
      let theirs = try touched(db, other, known)
      return theirs.contains { name, rows in mine[name].map { $0.meets(rows) } ?? false }
    }.map(\.name)
  }

  /// Whether undoing or redoing a step leads to an earlier state: all steps before it are in effect, and no later one.
  public static func isInOrder(_ db: Database, _ step: UndoStep) throws -> Bool {
    try !db.hasRow("SELECT 1 FROM undo_steps WHERE id <> ?1 AND undone <> (id > ?1)", [step.id])
  }

  private static func touched(_ db: Database, _ step: UndoStep, _ known: [UndoTable]) throws -> [String: TouchedRows] {
    do { return try TouchedRows.all(of: UndoneRows(Self.rows(db, of: step), known)) } catch is WireError {
      throw UndoError.unreadable(step.name)
    }
  }
}
