// Card edits that affect other cards, and what templates and lists read from a card.

import CardDocuments
import Decks
import Glibc
import Memory
import Problems
import Templates
import TestWorkspace
import Values

@testable import Workspace

@Suite struct CardEditTests {
  private let workspace: Workspace
  private let deck: DeckHandle
  private let note: NoteHandle

  init() throws {
    workspace = try Person().workspace()
    deck = try workspace.decks.create("Deck")
    let other = try deck.add(NewCard(prompt: "last", answer: "x"), at: .bottom)
    note = try deck.addNote(.plain(["Front": "a", "Back": "b"]), type: .reversed)
    // One of its cards was removed: an edit recreates it.
    try workspace.cards.remove([note.cards()[0]])
    #expect(try other.position() == 2)
  }

  @Test func `changing tags recreates a note's missing cards, and all cards know their positions`() throws {
    let last = try #require(try deck.cards().rest().last)
    try workspace.cards.changeTags(note.cards(), adding: ["x"], removing: ["y"])
    #expect(try note.cards().count == 2 && last.position() == 3 && note.record().tags == ["x"])
  }

  @Test func `a tag on which a section depends changes what is a duplicate of the card`() throws {
    let template = CardTemplate("One", front: "{{A}}{{#Tags}}!{{/Tags}}", back: "{{B}}")
    let type = try workspace.noteTypes.create(NoteTypeDraft(name: "Tagged", fields: ["A", "B"], cards: [template]))
    let tagged = try deck.addNote(.plain(["A": "a", "B": "b"]), type: type)
    try workspace.cards.changeTags(tagged.cards(), adding: ["x"])
    let shown = try #require(try tagged.cards().first).record()
    #expect(shown.prompt == "a!")
    #expect(throws: DeckError.self) { try deck.add(NewCard(prompt: shown.prompt, answer: shown.answer)) }
  }

  @Test func `a card that is listed twice is read twice`() throws {
    let card = try #require(try deck.cards().rest().last)
    #expect(try CardSequence([card.id, card.id], in: workspace).rest().count == 2)
  }

  @Test func `texts of several cards are changed, or none if one comes from a note`() throws {
    let last = try #require(try deck.cards().rest().last)
    #expect(throws: (any Error).self) { try workspace.cards.update([last] + note.cards(), prompt: "p", answer: nil) }
    #expect(try last.record().prompt == "last")
    try workspace.cards.update([last], prompt: "p", answer: "q")
    try workspace.cards.update([(last, "p2", nil, ["t"])]) { $1 }
    #expect(try last.record().prompt == "p2" && last.record().answer == "q" && last.record().tags == ["t"])
  }

  @Test func `cards of several batches move to another deck in order, and stay if the caller cancels`() throws {
    let many = try workspace.decks.create("Many")
    for number in 0..<501 { try many.add(NewCard(prompt: "\(number)", answer: "x"), at: .bottom) }
    let cards = try many.cards().rest()
    let (before, other) = (try many.prompts(), try deck.prompts())
    #expect(throws: WorkspaceError.interrupted) {
      try workspace.cards.move(cards, into: deck) { if $0 > 0 { throw WorkspaceError.interrupted } }
    }
    #expect(try many.prompts() == before && deck.prompts() == other)
    #expect(try workspace.cards.move(cards, into: deck) == 501)
    #expect(try deck.prompts() == before + other)
  }

  @Test func `a card of another deck is not removed from this one`() throws {
    let other = try workspace.decks.create("Other")
    let card = try other.add(NewCard(prompt: "p", answer: "q"))
    #expect(try deck.remove(card) == 0 && other.count() == 1 && other.remove(card) == 1 && other.count() == 0)
  }

  @Test func `a card names its note, and recent tags are those of the newest cards`() throws {
    let card = try #require(try note.cards().first)
    #expect(try card.value(of: .note) == .text(note.record().guid))
    try deck.add(NewCard(prompt: "new", answer: "x", tags: ["fresh"]))
    #expect(try workspace.cards.recentTags() == ["fresh"])
  }

  @Test func `a template can use the properties of every card`() throws {
    try workspace.cards.changeTags(note.cards(), adding: ["red", "blue"], removing: [])
    let template = try workspace.documents.create(background: nil)
    _ = try template.addText("{Front} {tags} {state} {due}. {reps}", at: ElementPlacement())
    let filled = try workspace.documents.filled(template, from: deck, matching: "tag:red")
    let texts = try filled.documents.map { try $0.elements()[0].element().text }
    #expect(
      texts.count == 2 && texts.allSatisfy { $0 == "a blue, red new . 0" || $0 == "a red, blue new . 0" }, "\(texts)")
    let unknown = try workspace.documents.create(background: nil)
    _ = try unknown.addText("{Frnt}", at: ElementPlacement())
    #expect(throws: DocumentError.self) { _ = try workspace.documents.filled(unknown, from: deck) }
  }

  @Test func `a picture that cannot be decoded is tried once for all cards of a template`() throws {
    let person = Person()
    let calls = person.folder.file("calls")
    let program = try person.folder.write("#!/bin/sh\necho x >> '\(calls)'\n", to: "draw")
    chmod(program, 0o700)
    let workspace = try person.workspace(drawing: program)
    _ = try workspace.media.add(Array("no picture".utf8), named: "x.png")
    let deck = try workspace.decks.create("D")
    for word in ["a", "b", "c"] {
      try deck.addNote(NewNote(fields: ["Front": "\(word) <img src='x.png'>", "Back": "x"]), type: .basic)
    }
    let template = try workspace.documents.create(background: nil)
    _ = try template.addText("{Front}", at: ElementPlacement())
    #expect(try workspace.documents.filled(template, from: deck).documents.count == 3)
    try workspace.close()
    #expect(person.folder.read("calls") == Array("x\n".utf8))
  }

  @Test func `a file of more than 100 MiB cannot be a media file`() {
    #expect(throws: NoteError.self) {
      _ = try workspace.media.add([UInt8](repeating: 0, count: MediaOperations.limit + 1), named: "a.png")
    }
  }
}
