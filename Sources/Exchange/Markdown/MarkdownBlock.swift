// The lines of one card in a Markdown file, rewritten after the card was edited in the deck.
// Invariant: what the edit does not touch keeps its exact formatting; the new lines are read back as the edited card,
// or the lines stay as they were.

import Decks
import Templates
import Text

struct MarkdownBlock {
  private let source: String

  /// - Parameter source: the lines of the card, without trailing blank lines.
  init(_ source: String) { self.source = source }

  /// Returns the lines of the edited card; nil when Markdown cannot express it.
  /// - Parameter row: the card as read from these lines.
  func edited(_ row: CardRow, _ edit: BuildWriteBack.Edit) -> String? {
    let content = edit.content.content
    let old = fields(of: row)
    let new = Array(content.fields.prefix(old.count))
    guard new.count == old.count, edit.content.isOfType(of: row),
      content.fields.dropFirst(old.count).allSatisfy(\.isEmpty)
    else { return nil }
    var facts = MarkdownFacts(
      guid: String(decoding: row.guid, as: UTF8.self).trimmed, tags: row.tags, subdeck: row.subdeck)
    // If this fails, a part of the card is elsewhere, for example after a cloze within its answer.
    guard isRead(source, as: old, facts) else { return nil }
    let before = written(old, facts)
    // A row without an id is identified by its texts, which only works for a small edit.
    if facts.guid.isEmpty, old[0] != new[0], !RowEdit.isSmall(from: old, to: new) { facts.guid = edit.id }
    if Set(content.tags) != Set(facts.tags) { facts.tags = content.tags }
    guard let after = written(new, facts) else { return nil }
    let patched = before.map { MarkdownPatch.applied(from: $0, to: after, on: source) }
    return [patched, after].compactMap { $0 }.first { isRead($0, as: new, facts) }
  }

  private func fields(of row: CardRow) -> [String] {
    if case .note(_, let fields, _) = row.content { return fields.map(\.html) }
    return row.sides
  }

  /// Whether the lines are read as exactly this card.
  private func isRead(_ text: String, as fields: [String], _ facts: MarkdownFacts) -> Bool {
    guard let rows = MarkdownWriter.rows(in: text), rows.count == 1 else { return false }
    let row = rows[0]
    return self.fields(of: row) == fields && String(decoding: row.guid, as: UTF8.self).trimmed == facts.guid
      && Set(row.tags) == Set(facts.tags) && row.subdeck == facts.subdeck
  }

  /// Writes a card in the form of the old lines: a heading, a question, or a paragraph.
  private func written(_ fields: [String], _ facts: MarkdownFacts) -> String? {
    let line = source.prefix { $0 != "\n" }
    let comment = facts.comment
    if fields.count == 1 {
      guard let text = MarkdownText.text(of: fields[0], .cloze) else { return nil }
      return line.prefix(MarkdownCards.listMark(line)) + text + (comment.isEmpty ? "" : "\n\(comment)")
    }
    guard fields.count == 2, let answer = MarkdownText.text(of: fields[1], .blocks) else { return nil }
    if line.hasPrefix("#"), let prompt = MarkdownText.text(of: fields[0], .line) {
      let marks = line.prefix { $0 == "#" }
      return "\(marks) \(prompt)\(comment.isEmpty ? "" : " \(comment)")\n\n\(MarkdownLine.escaped(answer))"
    }
    guard let prompt = MarkdownText.text(of: fields[0], .blocks) else { return nil }
    return "Q:\(MarkdownWriter.part(prompt))\nA:\(MarkdownWriter.part(answer))"
      + (comment.isEmpty ? "" : "\n\(comment)")
  }
}
