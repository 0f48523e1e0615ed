// Units of work of the store, what its check finds, and what it keeps beside the documents.

import Files
import Glibc
import Problems
import TestSupport
import Testing
import Values

@testable import CardDocuments

@Suite struct StoreUnitTests {
  @Test func `nothing of a unit is on disk until it is committed`() throws {
    let desk = try Desk()
    let before = desk.folder.names("documents")
    let content = desk.folder.read("documents/" + desk.document.id.fileName)
    desk.store.beginUnit()
    let new = try desk.store.create()
    _ = try new.addImage(testSVG(width: 80), named: "x")
    try desk.document.setBackground(.black)
    #expect(desk.folder.names("documents").filter { !$0.hasPrefix(".unit") } == before)
    #expect(desk.folder.read("documents/" + desk.document.id.fileName) == content)
    #expect(try desk.store.open(new.id) === new)
    #expect(try desk.store.entries().count == 2)
    #expect(try desk.store.list().documents.count == 2)
    #expect(try new.rendered(as: .png, width: 50).brokenElements.isEmpty)
    #expect(try desk.store.commitUnit().isEmpty)
    #expect(try desk.onDisk().background == .black)
    #expect(try desk.onDisk(new.id).images.count == 1)
    #expect(desk.images.count == 2)
    #expect(!desk.folder.names("documents").contains { $0.hasPrefix(".unit") })
    try new.setBackground(.yellow)
    #expect(try desk.onDisk(new.id).background == .yellow)
  }

  @Test func `a unit that is rolled back leaves memory and disk as they were`() throws {
    let desk = try Desk()
    try desk.document.set(.x, of: desk.text, to: .number(7))
    let victim = try desk.document.duplicate()
    let names = desk.folder.names("documents")
    let content = desk.document.content
    desk.store.beginUnit()
    let new = try desk.store.create()
    _ = try new.addImage(testSVG(width: 80), named: "x")
    try desk.document.removeElement(desk.image)
    try desk.document.set(.x, of: desk.text, to: .number(8))
    try victim.remove()
    try desk.store.rollbackUnit()
    #expect(desk.folder.names("documents") == names)
    #expect(desk.document.content == content)
    #expect(desk.document.hasUnsavedChanges)
    #expect(new.isRemoved && !victim.isRemoved)
    #expect(throws: DocumentError.notFound(new.id.description, suggestion: nil)) { try desk.store.open(new.id) }
    #expect(desk.images.count == 1)
    try desk.document.save()
    #expect(try desk.onDisk().element(desk.text)?.x == 7)
  }

  @Test func `what a unit removes goes with its images when it is committed`() throws {
    let desk = try Desk()
    desk.store.beginUnit()
    let fleeting = try desk.store.create()
    try fleeting.remove()
    try desk.document.remove()
    #expect(throws: DocumentError.self) { try desk.store.open(desk.document.id) }
    #expect(try desk.store.entries().isEmpty)
    #expect(try desk.store.commitUnit().isEmpty)
    #expect(try desk.store.list().documents.isEmpty)
    #expect(desk.images.isEmpty)
  }

  @Test func `a unit meets another process's change by keeping both`() throws {
    let desk = try Desk()
    let removed = try desk.document.duplicate()
    let id = desk.document.id
    desk.store.beginUnit()
    try desk.document.setBackground(.black)
    try removed.remove()
    let other = try makeStore(desk.folder, seed: 99)
    try other.open(id).set(.text, of: desk.text, to: .text("theirs"))
    try other.open(removed.id).set(.text, of: desk.text, to: .text("theirs"))
    let conflicts = try desk.store.commitUnit()
    #expect(conflicts == [.changedElsewhere(id, copy: desk.document.id), .changedBeforeRemoval(removed.id)])
    #expect(try desk.onDisk(id).element(desk.text)?.text == "theirs")
    #expect(try desk.onDisk(desk.document.id).background == .black)
    #expect(try desk.onDisk(removed.id).element(desk.text)?.text == "theirs")
  }

