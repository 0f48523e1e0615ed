// What a terminal shows of the HTML of a card: its lines, its styles, its widths.

import TestSupport
import Text
import Values

@testable import Templates

@Suite struct DrawingTests {
  @Test func `each HTML of the table has its lines`() throws {
    for line in try jsonLines(fixtureText("drawings.jsonl")) {
      let html = try #require(line["html"]?.text)
      #expect(CardDrawing(html).words == line["words"]?.text, "\(html)")
    }
  }

  private func style(_ html: String, _ word: String, _ options: CardDrawing.Options = .init()) -> Style? {
    CardDrawing(html, options).rows(within: 80).flatMap { $0 }.first { $0.text.contains(word) }?.style
  }

  @Test(
    arguments: [
      ("a <b>b</b>", "b", .bold), ("<b>a <i>b</i></b>", "b", [.bold, .italic]), ("<u>b</u>", "b", .underline),
      ("<s>b</s><del>c</del>", "b", .strike), ("<h1>b</h1>", "b", .bold), ("<table><tr><th>b</table>", "b", .bold),
      ("<span style=\"color: #FF2010\">b</span>", "b", .red), ("<font color=\"blue\">b</font>", "b", .blue),
      ("<b style='font-weight:normal;color:rgb(0, 128, 0)'>b</b>", "b", .green), ("<i>a</b>b</i>", "b", .italic),
      ("<span style='color:black'>b</span>", "b", []), ("<span class=cloze>b</span>", "b", [.bold, .cyan]),
      ("<span class=cloze><b>x</b></span> b", "b", []), ("<ul><li><b>x</b><li>b", "b", []), ("a", "a", []),
      ("<p style='color:red'>x<p>b", "b", []), ("<table><tr><td><b>x<td>b", "b", []),
    ] as [(String, String, Style)])
  func `elements and their styles give a style`(_ html: String, _ word: String, _ expected: Style) {
    var options = CardDrawing.Options()
    options.bracketsClozes = false
    #expect(style(html, word, options) == expected, "\(html)")
  }

  @Test func `a text is wrapped below its mark, and the columns of a table share the width`() {
    func rows(_ html: String, _ width: Int) -> [String] { CardDrawing(html).rows(within: width).map(\.text) }
    #expect(rows("<ul><li>one two three</ul>", 9) == ["• one two", "  three"])
    #expect(rows("<blockquote>one two</blockquote>", 6) == ["│ one", "│ two"])
    let table = "<table><tr><td>a<td>one two three<tr><td>b<td>four</table>"
    #expect(rows(table, 10) == ["a  one two", "   three", "b  four"])
    #expect(rows("<table><tr>" + String(repeating: "<td>cell", count: 9) + "</table>", 20).count == 9)
    #expect(rows("<pre>  a  b</pre>", 20) == ["  a  b"])
    for html in [table, "<ul><li>x<ul><li>yyyyyyyyyyyy<ul><li>z z z z"] {
      for width in 4...20 { #expect(rows(html, width).allSatisfy { $0.displayWidth <= width }, "\(html) \(width)") }
    }
  }

  @Test func `a hint shows its name, and its text once it is opened`() throws {
    let side = try CardSides(
      fields: NoteFields(names: ["Front", "Hint"], values: ["q", "<b>h</b> t"]), ordinal: 0, isInterrupted: { false }
    ).front(Template("{{Front}} {{hint:Hint}}")).text
    let closed = CardDrawing(side)
    #expect(closed.words == "q [Hint]" && closed.hasHints)
    var options = CardDrawing.Options()
    options.opensHints = true
    let opened = CardDrawing(side, options)
    #expect(opened.words == "q\nh t" && opened.hasHints)
    #expect(!CardDrawing("q").hasHints)
  }

  @Test func `a screen reader gets words`() {
    let html = "<ul><li><b>a</b> [sound:x.mp3] <img src=p.png alt='a cat'> <img src=q.png></ul>"
    let words = CardDrawing(html, CardDrawing.Options(isSpoken: true)).words
    #expect(words == "a sound picture: a cat picture: q.png")
  }

  @Test func `plain text keeps its white space`() {
    #expect(CardDrawing("a  b<br>  c &lt;b&gt;", isPlain: true).words == "a  b\n  c <b>")
  }

  @Test(arguments: [
    "<b>", "</b>", "<ul><li>", "<blockquote>", "<table><tr><td>", "<td>", "<span class=cloze>", "\\(", "\\(x", "[$]",
    "[sound:", "\\(^", "\\({", "\\(\\frac", "<sup>a", "<a class=hint>", "<p>", "<hr>", "<rt>", "<table><tr><td>a",
  ])
  func `a long field with anything opened and never closed takes linear time`(part: String) {
    let field = String(repeating: part, count: 50_000 / part.utf8.count)
    let start = processorSeconds()
    for html in [field, field + "x\\)" + field] { _ = CardDrawing(html).rows(within: 20) }
    #expect(processorSeconds() - start < 4)
  }
}
