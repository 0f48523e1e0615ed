// Charts in a terminal: text is wrapped, and no line is wider than the terminal.

import CardDocuments
import Testing
import Text

@testable import Shell

@Suite struct ChartLineTests {
  private func terminal(_ width: Int) -> Terminal {
    Terminal(
      hasKeyboard: true, hasScreen: true, color: .never, environment: { ["TERM": "xterm", "LANG": "C.UTF-8"][$0] },
      size: { (width, 24) })
  }

  @Test func `columns that are all empty are one line`() {
    let panel = ChartPanel("Time", .columns([0, 0], axis: ["-29 d", "today"]), highest: "0 min")
    #expect(panel.lines(on: terminal(80)) == ["Time  0 min"])
  }

  @Test func `columns that do not fit are merged, and the last one is still today's`() {
    let values = [Double](repeating: 0, count: 29) + [5]
    let panel = ChartPanel("Time", .columns(values, axis: ["-29 d", "today"]), highest: "4.4 min")
    let lines = panel.lines(on: terminal(40))
    #expect(lines[1] == "  4.4 min │" + String(repeating: " ", count: 27) + "█")
    #expect(lines.last?.hasSuffix(" today") == true && lines.allSatisfy { $0.displayWidth <= 40 })
  }

  @Test(arguments: [20, 40, 100])
  func `a long line of words is wrapped without losing any`(width: Int) {
    let words = "85 % of \"Spanish\" by 2030-06-01, 20 minutes a day: about 1,204 cards remembered"
    let lines = ChartPanel("Goal", .words([words, "short"])).lines(on: terminal(width))
    #expect(lines[0] == "Goal" && lines.last == "  short" && lines.allSatisfy { $0.displayWidth <= width })
    let told = lines.dropFirst().dropLast().map(\.trimmed).joined(separator: " ")
    #expect(told == words && (lines.count == 3) == (width == 100))
  }
}
