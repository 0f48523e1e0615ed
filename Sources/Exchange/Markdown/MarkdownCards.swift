// Reads cards from Markdown: a heading and the text below it, `Q:` and `A:`, and paragraphs with clozes.
// Invariant: fenced code is plain content; an id in a comment is the card's guid; memory holds one card, whose size
// is bounded; a text without Markdown syntax becomes plain text.

import Decks
import Problems
import Templates
import Text

final class MarkdownCards: CardRows {
  /// A card that is being read.
  private struct Block {
    enum Kind {
      case heading, question, answer, cloze
    }

    var kind: Kind
    let line: Int
    var prompt: [String] = []
    var body: [String] = []
    var facts = MarkdownFacts(guid: "", tags: [], subdeck: "")
    /// The size of its lines in bytes.
    var size = 0
  }

  private let source: Source
  /// Whether texts are kept as Markdown source.
  private let isRaw: Bool
  var holdsFormatting: Bool { !isRaw }
  private(set) var found = ImportFindings()
  /// The current heading, or the current question with its answer.
  private var open: Block?
  /// The current paragraph: its first line number, its lines, and its size in bytes.
  private var paragraph: (line: Int, lines: [String], size: Int)?
  /// The last paragraph with clozes. A comment belongs to it until something else begins.
  private var cloze: Block?
  private var finished: [Block] = []
  private var fence = MarkdownFence()
  /// The index of the next line when reading from lines.
  private var place = 0
  /// Lines that were read ahead, in reverse order.
  private var waiting: [(line: Substring, number: Int)] = []

  private enum Source {
    case file(ByteSource)
    case lines([Substring])
  }

  /// - Parameter isRaw: whether texts are kept as Markdown source, for comparison and merging.
  init(_ source: ByteSource, isRaw: Bool = false) {
    (self.source, self.isRaw) = (.file(source), isRaw)
    found.encoding = source.encoding
  }

  init(lines: [Substring]) { (source, isRaw) = (.lines(lines), false) }

  func next(into row: inout CardRow) throws -> Bool {
    while finished.isEmpty {
      guard let (line, number) = try nextLine() else {
        endCloze()
        endOpen()
        if finished.isEmpty { return false }
        break
      }
      if number == 1, MarkdownLine(line) == .rule {
        waiting = try skipFrontMatter()
      } else {
        take(line, number)
      }
    }
    fill(&row, finished.removeFirst())
    return true
  }

  // MARK: Lines

  private func nextLine() throws -> (line: Substring, number: Int)? {
    if let next = waiting.popLast() { return next }
    let number = if case .file(let source) = source { source.line } else { place + 1 }
    return try readLine().map { ($0, number) }
  }

  /// Returns the next line without its end; nil at the end of the file.
  private func readLine() throws -> Substring? {
    switch source {
    case .file(let source): return try readLine(source)
    case .lines(let lines):
      guard place < lines.count else { return nil }
      defer { place += 1 }
      return lines[place]
    }
  }

