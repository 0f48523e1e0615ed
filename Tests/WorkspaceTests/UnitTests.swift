// Units of work, dry runs and the session through the workspace: all of a unit or nothing, and nothing after a
// sign-out.

import CardDocuments
import Decks
import Files
import Memory
import Problems
import TestWorkspace
import Text

@testable import Workspace

private struct Stop: Error {}

@Suite struct UnitTests {
  private let person = Person()

  private func card(_ prompt: String) -> NewCard { NewCard(prompt: prompt, answer: "x") }

  @Test func `a unit is committed or rolled back as a whole, and reports what it did`() throws {
    let workspace = try person.workspace()
    let deck = try workspace.decks.create("D")
    try workspace.beginUnit()
    #expect(workspace.isInUnit)
    for prompt in ["a", "b"] { _ = try deck.add(card(prompt)) }
    let made = try workspace.decks.create("E")
    #expect(workspace.unitSummary == "adding cards (2 times), creating a deck")
    try workspace.rollbackUnit()
    #expect(try !workspace.isInUnit && deck.count() == 0 && workspace.decks.all().count == 1)
    #expect(throws: DeckError.self) { try made.count() }
    try workspace.beginUnit()
    _ = try deck.add(card("c"))
    try workspace.commitUnit()
    #expect(try deck.count() == 1)
    try workspace.commitUnit()
    try workspace.rollbackUnit()
    #expect(try deck.count() == 1)
    try workspace.close()
  }

  @Test func `a unit sees the positions of cards as another process left them before it began to write`() throws {
    let (mine, other) = (try person.workspace(), try person.workspace())
    let deck = try mine.decks.create("D")
    for prompt in ["e", "d", "c", "b", "a"] { try deck.add(card(prompt)) }
    try mine.beginUnit()
    for position in 1...5 { _ = try deck.card(at: position) }
    let last = try #require(try deck.card(at: 5))
    try other.cards.remove([#require(try other.decks.open("D").card(at: 1))])
    try last.update(answer: "y")
    #expect(try deck.card(at: 1)?.record().prompt == "b" && last.position() == 4)
    try mine.commitUnit()
  }

  @Test func `tags that another process has added since a card was read are kept`() throws {
    let (mine, other) = (try person.workspace(), try person.workspace())
    let tagged = try mine.decks.create("D").add(card("a"))
    #expect(try tagged.record().tags == [])
    try other.cards.changeTags(other.decks.open("D").cards().rest(), adding: ["theirs"])
    try mine.cards.changeTags([tagged], adding: ["ours"])
    #expect(try tagged.record().tags == ["theirs", "ours"])
  }

  @Test func `a unit that is not committed is lost with the workspace, and its documents with it`() throws {
    let workspace = try person.workspace()
    let document = try workspace.documents.create(background: nil)
    let text = try document.addText("before", at: ElementPlacement())
    try workspace.beginUnit()
    _ = try workspace.decks.create("D")
    try text.set(.text, to: .text("after"))
    _ = try workspace.documents.create(background: nil)
    try workspace.close()
    let again = try person.workspace()
    #expect(try again.decks.all().isEmpty)
    let documents = try again.documents.all().documents
    #expect(try documents.count == 1 && documents[0].elements()[0].element().text == "before")
    try again.close()
  }

  @Test(arguments: [1, 12]) func `a unit whose media cannot be made durable is rolled back and ends`(count: Int) throws
  {
    let workspace = try person.workspace()
    try workspace.beginUnit()
    _ = try workspace.decks.create("D")
    let names = try (0..<count).map { try workspace.media.add(Array("sun \($0)".utf8), named: "sun\($0).png") }
    try Folder.removeFile(workspace.media.path(names[0]))
    #expect(throws: FileError.self) { try workspace.commitUnit() }
    #expect(try !workspace.isInUnit && workspace.decks.all().isEmpty && workspace.media.all().isEmpty)
    _ = try workspace.decks.create("E")
    try workspace.close()
    let again = try person.workspace()
    #expect(try again.decks.records().map(\.name) == ["E"])
    try again.close()
  }

  @Test func `a dry run leaves no media file, in a unit too`() throws {
    let workspace = try person.workspace()
    for isInUnit in [false, true] {
      if isInUnit { try workspace.beginUnit() }
      let name = try workspace.exchange.dryRun { try workspace.media.add(Array("sun".utf8), named: "sun.png") }
      #expect(name == "sun.png")
      _ = try workspace.media.add(Array("moon".utf8), named: "moon.png")
      try workspace.commitUnit()
      #expect(try workspace.media.all().map(\.name) == ["moon.png"] && workspace.media.check().leftover.files == 0)
    }
    try workspace.close()
  }

  @Test func `an operation that fails within a unit or another operation leaves no media file`() throws {
    let workspace = try person.workspace()
    for isInUnit in [false, true] {
      if isInUnit { try workspace.beginUnit() }
      try workspace.perform(.addMedia) { _ in
        let name = isInUnit ? "sea.png" : "sun.png"
        _ = try workspace.media.add(Array(name.utf8), named: name)
        #expect(throws: Stop.self) {
          try workspace.perform(.addMedia) { _ in
            for name in ["later.png", "moon.png"] { _ = try workspace.media.add(Array(name.utf8), named: name) }
            throw Stop()
          }
        }
        if isInUnit { _ = try workspace.media.add(Array("later.png".utf8), named: "later.png") }
      }
    }
    try workspace.commitUnit()
    let check = try workspace.media.check()
    #expect(try workspace.media.all().map(\.name) == ["later.png", "sea.png", "sun.png"])
    #expect(check.leftover.files == 0 && check.damaged.isEmpty)
    try workspace.close()
  }

  @Test func `cards whose change was undone in the unit are not counted, even those that are not listed`() throws {
    let workspace = try person.workspace()
    let deck = try workspace.decks.create("D")
    for prompt in ["a", "b", "c"] { _ = try deck.add(card(prompt)) }
    person.clock.pass(60)
    try workspace.beginUnit()
    for isSuspended in [true, false] { try workspace.cards.setSuspended(deck.cards().rest(), isSuspended) }
    #expect(try workspace.pendingChanges(limit: 1).isEmpty)
    try deck.cards().rest()[0].setSuspended(true)
    #expect(try workspace.pendingChanges(limit: 1).map(\.count) == [1])
    try workspace.rollbackUnit()
    try workspace.close()
  }

  @Test func `a failed operation leaves nothing of itself, in a unit too`() throws {
    let workspace = try person.workspace()
    let deck = try workspace.decks.create("D")
    for isInUnit in [false, true] {
      if isInUnit { try workspace.beginUnit() }
      #expect(throws: Stop.self) {
        try deck.addAll(onDuplicate: .skip) { batch in
          try batch.add(card("a"))
          throw Stop()
        }
      }
      #expect(try deck.count() == 0)
    }
    _ = try deck.add(card("b"))
    try workspace.commitUnit()
    #expect(try deck.count() == 1)
    try workspace.close()
  }

