// The database as it was at a step: the steps since then are undone in a transaction that is taken back.
// Invariant: nothing of it is kept, and no step of undo is written or changed.

/// A look at what a store was.
///
///     try LookBack(store).read(at: 41, also: { _ in }) { try store.read { db in ... } }
public struct LookBack {
  private let store: Store

  public init(_ store: Store) { self.store = store }

  /// Reads while the database is as it was when a step had just been done.
  /// - Parameter also: what else is to be done with the database, as no trigger sees what comes back.
  /// - Throws: `UndoError.noStep` for one that is not kept any more; `.tooLarge` where one since then cannot be undone.
  public func read<T>(at step: Int, also: (Database) throws -> Void, _ body: () throws -> T) throws -> T {
    try takingBack { db, tables in
      try go(db, to: step, tables)
      try also(db)
      return try body()
    }
  }

  /// Goes back step by step, the newest first, as far as steps are kept and can be undone; what is undone is passed
  /// over.
  /// - Parameter body: called with each step when the database is as it was before it.
  public func walk(_ body: (Database, UndoStep) throws -> Void) throws {
    try takingBack { db, tables in
      for step in try UndoLog.steps(db, limit: UndoLog.mostSteps) where !step.isUndone {
        if step.isTooLarge { break }
        try turn(db, step, tables)
        try body(db, step)
      }
    }
  }

  /// Runs what may change anything in a transaction that is taken back.
  private func takingBack<T>(_ body: (Database, [UndoTable]) throws -> T) throws -> T {
    guard let recorder = store.recorder else { throw UndoError.nothingToUndo }
    guard !store.hasOpenTransaction else { throw UndoError.inUnit }
    var result: T?
    try store.access("reading an earlier state", changes: true) { db in
      try store.withoutTriggers(db) {
        try store.begin(db, "reading an earlier state")
        recorder.isRecording = false
        do {
          try store.finish(
            db,
            { db in
              result = try body(db, recorder.tables)
              throw LookedBack()
            }, atEnd: {})
        } catch is LookedBack { return }
      }
    }
    guard let result else { throw UndoError.nothingToUndo }
    return result
  }

  /// Undoes what was done since a step, the newest first, and does again what was undone up to it.
  private func go(_ db: Database, to id: Int, _ tables: [UndoTable]) throws {
    let steps = try UndoLog.steps(db, limit: UndoLog.mostSteps)
    guard let oldest = steps.last?.id, id == oldest - 1 || steps.contains(where: { $0.id == id }) else {
      throw UndoError.noStep(id)
    }
    for step in steps where step.id > id && !step.isUndone { try turn(db, step, tables) }
    for step in steps.reversed() where step.id <= id && step.isUndone { try turn(db, step, tables) }
  }

  private func turn(_ db: Database, _ step: UndoStep, _ tables: [UndoTable]) throws {
    do {
      try UndoneRows(UndoLog.rows(db, of: step)).apply(db, tables, step: step.name)
    } catch is UndoDamage {
      throw UndoError.unreadable(step.name)
    }
  }
}

/// Ends the transaction of a look back, which is taken back.
private struct LookedBack: Error {}
