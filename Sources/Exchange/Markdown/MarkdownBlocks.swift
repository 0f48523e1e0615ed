// Converts the blocks of a field to Markdown: paragraphs, lists, code, tables, quotes.
// Invariant: only elements as `MarkdownHTML` writes them are accepted as blocks; anything else yields nil.

import Templates
import Text

struct MarkdownBlocks {
  private let html: ArraySlice<UInt8>
  private let isCloze: Bool
  private let depth: Int
  private var index: Int

  init(_ html: String, isCloze: Bool) { self.init(Bytes(html.utf8)[...], isCloze: isCloze, depth: 0) }

  private init(_ html: ArraySlice<UInt8>, isCloze: Bool, depth: Int) {
    (self.html, self.isCloze, self.depth, index) = (html, isCloze, depth, html.startIndex)
  }

  /// - Returns: nil when there is anything else between the blocks.
  mutating func text() -> String? {
    if depth > 20 { return nil }
    var blocks: [String] = []
    while index < html.endIndex {
      guard let block = block() else { return nil }
      blocks.append(block)
    }
    return blocks.joined(separator: "\n\n")
  }

  private mutating func block() -> String? {
    if take("<hr>") { return "***" }
    if take("<p>") { return content(until: "</p>").flatMap { inline($0) } }
    if take("<pre><code") { return code() }
    if take("<ul>") { return list("</ul>", start: nil) }
    if take("<ol>") { return list("</ol>", start: 1) }
    if take("<ol start=\"") {
      // Markdown allows numbers of at most nine digits.
      guard let digits = content(until: "\">"), digits.count < 10, let start = Int(digits.text) else { return nil }
      return list("</ol>", start: start)
    }
    if take("<table>") { return table() }
    if take("<blockquote>") { return quote() }
    return nil
  }

  // MARK: Reading

  private mutating func take(_ tag: String) -> Bool {
    guard html[index...].starts(with: tag.utf8) else { return false }
    index += tag.utf8.count
    return true
  }

  private mutating func content(until tag: String) -> ArraySlice<UInt8>? {
    let bytes = Bytes(tag.utf8)
    guard let end = html[index...].indices.first(where: { html[$0] == bytes[0] && html[$0...].starts(with: bytes) })
    else { return nil }
    defer { index = end + bytes.count }
    return html[index..<end]
  }

  /// Returns the content up to the closing tag of the current element, and consumes the tag.
  private mutating func content(of name: String) -> ArraySlice<UInt8>? {
    var (depth, tags, place) = (1, TagReading(), index)
    while let (tag, range) = tags.next(html, from: place) {
      if tag.name == name { depth += tag.isClosing ? -1 : 1 }
      if depth == 0 {
        defer { index = range.upperBound }
        return html[index..<range.lowerBound]
      }
      place = range.upperBound
    }
    return nil
  }

  private func inline(_ html: ArraySlice<UInt8>, breaks: Bool = true, isCell: Bool = false) -> String? {
    var options: MarkdownInlines.Options = breaks ? [.breaksLines, .marks] : .marks
    if isCloze { options.insert(.escapesClozes) }
    if isCell { options.insert(.escapesBars) }
    var inlines = MarkdownInlines(html, options)
    return inlines.text().text
  }

  // MARK: Blocks

  private mutating func code() -> String? {
    guard let attributes = content(until: ">"), let content = content(until: "</code></pre>"),
      let text = FieldHTML.plain(content.text)
    else { return nil }
    var language = attributes.text
    if !language.isEmpty {
      guard language.hasPrefix(" class=\"language-"), language.hasSuffix("\"") else { return nil }
      language = String(language.dropFirst(17).dropLast())
    }
    let fence = MarkdownText.fence(around: text)
    return "\(fence)\(language)\n\(text.isEmpty ? "" : text + "\n")\(fence)"
  }

  private mutating func quote() -> String? {
    guard let content = content(of: "blockquote"), let text = nested(content) else { return nil }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? ">" : "> \($0)" }.joined(
      separator: "\n")
  }

  /// Converts the blocks within a block, or a single paragraph without an element around it.
  private func nested(_ html: ArraySlice<UInt8>) -> String? {
    var blocks = MarkdownBlocks(html, isCloze: isCloze, depth: depth + 1)
    return blocks.text() ?? inline(html)
  }

  private mutating func list(_ closing: String, start: Int?) -> String? {
    var (items, number) = ([String](), start)
    var isLoose = false
    while !take(closing) {
      guard take("<li>"), let content = content(of: "li") else { return nil }
      isLoose = isLoose || content.starts(with: "<p>".utf8)
      guard let text = content.starts(with: "<p>".utf8) ? nested(content) : tightItem(content) else { return nil }
      let mark = number.map { "\($0). " } ?? "- "
      number = number.map { $0 + 1 }
      let indent = String(repeating: " ", count: mark.utf8.count)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      items.append(
        mark
          + lines.enumerated().map { $0.offset == 0 || $0.element.isEmpty ? String($0.element) : indent + $0.element }
          .joined(separator: "\n"))
    }
    return items.joined(separator: isLoose ? "\n\n" : "\n")
  }

  /// Converts a text and the lists, quotes or code after it, without blank lines.
  private func tightItem(_ html: ArraySlice<UInt8>) -> String? {
    let starts = ["<ul>", "<ol>", "<ol start", "<pre><code", "<blockquote>"].map { Bytes($0.utf8) }
    let end = html.indices.first { place in
      html[place] == UInt8(ascii: "<") && starts.contains { html[place...].starts(with: $0) }
    }
    guard let text = inline(html[..<(end ?? html.endIndex)]) else { return nil }
    guard let end else { return text }
    var blocks = MarkdownBlocks(html[end...], isCloze: isCloze, depth: depth + 1)
    guard let rest = blocks.text() else { return nil }
    return text.isEmpty ? rest : text + "\n" + rest.replacing(text: "\n\n", with: "\n")
  }

  private mutating func table() -> String? {
    guard take("<thead><tr>"), let (head, sides) = row("th", "</tr></thead>") else { return nil }
    var lines = [head, "|" + sides.map { " \($0) |" }.joined()]
    if take("<tbody>") {
      while !take("</tbody>") {
        guard take("<tr>"), let (line, _) = row("td", "</tr>") else { return nil }
        lines.append(line)
      }
    }
    return take("</table>") ? lines.joined(separator: "\n") : nil
  }

  private mutating func row(_ cell: String, _ closing: String) -> (line: String, sides: [String])? {
    var (line, sides) = ("|", [String]())
    while !take(closing) {
      guard take("<\(cell)"), let attributes = content(until: ">"), let content = content(until: "</\(cell)>"),
        let text = inline(content, breaks: false, isCell: true)
      else { return nil }
      let marks = ["": "---", " align=\"left\"": ":--", " align=\"center\"": ":-:", " align=\"right\"": "--:"]
      guard let side = marks[attributes.text] else { return nil }
      sides.append(side)
      line += " \(text) |"
    }
    return (line, sides)
  }
}
