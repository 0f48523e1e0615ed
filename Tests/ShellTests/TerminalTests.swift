// Tests of terminal capabilities, of text widths and of tables.

import Commands
import Decks
import TestSupport
import Text

@testable import Shell

@Suite struct TerminalTests {
  @Test(arguments: [
    (true, Terminal.ColorChoice.auto, ["TERM": "xterm"], true), (false, .auto, ["TERM": "xterm"], false),
    (true, .auto, ["TERM": "dumb"], false), (true, .auto, [:], false),
    (true, .auto, ["TERM": "xterm", "NO_COLOR": "1"], false),
    (true, .auto, ["TERM": "xterm", "NO_COLOR": ""], true), (false, .always, [:], true),
    (true, .never, ["TERM": "xterm"], false), (true, .always, ["NO_COLOR": "1", "TERM": "dumb"], true),
  ])
  func `colour is used for terminals that support it`(
    screen: Bool, choice: Terminal.ColorChoice, environment: [String: String], expected: Bool
  ) {
    let terminal = Terminal(hasKeyboard: true, hasScreen: screen, color: choice) { environment[$0] }
    #expect(terminal.usesColor == expected)
    #expect(terminal.styled("x", [.bold, .red]) == (expected ? "\u{1B}[1;31mx\u{1B}[0m" : "x"))
    #expect(terminal.styled("x", []) == "x")
  }

  @Test func `a terminal that reports its columns but no rows has 24 rows`() {
    func height(_ rows: Int) -> Int {
      Terminal(hasKeyboard: true, hasScreen: true, size: { (80, rows) }).height
    }
    #expect(height(0) == 24)
    #expect(height(2) == 5)
    #expect(height(30) == 30)
  }

  @Test(arguments: [
    (["LANG": "de_DE.UTF-8"], true), (["LC_ALL": "C", "LANG": "de_DE.UTF-8"], false), ([:], true),
    (["LANG": "C.utf8"], true), (["LC_ALL": "", "LANG": "POSIX"], false),
  ])
  func `characters beyond ASCII are used for UTF-8 terminals`(environment: [String: String], expected: Bool) {
    #expect(Terminal(hasKeyboard: true, hasScreen: true) { environment[$0] }.usesUnicode == expected)
    #expect(Terminal(hasKeyboard: true, hasScreen: false) { environment[$0] }.usesUnicode)
  }

  @Test(arguments: [
    ("", 0), ("abc", 3), ("ñ", 1), ("n\u{303}", 1), ("漢字", 4), ("カ", 2), ("ｶ", 1), ("한", 2),
    ("\u{1112}\u{1161}\u{11AB}", 2), ("🐕", 2), ("👩‍👩‍👧", 2), ("🇪🇸", 2), ("❤️", 2), ("❤", 1), ("👍🏽", 2), ("Ａ", 2),
    ("\u{200B}", 0), ("…", 1), ("━", 1), ("ا", 1), ("\u{1B}", 0), ("─█", 2), ("1️⃣", 2), ("नि", 2),
  ])
  func `a text is as wide as a terminal draws it`(text: String, expected: Int) {
    #expect(text.displayWidth == expected)
  }

  @Test(arguments: [
    ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("漢字漢", 4, "漢…"), ("漢字漢", 5, "漢字…"), ("abc", 1, "…"), ("abc", 0, ""),
    ("", 0, ""), ("n\u{303}n\u{303}n\u{303}", 2, "n\u{303}…"),
  ])
  func `a text is truncated between characters`(text: String, width: Int, expected: String) {
    #expect(text.cut(to: width) == expected)
    #expect(text.cut(to: width).displayWidth <= width)
  }
}

@Suite struct TableTests {
  private static let decks = TableText(
    [.init("Deck"), .init("Cards", .right), .init("Last studied")],
    rows: [
      ["Spanish", "1,204", "never"], ["漢字", "310", "yesterday"], ["Evil\u{1B}[2J", "1"], ["x", "2", "", "extra"],
    ],
    whenEmpty: "No decks yet.")

  private func terminal(width: Int?, color: Terminal.ColorChoice = .never) -> Terminal {
    Terminal(hasKeyboard: true, hasScreen: width != nil, color: color, size: { width.map { ($0, 24) } })
  }

