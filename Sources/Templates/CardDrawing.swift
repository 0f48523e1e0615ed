// Draws a field or a side of a card for a terminal: the lines of its HTML, with styles, the marks of lists and quotes,
// and tables in columns. `DrawingReader` reads the HTML; here are the result and how it fits into a width.
// Invariant: no character of a text is lost, whatever the width; control characters are visible, not sent.

package import Text

/// The HTML of a side as lines.
///
///     CardDrawing("<ul><li>one <b>two</b></ul>").words   // • one two
public struct CardDrawing: Equatable, Sendable {
  public struct Options: Equatable, Sendable {
    /// Whether words say what is not text, for a screen reader.
    public var isSpoken: Bool
    /// Whether clozes have brackets, because their style cannot be seen.
    public var bracketsClozes: Bool
    public var opensHints = false

    public init(isSpoken: Bool = false, bracketsClozes: Bool = true) {
      (self.isSpoken, self.bracketsClozes) = (isSpoken, bracketsClozes)
    }
  }

  /// The style of a cloze.
  static let cloze: Style = [.bold, .cyan]

  struct Line: Equatable, Sendable {
    /// What is written before the text, and before the lines that continue it.
    var lead = ""
    var hang = ""
    var runs: [StyledRun] = []
    /// The cells of a row of a table.
    var cells: [[Line]] = []
    /// Repeated over the width; empty for a line of text.
    var rule = ""
  }

  private(set) var lines: [Line]
  /// Whether a hint can be opened or is open.
  public private(set) var hasHints = false

  /// - Parameter isPlain: whether white space counts, as in a text that was written without HTML.
  public init(_ html: String, isPlain: Bool = false, _ options: Options = Options()) {
    var reader = DrawingReader(Bytes(html.utf8)[...], isPlain: isPlain, options)
    reader.run()
    (lines, hasHints) = (reader.lines, reader.hasHints)
  }

  public init(plain text: String) {
    lines = text.lines.map { Line(runs: [StyledRun(printable(String($0), limit: .max))]) }
  }

  public var isEmpty: Bool { lines.isEmpty }

  /// The mark of a picture in a drawing.
  package static func mark(ofPicture name: String) -> String {
    name.isEmpty ? "[picture]" : "[picture \(printable(name, limit: .max))]"
  }

  /// The text without styles; each line is as long as it is.
  public var words: String { rows(within: .max).map(\.text).joined(separator: "\n") }

  /// Returns the lines on a screen of that many columns.
  package func rows(within width: Int) -> [[StyledRun]] { Self.rows(lines, max(4, width)) }

  private static let gap = 2
  private static let leastColumn = 4

  private static func rows(_ lines: [Line], _ width: Int) -> [[StyledRun]] {
    var rows: [[StyledRun]] = []
    var rest = lines[...]
    while let line = rest.first {
      let table = rest.prefix { !$0.cells.isEmpty }
      rest = rest.dropFirst(max(1, table.count))
      // Where marks would leave no room, the innermost ones remain.
      let lead = String(line.lead.suffix(width / 2))
      let hang = lead.isEmpty ? "" : String(line.hang.suffix(width / 2))
      let room = width == .max ? width : width - max(lead.displayWidth, hang.displayWidth)
      let inner =
        !table.isEmpty
        ? columns(table, room)
        : line.rule.isEmpty
          ? line.runs.lines(within: room) : [[StyledRun(String(repeating: line.rule, count: min(room, 20)))]]
      for (place, row) in inner.enumerated() {
        let start = place == 0 ? lead : hang
        rows.append(start.isEmpty ? row : [StyledRun(row.isEmpty ? start.withoutTrailingSpaces : start, .dim)] + row)
      }
    }
    return rows
  }

