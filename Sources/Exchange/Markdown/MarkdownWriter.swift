// Cards as Markdown: a heading and its text where the texts allow it, `Q:` and `A:` else; clozes as paragraphs.
// Invariant: what is written is read back as the same cards with the same ids: each card is read before it is written.

import Decks
import Files
import Templates
import Text

struct MarkdownWriter: CardRowWriter {
  let sink: FileSink
  /// Whether a paragraph would be taken for a part of what is before it.
  private var isOpen = false

  init(sink: FileSink) { self.sink = sink }

  var holdsOptions: Bool { false }

  func begin() throws {}

  mutating func write(_ card: CardRecord, _ source: ExportSource) throws -> Set<CardPart> {
    var lost = source.unscheduled(card)
    var facts = MarkdownFacts(guid: card.guid, tags: card.tags, subdeck: source.subdeck)
    for field in card.fields where field.name == MergeConflict.name { facts.conflicts = field.value.written }
    var sides = [card.prompt, card.answer].map { FieldHTML.html(ofPlain: $0) }
    if let (note, type) = source.note {
      if Self.isCloze(note, type), let text = MarkdownText.text(of: note.fields[0], .cloze) {
        if source.isFirst {
          try writeCloze(text, MarkdownFacts(guid: note.guid, tags: note.tags, subdeck: source.subdeck))
        }
        return lost
      }
      if type.isBasic, note.fields.count == 2 { sides = note.fields } else { lost.insert(.notes) }
    }
    if let text = Self.card(html: sides, facts.comment) {
      try sink.append(text)
    } else {
      lost.insert(.formatting)
      let plain = sides.map(FieldHTML.text)
      let text = Self.card(html: plain.map { FieldHTML.html(ofPlain: $0) }, facts.comment)
      // What is too long for Markdown is refused by an import, by its line.
      try sink.append(text ?? Self.card(plain[0], plain[1], facts.comment, isHeading: false))
    }
    isOpen = true
    return lost
  }

  /// A card of two fields that are read back as they are; nil for fields that Markdown cannot say.
  static func card(html sides: [String], _ comment: String) -> String? {
    func isRead(_ text: String) -> Bool {
      Self.rows(in: text).map { $0.count == 1 && $0[0].sides == sides } ?? false
    }
    if let prompt = MarkdownText.text(of: sides[0], .line), let answer = MarkdownText.text(of: sides[1], .blocks),
      case let text = card(prompt, answer, comment, isHeading: true), isRead(text)
    {
      return text
    }
    guard let prompt = MarkdownText.text(of: sides[0], .blocks), let answer = MarkdownText.text(of: sides[1], .blocks)
    else { return nil }
    let text = card(prompt, answer, comment, isHeading: false)
    return isRead(text) ? text : nil
  }

  /// The cards of a few lines; nil where one is refused.
  static func rows(in text: String) -> [CardRow]? {
    let cards = MarkdownCards(lines: MarkdownLine.lines(of: text))
    var (rows, row) = ([CardRow](), CardRow())
    do {
      while try cards.next(into: &row) {
        if row.start.invalidReason != nil { return nil }
        rows.append(row)
      }
    } catch {
      // Lines that are at hand are read without failing.
      return nil
    }
    return rows
  }

  /// A card of two texts in Markdown, with an empty line behind it.
  static func card(_ prompt: String, _ answer: String, _ comment: String, isHeading: Bool) -> String {
    if isHeading { return "## \(prompt)\(comment.isEmpty ? "" : " ")\(comment)\n\n\(MarkdownLine.escaped(answer))\n\n" }
    return "Q:\(part(prompt))\nA:\(part(answer))\n" + (comment.isEmpty ? "\n" : "\(comment)\n\n")
  }

  /// A paragraph with clozes, with an empty line behind it.
  static func cloze(_ text: String, _ comment: String) -> String {
    text + "\n" + (comment.isEmpty ? "\n" : "\(comment)\n\n")
  }

  private mutating func writeCloze(_ text: String, _ facts: MarkdownFacts) throws {
    if isOpen { try sink.append("---\n\n") }
    isOpen = false
    try sink.append(Self.cloze(text, facts.comment))
  }

  func end() throws {}

  /// A text of several lines begins below its mark.
  static func part(_ text: String) -> String {
    text.utf8.contains(0x0A) ? "\n\(MarkdownLine.escaped(text))" : " \(text)"
  }

  /// Whether two texts in Markdown can be a heading and what is below it.
  static func fitsHeading(_ prompt: String, _ answer: String) -> Bool {
    !prompt.utf8.contains(0x0A) && !prompt.contains(text: MarkdownFacts.opening)
      && !answer.contains(text: "==") && !answer.contains(text: "{{")
  }

  /// Whether one paragraph may hold a note.
  private static func isCloze(_ note: NoteRecord, _ type: NoteType) -> Bool {
    type.isCloze && type.name == StockNoteType.cloze.rawValue && !note.fields.isEmpty
      && note.fields.dropFirst().allSatisfy(\.isEmpty)
  }
}
