// Reads the database as it was at an undo step, by undoing the later steps in a transaction that is rolled back.
// Invariant: no change of this transaction is kept, and no undo step is written or changed.

import Wire

/// Reads earlier states of a store.
public struct LookBack {
  private let store: Store

  public init(_ store: Store) { self.store = store }

  /// Runs the body while the database is in the state right after a step.
  /// - Parameter also: further changes to make to the database, because triggers are off while steps are undone.
  /// - Throws: `UndoError.noStep` if the step is no longer stored; `.tooLarge` if a later step cannot be undone.
  public func read<T>(at step: Int, also: (Database) throws -> Void, _ body: () throws -> T) throws -> T {
    try rollingBack { db, tables in
      try move(db, to: step, tables)
      try also(db)
      return try body()
    }
  }

  /// Goes back step by step, newest first, as far as steps are stored and can be undone; skips steps that are undone.
  /// - Parameter body: called for each step while the database is in the state before that step.
  public func walk(_ body: (Database, UndoStep) throws -> Void) throws {
    try rollingBack { db, tables in
      for step in try UndoLog.steps(db, limit: UndoLog.stepLimit) where !step.isUndone {
        if step.isTooLarge { break }
        try undoOrRedo(db, step, tables)
        try body(db, step)
      }
    }
  }

  private func rollingBack<T>(_ body: (Database, [UndoTable]) throws -> T) throws -> T {
    guard let recorder = store.recorder else { throw UndoError.nothingToUndo }
    guard !store.hasOpenTransaction else { throw UndoError.inUnit }
    return try store.access("reading an earlier state", changes: true) { db in
      try store.withoutTriggers(db) { try store.rollingBack(db) { try body(db, recorder.tables) } }
    }
  }

  /// Undoes the steps after step `id`, newest first, and redoes the undone steps up to it.
  private func move(_ db: Database, to id: Int, _ tables: [UndoTable]) throws {
    let steps = try UndoLog.steps(db, limit: UndoLog.stepLimit)
    guard let oldest = steps.last?.id, id == oldest - 1 || steps.contains(where: { $0.id == id }) else {
      throw UndoError.noStep(id)
    }
    for step in steps where step.id > id && !step.isUndone { try undoOrRedo(db, step, tables) }
    for step in steps.reversed() where step.id <= id && step.isUndone { try undoOrRedo(db, step, tables) }
  }

  private func undoOrRedo(_ db: Database, _ step: UndoStep, _ tables: [UndoTable]) throws {
    do { try UndoneRows(UndoLog.rows(db, of: step), tables).apply(db, step: step.name) } catch is WireError {
      throw UndoError.unreadable(step.name)
    }
  }
}
