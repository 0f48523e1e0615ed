// Markdown: what is a card, what is only text, and what comes back of what is written.

import Decks
import Exchange
import Files
import Problems
import Storage
import Templates
import TestDecks
import TestSupport
import Testing

@Suite struct MarkdownTests {
  let collection = TestCollection()
  let folder = TemporaryFolder()

  private func imported(
    _ text: String, _ onDuplicate: OnDuplicate? = nil
  ) throws -> (report: AddReport, cards: [CardRecord]) {
    try AtomicFile.write(folder.file("a.md"), Array(text.utf8))
    let deck = try collection.store.operation("deck") { db in
      do { return try DeckTable.find(db, named: "d").id } catch {
        return try DeckTable.create(db, name: "d", now: 1).id
      }
    }
    var options = ImportOptions()
    options.onDuplicate = onDuplicate
    let report = try collection.importing(deck, folder.file("a.md"), options)
    return (report, try collection.cards(deck))
  }

  private func sides(_ text: String) throws -> [[String]] {
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
    #expect(try sides(text) == [["el gato", "the cat\n\nan animal"], ["el perro", "the dog"]])
  }

  @Test func `questions and answers are cards, of several lines too`() throws {
    let text = "Q: one?\nA: 1\n\nQ: two\nlines?\nA:\n- x\n\n- y\n\n# Next\nQ: no answer\n# End\n"
    let (report, cards) = try imported(text)
    #expect(cards.map { [$0.prompt, $0.answer] } == [["one?", "1"], ["two\nlines?", "- x\n\n- y"]])
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
    #expect(cards.last?.answer == "```\n# not a heading ==x==\n```")
    #expect(cards.contains { $0.prompt == "Capitals" && $0.answer == "- `a == b` is code, no cloze" })
  }

  @Test func `an id keeps the card when its text is edited, tags and the deck come along`() throws {
    let text = { (prompt: String) in
      "## \(prompt) <!-- id: g1; tags: a b -->\n\ncat\n\nQ: q\nA: a\n<!-- id: \"g;2\"; deck: Verbs -->\n\nA ==b==\n\n<!-- id: g3 -->\n<!-- a comment -->\n"
    }
    _ = try imported("---\n---\n" + text("gato") + "---\n")
    let (report, cards) = try imported(text("el gato"), .update)
    #expect(cards.first?.prompt == "el gato" && cards.first?.tags == ["a", "b"])
    #expect(report.added + report.updated + report.skipped > 0 && report.rejected.isEmpty)
    #expect(try collection.cards(collection.deck(named: "d::Verbs")).map(\.guid) == ["g;2"])
  }

  @Test func `what is written comes back, whatever the texts are`() throws {
    let deck = try collection.deck("a")
    let inner = try collection.deck("a::In")
    let texts = [
      "plain", "# heading", "## two\n\nparagraphs", "Q: x\nA: y", "A: x", "---", "```\ncode # x\nQ: z\n```", "```",
      "~~~\nx",
      "\\# x", "\\\\A: x", "<!-- id: evil -->", "text <!-- id: evil --> text", "==x==", "a == b", "{{c1::x}}",
      "- item\n- item", "1. x",
      "  indented\n    more", "\\", "trailing \\", "#", "#x", "> quote", "*b* _i_ `c`", "a\n---\nb", "日本 é 😀",
      "\u{301}x", "-", "$x$",
      "multi\n\n\nblank", "Q:", "<b>", "&amp;", "\\==x==", "a\n# b\nc", "x\n```\ny", "=", "Extra: x", "ends with #",
    ]
    for (number, text) in texts.enumerated() {
      try collection.add(
        number % 3 == 0 ? inner : deck,
        NewCard(
          prompt: text, answer: texts[(number * 7 + 3) % texts.count],
          tags: number % 4 == 0 ? ["t;\(number)", "\"é", "-->"] : [],
          guid: number == 5 ? "g, \"1\" --> ; <!-- & &gt;" : nil))
    }
    for text in [
      "{{c1::one}} and {{c3::two}}", "a == {{c1::b}} \\ # c", "# {{c1::x}}<br>A: y", "&lt;{{c1::x}}&gt;",
      "- {{c1::item}}", "<b>{{c1::x}}</b>",
    ] {
      try collection.addNote(deck, ["Text": text], .cloze, tags: ["c"])
    }
    let path = folder.file("x.md")
    let report = try collection.exporting(deck, path)
    #expect(report.lost.map(\.part) == [.notes] && report.lost[0].count == 2, "\(report.lost)")
    let other = TestCollection()
    let back = try other.importing(other.deck("z"), path)
    #expect(back.rejected.isEmpty && back.added == report.cards, "\(back)")
    for (from, to) in [("a", "z"), ("a::In", "z::In")] {
      let mine = try collection.cards(collection.deck(named: from))
      let theirs = try other.cards(other.deck(named: to))
      #expect(mine.map(\.prompt) == theirs.map(\.prompt))
      #expect(mine.map(\.answer) == theirs.map(\.answer))
      #expect(mine.map(\.guid) == theirs.map(\.guid))
      #expect(mine.map(\.tags) == theirs.map(\.tags))
    }
    #expect(try other.importing(other.deck(named: "z"), path).added == 0)
  }

  @Test func `random texts come back`() throws {
    var generator = TestGenerator(5)
    let pieces = [
      "#", " ", "Q:", "A:", "\n", "```", "-", "---", "==", "{{c1::", "}}", "\\", "<!--", "-->", "id: x", "a", "é", "`",
      ";", "\"", "1. ", "- ",
    ]
    for round in 0..<150 {
      let mine = TestCollection()
      let deck = try mine.deck("a")
      for _ in 0..<6 {
        let text = { () -> String in
          (0..<Int.random(in: 1...9, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }
            .joined()
        }
        let (prompt, answer) = (text(), text())
        do { try mine.add(deck, prompt, answer) } catch is DeckError { continue }
      }
      let path = folder.file("r.md")
      _ = try mine.exporting(deck, path)
      let other = TestCollection()
      let back = try other.deck("b")
      let report = try other.importing(back, path)
      #expect(report.rejected.isEmpty, "round \(round)")
      let (left, right) = (try mine.cards(deck), try other.cards(back))
      #expect(left.map(\.prompt) == right.map(\.prompt), "round \(round)")
      #expect(left.map(\.answer) == right.map(\.answer), "round \(round)")
    }
  }

  @Test func `bytes that are no UTF-8 name their line`() throws {
    let bytes = Array("## é\nx\n".utf8) + [0xFF, 0x0A]
    try AtomicFile.write(folder.file("b.md"), bytes)
    let deck = try collection.deck("e")
    let error = #expect(throws: ExchangeError.self) { try collection.importing(deck, folder.file("b.md")) }
    #expect(
      error?.message
        == "b.md:3:1: UTF-8 expected; if the file is in latin-1, give --encoding latin-1. Nothing was imported.")
  }
}
