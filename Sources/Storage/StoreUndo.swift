// Undoes and redoes the steps of a store, and checks the file.
// Invariant: a step is undone or redone in one transaction; if that throws, nothing was changed.

import CSQLite
import Wire

extension Store {
  /// Returns the steps that can be undone or redone, newest first.
  public func undoSteps(limit: Int = UndoLog.stepLimit) throws -> [UndoStep] {
    recorder == nil ? [] : try read { try UndoLog.steps($0, limit: limit) }
  }

  /// Bytes of old rows that the current operation or unit keeps until it ends.
  public var waitingBytes: Int { recorder?.writtenCount ?? 0 }

  /// Those bytes, or those by which the file has grown if they are more: two calls differ by what was changed between.
  public var changedBytes: Int { get throws { try max(waitingBytes, addedPages << 12) } }

  public func nextStep(_ id: Int?, again: Bool) throws -> UndoStep {
    if recorder == nil { throw again ? UndoError.nothingToRedo : UndoError.nothingToUndo }
    return try read { try UndoLog.step($0, id, isUndone: again) }
  }

  /// Undoes a step, or redoes one that was undone: the last one, or the one with this id. A step that is too large to
  /// be redone is only undone outside a unit, which may have to redo it.
  /// - Parameter also: further changes to make to the database, because triggers are off.
  /// - Throws: `UndoError`, with nothing changed.
  @discardableResult public func undo(
    _ id: Int? = nil, again: Bool = false, also: (Database) throws -> Void = { _ in },
    progress: (Int, Int) throws -> Void = { _, _ in }
  ) throws -> UndoStep {
    guard let recorder else { throw again ? UndoError.nothingToRedo : UndoError.nothingToUndo }
    guard !hasOpenTransaction else { throw UndoError.inUnit }
    return try access(again ? "redoing" : "undoing", changes: true) { db in
      try withoutTriggers(db) {
        try begin(db)
        return try finish(db, { try apply($0, id, again, recorder, progress) }, atEnd: { _ in try also(db) })
      }
    }
  }

  /// Runs the body with triggers and foreign keys off. The log also has the rows that these changed.
  func withoutTriggers<T>(_ db: Database, _ body: () throws -> T) throws -> T {
    try db.execute(sql: "PRAGMA foreign_keys = OFF")
    db.setTriggers(areOn: false)
    defer {
      db.setTriggers(areOn: true)
      sqlite3_exec(db.connection.pointer, "PRAGMA foreign_keys = ON", nil, nil, nil)
    }
    return try body()
  }

  /// Undoes what the step changed.
  /// - Parameters:
  ///   - known: the tables as they are now.
  ///   - progress: receives the number of parts done and of all parts.
  /// - Throws: `UndoError.differs` if a row is not as the step left it.
  private func apply(
    _ db: Database, _ id: Int?, _ again: Bool, _ recorder: UndoRecorder, _ progress: (Int, Int) throws -> Void
  ) throws -> UndoStep {
    var step = try UndoLog.step(db, id, isUndone: again)
    let others = try UndoLog.conflicts(db, step, recorder.tables)
    if !others.isEmpty { throw UndoError.changedSince(step.name, by: others) }
    let isInOrder = try UndoLog.isInOrder(db, step)
    do {
      try UndoneRows(UndoLog.rows(db, of: step), recorder.tables).apply(db, step: step.name, progress: progress)
    } catch is WireError {
      throw UndoError.unreadable(step.name)
    } catch let error as StorageError where error.constraint != nil {
      var what = "its rows no longer fit the other rows"
      if case .unique? = error.constraint {
        what = "what was added or changed since takes the place of one of its rows; undo that first"
      }
      throw UndoError.differs(step.name, what: what)
    }
    if !isInOrder, let table = try db.firstRow("PRAGMA foreign_key_check", [], { $0.text(0) }) {
      throw UndoError.differs(step.name, what: "rows of \(table) would refer to rows that do not exist")
    }
    recorder.isRecording = false
    try UndoLog.replace(db, step, with: recorder)
    step.isTooLarge = recorder.isTooLarge
    if step.isTooLarge, again || isInUnit { throw UndoError.tooLarge(step.name) }
    return step
  }

  /// Returns the problems that SQLite finds in the file, in its words; empty if there are none.
  public func integrityProblems() throws -> [String] {
    try read { db in
      var found = try db.rows("PRAGMA integrity_check") { $0.text(0) }.filter { $0 != "ok" }
      try db.forEachRow("PRAGMA foreign_key_check") { row in
        found.append("row \(row.integer(1)) of \(row.text(0)) refers to a row that does not exist in \(row.text(2))")
      }
      return found
    }
  }
}
