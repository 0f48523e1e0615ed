// Packages with pictures and sounds: files whose names are taken, and what names them.

import Templates
import TestDecks

@testable import Exchange

extension PackageTests {
  @Test func `a file with a taken name is imported under a new name`() throws {
    for (collection, content) in [(here, [UInt8(1)]), (there, [2])] {
      let name = try collection.settings().receiveMedia(content, "cat.png")
      let deck = try collection.collection.deck("Words")
      let fields = ["Front": "\(content) <img src=\"\(name)\">", "Back": "[sound:\(name)]"]
      try collection.collection.addNote(deck, NewNote(fields: fields, guid: "g\(content)")) {
        try NoteTypeTable.stock($0, .basic, now: 1)
      }
    }
    try here.importing(there.exporting("Words").path, into: "Words")
    let texts = try here.cards("Words").map(\.prompt)
    let other = try #require(here.media.first { $0.value == [2] }?.key)
    #expect(other != "cat.png" && here.media["cat.png"] == [1])
    #expect(texts == ["[2] [picture \(other)]", "[1] [picture cat.png]"])
  }

  @Test func `a template and its style follow a file that is imported under a new name`() throws {
    for (collection, content) in [(here, [UInt8(1)]), (there, [2])] {
      for name in ["_a.png", "Blah.MP3"] { _ = try collection.settings().receiveMedia(content, name) }
    }
    let sides = ["<img src=\"_a.png\"><script src=_a.png></script>{{Text}}", "{{FrontSide}}[sound:Blah.MP3] x_a.png"]
    let cards = [CardTemplate("Card 1", front: sides[0], back: sides[1])]
    let css = ".card { background: url(_a.png), url('_a.png'), url(my_a.png) }"
    try there.collection.store.operation("type") { db in
      let type = try NoteTypeTable.create(
        db, NoteTypeDraft(name: "Pictures", fields: ["Text"], cards: cards, css: css), now: 1)
      _ = try NoteTypeTable.record(db, type.id)
    }
    let deck = try there.collection.deck("Words")
    try there.collection.addNote(deck, NewNote(fields: ["Text": "t"], guid: "g")) {
      try #require(try NoteTypeTable.named($0, "Pictures"))
    }
    let path = try there.exporting("Words").path
    for _ in 1...2 {
      try here.importing(path, into: "Words")
      #expect(here.media.count == 4 && here.media["_a.png"] == [1])
      let new = try #require(here.media.first { $0.key.hasPrefix("_a-") && $0.value == [2] }?.key)
      let sound = try #require(here.media.first { $0.key.hasPrefix("Blah-") && $0.value == [2] }?.key)
      let type = try #require(try here.collection.store.read { try NoteTypeTable.named($0, "Pictures") })
      #expect(type.css == ".card { background: url(\(new)), url('\(new)'), url(my_a.png) }")
      #expect(type.cards[0].front == "<img src=\"\(new)\"><script src=\(new)></script>{{Text}}")
      #expect(type.cards[0].back == "{{FrontSide}}[sound:\(sound)] x_a.png")
    }
  }

  @Test func `a picture is exported although the field before it has an unclosed tag`() throws {
    let name = try there.settings().receiveMedia([7], "cat.png")
    let deck = try there.collection.deck("Words")
    try there.collection.addNote(deck, ["Front": "if a <b then", "Back": "<img src=\"\(name)\">"])
    try here.importing(there.exporting("Words").path)
    #expect(here.media == ["cat.png": [7]])
  }
}

/// A package that is large enough for a second thread; `ThreadWatchTests` also runs it under its thread check.
@Suite struct SecondThreadTests {
  @Test func `a large package is exported and imported completely`() throws {
    let here = PackageCollection()
    let deck = try here.collection.deck("Many")
    let cards = (0..<1000).map { NewCard(prompt: "prompt \($0)", answer: "answer \($0)") }
    #expect(try here.collection.addAll(deck, cards).added == 1000)
    let (path, report) = try here.exporting("Many")
    #expect(report.cards == 1000)
    let there = PackageCollection()
    #expect(try there.importing(path, into: "Came").added == 1000)
    #expect(try there.importing(path, into: "Came").added == 0)
    #expect(try there.count("cards") == 1000)
  }
}
