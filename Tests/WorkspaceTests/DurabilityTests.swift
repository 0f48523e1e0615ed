// Changes of documents are saved whole or not at all.

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
    let document = try workspace.documents.create(background: .black)
    let element = try document.addText("one", at: ElementPlacement())
    #expect(throws: (any Error).self) {
      try workspace.documents.change(document.document().id.description) { _ in
        try element.set(.text, to: .text("two"))
        try element.set(.frame, to: .text("nonsense"))
      }
    }
    #expect(try element.element().text == "one")
    let steps = try workspace.care.steps().count
    try workspace.documents.change(document.document().id.description) { _ in
      try element.set(.text, to: .text("two"))
      try element.set(.x, to: .number(5))
    }
    #expect(try workspace.care.steps().count == steps + 1)
  }
}
