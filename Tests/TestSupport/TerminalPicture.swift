// The screen content that a program's output produces, for the control sequences that Deckhand and readline send.
// Invariant: unknown sequences are skipped; a double-width character takes two cells.

/// A screen with the given columns and rows.
///
///     var screen = TerminalPicture(columns: 80, rows: 24)
///     screen.write("a\rb")
///     screen.lines   // ["b"]
public struct TerminalPicture {
  private let columns: Int
  private let rows: Int
  private var cells: [[Character]]
  /// The rows that scrolled off the top, oldest first.
  private var history: [[Character]] = []
  private var row = 0
  private var column = 0
  private var saved = (row: 0, column: 0)
  private var pending: [Unicode.Scalar] = []

  public init(columns: Int = 80, rows: Int = 24) {
    (self.columns, self.rows) = (columns, rows)
    cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
  }

  /// All rows since the start, without trailing spaces and without empty rows at the end.
  public var lines: [String] {
    var lines = (history + cells).map { row -> String in
      var text = String(row)
      while text.last == " " { text.removeLast() }
      return text
    }
    while lines.last == "" { lines.removeLast() }
    return lines
  }

  public mutating func write(_ text: String) {
    pending += text.unicodeScalars
    while let taken = step() { pending.removeFirst(taken) }
  }

  /// Returns how many scalars make up the next item; nil if it is incomplete.
  private mutating func step() -> Int? {
    guard let first = pending.first else { return nil }
    switch first {
    case "\u{1B}": return escape()
    case "\r": column = 0
    case "\n": down()
    case "\u{08}": column = max(0, column - 1)
    case "\t": column = min(columns - 1, (column / 8 + 1) * 8)
    case _ where first.value < 32 || first.value == 127: break
    default: put(first)
    }
    return 1
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    let width = Self.width(scalar)
    // A combining mark belongs to the character before it.
    if width == 0 {
      let place = max(0, column - 1)
      cells[row][place] = Character(String(cells[row][place]) + String(scalar))
      return
    }
    if column + width > columns {
      column = 0
      down()
    }
    cells[row][column] = Character(scalar)
    column += width
  }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    let isWide = [
      0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0x1F300...0x1FAFF, 0x20000...0x3FFFD,
    ].contains { $0.contains(Int(scalar.value)) }
    return isWide ? 2 : 1
  }

  private mutating func down() {
    if row < rows - 1 {
      row += 1
      return
    }
    history.append(cells.removeFirst())
    cells.append(Array(repeating: " ", count: columns))
  }

  /// Handles a sequence that begins with Escape.
  private mutating func escape() -> Int? {
    guard pending.count > 1 else { return nil }
    switch pending[1] {
    case "[":
      guard let end = pending.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0.value) }) else { return nil }
      control(pending[end], pending[2..<end].map { String($0) }.joined())
      return end + 1
    case "7": saved = (row, column)
    case "8": (row, column) = saved
    case "_", "]", "P":
      guard let end = pending.indices.dropFirst().first(where: { pending[$0] == "\\" && pending[$0 - 1] == "\u{1B}" })
      else { return nil }
      return end + 1
    default: break
    }
    return 2
  }

  private mutating func control(_ final: Unicode.Scalar, _ parameters: String) {
    let numbers = parameters.split(separator: ";").map { Int($0) ?? 0 }
    let count = max(1, numbers.first ?? 1)
    switch final {
    case "A": row = max(0, row - count)
    case "B": row = min(rows - 1, row + count)
    case "C": column = min(columns - 1, column + count)
    case "D": column = max(0, column - count)
    case "G": column = min(columns, count) - 1
    case "H": (row, column) = (min(rows, count) - 1, min(columns, numbers.count > 1 ? max(1, numbers[1]) : 1) - 1)
    case "J" where numbers.first ?? 0 == 0: eraseBelow()
    case "J": for row in 0..<rows { cells[row] = Array(repeating: " ", count: columns) }
    case "K" where numbers.first == 2: cells[row] = Array(repeating: " ", count: columns)
    case "K": erase(from: column)
    case "P":
      for place in column..<columns { cells[row][place] = place + count < columns ? cells[row][place + count] : " " }
    case "@":
      for place in stride(from: columns - 1, through: column, by: -1) {
        cells[row][place] = place - count >= column ? cells[row][place - count] : " "
      }
    default: break
    }
  }

  private mutating func erase(from start: Int) {
    for place in min(start, columns)..<columns { cells[row][place] = " " }
  }

  private mutating func eraseBelow() {
    erase(from: column)
    for below in (row + 1)..<max(row + 1, rows) { cells[below] = Array(repeating: " ", count: columns) }
  }
}
