// Notes and note types as texts of named parts for the user's editor. Invariant: parsing restores the parts exactly,
// and an unedited sheet changes nothing.

import Commands
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

  /// The sheet for a new note.
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

  /// The fields and tags in a sheet that differ from the note's. What the user left as it was shown keeps what another
  /// shell has made of it since.
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
      guard let old = known.first(where: { $0.name == name }) else {
        throw try note.type().record().unknownField(name)
      }
      let before = isHTML ? old.value : FieldHTML.plain(old.value) ?? ""
      if before.hasLines(of: part.text), isHTML || FieldHTML.plain(old.value) != nil { continue }
      fields[name] = isHTML ? part.text : FieldHTML.html(ofPlain: part.text)
    }
    if let tags = newTags, tags == (try note.record().tags) { newTags = nil }
    return (fields, newTags)
  }

  /// The fields and tags in a table row that differ from those that were shown: HTML for a field with formatting, plain
  /// text for others.
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
      case fields:
        draft.fields = part.text.split(separator: "\n").map { String($0).trimmed }.filter { !$0.isEmpty }
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
  /// The draft with each part that the user left as it was shown, at most with other line ends, as it is now: another
  /// shell may have changed it since.
  func keeping(_ known: NoteTypeDraft, since shown: NoteTypeDraft) -> NoteTypeDraft {
    func kept(_ text: String, _ old: String, _ now: String) -> String { text.hasLines(of: old) ? now : text }
    var draft = self
    draft.name = kept(name, shown.name, known.name)
    draft.css = kept(css, shown.css, known.css)
    if fields.elementsEqual(shown.fields, by: { $0.hasLines(of: $1) }) { draft.fields = known.fields }
    draft.cards = cards.compactMap { mine -> CardTemplate? in
      guard let old = shown.card(named: mine.name) else { return mine }
      let isEdited = !mine.front.hasLines(of: old.front) || !mine.back.hasLines(of: old.back)
      guard let now = known.card(named: mine.name) else { return isEdited ? mine : nil }
      var card = mine
      card.front = kept(mine.front, old.front, now.front)
      card.back = kept(mine.back, old.back, now.back)
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
