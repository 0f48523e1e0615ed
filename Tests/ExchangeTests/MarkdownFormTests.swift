// Rare forms of HTML, which Markdown expresses or holds as they are: their round trips.

import Templates
import TestDecks

extension MarkdownTests {
  @Test(arguments: [
    "<ol><li>a</li><li>b</li></ol>", "<hr>", "<p>a</p><hr><p>b</p>", "<pre><code></code></pre>", "12. a", "12) a",
    "12", "1.5",
    "<table><thead><tr><th align=\"left\">a</th><th align=\"center\">b</th></tr></thead></table>",
    "<table><thead><tr><th><code>a|b</code></th></tr></thead></table>", "<a href=\"https://a.org\">https://a.org</a>",
    "<a href=\"https://a.org\" title=\"t\">y</a>", "<a href=\"x\" title=\"a\\b\">y</a>", "<img alt=\"x\">",
    // HTML without a Markdown form stays HTML.
    "<ol start=\"x\"><li>a</li></ol>", "<ol start=\"3\"><li>a", "<pre><code class=\"x\">a</code></pre>",
    "<table><thead><tr><th align=\"top\">a</th></tr></thead></table>",
    "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr>",
    "<table><thead><tr><th>a</th></tr></thead><tbody><td>b</td></tbody></table>",
    "<ul><li>a<p>b</p></li></ul>", "<ul><li><ul><li>b</li></ul></li></ul>", "<ul><li><p>a</li></ul>",
    "<blockquote>a", "{{c1::a}}<br>{{c2::b|c}}", "a\u{A0}b", "<b>", "</b>", "a\tb",
  ])
  func `rare HTML comes back byte by byte`(_ html: String) throws {
    let deck = try collection.deck("a")
    try collection.addNote(deck, ["Front": "f", "Back": html], .basic)
    _ = try collection.exporting(deck, folder.file("x.md"))
    let other = TestCollection()
    let report = try other.importing(other.deck("z"), folder.file("x.md"))
    #expect(report.rejected.isEmpty && report.added == 1)
    #expect(try notes(other, "z") == [["f", html]], "\(text(of: folder.file("x.md")))")
  }

  @Test(arguments: [5, 19, 20, 21, 30]) func `nested quotations come back, at any depth`(depth: Int) throws {
    let (start, end) = (
      String(repeating: "<blockquote>", count: depth), String(repeating: "</blockquote>", count: depth)
    )
    try `rare HTML comes back byte by byte`(start + "x" + end)
  }
}
