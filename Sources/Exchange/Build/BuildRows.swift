// The rows of one source, and the notes that they became: their comparison and their merge.
// Invariant: a source is read once per build; its size is bounded; undecided conflicts are stored with the note and do
// not count as an edit of it.

import Decks
import Files
import Problems
import Storage
import Templates
import Text

struct BuildRows {
  private static let limit = 1_000_000

  /// The rows, each in the deck that the folder of its source is built into.
  var rows: [CardRow] = []
  var refused: [CardRow] = []
  /// For Markdown: the first line of an answer that contains a cloze, which has no effect there.
  var answeredCloze: Int?
  private(set) var left = LineReport()
  var inputs: [String] = []
  /// Further cards of earlier notes, which are not rows of their own.
  private(set) var links: [CardRow] = []
  /// The error at which reading of an unsaved text ended.
  private(set) var failure: (any Error)?
  private(set) var table: (shape: ListShape, separator: UInt8)?

  init(_ source: BuildSource, in folder: BuildFolder, _ settings: BuildSettings) throws {
    let (path, isInterrupted) = (folder.path + "/" + source.path, settings.isInterrupted)
    switch source.kind {
    case .cards(let format):
      let options = SourceOptions(findsEncoding: true, isInterrupted: isInterrupted)
      let rows = try folder.formats.rows(of: format, path, options, TableOptions(), isInterrupted: isInterrupted)
      if let rows {
        try rows.forEach { try add($0, source, path) }
        left = rows.report
      } else {
        try read(ByteSource(path: path, options), format, source, path)
      }
    case .generator:
      var made: [CardRow] = []
      inputs = try settings.generator.run(path, in: folder.path) { row in
        if isInterrupted() { throw FileError(path, .read, .interrupted) }
        var row = row
        // The number of the generator's card takes the place of a line.
        row.start = RowStart(line: made.count + 1)
        made.append(row)
        if made.count > Self.limit { throw BuildError.tooMany(path: path, what: "\(grouped(Self.limit)) cards") }
      }
      for row in made { try add(row, source, path) }
    }
  }

  /// Reads the rows of a text that may not be saved yet, up to the first error.
  init(_ text: [UInt8], of source: BuildSource, in folder: String, isInterrupted: @escaping () -> Bool) {
    guard case .cards(let format) = source.kind else { return }
    let path = folder + "/" + source.path
    do {
      let options = SourceOptions(findsEncoding: true, isInterrupted: isInterrupted)
      try read(ByteSource(text, path: path, options), format, source, path)
    } catch {
      failure = error
    }
  }

  private mutating func read(
    _ bytes: ByteSource, _ format: CardFormat, _ source: BuildSource, _ path: String
  ) throws {
    let cards = try format.actual(bytes).rows(bytes, into: "", TableOptions())
    defer {
      if let cards = cards as? TableCards, let shape = cards.shape, let by = cards.separator { table = (shape, by) }
    }
    try cards.forEach { try add($0, source, path) }
    answeredCloze = cards.found.answeredCloze
    left = cards.report
  }

  /// What the user should check: lines that are part of no card, a cloze in an answer.
  func hints(in path: String) -> [BuildFinding] {
    let lines = left.parts.filter { $0.reason != .comment }.map { part in
      BuildFinding(kind: .left, path: path, line: part.line, prompt: part.inWords)
    }
    let cloze = answeredCloze.map { BuildFinding(kind: .answeredCloze, path: path, line: $0, prompt: "") }
    return lines + (cloze.map { [$0] } ?? [])
  }

  private mutating func add(_ given: CardRow, _ source: BuildSource, _ path: String) throws {
    if given.start.invalidReason != nil { return refused.append(given) }
    switch given.content {
    // Note types and options are not cards; the options of a build are in its deck.json.
    case .type, .options: return
    case .card: return links.append(given)
    case .texts, .formatted, .note: break
    }
    var row = given
    if case let deck = source.subdeck, !deck.isEmpty {
      row.subdeck = row.subdeck.isEmpty ? deck : deck + "::" + row.subdeck
    }
    rows.append(row)
    if rows.count > Self.limit { throw BuildError.tooMany(path: path, what: "\(grouped(Self.limit)) cards") }
  }
}

extension BuiltRow {
  /// A row as a build stores it, before it has a note. A row to which the source gives no id has no name.
  init(_ row: CardRow) {
    let front = row.front
    var parts = [row.subdeck, row.tags.joined(separator: " "), row.document ?? ""]
    if case .note(let type, let fields, _) = row.content {
      parts.append(type)
      for field in fields { parts += [field.name ?? "", field.html] }
    } else {
      parts += [front, String(decoding: row.answer, as: UTF8.self).trimmed]
      for field in row.fields { parts += [field.name, field.value.written] }
    }
    let id = String(decoding: row.guid, as: UTF8.self).trimmed
    self.init(
      name: id.isEmpty ? "" : Self.given + id, whole: BuildIDs.hash(parts), front: BuildIDs.hash([front]),
      note: nil, base: BuiltContent(row.noteFields.map(\.html)), line: row.start.line)
  }
}

struct BuildContent {
  let note: NoteRecord
  let type: NoteType
  /// The note as a plain prompt and answer; nil for formatted text and for types other than Basic.
  let texts: (prompt: String, answer: String)?
  /// The fields that the deck and its sources have changed differently.
  let conflicts: [MergeConflict]

  /// Returns the note's content; nil when the note is gone.
  static func of(_ db: Database, _ id: NoteID?) throws -> BuildContent? {
    guard let id, let note = try NoteTable.known(db, id) else { return nil }
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

  var isFormatted: Bool { type.isBasic && texts == nil }

  var content: BuiltContent {
    BuiltContent(note.fields, tags: note.tags.filter { conflicts.isEmpty || $0 != MergeConflict.tag })
  }

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
    if case .note = row.content, !type.isBasic { true } else { isOfType(of: row) }
  }

  func isOfType(of row: CardRow) -> Bool {
    guard case .note(let type, _, _) = row.content else { return self.type.isBasic }
    return self.type.name.lowercased() == type.trimmed.lowercased()
  }

  // MARK: Merging

  /// Merges the note in the deck with its new source, by field.
  /// - Returns: the content for the deck, and the conflicts; a field in conflict keeps the deck's text.
  func merged(_ base: BuiltContent, _ theirs: BuiltContent) -> (content: BuiltContent, conflicts: [MergeConflict]) {
    let names = FieldNames(type.fields.map(ComparedField.escaped))
    let sides = [base, content, theirs].map {
      ComparedEntry(key: note.guid, fields: names, values: $0.padded(names.list.count), tags: $0.tags)
    }
    guard let entry = ThreeWayMerge().merged(.note, sides[0], sides[1], sides[2]) else { return (content, conflicts) }
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
    for (place, field) in row.noteFields.enumerated() {
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