  private func readLine(_ source: ByteSource) throws -> Substring? {
    guard try source.peek() != nil else { return nil }
    let before = (open?.size ?? 0) + (paragraph?.size ?? 0)
    var bytes: [UInt8] = []
    while let byte = try source.peek(), byte != 0x0A {
      source.take(into: &bytes) { $0 == 0x0A }
      if before + bytes.count > rowLimit { throw source.tooLong() }
    }
    if try source.peek() != nil { source.skip() }
    if bytes.last == 0x0D { bytes.removeLast() }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ExchangeError.badFile(
        path: source.path, line: source.line - 1, column: 1,
        expected: "UTF-8 expected; if the file is in latin-1, give --encoding latin-1")
    }
    return text[...]
  }

  /// Skips the front matter, which is between two rules at the beginning of the file and describes it.
  /// - Returns: if there is no second rule, the lines after the first one, in reverse order, because that is an
  ///   ordinary rule. If they exceed the size of a row, nothing is returned.
  private func skipFrontMatter() throws -> [(line: Substring, number: Int)] {
    var (lines, size): ([(line: Substring, number: Int)], Int) = ([], 0)
    while let (line, number) = try nextLine() {
      if line == "..." || MarkdownLine(line) == .rule { return [] }
      size += line.utf8.count
      if size <= rowLimit { lines.append((line, number)) } else { lines = [] }
    }
    return size <= rowLimit ? lines.reversed() : []
  }

  private func take(_ line: Substring, _ number: Int) {
    if fence.holds(line) {
      endParagraph()
      return append(String(line))
    }
    switch MarkdownLine(line) {
    case .heading(let text):
      endOpen()
      let (prompt, facts) = Self.split(text)
      open = Block(kind: .heading, line: number, prompt: [prompt], facts: facts)
    case .question(let text):
      endOpen()
      open = Block(kind: .question, line: number, prompt: [String(text.drop { $0 == " " })])
    case .answer(let text):
      guard open?.kind == .question else { return addText(line, number) }
      open?.kind = .answer
      recordCloze(text[...], number)
      open?.body = [String(text.drop { $0 == " " })]
    case .rule: endOpen()
    case .facts(let facts):
      endParagraph()
      if cloze != nil {
        cloze?.facts = facts
      } else {
        open?.facts = facts
        // A comment after an answer ends the card.
        if open?.kind == .answer { endOpen() }
      }
    case .blank:
      endParagraph()
      append("")
    case .text, .fence: addText(isRaw ? line : MarkdownLine.unescaped(line), number)
    }
  }

  /// Splits a heading into its text and the comment at its end.
  private static func split(_ heading: String) -> (prompt: String, facts: MarkdownFacts) {
    if let start = heading.lastRange(ofText: MarkdownFacts.opening)?.lowerBound,
      let facts = MarkdownFacts(comment: heading[start...])
    {
      return (String(heading[..<start]), facts)
    }
    return (heading, MarkdownFacts(guid: "", tags: [], subdeck: ""))
  }

  /// Records the first cloze in an answer, where clozes have no effect.
  private func recordCloze(_ line: Substring, _ number: Int) {
    if open?.kind == .answer, found.answeredCloze == nil, line.contains(text: "{{c") { found.answeredCloze = number }
  }

  /// Adds a line to the current question or answer, otherwise to the current paragraph.
  private func addText(_ line: Substring, _ number: Int) {
    if open?.kind == .question || open?.kind == .answer {
      recordCloze(line, number)
      return append(String(line))
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

  private func append(_ line: String) {
    switch open?.kind {
    case .question: open?.prompt.append(line)
    case .heading, .answer:
      // Skip blank lines at the beginning: below a title, there may be many between clozes.
      if line.isEmpty, open?.body.isEmpty ?? true { return }
      open?.body.append(line)
    case .cloze, nil: return
    }
    open?.size += line.utf8.count + 1
  }

  /// Ends the current paragraph: with clozes it becomes a card, otherwise it belongs to the heading above it.
  private func endParagraph() {
    guard let ended = paragraph else { return }
    paragraph = nil
    let first = ended.lines[0]
    let lines = [String(first.dropFirst(Self.listMark(first[...])))] + ended.lines.dropFirst()
    let source = lines.joined(separator: "\n")
    if let text = MarkdownCloze.text(of: source) {
      cloze = Block(kind: .cloze, line: ended.line, prompt: [isRaw ? source : text])
    } else {
      ended.lines.forEach(append)
    }
  }

  private func endCloze() {
    endParagraph()
    if let cloze { finished.append(cloze) }
    cloze = nil
  }

  private func endOpen() {
    endCloze()
    guard let ended = open else { return }
    open = nil
    fence = MarkdownFence()
    // A heading without text below it is a title for what follows.
    let isTitle = ended.kind == .heading && ended.body.allSatisfy { $0.allSatisfy(\.isWhitespace) }
    if isTitle, ended.facts.guid.isEmpty { return }
    if found.listedPairs == nil, Self.listsPairs(ended) { found.listedPairs = ended.line }
    finished.append(ended)
  }

  /// Whether a card without an id has several lines `prompt :: answer`, or a table, in its answer.
  private static func listsPairs(_ block: Block) -> Bool {
    guard block.kind == .heading, block.facts.guid.isEmpty else { return false }
    let pairs = block.body.lazy.filter { line in
      let text = line.trimmed
      return text.contains(text: " :: ") || text.count > 1 && text.hasPrefix("|") && text.hasSuffix("|")
    }
    return pairs.prefix(2).count == 2
  }

  private func fill(_ row: inout CardRow, _ block: Block) {
    row.clear(line: block.line)
    row.guid.append(contentsOf: block.facts.guid.utf8)
    row.tags = block.facts.tags
    row.subdeck = block.facts.subdeck
    if !block.facts.conflicts.isEmpty { row.addField(MergeConflict.name, .text(block.facts.conflicts)) }
    if block.kind == .question { row.refuse(.badRow, "A: expected after Q:") }
    let prompt = Self.text(block.prompt)
    if isRaw { return fillRaw(&row, block, prompt) }
    let answer = Self.text(block.body)
    if let reason = MarkdownHTML.invalidReason(prompt) ?? MarkdownHTML.invalidReason(answer) {
      return row.refuse(.badText, reason)
    }
    let front = MarkdownHTML(prompt, isLine: block.kind == .heading)
    row.media = front.media
    if block.kind == .cloze {
      row.content = .note(type: StockNoteType.cloze.rawValue, [(name: nil, html: front.html)])
      return
    }
    let back = MarkdownHTML(answer)
    row.media += back.media
    // A card with an id was exported from a note, which may have an empty back.
    let isHalf = answer.isEmpty && !block.facts.guid.isEmpty
    if !isHalf, let prompt = Self.plain(front.html), let answer = Self.plain(back.html) {
      row.prompt.append(contentsOf: prompt.utf8)
      row.answer.append(contentsOf: answer.utf8)
    } else {
      row.content = .formatted
      row.prompt.append(contentsOf: front.html.utf8)
      row.answer.append(contentsOf: back.html.utf8)
    }
  }

  /// Returns the text of HTML that is equivalent to plain text as it is stored; otherwise nil.
  private static func plain(_ html: String) -> String? {
    guard let text = FieldHTML.plain(html), FieldHTML.html(ofPlain: text.trimmed) == html else { return nil }
    return text
  }

  private func fillRaw(_ row: inout CardRow, _ block: Block, _ prompt: String) {
    if block.kind == .cloze {
      row.content = .note(type: StockNoteType.cloze.rawValue, [(name: nil, html: FieldHTML.html(ofPlain: prompt))])
      return
    }
    row.prompt.append(contentsOf: prompt.utf8)
    row.answer.append(contentsOf: Self.text(block.body).utf8)
  }

  /// Joins lines, without blank lines at the beginning and the end.
  private static func text(_ lines: [String]) -> String {
    var lines = lines[...]
    while let first = lines.first, first.allSatisfy(\.isWhitespace) { lines.removeFirst() }
    while let last = lines.last, last.allSatisfy(\.isWhitespace) { lines.removeLast() }
    return lines.joined(separator: "\n")
  }
}
