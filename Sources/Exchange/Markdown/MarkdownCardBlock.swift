// A card in Markdown while it is read, and the row that it becomes.
// Invariant: a text without Markdown syntax becomes plain text.

import Decks
import Problems
import Templates
import Text

struct MarkdownCardBlock {
  enum Kind: Equatable {
    case heading, question, answer, cloze, gaps
    /// Lines that are not a card.
    case left(LeftReason)
  }

  var kind: Kind
  let line: Int
  var prompt: [String] = []
  var body: [String] = []
  var facts = MarkdownFacts()
  /// The numbers of its lines.
  var lines: [Int] = []
  /// The HTML of a cloze.
  var html: MarkdownHTML?
  /// For a heading that is underlined: the heading above it with this one as its text, which is a card if nothing
  /// follows the line, because the line is then a rule.
  var above: [MarkdownCardBlock] = []
  /// The size of its lines in bytes.
  var size = 0

  /// Whether it is a heading without text, a title for what follows.
  var isTitle: Bool { facts.guid.isEmpty && isHeadingAlone }
  /// Whether it is the heading of a card whose text is still to come.
  var isUnanswered: Bool { !facts.guid.isEmpty && isHeadingAlone }
  private var isHeadingAlone: Bool { kind == .heading && body.allSatisfy { $0.allSatisfy(\.isWhitespace) } }

  /// Whether a line is `prompt :: answer`, as other programs write cards.
  static func isPair(_ line: String) -> Bool {
    guard let mark = line.firstRange(ofText: " :: ") ?? line.firstRange(ofText: " ::: ") else { return false }
    return !line[..<mark.lowerBound].contains("`") && !line.trimmed.hasPrefix("::") && !line.trimmed.hasPrefix("|")
  }

  /// Whether a card without an id has a table of pairs in its answer.
  var listsPairs: Bool {
    guard kind == .heading, facts.guid.isEmpty else { return false }
    let pairs = body.lazy.map(\.trimmed).filter { $0.count > 1 && $0.hasPrefix("|") && $0.hasSuffix("|") }
    return pairs.prefix(2).count == 2
  }

  /// - Parameter isRaw: whether texts are kept as Markdown source.
  func fill(_ row: inout CardRow, isRaw: Bool) {
    row.clear(line: line)
    row.start.lastLine = lines.max() ?? line
    row.guid.append(contentsOf: facts.guid.utf8)
    row.tags = facts.tags
    row.subdeck = facts.subdeck
    if !facts.conflicts.isEmpty { row.addField(MergeConflict.name, .text(facts.conflicts)) }
    if kind == .question { row.refuse(.badRow, "A: expected after Q:") }
    var prompt = Self.text(self.prompt)
    if kind == .gaps { prompt = (MarkdownCloze.gaps(in: prompt) ?? prompt).trimmed }
    let answer = Self.text(body)
    if isRaw { return fillRaw(&row, prompt, answer) }
    if let reason = MarkdownHTML.invalidReason(prompt) ?? MarkdownHTML.invalidReason(answer) {
      return row.refuse(.badText, reason)
    }
    let front = html ?? MarkdownHTML(prompt, isLine: kind == .heading)
    row.media = front.media
    if isCloze {
      row.content = .note(type: StockNoteType.cloze.rawValue, [(name: nil, html: front.html)])
      return
    }
    let back = MarkdownHTML(answer)
    row.media += back.media
    // A card with an id was exported from a note, which may have an empty back.
    let isHalf = answer.isEmpty && !facts.guid.isEmpty
    if !isHalf, let prompt = Self.plain(front.html), let answer = Self.plain(back.html) {
      row.prompt.append(contentsOf: prompt.utf8)
      row.answer.append(contentsOf: answer.utf8)
    } else {
      row.content = .formatted
      row.prompt.append(contentsOf: front.html.utf8)
      row.answer.append(contentsOf: back.html.utf8)
    }
  }

  private var isCloze: Bool { kind == .cloze || kind == .gaps }

  /// Returns the text of HTML that is equivalent to plain text as it is stored; otherwise nil.
  private static func plain(_ html: String) -> String? {
    guard let text = FieldHTML.plain(html), FieldHTML.html(ofPlain: text.trimmed) == html else { return nil }
    return text
  }

  private func fillRaw(_ row: inout CardRow, _ prompt: String, _ answer: String) {
    if isCloze {
      row.content = .note(type: StockNoteType.cloze.rawValue, [(name: nil, html: FieldHTML.html(ofPlain: prompt))])
      return
    }
    row.prompt.append(contentsOf: prompt.utf8)
    row.answer.append(contentsOf: answer.utf8)
  }

  /// Joins lines, without blank lines at the beginning and the end.
  static func text(_ lines: [String]) -> String {
    var lines = lines[...]
    while let first = lines.first, first.allSatisfy(\.isWhitespace) { lines.removeFirst() }
    while let last = lines.last, last.allSatisfy(\.isWhitespace) { lines.removeLast() }
    return lines.joined(separator: "\n")
  }
}
