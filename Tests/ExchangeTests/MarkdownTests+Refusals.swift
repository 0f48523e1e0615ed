// What Markdown import refuses: oversized cards, NUL, notes of another deck, two files of the same name.

import Exchange
import Files
import Problems
import Templates
import TestDecks

extension MarkdownTests {
  @Test func `a file may be larger than a card, and a card that is too large is refused in each of its forms`() throws {
    let titles = String(repeating: "# " + String(repeating: "x", count: 9_000) + "\n\n", count: 60)
    let clozes = String(repeating: "{{c1::" + String(repeating: "y", count: 9_000) + "}}\n\n", count: 60)
    #expect(try sides(titles + clozes + "## a\n\nb\n").last == ["a", "b"])
    let lines = String(repeating: String(repeating: "z", count: 9_000) + "\n", count: 120)
    for text in ["## a\n\n" + lines, "Q: a\n" + lines + "A: b\n", "Q: a\nA: b\n" + lines, "{{c1::a}}\n" + lines] {
      let error = #expect(throws: ExchangeError.self) { try imported(text) }
      #expect(error?.message.contains("one row has more than 1,000,000 bytes") == true)
    }
  }

  @Test func `a card with a NUL character is refused`() throws {
    let (report, cards) = try imported("Q: a\0b\nA: c\n\n## d\n\ne\0\n\n## f\n\ng\n")
    let reason = "the text contains a NUL character"
    #expect(report.rejected.map(\.message) == [reason, reason])
    #expect(cards.map(\.prompt) == ["f"])
  }

  @Test func `an update changes no note of another deck, and names that deck`() throws {
    let other = try collection.deck("other")
    try collection.addNote(other, NewNote(fields: ["Front": "mine", "Back": "x"], guid: "n")) {
      try NoteTypeTable.findOrMake($0, named: "Basic", now: 1)
    }
    let text = "## **theirs** <!-- id: n -->\n\ny\n"
    let (report, _) = try imported(text, .update)
    #expect(report.updated == 0 && report.rejected.first?.message.contains("is in the deck \"other\"") == true)
    #expect(try collection.prompts(other) == ["mine"])
    // In the deck itself, or in an inner deck, it is the same note.
    try collection.store.operation("x") { try DeckTable.rename($0, other, to: "d::inner", now: 1) }
    #expect(try imported(text, .update).report.updated == 1 && collection.prompts(other) == ["theirs"])
  }

  @Test func `a card that names two files of the same name is refused`() throws {
    for name in ["one", "two"] {
      try folder.makeFolder(name)
      try AtomicFile.write(folder.file(name + "/cat.png"), Array(name.utf8))
    }
    let text = "Q: ![](one/cat.png)\nA: ![](two/cat.png)\n\nQ: ![](one/cat.png)\nA: ![](./one/cat.png)\n"
    try AtomicFile.write(folder.file("c.md"), Array(text.utf8))
    let deck = try collection.deck("f")
    let report = try collection.store.operation("import") { db in
      let work = try CardImport(db, into: deck, options: ImportOptions(), now: 1) { 7 }
      work.receiveMedia = { _ in "cat.png" }
      try work.run(folder.file("c.md"), isInterrupted: { false })
      return try work.finish()
    }
    #expect(report.cards.added == 1 && report.cards.rejected.map(\.line) == [1])
    #expect(report.cards.rejected.first?.message.contains("same name on the card") == true)
  }
}
