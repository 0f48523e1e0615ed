// Undo steps through the workspace: names, and the documents and settings of a step.

import Authentication
import Decks
import Files
import Glibc
import Problems
import Storage
import Templates
import TestWorkspace
import ToggleSettings

@testable import CardDocuments
@testable import Workspace

/// The rows of all documents, as another process reads them.
private func rows(_ person: Person) throws -> [String] {
  let workspace = try person.workspace()
  let found = try workspace.read {
    try $0.rows("SELECT id, content, modified FROM documents ORDER BY id") { row in
      "\(row.text(0)) \(row.number(2)) \(row.text(1))"
    }
  }
  try workspace.close()
  return found
}

@Suite struct UndoStepTests {
  private let person = Person()

  @Test func `a step that created a document is not undone while a card shows it`() throws {
    let workspace = try person.workspace()
    let document = try workspace.documents.create(background: .black)
    let step = try #require(workspace.care.steps().first).id
    let card = try workspace.decks.create("Spanish").add(NewCard(prompt: "p", answer: "a"))
    let id = try document.document().id.description
    try card.setDocument(id)
    let error = #expect(throws: UndoError.self) { try workspace.care.undo(step) }
    let reason = "redone: a card would show a document that does not exist; nothing was changed"
    #expect(error?.message.hasSuffix(reason) == true)
    #expect(try card.record().document == id)
    try card.setDocument(nil)
    let detaching = try #require(workspace.care.steps().first).id
    try workspace.care.undo(step)
    #expect(try workspace.read { try DocumentTable.ids($0) }.isEmpty)
    #expect(throws: UndoError.self) { try workspace.care.undo(detaching) }
    #expect(try card.record().document == nil)
    try workspace.close()
  }

  @Test func `a step that added a media file is not undone while a card names it`() throws {
    let workspace = try person.workspace()
    _ = try workspace.media.add([1], named: "a.ogg")
    let step = try #require(workspace.care.steps().first).id
    let card = try workspace.decks.create("Deck").add(NewCard(prompt: "[sound:a.ogg]", answer: "x"))
    let error = #expect(throws: UndoError.self) { try workspace.care.undo(step) }
    let reason = "redone: the media file \"a.ogg\" is used and would not exist; nothing was changed"
    #expect(error?.message.hasSuffix(reason) == true)
    #expect(try workspace.media.check().missing.isEmpty)
    try workspace.cards.remove([card])
    try workspace.care.undo(step)
    #expect(try workspace.media.all().isEmpty)
    try workspace.close()
  }

  @Test func `a removed media file that a card names is removed again by redo, after any undo`() throws {
    let workspace = try person.workspace()
    _ = try workspace.media.add([1], named: "a.ogg")
    let deck = try workspace.decks.create("Deck")
    _ = try deck.add(NewCard(prompt: "[sound:a.ogg]", answer: "x"))
    #expect(try workspace.media.firstUsed(of: ["b.ogg", "a.ogg"])?.name == "a.ogg")
    try workspace.media.remove(["a.ogg"])
    let removal = try #require(workspace.care.steps().first).id
    _ = try workspace.decks.create("Other")
    try workspace.care.undo(removal)
    #expect(try workspace.media.all().count == 1)
    try workspace.care.redo()
    #expect(try workspace.media.all().isEmpty)
    while let step = try workspace.care.steps().first(where: { !$0.isUndone }) { try workspace.care.undo(step.id) }
    while try workspace.care.steps().contains(where: \.isUndone) { try workspace.care.redo() }
    #expect(try workspace.media.all().isEmpty && workspace.decks.open("Other").count() == 0)
    try workspace.close()
  }

