// A Markdown file for comparison and merging: an entry for each card, with its texts in Markdown and its lines.
// Invariant: lines that are not cards stay where they are; the lines of a card that no side changed are written back
// unchanged.

import Decks
import Templates
import Text

struct ComparedMarkdown {
  /// The lines of each card are kept with it.
  private(set) var content = ComparedContent()
  let hasMark: Bool
  let encoding: TextEncoding
  private var head: [UInt8] = []
  private static let names = FieldNames(["prompt", "answer", "subdeck"])
  private static let clozeNames = FieldNames(["text", "subdeck"])

  init(_ source: ByteSource) throws {
    (hasMark, encoding) = (source.hasMark, source.encoding)
    source.record()
    let cards = MarkdownCards(source, isRaw: true)
    var row = CardRow()
    var found: [(line: Int, entry: ComparedEntry)] = []
    while try cards.next(into: &row) { found.append((row.start.line, Self.entry(row))) }
    // A cloze sentence is read before the card under whose heading it is.
    found.sort { $0.line < $1.line }
    let text = SourceText(source.takeRecorded())
    let starts = found.map { text.start($0.line) } + [text.bytes.count]
    head = Array(text.bytes[..<starts[0]])
    for (index, card) in found.enumerated() {
      content[.note].append(card.entry, keeping: Array(text.bytes[starts[index]..<starts[index + 1]]))
    }
  }

  private static func entry(_ row: CardRow) -> ComparedEntry {
    let guid = String(decoding: row.guid, as: UTF8.self)
    let prompt = String(decoding: row.prompt, as: UTF8.self).trimmed
    var entry: ComparedEntry
    if case .note(_, let fields, _) = row.content {
      let text = FieldHTML.plain(fields.first?.html ?? "") ?? ""
      entry = ComparedEntry(
        key: guid.isEmpty ? text : guid, title: text, fields: clozeNames, values: [text, row.subdeck], tags: row.tags)
    } else {
      let answer = String(decoding: row.answer, as: UTF8.self).trimmed
      entry = ComparedEntry(
        key: guid.isEmpty ? prompt : guid, title: prompt, fields: names, values: [prompt, answer, row.subdeck],
        tags: row.tags)
    }
    if let field = row.fields.first(where: { $0.name == MergeConflict.name }) {
      entry.conflicts = MergeConflict.list(of: field.value.written) ?? []
    }
    return entry
  }

  // MARK: Writing

  /// Returns the merged file. The text before and between cards can only be merged if just one side changed it.
  /// - Throws: `ComparisonError.notCards`.
  static func merged(_ result: MergeResult, _ sides: [ComparedMarkdown]) throws(ComparisonError) -> [UInt8] {
    guard var bytes = joined(sides.map(\.head)) else { throw .notCards }
    let lineEnd = lineEnd(of: sides[1])
    for entry in result.content[.note].entries {
      if let last = bytes.last, last != 0x0A { bytes += lineEnd }
      if !bytes.isEmpty, !endsBlank(bytes) { bytes += lineEnd }
      bytes += try block(entry, sides)
    }
    while endsBlank(bytes) { bytes.removeLast(bytes.suffix(2) == [0x0D, 0x0A] ? 2 : 1) }
    return bytes
  }

  private static func lineEnd(of side: ComparedMarkdown) -> [UInt8] {
    let notes = side.content[.note]
    let first = side.head.isEmpty && notes.count > 0 ? Array(notes.kept(at: 0)) : side.head
    return first.prefix { $0 != 0x0A }.last == 0x0D ? [0x0D, 0x0A] : [0x0A]
  }

  private static func endsBlank(_ bytes: [UInt8]) -> Bool {
    let rest = bytes.suffix(2) == [0x0D, 0x0A] ? bytes.dropLast(2) : bytes.dropLast()
    return bytes.last == 0x0A && rest.last == 0x0A
  }

  /// Merges bytes that at most one side changed; returns nil when both changed them.
  private static func joined(_ sides: [[UInt8]]) -> [UInt8]? {
    if sides[1] == sides[2] || sides[2] == sides[0] { return sides[1] }
    return sides[1] == sides[0] ? sides[2] : nil
  }

  private static func block(_ entry: ComparedEntry, _ sides: [ComparedMarkdown]) throws(ComparisonError) -> [UInt8] {
    let raw = sides.map(\.content[.note]).map { side in
      side.place(of: entry.key).map { Array(side.kept(at: $0)) } ?? []
    }
    let isSame = sides.map { $0.content[.note][entry.key]?.isSame(as: entry) ?? false }
    switch (isSame[1], isSame[2]) {
    case (true, true):
      guard let bytes = joined(raw) else { throw .notCards }
      return bytes
    case (true, false) where raw[2].isEmpty || raw[2] == raw[0] || raw[0].isEmpty: return raw[1]
    case (false, true) where raw[1].isEmpty || raw[1] == raw[0] || raw[0].isEmpty: return raw[2]
    default:
      // A card that both sides changed is written anew, so its lines must contain nothing but the card.
      for (side, lines) in zip(sides, raw) where !lines.isEmpty {
        guard let own = side.content[.note][entry.key], isWhole(own, lines) else { throw .notCards }
      }
      let isReturned = lineEnd(of: sides[1]).count > 1
      return isReturned ? block(entry).flatMap { $0 == 0x0A ? [0x0D, $0] : [$0] } : block(entry)
    }
  }

  private static func isWhole(_ entry: ComparedEntry, _ lines: [UInt8]) -> Bool {
    func words(_ bytes: [UInt8]) -> [UInt8] { bytes.filter { $0 > 0x20 } }
    return words(lines) == words(block(entry))
  }

  /// Formats a card. If it has no id, it is still identified by its text.
  private static func block(_ entry: ComparedEntry) -> [UInt8] {
    let text = entry["text"]
    let isKnownByText = entry.key == entry["prompt"] || entry.key == text
    var facts = MarkdownFacts(guid: isKnownByText ? "" : entry.key, tags: entry.markedTags, subdeck: entry["subdeck"])
    if !entry.conflicts.isEmpty { facts.conflicts = MergeConflict.json(entry.conflicts) }
    if !text.isEmpty { return Array(MarkdownWriter.cloze(text, facts.comment).utf8) }
    let (prompt, answer) = (entry["prompt"], entry["answer"])
    let isHeading = MarkdownWriter.fitsHeading(prompt, answer)
    return Array(MarkdownWriter.card(prompt, answer, facts.comment, isHeading: isHeading).utf8)
  }
}
