// Descriptions of documents in words: for terminals without pictures, for screen readers, and inside every drawing.

import Text

extension CardDocument {
  /// A short title that distinguishes the document: its first text, else its first alternative text, else its id.
  public var title: String {
    let texts = elements.compactMap { $0.text }.map(oneLine).filter { !$0.isEmpty }
    let descriptions = elements.compactMap { $0.alt }.map(oneLine).filter { !$0.isEmpty }
    return printable(texts.first ?? descriptions.first ?? "Card \(id)", limit: 80)
  }

  /// Everything on the card in one line, from back to front.
  public var summary: String {
    let shown = elements.compactMap(\.words)
    if shown.isEmpty { return "An empty card, \(background.words)." }
    let more = shown.count > 50 ? "; and \(counted(shown.count - 50, "more thing"))" : ""
    return "A card, \(background.words), with \(shown.prefix(50).joined(separator: "; "))\(more)."
  }

  /// The same as lines, one for each element with its position: for `doc show` in plain words.
  public var linesInWords: [String] {
    let shown = elements.compactMap { element in element.words.map { "\($0), \(element.placeInWords)" } }
    return ["Card \(id), \(background.words)"] + shown
  }
}

extension Element {
  /// A description such as `an image in the shape of a heart: a cat`; nil for an element that is not drawn.
  var words: String? {
    switch kind {
    case .text: return textInWords
    case .image:
      guard namesImage else { return nil }
      let shape = frame.map { " in the shape of \($0.words)" } ?? ""
      let alt = oneLine(alt ?? "")
      return "an image\(shape)\(alt.isEmpty ? "" : ": " + printable(alt))"
    case nil: return nil
    }
  }

  /// `the text "a"`, or `a text in 2 lines: "a", "b"`. Empty lines are left out.
  private var textInWords: String {
    let shown = lines.filter { !$0.isEmpty }
    guard shown.count > 1 else { return "the text \(quoted(shown.first ?? ""))" }
    let more = shown.count > 50 ? " and \(grouped(shown.count - 50)) more" : ""
    return "a text in \(grouped(shown.count)) lines: \(shown.prefix(50).map(quoted).joined(separator: ", "))\(more)"
  }

  /// The position by thirds of the card, such as `at the top left`.
  var placeInWords: String {
    let column = x < -DocumentFormat.canvasWidth / 6 ? "left" : x > DocumentFormat.canvasWidth / 6 ? "right" : ""
    let row = y < -DocumentFormat.canvasHeight / 6 ? "top" : y > DocumentFormat.canvasHeight / 6 ? "bottom" : ""
    if column.isEmpty, row.isEmpty { return "in the middle" }
    if column.isEmpty { return "at the \(row)" }
    return row.isEmpty ? "on the \(column)" : "at the \(row) \(column)"
  }
}

extension Frame {
  /// The name with its article, such as `a rounded rectangle`.
  fileprivate var words: String {
    (self == .octagon ? "an " : "a ") + rawValue.split(separator: "_").joined(separator: " ")
  }
}

extension CardColor {
  /// The nearest of a few names: `light purple`, `yellow`, `black`.
  public var words: String {
    let high = max(red, green, blue)
    let low = min(red, green, blue)
    if high - low < 0.08 {
      return high > 0.93 ? "white" : high < 0.12 ? "black" : high > 0.55 ? "light grey" : "dark grey"
    }
    let shade = low > 0.6 ? "light " : high < 0.45 ? "dark " : ""
    return shade + CardColor.hueName(hue(high: high, spread: high - low))
  }

  /// The position on the colour circle, from 0 up to 6.
  private func hue(high: Double, spread: Double) -> Double {
    let turn =
      high == red ? (green - blue) / spread : high == green ? 2 + (blue - red) / spread : 4 + (red - green) / spread
    return turn < 0 ? turn + 6 : turn
  }

  private static func hueName(_ hue: Double) -> String {
    let names: [(Double, String)] = [
      (0.3, "red"), (0.75, "orange"), (1.15, "yellow"), (2.5, "green"), (3.3, "turquoise"), (4.3, "blue"),
      (5.0, "purple"), (5.7, "pink"),
    ]
    return names.first { hue < $0.0 }?.1 ?? "red"
  }
}

/// Splits a text into lines at the line ends of Unicode (CR LF counts as one). Other control characters become spaces,
/// each line is trimmed, and blank lines before the first and after the last text are removed.
func linesOf(_ text: String) -> [String] {
  var lines = [""]
  var previous: Unicode.Scalar?
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\n" where previous == "\r": break
    case "\n", "\r", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}": lines.append("")
    default:
      let isControl = scalar.properties.generalCategory == .control
      lines[lines.count - 1].unicodeScalars.append(isControl ? " " : scalar)
    }
    previous = scalar
  }
  lines = lines.map(\.trimmed)
  guard let first = lines.firstIndex(where: { !$0.isEmpty }), let last = lines.lastIndex(where: { !$0.isEmpty })
  else { return [] }
  return Array(lines[first...last])
}

func oneLine(_ text: String) -> String { linesOf(text).filter { !$0.isEmpty }.joined(separator: " ") }
