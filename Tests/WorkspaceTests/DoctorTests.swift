// The doctor: what it finds, what it repairs, and what it leaves out of a damaged collection.

import Authentication
import CardDocuments
import Decks
import Files
import Glibc
import Memory
import Problems
import Storage
import Synchronization
import Templates
import TestWorkspace
import ToggleSettings

@testable import Workspace

@Suite struct DoctorTests {
  private let person = Person()

  @Test func `a healthy account has no findings`() throws {
    let workspace = try person.filled()
    let found = try workspace.care.diagnose().filter {
      $0.area != .space && $0.code != "undrawable_text" && $0.code != "unchecked"
    }
    #expect(found.isEmpty, "\(found)")
  }

  /// SQL for the id of the `number`th card added.
  private func card(_ number: Int) -> String { "(SELECT id FROM cards ORDER BY id LIMIT 1 OFFSET \(number - 1))" }

  @Test func `an account without problems is repaired without a backup`() throws {
    let workspace = try Person().workspace()
    _ = try workspace.decks.create("Deck")
    let report = try workspace.care.mend([.decks, .media])
    #expect(report.backup == nil && report.mended.isEmpty && report.findings.isEmpty)
    var progress: [Int] = []
    _ = try workspace.care.diagnose([.decks, .media]) { done, all in progress += [done, all] }
    #expect(progress == [0, 2, 1, 2])
  }

  @Test func `a read-only collection is a finding`() throws {
    try person.filled()
    let log = person.data + "/local/collection.sqlite-wal"
    unlink(log)
    symlink(log, log)
    let found = try person.workspace().care.diagnose([.database])
    #expect(found.map(\.code) == ["read_only"] && found.first?.isMendable == false, "\(found)")
  }

  @Test func `users of missing files and unused files are named, the first of many`() throws {
    let workspace = try Person().workspace()
    let deck = try workspace.decks.create("Deck")
    for number in 0..<5 {
      try deck.addNote(
        NewNote(fields: ["Front": "f\(number) <img src=\"gone.png\">"], guid: "n\(number)"), type: .basic)
    }
    _ = try workspace.noteTypes.create(
      NoteTypeDraft(
        name: "Verb", fields: ["W"], cards: [CardTemplate("One", front: "{{W}}<img src=\"_gone.png\">", back: "{{W}}")])
    )
    for number in 0..<102 { _ = try workspace.media.add([UInt8(number)], named: "unused\(number).png") }
    let found = try workspace.care.diagnose([.media])
    let places = Dictionary(uniqueKeysWithValues: found.map { ("\($0.code) \($0.what)", $0.place) })
    let missing = try #require(places.first { $0.key.contains("\"gone.png\"") }?.value)
    #expect(missing.hasPrefix("note n") && missing.hasSuffix(", … 2 more"))
    #expect(places.first { $0.key.contains("\"_gone.png\"") }?.value == "note type Verb")
    #expect(places["unused_media 102 media files that nothing uses"]?.hasSuffix(", … 2 more") == true)
  }

  @Test func `leftovers of ended processes are removed, and the target of a link is left alone`() throws {
    let workspace = try person.workspace()
    _ = try workspace.decks.create("Deck")
    let (left, mine) = (workspace.folder + "/grants.json.4194303-0.tmp", workspace.folder + "/grants.json.note")
    for path in [left, mine] { try writeFile("x", to: path) }
    let (scratch, inUse) = (workspace.folder + "/.restore-99999999-abc", workspace.folder + "/.package-\(getpid())-abc")
    for folder in [scratch, inUse] {
      try makePrivateFolder(folder)
      try writeFile("x", to: folder + "/package")
      chmod(folder + "/package", 0o644)
    }
    let elsewhere = try person.folder.write("x", to: "elsewhere")
    chmod(elsewhere, 0o666)
    symlink(elsewhere, workspace.folder + "/link")
    let found = try workspace.care.diagnose([.files])
    let report = try workspace.care.mend([.files])
    #expect(found.filter { $0.place.hasSuffix("/link") }.isEmpty && mode(of: elsewhere) == 0o666)
    #expect(Set(found.filter { $0.code == "leftover" }.map(\.place)) == [left, scratch])
    #expect(found.allSatisfy { !$0.place.hasSuffix("/package") }, "what is in use is nobody's business")
    #expect(size(of: mine) == 1 && report.findings.allSatisfy { $0.code != "leftover" })
    #expect(!fileExists(scratch) && fileExists(inUse + "/package"))
  }

