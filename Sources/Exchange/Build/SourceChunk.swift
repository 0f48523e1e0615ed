// Splits a source into chunks that are parsed independently, so that an edit only requires few of them to be parsed
// again. Invariant: the chunks, parsed one after another, give the same result as the whole text; a text for which
// this is not certain is one chunk.

import Text

/// The parsed contents of a chunk; its lines are counted from its own first line.
struct SourceChunk {
  /// The number of line feeds.
  let lines: Int
  let entries: [SourceEntry]
  let problems: [SourceProblem]
  /// Whether an error ended the parsing, so that nothing after this chunk is read.
  let isBroken: Bool
  let table: (shape: TableShape, separator: UInt8)?

  init(_ bytes: [UInt8], of source: BuildSource, in folder: String, isInterrupted: @escaping () -> Bool) {
    let read = BuildRows(bytes, of: source, in: folder, isInterrupted: isInterrupted)
    let rows = read.rows.enumerated().map { SourceEntry($1.row.start, id: $1.facts.id, row: $1, order: $0) }
    let links = read.links.map { link in
      SourceEntry(link.start, id: String(decoding: link.guid, as: UTF8.self).trimmed, row: nil, order: rows.count)
    }
    lines = bytes.count { $0 == 0x0A }
    entries = (rows + links).sorted { ($0.line, $0.column ?? 0) < ($1.line, $1.column ?? 0) }
    problems =
      read.refused.compactMap { row in row.start.invalidReason.map { SourceProblem(row.start, $0.code, $0.message) } }
      + (read.failure.map { [SourceProblem($0)] } ?? [])
    isBroken = read.failure != nil
    table = read.table
  }

  // MARK: Boundaries

  /// On average, one heading in this number begins a chunk.
  private static let share: UInt32 = 32

  /// Returns the chunks of a text. In Markdown they begin at headings, because a heading ends whatever comes before
  /// it. Which headings these are depends only on their text, so that an edit does not move the other boundaries.
  static func ranges(of text: SourceText, _ source: BuildSource) -> [Range<Int>] {
    guard source.kind == .cards(.md) else { return [0..<text.bytes.count] }
    var ranges: [Range<Int>] = []
    var (begin, fence, isFenced) = (0, MarkdownFence(), false)
    for line in firstLine(behindFrontMatter: text)..<text.count + 1 {
      let (start, end) = (text.start(line), text.end(line))
      if isFenced || mayFence(text.bytes[start..<max(start, end)]) {
        let isCode = fence.holds(text.line(line))
        // The line that closes a fence is code, but the line after it is not.
        isFenced = isCode && fence.isOpen
        if isCode { continue }
      }
      guard start > begin, end > start, text.bytes[start] == UInt8(ascii: "#"),
        hash(text.bytes[start..<end]) % share == 0, case .heading = MarkdownLine(text.line(line))
      else { continue }
      ranges.append(begin..<start)
      begin = start
    }
    return ranges + [begin..<text.bytes.count]
  }

  /// Returns the first line after the front matter, which is enclosed by two rules at the beginning.
  private static func firstLine(behindFrontMatter text: SourceText) -> Int {
    // A UTF-8 byte order mark may come before it.
    let first = text.line(1).unicodeScalars.drop { $0 == "\u{FEFF}" }
    guard MarkdownLine(Substring(first)) == .rule else { return 1 }
    var line = 2
    while line <= text.count, text.line(line) != "...", MarkdownLine(text.line(line)) != .rule { line += 1 }
    return min(line + 1, text.count + 1)
  }

  private static func mayFence(_ line: ArraySlice<UInt8>) -> Bool {
    line.contains { $0 == UInt8(ascii: "`") || $0 == UInt8(ascii: "~") }
  }

  /// Hashes a line with FNV-1a.
  private static func hash(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
  }
}

extension SourceEntry {
  fileprivate init(_ start: RowStart, id: String, row: BuildRow?, order: Int) {
    self.init(line: start.line, column: start.column, id: id, row: row, order: order)
  }

  /// Returns the entry moved down by a number of lines and rows.
  func moved(by lines: Int, order rows: Int) -> SourceEntry {
    SourceEntry(line: line + lines, column: column, id: id, row: row, order: order + rows)
  }
}
