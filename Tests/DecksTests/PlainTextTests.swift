// Plain text comes back as the same characters, whatever form the note stores it in.

import Templates
import TestDecks
import Text

@testable import Decks

@Suite struct PlainTextTests {
  private let collection = TestCollection()

  private static let pieces = [
    " ", "  ", "\n", "\r\n", "\r", "\t", "<", ">", "&", "&amp;", "&lt;", "&nbsp;", "&#13;", "<br>", "<b>x</b>",
    "\u{1F}", "\u{1}", "[sound:x.mp3]", "<img src=\"x.png\">", "{{c1::x}}", "a", "é", "日", "\u{A0}", "\u{2028}",
    "\u{7F}", "\\(x\\)", "<!-- x -->",
  ]

  /// Returns a random text that is not blank.
  private func text(_ generator: inout TestGenerator) -> String {
    let parts = (0..<Int.random(in: 1...8, using: &generator)).map { _ in
      Self.pieces.randomElement(using: &generator) ?? ""
    }
    return parts.joined() + "z\(Int.random(in: 0..<1_000_000, using: &generator))"
      + (parts.count > 4 ? parts.joined() : "")
  }

  private func expectSame(_ deck: DeckID, _ expected: [NewCard]) throws {
    for (card, given) in zip(try collection.cards(deck), expected) {
      #expect(card.prompt.utf8.elementsEqual(given.prompt.trimmed.utf8), "\(given.prompt.debugDescription)")
      #expect(card.answer.utf8.elementsEqual(given.answer.trimmed.utf8), "\(given.answer.debugDescription)")
    }
  }

  @Test(arguments: [1, 2, 3])
  func `texts come back as they were given, also when their notes are rewritten`(seed: UInt64) throws {
    var generator = TestGenerator(seed)
    let cards = (0..<400).map { _ in NewCard(prompt: text(&generator), answer: text(&generator)) }
    let deck = try collection.deck("d")
    // The first cards of a batch are written one by one, the others together.
    #expect(try collection.addAll(deck, cards).added == 400)
    try expectSame(deck, cards)
    try collection.store.operation("renew") { db in
      for card in try CardTable.ids(db, in: deck) {
        let note = try #require(try CardTable.card(db, card)).note
        try NoteTable.update(db, note, tags: ["again"], now: 5, isInterrupted: { false })
      }
    }
    try expectSame(deck, cards)
    #expect(try collection.addAll(deck, cards).skipped == 400)
    let others = cards.map { _ in NewCard(prompt: text(&generator), answer: text(&generator)) }
    try collection.store.operation("edit") { db in
      for (card, new) in zip(try CardTable.ids(db, in: deck), others) {
        #expect(try !CardTable.update(db, card, prompt: new.prompt, answer: new.answer, now: 9))
      }
    }
    try expectSame(deck, others)
    try expectSame(deck, others)
    let contents = try collection.store.read {
      try $0.rows("SELECT content FROM cards ORDER BY rank") { $0.integer(0) }
    }
    #expect(try contents == collection.cards(deck).map { CardTexts(prompt: $0.prompt, answer: $0.answer).content })
  }

  @Test func `fields are Anki's HTML, and a text set on a card becomes its field`() throws {
    let deck = try collection.deck("d")
    let id = try collection.add(deck, "a < b\nc", "x & y")
    func fields() throws -> [String] {
      try collection.store.read { db in
        try NoteTable.record(db, #require(try CardTable.card(db, id)).note).fields
      }
    }
    #expect(try fields() == ["a &lt; b<br>c", "x &amp; y"])
    try collection.store.operation("x") { _ = try CardTable.update($0, id, answer: "<z>", now: 1) }
    #expect(try fields() == ["a &lt; b<br>c", "&lt;z&gt;"])
  }

  @Test func `each card has a note of its own, and is removed with it`() throws {
    let deck = try collection.deck("d")
    let cards = (1...200).map { NewCard(prompt: "p\($0)", answer: "a\($0)", tags: ["t"]) }
    #expect(try collection.addAll(deck, cards).added == 200)
    let all = try collection.cards(deck)
    #expect(Set(all.map(\.note)).count == 200 && all.allSatisfy { $0.ordinal == 0 })
    let notes = try collection.store.read { db in try all.map { try NoteTable.record(db, $0.note) } }
    #expect(notes.map(\.guid) == all.map(\.guid) && notes.allSatisfy { $0.tags == ["t"] })
    #expect(notes.map(\.id.rawValue) == notes.map(\.id.rawValue).sorted())
    try collection.store.operation("remove") { _ = try CardTable.remove($0, all.prefix(150).map(\.id)) }
    #expect(try collection.store.read { try NoteTypeTable.noteCount($0, notes[0].type) } == 50)
    #expect(try collection.store.integrityProblems() == [])
  }

  @Test func `a refused card leaves no note`() throws {
    let deck = try collection.deck("d")
    try collection.add(deck, "a", "b", guid: "g")
    #expect(problemCode { try collection.add(deck, "c", "d", guid: "g") } == "duplicate")
    #expect(problemCode { try collection.add(deck, "a", "b") } == "duplicate")
    #expect(try collection.store.read { try $0.rows("SELECT id FROM notes") { $0.integer(0) } }.count == 1)
  }
}

@Suite struct NoteWordsTests {
  let collection = TestCollection()

  @Test func `the words of notes are read without their fields`() throws {
    let deck = try collection.deck("d")
    for field in ["el gato (m)", "<b>El perro</b>", "[sound:a.mp3]", "una frase que es larga"] {
      try collection.addNote(deck, ["Front": field, "Back": "x"])
    }
    try collection.store.read { db in
      var (words, new): ([String], [String?]) = ([], [])
      try NoteWords.forEach(db) { words.append($1) }
      #expect(words == ["el gato", "el perro"])
      // A new card is the first of its deck.
      try NoteWords.forEachNewCard(db, in: deck) { new.append($1) }
      #expect(new == [nil, nil, "el perro", "el gato"])
      let operations = try db.rows("EXPLAIN " + NoteWords.sql) { $0.text(1) }
      // A row of the table is only looked for when a column is read that the index lacks.
      #expect(operations.contains("DeferredSeek") && !operations.contains("Function"))
      #expect(
        try db.rows("EXPLAIN QUERY PLAN " + NoteWords.sql) { $0.text(3) } == ["SCAN notes USING INDEX notes_word"])
    }
  }
}
