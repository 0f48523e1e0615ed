// Rows in memory, stored in the form in which SQLite binds them. Invariant: a buffer is a value, so its holder owns it
// and two threads never share one; it uses memory only for its rows, and memory for a long text is released.

import CSQLite

public struct RowBuffer: Sendable {
  /// The buffer is full once its texts reach this many bytes.
  private static let fullTexts = 1 << 16

  private struct Cell {
    enum Kind: UInt8 { case null, integer, number, text }

    var kind = Kind.null
    /// The length of a text in bytes.
    var count: Int32 = 0
    /// The integer, the bits of the number, or the offset of the text.
    var value: Int64 = 0
  }

  private let columns: Int
  private let rows: Int
  private var cells: [Cell]
  private var texts: [UInt8] = []
  public private(set) var count = 0

  init(rows: Int, columns: Int) {
    (self.rows, self.columns) = (rows, columns)
    cells = Array(repeating: Cell(), count: rows * columns)
    texts.reserveCapacity(RowBuffer.fullTexts)
  }

  var isFull: Bool { count == rows || texts.count >= RowBuffer.fullTexts }

  /// Rows beyond the capacity are dropped: a caller that continues after a failed write has lost the batch anyway.
  mutating func endRow() { count = min(rows, count + 1) }

  mutating func forget() {
    count = 0
    texts.removeAll(keepingCapacity: texts.capacity <= 4 * RowBuffer.fullTexts)
  }

  private mutating func set(_ column: Int, _ row: Int, _ cell: Cell) {
    if row < rows, column < columns { cells[row * columns + column] = cell }
  }

  public mutating func put(_ column: Int, _ value: Int64, row: Int) {
    set(column, row, Cell(kind: .integer, value: value))
  }

  mutating func put(_ column: Int, _ value: Double?, row: Int) {
    guard let value else { return putNull(column, row: row) }
    set(column, row, Cell(kind: .number, value: Int64(bitPattern: value.bitPattern)))
  }

  mutating func putNull(_ column: Int, row: Int) { set(column, row, Cell()) }

  public mutating func put(_ column: Int, text: UnsafeBufferPointer<UInt8>, row: Int) {
    set(column, row, Cell(kind: .text, count: Int32(clamping: text.count), value: Int64(texts.count)))
    texts.append(contentsOf: text)
  }

  /// Sets a column to two texts joined by a byte.
  mutating func put(
    _ column: Int, _ first: UnsafeBufferPointer<UInt8>, _ separator: UInt8, _ second: UnsafeBufferPointer<UInt8>,
    row: Int
  ) {
    let length = first.count + 1 + second.count
    set(column, row, Cell(kind: .text, count: Int32(clamping: length), value: Int64(texts.count)))
    texts.append(contentsOf: first)
    texts.append(separator)
    texts.append(contentsOf: second)
  }

  /// Runs the body while some columns are bound without copying; `first` is the parameter of the first.
  /// - Returns: the result of the body, or SQLite's error code if it refused a value.
  func bind(_ statement: OpaquePointer, from first: Int32, _ used: [Int], _ body: () -> Int32) -> Int32 {
    texts.withUnsafeBytes { texts in
      for start in stride(from: 0, to: count * columns, by: columns) {
        for column in used {
          let place = start + column
          let code = bind(cells[place], texts, statement, first + Int32(truncatingIfNeeded: place))
          if code != SQLITE_OK { return code }
        }
      }
      return body()
    }
  }

  private func bind(
    _ cell: Cell, _ texts: UnsafeRawBufferPointer, _ statement: OpaquePointer, _ parameter: Int32
  ) -> Int32 {
    switch cell.kind {
    case .null: sqlite3_bind_null(statement, parameter)
    case .integer: sqlite3_bind_int64(statement, parameter, cell.value)
    case .number: sqlite3_bind_double(statement, parameter, Double(bitPattern: UInt64(bitPattern: cell.value)))
    case .text where cell.count == 0: sqlite3_bind_text(statement, parameter, "", 0, nil)
    case .text:
      sqlite3_bind_text(
        statement, parameter, texts.baseAddress?.advanced(by: Int(cell.value)).assumingMemoryBound(to: CChar.self),
        cell.count, nil)
    }
  }
}
