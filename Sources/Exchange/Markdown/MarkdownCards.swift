// Reads cards from Markdown: a heading and the text below it, `Q:` and `A:`, `C:` with gaps, paragraphs with clozes.
// Invariant: fenced code is plain content; an id in a comment is the card's guid; memory holds one card, whose size
// is bounded; a text without Markdown syntax becomes plain text; each line is accounted for, comments as left.

import Decks
import Problems
import Templates
import Text

final class MarkdownCards: CardRows {
  private let source: ByteSource
  private let isRaw: Bool
  var holdsFormatting: Bool { !isRaw }
  private(set) var found = ImportFindings()
  private var open: MarkdownCardBlock?
  /// The current paragraph: its first line number, its lines, and its size in bytes.
  private var paragraph: (line: Int, lines: [String], size: Int)?
  /// The last paragraph with clozes. A comment belongs to it until something else begins.
  private var cloze: MarkdownCardBlock?
  private var finished: [MarkdownCardBlock] = []
  private var fence = MarkdownFence()
  /// The first line of the comment that the next line belongs to.
  private var comment: Int?
  /// Whether the file has the marks of another program's cards, which would be read as one answer.
  private let isForeign: Bool
  var account: LineAccount { source.account }
  private var waiting: [(line: Substring, number: Int)] = []

  /// - Parameter isRaw: whether texts are kept as Markdown source, for comparison and merging.
  init(_ source: ByteSource, isRaw: Bool = false) {
    (self.source, self.isRaw) = (source, isRaw)
    let start = source.buffered
    isForeign = ["<!--SR:", "#flashcards"].contains { start.position(of: $0, from: start.startIndex) != nil }
    found.encoding = source.encoding
  }

  func next(into row: inout CardRow) throws -> Bool {
    while finished.isEmpty {
      guard let (line, number) = try nextLine() else {
        endCloze()
        endOpen()
        if finished.isEmpty {
          let end = source.column > 1 ? source.line : source.line - 1
          if let comment, comment <= end { account.leave(comment...end, .unclosedComment) }
          source.endAccount()
          return false
        }
        break
      }
      if number == 1, MarkdownLine(line) == .rule {
        account.use(1...1)
        waiting = try skipFrontMatter()
      } else {
        take(line, number)
      }
    }
    let block = finished.removeFirst()
    count(block) { account.row($0) }
    block.fill(&row, isRaw: isRaw)
    return true
  }

  private func count(_ block: MarkdownCardBlock, _ body: (ClosedRange<Int>) -> Void) {
    for line in block.lines { body(line...line) }
  }

  // MARK: Lines

