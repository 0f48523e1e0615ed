// A source as its text is now, saved or not: what a build would make of it, by line.
// Invariant: the rows and the words for what is wrong are those of a build: the same reader gives them.

import Decks
package import Files
import Problems
import Templates
import Text

/// A row of a source, for who looks at the source rather than at the cards.
package struct SourceEntry {
  /// Where it begins; a column counts characters from 1.
  package let line: Int
  package let column: Int?
  /// The id that the source gives it; empty for none. Of a card of a note the note's.
  package let id: String
  /// What it makes; nil for another card of a note.
  let row: BuildRow?
  /// Its place among the rows as a build reads them, by which they are recognised.
  let order: Int

  /// Whether it is another card of a note that has a row of its own.
  package var isLink: Bool { row == nil }

  package var tags: [String] { row?.row.tags ?? [] }

  /// The deck within the built one.
  package var subdeck: String { row?.row.subdeck ?? "" }
}

/// What is wrong with a source, in the words that a build has for it.
package struct SourceProblem: Equatable {
  package let line: Int
  package let column: Int?
  package let code: String
  package let message: String
}

/// What a source says.
///
///     let reading = SourceReading(text, of: source, in: "es", isInterrupted: environment.isInterrupted)
///     reading.problems   // animals.md:3: the answer is empty
package struct SourceReading {
  package let path: String
  package let text: SourceText
  /// By their places.
  package let entries: [SourceEntry]
  /// What breaks it, and rows that say nothing that could be a card.
  package let problems: [SourceProblem]
  let source: BuildSource
  let table: (shape: TableShape, separator: UInt8)?

  /// The pieces that it was read in.
  private let chunks: [[UInt8]: SourceChunk]

  /// - Parameter before: what the source said before an edit: pieces that are still there are not read again.
  package init(
    _ bytes: [UInt8], of source: BuildSource, in folder: String, reusing before: SourceReading? = nil,
    isInterrupted: @escaping () -> Bool
  ) {
    let text = SourceText(bytes)
    var (entries, problems, lines): ([SourceEntry], [SourceProblem], Int) = ([], [], 0)
    var table: (shape: TableShape, separator: UInt8)?
    var chunks: [[UInt8]: SourceChunk] = [:]
    for range in SourceChunk.ranges(of: text, source) {
      let piece = Array(bytes[range])
      let chunk =
        chunks[piece] ?? before?.chunks[piece]
        ?? SourceChunk(piece, of: source, in: folder, isInterrupted: isInterrupted)
      chunks[piece] = chunk
      let rows = entries.count
      entries += chunk.entries.map { $0.moved(by: lines, order: rows) }
      problems += chunk.problems.map { $0.moved(by: lines) }
      table = chunk.table
      lines += chunk.lines
      if chunk.isBroken { break }
    }
    (self.source, path, self.text) = (source, source.path, text)
    (self.entries, self.problems, self.table, self.chunks) = (entries, problems, table, chunks)
  }

  /// The lines of an entry.
  package func lines(of index: Int) -> Range<Int> {
    let start = entries[index].line
    var next = index + 1 < entries.count ? entries[index + 1].line : text.count + 1
    if next <= start { next = start + 1 }
    guard source.kind == .cards(.md) else { return text.withoutBlanks(start..<next) }
    return text.withoutBlanks(start..<MarkdownCardLines.end(from: start, before: next, line: text.line))
  }

  /// The entry that has an offset; nil between entries.
  package func entry(at offset: Int) -> Int? {
    let line = text.line(at: offset)
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      let entry = entries[middle]
      let isBehind = (entry.line, entry.column.map { text.offset(line: line, column: $0) } ?? 0) > (line, offset)
      if isBehind { high = middle } else { low = middle + 1 }
    }
    return low > 0 && lines(of: low - 1).contains(line) ? low - 1 : nil
  }
}

extension SourceProblem {
  /// The problem so many lines further down.
  fileprivate func moved(by lines: Int) -> SourceProblem {
    SourceProblem(line: line + lines, column: column, code: code, message: message)
  }

  init(_ start: RowStart, _ code: ProblemCode, _ message: String) {
    self.init(line: start.line, column: start.column, code: code.rawValue, message: message)
  }

  /// What broke a file.
  init(_ error: any Error) {
    let report = (error as? any Problem)?.report
    let code = report?.code.rawValue ?? ProblemCode.Failure.badFile.rawValue
    if let place = (error as? ExchangeError)?.place {
      self.init(line: place.line, column: place.column, code: code, message: place.words)
    } else if case .badDescription(_, let line, let column, _)? = error as? BuildError {
      self.init(line: line ?? 1, column: column, code: code, message: (error as? BuildError)?.words ?? "")
    } else {
      self.init(line: 1, column: nil, code: code, message: report?.message ?? "\(error)")
    }
  }

  /// An id that another row has, too.
  package static func sameID(_ entry: SourceEntry, in path: String, other: String) -> SourceProblem {
    let error = BuildError.sameID(path: path, line: entry.line, id: entry.id, other: other)
    return SourceProblem(line: entry.line, column: entry.column, code: error.report.code.rawValue, message: error.words)
  }

  /// What is wrong with a `deck.json`.
  package init(of error: BuildError) { self.init(error) }

  /// A source that cannot be read.
  package init(ofFile error: FileError) { self.init(error) }
}
