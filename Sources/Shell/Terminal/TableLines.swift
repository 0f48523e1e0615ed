// Displays and charts as lines. Invariant: no line is wider than the terminal or ends with a space, and no text can
// move the cursor; without Unicode and colours the same information is shown.

import CardDocuments
package import Commands
import Problems
import Templates
import Text

extension Terminal {
  /// The width of the column of names when fields are shown.
  func nameWidth(_ names: [String]) -> Int {
    min(20, (cutWidth ?? 40) / 2, names.map { printable($0).displayWidth }.max() ?? 0)
  }

  /// A drawing as the value of a field, beside the column of names.
  func field(_ name: String, _ drawing: CardDrawing, beside names: [String]) -> Display.Field {
    let rows = drawing.rows(within: cutWidth.map { max(8, $0 - nameWidth(names) - 2) } ?? .max)
    return Display.Field(name, rows.map { styled($0) }.joined(separator: "\n"), isDrawn: true)
  }
}

/// Formats fields as names in a column with their wrapped values beside them; a name too long goes above its value.
private func fieldLines(_ fields: [Display.Field], on terminal: Terminal) -> [String] {
  let names = terminal.nameWidth(fields.map(\.name))
  let blank = String(repeating: " ", count: names + 2)
  return fields.flatMap { field in
    let width = terminal.cutWidth.map { max(8, $0 - names - 2) } ?? .max
    let lines = field.value.lines.flatMap { line in
      field.isDrawn ? [String(line)] : printable(String(line), limit: .max).lines(within: width)
    }
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

extension ChartPanel {
  /// The height of columns in rows of text.
  private static let height = 5

  func lines(on terminal: Terminal) -> [String] { drawn(on: terminal).map(\.withoutTrailingSpaces) }

  private func drawn(on terminal: Terminal) -> [String] {
    let heading = title.isEmpty ? [] : [terminal.styled(title.cut(to: terminal.width), .bold)]
    switch content {
    case .words(let words):
      return heading + words.flatMap { ("  " + $0).lines(within: terminal.width, indent: "    ") }
    case .table(let rows):
      let widths = (rows.first ?? []).indices.map { place in rows.map { $0[place].displayWidth }.max() ?? 0 }
      return heading
        + rows.map { cells in
          ("  " + zip(cells, widths).map { $0.filled(to: $1) }.joined(separator: "  ")).cut(to: terminal.width)
        }
    case .rows(let rows): return heading + rowLines(rows, terminal)
    case .cells(let cells, _) where terminal.usesScreenReader:
      let days = cells.joined().compactMap(\.self)
      return heading + ["  \(days.count { $0 > 0 }) of \(terminal.grouped(days.count)) days"]
    case .cells(let cells, let axis): return heading + cellLines(cells, axis, terminal)
    // When all columns are empty, only the heading is shown.
    case .columns(let values, _) where values.allSatisfy { $0 == 0 }: return [heading.joined() + "  " + highest]
    case .columns(let values, let axis) where terminal.usesScreenReader:
      let isShare = highest.hasSuffix("%")
      let range = "  \(axis.first ?? "") to \(axis.last ?? "")\(isShare ? ", in %" : ""): "
      let words = values.map { terminal.number(isShare ? ($0 * 100).rounded() : ($0 * 10).rounded() / 10) }
      return heading + (range + words.joined(separator: ", ")).lines(within: terminal.width, indent: "    ")
    case .columns(let values, let axis): return heading + columnLines(values, axis, terminal)
    }
  }

  /// Bars in proportion to the largest value; a negative value is drawn by its magnitude and dimmed. For a screen
  /// reader there are only labels and figures.
  private func rowLines(_ rows: [Row], _ terminal: Terminal) -> [String] {
    let names = rows.map { $0.label.cut(to: max(24, terminal.width / 3)) }
    let labels = names.map(\.displayWidth).max() ?? 0
    let texts = rows.map(\.text.displayWidth).max() ?? 0
    let room = max(1, min(40, terminal.width - labels - texts - 7))
    let most = rows.map(\.value.magnitude).filter(\.isFinite).max() ?? 0
    return zip(rows, names).map { row, name in
      let share = most > 0 && row.value.isFinite ? row.value.magnitude / most : 0
      let line = "  " + name.filled(to: labels) + "  " + row.text.filled(to: texts, atStart: true)
      let bar = terminal.usesScreenReader ? "" : Self.bar(share, room, terminal)
      return bar.isEmpty ? line : line + "  " + terminal.styled(bar, row.value < 0 ? .dim : .cyan)
    }
  }

  private static func bar(_ share: Double, _ width: Int, _ terminal: Terminal) -> String {
    let halves = Int((share * Double(width) * 2).rounded(.up))
    guard terminal.usesUnicode else { return String(repeating: "#", count: (halves + 1) / 2) }
    return String(repeating: "█", count: halves / 2) + (halves % 2 == 1 ? "▌" : "")
  }

  private func columnLines(_ values: [Double], _ axis: [String], _ terminal: Terminal) -> [String] {
    let most = values.max() ?? 0
    let scale = highest.displayWidth
    // Two cells per bar if there is room.
    let cell = terminal.width >= scale + 5 + 2 * values.count ? 2 : 1
    let shown = Self.merged(values, into: max(1, (terminal.width - scale - 5) / cell))
    let halves = shown.map { value in
      most > 0 && value > 0 ? max(1, Int((value / most * Double(2 * Self.height)).rounded())) : 0
    }
    var lines = (0..<Self.height).map { row -> String in
      let bottom = 2 * (Self.height - 1 - row)
      let bars = halves.map { String(repeating: Self.block($0 - bottom, terminal), count: cell) }.joined()
      let label = (row == 0 ? highest : "").filled(to: scale, atStart: true)
      return "  \(label) \(terminal.usesUnicode ? "│" : "|")\(terminal.styled(bars, .cyan))"
    }
    let blanks = String(repeating: " ", count: scale + 4)
    lines.append(blanks + Self.spread(axis, over: cell * shown.count))
    return lines
  }

  /// At most `count` columns; where several become one, it has the highest value, so that the axis stays true.
  private static func merged(_ values: [Double], into count: Int) -> [Double] {
    if values.count <= count { return values }
    return (0..<count).map { place in
      values[place * values.count / count..<(place + 1) * values.count / count].max() ?? 0
    }
  }

  /// The character of a cell for a bar that extends the given number of halves above the cell's bottom.
  private static func block(_ halves: Int, _ terminal: Terminal) -> String {
    switch halves {
    case ..<1: " "
    case 1: terminal.usesUnicode ? "▄" : "."
    default: terminal.usesUnicode ? "█" : "#"
    }
  }

  /// Distributes labels from the left end to the right end.
  private static func spread(_ labels: [String], over width: Int) -> String {
    guard let first = labels.first, let last = labels.last, labels.count > 1 else { return labels.first ?? "" }
    var line = first
    let middle = labels[labels.count / 2]
    let start = (width - middle.displayWidth) / 2
    if !middle.isEmpty, start > line.displayWidth + 1 { line = line.filled(to: start) + middle }
    let end = width - last.displayWidth
    return end > line.displayWidth ? line.filled(to: end) + last : line
  }

  private func cellLines(_ cells: [[Double?]], _ axis: [String], _ terminal: Terminal) -> [String] {
    let shown = cells.suffix(max(1, terminal.width - 8))
    let days = ["Mon", "", "Wed", "", "Fri", "", "Sun"]
    let rows = days.indices.map { day -> String in
      let marks = shown.map { Self.mark($0.indices.contains(day) ? $0[day] : nil, terminal) }.joined()
      return "  " + days[day].filled(to: 4) + terminal.styled(marks, .green)
    }
    return rows + [
      "      " + Self.spread(shown.count == cells.count ? axis : ["", axis.last ?? ""], over: shown.count)
    ]
  }

  private static func mark(_ value: Double?, _ terminal: Terminal) -> String {
    guard let value else { return " " }
    let marks = terminal.usesUnicode ? ["·", "░", "▒", "▓", "█"] : [".", "-", "+", "*", "#"]
    if value <= 0 { return marks[0] }
    return marks[min(4, 1 + Int(value * 3.999))]
  }
}
