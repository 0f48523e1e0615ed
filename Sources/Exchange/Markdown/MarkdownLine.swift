// The lines of Markdown that mean something for cards.
// Invariant: a text that was escaped is read back unchanged.

import Text

/// What a line of Markdown is. A backslash before it makes any of them a text.
enum MarkdownLine: Equatable {
  case heading(String)
  case question(String)
  case answer(String)
  case rule
  case fence
  case facts(MarkdownFacts)
  case blank
  case text

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
}

extension MarkdownLine {
  /// The line of a text, without the backslash before what would begin a question or an answer; all others are
  /// Markdown's own.
  static func unescaped(_ line: Substring) -> Substring {
    line.hasPrefix("\\Q:") || line.hasPrefix("\\A:") ? line.dropFirst() : line
  }

  /// A text whose lines begin no question and no answer, but for those in fenced code.
  static func escaped(_ text: String) -> String {
    if !text.contains(text: "Q:"), !text.contains(text: "A:") { return text }
    var fence = MarkdownFence()
    return lines(of: text).map { line in
      !fence.holds(line) && (line.hasPrefix("Q:") || line.hasPrefix("A:")) ? "\\" + line : String(line)
    }.joined(separator: "\n")
  }

  /// The lines of a text, without carriage returns.
  static func lines(of text: String) -> [Substring] {
    let text = text.utf8.contains(0x0D) ? String(decoding: text.utf8.filter { $0 != 0x0D }, as: UTF8.self) : text
    return text.split(separator: "\n", omittingEmptySubsequences: false)
  }
}

/// Whether the lines that come one after the other are in fenced code.
struct MarkdownFence {
  /// What opened it.
  private var open: Substring?

  /// Whether the next line is code.
  var isOpen: Bool { open != nil }

  /// Whether a line belongs to code: it is a fence, or is between two.
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
    // Backquotes behind backquotes are code within a line.
    guard fence.count >= 3, mark == "~" || !start.dropFirst(fence.count).contains("`") else { return false }
    open = fence
    return true
  }
}