  @Test func `a script and another shell that change the same document both keep their changes`() throws {
    let (first, second) = (try person.workspace(), try person.workspace())
    let document = try first.documents.create(background: .black)
    let id = try document.document().id.description
    try first.beginUnit()
    _ = try document.document().background
    try second.documents.open(id).document().change { try $0.setBackground(.yellow) }
    _ = try document.addText("a", at: ElementPlacement())
    try first.commitUnit()
    let both = try second.documents.open(id).document()
    #expect(both.background == .yellow && both.elements.count == 1)
    try first.close()
    try second.close()
  }

  @Test func `a dry run changes nothing outside a unit, and reports what it would do`() throws {
    let first = try person.workspace()
    _ = try first.decks.create("D")
    try first.close()
    var told: [String] = []
    let workspace = try person.workspace(rehearsal: Rehearsal(isOn: true) { told.append($0) })
    #expect(throws: WorkspaceError.rehearsal("creating a deck")) { try workspace.decks.create("E") }
    try workspace.beginUnit()
    let document = try workspace.documents.create(background: nil)
    _ = try workspace.decks.create("E")
    #expect(!workspace.rehearsal.mayActOutside("write a file") && told == ["dry run: would write a file"])
    try workspace.rollbackUnit()
    #expect(try workspace.decks.all().count == 1 && workspace.documents.all().documents.isEmpty)
    #expect(throws: (any Error).self) { try document.document().change { try $0.setBackground(.black) } }
    #expect(Rehearsal.off.mayActOutside("write a file"))
    try workspace.close()
  }

