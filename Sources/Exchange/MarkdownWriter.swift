// Cards as Markdown: a heading and its text where the texts allow it, `Q:` and `A:` else; clozes as paragraphs.
// Invariant: what is written is read back as the same cards with the same ids.

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
    if let (note, type) = source.note, let text = Self.cloze(of: note, type) {
      if source.isFirst {
        try writeCloze(text, MarkdownFacts(guid: note.guid, tags: note.tags, subdeck: source.subdeck))
      }
      return lost
    }
    if source.note != nil { lost.insert(.notes) }
    var facts = MarkdownFacts(guid: card.guid, tags: card.tags, subdeck: source.subdeck)
    for field in card.fields where field.name == MergeConflict.name { facts.conflicts = field.value.written }
    try sink.append(Self.card(card.prompt, card.answer, facts.comment))
    isOpen = true
    return lost
  }

  /// A card of two texts, with an empty line behind it.
  static func card(_ prompt: String, _ answer: String, _ comment: String) -> String {
    guard fitsHeading(prompt), !mayHoldCloze(answer) else {
      return "Q:\(part(prompt))\nA:\(part(answer))\n" + (comment.isEmpty ? "\n" : "\(comment)\n\n")
    }
    return "## \(MarkdownLine.lines(of: prompt)[0])\(comment.isEmpty ? "" : " ")\(comment)\n\n"
      + MarkdownLine.escaped(text: answer).joined(separator: "\n") + "\n\n"
  }

  /// A paragraph with clozes, with an empty line behind it.
  static func cloze(_ text: String, _ comment: String) -> String {
    let lines = MarkdownCloze.escaped(text).split(separator: "\n", omittingEmptySubsequences: false)
    return lines.map { MarkdownLine.escaped($0) }.joined(separator: "\n") + "\n"
      + (comment.isEmpty ? "\n" : "\(comment)\n\n")
  }

  private mutating func writeCloze(_ text: String, _ facts: MarkdownFacts) throws {
    if isOpen { try sink.append("---\n\n") }
    isOpen = false
    try sink.append(Self.cloze(text, facts.comment))
  }

  func end() throws {}

  /// A text of several lines begins below its mark.
  static func part(_ text: String) -> String {
    let lines = MarkdownLine.escaped(text: text)
    return lines.count == 1 ? " \(MarkdownLine.lines(of: text)[0])" : "\n" + lines.joined(separator: "\n")
  }

  private static func fitsHeading(_ prompt: String) -> Bool {
    !prompt.utf8.contains(0x0A) && !prompt.contains(text: MarkdownFacts.opening)
  }

  private static func mayHoldCloze(_ text: String) -> Bool { text.contains(text: "==") || text.contains(text: "{{") }

  /// The text of a note that one paragraph of plain text holds; nil for any other.
  private static func cloze(of note: NoteRecord, _ type: NoteType) -> String? {
    guard type.isCloze, type.name == StockNoteType.cloze.rawValue,
      note.fields.dropFirst().allSatisfy(\.isEmpty), let html = note.fields.first,
      let text = FieldHTML.plain(html)
    else { return nil }
    let lines = MarkdownLine.lines(of: text)
    let isParagraph = lines.allSatisfy { !$0.allSatisfy(\.isWhitespace) && MarkdownCards.listMark($0) == 0 }
    return isParagraph && text == text.trimmed && !text.utf8.contains(0x0D) ? text : nil
  }
}
