// A table as aligned lines: as wide as its contents, truncated to the terminal, never truncated in a pipe.
// Invariant: no line is wider than the terminal or ends with a space, and no cell can move the cursor; a name that
// users type is never truncated: without enough room it gets its own line above the row.

package import Commands
import Problems
import Text

extension TableText {
  /// The minimum width of a column when the table has to shrink.
  private static let least = 6
  /// The minimum width of a main column while another one can be left out for it.
  private static let leastOfMain = 12
  private static let gap = 2

  /// The heading and the rows; for an empty table, the text `whenEmpty`.
  package func lines(on terminal: Terminal) -> [String] {
    guard !rows.isEmpty else { return whenEmpty.isEmpty ? [] : Display.lines([whenEmpty]).lines(on: terminal) }
    let shown = rows.prefix(terminal.rowLimit ?? rows.count)
    let cells = shown.map { row in columns.indices.map { $0 < row.count ? printable(row[$0], limit: 2_000) : "" } }
    let titles = columns.map { printable($0.title) }
    let widths = fitted(naturalWidths(titles, cells), to: terminal.cutWidth)
    let mark = terminal.usesUnicode ? "…" : "~"
    let heading = line(titles, widths, mark)
    let body = cells.flatMap { row in
      let (above, rest) = (namesAbove(row, widths, terminal), line(row, widths, mark))
      return above.isEmpty || !rest.isEmpty ? above + [rest] : above
    }
    var parts = ScreenParts(body: (heading.isEmpty ? [] : [terminal.styled(heading, .bold)]) + body, indent: "")
    if rows.count > shown.count { parts.foot = "\(mark) \(grouped(rows.count - shown.count)) more" }
    return terminal.hasScreen ? parts.lines(on: terminal) : parts.body + (parts.foot.map { [$0] } ?? [])
  }

  private func naturalWidths(_ titles: [String], _ cells: [[String]]) -> [Int] {
    columns.indices.map { index in
      cells.reduce(titles[index].displayWidth) { max($0, $1[index].displayWidth) }
    }
  }

  /// Shrinks the widest columns until the table fits, or all are at their minimum: the main ones after the others, and
  /// names that users type last.
  private func fitted(_ natural: [Int], to width: Int?) -> [Int] {
    guard let width else { return natural }
    let kept = worthwhile(natural, width)
    let room = width - Self.gap * (kept.count - 1)
    var widths = natural.indices.map { kept.contains($0) ? natural[$0] : 0 }
    guard widths.reduce(0, +) > room else { return widths }
    let order: [(TableText.Column) -> Bool] = [{ !$0.isTyped && !$0.isMain }, { $0.isMain }, { $0.isTyped }]
    for givesWay in order {
      let least = widths.indices.map { givesWay(columns[$0]) ? min(widths[$0], Self.least) : widths[$0] }
      if least.reduce(0, +) <= room { return shared(room, widths) { givesWay(self.columns[$0]) } }
      widths = least
    }
    return dropped(widths, to: width)
  }

  /// The columns that are shown: those without which the main ones have enough room are left out, from the right.
  private func worthwhile(_ natural: [Int], _ width: Int) -> [Int] {
    var kept = Array(columns.indices)
    guard columns.contains(where: \.isMain) else { return kept }
    let least = columns.indices.map { place in
      columns[place].isTyped
        ? natural[place] : min(natural[place], columns[place].isMain ? Self.leastOfMain : Self.least)
    }
    while kept.reduce(-Self.gap, { $0 + least[$1] + Self.gap }) > width,
      let last = kept.lastIndex(where: { $0 > 0 && !columns[$0].isMain && !columns[$0].isTyped })
    {
      kept.remove(at: last)
    }
    return kept
  }

  /// Shrinks some of the columns, widest first, until all fit or are at their minimum.
  private func shared(_ room: Int, _ natural: [Int], _ givesWay: (Int) -> Bool) -> [Int] {
    func taken(_ cap: Int) -> Int {
      natural.indices.reduce(0) { $0 + (givesWay($1) ? min(natural[$1], cap) : natural[$1]) }
    }
    // Binary search for the largest common cap; the remaining width goes to the first columns that were capped.
    var (low, high) = (Self.least, max(Self.least, natural.max() ?? 0))
    while low < high {
      let middle = (low + high + 1) / 2
      if taken(middle) <= room { low = middle } else { high = middle - 1 }
    }
    var left = max(0, room - taken(low))
    return natural.indices.map { place in
      let own = natural[place]
      guard givesWay(place), own > low else { return own }
      guard left > 0 else { return low }
      left -= 1
      return low + 1
    }
  }