  @Test func `files that the user cannot write are reported`() throws {
    let workspace = try Person().workspace()
    _ = try workspace.decks.create("Deck")
    let path = workspace.folder + "/collection.sqlite"
    chmod(path, 0o400)
    #expect(try workspace.care.diagnose([.files]).map { [$0.code, $0.place] } == [["closed", path]])
  }

  private static let (webp, wav) = (Array("RIFF0000WEBPVP8 ".utf8), Array("RIFF0000WAVEfmt ".utf8))

  @Test(arguments: [
    ("a.jpg", [0xFF, 0xD8, 0xFF], true), ("a.jpg", [1, 2], false), ("a.ogg", [1], false),
    ("a.webp", webp, true), ("a.png", wav, false), ("a.wav", wav, true), ("b.wav", webp, false),
  ])
  func `a file is recognised as picture or sound by its first bytes`(_ name: String, _ bytes: [UInt8], _ isWell: Bool)
    throws
  {
    let workspace = try Person().workspace()
    _ = try workspace.media.add(bytes, named: name)
    #expect(try (workspace.media.misnamed(name) == nil) == isWell)
  }

  @Test func `a card that shows a removed document shows none`() throws {
    let workspace = try Person().workspace()
    let card = try workspace.decks.create("Deck").add(NewCard(prompt: "a", answer: "b"))
    let document = try workspace.documents.create(background: nil)
    let id = try document.document().id.description
    try card.setDocument(id)
    try workspace.perform(.mend) { try $0.execute(sql: "DELETE FROM documents") }
    #expect(try workspace.care.diagnose([.documents]).map(\.code).contains("missing_document"))
    #expect(try workspace.care.mend([.documents]).findings.allSatisfy { $0.code != "missing_document" })
    #expect(try card.record().document == nil)
  }

  @Test func `a document that cannot be opened is found by the beginning of its id, and removed`() throws {
    let workspace = try Person().workspace()
    let card = try workspace.decks.create("Deck").add(NewCard(prompt: "a", answer: "b"))
    let id = try workspace.documents.create(background: nil).document().id
    try card.setDocument(id.description)
    #expect(try workspace.documents.damaged(id.description) == nil)
    try workspace.perform(.mend) { try $0.execute(sql: "UPDATE documents SET content = '{'") }
    #expect(throws: DocumentError.self) { try workspace.documents.open(id.description) }
    #expect(try workspace.documents.damaged(String(id.description.prefix(6)).lowercased()) == id)
    #expect(try workspace.documents.removeDamaged(id) == 1)
    #expect(try workspace.documents.ids().isEmpty && card.record().document == nil)
  }

  @Test func `an answer given while the clock was ahead counts as given now`() throws {
    let workspace = try person.workspace()
    let deck = try workspace.decks.create("Deck")
    try deck.add(NewCard(prompt: "a", answer: "b"))
    #expect(try workspace.cards.futureAnswerCount() == 0)
    person.clock.pass(86_400 * 300)
    try deck.study(SessionHandle.Options(try workspace.preferences())).answer(.easy)
    person.clock.pass(-86_400 * 300)
    #expect(try workspace.cards.futureAnswerCount() == 1)
    #expect(try workspace.care.diagnose([.decks]).map(\.code) == ["future_answer"])
    #expect(try workspace.care.mend([.decks]).findings.isEmpty && workspace.cards.futureAnswerCount() == 0)
  }

