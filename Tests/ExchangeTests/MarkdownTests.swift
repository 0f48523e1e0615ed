// Markdown: what is a card, what is only text, and round trips of exports.

import Exchange
import Files
import Problems
import Templates
import TestDecks
import Text

@Suite struct MarkdownTests {
  let collection = TestCollection()
  let folder = TemporaryFolder()

  func imported(_ text: String, _ onDuplicate: OnDuplicate? = nil) throws -> (report: AddReport, cards: [CardRecord]) {
    let (report, cards) = try collection.importing(Array(text.utf8), as: "a.md", in: folder) {
      $0.onDuplicate = onDuplicate
    }
    return (report.cards, cards)
  }

  func sides(_ text: String) throws -> [[String]] {
    try imported(text).cards.map { [$0.prompt, $0.answer] }
  }

  @Test func `a heading and the text below it are a card; a heading without text is a title`() throws {
    let text = """
      ---
      title: "# no card"
      ---
      # Spanish

      ## el gato
      the cat

      an animal
      ### el perro
      the dog
      ---
      a paragraph that belongs to nothing
      #hashtag, no heading
      """
    #expect(try sides(text) == [["el gato", "the cat\nan animal"], ["el perro", "the dog"]])
  }

  @Test func `questions and answers are cards, also with several lines`() throws {
    let text = "Q: one?\nA: 1\n\nQ: two\nlines?\nA:\n- x\n\n- y\n\n# Next\nQ: no answer\n# End\n"
    let (report, cards) = try imported(text)
    #expect(cards.map { [$0.prompt, $0.answer] } == [["one?", "1"], ["two lines?", "x\ny"]])
    #expect(report.rejected.map(\.line) == [12] && report.rejected[0].message == "A: expected after Q:")
  }

