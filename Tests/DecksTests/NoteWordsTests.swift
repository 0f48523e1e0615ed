// The words of notes: read from their index, never from the fields.

import Storage
import TestDecks
import Testing

@testable import Decks

@Suite struct NoteWordsTests {
  let collection = TestCollection()

  @Test func `the words of notes are read without their fields`() throws {
    let deck = try collection.deck("d")
    for field in ["el gato (m)", "<b>El perro</b>", "[sound:a.mp3]", "una frase que es larga"] {
      try collection.addNote(deck, ["Front": field, "Back": "x"])
    }
    try collection.store.read { db in
      var words: [String] = []
      try NoteWords.forEach(db) { words.append($1) }
      #expect(words == ["el gato", "el perro"])
      // A new card is the first of its deck.
      #expect(try NoteWords.newCards(db, in: deck).map(\.word) == [nil, nil, "el perro", "el gato"])
      let operations = try db.rows("EXPLAIN " + NoteWords.sql) { $0.text(1) }
      // A row of the table is only looked for when a column is read that the index lacks.
      #expect(operations.contains("DeferredSeek") && !operations.contains("Function"))
      #expect(
        try db.rows("EXPLAIN QUERY PLAN " + NoteWords.sql) { $0.text(3) } == ["SCAN notes USING INDEX notes_word"])
    }
  }
}
