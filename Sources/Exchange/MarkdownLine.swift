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
  private var isText: Bool { self == .text || self == .blank }

  /// A line of a text, with a backslash before it where it would be something else.
  static func escaped(_ line: Substring) -> String {
    MarkdownLine(line.drop { $0 == "\\" }).isText ? String(line) : "\\" + line
  }

  /// The line of the text.
  static func unescaped(_ line: Substring) -> Substring {
    line.hasPrefix("\\") && !MarkdownLine(line.drop { $0 == "\\" }).isText ? line.dropFirst() : line
  }

  /// The lines of a text, without carriage returns.
  static func lines(of text: String) -> [Substring] {
    let text = text.utf8.contains(0x0D) ? String(decoding: text.utf8.filter { $0 != 0x0D }, as: UTF8.self) : text
    return text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// The lines of a text, so that each of them is read as text. Fenced code stays as it is where its fences are pairs.
  static func escaped(text: String) -> [String] {
    let lines = lines(of: text)
    let keepsFences = lines.count { MarkdownLine($0) == .fence }.isMultiple(of: 2)
    var isInside = false
    return lines.map { line in
      let isFence = keepsFences && MarkdownLine(line) == .fence
      if isFence { isInside.toggle() }
      return isFence || isInside ? String(line) : escaped(line)
    }
  }
}
