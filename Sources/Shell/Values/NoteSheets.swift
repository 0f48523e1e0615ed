// Notes, note types and tables of cards as texts for the user's editor. Invariant: parsing restores the parts exactly;
// a table with any invalid line changes nothing; an unchanged cell keeps changes of other shells.

import Decks
import Problems
import Templates
import Text
import Workspace

/// A note's fields and tags as a sheet: plain text for fields without formatting, HTML for the others.
struct NoteSheet {
  private static let html = " (HTML)"
  /// The heading of the tags; unambiguous, because no field name contains a colon.
  private static let tags = "tags:"
  static let advice = [
    "A field below a line that ends in (HTML) is HTML; any other is plain text.",
    "Save and quit to change the note; delete everything to leave it unchanged.",
  ]

  static func sheet(of note: NoteHandle) throws -> Sheet {
    var sheet = Sheet()
    for (name, value) in try note.fields() {
      if let plain = FieldHTML.plain(value) { sheet.add(name, plain) } else { sheet.add(name + html, value) }
    }
    sheet.add(tags, try note.record().tags.joined(separator: " "))
    return sheet
  }

  static let newAdvice = [
    "One field below each line; what you write is plain text. Write \(html.dropFirst()) after a field's name for HTML.",
    "Save and quit to add the note; delete everything to add none.",
  ]

  static func sheet(of type: NoteType, tags given: [String]) -> Sheet {
    var sheet = Sheet()
    for field in type.fields { sheet.add(field, "") }
    sheet.add(tags, given.joined(separator: " "))
    return sheet
  }

  /// The note from an edited sheet of `sheet(of:tags:)`.
  /// - Throws: `NoteError.noField` for a heading that is not a field.
  static func note(_ sheet: Sheet, type: NoteType) throws(NoteError) -> NewNote {
    var note = NewNote(fields: [:])
    for part in sheet.parts {
      if part.name == tags {
        note.tags = words(part.text)
        continue
      }
      let (name, isHTML) = field(part.name, among: type.fields)
      guard type.fields.contains(name) else { throw type.unknownField(name) }
      note.fields[name] = isHTML ? part.text : FieldHTML.html(ofPlain: part.text.trimmed)
    }
    return note
  }

  private static func words(_ text: String) -> [String] { text.split(whereSeparator: \.isWhitespace).map(String.init) }

  /// The field that a heading names, and whether its text is HTML.
  private static func field(_ heading: String, among known: [String]) -> (name: String, isHTML: Bool) {
    let isHTML = heading.hasSuffix(html) && !known.contains(heading)
    return (isHTML ? String(heading.dropLast(html.count)) : heading, isHTML)
  }

  /// The fields and tags in a sheet that differ from the note's. What the user left keeps the changes of other shells.
  /// - Throws: `NoteError.noField` for a heading that is not a field.
  static func changes(
    _ sheet: Sheet, since shown: Sheet, to note: NoteHandle
  ) throws -> (fields: [String: String], tags: [String]?) {
    let known = try note.fields()
    var (fields, newTags): ([String: String], [String]?) = ([:], nil)
    for part in sheet.parts
    where !shown.parts.contains(where: { $0.name == part.name && $0.text.hasLines(of: part.text) }) {
      if part.name == tags {
        newTags = words(part.text)
        continue
      }
      let (name, isHTML) = field(part.name, among: known.map(\.name))
      guard let old = known.first(where: { $0.name == name }) else { throw try note.type().record().unknownField(name) }
      let before = isHTML ? old.value : FieldHTML.plain(old.value) ?? ""
      if before.hasLines(of: part.text), isHTML || FieldHTML.plain(old.value) != nil { continue }
      fields[name] = isHTML ? part.text : FieldHTML.html(ofPlain: part.text)
    }
    if let tags = newTags, tags == (try note.record().tags) { newTags = nil }
    return (fields, newTags)
  }

  /// The fields and tags in a table row that differ from those that were shown: HTML for a field with formatting.
  static func changes(
    _ cells: [String], _ tags: [String]?, since shown: [String], to note: NoteHandle
  ) throws -> (fields: [String: String], tags: [String]?) {
    var fields: [String: String] = [:]
    for ((cell, before), old) in zip(zip(cells, shown), try note.fields()) where cell != before {
      fields[old.name] = FieldHTML.plain(old.value) == nil ? cell : FieldHTML.html(ofPlain: cell)
    }
    return (fields, tags.flatMap { $0.joined(separator: " ") == shown.last ? nil : $0 })
  }
}

/// A note type as a sheet: its name, field names, templates and style.
enum NoteTypeSheet {
  private static let (name, fields, css) = ("name:", "fields:", "css:")
  private static let (front, back) = ("front: ", "back: ")
  static let advice = [
    "One field per line. A template shows a field as {{Front}}; {{#Hint}}...{{/Hint}} is shown if Hint is not empty.",
    "A card has a part \"front: NAME\" and a part \"back: NAME\". Keep a name to keep its texts and schedule.",
    "Save and quit to change the note type; delete everything to leave it unchanged.",
  ]

  /// Line ends are normalised, as in displayed text.
  static func sheet(of draft: NoteTypeDraft) -> Sheet {
    func text(_ part: String) -> String { part.lines.joined(separator: "\n") }
    var sheet = Sheet()
    sheet.add(name, draft.name)
    sheet.add(fields, draft.fields.joined(separator: "\n"))
    for card in draft.cards {
      sheet.add(front + card.name, text(card.front))
      sheet.add(back + card.name, text(card.back))
    }
    sheet.add(css, text(draft.css))
    return sheet
  }