  /// Returns the next line without its end; nil at the end of the file.
  private func nextLine() throws -> (line: Substring, number: Int)? {
    if let next = waiting.popLast() { return next }
    let (number, before) = (source.line, (open?.size ?? 0) + (paragraph?.size ?? 0))
    guard let bytes = try source.takeLine(after: before) else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ExchangeError.badFile(
        path: source.path, line: source.line - 1, column: 1,
        expected: "UTF-8 expected; if the file is in latin-1, give --encoding latin-1")
    }
    return (text[...], number)
  }

  /// Skips the front matter, which is between two rules at the beginning of the file and describes it.
  /// - Returns: if there is no second rule within the size of a row, the lines after the first one, in reverse order,
  ///   because that is an ordinary rule.
  private func skipFrontMatter() throws -> [(line: Substring, number: Int)] {
    var (lines, size): ([(line: Substring, number: Int)], Int) = ([], 0)
    while size <= rowLimit, let (line, number) = try nextLine() {
      lines.append((line, number))
      if line == "..." || MarkdownLine(line) == .rule {
        for (line, number) in lines where !line.allSatisfy(\.isWhitespace) { account.use(number...number) }
        return []
      }
      size += line.utf8.count
    }
    return lines.reversed()
  }

  private func take(_ line: Substring, _ number: Int) {
    if !fence.isOpen, takeComment(line, number) { return }
    if fence.holds(line) {
      endParagraph()
      return append(String(line), number, .code)
    }
    if underline(line, number) { return }
    switch MarkdownLine(line) {
    case .heading(let text):
      endOpen()
      let (prompt, facts) = Self.split(text)
      open = MarkdownCardBlock(kind: .heading, line: number, prompt: [prompt], facts: facts, lines: [number])
    case .question(let text):
      endOpen()
      open = MarkdownCardBlock(
        kind: .question, line: number, prompt: [String(text.drop { $0 == " " })], lines: [number])
    case .answer(let text): takeAnswer(text, line, number)
    case .gaps(let text):
      guard open?.kind != .heading || MarkdownCloze.gaps(in: text) != nil else { return addText(line, number) }
      endOpen()
      open = MarkdownCardBlock(kind: .gaps, line: number, prompt: [text], lines: [number])
    case .rule:
      endOpen()
      account.use(number...number)
    case .facts(let facts): take(facts, number)
    case .blank:
      account.blank(number)
      endParagraph()
      append("", number, .outside)
    case .text, .fence: addText(isRaw ? line : MarkdownLine.unescaped(line), number)
    }
  }

  private func takeAnswer(_ text: String, _ line: Substring, _ number: Int) {
    switch open?.kind {
    case .question:
      open?.kind = .answer
      recordCloze(text[...], number)
      open?.body = [String(text.drop { $0 == " " })]
      open?.lines.append(number)
    case .heading: addText(line, number)
    default:
      endOpen()
      open = MarkdownCardBlock(kind: .left(.answerWithoutQuestion), line: number, lines: [number])
    }
  }

  private func take(_ facts: MarkdownFacts, _ number: Int) {
    endParagraph()
    if cloze != nil {
      cloze?.facts = facts
      cloze?.lines.append(number)
    } else if open != nil {
      open?.facts = facts
      open?.lines.append(number)
      // A comment after an answer ends the card.
      if open?.kind == .answer || open?.kind == .gaps { endOpen() }
    } else {
      account.leave(number...number, .factsWithoutCard)
    }
  }

  /// Takes a line of a comment, which is not a part of any card. A comparison keeps it in the text.
  private func takeComment(_ line: Substring, _ number: Int) -> Bool {
    guard comment != nil || MarkdownLine.beginsComment(line) else { return false }
    let rest = comment == nil ? line.drop { $0 == " " }.dropFirst(2) : line
    let first = comment ?? number
    if comment == nil { endParagraph() }
    let text = MarkdownLine.textAfterComment(rest)
    comment = text == nil ? first : nil
    if isRaw {
      append(String(line), number, .comment)
    } else if let text {
      let hasText = !text.allSatisfy(\.isWhitespace)
      if first < number || !hasText { account.leave(first...(hasText ? number - 1 : number), .comment) }
      if hasText { addText(text, number) }
    }
    return true
  }

  /// Takes a line of `=` or `-` that makes the paragraph above it a heading. Directly below a heading with `#`, or
  /// below one with an id, the paragraph is its text, and `---` a rule.
  private func underline(_ line: Substring, _ number: Int) -> Bool {
    guard let text = paragraph, MarkdownLine.isUnderline(line), open == nil || open?.kind == .heading else {
      return false
    }
    let isRule = line.contains("-")
    if isRule, let open, open.isUnanswered || open.above.isEmpty && open.line + 1 == text.line { return false }
    guard Self.canBeUnderlined(text.lines) else { return false }
    paragraph = nil
    let lines = Array(text.line..<text.line + text.lines.count) + [number]
    var above: [MarkdownCardBlock] = []
    if isRule, var title = open, title.isTitle {
      (title.body, title.lines) = (text.lines, title.lines + lines)
      above = [title]
      open = nil
    }
    endOpen()
    let (prompt, facts) = Self.split(text.lines.map(\.trimmed).joined(separator: " "))
    open = MarkdownCardBlock(
      kind: .heading, line: text.line, prompt: [prompt], facts: facts, lines: lines, above: above)
    return true
  }

  /// Whether a line of `=` or `-` makes a heading of a paragraph.
  static func canBeUnderlined(_ lines: [String]) -> Bool {
    let first = lines[0][...]
    return listMark(first) == 0 && !first.hasPrefix(">") && !first.hasPrefix("|") && MarkdownLine.isNearMargin(first)
      && clozes(in: lines.joined(separator: "\n")) == nil
  }

  private static func split(_ heading: String) -> (prompt: String, facts: MarkdownFacts) {
    if let start = heading.lastRange(ofText: MarkdownFacts.opening)?.lowerBound,
      let facts = MarkdownFacts(comment: heading[start...])
    {
      return (String(heading[..<start]), facts)
    }
    return (heading, MarkdownFacts())
  }

  /// Records the first cloze in an answer, where clozes have no effect.
  private func recordCloze(_ line: Substring, _ number: Int) {
    if open?.kind == .answer, found.answeredCloze == nil, line.contains(text: "{{c") { found.answeredCloze = number }
  }

  /// Adds a line to the current question or answer, otherwise to the current paragraph.
  private func addText(_ line: Substring, _ number: Int) {
    if let kind = open?.kind, kind != .heading {
      recordCloze(line, number)
      return append(String(line), number, .outside)
    }
    if Self.listMark(line) > 0 { endParagraph() }
    if paragraph == nil {
      endCloze()
      paragraph = (number, [], 0)
    }
    paragraph?.lines.append(String(line))
    paragraph?.size += line.utf8.count + 1
  }

  /// Returns the length of a list marker (`- `, `* `, `12. `); 0 when there is none.
  static func listMark(_ line: Substring) -> Int {
    let blanks = line.prefix { $0 == " " }.count
    let rest = line.dropFirst(blanks)
    if ["- ", "* ", "+ "].contains(where: rest.hasPrefix) { return blanks + 2 }
    let digits = rest.prefix { $0.isASCII && $0.isNumber }.count
    return digits > 0 && digits < 10 && rest.dropFirst(digits).hasPrefix(". ") ? blanks + digits + 2 : 0
  }

  // MARK: Cards

  /// Adds a line to the current card.
  /// - Parameter reason: why it is left when there is none.
  private func append(_ line: String, _ number: Int, _ reason: LeftReason) {
    switch open?.kind {
    case .question, .gaps: open?.prompt.append(line)
    case .heading, .answer:
      // Skip blank lines at the beginning: below a title, there may be many between clozes.
      if line.isEmpty, open?.body.isEmpty ?? true { return }
      open?.body.append(line)
    case .left: break
    case .cloze, nil:
      if !line.isEmpty { account.leave(number...number, reason) }
      return
    }
    if !line.allSatisfy(\.isWhitespace) { open?.lines.append(number) }
    open?.size += line.utf8.count + 1
  }

  /// Ends the current paragraph: with clozes it becomes a card, otherwise it belongs to the heading above it.
  private func endParagraph() {
    guard let ended = paragraph else { return }
    paragraph = nil
    let first = ended.lines[0]
    let lines = [String(first.dropFirst(Self.listMark(first[...])))] + ended.lines.dropFirst()
    let source = lines.joined(separator: "\n")
    if let html = Self.clozes(in: source) {
      let numbers = Array(ended.line..<ended.line + lines.count)
      cloze = MarkdownCardBlock(kind: .cloze, line: ended.line, prompt: [source], lines: numbers, html: html)
      return
    }
    for (line, number) in zip(ended.lines, ended.line...) {
      if MarkdownCardBlock.isPair(line), !isRaw, open?.kind == .heading, open?.facts.guid == "" {
        account.leave(number...number, .pair)
      } else {
        append(line, number, .outside)
      }
    }
  }

  /// Returns the HTML of a paragraph with clozes; nil when it has none.
  private static func clozes(in text: String) -> MarkdownHTML? {
    guard text.contains(text: "==") || text.contains(text: "{{c"), MarkdownHTML.invalidReason(text) == nil else {
      return nil
    }
    let html = MarkdownHTML(text, marksClozes: true)
    return html.hasClozes ? html : nil
  }

  private func endCloze() {
    endParagraph()
    if let cloze { finished.append(cloze) }
    cloze = nil
  }

  private func endOpen() {
    endCloze()
    guard var ended = open else { return }
    open = nil
    fence = MarkdownFence()
    if let above = ended.above.first {
      if ended.isTitle {
        ended = above
      } else {
        for line in above.lines where !ended.lines.contains(line) { account.use(line...line) }
      }
    }
    // A heading without text below it is a title for what follows.
    if ended.isTitle { return count(ended) { account.use($0) } }
    let reason: LeftReason? =
      switch ended.kind {
      case .left(let known): known
      case .gaps where MarkdownCloze.gaps(in: MarkdownCardBlock.text(ended.prompt)) == nil: .noCloze
      case .heading where isForeign && !isRaw && ended.facts.guid.isEmpty: .otherFormat
      default: nil
      }
    if let reason { return count(ended) { account.leave($0, reason) } }
    if found.listedPairs == nil, ended.listsPairs { found.listedPairs = ended.line }
    finished.append(ended)
  }
}
