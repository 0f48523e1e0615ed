// Changes of documents: all of one, or nothing.

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
  @Test func `several fields are one change`() throws {
    let person = try Person()
    let workspace = try person.workspace()
    let document = try workspace.createDocument(background: .black)
    let element = try document.addText("one", at: ElementPlacement())
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