  @Test func `a unit without a change, and the end of none`() throws {
    let desk = try Desk()
    #expect(throws: DocumentError.noUnit) { try desk.store.commitUnit() }
    desk.store.beginUnit()
    #expect(desk.store.isInUnit)
    try desk.document.set(.x, of: desk.text, to: .number(3))
    #expect(throws: DocumentError.self) { try desk.document.addImage(Array("x".utf8), named: "x") }
    #expect(try desk.store.commitUnit().isEmpty)
    try desk.store.rollbackUnit()
    #expect(!desk.store.isInUnit)
    #expect(desk.document.content.element(desk.text)?.x == 3 && desk.document.hasUnsavedChanges)
  }

  @Test func `a check tells missing, damaged and orphaned images and texts without a font`() throws {
    let desk = try Desk()
    #expect(try desk.store.check().isEmpty)
    _ = try desk.document.addText("ok \u{10FFFD}")
    try desk.folder.write([1, 2, 3], to: "documents/images/" + desk.images[0])
    try desk.folder.write([9], to: "documents/images/" + ContentHash(of: [9]).description)
    let missing = try desk.document.addImage(testSVG(width: 90), named: "x")
    unlink(desk.folder.path + "/documents/images/" + (missing.image?.description ?? ""))
    let problems = try desk.store.check()
    #expect(
      problems.map { "\($0.code) \($0.pointer)" } == [
        "image_mismatch /elements/1/image", "missing_image /elements/3/image", "undrawable_text /elements/2/text",
        "orphaned_image ",
      ])
    #expect(problems.allSatisfy { $0.path != nil && !$0.message.isEmpty })
    unlink(desk.folder.path + "/documents/images/" + ContentHash(of: [9]).description)
    _ = try desk.document.addImage(testSVG(), named: "again heals it")
    #expect(try desk.store.check().map(\.code) == ["missing_image", "undrawable_text"])
  }

  @Test func `a thumbnail is kept until the document changes`() throws {
    let desk = try Desk()
    let first = try desk.document.thumbnail()
    let name = "documents/thumbnails/\(desk.document.id).png"
    #expect(desk.folder.read(name) == first)
    try desk.folder.write([7], to: name)
    var times = [timespec(), timespec()]
    var status = stat()
    stat(desk.document.path, &status)
    times = [status.st_mtim, status.st_mtim]
    utimensat(AT_FDCWD, desk.folder.path + "/" + name, times, 0)
    #expect(try desk.document.thumbnail() == [7])
    try desk.document.setBackground(.black)
    #expect(try desk.document.thumbnail() != first)
    #expect(desk.folder.read(name) != [7])
    try desk.document.remove()
    #expect(desk.folder.names("documents/thumbnails").isEmpty)
  }

  @Test func `a unit of many documents is written out at once, and one of a few file by file`() throws {
    for (count, syncs) in [(3, 0), (40, 1)] {
      let folder = TemporaryFolder()
      var steps: [String] = []
      let store = try makeStore(folder) {
        steps.append($0)
        return 0
      }
      store.beginUnit()
      for _ in 0..<count { _ = try store.create() }
      #expect(try store.commitUnit().isEmpty)
      #expect(steps.filter { $0.hasPrefix("sync all of") }.count == syncs)
      #expect(try store.entries().count == count)
    }
  }

  @Test func `Ctrl-C at the end of a unit leaves all as it was`() throws {
    let folder = TemporaryFolder()
    var isInterrupted = false
    let store = try makeStore(
      folder, wait: LockWait(elapsed: monotonicSeconds, isInterrupted: { isInterrupted }),
      // It comes when two of the documents are ready.
      step: { step in
        if step.hasPrefix("done .unit"), step.hasSuffix("/2") { isInterrupted = true }
        return 0
      })
    store.beginUnit()
    for _ in 0..<40 { _ = try store.create() }
    let error = #expect(throws: DocumentError.self) { try store.commitUnit() }
    #expect(error?.report.code == .interrupted)
    isInterrupted = false
    #expect(try store.entries().isEmpty && !store.isInUnit)
    #expect(folder.names("documents").filter { $0.hasPrefix(".unit") } == [])
  }
}