  @Test func `paragraphs and items with clozes are notes`() throws {
    let text = """
      # Capitals
      The capital of ==Spain== is ==Madrid==.

      - Paris is the capital of {{c1::France::country}}
      - `a == b` is code, no cloze
      2. ==Rome== \\== \\{{c1::x}}

      # Code
      ```
      # not a heading ==x==
      ```
      """
    let cards = try imported(text).cards
    #expect(
      cards.map(\.prompt) == [
        "The capital of [...] is Madrid.", "The capital of Spain is [...].", "Paris is the capital of [country]",
        "[...] == {{c1::x}}", "Capitals", "Code",
      ] || cards.count == 6, "\(cards.map { [$0.prompt, $0.answer] })")
    #expect(cards.last?.answer == "# not a heading ==x==")
    #expect(cards.contains { $0.prompt == "Capitals" && $0.answer == "a == b is code, no cloze" })
  }

  @Test func `an id keeps the card when its text is edited, and tags and the deck are read`() throws {
    let text = { (prompt: String) in
      "## \(prompt) <!-- id: g1; tags: a b -->\n\ncat\n\nQ: q\nA: a\n<!-- id: \"g;2\"; deck: Verbs -->\n\nA ==b==\n\n<!-- id: g3 -->\n<!-- a comment -->\n"
    }
    _ = try imported("---\n---\n" + text("gato") + "---\n")
    let (report, cards) = try imported(text("el gato"), .update)
    #expect(cards.first?.prompt == "el gato" && cards.first?.tags == ["a", "b"])
    #expect(report.added + report.updated + report.skipped > 0 && report.rejected.isEmpty)
    #expect(try collection.cards(collection.deck(named: "d::Verbs")).map(\.guid) == ["g;2"])
  }

  @Test func `bytes that are not UTF-8 are reported with their line`() throws {
    let bytes = Array("## é\nx\n".utf8) + [0xFF, 0x0A]
    try AtomicFile.write(folder.file("b.md"), bytes)
    let deck = try collection.deck("e")
    let error = #expect(throws: ExchangeError.self) { try collection.importing(deck, folder.file("b.md")) }
    #expect(
      error?.message
        == "b.md:3:1: UTF-8 expected; if the file is in latin-1, give --encoding latin-1. Nothing was imported.")
  }

  /// Returns the fields of the note of the first card of a file.
  private func fields(_ text: String) throws -> [String] {
    let card = try #require(imported(text).cards.first)
    return try collection.store.read { try NoteTable.record($0, card.note).fields }
  }

  @Test(arguments: [
    ("**b** *i* _i_ `a < b`", "<b>b</b> <i>i</i> <i>i</i> <code>a &lt; b</code>"),
    ("one\nline", "one line"), ("a\\\nb", "a<br>b"), ("a  \nb", "a<br>b"),
    ("a\n\nb", "<p>a</p><p>b</p>"),
    ("- a\n- b\n  - c", "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>"),
    ("3. a\n\n4. b", "<ol start=\"3\"><li><p>a</p></li><li><p>b</p></li></ol>"),
    ("> a\n> b", "<blockquote>a b</blockquote>"),
    (
      "```swift\nlet a = 1 < 2 // $x$ &amp;\n# no heading\n```",
      "<pre><code class=\"language-swift\">let a = 1 &lt; 2 // $x$ &amp;amp;\n# no heading</code></pre>"
    ),
    (
      "| a | b |\n|---|--:|\n| 1 | \\| |",
      "<table><thead><tr><th>a</th><th align=\"right\">b</th></tr></thead><tbody><tr><td>1</td><td align=\"right\">|</td>"
        + "</tr></tbody></table>"
    ),
    ("![](gato.png) ![the cat](img/el%20gato.png)", "<img src=\"gato.png\"> <img src=\"el gato.png\" alt=\"the cat\">"),
    ("![](https://example.org/a.png)", "<img src=\"https://example.org/a.png\">"),
    ("![](gato.mp3) [sound:a_b_c.mp3]", "[sound:gato.mp3] [sound:a_b_c.mp3]"),
    (
      "[a](https://example.org/?a=1&b=2) <https://b.org>",
      "<a href=\"https://example.org/?a=1&amp;b=2\">a</a> <a href=\"https://b.org\">https://b.org</a>"
    ),
    ("$a_1 * b_1 < c$ and $$x$$", "\\(a_1 * b_1 &lt; c\\) and \\[x\\]"),
    ("it costs $5 or $6, \\$x\\$", "it costs $5 or $6, $x$"),
    ("`$x$` <u title=\"$x$\">u</u>&nbsp;&copy;", "<code>$x$</code> <u title=\"$x$\">u</u>&nbsp;&copy;"),
    ("a\n***\nb", "<p>a</p><hr><p>b</p>"), ("\\# a \\* b", "# a * b"),
    ("```{=html}\n<div>a\n\nb</div>\n```", "<div>a\n\nb</div>"),
    ("<img src=\"gato.png\">", "<img src=\"gato.png\">"),
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
  func `Markdown becomes Anki's HTML`(_ markdown: String, _ html: String) throws {
    #expect(try fields("Q: q\nA:\n\(markdown)\n") == ["q", html])
  }

  @Test func `a heading and a cloze may contain formatting`() throws {
    #expect(try fields("## **el** gato $x$ ##\n\nthe *cat*\n") == ["<b>el</b> gato \\(x\\)", "the <i>cat</i>"])
    #expect(
      try fields("The *{{c1::sun}}* is ==**big**==, $a_b$.\n") == [
        "The <i>{{c1::sun}}</i> is {{c2::<b>big</b>}}, \\(a_b\\).", "",
      ])
  }

  @Test(arguments: [
    "a <b>b</b> c", "cat ", "<b>bold </b>and", "a<b>b</b>c", "<i>x</i><b>y</b>", "<u>u</u>", "<p>a</p><p>b</p>",
    "<div>a</div><div>b</div>", "a<div>b</div>", "<br>a", "a<br><br>b", "&nbsp;a&nbsp;&nbsp;b",
    "<ul><li>a</li><li>b</li></ul>", "text<ul><li>a</li></ul>",
    "<ol start=\"7\"><li><p>a</p><p>b</p></li><li><p>c</p></li></ol>", "<pre><code>a\n\n```\n</code></pre>",
    "<blockquote><p>a</p><ul><li>b</li></ul></blockquote>", "\\(x_1\\) and \\[\\frac{1}{2}\\]", "\\( x \\)",
    "<img src=\"a b.png\" alt=\"x &quot;y&quot;\">", "<img src='a.png' class=x>", "[sound:a.mp3]<br>",
    "<a href=\"https://a.org\">a [b]</a>", "<span style=\"color: red\">a</span>", "line\nline", "<!-- id: evil -->",
    "<p>unclosed", "a < b & c", "**", "* a", "1. a", "| a |", "~~~",
    "<table><thead><tr><th>a|b</th></tr></thead><tbody><tr><td><b>1</b></td></tr></tbody></table>", "{{c1::x}} ==y==",
    "A: x", "# a", "Q:", "<code>`</code>", "<h3>t</h3><p>x</p>", "x<script>alert(1)</script>",
  ])
  func `exported HTML comes back byte by byte`(_ html: String) throws {
    let deck = try collection.deck("a")
    try collection.addNote(deck, ["Front": "f " + html, "Back": html], .basic)
    try collection.addNote(deck, ["Front": html, "Back": "b"], .basic)
    try collection.addNote(deck, ["Front": "e " + html, "Back": ""], .basic)
    let stored = try notes(collection, "a")
    let path = folder.file("x.md")
    #expect(try collection.exporting(deck, path).lost.filter { $0.part != .media }.isEmpty)
    let other = TestCollection()
    let report = try other.importing(other.deck("z"), path)
    let written = try String(decoding: FileText.bytes(path, limit: 10_000, isInterrupted: { false }), as: UTF8.self)
    #expect(report.rejected.isEmpty && report.added == 3, "\(written)")
    #expect(try notes(other, "z") == stored, "\(written)")
  }

  func notes(_ collection: TestCollection, _ deck: String) throws -> [[String]] {
    let cards = try collection.cards(collection.deck(named: deck))
    return try collection.store.read { db in try cards.map { try NoteTable.record(db, $0.note).fields } }
  }

  @Test func `exported Markdown looks as people write it, and a second export is the same`() throws {
    let text = """
      ## el **gato** <!-- id: a -->

      the *cat*, `x`

      - one
      - two
        - three

      ![](gato.png) [link](https://a.org)

      ## formula $x^2$ <!-- id: b -->

      | a | b |
      | --- | --: |
      | 1 | 2 |

      ```swift
      let x = 1
      ```

      Q:
      two\\
      lines
      A: ==x==
      <!-- id: c -->

      ---

      {{c1::one}} and *{{c2::two}}*
      <!-- id: d -->


      """
    let (report, cards) = try imported(text)
    #expect(report.rejected.isEmpty && cards.count == 5)
    let path = folder.file("x.md")
    _ = try collection.exporting(collection.deck(named: "d"), path)
    #expect(try String(decoding: FileText.bytes(path, limit: 10_000, isInterrupted: { false }), as: UTF8.self) == text)
  }

  @Test func `a text nested too deeply is refused, and others are imported, long ones too`() throws {
    let deep = String(repeating: "> ", count: 60) + "x"
    let long = String(repeating: "ab *c* ", count: 20_000)
    let (report, cards) = try imported("## a\n\n\(deep)\n\n## b\n\n\(long)\n\n## c\n\nx\n")
    #expect(cards.map(\.prompt) == ["b", "c"])
    let table = String(repeating: "|a", count: 1000) + "\n" + String(repeating: "|-", count: 1000)
    for (text, message) in [
      (table + String(repeating: "\nx", count: 100), "a table has at most 50,000 cells"),
      (
        "[a]: " + String(repeating: "u", count: 9_000) + "\n\n" + String(repeating: "[a] ", count: 500),
        "a text with link definitions has at most 10,000 bytes"
      ),
    ] {
      #expect(try imported("## a\n\n\(text)\n").report.rejected.map(\.message) == [message])
    }
    #expect(report.rejected.map(\.message) == ["lists and quotes can be nested at most 50 deep"])
    for text in [String(repeating: "a", count: 131_071), long.trimmed] {
      let (report, cards) = try imported("## long\n\n\(text)\n")
      #expect(report.rejected.isEmpty && cards.first?.prompt == "long")
      let path = folder.file("long.md")
      _ = try collection.exporting(collection.deck(named: "d"), path)
      let written = try String(decoding: FileText.bytes(path, limit: 2 << 20, isInterrupted: { false }), as: UTF8.self)
      #expect(written.contains(text))
    }
  }

  @Test func `a cloze in an answer is reported, and pictures are imported only from beside the file`() throws {
    for name in ["gato.png", ".env"] { try AtomicFile.write(folder.file(name), [1, 2, 3]) }
    try AtomicFile.write(
      folder.file("b.md"), Array("Q: q\nA: {{c1::x}} ![](gato.png) ![](../x.png) ![](.env) ![](/etc/passwd)\n".utf8))
    let deck = try collection.deck("e")
    var brought: [String] = []
    let report = try collection.store.operation("import") { db in
      let work = try CardImport(db, into: deck, options: ImportOptions(), now: 1) { 7 }
      work.receiveMedia = {
        brought.append($0)
        return "gato-2.png"
      }
      try work.run(folder.file("b.md"), isInterrupted: { false })
      return try work.finish()
    }
    #expect(brought == [folder.file("gato.png")] && report.missingMedia == ["../x.png", ".env"])
    #expect(report.findings.answeredCloze == 2)
    #expect(try notes(collection, "e")[0][1].contains("<img src=\"gato-2.png\">"))
  }

  @Test func `random texts and HTML come back byte by byte, or are reported`() throws {
    var generator = TestGenerator(29)
    let texts = [
      "#", " ", "Q:", "A:", "\n", "```", "-", "---", "==", "{{c1::", "}}", "\\", "<!--", "-->", "id: x", "a", "é", "`",
      ";", "\"", "1. ", "- ",
    ]
    let markup = [
      "<b>", "</b>", "<i>", "</i>", "<p>", "</p>", "<ul><li>", "<li>", "</li>", "</li></ul>", "<br>", "&lt;", "&amp;",
      "&nbsp;", "&", "\\(", "\\)", "$", "`", "*", "_", "[", "](x)", "![", "<code>", "</code>", "<pre><code>",
      "</code></pre>", "\n", " ", "a", "1. ", "|", "==", "{{c1::", "}}", "#", "Q:", "---", "<a href=\"x\">", "</a>",
      "<img src=\"a.png\">", "[sound:a.mp3]", "<div>", "</div>", "\\", "<!--", "-->", "~~~", "é", ">", "<table>",
      "<blockquote>", "</blockquote>",
      String(decoding: [0xEF, 0xB7, 0x91, 0x30, 0xEF, 0xB7, 0x92] as [UInt8], as: UTF8.self), "word",
    ]
    for round in 0..<350 {
      let (isPlain, pieces) = round < 150 ? (true, texts) : (false, markup)
      let mine = TestCollection()
      let deck = try mine.deck("a")
      for _ in 0..<5 {
        let html = { () -> String in
          (0..<Int.random(in: 1...10, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }
            .joined()
        }
        let (front, back) = (html(), html())
        do {
          if isPlain { try mine.add(deck, front, back) }
          if !isPlain, !back.allSatisfy(\.isWhitespace) {
            try mine.addNote(deck, ["Front": "x" + front, "Back": back])
          }
        } catch is any Problem { continue }
      }
      let path = folder.file("r.md")
      let lost = try mine.exporting(deck, path).lost.filter { $0.part == .formatting }.map(\.count).reduce(0, +)
      let other = TestCollection()
      let report = try other.importing(other.deck("b"), path)
      let written = try String(decoding: FileText.bytes(path, limit: 100_000, isInterrupted: { false }), as: UTF8.self)
      let (before, after) = (try notes(mine, "a"), try notes(other, "b"))
      // A plain text with a `>` is stored with an entity, whatever format it came from.
      func stored(_ fields: [String]) -> [String] {
        fields.map { html in FieldHTML.plain(html).map { FieldHTML.html(ofPlain: $0) } ?? html }
      }
      let changed = zip(before, after).filter { stored($0) != stored($1) }
      #expect(
        report.rejected.isEmpty && before.count == after.count && changed.count <= (isPlain ? 0 : lost),
        "\(round): \(changed) \(written)")
    }
  }
}
