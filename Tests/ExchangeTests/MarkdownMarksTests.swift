// Characters that look like Markdown but are not: rows of dots, unclosed backquotes, a single rule.

import TestDecks

@testable import Exchange

@Suite struct MarkdownMarksTests {
  @Test func `an edit of a long text is applied to it, and one that changes all lines replaces it`() {
    let lines = { (word: String) in (0..<20_000).map { "\(word) \($0)\n" }.joined() }
    let (old, source) = (lines("*a*"), lines("_a_"))
    #expect(MarkdownPatch.applied(from: old, to: "x\n" + old, on: old + "y\n") == "x\n" + old + "y\n")
    #expect(MarkdownPatch.applied(from: old, to: lines("b"), on: source) == lines("b"))
  }

  @Test(arguments: [".", "-", "+-", "*", ")", "1."])
  func `a row of list markers does not count as nested lists`(sign: String) {
    let line = String(repeating: sign, count: 60)
    for text in [line, line + " |", "> " + line, "a\n\(line)x"] { #expect(MarkdownHTML.invalidReason(text) == nil) }
  }

  @Test(arguments: ["- ", "> ", "1. ", "1) ", ">", "*\t", "+ "])
  func `more nested markers than the limit are refused`(mark: String) {
    #expect(MarkdownHTML.invalidReason(String(repeating: mark, count: 60) + "x") != nil)
    #expect(MarkdownHTML.invalidReason(String(repeating: mark, count: 40) + "x") == nil)
  }

  @Test(arguments: ["9223372036854775807", "9999999999", "999999999", "-1", ""])
  func `a list may start at any number`(start: String) {
    let html = "<ol start=\"\(start)\"><li>a</li><li>b</li></ol>"
    #expect(MarkdownText.text(of: html, .blocks).map { MarkdownHTML($0).html } == html)
  }

  /// Returns the HTML of a paragraph with clozes.
  private func cloze(_ text: String) -> String? {
    let html = MarkdownHTML(text, marksClozes: true)
    return html.hasClozes ? html.html : nil
  }

  @Test(arguments: [
    ("don`t ==go==", "don`t {{c1::go}}"), ("`a` ==b== `c", "<code>a</code> {{c1::b}} `c"),
    ("``a ` ==b== `` ==c==", "<code>a ` ==b== </code> {{c1::c}}"),
  ])
  func `unclosed backquotes hide no cloze`(text: String, cloze: String) {
    #expect(self.cloze(text) == cloze)
    #expect(self.cloze("`==b==`") == nil)
  }

  @Test(
    arguments: [
      ("if a == b and c == d", nil), ("a ==b and c== d == e", "a {{c1::b and c}} d == e"),
      ("==a == b==", "{{c1::a == b}}"), ("====", nil), ("==a", nil), ("== a ==", nil), ("a==b==c", "a{{c1::b}}c"),
    ] as [(String, String?)])
  func `an equals sign between blanks marks no cloze`(text: String, cloze: String?) {
    #expect(self.cloze(text) == cloze)
  }

  @Test func `a rule at the start without a second one is not front matter`() throws {
    let cards = "## a\n\nb\n"
    let collection = TestCollection()
    let folder = TemporaryFolder()
    for (index, text) in ["---\n\n" + cards, "---\nid: x\n---\n" + cards, "---\nid: x\n...\n" + cards].enumerated() {
      #expect(MarkdownWriter.rows(in: text)?.map(\.start.line) == [index == 0 ? 3 : 4])
      #expect(try collection.importing(collection.deck("d\(index)"), folder.write(text, to: "a.md")).added == 1)
    }
  }

  @Test(arguments: [
    ("A::B::C:", "A::B::C"), ("::B:: ", "B"), (":B", "B"), ("A::", "A"), (" A :: B", "A::B"),
  ])
  func `a truncated deck name is a valid deck name`(cut: String, name: String) throws {
    #expect(PackageTargets.whole(cut) == name)
    #expect(try DeckName(name).text == name)
  }
}
