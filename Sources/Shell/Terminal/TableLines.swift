// A table as aligned lines: as wide as its contents, cut to the terminal, never cut in a pipe.
// Invariant: no line is wider than the terminal, none ends with a blank, and no cell can move the cursor.

public import Commands
import Wording

extension TableText {
  /// Columns that a column keeps when the table has to shrink.
  private static let least = 6
  private static let gap = 2

  /// The heading and the rows; what stands for an empty table when there are none.
  public func lines(on terminal: Terminal) -> [String] {
    guard !rows.isEmpty else { return whenEmpty.isEmpty ? [] : [printable(whenEmpty)] }
    let shown = rows.prefix(terminal.rowLimit ?? rows.count)
    let cells = shown.map { row in columns.indices.map { $0 < row.count ? printable(row[$0], limit: 2_000) : "" } }
    let titles = columns.map { printable($0.title) }
    let widths = fitted(naturalWidths(titles, cells), to: terminal.cutWidth)
    let mark = terminal.usesUnicode ? "…" : "~"
    let heading = line(titles, widths, mark)
    let body = cells.map { line($0, widths, mark) }
    let rest = rows.count > shown.count ? ["\(mark) \(grouped(rows.count - shown.count)) more"] : []
    return (heading.isEmpty ? [] : [terminal.styled(heading, .bold)]) + body + rest
  }

  private func naturalWidths(_ titles: [String], _ cells: [[String]]) -> [Int] {
    columns.indices.map { index in
      cells.reduce(titles[index].displayWidth) { max($0, $1[index].displayWidth) }
    }
  }

  /// Takes columns from the widest until the table fits, or all are as narrow as they may be.
  private func fitted(_ natural: [Int], to width: Int?) -> [Int] {
    guard let width else { return natural }
    var widths = natural
    var excess = widths.reduce(0, +) + Self.gap * (widths.count - 1) - width
    while excess > 0 {
      guard let widest = widths.max(), widest > Self.least, let index = widths.lastIndex(of: widest) else { break }
      // Down to the next narrower one at once, so that wide tables are quick; equals shrink in turn.
      let next = max(Self.least, widths.filter { $0 < widest }.max() ?? Self.least)
      let isAlone = widths.count { $0 == widest } == 1
      let step = isAlone ? min(excess, widest - next) : 1
      widths[index] -= step
      excess -= step
    }
    return excess > 0 ? dropped(widths, to: width) : widths
  }

  /// Columns from the right go where not even narrow ones fit: they get the width 0.
  private func dropped(_ widths: [Int], to width: Int) -> [Int] {
    var used = -Self.gap
    return widths.map { own in
      used += own + Self.gap
      return used <= width ? own : 0
    }
  }

  private func line(_ cells: [String], _ widths: [Int], _ mark: String) -> String {
    var line = ""
    for (index, cell) in cells.enumerated() where widths[index] > 0 {
      if index > 0 { line += String(repeating: " ", count: Self.gap) }
      line += cell.cut(to: widths[index], mark: mark).filled(
        to: widths[index], atStart: columns[index].alignment == .right)
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}

/// Names in a column, their values beside them in as many lines as they need.
private func fieldLines(_ fields: [Display.Field], on terminal: Terminal) -> [String] {
  let names = min(20, fields.map { printable($0.name).displayWidth }.max() ?? 0)
  let blank = String(repeating: " ", count: names + 2)
  return fields.flatMap { field in
    let width = terminal.cutWidth.map { max(8, $0 - names - 2) } ?? .max
    let lines = field.value.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
      printable(String($0), limit: .max).lines(within: width)
    }
    let name = printable(field.name).cut(to: names).filled(to: names) + "  "
    return lines.enumerated().map { index, line in
      let whole = (index == 0 ? name : blank) + line
      return line.isEmpty ? String(whole.prefix { $0 != " " }) : whole
    }
  }
}

extension Display {
  /// The lines that people see; control characters in them are shown, not sent.
  public func lines(on terminal: Terminal) -> [String] {
    switch self {
    case .none: []
    case .lines(let lines):
      lines.flatMap { line -> [String] in
        let text = printable(line, limit: Int.max)
        guard let width = terminal.cutWidth else { return [text] }
        let indent = String(text.prefix { $0 == " " })
        return text.lines(within: width, indent: indent, breaksWords: false)
      }
    case .fields(let fields): fieldLines(fields, on: terminal)
    case .table(let table): table.lines(on: terminal)
    case .parts(let parts): parts.flatMap { $0.lines(on: terminal) }
    }
  }
}
