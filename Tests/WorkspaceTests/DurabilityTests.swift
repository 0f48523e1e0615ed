// Changes of documents are saved whole or not at all; a backup has what it names; what is restored is in the file.

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

  @Test func `media without a name can be removed during a backup`() throws {
    let workspace = try Person().workspace()
    let name = try workspace.media.add([1], named: "a.mp3")
    let other = workspace.media.folder + "/" + ContentHash(of: [2]).description
    try AtomicFile.write(other, [2])
    let job = workspace.care.backupJob(to: workspace.folder + "/a.backup")
    // Not before the second half, when everything was listed.
    _ = try job.write { done, total in if done * 2 > total { unlink(other) } }
    #expect(!fileExists(other))
    try workspace.media.remove([name])
    _ = try workspace.media.clean()
    _ = try workspace.care.restore(workspace.care.stage(job.path))
    #expect(try fileExists(workspace.media.path(name)))
  }

  @Test func `a file that is written to while it is imported stays in the folder, and is imported again`() throws {
    let workspace = try Person().workspace()
    let path = try workspace.media.ensureInbox() + "/a.mp3"
    try writeFile([1], to: path)
    let taken = try workspace.media.importInbox()
    try writeFile([1, 2], to: path)
    try workspace.media.clearInbox(taken)
    #expect(fileExists(path))
    try workspace.media.clearInbox(workspace.media.importInbox())
    #expect(!fileExists(path))
    #expect(try FileText.bytes(workspace.media.path("a.mp3"), limit: 9) == [1, 2])
  }

  @Test func `a collection that is removed while it is open is restored as a file, and so is a new one`() throws {
    let person = try Person()
    var workspace = try person.workspace()
    try fill(workspace)
    try makePrivateFolder(workspace.care.backupFolder)
    let path = workspace.care.backupFolder + "/daily-2023-11-14.deckhand-backup"
    try workspace.care.backup(to: path)
    let before = try state(workspace)
    let collection = workspace.folder + "/collection.sqlite"
    try Folder.removeFile(collection)
    _ = try workspace.care.restore(workspace.care.stage(path))
    try workspace.close()
    workspace = try person.workspace()
    #expect(try state(workspace) == before)
    try Folder.removeFile(collection)
    _ = try workspace.care.mend()
    #expect(fileExists(collection))
    #expect(try workspace.decks.all().isEmpty)
    try workspace.close()
  }
}