  /// - Throws: `EditorError.unknownPart`.
  static func draft(_ sheet: Sheet, isCloze: Bool) throws(EditorError) -> NoteTypeDraft {
    var draft = NoteTypeDraft(name: "", fields: [], cards: [], isCloze: isCloze)
    for part in sheet.parts {
      switch part.name {
      case name: draft.name = part.text.trimmed
      case fields: draft.fields = part.text.split(separator: "\n").map { String($0).trimmed }.filter { !$0.isEmpty }
      case css: draft.css = part.text
      case _ where part.name.hasPrefix(front): draft.withCard(part.name.dropFirst(front.count)) { $0.front = part.text }
      case _ where part.name.hasPrefix(back): draft.withCard(part.name.dropFirst(back.count)) { $0.back = part.text }
      default: throw .unknownPart(part.name)
      }
    }
    return draft
  }
}

extension String {
  /// Whether the texts differ at most in line ends, which a sheet normalises.
  fileprivate func hasLines(of other: String) -> Bool {
    lines.elementsEqual(other.lines) { $0.utf8.elementsEqual($1.utf8) }
  }
}

extension NoteTypeDraft {
  /// The draft with each part that the user left (but for line ends) as it is now: another shell may have changed it.
  func keeping(_ known: NoteTypeDraft, since shown: NoteTypeDraft) -> NoteTypeDraft {
    func kept(_ text: String, _ old: String, _ now: String) -> String { text.hasLines(of: old) ? now : text }
    var draft = self
    (draft.name, draft.css) = (kept(name, shown.name, known.name), kept(css, shown.css, known.css))
    if fields.elementsEqual(shown.fields, by: { $0.hasLines(of: $1) }) { draft.fields = known.fields }
    draft.cards = cards.compactMap { mine -> CardTemplate? in
      guard let old = shown.card(named: mine.name) else { return mine }
      let isEdited = !mine.front.hasLines(of: old.front) || !mine.back.hasLines(of: old.back)
      guard let now = known.card(named: mine.name) else { return isEdited ? mine : nil }
      var card = mine
      (card.front, card.back) = (kept(mine.front, old.front, now.front), kept(mine.back, old.back, now.back))
      return card
    }
    draft.cards += known.cards.filter { shown.card(named: $0.name) == nil && card(named: $0.name) == nil }
    return draft
  }

  private func card(named name: String) -> CardTemplate? { cards.first { $0.name == name } }

  /// Changes the template of a name, adding it when missing.
  fileprivate mutating func withCard(_ name: Substring, _ change: (inout CardTemplate) -> Void) {
    let name = String(name).trimmed
    if !cards.contains(where: { $0.name == name }) { cards.append(CardTemplate(name, front: "", back: "")) }
    for index in cards.indices where cards[index].name == name { change(&cards[index]) }
  }
}

/// Named parts, each below a line `==== NAME ====`.
struct Sheet: Equatable {
  struct Part: Equatable {
    let name: String
    let text: String
  }

  var parts: [Part] = []

  mutating func add(_ name: String, _ text: String) { parts.append(Part(name: name, text: text)) }

  /// - Parameter advice: comment lines at the top, which parsing ignores.
  func text(advice: [String]) -> String {
    let bar = bar
    var text = advice.map { "# \($0)\n" }.joined()
    for part in parts {
      text += "\(bar) \(part.name) \(bar)\n"
      if !part.text.isEmpty { text += part.text + "\n" }
    }
    return text
  }

  /// A bar longer than any run of `=` at the start of a line, ignoring leading whitespace.
  private var bar: String {
    let longest = parts.flatMap(\.text.lines).map { String($0).trimmed.prefix { $0 == "=" }.count }.max() ?? 0
    return String(repeating: "=", count: max(4, longest + 1))
  }

  init() {}

  /// - Throws: `EditorError.notSheet` when no heading is left.
  init(_ text: String) throws(EditorError) {
    let lines = text.lines.map(String.init)
    guard let first = lines.firstIndex(where: { $0.hasPrefix("====") }) else { throw .notSheet }
    let bar = String(lines[first].prefix { $0 == "=" })
    var (name, body): (String?, [String]) = (nil, [])
    // A text that ends with a line end yields an empty last line, which is dropped.
    for line in lines[first...].dropLast(lines.last == "" ? 1 : 0) {
      guard let heading = Sheet.heading(line, bar) else {
        body.append(line)
        continue
      }
      if let name { add(name, body.joined(separator: "\n")) }
      (name, body) = (heading, [])
    }
    guard let name else { throw .notSheet }
    add(name, body.joined(separator: "\n"))
  }

  private static func heading(_ line: String, _ bar: String) -> String? {
    let line = line.trimmed
    guard line.hasPrefix(bar + " "), line.hasSuffix(" " + bar), line.utf8.count > 2 * bar.utf8.count + 2 else {
      return nil
    }
    return String(line.dropFirst(bar.count + 1).dropLast(bar.count + 1)).trimmed
  }
}

/// Opens cards as a table, and applies the edits as one operation.
struct CardTableEditing {
  let session: Session

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
    # One line for each \(what): its number, \(columns.joined(separator: ", ")) and tags, separated by tabs. \
    \\n is a line
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

  private static let escapes: KeyValuePairs = ["\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"]

  private static func escaped(_ text: String) -> String {
    escapes.reduce(text) { $0.replacing(text: $1.key, with: $1.value) }
  }

  private static func unescaped(_ text: String) -> String {
    var (result, isEscape) = ("", false)
    for character in text.unicodeScalars {
      if !isEscape, character == "\\" {
        isEscape = true
        continue
      }
      let written = isEscape ? escapes.first { $0.value == "\\\(character)" }?.key : nil
      result += written ?? String(character)
      isEscape = false
    }
    return isEscape ? result + "\\" : result
  }
}
