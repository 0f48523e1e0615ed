// The lines of Markdown that matter for cards, the comment with a card's id, tags, deck and conflicts, and a card
// while it is read. Invariant: an escaped text and a comment are read back unchanged; any other comment is ignored; a
// text without Markdown syntax becomes plain text.

import Decks
import Problems
import Templates
import Text

/// The kind of a Markdown line. A backslash at its beginning makes any line text.
enum MarkdownLine: Equatable {
  case heading(String)
  case question(String)
  case answer(String)
  /// A text after `C:`, whose words in brackets are gaps.
  case gaps(String)
  case rule, fence
  case facts(MarkdownFacts)
  case blank, text

  init(_ line: Substring) {
    let start = line.drop { $0 == " " }
    if start.isEmpty || start.allSatisfy(\.isWhitespace) {
      self = .blank
    } else if start.hasPrefix("```") || start.hasPrefix("~~~") {
      self = .fence
    } else if line.hasPrefix("#"), let rest = Self.heading(line) {
      self = .heading(rest)
    } else if line.hasPrefix("Q:") {
      self = .question(String(line.dropFirst(2)))
    } else if line.hasPrefix("A:") {
      self = .answer(String(line.dropFirst(2)))
    } else if line.hasPrefix("C:") {
      self = .gaps(String(line.dropFirst(2)))
    } else if line.hasPrefix("---"), line.allSatisfy({ $0 == "-" || $0 == " " }) {
      self = .rule
    } else if line.hasPrefix(MarkdownFacts.opening), let facts = MarkdownFacts(comment: line) {
      self = .facts(facts)
    } else {
      self = .text
    }
  }

  private static func heading(_ line: Substring) -> String? {
    let rest = line.drop { $0 == "#" }
    guard line.count - rest.count <= 6, rest.isEmpty || rest.first?.isWhitespace == true else { return nil }
    return String(rest).trimmed
  }

  private static let marks = ["Q:", "A:", "C:"]

  /// Removes the backslash before `Q:`, `A:` and `C:` at the beginning of a line; Markdown handles other escapes.
  static func unescaped(_ line: Substring) -> Substring {
    line.utf8.first == UInt8(ascii: "\\") && marks.contains(where: line.dropFirst().hasPrefix) ? line.dropFirst() : line
  }

  /// Escapes lines that begin like a question, an answer or a text with gaps, except in fenced code.
  static func escaped(_ text: String) -> String {
    if !marks.contains(where: { text.contains(text: $0) }) { return text }
    var fence = MarkdownFence()
    return lines(of: text).map { line in
      !fence.holds(line) && marks.contains(where: line.hasPrefix) ? "\\" + line : String(line)
    }.joined(separator: "\n")
  }

  /// Whether a line makes the paragraph above it a heading: it is nothing but `=` or `-`.
  static func isUnderline(_ line: Substring) -> Bool {
    let text = String(line).trimmed
    guard let first = text.utf8.first, first == UInt8(ascii: "=") || first == UInt8(ascii: "-") else { return false }
    return text.utf8.allSatisfy { $0 == first } && isNearMargin(line)
  }

  /// Whether a line begins with a comment, except one that holds the facts of a card or has text behind it.
  static func beginsComment(_ line: Substring) -> Bool {
    let start = line.drop { $0 == " " }
    guard start.hasPrefix(MarkdownFacts.opening), isNearMargin(line), MarkdownFacts(comment: line) == nil else {
      return false
    }
    return textAfterComment(start.dropFirst(2))?.allSatisfy(\.isWhitespace) ?? true
  }

  /// Returns the text after the end of a comment; nil when it does not end in this line.
  static func textAfterComment(_ line: Substring) -> Substring? {
    line.firstRange(ofText: MarkdownFacts.closing).map { line[$0.upperBound...] }
  }

  /// Whether a comment begins in one of the lines, except in fenced code.
  static func hasComment(_ text: String) -> Bool {
    if !text.contains(text: MarkdownFacts.opening) { return false }
    var fence = MarkdownFence()
    return lines(of: text).contains { !fence.holds($0) && beginsComment($0) }
  }

  /// Whether fewer than four blanks come before the text; more make it code.
  static func isNearMargin(_ line: Substring) -> Bool {
    line.utf8.prefix { $0 == 0x20 }.count < 4 && line.first != "\t"
  }

  static func lines(of text: String) -> [Substring] {
    let text = text.utf8.contains(0x0D) ? String(decoding: text.utf8.filter { $0 != 0x0D }, as: UTF8.self) : text
    return text.split(separator: "\n", omittingEmptySubsequences: false)
  }
}

/// Tracks whether consecutive lines are in fenced code.
struct MarkdownFence {
  private var open: Substring?

  var isOpen: Bool { open != nil }

