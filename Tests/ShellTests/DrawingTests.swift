// Tests of drawing on a terminal: progress, bars, screens.

import CardDocuments
import Testing
import Text

@testable import Shell

/// A test terminal that records what was written on it.
private final class Paper {
  var written = ""
  var time = 100.0

  func terminal(
    width: Int = 80, height: Int = 24, screen: Bool = true, color: Terminal.ColorChoice = .never,
    term: String = "xterm",
    language: String = "C.UTF-8"
  ) -> Terminal {
    Terminal(
      hasKeyboard: true, hasScreen: screen, color: color, environment: { ["TERM": term, "LANG": language][$0] },
      size: { (width, height) })
  }

  func progress(_ label: String, total: Int?, unit: String = "cards", on terminal: Terminal) -> ProgressLine {
    ProgressLine(label, total: total, unit: unit, on: terminal, now: { self.time }, write: { self.written += $0 })
  }

  func take() -> String {
    defer { written = "" }
    return written
  }
}

@Suite struct ProgressTests {
  private let paper = Paper()

  @Test func `progress of less than a second is never drawn`() {
    let progress = paper.progress("Importing", total: 100, on: paper.terminal())
    for _ in 0..<100 {
      paper.time += 0.0099
      progress.step()
    }
    progress.finish()
    #expect(paper.written.isEmpty)
    #expect(progress.done == 100)
  }

  @Test func `the line shows progress, rate and remaining time`() {
    let progress = paper.progress("Importing words.tsv", total: 1_000_000, on: paper.terminal(width: 100))
    paper.time += 2
    progress.step(710_000)
    #expect(
      paper.take()
        == "\rImporting words.tsv  ━━━━━━━━━━━━━━━━━━━╸────────   71 %  355,000 cards/s  0.8 s left\u{1B}[K")
    progress.finish()
    #expect(paper.take() == "\r\u{1B}[K")
    progress.step()
    progress.finish()
    #expect(paper.take().isEmpty)
  }

  @Test func `the share refers to the total once it is known, and no rate is shown without a unit`() {
    // A package's bytes are its total until its notes are counted.
    let progress = paper.progress("Importing a.apkg", total: 5_000_000, unit: "", on: paper.terminal(width: 100))
    paper.time += 2
    progress.update(500, of: 1000)
    let line = paper.take()
    #expect(line.contains(" 50 %  2.0 s left") && !line.contains("/s"), "\(line)")
    paper.time += 2
    progress.update(750)
    #expect(paper.take().contains(" 75 %"))
  }

  @Test func `it is drawn at most ten times a second`() {
    let progress = paper.progress("Counting", total: 1000, on: paper.terminal())
    for _ in 0..<1000 {
      paper.time += 0.01
      progress.step()
    }
    let drawn = paper.written.count { $0 == "\r" }
    #expect((80...91).contains(drawn))
  }

  @Test(arguments: [
    (0, false, "xterm"), (100, false, "xterm"), (100, true, "dumb"),
  ])
  func `nothing is drawn in a pipe or on a terminal without cursor movement`(total: Int, screen: Bool, term: String) {
    let progress = paper.progress("x", total: total, on: paper.terminal(screen: screen, term: term))
    paper.time += 50
    progress.step(10)
    progress.finish()
    #expect(paper.written.isEmpty)
  }

  @Test func `without a total it counts, and extreme numbers do no harm`() {
    let progress = paper.progress("Reading\u{1B}[2J", total: nil, unit: "", on: paper.terminal())
    paper.time += 4
    progress.step(12)
    #expect(paper.take() == "\rReading\\x1B[2J  12  3.0/s\u{1B}[K")
    let waiting = paper.progress("Asking", total: nil, on: paper.terminal())
    paper.time += 2.5
    waiting.step(0)
    #expect(paper.take() == "\rAsking  2.5 s\u{1B}[K")
    for count in [Int.max, -5, Int.min, 1] {
      paper.time += 1e12
      progress.step(count)
    }
    progress.update(Int.min)
    #expect(progress.done == 0)
    let full = paper.progress("Full", total: Int.max, on: paper.terminal())
    paper.time += 2
    full.step(1)
    full.update(Int.max)
    #expect(paper.take().contains("0 %"))
  }

  @Test func `whatever the width and the progress, the line fits the terminal`() {
    for width in [20, 30, 45, 60, 81, 200] {
      for done in [0, 1, 500, 999, 1000, 2000] {
        for language in ["C.UTF-8", "C"] {
          let paper = Paper()
          let terminal = paper.terminal(width: width, language: language)
          let progress = paper.progress("A label that is rather long 漢字", total: 1000, on: terminal)
          paper.time += 3
          progress.step(done)
          let line = String(paper.written.dropFirst().prefix { $0 != "\u{1B}" })
          #expect(line.displayWidth < width)
        }
      }
    }
  }
}

@Suite struct ChartTests {
  private let rows: [ChartPanel.Row] = [
    .init("Spanish", 1204, "1204"), .init("漢字", 310, "310"), .init("none", 0, "0"), .init("debt", -602, "-602"),
  ]

