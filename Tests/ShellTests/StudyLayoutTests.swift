// The layout of the study screen: all of a card's texts are visible at every terminal size.

import Templates
import TestSupport
import Text

@testable import Shell

@Suite struct StudyLayoutTests {
  private func layout(
    _ prompt: String, _ answer: String? = nil, columns: Int = 80, rows: Int = 24, scroll: Int = 0,
    choices: String = "1 again 1 min    2 hard 2 d    3 good 5 d    4 easy 11 d        u undo   e edit   ? more"
  ) -> StudyLayout {
    let terminal = Terminal(hasKeyboard: true, hasScreen: true, color: .never) { _ in
      nil
    } size: {
      (columns, rows)
    }
    return StudyLayout(
      terminal: terminal, name: "Spanish::Verbs",
      facts: ["41 due · 12 new · ▓▓▓▓▓▓░░░░░░░░ 38 %", "41 due · 12 new · 38 %", "41 due · 12 new", "38 %"],
      prompt: CardDrawing(plain: prompt), answer: answer.map { CardDrawing(plain: $0) }, choices: choices,
      fewChoices: [
        "1 again 1 min   2 hard 2 d   3 good 5 d   4 easy 11 d   ? keys", "1 again  2 hard  3 good  4 easy  ?",
      ],
      scroll: scroll)
  }

  private static let texts = [
    "el perro", String(repeating: "palabra ", count: 300), String(repeating: "x", count: 1000), "one\ntwo\n\nfour",
    String(repeating: "漢字", count: 200), "a\u{1B}[2Jb", "n\u{303}" + String(repeating: "👩‍👩‍👧 ", count: 80),
    (1...40).map { "line \($0)" }.joined(separator: "\n"),
  ]

  @Test(arguments: texts, [(80, 24), (40, 15), (20, 8), (40, 5), (200, 60)])
  func `scrolling from start to end shows every character of a card, and no line is too wide`(
    text: String, size: (columns: Int, rows: Int)
  ) {
    var seen: [String] = []
    let deepest = layout(text, text, columns: size.columns, rows: size.rows).deepest
    for scroll in 0...deepest {
      let lines = layout(text, text, columns: size.columns, rows: size.rows, scroll: scroll).lines()
      #expect(lines.count <= size.rows - 1)
      #expect(lines.allSatisfy { $0.displayWidth <= size.columns })
      let body = Array(lines.dropFirst())
      seen.append(scroll == 0 ? body.joined() : body[min(body.count - 1, max(0, size.rows - 8))])
      if scroll > 0 { seen.append(body.joined()) }
    }
    let all = seen.joined().filter { $0 != " " }
    for word in text.split(whereSeparator: \.isWhitespace).prefix(50) where word.count < 8 {
      let shown = word.contains("\u{1B}") ? "\\x1B" : String(word)
      #expect(all.contains(shown), "\(word)")
    }
    #expect(!all.contains("\u{1B}"))
  }

  @Test func `the terminal may be resized while a card is laid out`() {
    for change in 0..<60 {
      var asked = 0
      let terminal = Terminal(hasKeyboard: true, hasScreen: true, color: .never) { _ in
        nil
      } size: {
        asked += 1
        return asked > change ? (columns: 30, rows: 10) : (columns: 200, rows: 60)
      }
      let layout = StudyLayout(
        terminal: terminal, name: "D", facts: ["1 due"], prompt: CardDrawing(plain: Self.texts[1]), answer: nil,
        choices: "q quit", scroll: 10_000)
      #expect(!layout.lines().isEmpty)
    }
  }

  @Test func `a line of a card may end with CR LF`() {
    #expect(CardLines().rows(of: CardDrawing(plain: "one\r\ntwo"), within: 20).map(\.text) == ["one", "two"])
    #expect(LeechCommand.firstLine("\r\none\r\ntwo") == "one")
  }