  /// Whether a line belongs to code, including the fences themselves.
  mutating func holds(_ line: Substring) -> Bool {
    if let open {
      let start = line.drop { $0 == " " }
      let isEnd = start.hasPrefix(open) && start.allSatisfy { $0 == open.first || $0.isWhitespace }
      if isEnd { self.open = nil }
      return true
    }
    let start = line.dropFirst(MarkdownCards.listMark(line)).drop { $0 == " " }
    guard let mark = start.first, mark == "`" || mark == "~" else { return false }
    let fence = start.prefix { $0 == mark }
    // If more backquotes follow on the line, they are inline code.
    guard fence.count >= 3, mark == "~" || !start.dropFirst(fence.count).contains("`") else { return false }
    open = fence
    return true
  }
}

/// The facts in a comment next to a card: `<!-- id: 3kTMd; tags: verb irregular -->`.
struct MarkdownFacts: Equatable {
  var guid = ""
  var tags: [String] = []
  var subdeck = ""
  var conflicts = ""

  static let opening = "<!--"
  static let closing = "-->"

  /// - Returns: nil for any other comment.
  init?(comment: Substring) {
    let text = String(comment).trimmed
    guard text.hasPrefix(Self.opening), text.hasSuffix(Self.closing), text.utf8.count >= 7 else { return nil }
    let parts = Self.parts(of: text.dropFirst(4).dropLast(3))
    guard parts.contains(where: { ["id", "tags", "deck", MergeConflict.name].contains($0.name) }) else { return nil }
    for part in parts {
      switch part.name {
      case "id": guid = part.value
      case "tags": tags = Tags.separated(part.value)
      case "deck": subdeck = part.value
      case MergeConflict.name: conflicts = part.value
      default: continue
      }
    }
  }

  init(guid: String = "", tags: [String] = [], subdeck: String = "") {
    (self.guid, self.tags, self.subdeck) = (guid, tags, subdeck)
  }

  /// Splits `name: value` pairs at semicolons. A value that contains one is quoted, and quotes in it are doubled.
  private static func parts(of text: Substring) -> [(name: String, value: String)] {
    var parts: [(name: String, value: String)] = []
    var part = ""
    var isQuoted = false
    for character in text + ";" {
      if character == "\"" { isQuoted.toggle() }
      if character != ";" || isQuoted {
        part.append(character)
        continue
      }
      if let colon = part.firstIndex(of: ":") {
        let value = String(part[part.index(after: colon)...]).trimmed
        parts.append((String(part[..<colon]).trimmed.lowercased(), unquoted(value)))
      }
      part = ""
    }
    return parts
  }

  private static func unquoted(_ value: String) -> String {
    guard value.hasPrefix("\""), value.hasSuffix("\""), value.count >= 2 else { return value }
    var result = ""
    var isQuote = false
    for character in value.dropFirst().dropLast() {
      if character == "\"", !isQuote {
        isQuote = true
        continue
      }
      isQuote = false
      result.append(character)
    }
    return result.replacing(text: "&gt;", with: ">").replacing(text: "&lt;", with: "<").replacing(
      text: "&amp;", with: "&")
  }

  /// The comment on one line; empty when there are no facts. `>` is written as an entity, so that it cannot end the
  /// comment.
  var comment: String {
    var parts: [String] = []
    let values = [
      ("id", guid), ("tags", tags.joined(separator: " ")), ("deck", subdeck), (MergeConflict.name, conflicts),
    ]
    for (name, value) in values where !value.isEmpty {
      let isPlain = !value.contains { "\";&<>".contains($0) } && !value.hasPrefix("-") && !value.hasSuffix("-")
      let safe = value.replacing(text: "&", with: "&amp;").replacing(text: "<", with: "&lt;").replacing(
        text: ">", with: "&gt;"
      )
      .replacing(text: "\"", with: "\"\"")
      parts.append("\(name): " + (isPlain ? value : "\"\(safe)\""))
    }
    return parts.isEmpty ? "" : "\(Self.opening) \(parts.joined(separator: "; ")) \(Self.closing)"
  }
}

struct MarkdownCardBlock {
  enum Kind: Equatable {
    case heading, question, answer, cloze, gaps
    case left(LeftReason)
  }

  var kind: Kind
  let line: Int
  var prompt: [String] = []
  var body: [String] = []
  var facts = MarkdownFacts()
  var lines: [Int]
  var html: MarkdownHTML?
  /// For a heading that is underlined: the heading above it with this one as its text, which is a card if nothing
  /// follows the line, because the line is then a rule.
  var above: [MarkdownCardBlock] = []
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
    row.setSides([front.html, back.html], isHalf: isHalf)
  }

  private var isCloze: Bool { kind == .cloze || kind == .gaps }

  private func fillRaw(_ row: inout CardRow, _ prompt: String, _ answer: String) {
    if isCloze {
      row.content = .note(type: StockNoteType.cloze.rawValue, [(name: nil, html: FieldHTML.html(ofPlain: prompt))])
      return
    }
    row.prompt.append(contentsOf: prompt.utf8)
    row.answer.append(contentsOf: answer.utf8)
  }

  static func text(_ lines: [String]) -> String {
    var lines = lines[...]
    while let first = lines.first, first.allSatisfy(\.isWhitespace) { lines.removeFirst() }
    while let last = lines.last, last.allSatisfy(\.isWhitespace) { lines.removeLast() }
    return lines.joined(separator: "\n")
  }
}
