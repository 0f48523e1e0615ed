// Ctrl-C at any moment: long work ends at its next check, reports the interruption, and has changed nothing.

import Decks
import Files
import Language
import Problems
import Storage
import Synchronization
import Templates
import TestSupport
import TestWorkspace
import Values

@testable import Exchange
@testable import Workspace

@Suite struct InterruptionTests {
  private let person = Person()
  private let workspace: Workspace
  private let deck: DeckHandle
  private let patience = Patience()

  init() throws {
    workspace = try person.workspace { [patience] in patience.isOver() }
    deck = try workspace.decks.create("Deck")
    _ = try workspace.media.add(Array("cat".utf8), named: "cat.png")
    _ = try deck.addAll(onDuplicate: .skip) { batch in
      for number in 0..<1100 {
        _ = try batch.add(
          NewCard(prompt: "p\(number)", answer: number == 7 ? "[picture cat.png]" : "a", guid: "g\(number)"))
      }
    }
  }

  private func file(_ name: String) -> String { person.folder.file(name) }

  /// Everything an operation could have changed, or its counts.
  private func everything(isCounted: Bool) throws -> [[Value]] {
    let tables = ["decks", "cards", "notes", "note_types", "reviews", "presets", "media", "listed_words"]
    let rows = try workspace.read { db in
      try tables.flatMap { table in
        let sql = isCounted ? "SELECT count(*) FROM \(table)" : "SELECT * FROM \(table)"
        return try db.rows(sql) { [.text(table)] + $0.values }
      }
    }
    let others = try person.folder.names + names(in: workspace.media.folder) + workspace.care.steps().map(\.name)
    return rows + others.map { [.text($0)] }
  }

