// What keeps the data of an account safe: undo here; backups, restoring and mending in the files beside this one.
// Invariant: a step of undo is what one operation, or one unit of work, changed in the database.

import CardDocuments
import Decks
public import Storage

/// Undo, backups and the doctor.
///
///     try workspace.care.undo()
///     try workspace.care.backup(to: "all.deckhand-backup")
public struct CareOperations {
  let workspace: Workspace

  /// The steps that can be undone or redone, the newest first.
  public func steps(limit: Int = 1000) throws -> [UndoStep] {
    try workspace.games.store()
    return try workspace.store().undoSteps(limit: limit)
  }

  /// The step that `undo` or `redo` would take.
  public func nextStep(_ id: Int?, again: Bool) throws -> UndoStep {
    try workspace.games.store()
    return try workspace.store().nextStep(id, again: again)
  }

  /// Undoes the last step, or that of an id.
  /// - Parameter progress: parts done, of how many.
  /// - Throws: `UndoError` with the reason why it cannot be undone; nothing was changed then.
  @discardableResult
  public func undo(_ step: Int? = nil, progress: (Int, Int) throws -> Void = { _, _ in }) throws -> UndoStep {
    try change(step, again: false, progress)
  }

  /// Does again what was undone last.
  @discardableResult
  public func redo(_ step: Int? = nil, progress: (Int, Int) throws -> Void = { _, _ in }) throws -> UndoStep {
    try change(step, again: true, progress)
  }

  /// Takes back what one operation changed: its step, or, where that is more than the operation or a unit is under way,
  /// its rows.
  func takeBack(_ change: RecordedChange) throws {
    if change.isEmpty { return }
    do {
      if let step = change.step, !workspace.rehearsal.isOn, !workspace.database.hasOpenTransaction {
        try undo(step)
      } else {
        try workspace.perform(.takeBack) { db in
          try SearchLog.forget(db)
          try workspace.database.takeBack(change, db)
        }
      }
    } catch UndoError.notNow(_, isUndone: true) {
      // `undo` has taken it back already.
      return
    }
  }

  private func change(_ id: Int?, again: Bool, _ progress: (Int, Int) throws -> Void) throws -> UndoStep {
    let store = try workspace.store()
    if workspace.rehearsal.isOn { throw WorkspaceError.rehearsal(again ? "redo" : "undo") }
    try workspace.games.store()
    let name = try store.nextStep(id, again: again).name
    let documents = try id.map { _ in try store.read { Set(try DocumentTable.ids($0)) } } ?? []
    let step = try store.undo(
      id, again: again,
      also: { db in
        try SearchLog.forget(db)
        try refuseShown(documents, db, by: name)
      }, progress: progress)
    workspace.dailyBackups.noteChange()
    return step
  }

  /// A step that is not the last may have made a document that a card shows since. No foreign key holds that: documents
  /// are of another room.
  private func refuseShown(_ before: Set<String>, _ db: Database, by step: String) throws {
    if before.isEmpty { return }
    let gone = before.subtracting(try DocumentTable.ids(db))
    if gone.isEmpty { return }
    if try CardTable.documents(db).contains(where: { gone.contains($0.document) }) {
      throw UndoError.differs(step, what: "a card shows a document of it since")
    }
  }

  /// The folder of the backups that are made by themselves.
  public var backupFolder: String { workspace.folder + "/backups" }

  /// Says what the changes are from: `card add`, for the names of the steps of undo.
  public func nameChanges(_ origin: @escaping () -> String?) { workspace.hooks.origin = origin }

  /// What is wrong with the database, in words; empty when all is well.
  public func integrityProblems() throws -> [String] { try workspace.store().integrityProblems() }
}

extension Workspace {
  public var care: CareOperations { CareOperations(workspace: self) }
}
