// Tables as lines. Invariant: no line is wider than the terminal or ends with a space, and no cell can move the cursor;
// a name that users type is never truncated: without enough room it gets its own line above the row; a number or a date
// is whole or left out; what was left out is said.

import Commands
import Text

extension TableText {
  /// The minimum width of a column when the table has to shrink.
  private static let least = 6
  /// The minimum width of a main column while another one can be left out for it, and the width for which columns are
  /// left out that few people came for.
  private static let (leastOfMain, wishOfMain) = (12, 24)
  /// The minimum width of an explanation beside what it explains; with less it goes below.
  private static let leastOfWords = 28
  private static let gap = 2
  /// The columns that are left out first, in this order.
  private static let leastWanted = ["Guid", "Tags", "Deck"]

  /// Widths of the columns, 0 for those that are not in the row; and those whose cells are below the row.
  private struct Plan {
    var widths: [Int]
    var below: [Int] = []
  }

  /// The heading and the rows; for an empty table, the text `whenEmpty`.
  package func lines(on terminal: Terminal) -> [String] {
    guard !rows.isEmpty else { return whenEmpty.isEmpty ? [] : Display.lines([whenEmpty]).lines(on: terminal) }
    let shown = rows.prefix(terminal.rowLimit ?? rows.count)
    let cells = shown.map { row in columns.indices.map { $0 < row.count ? printable(row[$0], limit: 2_000) : "" } }
    let titles = columns.map { printable($0.title) }
    let widths = columns.indices.map { index in
      cells.reduce(titles[index].displayWidth) { max($0, $1[index].displayWidth) }
    }
    let plan = plan(widths, terminal.cutWidth)
    let mark = terminal.usesUnicode ? "…" : "~"
    let heading = line(titles, plan.widths, mark)
    let body = cells.flatMap { row -> [String] in
      let (above, rest) = (namesAbove(row, plan.widths, terminal), lines(of: row, plan, mark, terminal))
      return above.isEmpty || rest != [""] ? above + rest : above
    }
    var parts = ScreenParts(body: (heading.isEmpty ? [] : [terminal.styled(heading, .bold)]) + body, indent: "")
    if let left = leftOut(plan), let width = terminal.cutWidth {
      parts.body += left.lines(within: width).map { terminal.styled($0, .dim) }
    }
    if rows.count > shown.count { parts.foot = "\(mark) \(grouped(rows.count - shown.count)) more" }
    return terminal.hasScreen ? parts.lines(on: terminal) : parts.body + (parts.foot.map { [$0] } ?? [])
  }

  /// Names the columns that are not shown; nil if all are.
  private func leftOut(_ plan: Plan) -> String? {
    let left = columns.indices.filter {
      plan.widths[$0] == 0 && !plan.below.contains($0) && !columns[$0].isTyped && !columns[$0].title.isEmpty
    }
    return left.isEmpty ? nil : "(not shown: \(left.map { columns[$0].title.lowercased() }.joined(separator: ", ")))"
  }

  /// Gives explanations the room that is left, and shrinks the other columns until they fit.
  private func plan(_ natural: [Int], _ width: Int?) -> Plan {
    guard let width, total(natural) > width else { return Plan(widths: natural) }
    var plan = Plan(widths: natural)
    for place in columns.indices where columns[place].fit == .wraps && natural[place] > Self.leastOfWords {
      plan.widths[place] = 0
      let room = width - total(plan.widths) - Self.gap
      if room >= Self.leastOfWords {
        plan.widths[place] = min(room, natural[place])
      } else if place > 0 {
        plan.below.append(place)
      } else {
        plan.widths[place] = natural[place]
      }
    }
    plan.widths = fitted(plan.widths, to: width)
    return plan
  }

  private func total(_ widths: [Int]) -> Int {
    widths.reduce(-Self.gap) { $1 > 0 ? $0 + $1 + Self.gap : $0 }
  }