  @Test func `after closing every handle reports signed out`() throws {
    let workspace = try person.workspace()
    let deck = try workspace.decks.create("D")
    let card = try deck.add(card("a"))
    let session = try deck.study(SessionHandle.Options(try workspace.preferences()))
    let cards = try deck.cards()
    let document = try workspace.documents.create(background: nil)
    let text = try document.addText("x", at: ElementPlacement())
    var options = GameOptions()
    options.base = "cambering"
    let uses: [(String, () throws -> Void)] = [
      ("deck", { _ = try deck.count() }), ("record", { _ = try deck.record() }),
      ("add", { _ = try deck.add(self.card("b")) }), ("card", { _ = try card.record() }),
      ("move", { try card.move(to: 1) }), ("cards", { _ = try cards.rest() }), ("session", { _ = try session.card() }),
      ("answer", { _ = try session.answer(.good) }), ("document", { _ = try document.document() }),
      ("element", { _ = try text.element() }), ("set", { try text.set(.x, to: .number(5)) }),
      ("decks", { _ = try workspace.decks.all() }), ("results", { _ = try workspace.games.results() }),
      ("unit", { try workspace.beginUnit() }), ("preferences", { _ = try workspace.preferences() }),
      ("documents", { _ = try workspace.documents.all() }), ("new", { _ = try workspace.games.start(options) }),
      ("check", { _ = try workspace.care.integrityProblems() }),
    ]
    for (name, use) in uses { #expect(throws: Never.self, "\(name)") { try use() } }
    try workspace.close()
    #expect(!workspace.isOpen && !workspace.isInUnit)
    for (name, use) in uses {
      do {
        try use()
        Issue.record("\(name) answered")
      } catch let error as WorkspaceError {
        guard case .signedOut = error else {
          Issue.record("\(name): \(error)")
          continue
        }
      }
    }
    try workspace.close()
  }

  @Test func `two processes see each other's changes, and the late one is told`() throws {
    let (one, other) = (try person.workspace(), try person.workspace())
    let deck = try one.decks.create("D")
    #expect(try other.decks.open("D").count() == 0)
    _ = try deck.add(card("a"))
    #expect(try other.decks.open("D").count() == 1)
    try other.decks.open("D").rename(to: "E")
    #expect(try deck.record().name == "E")
    #expect(throws: DeckError.self) { try one.decks.open("D") }
    try other.close()
    #expect(try deck.count() == 1)
    try one.close()
  }
}

@Suite struct DocumentHandleTests {
  private let person = Person()

  @Test func `a move is saved later, a text at once, and both are there when opened again`() throws {
    let workspace = try person.workspace()
    let document = try workspace.documents.create(background: nil)
    let text = try document.addText("a", at: ElementPlacement())
    try text.set(.x, to: .number(40))
    try text.set(.text, to: .text("b"))
    let other = try person.workspace()
    let theirs = try #require(try other.documents.all().documents.first)
    #expect(try theirs.elements()[0].element().text == "b")
    try text.set(.y, to: .number(7))
    #expect(workspace.documents.save().isEmpty)
    #expect(try (text.element().x, text.element().y) == (40, 7))
    try workspace.close()
    let again = try person.workspace()
    let element = try #require(try again.documents.all().documents.first?.elements().first)
    #expect(try (element.element().x, element.element().y, element.element().text) == (40, 7, "b"))
    try again.close()
    try other.close()
  }

  @Test func `a document and an element have one handle each, and a removed element says so`() throws {
    let workspace = try person.workspace()
    let document = try workspace.documents.create(background: nil)
    let text = try document.addText("a", at: ElementPlacement())
    let id = try document.document().id.description
    #expect(try workspace.documents.open(id) === document && document.element(text.id) === text)
    #expect(try workspace.documents.all().documents[0] === document)
    try document.document().change { try $0.removeElement(text.id) }
    #expect(throws: (any Error).self) { try text.element() }
    #expect(throws: (any Error).self) { try text.set(.x, to: .number(1)) }
    #expect(try document.duplicate() !== document && workspace.documents.ids().count == 2)
    try document.remove()
    #expect(throws: (any Error).self) { try document.document().change { try $0.setBackground(.black) } }
    try workspace.close()
  }
}
