// Which cards ask for a typed answer.

import Storage
import Templates
import TestDecks
import TestSupport
import Testing

@testable import Decks

@Suite struct TypedQuestionTests {
  @Test func `a card asks for what its template says, as plain text`() throws {
    let collection = TestCollection()
    let deck = try collection.deck("D")
    let typed = try collection.addNote(
      deck, ["Front": "dog", "Back": "el <b>perro</b>&nbsp;[sound:p.mp3]<br>!"], .typed)
    let plain = try collection.addNote(deck, ["Front": "dog", "Back": "x"])
    let type = NoteTypeDraft(
      name: "T", fields: ["Text", "Other"],
      cards: [
        CardTemplate("C", front: "{{#Other}}{{type:nc:Other}}{{/Other}}{{cloze:Text}}{{type:cloze:Text}}", back: "b")
      ],
      isCloze: true)
    let other = try collection.addNote(deck, NewNote(fields: ["Text": "{{c1::a}} {{c2::b}} {{c1::c::h}}"])) {
      try NoteTypeTable.create($0, type, now: 0)
    }
    let same = try collection.addNote(deck, NewNote(fields: ["Text": "{{c1::a}} and {{c1::a::h}}"])) {
      try NoteTypeTable.find($0, named: "T")
    }
    let accents = try collection.addNote(deck, NewNote(fields: ["Text": "{{c1::a}}", "Other": "é"])) {
      try NoteTypeTable.find($0, named: "T")
    }
    func asked(_ note: NoteID, _ index: Int = 0) throws -> TypedQuestion? {
      try collection.store.read { try NoteTable.typedQuestion($0, NoteTable.cards($0, of: note)[index]) }
    }
    #expect(try asked(typed) == TypedQuestion(expected: "el perro !", ignoresAccents: false))
    #expect(try asked(plain) == nil)
    #expect(try asked(other)?.expected == "a, c" && asked(other, 1)?.expected == "b")
    #expect(try asked(same)?.expected == "a")
    #expect(try asked(accents) == TypedQuestion(expected: "é", ignoresAccents: true))
  }
}

extension String {
  fileprivate subscript(_ index: UInt64) -> Character { self[self.index(startIndex, offsetBy: Int(index))] }
}
