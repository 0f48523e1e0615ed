// The notes of an account, found by guid or by the id that other programs use.
// Invariant: an id whose note is gone is skipped.

public import Decks
import Exchange
import Files
public import Problems
import Storage

/// The notes of a workspace.
///
///     try workspace.notes.changeTags(of: numbers, adding: ["verb"])
public struct NoteOperations {
  let workspace: Workspace

  /// Returns the notes whose guid begins with a text, at most 10.
  public func find(guidBeginning start: String) throws -> [NoteHandle] {
    try workspace.read { try NoteTable.ids($0, guidBeginning: start) }.map { workspace.handle(of: $0) }
  }

  public func numbered(_ number: Int64) throws -> NoteHandle? {
    let id = NoteID(rawValue: number)
    return try workspace.read({ try NoteTable.exists($0, id) }) ? workspace.handle(of: id) : nil
  }

  /// Returns the notes whose cards match a query in Anki's language, each once.
  /// - Throws: `DeckError.badQuery`.
  public func numbers(anki query: String) throws -> [Int64] {
    let cards = try workspace.cards.found(anki: query)
    return try workspace.read { try NoteTable.notes($0, ofCards: cards) }.map(\.rawValue)
  }

  /// Returns those keys that are the first field of a note.
  public func takenFirstFields(_ keys: Set<String>, in scope: FirstFieldScope) throws -> Set<String> {
    try workspace.read { try NoteTable.taken($0, keys, in: scope) }
  }

  /// Returns the hashes of the keys of all first fields; a key whose hash is missing is not used by any note.
  public func firstFieldHashes(in scope: FirstFieldScope) throws -> Set<Int> {
    var hashes: Set<Int> = []
    try workspace.read { try NoteTable.forEachFirstField($0, in: scope) { hashes.insert($0.hashValue) } }
    return hashes
  }

  public func tags() throws -> [String] { try workspace.read { try NoteTable.tags($0) } }

  /// Adds and removes tags of notes.
  public func changeTags(of numbers: [Int64], adding: [String] = [], removing: [String] = []) throws {
    let notes = try numbers.compactMap { try numbered($0) }
    let now = workspace.environment.clocks.now()
    try workspace.perform(.editNote, count: { _ in notes.count }) { db in
      for note in notes {
        if workspace.environment.isInterrupted() { throw WorkspaceError.interrupted }
        try NoteTable.update(
          db, note.id, tags: Tags.changed(NoteTable.record(db, note.id).tags, adding: adding, removing: removing),
          now: now, isInterrupted: workspace.environment.isInterrupted)
      }
    }
  }

  /// Changes fields (HTML, by name) and tags of several notes, where nil leaves them unchanged: of all of them, or of
  /// none if one is refused.
  /// - Parameter refused: returns the error to throw for the note at a place in the list.
  public func update(
    _ edits: [(note: NoteHandle, fields: [String: String], tags: [String]?)],
    refused: (_ place: Int, _ problem: any Problem) throws -> any Error
  ) throws {
    try workspace.perform(.editNote, count: { _ in edits.count }) { db in
      for (place, edit) in edits.enumerated() {
        do {
          try NoteTable.update(
            db, edit.note.id, fields: edit.fields, tags: edit.tags, now: workspace.environment.clocks.now(),
            isInterrupted: workspace.environment.isInterrupted)
        } catch let problem as any Problem where problem.report.code != .interrupted {
          throw try refused(place, problem)
        }
      }
    }
  }

  /// Removes notes with their cards.
  /// - Returns: how many cards were removed.
  @discardableResult
  public func remove(_ numbers: [Int64]) throws -> Int {
    let notes = try numbers.compactMap { try numbered($0) }
    return try workspace.perform(.removeNotes, count: { _ in notes.count }) { db in
      var cards: [CardID] = []
      for note in notes {
        if workspace.environment.isInterrupted() { throw WorkspaceError.interrupted }
        cards += try NoteTable.cards(db, of: note.id)
      }
      return try CardTable.remove(db, cards)
    }
  }
}

extension Workspace {
  public var notes: NoteOperations { NoteOperations(workspace: self) }
}
