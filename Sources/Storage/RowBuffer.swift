// Rows in memory on their way into a table, in the form in which SQLite is given them.
// Invariant: a value that was put stays where it is until the rows are forgotten; memory is that of the rows alone, and
// what a long text took is given back.

import CSQLite

/// Rows of values. They are filled by one thread and bound by another, never at once.
public final class RowBuffer {
  /// A row is not begun beyond so many bytes of texts.
  private static let fullTexts = 1 << 16

  private struct Cell {
    enum Kind: UInt8 { case null, integer, number, text }

    var kind = Kind.null
    /// Of a text.
    var count: Int32 = 0
    /// The integer, the bits of the number, or where the text begins.
    var value: Int64 = 0
  }

  private let columns: Int
  private let rows: Int
  private let cells: UnsafeMutablePointer<Cell>
  private var texts: UnsafeMutablePointer<UInt8>
  private var room = RowBuffer.fullTexts
  private var used = 0
  public private(set) var count = 0
  /// Whether the rows stand in the table.
  var isWritten = false

  init(rows: Int, columns: Int) {
    (self.rows, self.columns) = (rows, columns)
    cells = .allocate(capacity: rows * columns)
    cells.initialize(repeating: Cell(), count: rows * columns)
    texts = .allocate(capacity: room)
  }

  deinit {
    cells.deallocate()
    texts.deallocate()
  }

  var isFull: Bool { count == rows || used >= RowBuffer.fullTexts }

  /// Beyond the room that there is nothing is put: whoever goes on after a failed write has lost the batch anyway.
  func endRow() { count = min(rows, count + 1) }

  func forget() {
    (count, used, isWritten) = (0, 0, false)
    if room > 4 * RowBuffer.fullTexts {
      texts.deallocate()
      room = RowBuffer.fullTexts
      texts = .allocate(capacity: room)
    }
  }

  // MARK: Values

  private func set(_ column: Int, _ row: Int, _ cell: Cell) {
    if row < rows, column < columns { cells[row * columns + column] = cell }
  }

  public func put(_ column: Int, _ value: Int64, row: Int) { set(column, row, Cell(kind: .integer, value: value)) }

  public func put(_ column: Int, _ value: Double?, row: Int) {
    guard let value else { return putNull(column, row: row) }
    set(column, row, Cell(kind: .number, value: Int64(bitPattern: value.bitPattern)))
  }

  func putNull(_ column: Int, row: Int) { set(column, row, Cell()) }

  public func put(_ column: Int, text: UnsafeBufferPointer<UInt8>, row: Int) {
    if text.count > room - used { grow(by: text.count) }
    if let start = text.baseAddress { (texts + used).update(from: start, count: text.count) }
    set(column, row, Cell(kind: .text, count: Int32(clamping: text.count), value: Int64(used)))
    used += text.count
  }

  private func grow(by count: Int) {
    let larger = max(2 * room, used + count)
    let fresh = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    fresh.update(from: texts, count: used)
    texts.deallocate()
    (texts, room) = (fresh, larger)
  }

  // MARK: Binding

  /// Binds all values in place, the first of them as the parameter `first`.
  func bind(_ target: Statement, from first: Int32) {
    let statement = target.pointer
    texts.withMemoryRebound(to: CChar.self, capacity: room) { texts in
      for place in 0..<(count * columns) {
        let cell = cells[place]
        let parameter = first + Int32(truncatingIfNeeded: place)
        let code =
          switch cell.kind {
          case .null: sqlite3_bind_null(statement, parameter)
          case .integer: sqlite3_bind_int64(statement, parameter, cell.value)
          case .number: sqlite3_bind_double(statement, parameter, Double(bitPattern: UInt64(bitPattern: cell.value)))
          case .text: sqlite3_bind_text(statement, parameter, texts + Int(cell.value), cell.count, nil)
          }
        target.check(code)
      }
    }
  }
}
