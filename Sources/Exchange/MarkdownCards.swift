// Cards in Markdown: a heading and the text below it, `Q:` and `A:`, paragraphs with clozes.
// Invariant: what is inside fenced code is text; an id in a comment is the card's guid; one card at a time is in
// memory, which is bounded.

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
  }

  private let source: ByteSource
  private(set) var found = ImportFindings()
  /// The heading, or the question and its answer, that are open.
  private var open: Block?
  /// The lines of the paragraph that is open, and where it begins.
  private var paragraph: (line: Int, lines: [String])?
  /// The last paragraph with clozes: what a comment says is of it until something else begins.
  private var cloze: Block?
  private var finished: [Block] = []
  private var isFenced = false
  /// Where the bytes of the open card begin.
  private var blockStart = 0

  init(_ source: ByteSource) {
    self.source = source
    found.encoding = source.encoding
  }

  func next(into row: inout CardRow) throws -> Bool {
    while finished.isEmpty {
      let number = source.line
      guard let line = try readLine() else {
        endCloze()
        endOpen()
        if finished.isEmpty { return false }
        break
      }
      if number == 1, MarkdownLine(line) == .rule {
        try skipFrontMatter()
      } else {
        take(line, number)
      }
    }
    fill(&row, finished.removeFirst())
    return true
  }

  // MARK: Lines

  /// A line without its end; nil at the end of the file.
  private func readLine() throws -> Substring? {
    guard try source.peek() != nil else { return nil }
    if open == nil, paragraph == nil, cloze == nil { blockStart = source.taken }
    var bytes: [UInt8] = []
    while let byte = try source.peek(), byte != 0x0A {
      source.take(into: &bytes) { $0 == 0x0A }
      if source.taken - blockStart > rowLimit { throw source.tooLong() }
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

  /// The front matter, between two rules at the beginning, describes the file.
  private func skipFrontMatter() throws {
    while let line = try readLine(), line != "...", MarkdownLine(line) != .rule { blockStart = source.taken }
  }

  private func take(_ line: Substring, _ number: Int) {
    let kind = MarkdownLine(line)
    if isFenced || kind == .fence {
      if kind == .fence { isFenced.toggle() }
      endParagraph()
      return append(String(line))
    }
    switch kind {
    case .heading(let text):
      endOpen()
      let (prompt, facts) = Self.split(text)
      open = Block(kind: .heading, line: number, prompt: [prompt], facts: facts)
    case .question(let text):
      endOpen()
      open = Block(kind: .question, line: number, prompt: [text])
    case .answer(let text):
      guard open?.kind == .question else { return takeText(line, number) }
      open?.kind = .answer
      open?.body = [text]
    case .rule: endOpen()
    case .facts(let facts):
      endParagraph()
      if cloze != nil {
        cloze?.facts = facts
      } else {
        open?.facts = facts
        // What an answer says of itself ends it.
        if open?.kind == .answer { endOpen() }
      }
    case .blank:
      endParagraph()
      append("")
    case .text, .fence: takeText(MarkdownLine.unescaped(line), number)
    }
  }

  /// A heading's text and the comment at its end.
  private static func split(_ heading: String) -> (prompt: String, facts: MarkdownFacts) {
    if let start = heading.lastRange(ofText: MarkdownFacts.opening)?.lowerBound,
      let facts = MarkdownFacts(comment: heading[start...])
    {
      return (String(heading[..<start]), facts)
    }
    return (heading, MarkdownFacts(guid: "", tags: [], subdeck: ""))
  }

  /// A line of a text: of a question or an answer, else of a paragraph.
  private func takeText(_ line: Substring, _ number: Int) {
    if open?.kind == .question || open?.kind == .answer { return append(String(line)) }
    if Self.listMark(line) > 0 { endParagraph() }
    if paragraph == nil {
      endCloze()
      paragraph = (number, [])
    }
    paragraph?.lines.append(String(line))
  }

  /// How long the mark of a list's item is: `- `, `* `, `12. `; 0 for none.
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
    case .heading, .answer: open?.body.append(line)
    case .cloze, nil: break
    }
  }

  /// A paragraph with clozes is a card of its own; any other is of the heading above it.
  private func endParagraph() {
    guard let ended = paragraph else { return }
    paragraph = nil
    let first = ended.lines[0]
    let lines = [String(first.dropFirst(Self.listMark(first[...])))] + ended.lines.dropFirst()
    if let text = MarkdownCloze.text(of: lines.joined(separator: "\n")) {
      cloze = Block(kind: .cloze, line: ended.line, prompt: [text])
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
    isFenced = false
    // A heading without a text of its own is the title of what follows.
    let isTitle = ended.kind == .heading && ended.body.allSatisfy { $0.allSatisfy(\.isWhitespace) }
    if !isTitle || !ended.facts.guid.isEmpty { finished.append(ended) }
  }

  private func fill(_ row: inout CardRow, _ block: Block) {
    row.clear(line: block.line)
    row.guid.append(contentsOf: block.facts.guid.utf8)
    row.tags = block.facts.tags
    row.subdeck = block.facts.subdeck
    if !block.facts.conflicts.isEmpty { row.addField(MergeConflict.name, .text(block.facts.conflicts)) }
    let prompt = block.prompt.joined(separator: "\n")
    if block.kind == .cloze {
      row.content = .note(type: StockNoteType.cloze.rawValue, [(name: nil, html: FieldHTML.html(ofPlain: prompt))])
      return
    }
    if block.kind == .question { row.refuse(.badRow, "A: expected after Q:") }
    row.prompt.append(contentsOf: prompt.utf8)
    row.answer.append(contentsOf: block.body.joined(separator: "\n").utf8)
  }
}
