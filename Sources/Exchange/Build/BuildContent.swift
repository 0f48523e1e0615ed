// A note that a build made, as it is in the deck now, and its comparison and merge with a row of a source.
// Invariant: undecided conflicts are stored with the note and do not count as an edit of it.

import Decks
import Storage
import Templates
import Text

/// A note as it is in the deck now.
struct BuildContent {
  let note: NoteRecord
  let type: NoteType
  /// The note as a plain prompt and answer; nil for formatted text and for types other than Basic.
  let texts: (prompt: String, answer: String)?
  /// The fields that the deck and its sources have changed differently.
  let conflicts: [MergeConflict]

  /// Returns the note's content; nil when the note is gone.
  static func of(_ db: Database, _ id: NoteID?) throws -> BuildContent? {
    guard let id, try NoteTable.exists(db, id) else { return nil }
    let note = try NoteTable.record(db, id)
    let type = try NoteTypeTable.record(db, note.type)
    let plain = type.isBasic ? note.fields.compactMap(FieldHTML.plain) : []
    // Only notes with the tag have conflicts.
    let isMarked = note.tags.contains(MergeConflict.tag)
    let kept = isMarked ? try CardTable.cards(db, ids: NoteTable.cards(db, of: id)).first?.fields ?? [] : []
    return BuildContent(
      note: note, type: type, texts: plain.count == 2 ? (plain[0], plain[1]) : nil,
      conflicts: kept.first { $0.name == MergeConflict.name }.flatMap { MergeConflict.list(of: $0.value.written) } ?? []
    )
  }

  /// Whether it is a Basic note whose fields have formatting.
  var isFormatted: Bool { type.isBasic && texts == nil }

  /// The content to compare with what was built.
  var content: BuiltContent {
    BuiltContent(note.fields, tags: note.tags.filter { conflicts.isEmpty || $0 != MergeConflict.tag })
  }

  /// The text that reports name the note by.
  var prompt: String { texts?.prompt ?? BuiltContent(note.fields).prompt }

  /// Returns the fields that both sides changed and that still differ.
  func conflictingFields(beside base: BuiltContent) -> [String] {
    conflicts.filter { !isSettled($0, note.fields, base.fields) }.map(\.shownField)
  }

  /// Whether a field in conflict now has the same text on both sides.
  private func isSettled(_ conflict: MergeConflict, _ ours: [String], _ theirs: [String]) -> Bool {
    guard conflict.owner == nil,
      let place = type.fields.firstIndex(where: { ComparedField.escaped($0) == conflict.field }),
      place < min(ours.count, theirs.count)
    else { return false }
    return ours[place] == theirs[place]
  }

  /// Whether the note can become what a row says. A row with a prompt and an answer needs a note of type Basic.
  func canBecome(_ row: CardRow) -> Bool {
    guard case .note(let type, _, _) = row.content else { return self.type.isBasic }
    return !self.type.isBasic || self.type.name.lowercased() == type.trimmed.lowercased()
  }

  /// Whether a row makes a note of this type.
  func isOfType(of row: CardRow) -> Bool {
    guard case .note(let type, _, _) = row.content else { return self.type.isBasic }
    return self.type.name.lowercased() == type.trimmed.lowercased()
  }

  /// Matches the rows of a source with the rows of the last build; returns their indices.
  static func match(_ db: Database, _ new: [RowFacts], _ old: [BuiltRow]) throws -> [Int?] {
    let facts = old.map { RowFacts(id: $0.givenID, whole: $0.whole, front: $0.front, texts: $0.base.fields) }
    return try RowIdentity.match(new, facts) { index in
      guard let current = try of(db, old[index].note), current.content != old[index].base else { return nil }
      return current.note.fields
    }
  }

  // MARK: Merging

  /// Merges the note in the deck with its new source, by field.
  /// - Returns: the content for the deck, and the conflicts; a field in conflict keeps the deck's text.
  func merged(_ base: BuiltContent, _ theirs: BuiltContent) -> (content: BuiltContent, conflicts: [MergeConflict]) {
    let names = FieldNames(type.fields.map(ComparedField.escaped))
    let sides = [base, content, theirs].map { side in
      var content = ComparedContent()
      content.append(
        ComparedEntry(key: note.guid, fields: names, values: side.padded(names.list.count), tags: side.tags), .note)
      return content
    }
    let result = ThreeWayMerge(base: sides[0], ours: sides[1], theirs: sides[2]).result().content[.note].entries
    guard let entry = result.first else { return (content, conflicts) }
    let old = conflicts.filter { old in
      !entry.conflicts.contains { $0.isAboutSame(as: old) } && !isSettled(old, entry.values, theirs.fields)
    }
    return (BuiltContent(entry.values, tags: entry.tags), old + entry.conflicts)
  }

  /// Changes the note's content, and stores the conflicts with it.
  /// - Throws: `NoteError` when the content breaks a rule.
  func write(_ content: BuiltContent, _ conflicts: [MergeConflict], to db: Database, _ settings: BuildSettings) throws {
    let marks = conflicts.isEmpty ? [] : [MergeConflict.tag]
    try NoteTable.update(
      db, note.id, fields: Dictionary(firstOf: zip(type.fields, content.fields)),
      tags: content.tags + marks, now: settings.now, isInterrupted: settings.isInterrupted)
    if conflicts == self.conflicts { return }
    let known = try CardTable.cards(db, ids: NoteTable.cards(db, of: note.id)).first?.fields ?? []
    try NoteData.set(
      db, of: note.id,
      to: known.filter { $0.name != MergeConflict.name }
        + (conflicts.isEmpty ? [] : [CardField(MergeConflict.name, .json(MergeConflict.json(conflicts)))]))
  }
}

extension BuiltContent {
  /// Returns the content that a row gives a note of a type; fields that the row does not name keep their text.
  init(_ row: CardRow, _ type: NoteType, before: BuiltContent) {
    tags = row.tags
    fields = before.padded(type.fields.count)
    guard case .note(_, let given, _) = row.content else {
      for (place, html) in row.sides.enumerated() where place < fields.count { fields[place] = html }
      return
    }
    for (place, field) in given.enumerated() {
      guard let place = field.name.map({ type.fields.firstIndex(of: $0) }) ?? place, fields.indices.contains(place)
      else { continue }
      fields[place] = field.html
    }
  }

  func padded(_ count: Int) -> [String] {
    Array(fields.prefix(count)) + Array(repeating: "", count: max(0, count - fields.count))
  }

  /// The text that reports name a note with these fields by.
  var prompt: String { FieldHTML.sortText(fields.first ?? "") }
}