  @Test func `columns are aligned and control characters are shown`() {
    #expect(
      Self.decks.lines(on: terminal(width: nil)) == [
        "Deck         Cards  Last studied", "Spanish      1,204  never", "漢字           310  yesterday",
        "Evil\\x1B[2J      1", "x                2",
      ])
  }

  @Test func `a narrow terminal truncates the widest columns`() {
    #expect(
      Self.decks.lines(on: terminal(width: 26)) == [
        "Deck       Cards  Last st…", "Spanish    1,204  never", "漢字         310  yesterd…", "Evil\\x1B…      1",
        "x              2",
      ])
  }

  @Test func `no line is wider than the terminal, whatever the cells`() {
    var random = TestGenerator(5)
    let letters = ["a", "漢", "é", "🐕", " ", "\t", "n\u{303}"]
    for _ in 0..<300 {
      let columns = (0..<Int.random(in: 1...9, using: &random)).map {
        TableText.Column("c\($0)", $0 % 2 == 0 ? .left : .right)
      }
      let rows = (0..<4).map { _ in
        columns.map { _ in
          (0..<Int.random(in: 0...30, using: &random)).compactMap { _ in letters.randomElement(using: &random) }
            .joined()
        }
      }
      let width = Int.random(in: 20...90, using: &random)
      for line in TableText(columns, rows: rows).lines(on: terminal(width: width)) {
        #expect(line.displayWidth <= width)
        #expect(line.last != " ")
      }
    }
  }

  @Test func `on a narrow terminal the other columns make room for the main ones`() {
    let table = TableText(
      [
        .init("#", .right), .init("Prompt", isMain: true), .init("Answer", isMain: true), .init("Tags"), .init("State"),
      ],
      rows: [["1", "the endoplasmic reticulum", "a network of membranes", "biology cells", "review"]])
    #expect(
      table.lines(on: terminal(width: 60)) == [
        "#  Prompt                     Answer                  State",
        "1  the endoplasmic reticulum  a network of membranes  review", "(not shown: tags)",
      ])
    #expect(
      table.lines(on: terminal(width: 30)) == [
        "#  Prompt         Answer", "1  the endoplas…  a network o…", "(not shown: tags, state)",
      ])
  }

  @Test func `an explanation goes on below its beginning or its row, a number is whole, a file loses its middle`() {
    let table = TableText(
      [.name("Name"), .number("Size"), .words("What it is for")],
      rows: [["alpha", "1,234,567", "some words that say what it is for"]])
    #expect(
      table.lines(on: terminal(width: 50)) == [
        "Name        Size  What it is for", "alpha  1,234,567  some words that say what it is", "                  for",
      ])
    #expect(
      table.lines(on: terminal(width: 30)) == [
        "Name        Size", "alpha  1,234,567", "  some words that say what it", "  is for",
      ])
    let files = TableText(
      [.init("File", isMain: true, fit: .middle), .number("Size")], rows: [["a/long/folder/episode1.srt", "1,234"]])
    #expect(files.lines(on: terminal(width: 24)) == ["File                Size", "a/long/f…ode1.srt  1,234"])
  }

  @Test func `an empty table says so`() {
    #expect(TableText([.init("Deck")], whenEmpty: "No decks yet.").lines(on: terminal(width: 80)) == ["No decks yet."])
    let long = TableText([.init("Deck")], whenEmpty: "No deck has a goal; `deck goal` sets one.")
    #expect(long.lines(on: terminal(width: 26)) == ["No deck has a goal; `deck", "goal` sets one."])
    #expect(TableText([.init("Deck")]).lines(on: terminal(width: 80)).isEmpty)
  }

  @Test func `a display is its parts, one after the other`() {
    let display = Display.parts([.lines(["a\u{7}"]), .none, .table(TableText([.init("T")], rows: [["x"]]))])
    #expect(display.lines(on: terminal(width: 80)) == ["a\\x07", "T", "x"])
    #expect(display.lines(on: terminal(width: 80, color: .always)) == ["a\\x07", "\u{1B}[1mT\u{1B}[0m", "x"])
    let fields = Display.fields([Display.Field("Front", "one\r\ntwo")])
    #expect(fields.lines(on: terminal(width: 80)) == ["Front  one", "       two"])
  }
}

@Suite struct RedirectionTests {
  @Test func `output stays redirected after a redirection within a redirected run`() {
    let screen = Terminal(hasKeyboard: false, hasScreen: true)
    let console = Console(terminal: screen, messages: screen, isQuiet: true, elapsed: { 0 })
    console.redirected(to: 1) {
      console.redirected(to: 1) {}
      #expect(!console.terminal.hasScreen)
    }
    #expect(console.terminal.hasScreen)
  }
}

@Suite struct NumberTests {
  @Test(arguments: [
    // Now it is 8:00; the day began at 4:00, the one before at -20:00.
    (14_400.0, 0), (14_399.0, 1), (-3600.0, 1), (-72_000.0, 1), (-72_001.0, 2), (32_400.0, 0), (1e300, 0),
    (-1e300, 1_000_000_000_000), (.infinity, 0), (-.infinity, 1_000_000_000_000),
  ])
  func `the evening before is yesterday, and a file may contain any time`(moment: Double, days: Int) {
    #expect(daysAgo(moment, at: StudyMoment(now: 8 * 3600)) == days)
  }

  @Test(arguments: [(0, "1970-01-01"), (1_157_407, "5138-11-16"), (2_932_897, "10000-01-01"), (-800_000, "53-06-19")])
  func `a day is shown as its date, however far it is`(day: Int, date: String) {
    #expect(StudyMoment.date(ofDay: day) == date)
    #expect(StudyMoment.date(ofDay: .max) == StudyMoment.date(ofDay: 1_000_000_000_000))
  }
}