  @Test func `bars are as long as their values`() {
    let lines = ChartPanel("Cards", .rows(rows)).lines(on: Paper().terminal(width: 40, screen: false))
    #expect(
      lines == [
        "Cards", "  Spanish  1204  " + String(repeating: "█", count: 22), "  漢字      310  ██████", "  none        0",
        "  debt     -602  ███████████",
      ])
  }

  @Test func `for a screen reader a chart is its figures`() {
    var terminal = Paper().terminal(width: 40)
    terminal.usesScreenReader = true
    #expect(ChartPanel("", .rows(rows)).lines(on: terminal)[0] == "  Spanish  1204")
    let panel = ChartPanel("Due", .columns([3, 0, 12.25], axis: ["today", "2 d"]), highest: "12")
    #expect(panel.lines(on: terminal) == ["Due", "  today to 2 d: 3, 0, 12.3"])
    let shares = ChartPanel("Coverage", .columns([0.5, 1], axis: ["0", "9"]), highest: "100 %")
    #expect(shares.lines(on: terminal)[1] == "  0 to 9, in %: 50, 100")
    #expect(ChartPanel("Days", .cells([[0, 0.5, nil]], axis: [])).lines(on: terminal)[1] == "  1 of 2 days")
  }

  @Test func `a terminal without UTF-8 gets ASCII characters, and colours only if wanted`() {
    let plain = ChartPanel("", .rows(rows)).lines(on: Paper().terminal(width: 40, language: "C"))
    #expect(plain.first == "  Spanish  1204  " + String(repeating: "#", count: 22))
    let colored = ChartPanel("", .rows(rows)).lines(on: Paper().terminal(width: 40, color: .always))
    #expect(colored[0].contains("\u{1B}[36m") && colored[3].contains("\u{1B}[2m"))
  }

  @Test func `any values and labels fit the terminal`() {
    let values = [0, -1, .nan, .infinity, -.infinity, 1e300, .leastNonzeroMagnitude, 0.125, -0.0]
    for width in [20, 33, 120] {
      for value in values {
        let name = String(repeating: "漢", count: 99)
        let chart = ChartPanel(
          String(repeating: "t", count: 300), .rows([.init(name, value, "\(value)"), .init("", 3, "3")]))
        for line in chart.lines(on: Paper().terminal(width: width)) { #expect(line.displayWidth <= max(width, 40)) }
      }
    }
    #expect(ChartPanel("", .rows([])).lines(on: Paper().terminal()).isEmpty)
  }
}

@Suite struct ScreenTests {
  private let paper = Paper()

  @Test func `only changed lines are written again`() {
    let screen = Screen(paper.terminal()) { paper.written += $0 }
    screen.show(["a", "b", "c"])
    #expect(paper.take() == "\u{1B}[2Ka\n\u{1B}[2Kb\n\u{1B}[2Kc\n\u{1B}[J")
    screen.show(["a", "x", "c"])
    #expect(paper.take() == "\u{1B}[3A\r\n\u{1B}[2Kx\n\n\u{1B}[J")
    screen.show(["a", "x", "c"])
    #expect(paper.take().isEmpty)
    screen.show(["a"])
    #expect(paper.take() == "\u{1B}[3A\r\n\u{1B}[J")
    screen.clear()
    #expect(paper.take() == "\u{1B}[1A\r\u{1B}[J")
    screen.clear()
    #expect(paper.take().isEmpty)
  }

  @Test func `everything is drawn again from the top`() {
    let screen = Screen(paper.terminal()) { paper.written += $0 }
    screen.show(["b"])
    _ = paper.take()
    screen.redrawAll(["b"])
    #expect(paper.take() == "\u{1B}[H\u{1B}[2J\u{1B}[2Kb\n\u{1B}[J")
  }

  @Test func `a pipe and a dumb terminal get plain lines in reading order`() {
    let screen = Screen(paper.terminal(term: "dumb")) { paper.written += $0 }
    screen.show(["a", "b"])
    screen.show(["c"])
    screen.clear()
    #expect(paper.written == "a\nb\nc\n")
  }

  @Test func `lines beyond the terminal's height are left out`() {
    let screen = Screen(paper.terminal(height: 6)) { paper.written += $0 }
    screen.show((0..<20).map { "\($0)" })
    #expect(paper.written.count { $0 == "\n" } == 5)
  }

  @Test(arguments: [
    ("\u{1B}[1mabc\u{1B}[0m", 3, "\u{1B}[1mabc\u{1B}[0m"), ("\u{1B}[1mabcd\u{1B}[0m", 3, "\u{1B}[1mab…\u{1B}[0m"),
    ("ab\u{1B}[1mcd\u{1B}[0me", 4, "ab\u{1B}[1mc…\u{1B}[0m"), ("漢\u{1B}[1m字", 3, "漢\u{1B}[1m…\u{1B}[0m"),
    ("abc", 2, "a…"),
  ])
  func `styles take no width when a line is truncated`(text: String, width: Int, expected: String) {
    #expect(text.styledCut(to: width) == expected)
  }
}

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