  /// Shrinks the widest columns until the table fits, or are at their minimum: main ones late, typed names last.
  private func fitted(_ natural: [Int], to width: Int) -> [Int] {
    let kept = worthwhile(natural, width)
    let room = width - Self.gap * (kept.count - 1)
    var widths = natural.indices.map { kept.contains($0) ? natural[$0] : 0 }
    guard total(widths) > width else { return widths }
    let order: [(TableText.Column) -> Bool] = [
      { !$0.isTyped && !$0.isMain && !$0.isWhole }, { $0.isMain }, { $0.isTyped },
    ]
    for givesWay in order {
      let least = widths.indices.map { givesWay(columns[$0]) ? min(widths[$0], Self.least) : widths[$0] }
      if least.reduce(0, +) <= room {
        return sharedWidths(widths, room: room, least: Self.least) { givesWay(columns[$0]) }
      }
      widths = least
    }
    return dropped(widths, to: width)
  }

  /// The columns that are shown: those without which the main ones have enough room are left out, first those that few
  /// people came for, then from the right.
  private func worthwhile(_ natural: [Int], _ width: Int) -> [Int] {
    var kept = columns.indices.filter { natural[$0] > 0 }
    guard columns.contains(where: \.isMain) else { return kept }
    func isTooWide(_ wish: Int) -> Bool {
      kept.reduce(-Self.gap) { sum, place in
        let column = columns[place]
        let least = column.isMain ? wish : Self.least
        return sum + (column.isTyped || column.isWhole ? natural[place] : min(natural[place], least)) + Self.gap
      } > width
    }
    for title in Self.leastWanted where isTooWide(Self.wishOfMain) {
      kept.removeAll { columns[$0].title == title && !columns[$0].isMain && !columns[$0].isTyped }
    }
    while isTooWide(Self.leastOfMain),
      let last = kept.lastIndex(where: { $0 > 0 && !columns[$0].isMain && !columns[$0].isTyped })
    { kept.remove(at: last) }
    return kept
  }

  /// Drops columns from the right when not even minimum widths fit: they get the width 0.
  private func dropped(_ widths: [Int], to width: Int) -> [Int] {
    var used = -Self.gap
    return widths.enumerated().map { place, own in
      let own = place == 0 ? min(own, width) : own
      guard own > 0, used + own + Self.gap <= width else { return 0 }
      used += own + Self.gap
      return own
    }
  }

  /// The names of a row that do not fit into their columns.
  private func namesAbove(_ cells: [String], _ widths: [Int], _ terminal: Terminal) -> [String] {
    guard let width = terminal.cutWidth else { return [] }
    return columns.indices.filter { columns[$0].isTyped && cells[$0].displayWidth > widths[$0] }
      .flatMap { cells[$0].lines(within: width) }
  }

  /// The lines of a row: explanations go on below their beginning, or below the row.
  private func lines(of cells: [String], _ plan: Plan, _ mark: String, _ terminal: Terminal) -> [String] {
    let wrapped = columns.indices.map { place in
      columns[place].fit == .wraps && plan.widths[place] > 0 ? cells[place].lines(within: plan.widths[place]) : []
    }
    let more = max(1, wrapped.map(\.count).max() ?? 1)
    let lines = (0..<more).map { number in
      line(
        columns.indices.map { place in
          if wrapped[place].isEmpty { return number == 0 ? cells[place] : "" }
          return wrapped[place].indices.contains(number) ? wrapped[place][number] : ""
        }, plan.widths, mark)
    }
    return lines
      + plan.below.flatMap { place -> [String] in
        cells[place].isEmpty ? [] : cells[place].lines(within: (terminal.cutWidth ?? .max) - 2).map { "  " + $0 }
      }
  }

  private func line(_ cells: [String], _ widths: [Int], _ mark: String) -> String {
    var line = ""
    for (index, cell) in cells.enumerated() where widths[index] > 0 {
      if !line.isEmpty || widths[..<index].contains(where: { $0 > 0 }) {
        line += String(repeating: " ", count: Self.gap)
      }
      let isAbove = columns[index].isTyped && cell.displayWidth > widths[index]
      line += (isAbove ? "" : shortened(cell, to: widths[index], columns[index], mark)).filled(
        to: widths[index], atStart: columns[index].alignment == .right)
    }
    return line.withoutTrailingSpaces
  }

  /// Truncates a cell: a file name in the middle, since its end says what it is.
  private func shortened(_ cell: String, to width: Int, _ column: Column, _ mark: String) -> String {
    guard column.fit == .middle, cell.displayWidth > width, width > 6 else { return cell.cut(to: width, mark: mark) }
    let end = String(String(cell.reversed()).cut(to: width / 2, mark: "").reversed())
    return cell.cut(to: width - end.displayWidth, mark: mark) + end
  }
}
