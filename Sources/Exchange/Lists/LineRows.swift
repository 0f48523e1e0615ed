// Lists as lines: `1. gato - cat`, with one separator in the whole file, or tables in Markdown, whose first rows are
// names. Invariant: a line without the separator, or with two of it, and a line around a table are left and named; a
// separator is chosen by the first lines, of which nine tenths must have it exactly once.

import Templates
import Text

/// What separates the two sides of a line: one sign in its several forms.
///
///     ListSeparator.found(in: ["gato - cat", "perro - dog"])   // [" – ", " — ", " - "]
enum ListSeparator {
  static let all = [
    [" :: "], [" = "], ["→", "=>", "->"], [" – ", " — ", " - "], ["; ", "；"], [" | "], [": ", "："], [",", "，"],
  ]
  /// The most words that a side has on average; more are prose.
  static let mostWords = 12

  static func found(in lines: [Substring]) -> [String]? {
    all.first { forms in
      let sides = lines.compactMap { Self.sides(of: $0, at: forms) }
      let words = sides.joined().reduce(0) { $0 + $1.split(separator: " ").count }
      return !sides.isEmpty && sides.count * 10 >= lines.count * 9 && words <= 2 * mostWords * sides.count
    }
  }

  /// Splits a line without its bullet or number at the separator; nil unless it stands there exactly once, between two
  /// texts.
  static func sides(of line: Substring, at forms: [String]) -> [String]? {
    let line = withoutMark(line)
    let places = forms.compactMap { line.firstRange(ofText: $0) }
    guard places.count == 1, let place = places.first,
      line.firstRange(ofText: line[place], from: place.upperBound) == nil
    else { return nil }
    // `[name]: address` is a link of Markdown.
    if line.first == "[", line[place].first == ":", line[..<place.lowerBound].last == "]" { return nil }
    let sides = [line[..<place.lowerBound], line[place.upperBound...]].map(plain)
    return sides.contains("") ? nil : sides
  }

  private static func withoutMark(_ line: Substring) -> Substring {
    let text = line.drop(while: \.isWhitespace)
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let mark = text.dropFirst(digits.count).prefix(2)
    let isMark = mark.last == " " && mark.first.map { (digits.isEmpty ? "-*+•·◦▪–" : ".)").contains($0) } ?? false
    return isMark ? text.dropFirst(digits.count + 2) : text
  }

  /// Returns a side without blanks, quotation marks, bold or italics around it.
  private static func plain(_ side: Substring) -> String {
    let text = String(side).trimmed
    for (open, close) in [("**", "**"), ("__", "__"), ("*", "*"), ("_", "_"), ("\"", "\""), ("“", "”"), ("«", "»")] {
      let inner = text.dropFirst(open.count).dropLast(close.count)
      let isAround = text.count > open.count + close.count && text.hasPrefix(open) && text.hasSuffix(close)
      if isAround, !inner.contains(text: close) { return plain(inner) }
    }
    return text
  }
}

/// The rows of lines: the two sides at a separator, or the cells of tables in Markdown.
final class LineRows: ListRows {
  private let forms: [String]
  /// The first rows of the tables; none for lines with a separator.
  private let heads: [[String]]
  override var names: [String]? { heads.first }
  override var isHTML: Bool { !heads.isEmpty }

  init(_ source: ByteSource, _ forms: [String], heads: [[String]] = []) {
    (self.forms, self.heads) = (forms, heads)
    super.init(source)
  }

  override func next() throws -> Int? {
    while true {
      let line = source.line
      guard let bytes = try source.takeLine() else { return nil }
      let text = String(decoding: bytes, as: UTF8.self)[...]
      guard var cells = isHTML ? Self.cells(text) : ListSeparator.sides(of: text, at: forms),
        text.utf8.first != UInt8(ascii: "#")
      else {
        leave(text, line)
        continue
      }
      if Self.isDelimiter(text) || heads.contains(cells) {
        source.account.use(line...line)
        continue
      }
      invalidReason = String(validating: bytes, as: UTF8.self) == nil ? "not UTF-8" : nil
      if isHTML {
        invalidReason = invalidReason ?? cells.lazy.compactMap(MarkdownHTML.invalidReason).first
        let html = cells.map { MarkdownHTML(invalidReason == nil ? $0 : "", isLine: true) }
        (cells, media) = (html.map(\.html), html.flatMap(\.media))
      }
      set(cells, lastLine: line)
      return line
    }
  }

