// The current text of a source, saved or not, and what a build would make of it, by line.
// Invariant: rows and error messages are those of a build, because the same reader produces them; a row is refused
// exactly when a build refuses it, because it is written to an in-memory collection with the user's note types and
// rolled back. The chunks of a text, parsed one after another, give the same result as the whole text.

import Decks
import Problems
package import Storage
package import Templates
import Text

/// A row of a source, for tools that work on the source rather than on the cards.
package struct SourceEntry {
  /// The start of the row; the column counts characters from 1.
  package fileprivate(set) var line: Int
  package let column: Int?
  /// The id in the source; empty when there is none. For a further card of a note, the id of the note.
  package let id: String
  /// The parsed row, and what a build would store of it; nil for a further card of a note.
  let row: CardRow?
  let built: BuiltRow?
  /// The index among the rows in the order in which a build reads them; rows are matched by it.
  fileprivate(set) var order: Int

  /// Whether this is a further card of a note that has a row of its own.
  package var isLink: Bool { row == nil }

  package var tags: [String] { row?.tags ?? [] }

  package var subdeck: String { row?.subdeck ?? "" }
}

package struct SourceProblem: Equatable {
  package fileprivate(set) var line: Int
  package let column: Int?
  package let code: String
  package let message: String
}

/// The parsed contents of a source.
///
///     let reading = SourceReading(text, of: source, in: "es", isInterrupted: environment.isInterrupted)
///     reading.problems   // animals.md:3: the answer is empty
package struct SourceReading {
  package let path: String
  package let text: SourceText
  package let entries: [SourceEntry]
  /// Errors that end the reading, and rows that cannot be read as a card.
  package let problems: [SourceProblem]
  let source: BuildSource
  let table: (shape: ListShape, separator: UInt8)?
  /// Whether an error ended the reading.
  let isBroken: Bool

  private let chunks: [[UInt8]: SourceChunk]

  /// - Parameter before: the reading before an edit; chunks that still exist are not parsed again.
  package init(
    _ bytes: [UInt8], of source: BuildSource, in folder: String, reusing before: SourceReading? = nil,
    isInterrupted: @escaping () -> Bool
  ) {
    let text = SourceText(bytes)
    var (entries, problems, lines): ([SourceEntry], [SourceProblem], Int) = ([], [], 0)
    var table: (shape: ListShape, separator: UInt8)?
    var (chunks, isBroken): ([[UInt8]: SourceChunk], Bool) = ([:], false)
    for range in SourceChunk.ranges(of: text, source) {
      let piece = Array(bytes[range])
      let chunk =
        chunks[piece] ?? before?.chunks[piece]
        ?? SourceChunk(piece, of: source, in: folder, isInterrupted: isInterrupted)
      chunks[piece] = chunk
      let (rows, faults) = (entries.count, problems.count)
      entries += chunk.entries
      for place in rows..<entries.count {
        entries[place].line += lines
        entries[place].order += rows
      }
      problems += chunk.problems
      for place in faults..<problems.count { problems[place].line += lines }
      table = chunk.table
      lines += chunk.lines
      isBroken = chunk.isBroken
      if isBroken { break }
    }
    (self.source, path, self.text, self.isBroken) = (source, source.path, text, isBroken)
    (self.entries, self.problems, self.table, self.chunks) = (entries, problems, table, chunks)
  }

  package func lines(of index: Int) -> Range<Int> {
    let start = entries[index].line
    var next = index + 1 < entries.count ? entries[index + 1].line : text.count + 1
    if source.kind == .cards(.md), let row = entries[index].row?.start {
      next = min(next, start + row.lastLine - row.line + 1)
    }
    return text.withoutBlanks(start..<max(next, start + 1))
  }

  /// Returns the entry at an offset; nil between entries.
  package func entry(at offset: Int) -> Int? {
    let line = text.line(at: offset)
    let low = entries.indices.bisected { place -> Bool in
      let entry = entries[place]
      return (entry.line, entry.column.map { text.offset(line: line, column: $0) } ?? 0) <= (line, offset)
    }
    return low > 0 && lines(of: low - 1).contains(line) ? low - 1 : nil
  }
}

extension SourceProblem {
  init(_ start: RowStart, _ code: ProblemCode, _ message: String) {
    self.init(line: start.line, column: start.column, code: code.rawValue, message: message)
  }

  /// Describes an error that ended the reading of a file, or kept it from being read.
  package init(_ error: any Error) {
    let report = (error as? any Problem)?.report
    let code = report?.code.rawValue ?? ProblemCode.Failure.badFile.text
    if let place = (error as? ExchangeError)?.place {
      self.init(line: place.line, column: place.column, code: code, message: place.words)
    } else if let error = error as? BuildError, case .badDescription(_, let line, let column, _) = error {
      self.init(line: line ?? 1, column: column, code: code, message: error.words)
    } else {
      self.init(line: 1, column: nil, code: code, message: report?.message ?? "\(error)")
    }
  }