  @Test func `problems are found, repaired after a backup, and not found again`() throws {
    let workspace = try person.filled()
    for name in ["Nameless", "Twin"] { _ = try workspace.decks.create(name) }
    try workspace.perform(.mend) { db in
      try db.execute(sql: "UPDATE decks SET name = char(0) WHERE name = 'Nameless'")
      try db.execute(sql: "UPDATE decks SET name = 'spanish::verbs' WHERE name = 'Twin'")
      try db.execute(sql: "UPDATE cards SET state = 2 WHERE id = \(card(1))")
      try db.execute(sql: "UPDATE cards SET state = 9 WHERE id = \(card(2))")
      try db.execute(sql: "UPDATE cards SET difficulty = 77, stability = -1, state = 0 WHERE id = \(card(3))")
      try db.execute(sql: "UPDATE notes SET guid = '' WHERE id = (SELECT note FROM cards WHERE id = \(card(4)))")
      let note = "(SELECT note FROM cards WHERE id = \(card(5)))"
      try db.execute(sql: "UPDATE notes SET data = '{\"fields\":{}' WHERE id = \(note)")
      try db.execute(sql: "UPDATE decks SET name_key = 'other' WHERE name = 'Spanish::Verbs'")
      try db.execute(sql: "DELETE FROM decks WHERE name = 'Spanish'")
      try db.execute(sql: "INSERT INTO games_saved (id, state, saved, game, found) VALUES (1, 'nonsense', 0, 0, 0)")
      try db.execute(sql: "UPDATE undo_steps SET rows = x'0102' WHERE id = 1")
    }
    chmod(workspace.folder + "/grants.json", 0o666)
    let expected: Set<String> = [
      "bad_schedule", "missing_guid", "bad_fields", "deck_key", "deck_without_parent", "bad_saved_game",
      "damaged_step", "open_to_others",
    ]
    let found = Set(try workspace.care.diagnose().map(\.code))
    #expect(expected.subtracting(found) == [])
    let report = try workspace.care.mend()
    #expect(expected.intersection(Set(report.findings.map(\.code))) == [], "\(report.findings)")
    #expect(fileExists(try #require(report.backup)))
    #expect(try workspace.decks.open("Spanish::Verbs").count() == 500)
    for name in ["Recovered", "spanish::verbs+"] { #expect(try workspace.decks.open(name).count() == 0) }
  }

  @Test func `leftovers of another program in the database and the folder are found and repaired`() throws {
    let workspace = try person.filled()
    _ = try workspace.media.add([1, 2, 3], named: "unused.mp3")
    let gone = try workspace.media.add([4, 5, 6], named: "gone.mp3")
    unlink(try workspace.media.path(gone))
    let folder = workspace.folder
    try workspace.close()
    let file = try ExclusiveDatabase(folder + "/collection.sqlite", schema: DecksSchema.schema)
    try file.use { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF")
      try db.execute(
        sql: """
          UPDATE cards SET deck = 999 WHERE id = \(card(1));
          UPDATE decks SET preset = 999 WHERE name = 'Spanish::Verbs';
          UPDATE cards SET note = 999, ord = 0 WHERE id = \(card(2));
          UPDATE notes SET type = 999 WHERE id = (SELECT note FROM cards WHERE id = \(card(6)));
          INSERT INTO notes (id, guid, type, mod, fields) SELECT 5, 'n', min(id), 0, 'a' FROM note_types;
          INSERT INTO notes (id, guid, type, mod, fields) SELECT 6, 'e', min(id), 0, '' FROM note_types;
          INSERT INTO reviews (card, at, rating, state, interval) VALUES (\(card(3)), 0, 9, 0, 1);
          UPDATE settings SET kind = 'text', value = 'many' WHERE name = 'study.limit';
          """)
    }
    try file.close()
    try AtomicFile.write(folder + "/media/x.tmp", [1])
    var times = [timeval(tv_sec: 1_000_000_000, tv_usec: 0), timeval(tv_sec: 1_000_000_000, tv_usec: 0)]
    utimes(folder + "/media/x.tmp", &times)
    let again = try person.workspace()
    for name in ["out.json", "out.apkg", "out.html"] {
      let (deck, path) = (try again.decks.open("Spanish::Verbs"), person.folder.file(name))
      let error = #expect(throws: StorageError.self) {
        if name == "out.html" { _ = try deck.writePage(to: path) } else { _ = try deck.exportCards(to: path) }
      }
      #expect(error?.message.contains("`doctor --mend`") == true)
    }
    let found = Set(try again.care.diagnose().map(\.code))
    let mendable: Set<String> = [
      "damaged", "card_without_deck", "card_without_note", "note_without_type", "note_without_card",
      "bad_review", "leftover",
    ]
    let told: Set<String> = ["unused_media", "damaged_media", "refused_setting"]
    #expect(mendable.union(told).subtracting(found) == [])
    let left = Set(try again.care.mend().findings.map(\.code))
    #expect(mendable.intersection(left) == [] && told.isSubset(of: left), "\(left)")
    #expect(try again.decks.open("Spanish::Verbs").count() == 498)
    #expect(try again.decks.open("Spanish::Verbs").cards(matching: "p5").nextCard()?.record().answer == "a")
    // A card without a deck, and the cards of two notes that had none; the note without text is removed.
    let recovered = try again.decks.open("Recovered")
    #expect(try recovered.count() == 3 && recovered.cards(matching: "p1").nextCard()?.record().answer == "a")
  }

