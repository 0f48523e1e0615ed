// A source in pieces that are read each by itself, so that after an edit only few of them are read again.
// Invariant: the pieces, read one after the other, give what the whole text gives; a text of which that is not known is
// one piece.

import Text

/// What a piece of a source says; its lines are counted from its own first.
struct SourceChunk {
  /// How many line feeds it has.
  let lines: Int
  let entries: [SourceEntry]
  let problems: [SourceProblem]
  /// Whether nothing behind it is read.
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

  // MARK: Where pieces begin

  /// One of so many headings begins a piece.
  private static let share: UInt32 = 32

  /// The pieces of a text. Of Markdown they begin at headings, which end whatever is before them; which headings these
  /// are depends on nothing but their words, so that an edit moves no others.
  static func ranges(of text: SourceText, _ source: BuildSource) -> [Range<Int>] {
    guard source.kind == .cards(.md) else { return [0..<text.bytes.count] }
    var ranges: [Range<Int>] = []
    var (begin, fence, isFenced) = (0, MarkdownFence(), false)
    for line in firstLine(behindFrontMatter: text)..<text.count + 1 {
      let (start, end) = (text.start(line), text.end(line))
      if isFenced || mayFence(text.bytes[start..<max(start, end)]) {
        let isCode = fence.holds(text.line(line))
        // Behind the line that closes it an empty one is no code.
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

  /// The front matter is between two rules at the beginning.
  private static func firstLine(behindFrontMatter text: SourceText) -> Int {
    // A mark of UTF-8 may be before it.
    let first = text.line(1).unicodeScalars.drop { $0 == "\u{FEFF}" }
    guard MarkdownLine(Substring(first)) == .rule else { return 1 }
    var line = 2
    while line <= text.count, text.line(line) != "...", MarkdownLine(text.line(line)) != .rule { line += 1 }
    return min(line + 1, text.count + 1)
  }

  private static func mayFence(_ line: ArraySlice<UInt8>) -> Bool {
    line.contains { $0 == UInt8(ascii: "`") || $0 == UInt8(ascii: "~") }
  }

  /// FNV-1a.
  private static func hash(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
  }
}

extension SourceEntry {
  fileprivate init(_ start: RowStart, id: String, row: BuildRow?, order: Int) {
    self.init(line: start.line, column: start.column, id: id, row: row, order: order)
  }

  /// The entry so many lines and rows further down.
  func moved(by lines: Int, order rows: Int) -> SourceEntry {
    SourceEntry(line: line + lines, column: column, id: id, row: row, order: order + rows)
  }
}
