// Text in pieces of one style each, for whoever can show styles. Invariant: wrapping drops only spaces at the breaks,
// and each character keeps its style.

/// The style of a text; where styles cannot be shown it has no effect.
package struct Style: OptionSet, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let bold = Style(rawValue: 1 << 0)
  package static let dim = Style(rawValue: 1 << 1)
  package static let reversed = Style(rawValue: 1 << 2)
  package static let red = Style(rawValue: 1 << 3)
  package static let green = Style(rawValue: 1 << 4)
  package static let yellow = Style(rawValue: 1 << 5)
  package static let blue = Style(rawValue: 1 << 6)
  package static let cyan = Style(rawValue: 1 << 7)
  package static let magenta = Style(rawValue: 1 << 8)
  package static let italic = Style(rawValue: 1 << 9)
  package static let underline = Style(rawValue: 1 << 10)
  package static let strike = Style(rawValue: 1 << 11)

  package static let colors: Style = [.red, .green, .yellow, .blue, .cyan, .magenta]
}

package struct StyledRun: Equatable, Sendable {
  package var text: String
  package var style: Style

  package init(_ text: String, _ style: Style = []) { (self.text, self.style) = (text, style) }
}

extension [StyledRun] {
  package var text: String { map(\.text).joined() }

  /// Adds text; text of the same style as the last run becomes part of it.
  package mutating func add(_ text: String, _ style: Style) {
    if last?.style == style { self[count - 1].text += text } else { append(StyledRun(text, style)) }
  }

  /// Returns the text in lines of at most `width` columns, as `String.lines(within:)` breaks it.
  package func lines(within width: Int) -> [[StyledRun]] {
    let lines = text.lines(within: width)
    if lines.count == 1 { return [self] }
    if count == 1 { return lines.map { [StyledRun($0, self[0].style)] } }
    var rest = ArraySlice(flatMap { run in run.text.unicodeScalars.map { ($0, run.style) } })
    return lines.map { line in
      var runs: [StyledRun] = []
      for scalar in line.unicodeScalars {
        while let next = rest.first, next.0 != scalar { rest.removeFirst() }
        if let next = rest.popFirst() { runs.add(String(scalar), next.1) }
      }
      return runs
    }
  }
}
