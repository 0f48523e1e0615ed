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

  mutating func write(_ exported: ExportedCard) throws -> Set<CardPart> {
    let card = exported.card
    var lost = exported.unscheduled
    if let note = exported.note, let text = Self.cloze(of: note) {
      if note.isFirst {
        try writeCloze(text, MarkdownFacts(guid: note.record.guid, tags: note.record.tags, subdeck: exported.subdeck))
      }
      return lost
    }
    if exported.note != nil { lost.insert(.notes) }
    let facts = MarkdownFacts(guid: card.guid, tags: card.tags, subdeck: exported.subdeck)
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
  private static func cloze(of note: ExportedNote) -> String? {
    guard note.type.isCloze, note.type.name == StockNoteType.cloze.rawValue,
      note.record.fields.dropFirst().allSatisfy(\.isEmpty), let html = note.record.fields.first,
      let text = FieldHTML.plain(html)
    else { return nil }
    let lines = MarkdownLine.lines(of: text)
    let isParagraph = lines.allSatisfy { !$0.allSatisfy(\.isWhitespace) && MarkdownCards.listMark($0) == 0 }
    return isParagraph && text == text.trimmed && !text.utf8.contains(0x0D) ? text : nil
  }
}
