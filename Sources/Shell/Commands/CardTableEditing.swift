// Edits many cards as a table in $EDITOR. Invariant: a table with any invalid line changes nothing; a line that was
// removed leaves its card unchanged, and a cell that was not changed keeps what another shell has made of it since.

import Commands
import Decks
import Problems
import Templates
import Text
import Workspace

/// Opens cards as a table, and applies the edits as one operation.
struct CardTableEditing {
  private let session: Session

  init(_ session: Session) { self.session = session }

  /// A line of the edited table.
  private struct Row {
    /// The line number in the text, from 1.
    let line: Int
    /// The index of the card or note, from 0.
    let place: Int
    let cells: [String]
    /// Nil when the column was left out: the tags do not change.
    let tags: [String]?
  }

  private static func heading(_ what: String, _ columns: [String], _ hint: String = "") -> String {
    """
    # One line for each \(what): its number, \(columns.joined(separator: ", ")) and tags, separated by tabs. \\n is a line
    # break, \\t a tab, \\\\ a backslash. If you remove a line, its \(what) is not changed.\(hint)
    """
  }

  /// - Parameter agreed: whether cards that a note no longer generates may be removed.
  /// - Returns: the cards that were changed.
  func edit(_ cards: [CardHandle], agreed: Bool) throws -> [CardHandle] {
    let types = Set(try cards.map { try $0.note().record().type })
    if types.count == 1, let type = try cards.first?.note().type().record(), !type.isBasic {
      return try editNotes(cards, type, agreed: agreed)
    }
    let lines = try cards.map { card in
      let record = try card.record()
      return [record.prompt, record.answer, record.tags.joined(separator: " ")]
    }
    var changed: [CardHandle] = []
    try edit(lines, Self.heading("card", ["prompt", "answer"]), orElse: "give --prompt or --answer") { text in
      let rows = try Self.rows(text, cards.count, what: "card", "a number, a prompt, an answer and tags")
      var edits: [(row: Row, card: CardHandle, prompt: String?, answer: String?, tags: [String]?)] = []
      for row in rows {
        let shown = lines[row.place]
        let prompt = row.cells[0] == shown[0] ? nil : row.cells[0]
        let answer = row.cells[1] == shown[1] ? nil : row.cells[1]
        let tags = row.tags.flatMap { $0.joined(separator: " ") == shown[2] ? nil : $0 }
        if prompt == nil, answer == nil, tags == nil { continue }
        edits.append((row, cards[row.place], prompt, answer, tags))
      }
      changed = edits.map(\.card)
      if edits.isEmpty { return }
      try session.workspace().cards.update(edits.map { ($0.card, $0.prompt, $0.answer, $0.tags) }) { place, problem in
        Self.refused(edits[place].row, try edits[place].card.record().prompt, problem)
      }
    }
    return changed
  }

  /// Edits notes of one type, with their fields as the columns.
  private func editNotes(_ cards: [CardHandle], _ type: NoteType, agreed: Bool) throws -> [CardHandle] {
    let notes = try cards.map { try $0.note() }.distinct(by: \.id)
    let lines = try notes.map { note in
      try note.fields().map { FieldHTML.plain($0.value) ?? $0.value } + [note.record().tags.joined(separator: " ")]
    }
    let hint = "\n# A field with formatting is HTML; any other field is plain text."
    var changed: Set<NoteID> = []
    try edit(lines, Self.heading("note", type.fields, hint), orElse: "give one card and --set FIELD=TEXT") { text in
      let expected = "a number, \(type.fields.joined(separator: ", ")) and tags"
      var edits: [(row: Row, note: NoteHandle, fields: [String: String], tags: [String]?)] = []
      for row in try Self.rows(text, notes.count, columns: type.fields.count, what: "note", expected) {
        let note = notes[row.place]
        let (fields, tags) = try NoteSheet.changes(row.cells, row.tags, since: lines[row.place], to: note)
        if !fields.isEmpty || tags != nil { edits.append((row, note, fields, tags)) }
      }
      let lost = try edits.reduce(0) { try $0 + $1.note.lostCards(fields: $1.fields) }
      guard try agreed || NoteCommands.agrees(toLosing: lost, session) else { return }
      changed = Set(edits.map(\.note.id))
      if edits.isEmpty { return }
      try session.workspace().notes.update(edits.map { ($0.note, $0.fields, $0.tags) }) { place, problem in
        Self.refused(edits[place].row, try edits[place].note.cards().first?.record().prompt ?? "", problem)
      }
    }
    return try cards.filter { try changed.contains($0.record().note) }
  }

  private func edit(
    _ lines: [[String]], _ heading: String, orElse instead: String, _ apply: (String) throws -> Void
  ) throws {
    let table = lines.enumerated().map { "\($0 + 1)\t" + $1.map(Self.escaped).joined(separator: "\t") }
    try session.editor.edit(heading + "\n" + table.joined(separator: "\n") + "\n", orElse: instead, apply: apply)
  }

  private static func rows(
    _ text: String, _ count: Int, columns: Int = 2, what: String, _ expected: String
  ) throws -> [Row] {
    var (rows, seen): ([Row], Set<Int>) = ([], [])
    for (index, line) in text.lines.enumerated() {
      if line.hasPrefix("#") || String(line).trimmed.isEmpty { continue }
      let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard let number = Int(cells[0].trimmed), (1...count).contains(number), seen.insert(number).inserted else {
        throw EditorError.badLine(index + 1, expected: "the number of a \(what) from 1 to \(count), each only once,")
      }
      guard (columns + 1...columns + 2).contains(cells.count) else {
        throw EditorError.badLine(index + 1, expected: "\(expected), separated by tabs,")
      }
      let texts = cells.dropFirst().prefix(columns).map(unescaped)
      let tags = cells.count > columns + 1 ? unescaped(cells[columns + 1]) : nil
      rows.append(
        Row(
          line: index + 1, place: number - 1, cells: texts,
          tags: tags.map { $0.split(separator: " ").map(String.init) }))
    }
    return rows
  }

  private static func refused(_ row: Row, _ prompt: String, _ problem: any Problem) -> EditorError {
    .refused(line: row.line, prompt: LeechCommand.firstLine(prompt), problem.report)
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text.unicodeScalars {
      switch character {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }

  private static func unescaped(_ text: String) -> String {
    var (result, isEscape) = ("", false)
    for character in text.unicodeScalars {
      if isEscape {
        switch character {
        case "n": result += "\n"
        case "t": result += "\t"
        case "r": result += "\r"
        default: result.unicodeScalars.append(character)
        }
        isEscape = false
      } else if character == "\\" {
        isEscape = true
      } else {
        result.unicodeScalars.append(character)
      }
    }
    return isEscape ? result + "\\" : result
  }
}
