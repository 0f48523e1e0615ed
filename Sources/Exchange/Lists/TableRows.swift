// The rows of cells that every reader of lists gives, and those of a table of text (RFC 4180): cells between
// separators, quoted if they contain separators or line ends.
// Invariant: a quote that is never closed is an error that names where it was opened; memory is one row, which is
// bounded.

import Text

/// The separators between the cells of a table.
///
///     Separator.byte(named: "semicolon")   // UInt8(ascii: ";")
public enum Separator {
  private static let names: [(name: String, byte: UInt8)] = [
    ("comma", UInt8(ascii: ",")), ("semicolon", UInt8(ascii: ";")), ("tab", UInt8(ascii: "\t")),
    ("space", UInt8(ascii: " ")), ("pipe", UInt8(ascii: "|")), ("colon", UInt8(ascii: ":")),
  ]

  /// Returns the separator for a name or an ASCII character.
  /// - Throws: `badSeparator` for what cannot separate cells: a quote, a line end, a letter, a digit.
  public static func byte(named name: String) throws(ExchangeError) -> UInt8 {
    if let known = names.first(where: { $0.name == name.lowercased() }) { return known.byte }
    guard name.utf8.count == 1, let byte = name.utf8.first, (0x20..<0x7F).contains(byte) || byte == 0x09,
      byte != UInt8(ascii: "\""), !Character(Unicode.Scalar(byte)).isLetter, !Character(Unicode.Scalar(byte)).isNumber
    else { throw .badSeparator(given: name) }
    return byte
  }

  public static func name(of byte: UInt8) -> String {
    names.first { $0.byte == byte }?.name ?? String(Character(Unicode.Scalar(byte)))
  }

  /// Returns the separator that splits most of the first lines into equally many cells; `first` wins a tie.
  static func found(in start: ArraySlice<UInt8>, first: UInt8) -> UInt8 {
    let candidates = [first] + [",", "\t", ";", "|"].map { UInt8(ascii: $0) }.filter { $0 != first }
    var best = (byte: first, share: 0.0)
    for candidate in candidates {
      let share = evenness(of: start, cutBy: candidate)
      if share > best.share { best = (candidate, share) }
    }
    return best.byte
  }

  /// Returns the share of the first 50 lines that have as many cells as the first line; 0 when that has one cell.
  static func evenness(of start: ArraySlice<UInt8>, cutBy separator: UInt8) -> Double {
    var counts: [Int] = []
    var cells = 1
    var isQuoted = false
    // A doubled quote within quotes is one quote.
    var hasClosed = false
    var isAtStart = true
    for byte in start {
      if byte == UInt8(ascii: "\""), isQuoted || isAtStart || hasClosed {
        isQuoted.toggle()
        (hasClosed, isAtStart) = (!isQuoted, false)
        continue
      }
      hasClosed = false
      if isQuoted { continue }
      let endsLine = byte == 0x0A || byte == 0x0D
      if endsLine {
        // A blank line does not count.
        if !isAtStart || cells > 1 { counts.append(cells) }
        if counts.count == 50 { break }
        cells = 1
      } else if byte == separator {
        cells += 1
      }
      isAtStart = endsLine || byte == separator
    }
    if counts.isEmpty { counts = [cells] }
    guard counts[0] > 1 else { return 0 }
    return Double(counts.count { $0 == counts[0] }) / Double(counts.count)
  }
}

/// The rows of a list, each with its cells; what they are is decided by `ListShape`.
class ListRows {
  let source: ByteSource
  /// The cells of the current row, concatenated, and the end of each.
  fileprivate(set) var cells: [UInt8] = []
  fileprivate var ends: [Int] = []
  final var invalidReason: String?
  fileprivate(set) var lastLine = 0
  /// The names of the columns, where the source always has names.
  var names: [String]? { nil }
  /// Whether the cells are HTML.
  var isHTML: Bool { false }
  /// Pictures and sounds that the row names, with their paths relative to the file.
  var media: [(name: String, path: String)] = []

  init(_ source: ByteSource) { self.source = source }

  final var count: Int { ends.count }

  /// A cell of the row, counted from 0.
  final subscript(index: Int) -> ArraySlice<UInt8> { cells[(index == 0 ? 0 : ends[index - 1])..<ends[index]] }

  final func text(_ index: Int) -> String { String(decoding: self[index], as: UTF8.self) }

  /// Reads the next row.
  /// - Returns: the line at which the row begins, or the number of its element; nil at the end of the file.
  func next() throws -> Int? { nil }

  /// Returns why the row is not valid text.
  func invalidText() -> String? { nil }

  /// Where the row begins: a line, and a column in formats with several elements a line.
  func place(of line: Int) -> (line: Int, column: Int?) { (line, nil) }

  final func set(_ texts: some Sequence<String>, lastLine: Int) {
    cells.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    for text in texts {
      cells.append(contentsOf: text.utf8)
      ends.append(cells.count)
    }
    self.lastLine = lastLine
  }
}

