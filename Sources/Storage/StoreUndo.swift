// Undoing and redoing the steps of a store, and looking whether it is sound.
// Invariant: a step is undone or redone in one transaction, and nothing was changed when it throws.

import CSQLite

extension Store {
  /// The steps that can be undone or redone, the newest first.
  public func undoSteps(limit: Int = 1000) throws -> [UndoStep] {
    recorder == nil ? [] : try read { try UndoLog.steps($0, limit: limit) }
  }

  /// Bytes of old rows that the operation or the unit under way keeps until it ends.
  public var waitingBytes: Int { recorder?.writtenCount ?? 0 }

  /// The step that `undo` would take.
  public func nextStep(_ id: Int?, again: Bool) throws -> UndoStep {
    if recorder == nil { throw again ? UndoError.nothingToRedo : UndoError.nothingToUndo }
    return try read { try UndoLog.step($0, id, isUndone: again) }
  }

  /// Undoes a step, or does one again that was undone: the last one, or that of an id.
  /// - Parameters:
  ///   - also: what else is to be done with the database, as no trigger sees what comes back.
  ///   - progress: parts done, of how many.
  /// - Throws: `UndoError`; nothing was changed then.
  @discardableResult
  public func undo(
    _ id: Int? = nil, again: Bool = false, also: (Database) throws -> Void = { _ in },
    progress: (Int, Int) throws -> Void = { _, _ in }
  ) throws -> UndoStep {
    guard let recorder else { throw again ? UndoError.nothingToRedo : UndoError.nothingToUndo }
    guard !hasOpenTransaction else { throw UndoError.inUnit }
    return try access(again ? "redoing" : "undoing", changes: true) { db in
      try withoutTriggers(db) {
        try begin(db, "undoing")
        return try finish(db, { try apply($0, id, again, recorder, progress) }, atEnd: { _ in try also(db) })
      }
    }
  }

  /// What a step changed has all its rows in the log, also those that a foreign key or a trigger took along.
  func withoutTriggers<T>(_ db: Database, _ body: () throws -> T) throws -> T {
    try db.execute(sql: "PRAGMA foreign_keys = OFF")
    _ = deckhand_enable_triggers(db.connection.pointer, 0)
    defer {
      _ = deckhand_enable_triggers(db.connection.pointer, 1)
      turnOnForeignKeys(db)
    }
    return try body()
  }

  private func apply(
    _ db: Database, _ id: Int?, _ again: Bool, _ recorder: UndoRecorder, _ progress: (Int, Int) throws -> Void
  ) throws -> UndoStep {
    let step = try UndoLog.step(db, id, isUndone: again)
    let others = try UndoLog.conflicts(db, step, recorder.tables)
    if !others.isEmpty { throw UndoError.changedSince(step.name, by: others) }
    let isLast = try UndoLog.isLast(db, step)
    do {
      try UndoneRows(UndoLog.rows(db, of: step)).apply(db, recorder.tables, step: step.name, progress: progress)
    } catch is UndoDamage {
      throw UndoError.unreadable(step.name)
    } catch let error as StorageError where error.constraint != nil {
      throw UndoError.differs(step.name, what: error.detail ?? "its rows no longer fit the other rows")
    }
    if !isLast, let table = try String.fetchOne(db, sql: "PRAGMA foreign_key_check") {
      throw UndoError.differs(step.name, what: "rows of \(table) that refer to it were added since")
    }
    recorder.isRecording = false
    try UndoLog.replace(db, step, with: recorder)
    return step
  }

  private func turnOnForeignKeys(_ db: Database) {
    sqlite3_exec(db.connection.pointer, "PRAGMA foreign_keys = ON", nil, nil, nil)
  }

  /// What SQLite finds wrong with the file, in its words: empty when all is well.
  public func integrityProblems() throws -> [String] {
    try read { db in
      var found = try String.fetchAll(db, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
      try db.forEachRow("PRAGMA foreign_key_check") { row in
        found.append("row \(row.integer(1)) of \(row.text(0)) refers to a row that does not exist in \(row.text(2))")
      }
      return found
    }
  }
}