  package static func sameID(_ entry: SourceEntry, in path: String, other: String) -> SourceProblem {
    let error = BuildError.sameID(path: path, line: entry.line, id: entry.id, other: other)
    return SourceProblem(line: entry.line, column: entry.column, code: error.report.code.rawValue, message: error.words)
  }
}

package struct SourceText {
  package let bytes: [UInt8]
  private let starts: [Int]

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var starts = [0]
    bytes.withUnsafeBufferPointer { bytes in
      for place in bytes.indices where bytes[place] == 0x0A { starts.append(place + 1) }
    }
    self.starts = starts
  }

  package var count: Int { starts.count }

  /// Returns the offset of a line; the end of the text for the line after the last one.
  package func start(_ line: Int) -> Int { line <= starts.count ? starts[max(0, line - 1)] : bytes.count }

  /// Returns the offset at which a line ends, without its line end.
  package func end(_ line: Int) -> Int {
    var end = line < starts.count ? starts[line] - 1 : bytes.count
    if end > start(line), bytes[end - 1] == 0x0D { end -= 1 }
    return end
  }

  package func line(_ number: Int) -> Substring {
    String(decoding: bytes[start(number)..<max(start(number), end(number))], as: UTF8.self)[...]
  }

  package func line(at offset: Int) -> Int {
    (1..<max(1, starts.count)).bisected { starts[$0] <= offset }
  }

  /// Returns the offset of a character in a line, counted from 1.
  package func offset(line: Int, column: Int) -> Int {
    var (place, left) = (start(line), column)
    let end = end(line)
    while place < end {
      if bytes[place] & 0xC0 != 0x80 { left -= 1 }
      if left <= 0 { break }
      place += 1
    }
    return place
  }

  func withoutBlanks(_ lines: Range<Int>) -> Range<Int> {
    var end = lines.upperBound
    while end - 1 > lines.lowerBound, bytes[start(end - 1)..<self.end(end - 1)].allSatisfy({ $0 == 0x20 || $0 == 0x09 })
    { end -= 1 }
    return lines.lowerBound..<end
  }
}

/// The parsed contents of a chunk; its lines are counted from its own first line.
struct SourceChunk {
  let lines: Int
  let entries: [SourceEntry]
  let problems: [SourceProblem]
  /// Whether an error ended the parsing, so that nothing after this chunk is read.
  let isBroken: Bool
  let table: (shape: ListShape, separator: UInt8)?

  init(_ bytes: [UInt8], of source: BuildSource, in folder: String, isInterrupted: @escaping () -> Bool) {
    let read = BuildRows(bytes, of: source, in: folder, isInterrupted: isInterrupted)
    let rows = read.rows.enumerated().map { SourceEntry($1, isLink: false, order: $0) }
    let links = read.links.map { SourceEntry($0, isLink: true, order: rows.count) }
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

  private static func hash(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
  }
}

extension SourceEntry {
  fileprivate init(_ row: CardRow, isLink: Bool, order: Int) {
    self.init(
      line: row.start.line, column: row.start.column, id: String(decoding: row.guid, as: UTF8.self).trimmed,
      row: isLink ? nil : row, built: isLink ? nil : BuiltRow(row), order: order)
  }
}

package final class SourceRules {
  private struct Key: Hashable {
    let whole: Int64
    let id: String

    init(_ entry: SourceEntry) { (whole, id) = (entry.built?.whole ?? 0, entry.id) }
  }

  private static let mostKnown = 500_000

  package let types: [NoteType]
  private let store: Store
  private var deck: DeckRecord?
  private var known: [Key: RowRefusal?] = [:]

  package init(_ types: [NoteType], _ schema: Schema, isInterrupted: @escaping @Sendable () -> Bool) {
    self.types = types
    store = Store(path: nil, schema: schema, isInterrupted: isInterrupted)
  }

  package func problems(of reading: SourceReading) throws -> [SourceProblem] {
    if known.count > Self.mostKnown { known = [:] }
    let fresh = reading.entries.filter { !$0.isLink && known[Key($0)] == nil }
    if !fresh.isEmpty { try check(fresh) }
    return reading.entries.compactMap { entry in
      guard !entry.isLink, let refusal = known[Key(entry)] ?? nil else { return nil }
      return SourceProblem(
        line: entry.line, column: entry.column, code: refusal.code.rawValue, message: refusal.message)
    }
  }

  private func check(_ entries: [SourceEntry]) throws {
    try store.operation("checking") { db in
      let deck = try self.deck ?? makeDeck(db)
      self.deck = deck
      let places = try ImportPlaces(db, deck, isNew: false, now: 0, random: { 1 })
      places.onDuplicate = .update
      for entry in entries { known[Key(entry)] = try entry.row.map { try places.refusal(of: $0) } }
    }
  }

  private func makeDeck(_ db: Database) throws -> DeckRecord {
    for type in types where try NoteTypeTable.named(db, type.name) == nil {
      _ = try NoteTypeTable.create(db, type.draft, now: 0, isFromFile: true)
    }
    return try DeckTable.create(db, name: "sources", now: 0)
  }

  deinit {
    do { try store.close() } catch {
      // Nothing is lost, because the store is in memory.
    }
  }
}