  /// Lays out the rows of a table; where the columns do not fit beside each other, their cells are below each other.
  private static func columns(_ table: ArraySlice<Line>, _ width: Int) -> [[StyledRun]] {
    let count = table.reduce(0) { max($0, $1.cells.count) }
    func widest(_ cell: [Line]) -> Int { rows(cell, .max).reduce(0) { max($0, $1.text.displayWidth) } }
    let natural = (0..<count).map { place in
      min(width, table.reduce(1) { max($0, $1.cells.indices.contains(place) ? widest($1.cells[place]) : 0) })
    }
    let room = width == .max ? width : width - gap * (count - 1)
    if count * leastColumn > room { return table.flatMap { $0.cells.flatMap { rows($0, width) } } }
    let widths = sharedWidths(natural, room: room, least: leastColumn)
    return table.flatMap { row in side(row.cells.enumerated().map { rows($1, widths[$0]) }, widths) }
  }

  /// Puts the lines of cells side by side.
  private static func side(_ cells: [[[StyledRun]]], _ widths: [Int]) -> [[StyledRun]] {
    (0..<(cells.map(\.count).max() ?? 0)).map { place in
      var (row, used, start): ([StyledRun], Int, Int) = ([], 0, 0)
      for (cell, width) in zip(cells, widths) {
        if cell.indices.contains(place), !cell[place].isEmpty {
          if start > used { row.append(StyledRun(String(repeating: " ", count: start - used))) }
          row += cell[place]
          used = start + cell[place].text.displayWidth
        }
        start += width + gap
      }
      return row
    }
  }
}

extension Style {
  private static let named: [String: Style] = [
    "red": .red, "darkred": .red, "maroon": .red, "crimson": .red, "firebrick": .red, "tomato": .red, "brown": .red,
    "orange": .yellow, "darkorange": .yellow, "yellow": .yellow, "gold": .yellow, "olive": .yellow, "green": .green,
    "darkgreen": .green, "lime": .green, "limegreen": .green, "seagreen": .green, "forestgreen": .green,
    "blue": .blue, "navy": .blue, "darkblue": .blue, "royalblue": .blue, "dodgerblue": .blue, "steelblue": .blue,
    "cyan": .cyan, "aqua": .cyan, "teal": .cyan, "turquoise": .cyan, "skyblue": .cyan, "purple": .magenta,
    "magenta": .magenta, "fuchsia": .magenta, "violet": .magenta, "indigo": .magenta, "pink": .magenta,
    "deeppink": .magenta, "hotpink": .magenta,
  ]

  /// Takes the colour of the terminal that is nearest to one of CSS: each terminal makes it readable. Black, white and
  /// grey become the colour of text.
  mutating func paint(_ color: String) {
    subtract(.colors)
    let color = color.trimmed.lowercased()
    if let known = Self.named[color] {
      formUnion(known)
    } else if let parts = Self.parts(of: color) {
      formUnion(Self.nearest(parts))
    }
  }

  /// Returns red, green and blue, 0 to 255, of `#f00`, `#ff0000` or `rgb(255, 0, 0)`.
  private static func parts(of color: String) -> [Int]? {
    if color.hasPrefix("#") {
      let digits = color.dropFirst().compactMap(\.hexDigitValue)
      if digits.count == 3 { return digits.map { $0 * 17 } }
      return digits.count == 6 ? stride(from: 0, to: 6, by: 2).map { digits[$0] * 16 + digits[$0 + 1] } : nil
    }
    guard color.hasPrefix("rgb") else { return nil }
    let numbers = color.split { !$0.isNumber && $0 != "." }.prefix(3).compactMap { Double($0) }
    return numbers.count == 3 ? numbers.map { Int(Swift.min(255, Swift.max(0, $0))) } : nil
  }

  private static func nearest(_ parts: [Int]) -> Style {
    guard let most = parts.max(), let least = parts.min(), most - least > 60 else { return [] }
    let middle = (most + least) / 2
    switch (parts[0] > middle, parts[1] > middle, parts[2] > middle) {
    case (true, false, false): return .red
    case (true, true, false): return .yellow
    case (false, true, false): return .green
    case (false, true, true): return .cyan
    case (false, false, true): return .blue
    default: return .magenta
    }
  }
}