  private func leave(_ text: Substring, _ line: Int) {
    let account = source.account
    let isComment = text.utf8.first == UInt8(ascii: "#") || MarkdownLine.beginsComment(text)
    switch MarkdownLine(text) {
    case .blank: account.blank(line)
    case .heading where isHTML, .rule: account.use(line...line)
    case _ where isComment: account.leave(line...line, .comment)
    case _ where isHTML: account.leave(line...line, .outside)
    default: account.leave(line...line, .noSeparator, name: String(text).trimmed)
    }
  }

  // MARK: Tables in Markdown

  /// Returns the rows of names above rows of dashes.
  static func heads(in lines: [Substring]) -> [[String]] {
    zip(lines, lines.dropFirst()).compactMap { isDelimiter($1) ? cells($0) : nil }
  }

  private static func isDelimiter(_ line: Substring) -> Bool {
    line.contains("|") && line.contains("-") && line.utf8.allSatisfy { "|:- \t\r".utf8.contains($0) }
  }

  /// Returns the cells of a row in Markdown; nil for other lines. A bar after a backslash is part of its cell.
  private static func cells(_ line: Substring) -> [String]? {
    let line = String(line).trimmed
    guard line.hasPrefix("|") else { return nil }
    let mark = "\u{0}"
    var cells = line.dropFirst().replacing(text: "\\|", with: mark).split(
      separator: "|", omittingEmptySubsequences: false)
    if cells.last?.allSatisfy(\.isWhitespace) == true { cells.removeLast() }
    return cells.map { $0.replacing(text: mark, with: "|").trimmed }
  }
}

extension TableCards {
  /// Reads a text without Anki's header lines: lines with a separator, or a table.
  /// - Throws: `badFile` when it is neither.
  static func lines(_ source: ByteSource, _ options: TableOptions) throws -> TableCards {
    let start = source.buffered
    let lines = Self.lines(of: start).filter { $0.first != "#" }
    let tab = UInt8(ascii: "\t")
    let isTabbed = lines.count { $0.utf8.contains(tab) } * 2 >= lines.count
    if options.separator == nil, !isTabbed, let forms = ListSeparator.found(in: lines) {
      return try TableCards(source, options) { LineRows($0, forms) }
    }
    let content = Array(lines.joined(separator: "\n").utf8)[...]
    let separator = Separator.found(in: content, first: tab)
    let cells = lines.flatMap { $0.utf8.split(separator: separator) }
    let words = cells.reduce(0) { $0 + $1.split(separator: 0x20).count }
    let isTable =
      Separator.evenness(of: content, cutBy: separator) >= 0.9 && words <= ListSeparator.mostWords * cells.count
    // A line that is longer than what is known of the file is read as a table, which refuses it.
    let isOpen = start.count == ByteSource.chunk && !start.contains(0x0A)
    guard options.separator != nil || isTabbed || isOpen || isTable else {
      throw ExchangeError.badFile(
        path: source.path, line: 1, column: 1,
        expected:
          "a list has a card on each line, its sides separated by a tab, a comma, or signs such as - = : → with "
          + "blanks, as in \"gato - cat\"; this is no list")
    }
    return try TableCards(source, separator: separator, options, hasComments: true)
  }

  /// Reads the tables or the lines of a text in Markdown; nil if it has cards otherwise.
  static func markdown(_ source: ByteSource, _ options: TableOptions) throws -> TableCards? {
    let cards = MarkdownCards(source.start())
    var (row, count) = (CardRow(), 0)
    while count < 2, try cards.next(into: &row) { count += 1 }
    let lines = Self.lines(of: source.buffered)
    if count == 2 || cards.account.report.left[.otherFormat] != nil { return nil }
    let heads = LineRows.heads(in: lines)
    if let names = heads.first, count == 0 || cards.found.listedPairs != nil {
      // Below one heading, a table is its answer, unless the heading is a title or the names mean the sides of a card.
      let isTitled = lines[0].hasPrefix("# ") && !lines.dropFirst().contains { $0.hasPrefix("#") }
      if count == 0 || isTitled || ListNames.sides(of: names) != nil {
        return try TableCards(source, options) { LineRows($0, [], heads: heads) }
      }
    }
    guard count == 0, let forms = ListSeparator.found(in: lines) else { return nil }
    return try TableCards(source, options) { LineRows($0, forms) }
  }

  /// The lines of a text that are not blank.
  static func lines(of start: ArraySlice<UInt8>) -> [Substring] {
    String(decoding: start, as: UTF8.self).lines.filter { !$0.allSatisfy(\.isWhitespace) }
  }
}