  /// Interrupts an operation at its first check, at the second, and so on, later in growing steps, until it finishes
  /// before the next interruption.
  private func interrupt(_ operation: () throws -> Void, _ place: SourceLocation = #_sourceLocation) throws {
    let before = try [false, true].map(everything)
    var (moment, count) = (0, 0)
    while true {
      patience.set(moment)
      do {
        try operation()
        patience.set(.max)
        #expect(count > 0, "it never asks", sourceLocation: place)
        return
      } catch {
        patience.set(.max)
        try #require(
          (error as? any Problem)?.report.code == .interrupted, "at moment \(moment): \(error)", sourceLocation: place)
        let isCounted = count % 8 > 0
        try #require(
          try everything(isCounted: isCounted) == before[isCounted ? 1 : 0], "at moment \(moment)",
          sourceLocation: place)
      }
      (moment, count) = (moment + 1 + moment / 4, count + 1)
    }
  }

  @Test(arguments: ["out.csv", "out.json", "out.jsonl", "out.md", "out.txt", "out.apkg"])
  func `a file is written whole or not at all, and read whole or not at all`(_ name: String) throws {
    var options = ExportOptions()
    options.hasSchedule = name.hasSuffix("apkg")
    try interrupt { _ = try deck.exportCards(to: file(name), .plain, options) }
    try interrupt { _ = try workspace.exchange.importCards(intoDeck: "New", from: [file(name)], .plain, .init()) }
    // A card of a package that already exists stays where it is.
    if !name.hasSuffix("apkg") { #expect(try workspace.decks.open("New").count() >= 1099) }
  }

  @Test func `packages of older programs and of whole collections are written whole`() throws {
    var options = ExportOptions()
    options.format = .apkgLegacy
    try interrupt { _ = try deck.exportCards(to: file("old.apkg"), .plain, options) }
    try interrupt { _ = try deck.exportCards(to: file("all.colpkg")) }
    let other = Person()
    let there = try other.workspace()
    #expect(
      try there.exchange.importCards(intoDeck: nil, from: [file("all.colpkg")], .plain, .init()).cards.added == 1100)
    #expect(try there.decks.open("Deck").count() == 1100)
  }

  @Test func `a page is written whole, and its answers are imported whole`() throws {
    try interrupt { _ = try deck.writePage(to: file("page.html")) }
    let id = try workspace.read { try DeckTable.record($0, deck.id).pageID }
    try person.folder.write(
      #"{"deck":"\#(id)","version":1}"# + "\n" + #"{"guid":"g3","at":1699999000,"rating":3,"seconds":2.5}"# + "\n",
      to: "answers.txt")
    try interrupt { _ = try deck.importAnswers(from: [file("answers.txt")]) }
  }

  @Test func `a folder is built whole, compared and merged whole`() throws {
    for number in 0..<3 {
      try person.folder.write(
        "prompt,answer,guid\n" + (0..<50).map { "\(number) \($0),x,\(number)-\($0)\n" }.joined(),
        to: "Built/\(number).csv")
    }
    _ = try deck.exportCards(to: file("base.apkg"))
    _ = try #require(try deck.card(at: 1)).note().update(fields: ["Back": "b"])
    _ = try deck.exportCards(to: file("theirs.apkg"))
    _ = try workspace.care.undo()
    let settings = workspace.comparing.settings()
    try interrupt {
      let operands = [file("base.apkg"), file("theirs.apkg")]
      let found = try workspace.comparing.difference(operands, settings, generator: NoGenerator()).changes.count
      #expect(found == 1)
    }
    try interrupt {
      let request = MergeRequest(base: file("base.apkg"), ours: "Deck", theirs: file("theirs.apkg"))
      let found = try workspace.comparing.merge(request, settings, generator: NoGenerator()).counts.changed
      #expect(found == 1)
    }
    try interrupt { _ = try workspace.exchange.build(file("Built"), generator: NoGenerator()) }
    #expect(try workspace.decks.open("Built").count() == 150)
  }

  @Test func `a backup is made whole, and read whole`() throws {
    try interrupt { try workspace.care.backup(to: file("one.deckhand-backup")) }
    try interrupt {
      let found = try workspace.care.stage(file("one.deckhand-backup")).contents.cards
      #expect(found == 1100)
    }
  }

  @Test func `the copy of a damaged collection is made once what can be read is in a new one`() throws {
    let page = try workspace.read {
      try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'note_types_name'")
    }
    try workspace.close()
    let path = workspace.folder + "/collection.sqlite"
    var bytes = try FileText.bytes(path, limit: 1 << 24)
    let start = (try #require(page) - 1) * 4096
    for index in start..<start + 4096 { bytes[index] = UInt8(truncatingIfNeeded: index &* 31) }
    try AtomicFile.write(path, bytes)
    let care = try person.workspace { [patience] in patience.isOver() }.care
    func isDamaged() throws -> Bool { try care.diagnose([.database]).contains { $0.code == "damaged" } }
    var moment = 0
    while try isDamaged() {
      #expect(names(in: care.backupFolder) == [], "at moment \(moment)")
      patience.set(moment)
      do { _ = try care.mend([.database]) } catch {
        #expect((error as? any Problem)?.report.code == .interrupted, "at moment \(moment): \(error)")
      }
      patience.set(.max)
      moment += 1 + moment / 4
    }
    #expect(moment > 1 && names(in: care.backupFolder).filter { $0.hasSuffix(".sqlite") }.count == 1)
  }

  @Test func `a change to many cards is made to all of them or to none`() throws {
    let cards = try deck.cards().rest()
    let numbers = try cards.prefix(5).map { Int64(try $0.record().note.rawValue) }
    try interrupt {
      let found = try workspace.cards.list(of: [deck], matching: "p").cards.count
      #expect(found == 1100)
    }
    try interrupt { try workspace.notes.changeTags(of: numbers, adding: ["t"]) }
    var rows = try workspace.cards.anki.rows(of: Array(cards.prefix(3)))
    for index in rows.indices { rows[index].flags = 2 }
    try interrupt { try workspace.cards.anki.writeRows(rows) }
    try interrupt {
      let found = try workspace.cards.anki.log(of: cards.prefix(3).map(\.id)).count
      #expect(found == 3)
    }
    try interrupt { try workspace.notes.remove(numbers) }
    #expect(try deck.count() == 1095)
  }

  @Test func `forecasts, goals and fittings end at once`() throws {
    try interrupt { _ = try deck.scheduling.simulate(retentions: [0.9], days: 5) }
    try interrupt { try deck.goals.set(date: "2023-12-24") }
  }

  @Test func `words of texts are listed and mined all or none`() throws {
    let letters = "abcdefghij".map { String($0) }
    let words = letters.flatMap { a in letters.flatMap { b in letters.prefix(6).map { "w" + a + b + $0 } } }
    try person.folder.write(words.map { "de hond ziet \($0).\n\n" }.joined(), to: "a.txt")
    var options = TextOptions()
    options.language = "dutch"
    let text = try TextHandle([file("a.txt")], options, in: workspace)
    try interrupt { _ = try UserWordList(workspace, language: "dutch").set(["de", "hond", "ziet"], as: .known) }
    let report = try text.minable()
    #expect(report.added.count == 600)
    try interrupt { _ = try text.minable() }
    try interrupt { _ = try text.mine(report.added, into: "Mined") }
  }
}
