// What a workspace refuses: after a sign-out, in a dry run, within a unit of work.

import Decks
import Exchange
import Files
import Glibc
import Storage
import TestDecks
import TestWorkspace

@testable import Workspace

@Suite struct RefusalTests {
  private let person = Person()

  init() throws {
    let workspace = try person.workspace()
    try workspace.decks.create("Deck").add(NewCard(prompt: "a", answer: "b"))
    try workspace.care.backup(to: path)
    try workspace.close()
  }

  private var path: String { person.folder.file("one.deckhand-backup") }

  @Test func `a signed-out workspace reads nothing`() throws {
    let workspace = try person.workspace()
    let staged = try workspace.care.stage(path)
    let deck = try workspace.decks.open("Deck")
    try workspace.close()
    let codes = [
      problemCode { _ = try workspace.care.diagnose() }, problemCode { _ = try workspace.care.stage(path) },
      problemCode { _ = try workspace.care.restore(staged) }, problemCode { _ = try workspace.care.contents() },
      problemCode { _ = try workspace.care.mend() }, problemCode { _ = try deck.count() },
    ]
    #expect(codes == Array(repeating: "auth_required", count: 6))
  }

  @Test func `a dry run copies, restores, repairs and undoes nothing`() throws {
    let workspace = try person.workspace(rehearsal: Rehearsal(isOn: true) { _ in })
    let staged = try workspace.care.stage(path)
    // Something that could be repaired.
    try person.folder.makeFolder("local/media")
    try person.folder.write("x", to: "local/media/0123456789abcdef0123")
    let before = try workspace.care.steps().count
    let codes = [
      problemCode { try workspace.care.backup(to: path) }, problemCode { _ = try workspace.care.restore(staged) },
      problemCode { _ = try workspace.care.undo() },
    ]
    #expect(codes == Array(repeating: "dry_run", count: 3))
    #expect(try workspace.care.steps().count == before && workspace.media.clean() == 0)
    try workspace.close()
  }

  @Test func `nothing is copied or restored within a unit of work`() throws {
    let workspace = try person.workspace()
    let staged = try workspace.care.stage(path)
    try workspace.beginUnit()
    try workspace.decks.open("Deck").add(NewCard(prompt: "c", answer: "d"))
    #expect(problemCode { try workspace.care.backup(to: path) } == problemCode { throw BackupError.inUnit })
    #expect(problemCode { _ = try workspace.care.restore(staged) } == problemCode { throw BackupError.inUnit })
    #expect(try workspace.media.clean() == 0)
    try workspace.rollbackUnit()
    #expect(try workspace.care.restore(staged).restored.cards == 1)
    try workspace.close()
  }

  @Test func `the newest backup is the one made last, whatever its name`() throws {
    let workspace = try person.workspace()
    #expect(workspace.care.newestBackup() == nil)
    let first = try workspace.care.freeBackupPath()
    try workspace.care.backup(to: first)
    let second = try workspace.care.freeBackupPath()
    #expect(first != second)
    try workspace.care.backup(to: second)
    func inFolder(_ path: String) -> String { String(path.dropFirst(person.data.count + 1)) }
    var status = try person.folder.status(inFolder(second))
    // Within one second too.
    for (older, newer) in [(first, second), (second, first)] {
      for (path, time) in [(older, 5), (newer, 6)] {
        status.st_mtim.tv_nsec = time
        person.folder.setTime(inFolder(path), status)
      }
      #expect(workspace.care.newestBackup() == newer)
    }
    try workspace.close()
  }

  @Test func `a collection with two rows of one key, which could not be restored, is not backed up`() throws {
    let workspace = try person.workspace()
    for name in ["French", "Frencg"] { _ = try workspace.decks.create(name) }
    try workspace.close()
    let path = workspace.folder + "/collection.sqlite"
    var bytes = try FileText.bytes(path, limit: 1 << 24)
    // The second row gets the key of the first; the index still has its own.
    let (old, new) = (Array("Frencgfrencg".utf8), Array("Frencgfrench".utf8))
    let places = bytes.indices.filter { bytes[$0...].starts(with: old) }
    #expect(!places.isEmpty)
    for place in places { bytes.replaceSubrange(place..<place + old.count, with: new) }
    try AtomicFile.write(path, bytes)
    let again = try person.workspace()
    let error = #expect(throws: StorageError.self) { try again.care.backup(to: person.data + "/b.deckhand-backup") }
    #expect(error?.detail?.hasSuffix("missing from index decks_name") == true)
    try again.close()
  }

  @Test func `a backup without a name replaces none that another process has made meanwhile`() throws {
    let workspace = try person.workspace()
    let other = try workspace.care.freeBackupPath()
    let made = try workspace.care.backup { _, _ in
      do { try writeFile("other", to: other) } catch { Issue.record(error) }
    }
    #expect(made.path != other && size(of: other) == 5)
    #expect(try BackupFile(made.path, isInterrupted: { false }).read() == made.contents)
    #expect(try Folder.names(in: workspace.care.backupFolder).count == 2)
    try workspace.close()
  }

  @Test func `the first change after a wrong clock was set back makes a backup`() throws {
    let workspace = try person.workspace()
    for (number, days) in [365.0, -365].enumerated() {
      person.clock.pass(days * 86_400)
      _ = try workspace.decks.create("Deck \(number)")
      workspace.dailyBackups.finish { _, _ in }
    }
    #expect(fileExists(workspace.care.backupFolder + "/daily-2024-11-13.deckhand-backup"))
    #expect(fileExists(workspace.care.backupFolder + "/daily-2023-11-14.deckhand-backup"))
    try workspace.close()
  }
}
