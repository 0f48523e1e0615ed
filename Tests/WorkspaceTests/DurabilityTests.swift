// A disk that may not be written to, and a process that is killed between documents and database.

import CardDocuments
import Decks
import Files
import Glibc
import Storage
import TestSupport
import TestWorkspace
import Testing

@testable import Workspace

@Suite struct DurabilityTests {
  @Test func `a unit of documents and database that is killed anywhere is there whole or not at all`() async throws {
    var outcomes: Set<String> = []
    for last in stride(from: 1, through: 58, by: 3) {
      let person = try Person()
      let first = try person.workspace()
      let document = try first.createDocument(background: .black)
      let id = try document.document().id.description
      try first.close()
      let data = person.data
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [data = data as String, id = id as String, last = last as Int] in
        let workspace = try Person(at: data).workspace()
        workspace.documentStep = KillAt(last).take
        try workspace.beginUnit()
        _ = try workspace.createDeck("Made")
        _ = try workspace.openDocument(id).addText("made", color: .black, font: "", at: ElementPlacement())
        _ = try workspace.createDocument(background: .black)
        try workspace.commitUnit()
        kill(getpid(), SIGKILL)
      }
      let after = try person.workspace()
      let decks = try after.decks().count
      let texts = try after.openDocument(id).elements().count
      let documents = try after.documents().documents.count
      #expect([[0, 0, 1], [1, 1, 2]].contains([decks, texts, documents]), "killed at step \(last)")
      #expect(try Folder.names(in: after.folder + "/documents").filter { $0.hasPrefix(".unit") } == [])
      outcomes.insert("\(decks)")
      try after.close()
    }
    #expect(outcomes == ["0", "1"])
  }

  @Test func `a journal that is damaged does not keep from the documents`() throws {
    let person = try Person()
    let workspace = try person.workspace()
    _ = try workspace.createDocument(background: .black)
    try workspace.close()
    let unit = person.data + "/local/documents/.unit-0123"
    for content in ["", "rwj2", "rwj2\u{1}" + String(repeating: "x", count: 60), "garbage"] {
      try makePrivateFolder(unit)
      try AtomicFile.write(unit + "/commit", Array(content.utf8))
      let again = try person.workspace()
      #expect(try again.documents().documents.count == 1)
      try again.close()
    }
  }

  @Test func `several fields are one change`() throws {
    let person = try Person()
    let workspace = try person.workspace()
    let document = try workspace.createDocument(background: .black)
    let element = try document.addText("one", color: .black, font: "", at: ElementPlacement())
    #expect(throws: (any Error).self) {
      try workspace.changeDocument(document.document().id.description) { _ in
        try element.set(.text, to: .text("two"))
        try element.set(.frame, to: .text("nonsense"))
      }
    }
    #expect(try element.element().text == "one")
    let steps = try workspace.undoSteps().count
    try workspace.changeDocument(document.document().id.description) { _ in
      try element.set(.text, to: .text("two"))
      try element.set(.x, to: .number(5))
    }
    #expect(try workspace.undoSteps().count == steps + 1)
  }
}

/// Ends the process at a step.
private final class KillAt {
  private var left: Int
  init(_ left: Int) { self.left = left }
  func take(_ step: String) -> Int32 {
    left -= 1
    if left == 0 { kill(getpid(), SIGKILL) }
    return 0
  }
}
