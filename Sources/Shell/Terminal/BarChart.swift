// Values as horizontal bars, for `shell.chart`; the same in a pipe, with plain numbers.
// Invariant: no line is wider than the terminal, and every value is shown as a number beside its bar.

import Problems
import Text

package struct BarChart {
  package struct Bar: Equatable, Sendable {
    package let label: String
    package let value: Double

    package init(_ label: String, _ value: Double) { (self.label, self.value) = (label, value) }
  }

  package let title: String
  package let bars: [Bar]

  package init(title: String = "", bars: [Bar]) { (self.title, self.bars) = (title, bars) }

  /// Draws bars in proportion to the largest value; a negative value is drawn by its magnitude and dimmed.
  package func lines(on terminal: Terminal) -> [String] {
    let labels = bars.map { printable($0.label).cut(to: max(8, terminal.width / 3)) }
    let numbers = bars.map { terminal.number($0.value) }
    let labelWidth = labels.map(\.displayWidth).max() ?? 0
    let numberWidth = numbers.map(\.displayWidth).max() ?? 0
    let room = max(1, terminal.width - labelWidth - numberWidth - 5)
    let largest = bars.map { $0.value.magnitude }.filter(\.isFinite).max() ?? 0
    let heading = title.isEmpty ? [] : [terminal.styled(printable(title).cut(to: terminal.width), .bold)]
    return heading
      + bars.indices.map { index in
        let fraction = largest > 0 && bars[index].value.isFinite ? bars[index].value.magnitude / largest : 0
        let bar = Self.bar(fraction, width: room, isUnicode: terminal.usesUnicode)
        let style: Style = bars[index].value < 0 ? .dim : .cyan
        let line =
          labels[index].filled(to: labelWidth) + "  " + numbers[index].filled(to: numberWidth, atStart: true)
        return bar.isEmpty ? line : line + "  " + terminal.styled(bar, style)
      }
  }

  /// Full blocks with an eighth block at the end, so that small differences are visible.
  private static func bar(_ fraction: Double, width: Int, isUnicode: Bool) -> String {
    guard isUnicode else { return String(repeating: "#", count: Int((fraction * Double(width)).rounded())) }
    let eighths = Int((fraction * Double(width) * 8).rounded())
    let tips = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    return String(repeating: "█", count: eighths / 8) + tips[eighths % 8]
  }
}
