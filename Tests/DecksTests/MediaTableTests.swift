// The media files that notes name: one content per name, and which notes show it.

import TestDecks

@testable import Decks

@Suite struct MediaTableTests {
  let collection = TestCollection()
  let deck: DeckID

  init() throws { deck = try collection.deck("Spanish") }

  @Test func `media named in fields, plain text and templates are found`() throws {
    let note = try collection.addNote(
      deck, ["Front": "<img src=\"a b.png\"> [sound:x.mp3]", "Back": "<img src='http://e/x.png'>"])
    let plain = try collection.add(deck, "[sound:y.mp3]", "<img src=a%20b.png>")
    let ofPlain = try #require(try collection.store.read { try CardTable.card($0, plain) }).note
    let found = try collection.store.read { try MediaTable.references($0) }
    #expect(Set(found.keys) == ["a b.png", "x.mp3", "y.mp3"])
    // A tag in plain text is only text, until a file of that name exists.
    #expect(found["a b.png"] == MediaReferences(notes: [note]))
    try collection.store.operation("x") {
      _ = try MediaTable.add($0, name: "a b.png", hash: String(repeating: "a", count: 64), size: 7)
    }
    let known = try collection.store.read { try MediaTable.references($0) }
    #expect(known["a b.png"] == MediaReferences(notes: [note, ofPlain]))
    // Each card that shows the file counts; a missing file does not.
    #expect(try collection.store.read { try MediaTable.size($0, shownIn: deck) } == 14)
  }

  @Test func `a tag that a field does not close hides no media of the next field`() throws {
    try collection.addNote(deck, ["Front": "if a <b then", "Back": "<img src=\"a.png\">"])
    #expect(try collection.store.read { try MediaTable.references($0) }.keys.sorted() == ["a.png"])
  }

  @Test func `a name with a percent sign is that of the file that exists`() throws {
    try collection.addNote(deck, ["Front": "<img src=\"p%41.png\">", "Back": "b"])
    func names() throws -> Set<String> { Set(try collection.store.read { try MediaTable.references($0) }.keys) }
    #expect(try names() == ["pA.png"])
    try collection.store.operation("x") {
      _ = try MediaTable.add($0, name: "p%41.png", hash: String(repeating: "a", count: 64), size: 7)
    }
    #expect(try names() == ["p%41.png"])
    #expect(try collection.store.read { try MediaTable.size($0, shownIn: deck) } == 7)
    try collection.store.operation("x") {
      _ = try MediaTable.add($0, name: "pA.png", hash: String(repeating: "b", count: 64), size: 7)
    }
    #expect(try names() == ["p%41.png", "pA.png"])
  }

  @Test func `a media name belongs to one content`() throws {
    let (first, second) = (String(repeating: "a", count: 64), String(repeating: "b", count: 64))
    try collection.store.operation("x") { (db: Database) throws in
      #expect(try MediaTable.add(db, name: "x.png", hash: first, size: 1) == "x.png")
      #expect(try MediaTable.add(db, name: "x.png", hash: first, size: 1) == "x.png")
      #expect(try MediaTable.add(db, name: "x.png", hash: second, size: 2) == "x-bbbbbbbb.png")
      #expect(try MediaTable.list(db).map(\.name) == ["x-bbbbbbbb.png", "x.png"])
      // On other systems these are one name.
      #expect(try MediaTable.add(db, name: "X.PNG", hash: second, size: 2) == "X-bbbbbbbb.PNG")
      try MediaTable.remove(db, "X-bbbbbbbb.PNG")
      // A hash with the same prefix as another one.
      let third = "bbbbbbbb" + String(repeating: "c", count: 56)
      #expect(try MediaTable.add(db, name: "x.png", hash: third, size: 3) == "x-bbbbbbbb-cccccccc.png")
      #expect(try MediaTable.namesakes(db, of: "x.png").map(\.hash).sorted() == [first, third, second].sorted())
      for name in ["", "..", "a/b", "a\u{1}", "a[b]", String(repeating: "x", count: 121)] {
        #expect(problemCode { _ = try MediaTable.add(db, name: name, hash: first, size: 1) } == "bad_name")
      }
      try MediaTable.remove(db, "x.png")
      #expect(problemCode { try MediaTable.remove(db, "x.pgn") } == "not_found")
    }
  }
}
