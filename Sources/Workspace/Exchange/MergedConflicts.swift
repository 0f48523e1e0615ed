// Lists and resolves the conflicts that a merge left. Also reads the history of a card.
// Invariant: resolving is one operation; a resolved conflict loses its mark, and nothing else changes.

import Decks
public import Exchange
import Files
public import Storage
import Templates

extension Comparing {
  /// Returns the notes of a deck that a merge left with conflicts, in their order.
  public func conflicts(in deck: DeckHandle) throws -> [ComparedEntry] {
    try workspace.read { try ComparedNotes.of(deck.id, in: $0, settings()) }.content[.note].entries
      .filter { !$0.conflicts.isEmpty }
  }

  /// Returns one side of a conflict as text for the user; a file is represented by its local name.
  public func shown(_ conflict: MergeConflict, of side: SettledSide) throws -> String? {
    guard let text = conflict.text(of: side) else { return nil }
    guard conflict.isOfContent, let file = conflict.owner?.key else { return FieldHTML.plain(text) ?? text }
    let name = try workspace.read { try ComparedFiles.name(of: file, digest: text, in: $0, settings()) }
    return name ?? "\(text.prefix(8))… (not here)"
  }

  /// Resolves conflicts of a deck by taking one side.
  /// - Parameter guids: the guids of the notes, or prefixes of them; an empty list means all.
  /// - Parameter field: restricts this to the conflicts of one field.
  /// - Returns: how many conflicts were resolved.
  /// - Throws: `ComparisonError.noConflict`, or `noFile` if a file of that side is not in the collection.
  public func settle(_ deck: DeckHandle, guids: [String], field: String?, by side: SettledSide) throws -> Int {
    let ours = try workspace.read { try ComparedNotes.of(deck.id, in: $0, settings()) }.content
    var settled = ours
    var count = 0
    for name in guids where !ours[.note].entries.contains(where: { $0.key.hasPrefix(name) && !$0.conflicts.isEmpty }) {
      throw ComparisonError.noConflict(name)
    }
    var kept: [ComparedEntry] = []
    var ofFiles: [MergeConflict] = []
    var predecessors: [String: String] = [:]
    for entry in ours[.note].entries {
      let isMeant = guids.isEmpty || guids.contains { entry.key.hasPrefix($0) }
      var entry: ComparedEntry? = entry
      for conflict in entry?.conflicts ?? [] where isMeant && (field.map { $0 == conflict.shownField } ?? true) {
        count += 1
        if conflict.isOfContent { ofFiles.append(conflict) }
        if conflict.isOrder, let key = entry?.key { predecessors[key] = conflict.text(of: side) }
        if let owner = conflict.owner { settled.settle(conflict, of: owner, by: side) }
        entry = entry?.settling(conflict, by: side)
      }
      if let entry { kept.append(entry) }
    }
    if count == 0 { throw ComparisonError.noConflict(try guids.first ?? field ?? deck.record().name) }
    settled[.note] = ComparedList(Self.placed(kept, behind: predecessors))
    let environment = workspace.environment
    return try workspace.perform(.settleConflicts, on: workspace.decks.name(of: deck.id), count: { $0 }) { db in
      _ = try MergeIntoDeck(
        db, deck.id, now: environment.clocks.now(), random: environment.random.entropy,
        isInterrupted: environment.isInterrupted
      ) { name, digest in
        if let known = try ComparedFiles.name(of: name, digest: digest, in: db, settings()) { return known }
        // A file that was changed since the merge counts as ours.
        if side == .ours { return nil }
        throw ComparisonError.noFile(name: name, side: side)
      }.run(from: ours, to: settled)
      if side != .theirs { try removeCopies(of: ofFiles, db) }
      return count
    }
  }

  /// Moves notes behind their predecessors; notes with an empty predecessor come first, and a note whose predecessor
  /// is gone stays in place. Runs in linear time, since all notes of a deck may have moved.
  private static func placed(_ notes: [ComparedEntry], behind predecessors: [String: String]) -> [ComparedEntry] {
    if predecessors.isEmpty { return notes }
    let known = Set(notes.map(\.key)).union([""])
    var (staying, followers): ([ComparedEntry], [String: [ComparedEntry]]) = ([], [:])
    for note in notes {
      if let predecessor = predecessors[note.key], known.contains(predecessor) {
        followers[predecessor, default: []].append(note)
      } else {
        staying.append(note)
      }
    }
    var placed: [ComparedEntry] = []
    func place(_ first: [ComparedEntry]?) {
      var waiting = Array((first ?? []).reversed())
      while let note = waiting.popLast() {
        placed.append(note)
        waiting += followers.removeValue(forKey: note.key)?.reversed() ?? []
      }
    }
    place(followers.removeValue(forKey: ""))
    place(staying)
    // The remaining notes follow each other in a cycle.
    for note in notes { place(predecessors[note.key].flatMap { followers.removeValue(forKey: $0) }) }
    return placed
  }

  /// Removes the files of `theirs` that merges stored beside ours, if no note shows them.
  private func removeCopies(of conflicts: [MergeConflict], _ db: Database) throws {
    if conflicts.isEmpty { return }
    let shown = try MediaTable.references(db)
    for conflict in conflicts {
      guard let file = conflict.owner?.key, let digest = conflict.theirs,
        let copy = try ComparedFiles.name(of: file, digest: digest, in: db, settings()), copy != file,
        shown[copy] == nil
      else { continue }
      try MediaTable.remove(db, copy)
    }
  }

  /// Returns the steps that changed a card, or the note that it is made from, the newest first.
  public func history(of card: CardHandle) throws -> [(step: UndoStep, change: ComparedChange)] {
    let note = try card.record().note
    let settings = settings(keepsSchedule: true)
    var later = try workspace.read { try ComparedNotes.entry(of: note, in: $0, settings) }
    var steps: [(step: UndoStep, change: ComparedChange)] = []
    if workspace.isReadingPastStep { throw WorkspaceError.lookingBack("reading earlier states") }
    try workspace.games.store()
    try LookBack(workspace.store()).walk { db, step in
      let before = try ComparedNotes.entry(of: note, in: db, settings)
      if let change = ComparedChange(of: .note, from: before, to: later) { steps.append((step, change)) }
      later = before
    }
    return steps
  }
}