  /// Drops columns from the right when not even minimum widths fit: they get the width 0.
  private func dropped(_ widths: [Int], to width: Int) -> [Int] {
    var used = -Self.gap
    return widths.map { own in
      if own > 0 { used += own + Self.gap }
      return used <= width ? own : 0
    }
  }

  /// The names of a row that do not fit into their columns.
  private func namesAbove(_ cells: [String], _ widths: [Int], _ terminal: Terminal) -> [String] {
    guard let width = terminal.cutWidth else { return [] }
    return columns.indices.filter { columns[$0].isTyped && cells[$0].displayWidth > widths[$0] }
      .flatMap { cells[$0].lines(within: width) }
  }

  private func line(_ cells: [String], _ widths: [Int], _ mark: String) -> String {
    var line = ""
    for (index, cell) in cells.enumerated() where widths[index] > 0 {
      if index > 0 { line += String(repeating: " ", count: Self.gap) }
      let isAbove = columns[index].isTyped && cell.displayWidth > widths[index]
      line += (isAbove ? "" : cell.cut(to: widths[index], mark: mark)).filled(
        to: widths[index], atStart: columns[index].alignment == .right)
    }
    return line.withoutTrailingSpaces
  }
}

extension String {
  var withoutTrailingSpaces: String { String(reversed().drop { $0 == " " }.reversed()) }
}

/// Formats fields as names in a column with their wrapped values beside them; a name that is too long goes above its
/// value.
private func fieldLines(_ fields: [Display.Field], on terminal: Terminal) -> [String] {
  let names = min(20, (terminal.cutWidth ?? 40) / 2, fields.map { printable($0.name).displayWidth }.max() ?? 0)
  let blank = String(repeating: " ", count: names + 2)
  return fields.flatMap { field in
    let width = terminal.cutWidth.map { max(8, $0 - names - 2) } ?? .max
    let lines = field.value.lines.flatMap { printable(String($0), limit: .max).lines(within: width) }
    let name = printable(field.name)
    let isLong = name.displayWidth > names
    let start = isLong ? blank : name.filled(to: names) + "  "
    let above = isLong ? terminal.cutWidth.map { name.lines(within: $0) } ?? [name] : []
    return above
      + lines.enumerated().map { index, line in
        let whole = (index == 0 ? start : blank) + line
        return line.isEmpty ? whole.withoutTrailingSpaces : whole
      }
  }
}

extension Display {
  /// The lines that users see; control characters in them are made visible, not sent.
  package func lines(on terminal: Terminal) -> [String] {
    switch self {
    case .none: []
    case .lines(let lines):
      lines.flatMap { line -> [String] in
        let text = printable(line, limit: Int.max)
        guard let width = terminal.cutWidth else { return [text] }
        // Counted in bytes, since a space may be followed by any number of combining marks.
        let indent = String(repeating: " ", count: text.utf8.prefix { $0 == UInt8(ascii: " ") }.count)
        return text.lines(within: width, indent: indent, breaksWords: false)
      }
    case .drawn(let lines): terminal.cutWidth.map { width in lines.map { $0.styledCut(to: width) } } ?? lines
    case .fields(let fields): fieldLines(fields, on: terminal)
    case .table(let table): table.lines(on: terminal)
    case .parts(let parts): parts.flatMap { $0.lines(on: terminal) }
    case .page(let page): page.lines(on: terminal)
    }
  }
}

extension Display.Page {
  /// A pipe gets only the title and the body.
  fileprivate func lines(on terminal: Terminal) -> [String] {
    let shown = body.lines(on: terminal)
    guard terminal.hasScreen else { return (title.isEmpty ? [] : [printable(title), ""]) + shown }
    let heading = ScreenParts(title: printable(title), facts: facts, indent: "")
    let foot = ScreenParts(keys: foot, indent: "").keyLines(on: terminal)
    return heading.lines(on: terminal) + shown + (foot.isEmpty ? [] : [""] + foot)
  }
}
