// Backups: a single verified file with everything, restored whole or not at all; the automatic backups.

import Authentication
import CardDocuments
import Decks
import Files
import Glibc
import Problems
import Storage
import TestSupport
import TestWorkspace
import ToggleSettings

@testable import Workspace

/// Every byte of every document, and the counts of the decks.
func state(_ workspace: Workspace) throws -> [String] {
  let decks = try workspace.decks.all().map { "\(try $0.record().name): \(try $0.count())" }
  return try decks
    + workspace.documents.all().documents.map { String(decoding: try $0.document().content.encoded, as: UTF8.self) }
}

extension Person {
  /// Opens a workspace and gives it two decks, a document, a setting and grants.
  @discardableResult func filled() throws -> Workspace {
    let workspace = try workspace()
    let deck = try workspace.decks.create("Spanish::Verbs")
    _ = try deck.addAll(onDuplicate: .skip) { batch in
      for n in 0..<500 { _ = try batch.add(NewCard(prompt: "p\(n)", answer: "a")) }
    }
    let document = try workspace.documents.create(background: .black)
    _ = try document.addText("kept", at: ElementPlacement())
    try workspace.preferences().tree.set("study.limit", to: .number(7), by: .user)
    try AtomicFile.write(workspace.folder + "/grants.json", Array(#"{"plugins":{}}"#.utf8))
    return workspace
  }
}

@Suite struct BackupTests {
  private let person = Person()
  private var path: String { person.data + "/one.deckhand-backup" }

  @Test func `a backup restores everything, and the current data is saved first`() throws {
    let workspace = try person.filled()
    let before = try state(workspace)
    let made = try workspace.care.backup(to: path)
    #expect(made.cards == 500 && made.decks == 2 && made.documents == 1)
    #expect(try FileFacts.at(path)?.mode == 0o600)
    #expect(try BackupFile(path, isInterrupted: { false }).read() == made)

    _ = try workspace.decks.open("Spanish").remove()
    try workspace.documents.all().documents[0].remove()
    _ = try workspace.documents.create(background: .black)
    _ = try workspace.decks.create("Later")
    try workspace.preferences().tree.set("study.limit", to: .number(9), by: .user)
    try AtomicFile.write(workspace.folder + "/grants.json", Array("{}".utf8))
    let later = try state(workspace)

    let report = try workspace.care.restore(workspace.care.stage(path, taking: [.grants]))
    #expect(report.restored == made && report.replaced?.decks == 1)
    #expect(try state(workspace) == before)
    #expect(try workspace.preferences().study.most == 7)
    #expect(try FileText.read(workspace.folder + "/grants.json", limit: 1000) == #"{"plugins":{}}"#)
    #expect(try workspace.care.integrityProblems() == [])
    #expect(try workspace.documents.store().check().filter { $0.problem.kind != .unchecked }.isEmpty)
    // The previous data comes back from its own backup.
    _ = try workspace.care.restore(workspace.care.stage(#require(report.kept)))
    #expect(try state(workspace) == later)
    #expect(try Folder.names(in: workspace.folder).filter { $0.hasPrefix(".") } == [])
  }

  @Test func `a removal that a sync server does not know yet is still to be sent after a restore`() throws {
    let workspace = try person.workspace()
    let card = try workspace.decks.create("Deck").add(NewCard(prompt: "p", answer: "a"))
    func removals() throws -> Int {
      try workspace.read { try $0.count("SELECT count(*) FROM \(SyncedTable.notes.removed)") }
    }
    // As a sync leaves the note.
    try workspace.database.operation("x") { try $0.execute(sql: "UPDATE notes SET usn = 0") }
    try workspace.cards.remove([card])
    try workspace.care.backup(to: path)
    _ = try workspace.care.restore(workspace.care.stage(path))
    #expect(try removals() == 1)
  }

  @Test func `another open shell sees the restored data`() throws {
    let (first, second) = (try person.filled(), try person.workspace())
    try first.care.backup(to: path)
    let deck = try second.decks.open("Spanish::Verbs")
    _ = try second.decks.open("Spanish").remove()
    _ = try first.care.restore(first.care.stage(path))
    #expect(try deck.count() == 500)
    #expect(try second.decks.open("Spanish::Verbs").cards().count == 500)
  }

  /// - Parameter part: the fraction of the restore after which the other shell writes.
  @Test(arguments: [0.0, 0.5, 0.99])
  func `what another shell writes during a restore is in the backup of the previous data`(part: Double) throws {
    try person.filled()
    let collection = person.data + "/local/collection.sqlite"
    let patience = Patience()
    let workspace = try person.workspace(isInterrupted: {
      if patience.isOver(), patience.left == -1 {
        do {
          let other = try ExclusiveDatabase(collection)
          try other.use { try $0.execute(sql: "UPDATE notes SET tags = ' late '") }
          try other.close()
        } catch { Issue.record(error) }
      }
      return false
    })
    func late() throws -> Int {
      try workspace.read { try $0.count("SELECT count(*) FROM notes WHERE tags = ' late '") }
    }
    try workspace.care.backup(to: path)
    var staged = try workspace.care.stage(path)
    patience.set(.max)
    _ = try workspace.care.restore(staged)
    let calls = .max - patience.left
    staged = try workspace.care.stage(path)
    patience.set(Int(Double(calls) * part))
    let report = try workspace.care.restore(staged)
    #expect(try late() == 0)
    _ = try workspace.care.restore(workspace.care.stage(#require(report.kept)))
    #expect(try late() == 500)
    #expect(try Folder.names(in: workspace.care.backupFolder).count == 3)
  }

  @Test func `a file damaged anywhere restores nothing`() throws {
    let workspace = try person.filled()
    try workspace.care.backup(to: path)
    let bytes = try FileText.bytes(path, limit: 1 << 24)
    let before = try state(workspace)
    for number in 0..<24 {
      var broken = bytes
      if number < 12 { broken[number * bytes.count / 12] ^= 0x10 } else { broken.removeLast(1 + (number - 12) * 61) }
      let name = person.data + "/broken"
      try AtomicFile.write(name, broken)
      // A bit that zstd ignores may be flipped: then the content is as it was written.
      do { #expect(try BackupFile(name, isInterrupted: { false }).read().cards == 500) } catch {
        #expect(throws: (any Error).self) { try workspace.care.stage(name) }
      }
    }
    #expect(try state(workspace) == before)
    #expect(throws: (any Error).self) { try workspace.care.stage(person.data + "/words/spanish") }
    #expect(throws: (any Error).self) { try workspace.care.stage(person.data + "/nothing") }
  }

  @Test func `of the automatic backups seven days, four weeks and twelve months are kept`() {
    var days: Set<Int> = []
    let retention = BackupRetention()
    let first = CivilDate(year: 2024, month: 1, day: 1).days
    for day in first..<(first + 900) { days = retention.kept(days.union([day]), today: day) }
    #expect(days.contains(first + 899))
    #expect((first + 893...first + 899).allSatisfy(days.contains))
    #expect((18...23).contains(days.count))
    // Beyond a year there is one a month.
    #expect(days.contains { $0 < first + 900 - 300 })
    for day in stride(from: -800_000, to: 800_000, by: 997) {
      let date = CivilDate(day: day)
      #expect(date.days == day)
      if day > 0 { #expect(CivilDate(date.text) == date) }
    }
    #expect(CivilDate("2023-02-29") == nil)
  }

  @Test func `backups with future dates are kept, replace no others, and are reported`() throws {
    try person.filled()
    let workspace = try person.workspace()
    let days = ["2023-11-13", "2023-11-15"] + (1...7).map { "2030-01-0\($0)" }  // Further east it is the 15th.
    try makePrivateFolder(workspace.care.backupFolder)
    for day in days { try writeFile("", to: workspace.care.backupFolder + "/daily-\(day).deckhand-backup") }
    _ = try workspace.decks.create("French")
    workspace.dailyBackups.finish { _, _ in }
    let names = try Folder.names(in: workspace.care.backupFolder)
    #expect(Set(names) == Set((days + ["2023-11-14"]).map { "daily-\($0).deckhand-backup" }))
    let found = try workspace.care.diagnose([.files]).filter { $0.code == "future_backup" }
    #expect(found.count == 1 && found[0].what.hasPrefix("7 daily backups"))
  }

  @Test func `one backup a day is made automatically`() throws {
    let workspace = try person.filled()
    // A collection that did not exist before its first change has nothing to back up yet.
    workspace.dailyBackups.finish { _, _ in }
    #expect(try Folder.names(in: workspace.care.backupFolder) == [])
    try workspace.close()
    let again = try person.workspace()
    again.dailyBackups.finish { _, _ in }
    #expect(try Folder.names(in: again.care.backupFolder) == [])
    _ = try again.decks.create("French")
    var told: [Int] = []
    again.dailyBackups.finish { done, total in told.append(done * 100 / total) }
    #expect(told.last == 100 && told == told.sorted())
    let path = again.care.backupFolder + "/daily-2023-11-14.deckhand-backup"
    // It includes the change that triggered it.
    #expect(try BackupFile(path, isInterrupted: { false }).read().decks == 3)
    try Folder.removeFile(path)
    _ = try again.decks.create("German")
    again.dailyBackups.finish { _, _ in }
    #expect(!fileExists(path))
  }

  @Test func `backups with future dates from a wrong clock do not crowd out current ones`() throws {
    try person.filled()
    let folder = person.data + "/local/backups/"
    try makePrivateFolder(folder)
    let ahead = (0..<30).map { "daily-2024-12-\($0 < 9 ? "0" : "")\($0 + 1).deckhand-backup" }
    for name in ahead { try writeFile("x", to: folder + name) }
    let workspace = try person.workspace()
    for number in 0..<3 {
      _ = try workspace.decks.create("Deck \(number)")
      workspace.dailyBackups.finish { _, _ in }
      person.clock.pass(86_400)
    }
    let made = (14...16).map { "daily-2023-11-\($0).deckhand-backup" }
    #expect(try Folder.names(in: folder) == made + ahead)
  }

  @Test func `the daily backup is made in the background of the prompt, and closing cancels it`() throws {
    try person.filled()
    let workspace = try person.workspace()
    _ = try workspace.decks.create("French")
    workspace.dailyBackups.begin()
    _ = try workspace.decks.create("German")
    workspace.dailyBackups.finish { _, _ in }
    let path = workspace.care.backupFolder + "/daily-2023-11-14.deckhand-backup"
    #expect([3, 4].contains(try BackupFile(path, isInterrupted: { false }).read().decks))
    try Folder.removeFile(path)
    person.clock.pass(86_400)
    _ = try workspace.decks.create("Italian")
    workspace.dailyBackups.begin()
    try workspace.close()
    #expect(try Folder.names(in: person.data + "/local/backups").allSatisfy { !$0.hasPrefix(".") })
  }

  @Test func `a history that grows during a backup is complete in the backup`() throws {
    let workspace = try person.filled()
    let history = person.data + "/local/history"
    try AtomicFile.write(history, Array("deck list\n".utf8))
    let patience = Patience(99)
    let made = workspace.care.backupJob(to: person.data + "/b.deckhand-backup")
    let job = BackupJob(folder: made.folder, path: made.path, account: nil, created: made.created) {
      let file = patience.isOver() ? -1 : open(history, O_WRONLY | O_APPEND)
      if file >= 0 { _ = write(file, "study\n", 6) }
      close(file)
      return false
    }
    _ = try job.write()
    #expect(patience.left < 79)
    #expect(try BackupFile(job.path, isInterrupted: { false }).read().decks == 2)
  }

  @Test(arguments: [1, 2, 5, 20]) func `an interrupted backup leaves nothing`(piece: Int) throws {
    let workspace = try person.filled()
    try AtomicFile.write(workspace.folder + "/big", [UInt8](repeating: 7, count: 1 << 20))
    _ = try workspace.media.add([UInt8](repeating: 7, count: 1 << 22), named: "big.mp3")
    let patience = Patience()
    var pieces = 0
    let job = BackupJob(
      folder: workspace.folder, path: person.data + "/a.backup", account: nil, created: 0,
      isInterrupted: { patience.isOver() })
    #expect(throws: (any Error).self) {
      try job.write { _, _ in
        pieces += 1
        if pieces == piece { patience.set(0) }
      }
    }
    // It ends at the next piece.
    #expect(pieces == piece)
    #expect(try Folder.names(in: person.data).filter { $0.hasPrefix(".") || $0.contains("backup") } == [])
  }

  @Test(arguments: [0, 3, 60, 100]) func `a damaged collection is set aside, and a backup replaces it`(
    place: Int
  ) throws {
    var workspace = try person.filled()
    try workspace.care.backup(to: path)
    let before = try state(workspace)
    try workspace.close()
    let collection = workspace.folder + "/collection.sqlite"
    var bytes = try FileText.bytes(collection, limit: 1 << 24)
    // 60 to 63 are the version of the tables.
    for index in place..<place + (place == 60 ? 4 : 40) { bytes[index] = place == 60 ? 0 : 0xA5 }
    try AtomicFile.write(collection, bytes)
    workspace = try person.workspace()
    #expect(throws: StorageError.self) { try workspace.decks.all() }
    let report = try workspace.care.restore(workspace.care.stage(path))
    #expect(report.replaced == nil)
    #expect(try FileText.bytes(#require(report.kept), limit: 1 << 24) == bytes)
    #expect(try state(workspace) == before)
    #expect(try workspace.care.integrityProblems() == [])
  }

  @Test(arguments: [true, false]) func `a missing collection is reported, and no new one is started in its place`(
    isEmptied: Bool
  ) throws {
    var workspace = try person.filled()
    try makePrivateFolder(workspace.care.backupFolder)
    let path = workspace.care.backupFolder + "/daily-2023-11-14.deckhand-backup"
    try workspace.care.backup(to: path)
    let before = try state(workspace)
    let collection = workspace.folder + "/collection.sqlite"
    func lose() throws {
      try workspace.close()
      if isEmptied { try AtomicFile.write(collection, []) } else { try Folder.removeFile(collection) }
      workspace = try person.workspace()
    }
    try lose()
    let gone = WorkspaceError.collectionGone(path: collection, backup: path)
    let spaced = WorkspaceError.collectionGone(path: collection, backup: "/my data/b")
    #expect(spaced.message.contains("`restore '/my data/b'`"))
    #expect(throws: gone) { try workspace.decks.all() }
    #expect(throws: gone) { try workspace.decks.create("New") }
    #expect(throws: gone) { try workspace.care.backup(to: person.data + "/empty.backup") }
    let found = try workspace.care.diagnose()
    #expect(found.count == 1 && found[0].remedy.contains(path))
    _ = try workspace.care.restore(workspace.care.stage(path))
    #expect(try state(workspace) == before)

    try lose()
    _ = try workspace.care.mend()
    #expect(try workspace.decks.all().isEmpty)
    #expect(try Folder.names(in: workspace.care.backupFolder) == ["kept-2023-11-14.deckhand-backup"])
    // Lost again on the same day, the first backup stays.
    _ = try workspace.decks.create("New")
    try workspace.care.backup(to: path)
    try lose()
    _ = try workspace.care.mend()
    #expect(
      try Folder.names(in: workspace.care.backupFolder) == [
        "kept-2023-11-14-2.deckhand-backup", "kept-2023-11-14.deckhand-backup",
      ])
  }

  @Test(arguments: ["pipe", "folder", "loop", "nowhere"])
  func `anything but a regular file in place of the collection is named, and neither read nor replaced`(kind: String)
    throws
  {
    var workspace = try person.filled()
    try makePrivateFolder(workspace.care.backupFolder)
    try workspace.care.backup(to: workspace.care.backupFolder + "/daily-2023-11-14.deckhand-backup")
    let collection = workspace.folder + "/collection.sqlite"
    try workspace.close()
    try Folder.removeFile(collection)
    let words: String
    switch kind {
    case "pipe": (_, words) = (mkfifo(collection, 0o600), "it is a pipe or a device")
    case "folder": (_, words) = (makeFolder(collection), "it is a folder")
    case "loop": (_, words) = (symlink(collection, collection), "too many levels of symbolic links")
    default: (_, words) = (symlink(person.data + "/none", collection), "it is a link to a file that does not exist")
    }
    workspace = try person.workspace()
    let problem = StorageError.unreadable(path: collection, detail: words)
    #expect(throws: problem) { try workspace.decks.all() }
    #expect(throws: problem) { try workspace.decks.create("New") }
    let found = try workspace.care.mend([.database]).findings
    #expect(found.count == 1 && found[0].what.contains(words), "\(found)")
    #expect(try Folder.names(in: workspace.care.backupFolder) == ["daily-2023-11-14.deckhand-backup"])
    #expect(!fileExists(person.data + "/none"))
  }
}
