// Writes cards as Markdown: a heading and text if possible, otherwise `Q:` and `A:`; clozes as paragraphs.
// Invariant: the output is read back as the same cards with the same ids: each card is read back before it is written.

import Decks
import Files
import Templates
import Text

struct MarkdownWriter: CardRowWriter {
  let sink: FileSink
  private(set) var isOpen = false

  mutating func write(_ card: CardRecord, _ source: ExportSource) throws -> Set<CardPart> {
    var lost: Set<CardPart> = []
    var facts = MarkdownFacts(guid: card.guid, tags: card.tags, subdeck: source.subdeck)
    for field in card.fields where field.name == MergeConflict.name { facts.conflicts = field.value.written }
    var sides = [card.prompt, card.answer].map { FieldHTML.html(ofPlain: $0) }
    if let (note, type) = source.note {
      if Self.isCloze(note, type), let text = MarkdownText.text(of: note.fields[0], .cloze) {
        if source.isFirst {
          let facts = MarkdownFacts(guid: note.guid, tags: note.tags, subdeck: source.subdeck)
          let cloze = Self.cloze(text, facts.comment)
          if cloze.utf8.count > rowLimit { return [.largeCards] }
          try writeCloze(cloze)
        }
        return lost
      }
      if type.isBasic, note.fields.count == 2 { sides = note.fields } else { lost.insert(.notes) }
    }
    let text: String
    if let formatted = Self.card(html: sides, facts.comment) {
      text = formatted
    } else {
      lost.insert(.formatting)
      // A text of blanks alone is read as an empty one.
      let plain = sides.map(FieldHTML.text).map { $0.trimmed.isEmpty ? "" : $0 }
      text =
        Self.card(html: plain.map { FieldHTML.html(ofPlain: $0) }, facts.comment)
        // A text that is too long for Markdown is refused on import, with its line number.
        ?? Self.card(plain[0], plain[1], facts.comment, isHeading: false)
    }
    if text.utf8.count > rowLimit { return [.largeCards] }
    try sink.append(text)
    isOpen = true
    return lost
  }

  /// Returns a card whose two fields are read back unchanged; nil when Markdown cannot express them.
  static func card(html sides: [String], _ comment: String) -> String? {
    func isRead(_ text: String) -> Bool { Self.rows(in: text).map { $0.count == 1 && $0[0].sides == sides } ?? false }
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

  /// Returns the cards in a few lines; nil when one is refused.
  static func rows(in text: String) -> [CardRow]? {
    var (rows, row) = ([CardRow](), CardRow())
    do {
      let source = try ByteSource(Array(text.utf8), path: "", SourceOptions(isInterrupted: { false }))
      let cards = MarkdownCards(source)
      while try cards.next(into: &row) {
        if row.start.invalidReason != nil { return nil }
        rows.append(row)
      }
    } catch {
      // A text that is no valid file cannot be read back.
      return nil
    }
    return rows
  }

  /// Formats a card with two texts in Markdown, followed by an empty line.
  static func card(_ prompt: String, _ answer: String, _ comment: String, isHeading: Bool) -> String {
    if isHeading { return "## \(prompt)\(comment.isEmpty ? "" : " ")\(comment)\n\n\(MarkdownLine.escaped(answer))\n\n" }
    return "Q:\(part(prompt))\nA:\(part(answer))\n" + (comment.isEmpty ? "\n" : "\(comment)\n\n")
  }

  static func cloze(_ text: String, _ comment: String) -> String {
    text + "\n" + (comment.isEmpty ? "\n" : "\(comment)\n\n")
  }

  private mutating func writeCloze(_ cloze: String) throws {
    if isOpen { try sink.append("---\n\n") }
    isOpen = false
    try sink.append(cloze)
  }

  /// Formats a text after a mark; a text of several lines begins on the next line.
  static func part(_ text: String) -> String {
    text.utf8.contains(0x0A) ? "\n\(MarkdownLine.escaped(text))" : " \(text)"
  }

  /// Whether two texts in Markdown can be a heading and the text below it.
  static func fitsHeading(_ prompt: String, _ answer: String) -> Bool {
    !prompt.utf8.contains(0x0A) && !prompt.contains(text: MarkdownFacts.opening)
      && !answer.contains(text: "==") && !answer.contains(text: "{{")
  }

  private static func isCloze(_ note: NoteRecord, _ type: NoteType) -> Bool {
    type.isCloze && type.name == StockNoteType.cloze.rawValue && !note.fields.isEmpty
      && note.fields.dropFirst().allSatisfy(\.isEmpty)
  }
}
