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

  @Test(arguments: [20, 40, 100])
  func `a long line of words is wrapped without losing any`(width: Int) {
    let words = "85 % of \"Spanish\" by 2030-06-01, 20 minutes a day: about 1,204 cards remembered"
    let lines = ChartPanel("Goal", .words([words, "short"])).lines(on: terminal(width))
    #expect(lines[0] == "Goal" && lines.last == "  short" && lines.allSatisfy { $0.displayWidth <= width })
    let told = lines.dropFirst().dropLast().map(\.trimmed).joined(separator: " ")
    #expect(told == words && (lines.count == 3) == (width == 100))
  }
}
