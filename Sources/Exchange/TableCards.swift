// Cards as a table of text (RFC 4180): columns separated by commas or tabs, quotes around what holds those or line
// ends.
// Invariant: a quote that is never closed is an error that names where it was opened; columns without a known name are
// kept.

import Decks
import Problems
import Text

final class TableCards: CardRows {
  private let source: ByteSource
  private let separator: UInt8
  /// The cells of the row being read, one after the other, and where each of them ends.
  private var cells: [UInt8] = []
  private var ends: [Int] = []
  /// The row as the file has it, to tell the column of a byte that is not UTF-8.
  private var raw: [UInt8] = []
  private var invalidReason: String?
  private var columns: [Column]?

  /// What a column means.
  private enum Column: Hashable {
    case prompt, answer, tags, guid, document, subdeck
    case field(String)

    init(header: String) {
      switch header.lowercased() {
      case "prompt": self = .prompt
      case "answer": self = .answer
      case "tags": self = .tags
      case "guid": self = .guid
      case "document": self = .document
      case "subdeck": self = .subdeck
      default: self = .field(header)
      }
    }
  }

  init(_ source: ByteSource, separator: UInt8) {
    self.source = source
    self.separator = separator
  }

  func next(into row: inout CardRow) throws -> Bool {
    guard var line = try readRow() else { return false }
    if columns == nil {
      let header = header()
      columns = header ?? [.prompt, .answer, .tags]
      if header != nil {
        guard let following = try readRow() else { return false }
        line = following
      }
    }
    row.clear(line: line)
    fill(&row)
    return true
  }

  // MARK: Meaning

  /// The columns, when the row that has been read names at least a prompt and an answer. Of two columns with the same
  /// meaning the first has it.
  private func header() -> [Column]? {
    var seen: Set<Column> = []
    var columns: [Column] = []
    for index in ends.indices {
      let name = String(decoding: cell(index), as: UTF8.self)
      let trimmed = Tags.separated(name).joined(separator: " ")
      var column = Column(header: trimmed)
      if trimmed.isEmpty { column = .field("column\(index + 1)") }
      if !seen.insert(column).inserted { column = freeName(trimmed, index, &seen) }
      columns.append(column)
    }
    return seen.contains(.prompt) && seen.contains(.answer) ? columns : nil
  }

  private func freeName(_ name: String, _ index: Int, _ seen: inout Set<Column>) -> Column {
    var column = Column.field(name)
    if CardField.reservedNames.contains(name) || !seen.insert(column).inserted { column = .field("column\(index + 1)") }
    seen.insert(column)
    return column
  }

  private func fill(_ row: inout CardRow) {
    if let invalidReason { row.refuse(.badRow, invalidReason) }
    if let byte = raw.withUnsafeBufferPointer({ firstInvalidByte($0) }), raw[byte] != 0 {
      row.refuse(
        .badText, "not UTF-8 at column \(column(of: byte)); if the file is in latin-1, give --encoding latin-1")
    }
    for index in ends.indices {
      let bytes = cell(index)
      switch columns.flatMap({ index < $0.count ? $0[index] : nil }) ?? .field("column\(index + 1)") {
      case .prompt: row.prompt = Array(bytes)
      case .answer: row.answer = Array(bytes)
      case .guid: row.guid = Array(bytes)
      case .tags: row.tags = bytes.isEmpty ? [] : Tags.separated(String(decoding: bytes, as: UTF8.self))
      case .document: row.document = bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
      case .subdeck: row.subdeck = String(decoding: bytes, as: UTF8.self)
      case .field(let name):
        if !bytes.isEmpty { row.addField(name, .text(String(decoding: bytes, as: UTF8.self))) }
      }
    }
  }

  private func cell(_ index: Int) -> ArraySlice<UInt8> { cells[(index == 0 ? 0 : ends[index - 1])..<ends[index]] }

  /// The column, in characters from 1, of a byte of the raw row in its line.
  private func column(of byte: Int) -> Int {
    let line = raw[..<byte].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    return 1 + raw[line..<byte].count { $0 & 0xC0 != 0x80 }
  }

  // MARK: Reading

  /// Reads the cells of the next row that is not blank. Returns the line it begins at, nil at the end of the file.
  private func readRow() throws -> Int? {
    while let byte = try source.peek(), byte == 0x0A || byte == 0x0D { source.skip() }
    guard try source.peek() != nil else { return nil }
    let line = source.line
    cells.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    raw.removeAll(keepingCapacity: true)
    invalidReason = nil
    repeat {
      try readCell()
      ends.append(cells.count)
    } while try endsWithSeparator()
    return line
  }

  /// Takes the separator or the line's end after a cell.
  private func endsWithSeparator() throws -> Bool {
    guard let byte = try source.peek() else { return false }
    take(byte)
    if byte == 0x0D, try source.peek() == 0x0A { take(0x0A) }
    return byte == separator
  }

  private func readCell() throws {
    if try source.peek() == UInt8(ascii: "\"") { try readQuoted() }
    while let byte = try source.peek(), byte != separator, byte != 0x0A, byte != 0x0D {
      take(byte)
      cells.append(byte)
      if raw.count > rowLimit { throw tooLong }
    }
  }

  /// What stands in quotes; two of them stand for one. What follows the closing one up to the separator is
  /// refused.
  private func readQuoted() throws {
    let (line, column) = (source.line, source.column)
    take(UInt8(ascii: "\""))
    while let byte = try source.peek() {
      take(byte)
      if raw.count > rowLimit { throw tooLong }
      guard byte == UInt8(ascii: "\"") else {
        cells.append(byte)
        continue
      }
      guard let after = try source.peek() else { return }
      if after == byte {
        take(byte)
        cells.append(byte)
        continue
      }
      if after != separator, after != 0x0A, after != 0x0D {
        invalidReason =
          invalidReason ?? "a separator or the line's end expected after the closing quote at column \(source.column)"
      }
      return
    }
    throw ExchangeError.badFile(
      path: source.path, line: line, column: column, expected: "a closing quote for this one expected, the file ends")
  }

  private func take(_ byte: UInt8) {
    source.skip()
    raw.append(byte)
  }

  private var tooLong: ExchangeError {
    .tooLarge(
      path: source.path, line: source.line, what: "one row has more than 1,000,000 bytes; perhaps a quote is not closed"
    )
  }
}