  @Test func `a step that made a deck is not undone while a later deck is within it`() throws {
    let workspace = try Person().workspace()
    _ = try workspace.decks.create("a::b")
    let step = try #require(workspace.care.steps().first).id
    let later = try workspace.decks.create("a::c")
    let error = #expect(throws: UndoError.self) { try workspace.care.undo(step) }
    #expect(
      error?.message.hasSuffix("redone: the deck \"a::c\" would have no parent deck; nothing was changed") == true)
    #expect(try workspace.decks.all().map { try $0.record().name } == ["a", "a::b", "a::c"])
    _ = try later.remove()
    try workspace.care.undo(step)
    #expect(try workspace.decks.all().isEmpty)
  }

  @Test func `a step that made the only card that a note still has is not undone`() throws {
    let workspace = try Person().workspace()
    let deck = try workspace.decks.create("Deck")
    let note = try deck.addNote(.plain(["Front": "a", "Back": "b"]), type: .optionalReversed)
    let first = try note.cards()
    try note.update(fields: ["Add Reverse": "y"])
    let step = try #require(workspace.care.steps().first).id
    try workspace.cards.remove(first)
    let error = #expect(throws: UndoError.self) { try workspace.care.undo(step) }
    #expect(error?.code == "undo_conflict")
    #expect(try note.cards().count == 1)
    try workspace.care.undo()
    try workspace.care.undo(step)
    #expect(try note.cards().map(\.id) == first.map(\.id))
  }

  @Test func `each operation is a step with its name and count`() throws {
    let workspace = try person.workspace()
    let deck = try workspace.decks.create("Spanish")
    _ = try deck.addAll(onDuplicate: .skip) { batch in
      for n in 0..<1204 { _ = try batch.add(NewCard(prompt: "p\(n)", answer: "a")) }
    }
    try workspace.beginUnit()
    for n in 0..<3 { _ = try deck.add(NewCard(prompt: "q\(n)", answer: "a")) }
    try deck.rename(to: "Español")
    workspace.care.nameChanges { "run make.lua" }
    try workspace.commitUnit()
    workspace.care.nameChanges { nil }
    _ = try deck.remove()
    #expect(
      try workspace.care.steps().map(\.name) == [
        "removing Español with 1,207 cards", "adding 3 cards to Spanish, renaming a deck: Español (run make.lua)",
        "adding 1,204 cards to Spanish", "creating the deck Spanish",
      ])
    try workspace.close()
    // As another process would.
    let again = try person.workspace()
    #expect(try again.care.undo().name == "removing Español with 1,207 cards")
    #expect(try again.decks.open("Español").count() == 1207)
    try again.care.undo()
    #expect(try again.decks.open("Spanish").count() == 1204)
    try again.care.undo()
    try again.care.undo()
    #expect(try again.decks.all().isEmpty)
    for _ in 0..<3 { try again.care.redo() }
    #expect(try again.decks.open("Español").count() == 1207)
    #expect(try again.care.integrityProblems() == [])
  }

  @Test func `a script's documents are in its step, its settings and games are not`() throws {
    let workspace = try person.workspace()
    let document = try workspace.documents.create(background: .black)
    let element = try document.addText("one", at: ElementPlacement())
    let before = try rows(person)
    try workspace.beginUnit()
    try element.set(.text, to: .text("two"))
    let other = try workspace.documents.create(background: nil)
    _ = try other.addText("new", at: ElementPlacement())
    _ = try workspace.decks.create("D")
    try workspace.preferences().tree.set("study.limit", to: .number(7), by: .user)
    workspace.care.nameChanges { "run make.lua" }
    try workspace.commitUnit()
    let after = try rows(person)
    #expect(after.count == 2)
    try workspace.care.undo()
    #expect(try rows(person) == before)
    #expect(try element.element().text == "one")
    #expect(throws: DocumentError.self) { try other.document().change { try $0.setBackground(.black) } }
    #expect(try workspace.decks.all().isEmpty)
    #expect(try workspace.preferences().study.most == 7)
    try workspace.care.redo()
    #expect(try rows(person) == after)
    #expect(try element.element().text == "two")
    #expect(try workspace.preferences().study.most == 7)
    // Undo two steps: the text, then the document itself.
    try workspace.care.undo()
    try workspace.care.undo()
    try workspace.care.undo()
    #expect(try rows(person).isEmpty)
    for _ in 0..<3 { try workspace.care.redo() }
    #expect(try rows(person) == after)
  }

  @Test func `several media files are one step, all of them or none`() throws {
    let workspace = try person.workspace()
    let paths = try (0..<12).map { try person.folder.write("sound \($0)", to: "s\($0).mp3") }
    #expect(throws: (any Error).self) { try workspace.media.add(from: paths + ["/nonexistent.mp3"]) }
    #expect(try workspace.media.all().isEmpty && workspace.care.steps().isEmpty)
    #expect(try workspace.media.add(from: paths).count == 12)
    #expect(try workspace.care.steps().map(\.name) == ["adding 12 media files"])
    #expect(try workspace.media.check().damaged.isEmpty)
    try workspace.beginUnit()
    _ = try workspace.media.add(from: (0..<3).map { try person.folder.write("tone \($0)", to: "t\($0).mp3") })
    try workspace.commitUnit()
    #expect(try workspace.care.steps().first?.name == "adding 3 media files")
    // A file whose content was lost in a power cut is written again.
    let path = try workspace.media.path("s1.mp3")
    try AtomicFile.write(path, Array(repeating: 0, count: 7))
    _ = try workspace.media.add(from: paths[1])
    #expect(try FileText.bytes(path, limit: 100) == Array("sound 1".utf8))
  }

  @Test func `a picture added in a rolled-back unit is removed, one that may still be needed stays`() throws {
    let workspace = try person.workspace()
    let document = try workspace.documents.create(background: .black)
    let contents = { try Folder.names(in: workspace.folder + "/media").count }
    func addPicture(_ byte: UInt8) throws -> ElementHandle {
      try document.addImage(Picture(png: [byte], width: 1, height: 1), frame: nil)
    }
    let picture = try addPicture(10)
    #expect(try contents() == 1)
    try workspace.beginUnit()
    _ = try addPicture(20)
    _ = try addPicture(10)
    #expect(try contents() == 2)
    try workspace.rollbackUnit()
    #expect(try contents() == 1 && document.elements().count == 1)
    try document.remove()
    #expect(try contents() == 1)
    #expect(try workspace.media.check().leftover.files == 1)
    try workspace.care.undo()
    #expect(try workspace.media.check().leftover.files == 0 && document.document().check().isEmpty)
    #expect(try picture.element().image != nil)
    try workspace.care.redo()
    #expect(try workspace.media.clean() == 1 && contents() == 0)
  }

  @Test func `a document changed by code inside an operation is rolled back with it`() throws {
    struct Failure: Error {}
    let workspace = try person.workspace()
    let deck = try workspace.decks.create("D")
    let document = try workspace.documents.create(background: .black)
    let before = try rows(person)
    #expect(throws: Failure.self) {
      try deck.addAll(onDuplicate: .skip) { batch in
        _ = try batch.add(NewCard(prompt: "p", answer: "a"))
        _ = try document.addText("inside", at: ElementPlacement())
        throw Failure()
      }
    }
    #expect(try rows(person) == before)
    #expect(try deck.count() == 0)
    _ = try deck.addAll(onDuplicate: .skip) { batch in
      _ = try batch.add(NewCard(prompt: "p", answer: "a"))
      _ = try document.addText("inside", at: ElementPlacement())
    }
    #expect(try rows(person) != before)
    try workspace.care.undo()
    #expect(try rows(person) == before)
    #expect(try deck.count() == 0)
  }

  @Test func `a plugin's changes in a unit are limited in total over all its calls`() throws {
    let workspace = try person.workspace()
    let deck = try workspace.decks.create("Spanish")
    let card = try deck.add(NewCard(prompt: "p", answer: "a"))
    let long = String(repeating: "x", count: 300_000)
    func grow(_ plugin: String, _ times: Int) throws {
      try workspace.limitingPending(of: plugin, to: 1 << 20) {
        for number in 0..<times { try card.update(answer: long + "\(number)") }
      }
    }
    try workspace.beginUnit()
    // Each edit keeps the text before and after it.
    #expect(throws: WorkspaceError.tooMuchWaits) { try grow("a", 10) }
    #expect(throws: WorkspaceError.tooMuchWaits) { try grow("a", 2) }
    let answer = try card.record().answer
    #expect(answer.hasPrefix(long) && !answer.hasSuffix("9"))
    try grow("b", 1)
    let document = try workspace.documents.create(background: nil)
    _ = try document.addText(String(long.prefix(90_000)), at: ElementPlacement())
    try workspace.commitUnit()
    try workspace.beginUnit()
    #expect(throws: WorkspaceError.tooMuchWaits) {
      try workspace.limitingPending(of: "c", to: 50 << 10) {
        for n in 0..<3 { _ = try document.addText("\(n)", at: ElementPlacement()) }
      }
    }
    try card.update(answer: "the user's own script has no such limit")
    try workspace.commitUnit()
    try workspace.beginUnit()
    try grow("a", 1)
    try workspace.rollbackUnit()
    try grow("a", 10)
  }

  @Test func `what a plugin adds in a unit is limited as what it replaces`() throws {
    let workspace = try person.workspace()
    let css = String(repeating: ".card { color: black }\n", count: 2_000)
    func make(_ plugin: String, _ numbers: Range<Int>) throws {
      try workspace.limitingPending(of: plugin, to: 1 << 20) {
        for number in numbers {
          _ = try workspace.noteTypes.create(
            NoteTypeDraft(
              name: "\(plugin)\(number)", fields: ["A"], cards: [CardTemplate("C", front: "{{A}}", back: "")], css: css,
              isCloze: false))
        }
      }
    }
    try workspace.beginUnit()
    #expect(throws: WorkspaceError.tooMuchWaits) { try make("a", 0..<100) }
    let made = try workspace.noteTypes.all().count
    #expect((5..<60).contains(made))
    #expect(throws: WorkspaceError.tooMuchWaits) { try make("a", 100..<102) }
    try make("b", 0..<1)
    #expect(try workspace.noteTypes.all().count <= made + 2)
    try workspace.rollbackUnit()
  }
}