  @Test func `hidden text is indicated, and the answer is shown from its start`() {
    let long = layout(Self.texts[1], "the answer", columns: 40, rows: 15)
    #expect(long.deepest > 0)
    var answered = long
    answered.scroll = long.answerStart
    #expect(answered.lines().contains { $0.contains("the answer") })
    #expect(answered.lines().contains { $0.contains("lines ") && $0.contains(" of ") })
    let short = layout("el perro", "the dog")
    #expect(short.deepest == 0 && short.answerStart == 0)
    #expect(
      short.lines()[0].hasSuffix("38 %")
        && short.lines()[2...4] == ["        el perro", "        ────────", "        the dog"])
  }

  @Test func `the question stays above an answer with a picture, which gets the remaining space`() {
    var layout = layout("el perro", "the dog")
    #expect(layout.pictureRoom == 15)
    layout.picture = (0..<30).map { "row \($0)" }
    #expect(layout.answerStart == 0 && layout.deepest == 15)
    #expect(self.layout(Self.texts[1], "the dog", columns: 40, rows: 15).pictureRoom > 4)
  }

  @Test func `a picture is drawn below the line that names it, instead of its name`() {
    var layout = layout("p", "a")
    layout = StudyLayout(
      terminal: layout.terminal, name: "D", facts: [], prompt: CardDrawing("see <img src=a.png> <img src=b.png>"),
      answer: CardDrawing("<img src=c.png>"), choices: "q quit")
    layout.pictures = ["[picture a.png]": ["ROW 1", "ROW 2"], "[picture c.png]": ["ROW 3"]]
    let lines = layout.lines().map(\.trimmed).filter { !$0.isEmpty }
    #expect(
      lines[1...6].elementsEqual(["see  [picture b.png]", "ROW 1", "ROW 2", lines[4], "ROW 3", "q quit"]), "\(lines)")
  }

  @Test func `a long text is wrapped once for each width, however often it is drawn`() {
    let text = CardDrawing(plain: String(repeating: "palabra ", count: 20_000))
    let wrapping = CardLines()
    func seconds(_ times: Int) -> Double {
      let start = processorSeconds()
      for _ in 0..<times { #expect(wrapping.rows(of: text, within: 70).count > 2000) }
      return processorSeconds() - start
    }
    let first = seconds(1)
    #expect(seconds(50) < 10 * first)
    #expect(wrapping.rows(of: text, within: 30).count > 5000)
    #expect(layout(text.words, rows: 15).lines().contains { $0.contains(" of 2,500") })
  }

  @Test func `on a narrow terminal the choices take several lines and the bar is dropped`() {
    let lines = layout("p", "a", columns: 40, rows: 20).lines()
    #expect(lines[0] == "Spanish::Verbs    41 due · 12 new · 38 %".replacingWidth(40, lines[0]))
    let text = lines.joined(separator: "\n")
    for piece in ["1 again 1 min", "2 hard 2 d", "3 good 5 d", "4 easy 11 d", "u undo", "e edit", "? more"] {
      #expect(text.contains(piece), "\(piece)")
    }
  }

  @Test func `under 20 rows the keys have one line`() {
    #expect(
      layout("p", "a", rows: 19).lines().last?.trimmed
        == "1 again 1 min   2 hard 2 d   3 good 5 d   4 easy 11 d   ? keys")
    #expect(layout("p", "a", columns: 40, rows: 12).lines().last?.trimmed == "1 again  2 hard  3 good  4 easy  ?")
  }
}

extension String {
  /// Returns `line` if it has the given width and the expected start and end, and the text itself otherwise.
  fileprivate func replacingWidth(_ width: Int, _ line: String) -> String {
    line.displayWidth == width && line.hasSuffix("38 %") && line.hasPrefix("Spanish") ? line : self
  }
}

@Suite struct WrappedTextTests {
  @Test(arguments: [
    ("one two three", 7, ["one two", "three"]), ("one two three", 20, ["one two three"]), ("", 5, [""]),
    ("abcdefgh", 3, ["abc", "def", "gh"]), ("a\n\nb", 5, ["a", "", "b"]), ("漢字漢字", 5, ["漢字", "漢字"]),
    ("  indented text here", 12, ["  indented", "text here"]), ("one  two", 5, ["one", "two"]),
    ("👩‍👩‍👧👩‍👩‍👧", 1, ["👩‍👩‍👧", "👩‍👩‍👧"]),
  ])
  func `lines break between words, and within a word only if necessary`(text: String, width: Int, lines: [String]) {
    #expect(text.lines(within: width) == lines)
  }

  @Test func `a long word sticks out where words are not broken`() {
    #expect("see /a/very/long/path now".lines(within: 8, breaksWords: false) == ["see", "/a/very/long/path", "now"])
    #expect("  a b c d".lines(within: 6, indent: "  ") == ["  a b", "  c d"])
  }
}
