// The note types of an account.
// Invariant: the names of note types are unique, case-insensitively.

import Decks
import Files
import Storage
public import Templates

/// The note types of a workspace.
///
///     try workspace.noteTypes.open("Basic").record().fields   // ["Front", "Back"]
public struct NoteTypeOperations {
  let workspace: Workspace

  /// Returns all note types, by name.
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
    let now = workspace.environment.clocks.now()
    return workspace.handle(
      of: try workspace.perform(.createNoteType, on: draft.name) { try NoteTypeTable.create($0, draft, now: now) }.id)
  }
}

extension Workspace {
  public var noteTypes: NoteTypeOperations { NoteTypeOperations(workspace: self) }
}
