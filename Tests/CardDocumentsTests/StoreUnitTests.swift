// Units of work of the store, and the findings of its check.

import Glibc
import Problems
import Storage
import TestSupport
import Values
import Wire

@testable import CardDocuments

extension Desk {
  fileprivate func begin() throws {
    try keeper.rows.beginUnit()
    store.beginUnit()
  }
  fileprivate func rollBack() throws {
    store.rollbackUnit()
    try keeper.rows.rollbackUnit()
  }
}

@Suite struct StoreUnitTests {
  private let desk: Desk

  init() throws { desk = try Desk() }

  @Test func `nothing of a unit is visible elsewhere until it is committed`() throws {
    try desk.begin()
    let new = try desk.store.create()
    _ = try new.addImage(testSVG(width: 80), named: "x")
    try desk.document.change { try $0.setBackground(.black) }
    #expect(try desk.onDisk().background != .black)
    #expect(throws: DocumentError.self) { try desk.onDisk(new.id) }
    #expect(try desk.store.open(new.id) === new)
    #expect(try desk.store.all().documents.count == 2)
    #expect(try new.rendered(as: .png, width: 50).brokenElements.isEmpty)
    try desk.keeper.rows.commitUnit()
    desk.store.endUnit()
    #expect(try desk.onDisk().background == .black)
    #expect(try desk.onDisk(new.id).images.count == 1)
  }

  @Test func `a unit that is rolled back leaves memory as it was, including pending moves`() throws {
    try desk.document.set(.x, of: desk.text, to: .number(7))
    let victim = try desk.document.duplicate()
    let content = desk.document.content
    try desk.begin()
    let new = try desk.store.create()
    try desk.document.change { try $0.removeElement(desk.image) }
    try desk.document.set(.x, of: desk.text, to: .number(8))
    try victim.set(.y, of: desk.text, to: .number(9))
    try victim.remove()
    try desk.rollBack()
    try desk.document.refresh()
    try victim.refresh()
    #expect(desk.document.content == content && desk.document.hasUnsavedChanges)
    #expect(!victim.hasUnsavedChanges)
    #expect(throws: DocumentError.removed(new.id)) { try new.refresh() }
    #expect(throws: DocumentError.notFound(new.id.description, suggestion: nil)) { try desk.store.open(new.id) }
    #expect(desk.store.saveAll().isEmpty)
    #expect(try desk.onDisk().element(desk.text)?.x == 7)
  }

  @Test func `a file saved in a unit that is rolled back is a file outside the store again`() throws {
    try desk.folder.write(fixture("shapes/edition1.rwcard"), to: "old.rwcard")
    let document = try desk.store.open(desk.folder.path + "/old.rwcard")
    try desk.begin()
    try document.change { try $0.setBackground(.black) }
    try document.save()
    #expect(document.isInStore)
    try desk.rollBack()
    #expect(!document.isInStore && document.background != .black && !document.hasUnsavedChanges)
    try document.save()
    #expect(try desk.onDisk(document.id).encoded == document.content.encoded)
  }

  @Test func `a check reports missing and damaged images and texts without a font`() throws {
    #expect(try desk.store.check().isEmpty)
    _ = try desk.document.addText("ok \u{10FFFD}")
    try desk.folder.write([1, 2, 3], to: "media/" + desk.images[0])
    let missing = try desk.document.addImage(testSVG(width: 90), named: "x")
    unlink(desk.folder.path + "/media/" + (missing.image?.description ?? ""))
    let problems = try desk.store.check()
    #expect(
      problems.map { "\($0.problem.code) \($0.problem.pointer)" } == [
        "image_mismatch /elements/1/image", "missing_image /elements/3/image", "undrawable_text /elements/2/text",
      ])
    #expect(problems.allSatisfy { $0.id == desk.document.id.description && !$0.problem.message.isEmpty })
    #expect(problems.map { $0.problem.path != nil } == [true, true, false])
    _ = try desk.document.addImage(testSVG(), named: "again heals it")
    #expect(try desk.store.check().map(\.problem.code) == ["missing_image", "undrawable_text"])
  }

  @Test func `a move of a removed document stays pending only until the document is restored`() throws {
    try desk.begin()
    let document = try desk.document.duplicate()
    try document.set(.x, of: desk.text, to: .number(7))
    try document.remove()
    #expect(desk.store.saveAll().isEmpty)
    try desk.rollBack()
    try desk.document.set(.x, of: desk.text, to: .number(7))
    try desk.begin()
    try desk.document.remove()
    #expect(desk.store.saveAll().isEmpty)
    try desk.rollBack()
    #expect(desk.store.saveAll().isEmpty)
    #expect(try desk.onDisk().element(desk.text)?.x == 7)
  }

  @Test func `a move of a document that was removed elsewhere fails once, not at every later save`() throws {
    try desk.document.set(.x, of: desk.text, to: .number(7))
    try makeStore(desk.folder, seed: 77).open(desk.document.id).remove()
    #expect(desk.store.saveAll().count == 1)
    #expect(desk.store.saveAll().isEmpty)
  }
}
