// Changes of documents are saved whole or not at all; a backup has what it names; what is restored is in the file.

import CardDocuments
import Decks
import Exchange
import Files
import Glibc
import Lexicon
import Problems
import Storage
import TestSupport
import TestWorkspace

@testable import Workspace

@Suite struct DurabilityTests {
  private let person = Person()

  @Test func `several fields are one change`() throws {
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

  @Test func `the next start removes what killed processes left`() throws {
    let workspace = try person.workspace()
    _ = try workspace.media.add([1, 2, 3], named: "a.mp3")
    let (folder, own) = (workspace.folder, person.data + "/dictionaries")
    try workspace.close()
    try makePrivateFolder(own)
    let left = [own + "/de.words", folder + "/.sync-key", folder + "/media"].map { $0 + ".4194303-0.tmp" }
    let kept = [own + "/de.words", own + "/mine.2024-05.tmp"]
    for path in left + kept { try writeFile("x", to: path) }
    let meanings = DictionaryLibrary(ownFolders: [own], systemFolders: [], isInterrupted: { false })
    _ = try person.workspace(meanings: meanings)
    #expect(left.filter(fileExists) == [] && kept.allSatisfy(fileExists))
  }

  @Test func `a page shows the deck as it was at one moment, while another shell changes it`() throws {
    let (first, second) = (try person.filled(), try person.workspace())
    let deck = try first.decks.open("Spanish")
    try deck.add(NewCard(prompt: "first", answer: "a"))
    let inner = try second.decks.open("Spanish::Verbs")
    let report = try deck.writePage(to: person.folder.file("page.html")) { done, _ in
      if done == 1 { _ = try inner.remove() }
    }
    #expect(report.cards == 501)
    #expect(throws: DeckError.self) { try first.decks.open("Spanish::Verbs") }
  }

  @Test func `media without a name can be removed during a backup`() throws {
    let workspace = try Person().workspace()
    let name = try workspace.media.add([1], named: "a.mp3")
    let other = workspace.media.folder + "/" + ContentHash(of: [2]).description
    try AtomicFile.write(other, [2])
    let job = workspace.care.backupJob(to: parentFolder(of: workspace.folder) + "/a.backup")
    // Not before the second half, when everything was listed.
    _ = try job.write { done, total in if done * 2 > total { unlink(other) } }
    #expect(!fileExists(other))
    try workspace.media.remove([name])
    _ = try workspace.media.clean()
    _ = try workspace.care.restore(workspace.care.stage(job.path))
    #expect(try fileExists(workspace.media.path(name)))
  }

  @Test func `media that another process removes before a restore names them are unpacked again`() throws {
    let folder = person.data + "/local"
    let content = folder + "/media/" + ContentHash(of: [1, 2]).description
    let patience = Patience(0)
    let workspace = try person.workspace(isInterrupted: {
      // While the local data is saved, everything is unpacked.
      if fileExists(folder + "/backups"), patience.isOver(), patience.left == -1 { unlink(content) }
      return false
    })
    let name = try workspace.media.add([1, 2], named: "a.mp3")
    let path = person.data + "/one.deckhand-backup"
    try workspace.care.backup(to: path)
    try workspace.media.remove([name])
    _ = try workspace.media.clean()
    _ = try workspace.care.restore(workspace.care.stage(path))
    #expect(patience.left < 0)
    #expect(try workspace.media.path(name) == content && fileExists(content))
  }

  @Test func `a document with an id that no command finds is removed, and the others stay`() throws {
    let workspace = try Person().workspace()
    let card = try workspace.decks.create("Deck").add(NewCard(prompt: "a", answer: "b"))
    let kept = try workspace.documents.create(background: nil).document().id.description
    try workspace.perform(.mend) {
      try $0.execute(sql: "INSERT INTO documents (id, content, modified) SELECT 'x', content, 0 FROM documents")
    }
    try card.setDocument("x")
    #expect(try workspace.care.diagnose([.documents]).map(\.code).contains("bad_document_id"))
    let report = try workspace.care.mend([.documents])
    #expect(report.mended.map(\.code).contains("bad_document_id"))
    #expect(report.findings.allSatisfy { !["bad_document_id", "missing_document"].contains($0.code) })
    #expect(try workspace.documents.ids() == [kept] && card.record().document == nil)
  }

  @Test func `a file that is written to while it is imported stays in the folder, and is imported again`() throws {
    let workspace = try Person().workspace()
    let path = try workspace.media.ensureInbox() + "/a.mp3"
    try writeFile([1], to: path)
    #expect(waitsUntilClosed(path))
    let taken = try workspace.media.importInbox()
    try writeFile([1, 2], to: path)
    #expect(waitsUntilClosed(path))
    try workspace.media.clearInbox(taken)
    #expect(fileExists(path))
    try workspace.media.clearInbox(workspace.media.importInbox())
    #expect(!fileExists(path))
    #expect(try FileText.bytes(workspace.media.path("a.mp3"), limit: 9) == [1, 2])
  }

  @Test func `a file that a program has open for writing stays in the folder until the program closes it`() throws {
    let workspace = try Person().workspace()
    let path = try workspace.media.ensureInbox() + "/a.mp3"
    try writeFile([1], to: path)
    let early = open(path, O_WRONLY | O_CLOEXEC)
    #expect(try workspace.media.importInbox().isEmpty)
    close(early)
    #expect(waitsUntilClosed(path))
    let taken = try workspace.media.importInbox()
    #expect(taken.map { $0.path } == [path])
    let late = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
    try workspace.media.clearInbox(taken)
    #expect(fileExists(path))
    close(late)
    #expect(waitsUntilClosed(path))
    try workspace.media.clearInbox(taken)
    #expect(!fileExists(path))
  }

  @Test func `a collection that is removed while it is open is restored as a file, and so is a new one`() throws {
    var workspace = try person.filled()
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

  @Test func `a backup removes what a killed backup left beside it, and is written to where a link points`() throws {
    let workspace = try person.filled()
    let (elsewhere, link) = (person.data + "/elsewhere", person.data + "/link.deckhand-backup")
    let left = elsewhere + "/.backup-99999999-abcdef"
    try makePrivateFolder(left)
    try AtomicFile.write(left + "/deckhand-temporary", ".backup-99999999-abcdef".utf8)
    try AtomicFile.write(left + "/packed", [1])
    symlink("elsewhere/one.deckhand-backup", link)
    let made = try workspace.care.backup(to: link)
    #expect(try Folder.names(in: elsewhere) == ["one.deckhand-backup"])
    #expect(try BackupFile(link, isInterrupted: { false }).read() == made)
  }

  /// - Parameter back: how many polls before the end of a restore it is interrupted.
  @Test(arguments: 0..<4) func `an interrupted restore restores the grants and the history with the rows, or nothing`(
    back: Int
  ) throws {
    try person.filled()
    let (path, folder) = (person.data + "/one.deckhand-backup", person.data + "/local")
    let patience = Patience()
    let workspace = try person.workspace { patience.isOver() }
    try AtomicFile.write(folder + "/history", "deck list\n".utf8)
    try workspace.care.backup(to: path)
    var staged = try workspace.care.stage(path, taking: [.grants, .history])
    patience.set(.max)
    _ = try workspace.care.restore(staged)
    let polls = .max - patience.left
    _ = try workspace.decks.create("Later")
    for name in ["grants.json", "history"] { try AtomicFile.write(folder + "/" + name, "{}".utf8) }
    staged = try workspace.care.stage(path, taking: [.grants, .history])
    patience.set(polls - back - 1)
    var isWhole = true
    do { _ = try workspace.care.restore(staged) } catch { isWhole = false }
    patience.set(.max)
    let isRestored = try workspace.decks.all().count == 2
    #expect(isRestored || !isWhole)
    for name in ["grants.json", "history"] {
      #expect(try (FileText.read(folder + "/" + name, limit: 99) != "{}") == isRestored)
    }
  }

  @Test func `a restore that cannot write the history says so, and where the old data is`() throws {
    let workspace = try person.filled()
    let (path, history) = (person.data + "/one.deckhand-backup", workspace.folder + "/history")
    try AtomicFile.write(history, Array("deck list\n".utf8))
    try workspace.care.backup(to: path)
    _ = try workspace.decks.create("Later")
    try Folder.removeFile(history)
    try makePrivateFolder(history)
    let error = #expect(throws: BackupError.self) {
      _ = try workspace.care.restore(workspace.care.stage(path, taking: [.history]))
    }
    let message = error?.message ?? ""
    #expect(message.contains("the backup was restored, but") && message.contains("before-restore-"), "\(message)")
    #expect(try workspace.decks.all().count == 2)
  }

  @Test func `a backup with a row that refers to nothing is restored as it was, and repaired by mending`() throws {
    let workspace = try person.filled()
    try workspace.close()
    let file = try ExclusiveDatabase(workspace.folder + "/collection.sqlite")
    let change = "UPDATE cards SET deck = 999 WHERE id = (SELECT min(id) FROM cards)"
    try file.use { try $0.execute(sql: "PRAGMA foreign_keys = OFF; \(change)") }
    try file.close()
    let again = try person.workspace()
    let path = person.data + "/one.deckhand-backup"
    try again.care.backup(to: path)
    _ = try again.decks.open("Spanish").remove()
    let staged = try again.care.stage(path)
    #expect(staged.danglingTable == "cards")
    _ = try again.care.restore(staged)
    #expect(try again.decks.open("Spanish::Verbs").count() == 499)
    _ = try again.care.mend([.database, .decks])
    #expect(try again.decks.open("Recovered").count() == 1 && again.care.integrityProblems() == [])
  }
}
