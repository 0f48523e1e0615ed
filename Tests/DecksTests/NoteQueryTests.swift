// What queries find in notes, and how other code of Decks reads fields, media and interruptions.

import Templates
import TestDecks

@testable import Decks

@Suite struct NoteQueryTests {
  private let collection = TestCollection()

  private func found(_ deck: DeckID, _ query: String) throws -> [String] {
    let parsed = try CardQuery(query)
    let moment = collection.moment
    let ids = try collection.store.read { try CardTable.ids($0, in: deck, matching: parsed, at: moment) }
    return try collection.store.read { try CardTable.cards($0, ids: ids) }.map(\.prompt)
  }

  @Test func `cards of notes are found by type, fields and displayed texts, ignoring diacritics`() throws {
    let deck = try collection.deck("D")
    try collection.add(deck, "canción", "plain")
    try collection.addNote(deck, ["Text": "The {{c1::sun}} rises", "Back Extra": "<i>el sol</i>"], .cloze)
    try collection.addNote(deck, ["Front": "corazón", "Back": "heart"], .reversed, tags: ["body"])
    for (query, prompts) in [
      ("note:cloze", ["The [...] rises"]), ("note:basic*", ["corazón", "heart", "canción"]),
      ("note:basic", ["canción"]), ("note:nope", []), ("-note:*", []), ("front:canción", ["canción"]),
      ("front:coraz*", ["corazón", "heart"]), ("Back:heart", ["corazón", "heart"]),
      ("\"Back Extra\":*sol*", ["The [...] rises"]), ("-\"back extra\":\"el sol\" note:cloze", []),
      ("sun", ["The [...] rises"]), ("nc:corazon", ["corazón", "heart"]), ("nc:cancion", ["canción"]),
      ("tag:body", ["corazón", "heart"]), ("re:^cor", ["corazón", "heart"]), ("dupe:", []),
    ] as [(String, [String])] {
      #expect(try found(deck, query) == prompts, "\(query)")
    }
    let again = NewNote(fields: ["Front": "corazón", "Back": "core"])
    try collection.addNote(deck, again) { try NoteTypeTable.stock($0, .basic, now: 0) }
    #expect(try found(deck, "dupe:") == ["corazón", "corazón"])
  }

  @Test(arguments: ["el gato", "a < b & c", "uno\ndos", "a  b ", "", "[x] &amp; \"q\"", "x\n\ny", "[sound:a.mp3]"])
  func `plain text comes back from a field as it was`(text: String) {
    #expect(FieldHTML.plain(FieldHTML.html(ofPlain: text)) == text)
  }

  @Test func `formatting is not plain text`() {
    for html in ["<b>a</b>", "a&nbsp;b", "<div>a</div>", "a<br/>"] { #expect(FieldHTML.plain(html) == nil) }
  }

  @Test func `a card says which sounds and pictures its sides name, in order`() throws {
    let deck = try collection.deck("D")
    let note = try collection.addNote(
      deck,
      ["Front": "a [sound:1.mp3] <img src=\"p%20q.png\"> [sound:0.mp3]", "Back": "[sound:2.mp3]<audio src=3.ogg>"])
    let plain = try collection.add(deck, "x [sound:z.mp3][sound:z.mp3]", "y")
    try collection.store.read { db in
      let card = try #require(try CardTable.card(db, NoteTable.cards(db, of: note)[0]))
      let media = try CardMedia(db, of: card)
      #expect(media.promptSounds == ["1.mp3", "0.mp3"] && media.promptPictures == ["p q.png"])
      #expect(media.answerSounds == ["2.mp3", "3.ogg"] && media.answerPictures.isEmpty)
      let other = try #require(try CardTable.card(db, plain))
      #expect(try CardMedia(db, of: other).promptSounds == ["z.mp3"])
    }
  }

  @Test func `interrupted work on notes leaves everything as it was`() throws {
    let deck = try collection.deck("D")
    let text = String(repeating: "<b>word</b> ", count: 100_000)
    let id = try collection.addNote(deck, ["Front": text, "Back": "x"])
    let type = try collection.store.read { try NoteTypeTable.find($0, named: "Basic") }
    for stopsAt in [0, 1, 2] {
      var asked = -1
      let stops = { () -> Bool in
        asked += 1
        return asked >= stopsAt
      }
      #expect(throws: NoteError.interrupted) {
        try collection.store.operation("x") {
          try NoteTable.update($0, id, fields: ["Front": text + "y"], now: 0, isInterrupted: stops)
        }
      }
      asked = -1
      var edit = NoteTypeEdit(type)
      edit.cards[0].value.front = "{{Front}}!"
      #expect(throws: NoteError.interrupted) {
        try collection.store.operation("x") {
          try NoteTypeTable.edit($0, type.id, edit, agreed: true, now: 0, isInterrupted: stops)
        }
      }
    }
    #expect(try collection.store.read { try NoteTable.record($0, id) }.fields[0] == text)
    #expect(try collection.cards(deck)[0].prompt.hasSuffix("word") || collection.cards(deck)[0].prompt.hasSuffix("…"))
    #expect(try collection.store.read { try NoteTypeTable.find($0, named: "Basic") } == type)
  }
}

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
    #expect(try #require(try asked(typed)) == ("el perro !", false))
    #expect(try asked(plain) == nil)
    #expect(try asked(other)?.expected == "a, c" && asked(other, 1)?.expected == "b")
    #expect(try asked(same)?.expected == "a")
    #expect(try #require(try asked(accents)) == ("é", true))
  }
}

extension String {
  fileprivate subscript(_ index: UInt64) -> Character { self[self.index(startIndex, offsetBy: Int(index))] }
}
