// Rare forms of Markdown and HTML: their conversion, and their round trips.

import Exchange
import Files
import Templates
import TestDecks

@Suite struct MarkdownFormTests {
  private let collection = TestCollection()
  private let folder = TemporaryFolder()

  private func fields(_ answer: String) throws -> [String] {
    try folder.write("Q: q\nA:\n\(answer)\n", to: "a.md")
    let deck = try collection.deck("d")
    #expect(try collection.importing(deck, folder.file("a.md")).rejected.isEmpty)
    let card = try #require(try collection.cards(deck).first)
    return try collection.store.read { try NoteTable.record($0, card.note).fields }
  }

  @Test(arguments: [
    ("1. a\n2. b", "<ol><li>a</li><li>b</li></ol>"), ("![a\nb](c.png)", "<img src=\"c.png\" alt=\"a b\">"),
    ("![a *b* `c`](c.png)", "<img src=\"c.png\" alt=\"a b c\">"),
    ("[a](https://b.org \"t \\\"u\\\"\")", "<a href=\"https://b.org\" title=\"t &quot;u&quot;\">a</a>"),
    ("| a |\n|---|", "<table><thead><tr><th>a</th></tr></thead></table>"),
    (
      "| a | b |\n|:--|:-:|\n| 1 |",
      "<table><thead><tr><th align=\"left\">a</th><th align=\"center\">b</th></tr></thead><tbody><tr>"
        + "<td align=\"left\">1</td><td align=\"center\"></td></tr></tbody></table>"
    ),
    ("```\n```", "<pre><code></code></pre>"), ("$$a\nb$$", "\\[a b\\]"), ("$a\n\nb$", "<p>$a</p><p>b$</p>"),
    ("`a ``b", "`a ``b"), ("[sound:a\nb]", "[sound:a b]"), ("a &#x41; &nosuch; b", "a &#x41; &amp;nosuch; b"),
    ("x [empty]() y", "x <a href=\"\">empty</a> y"),
  ])
  func `rare Markdown becomes HTML`(_ markdown: String, _ html: String) throws {
    #expect(try fields(markdown) == ["q", html])
  }

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
    let path = folder.file("x.md")
    _ = try collection.exporting(deck, path)
    let other = TestCollection()
    let report = try other.importing(other.deck("z"), path)
    let written = String(decoding: folder.read("x.md") ?? [], as: UTF8.self)
    #expect(report.rejected.isEmpty && report.added == 1, "\(written)")
    let card = try #require(try other.cards(other.deck(named: "z")).first)
    #expect(try other.store.read { try NoteTable.record($0, card.note).fields } == ["f", html], "\(written)")
  }

  @Test func `nested lists come back, at any depth`() throws {
    let deck = try collection.deck("a")
    for depth in [5, 19, 20, 21, 30] {
      let html =
        String(repeating: "<blockquote>", count: depth) + "x" + String(repeating: "</blockquote>", count: depth)
      try collection.addNote(deck, ["Front": "f\(depth)", "Back": html], .basic)
    }
    let path = folder.file("x.md")
    _ = try collection.exporting(deck, path)
    let other = TestCollection()
    #expect(try other.importing(other.deck("z"), path).added == 5)
    func backs(_ collection: TestCollection, _ name: String) throws -> Set<String> {
      Set(
        try collection.cards(collection.deck(named: name)).map { card in
          try collection.store.read { try NoteTable.record($0, card.note).fields[1] }
        })
    }
    #expect(try backs(other, "z") == backs(collection, "a"))
  }
}
