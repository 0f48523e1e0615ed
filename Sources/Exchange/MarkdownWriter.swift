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
    let facts = MarkdownFacts(guid: card.guid, tags: card.tags, subdeck: source.subdeck)
    if Self.fitsHeading(card.prompt), !Self.mayHoldCloze(card.answer) {
      try sink.append("## \(MarkdownLine.lines(of: card.prompt)[0]) \(facts.comment)\n\n")
      try sink.append(MarkdownLine.escaped(text: card.answer).joined(separator: "\n") + "\n\n")
    } else {
      try sink.append("Q:\(Self.part(card.prompt))\nA:\(Self.part(card.answer))\n\(facts.comment)\n\n")
    }
    isOpen = true
    return lost
  }

  private mutating func writeCloze(_ text: String, _ facts: MarkdownFacts) throws {
    if isOpen { try sink.append("---\n\n") }
    isOpen = false
    let lines = MarkdownCloze.escaped(text).split(separator: "\n", omittingEmptySubsequences: false)
    try sink.append(lines.map { MarkdownLine.escaped($0) }.joined(separator: "\n") + "\n\(facts.comment)\n\n")
  }

  func end() throws {}

  /// A text of several lines begins below its mark.
  static func part(_ text: String) -> String {
    let lines = MarkdownLine.escaped(text: text)
    return lines.count == 1 ? " \(MarkdownLine.lines(of: text)[0])" : "\n" + lines.joined(separator: "\n")
  }

  private static func fitsHeading(_ prompt: String) -> Bool {
    !prompt.utf8.contains(0x0A) && !prompt.contains(MarkdownFacts.opening)
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