  @Test func `readable rows of a damaged collection are kept, and the rest is listed`() throws {
    let workspace = try person.workspace()
    let deck = try workspace.decks.create("Spanish")
    _ = try deck.addAll(onDuplicate: .skip) { batch in
      for n in 0..<5000 { _ = try batch.add(NewCard(prompt: "prompt \(n)", answer: "answer \(n)", guid: "g\(n)")) }
    }
    try workspace.close()
    let path = workspace.folder + "/collection.sqlite"
    var bytes = try FileText.bytes(path, limit: 1 << 26)
    // A page that holds rows of notes: their cards are lost with them.
    let text = Array("prompt 2500".utf8)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: text) })
    let page = place / 4096 * 4096
    for index in page..<page + 4096 { bytes[index] = UInt8(truncatingIfNeeded: index &* 31) }
    try AtomicFile.write(path, bytes)
    for ending in ["-wal", "-shm"] { unlink(path + ending) }

    let again = try person.workspace()
    #expect(try again.care.diagnose().contains { $0.code == "damaged" && $0.isMendable })
    let report = try again.care.mend()
    #expect(!report.mended.isEmpty)
    #expect(report.lost.contains { $0.hasPrefix("rows ") && $0.hasSuffix(" of notes") }, "\(report.lost)")
    #expect(fileExists(try #require(report.backup)))
    let count = try again.decks.open("Spanish").count()
    #expect((4800..<5000).contains(count))
    #expect(try again.decks.open("Spanish").card(at: 1) != nil)
    #expect(try again.care.integrityProblems() == [])
    #expect(try again.care.diagnose().filter { $0.area == .database || $0.area == .decks }.isEmpty)
  }

  @Test func `what is lost of the undo steps and of the log for the search is not listed`() throws {
    let workspace = try person.filled()
    try workspace.close()
    #expect(truncate(workspace.folder + "/collection.sqlite", 5 * 4096) == 0)
    let lost = try person.workspace().care.mend().lost
    #expect(lost.contains { $0.hasSuffix(" of notes") })
    #expect(!lost.contains { lost in ["undo_steps", "undo_search"].contains { lost.contains($0) } }, "\(lost)")
  }

  @Test(arguments: [(0, 16), (3, 1), (16, 2), (18, 2), (24, 76), (100, 12), (105, 4000), (0, 4096), (0, 8192)])
  func `a damaged header or schema loses no row`(place: Int, count: Int) throws {
    let workspace = try person.filled()
    let before = try state(workspace)
    try workspace.close()
    let path = workspace.folder + "/collection.sqlite"
    var bytes = try FileText.bytes(path, limit: 1 << 24)
    for index in place..<place + count { bytes[index] = UInt8(truncatingIfNeeded: index &* 31) }
    try AtomicFile.write(path, bytes)
    let again = try person.workspace()
    #expect(try again.care.mend().lost == [])
    #expect(try state(again) == before)
    #expect(try again.care.integrityProblems() == [])
  }

  @Test func `a damaged collection behind a link is repaired where the link points to, with its log`() throws {
    let workspace = try person.filled()
    let path = workspace.folder + "/collection.sqlite"
    let page = try workspace.read {
      try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'note_types_name'")
    }
    try workspace.close()
    // One card is in the log only.
    let second = try person.workspace()
    try second.decks.open("Spanish::Verbs").add(NewCard(prompt: "one more", answer: "a"))
    let before = try state(second)
    let elsewhere = person.folder.file("elsewhere.sqlite")
    var bytes = try FileText.bytes(path, limit: 1 << 24)
    let start = (try #require(page) - 1) * 4096
    for index in start..<start + 4096 { bytes[index] = UInt8(truncatingIfNeeded: index &* 31) }
    try AtomicFile.write(elsewhere, bytes)
    try AtomicFile.write(elsewhere + "-wal", FileText.bytes(path + "-wal", limit: 1 << 24))
    try second.close()
    unlink(path)
    symlink(elsewhere, path)

    let again = try person.workspace()
    #expect(try again.care.diagnose().contains { $0.code == "damaged" && $0.isMendable })
    #expect(try again.care.mend().lost == [])
    #expect(try state(again) == before)
    #expect(try FileFacts.at(path, followingLinks: false)?.kind == .symbolicLink)
    #expect(try again.care.integrityProblems() == [])
  }

  @Test func `a row that contradicts others is left out and listed`() throws {
    let workspace = try person.filled()
    try workspace.close()
    let path = workspace.folder + "/collection.sqlite"
    // Two decks of one name, of which the index knows nothing.
    var bytes = try FileText.bytes(path, limit: 1 << 24)
    let names = ["spanish::verbs", "spanish::verba"].map { Array($0.utf8) }
    for place in bytes.indices where bytes[place...].starts(with: names[0]) { bytes[place + 13] = UInt8(ascii: "a") }
    try AtomicFile.write(path, bytes)
    let again = try person.workspace()
    let report = try again.care.mend()
    #expect(report.findings.filter { $0.area == .database || $0.area == .decks } == [])
    #expect(!report.mended.isEmpty)
  }

  @Test func `the log of a removed card, and a document that a card showed, are not reported`() throws {
    let workspace = try person.workspace()
    let deck = try workspace.decks.create("Spanish")
    _ = try deck.add(NewCard(prompt: "p", answer: "a"))
    try workspace.perform(.mend) {
      try $0.execute(sql: "INSERT INTO reviews (card, at, rating, state, interval) SELECT id, 0, 3, 0, 1 FROM cards")
    }
    let document = try workspace.documents.create(background: .black)
    let id = try document.document().id.description
    let card = try #require(try deck.card(at: 1))
    try card.setDocument(id)
    #expect(try document.remove() == 1)
    #expect(try card.record().document == nil)
    _ = try workspace.care.undo()
    #expect(try card.record().document == id)
    _ = try workspace.care.redo()
    _ = try deck.removeCards(at: [1])
    let found = try workspace.care.diagnose().filter { $0.area != .space && $0.code != "undrawable_text" }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `leftovers of a killed backup, restore or export are removed at the next start`() throws {
    try person.filled()
    let folder = person.data + "/local"
    try makePrivateFolder(folder + "/backups")
    for name in [".backup-99999999-abc", ".restore-99999999-abc", ".package-99999999-abc"] {
      try makePrivateFolder(folder + "/" + name)
      try AtomicFile.write(folder + "/" + name + "/collection", [1], mode: 0o644)
    }
    try makePrivateFolder(folder + "/backups/.backup-99999999-abc")
    try AtomicFile.write(folder + "/history.99999999-0.tmp", [1])
    try makePrivateFolder(folder + "/.package-\(getppid())-abc")
    let workspace = try person.workspace()
    _ = try workspace.decks.all()
    #expect(try Folder.names(in: folder).filter { $0.contains("-abc") } == [".package-\(getppid())-abc"])
    #expect(try Folder.names(in: folder + "/backups") == [])
    #expect(!fileExists(folder + "/history.99999999-0.tmp"))
  }
}
