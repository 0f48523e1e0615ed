// Operations that keep the data of an account safe: undo in this file; backups, restoring and repairs in the files
// beside it. Invariant: an undo step contains what one operation, or one unit of work, changed in the database.

import CardDocuments
import Decks
public import Storage
import Text

public struct CareOperations {
  let workspace: Workspace

  /// Returns the steps that can be undone or redone, the newest first.
  public func steps(limit: Int = UndoLog.stepLimit) throws -> [UndoStep] {
    try workspace.games.store()
    return try workspace.store().undoSteps(limit: limit)
  }

  /// Returns the steps that were made with a receipt, the newest first.
  public var receipts: [(step: UndoStep, receipt: String)] { get throws { try workspace.read(UndoLog.receipts) } }

  /// Returns the step that `undo` or `redo` would apply next.
  public func nextStep(_ id: Int?, again: Bool) throws -> UndoStep {
    try workspace.games.store()
    return try workspace.store().nextStep(id, again: again)
  }

  /// Returns the name of a step that is too large to be undone, if there was one since the last call.
  public func takeLargeStep() -> String? {
    defer { workspace.database.largeStep = nil }
    return workspace.database.largeStep
  }

  /// Undoes the last step, or the step with an id.
  /// - Throws: `UndoError` with the reason why the step cannot be undone; nothing was changed then.
  @discardableResult
  public func undo(_ step: Int? = nil, progress: (Int, Int) throws -> Void = { _, _ in }) throws -> UndoStep {
    try noting(change(step, again: false, progress))
  }

  /// Redoes the step that was undone last.
  @discardableResult
  public func redo(_ step: Int? = nil, progress: (Int, Int) throws -> Void = { _, _ in }) throws -> UndoStep {
    try noting(change(step, again: true, progress))
  }

  /// Reverts what one operation changed, after the later steps of the change; of these, those that were undone already
  /// or whose rows have been changed since are left as they are. Undoes the step of the change; if the step contains
  /// more than the change, and in a rehearsal or an open transaction, restores the changed rows instead.
  func takeBack(_ change: RecordedChange) throws {
    let canUndo = !workspace.rehearsal.isOn && !workspace.database.hasOpenTransaction
    var undone: [Int] = []
    do {
      for step in canUndo ? change.laterSteps.reversed() : [] {
        do {
          _ = try self.change(step, again: false) { _, _ in }
          undone.append(step)
        } catch is UndoError { continue }
      }
      if change.isEmpty { return }
      if canUndo, let step = change.step {
        _ = try self.change(step, again: false) { _, _ in }
      } else {
        try workspace.perform(.takeBack) { db in
          try SearchLog.forget(db)
          try workspace.database.takeBack(change, db)
        }
      }
    } catch UndoError.notNow(_, isUndone: true) {
      // `undo` has already reverted it.
      return
    } catch {
      for step in undone.reversed() { _ = try self.change(step, again: true) { _, _ in } }
      throw error
    }
  }

  /// Notes a step that a unit of work undid or redid, so that the unit reverts it if it fails.
  private func noting(_ step: UndoStep) -> UndoStep {
    if workspace.isInUnit { workspace.unit.undone.append(step) }
    return step
  }

  private func change(_ id: Int?, again: Bool, _ progress: (Int, Int) throws -> Void) throws -> UndoStep {
    let store = try workspace.store()
    if workspace.rehearsal.isOn { throw WorkspaceError.rehearsal(again ? "redo" : "undo") }
    try workspace.games.store()
    let next = try store.nextStep(id, again: again)
    let orphans: Orphans? = try store.read { try UndoLog.isInOrder($0, next) ? nil : Orphans($0) }
    let step = try store.undo(
      id, again: again,
      also: { db in
        try SearchLog.forget(db)
        if let orphans { try orphans.refuseMore(db, by: next.name, again: again) }
      }, progress: progress)
    workspace.dailyBackups.noteChange()
    return step
  }

  /// Decks without their parent, notes without a card, and cards that show a document that does not exist; and the
  /// names of all media files. No foreign key prevents orphans: a deck is within another one by its name, a note does
  /// not refer to its cards, documents belong to another room, and texts name media files.
  private struct Orphans {
    let decks: [DeckID]
    let notes: Set<NoteID>
    let cards: Set<CardID>
    let media: Set<String>

    init(_ db: Database) throws {
      decks = try DecksCheck.decks(db, .deckWithoutParent)
      notes = Set(try DecksCheck.notesWithoutCard(db))
      let documents = Set(try DocumentTable.ids(db))
      cards = Set(try CardTable.documents(db).filter { !documents.contains($0.document) }.map(\.card))
      media = Set(try MediaTable.list(db).map(\.name))
    }

    /// Refuses to undo or redo a step that is not the next one in order, if that would leave an orphan.
    func refuseMore(_ db: Database, by step: String, again: Bool) throws {
      let now = try Orphans(db)
      if let orphan = now.decks.first(where: { !decks.contains($0) }) {
        let deck = try DeckTable.record(db, orphan)
        throw UndoError.differs(step, what: "the deck \(quoted(deck.name)) would have no parent deck")
      }
      if !now.notes.isSubset(of: notes) {
        throw UndoError.differs(step, what: "a note whose other cards were removed since would have no card")
      }
      if !now.cards.isSubset(of: cards) {
        throw UndoError.differs(step, what: "a card would show a document that does not exist")
      }
      // Redoing removes only files that the user removed before, whatever used them: what was allowed once stays so.
      let gone = again ? [] : media.subtracting(now.media)
      if !gone.isEmpty, let name = try MediaTable.references(db).keys.sorted().first(where: gone.contains) {
        throw UndoError.differs(step, what: "the media file \(quoted(name)) is used and would not exist")
      }
    }
  }

  public var backupFolder: String { workspace.folder + "/backups" }

  /// Sets the function that names the origin of changes, such as `card add`, for the names of undo steps.
  public func nameChanges(_ origin: @escaping () -> String?) { workspace.hooks.origin = origin }

  public func integrityProblems() throws -> [String] { try workspace.store().integrityProblems() }
}
