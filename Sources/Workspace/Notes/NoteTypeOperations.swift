// The note types of an account. Invariant: the names of note types are unique, case-insensitively. A change that would
// remove cards or texts reports their number first, and is made only if the caller agrees.

public import Decks
import Files
import Storage
public import Templates

public struct NoteTypeOperations {
  let workspace: Workspace

  public func all() throws -> [NoteTypeHandle] {
    try workspace.read { try NoteTypeTable.list($0) }.map { workspace.handle(of: $0.id) }
  }

  /// Returns the number of notes of each type that has any. They are counted in one scan, because a list asks for the
  /// count of each type.
  public func noteCounts() throws -> [NoteTypeID: Int] {
    try workspace.read { db in
      if let known = workspace.opened.noteCounts, known.changeCount == workspace.changeCount { return known.counts }
      let counts = try NoteTypeTable.noteCounts(db)
      workspace.opened.noteCounts = (counts, workspace.changeCount)
      return counts
    }
  }

  /// Returns the type with a name, case-insensitively.
  /// - Throws: `NoteError.typeNotFound` with the nearest name.
  public func open(_ name: String) throws -> NoteTypeHandle {
    workspace.handle(of: try workspace.read { try NoteTypeTable.find($0, named: name) }.id)
  }

  /// - Throws: `NoteError.typeExists`, `.badType`, `.badTemplate`.
  public func create(_ draft: NoteTypeDraft) throws -> NoteTypeHandle {
    let now = workspace.now
    return workspace.handle(
      of: try workspace.perform(.createNoteType, on: draft.name) { try NoteTypeTable.create($0, draft, now: now) }.id)
  }
}

/// A note type of an open workspace.
///
///     let type = try workspace.noteTypes.create(draft)
///     try type.loss(of: edit)              // 3 cards: ask, then
///     try type.edit(edit, agreed: true)
public final class NoteTypeHandle: RowHandle<NoteTypeID> {
  /// - Throws: `DeckError.gone` if it was removed.
  public func record() throws -> NoteType { try workspace.read(for: "note type") { try NoteTypeTable.record($0, id) } }

  public func noteCount() throws -> Int { try workspace.noteTypes.noteCounts()[id] ?? 0 }

  public func loss(of edit: NoteTypeEdit) throws -> NoteTypeLoss {
    try workspace.read { try NoteTypeTable.loss($0, id, edit, isInterrupted: workspace.isInterrupted) }
  }

  /// Changes the type, its notes and their cards.
  /// - Parameter agreed: whether cards and texts may be removed.
  /// - Throws: `NoteError.losesCards` with the counts.
  @discardableResult
  public func edit(_ edit: NoteTypeEdit, agreed: Bool = false) throws -> NoteTypeLoss {
    let name = try record().name
    return try workspace.perform(.editNoteType, on: name) { db in
      try NoteTypeTable.edit(
        db, id, edit, agreed: agreed, now: workspace.now,
        isInterrupted: workspace.isInterrupted)
    }
  }

  /// - Throws: `NoteError.typeInUse` if it has notes.
  public func remove() throws {
    let name = try record().name
    try workspace.perform(.removeNoteType, on: name) { try NoteTypeTable.remove($0, id) }
  }
}
