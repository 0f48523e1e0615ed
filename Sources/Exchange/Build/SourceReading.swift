// The current text of a source, saved or not, and what a build would make of it, by line.
// Invariant: rows and error messages are those of a build, because the same reader produces them.

import Decks
import Problems
import Templates
import Text

/// A row of a source, for tools that work on the source rather than on the cards.
package struct SourceEntry {
  /// The start of the row; the column counts characters from 1.
  package let line: Int
  package let column: Int?
  /// The id in the source; empty when there is none. For a further card of a note, the id of the note.
  package let id: String
  /// The parsed row; nil for a further card of a note.
  let row: BuildRow?
  /// The index among the rows in the order in which a build reads them; rows are matched by it.
  let order: Int

  /// Whether this is a further card of a note that has a row of its own.
  package var isLink: Bool { row == nil }

  package var tags: [String] { row?.row.tags ?? [] }

  /// The name of the deck within the built one.
  package var subdeck: String { row?.row.subdeck ?? "" }
}

/// An error in a source, with the message of a build.
package struct SourceProblem: Equatable {
  package let line: Int
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
  /// The rows, by position.
  package let entries: [SourceEntry]
  /// Errors that end the reading, and rows that cannot be read as a card.
  package let problems: [SourceProblem]
  let source: BuildSource
  let table: (shape: TableShape, separator: UInt8)?

  private let chunks: [[UInt8]: SourceChunk]

  /// - Parameter before: the reading before an edit; chunks that still exist are not parsed again.
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

  /// Returns the lines of an entry.
  package func lines(of index: Int) -> Range<Int> {
    let start = entries[index].line
    var next = index + 1 < entries.count ? entries[index + 1].line : text.count + 1
    if source.kind == .cards(.md), let row = entries[index].row?.row.start {
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
  /// Returns the problem moved down by a number of lines.
  fileprivate func moved(by lines: Int) -> SourceProblem {
    SourceProblem(line: line + lines, column: column, code: code, message: message)
  }

  init(_ start: RowStart, _ code: ProblemCode, _ message: String) {
    self.init(line: start.line, column: start.column, code: code.rawValue, message: message)
  }

  /// Describes an error that ended the reading of a file, or kept it from being read.
  package init(_ error: any Error) {
    let report = (error as? any Problem)?.report
    let code = report?.code.rawValue ?? ProblemCode.Failure.badFile.text
    if let place = (error as? ExchangeError)?.place {
      self.init(line: place.line, column: place.column, code: code, message: place.words)
    } else if case .badDescription(_, let line, let column, _)? = error as? BuildError {
      self.init(line: line ?? 1, column: column, code: code, message: (error as? BuildError)?.words ?? "")
    } else {
      self.init(line: 1, column: nil, code: code, message: report?.message ?? "\(error)")
    }
  }

  /// Returns the problem of an id that another row also has.
  package static func sameID(_ entry: SourceEntry, in path: String, other: String) -> SourceProblem {
    let error = BuildError.sameID(path: path, line: entry.line, id: entry.id, other: other)
    return SourceProblem(line: entry.line, column: entry.column, code: error.report.code.rawValue, message: error.words)
  }
}
