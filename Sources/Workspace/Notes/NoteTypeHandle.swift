// A note type as Lua and the commands see it. Invariant: a change that would remove cards or texts reports their
// number first, and is made only if the caller agrees.

public import Decks
import Files
import Storage
public import Templates

/// A note type of an open workspace.
///
///     let type = try workspace.noteTypes.create(draft)
///     try type.loss(of: edit)              // 3 cards: ask, then
///     try type.edit(edit, agreed: true)
public final class NoteTypeHandle: WorkspaceHandle {
  public let workspace: Workspace
  public let id: NoteTypeID

  init(_ id: NoteTypeID, in workspace: Workspace) { (self.id, self.workspace) = (id, workspace) }

  deinit { workspace.handles.noteTypes.forget(id) }

  /// - Throws: `DeckError.gone` if it was removed.
  public func record() throws -> NoteType {
    _ = try workspace.store(for: "note type")
    return try workspace.read { try NoteTypeTable.record($0, id) }
  }

  public func noteCount() throws -> Int { try workspace.noteTypes.noteCounts()[id] ?? 0 }

  /// Returns what a change would remove.
  public func loss(of edit: NoteTypeEdit) throws -> NoteTypeLoss {
    try workspace.read { try NoteTypeTable.loss($0, id, edit, isInterrupted: workspace.environment.isInterrupted) }
  }

  /// Changes the type, its notes and their cards.
  /// - Parameter agreed: whether cards and texts may be removed.
  /// - Throws: `NoteError.losesCards` with the counts.
  @discardableResult
  public func edit(_ edit: NoteTypeEdit, agreed: Bool = false) throws -> NoteTypeLoss {
    let name = try record().name
    return try workspace.perform(.editNoteType, on: name) { db in
      try NoteTypeTable.edit(
        db, id, edit, agreed: agreed, now: workspace.environment.clocks.now(),
        isInterrupted: workspace.environment.isInterrupted)
    }
  }

  /// - Throws: `NoteError.typeInUse` if it has notes.
  public func remove() throws {
    let name = try record().name
    try workspace.perform(.removeNoteType, on: name) { try NoteTypeTable.remove($0, id) }
  }
}