final class TableRows: ListRows {
  let separator: UInt8
  private let hasComments: Bool
  /// Whether a row began on the line where another one ended, because lines are counted by line feeds.
  private(set) var haveSharedLine = false
  private var rowStart = 0

  init(_ source: ByteSource, separator: UInt8, hasComments: Bool = false) {
    (self.separator, self.hasComments) = (separator, hasComments)
    super.init(source)
  }

  /// Whether the row is `sep=` and the separator, which may be the first line of a file for Excel.
  var namesSeparator: Bool { count == 2 && self[0].elementsEqual("sep=".utf8) && self[1].isEmpty }

  /// Reads the next row that is not blank.
  /// - Returns: the line at which the row begins; nil at the end of the file.
  override func next() throws -> Int? {
    while let byte = try source.peek() {
      if byte == 0x0A || byte == 0x0D {
        source.skip()
      } else if hasComments, byte == UInt8(ascii: "#") {
        source.account.leave(source.line...source.line, .comment)
        try skipLine()
      } else {
        let line = try readRow()
        if !isBlank { return line }
      }
    }
    return nil
  }

  private var isBlank: Bool { count == 1 && !cells.isEmpty && source.kept.allSatisfy(isASCIISpace) }

  /// Returns why the row is not valid text: the column of the first byte that is not UTF-8. NUL is left to the caller.
  override func invalidText() -> String? {
    guard let byte = cells.withUnsafeBufferPointer({ firstInvalidByte($0) }), cells[byte] != 0 else { return nil }
    let raw = source.kept
    guard let place = raw.withUnsafeBufferPointer({ bytes in (0..<bytes.count).first { Self.isBroken(bytes, $0) } })
    else { return "not UTF-8" }
    let line = raw[..<place].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let column = 1 + raw[line..<place].count { $0 & 0xC0 != 0x80 }
    return "not UTF-8 at column \(column); if the file is in latin-1, give --encoding latin-1"
  }

  /// Whether the bytes at `place` are the beginning of an invalid sequence. NUL is not counted.
  private static func isBroken(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
    guard bytes[place] >= 0x80, place == 0 || bytes[place - 1] < 0x80 || bytes[place] & 0xC0 != 0x80 else {
      return false
    }
    return firstInvalidByte(UnsafeBufferPointer(rebasing: bytes[place...])) == 0
  }

  private func skipLine() throws {
    var rest: [UInt8] = []
    while let byte = try source.peek(), byte != 0x0A, byte != 0x0D {
      source.take(into: &rest) { $0 == 0x0A || $0 == 0x0D }
      rest.removeAll(keepingCapacity: true)
    }
  }

  private func readRow() throws -> Int {
    let line = source.line
    if line == lastLine { haveSharedLine = true }
    cells.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    invalidReason = nil
    rowStart = source.taken
    source.record()
    repeat {
      try readCell()
      ends.append(cells.count)
    } while try endsWithSeparator()
    return line
  }

  /// Skips the separator or the line end after a cell, and returns whether it was a separator.
  private func endsWithSeparator() throws -> Bool {
    lastLine = source.line
    guard let byte = try source.peek() else { return false }
    source.skip()
    if byte == 0x0D, try source.peek() == 0x0A { source.skip() }
    return byte == separator
  }

  private func readCell() throws {
    if try source.peek() == UInt8(ascii: "\""), !isPlainQuote { try readQuoted() }
    let separator = separator
    while let byte = try source.peek(), byte != separator, byte != 0x0A, byte != 0x0D {
      source.take(into: &cells) { $0 == separator || $0 == 0x0A || $0 == 0x0D }
      try checkLength()
    }
  }

  /// Whether the quote at the beginning of a cell is text: between tabs, which texts rarely contain, many programs know
  /// no quoted cells, and there its closing quote is followed by text.
  private var isPlainQuote: Bool {
    let (rest, quote) = (source.buffered, UInt8(ascii: "\""))
    guard separator == 0x09 else { return false }
    var place = rest.startIndex + 1
    while let closing = rest[place...].firstIndex(of: quote), closing + 1 < rest.endIndex {
      let after = rest[closing + 1]
      if after != quote { return ![0x09, 0x0A, 0x0D].contains(after) }
      place = closing + 2
    }
    return false
  }

  /// Reads a quoted cell, in which a doubled quote is one quote. Text between the closing quote and the separator
  /// makes the row invalid.
  private func readQuoted() throws {
    let (line, column) = (source.line, source.column)
    source.skip()
    while let byte = try source.peek() {
      try checkLength()
      guard byte == UInt8(ascii: "\"") else {
        if byte == 0x0A {
          source.skip()
          cells.append(byte)
        } else {
          source.take(into: &cells) { $0 == UInt8(ascii: "\"") || $0 == 0x0A }
        }
        continue
      }
      source.skip()
      guard let after = try source.peek() else { return }
      if after == byte {
        source.skip()
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

  private func checkLength() throws {
    if source.taken - rowStart > rowLimit { throw source.tooLong("; perhaps a quote is not closed") }
  }
}
