// Values that no program would write, in every column of every table: what a command refuses to read, the doctor finds
// and repairs.

import CardDocuments
import Decks
import Files
import Language
import Memory
import Problems
import Storage
import Templates
import TestWorkspace
import ToggleSettings

@testable import Workspace

/// A value in place of that of a column, in SQL.
private struct Damage: Hashable, CustomStringConvertible {
  let table: String
  let column: String
  let value: String
  /// Whether the rows of the table have numbers.
  let hasRowID: Bool

  var description: String { "\(table).\(column) = \(value)" }

  var sql: String {
    "UPDATE \(table) SET \(column) = \(value)" + (hasRowID ? " WHERE rowid = (SELECT min(rowid) FROM \(table))" : "")
  }

  /// Whatever kind a column has, SQLite refuses the values of the others.
  static func values(_ column: String) -> [String] {
    [
      "NULL", "-1", "9223372036854775807", "-9223372036854775807 - 1", "\(column) + (1 << 33)", "1e300", "-9e999",
      "''", "'{'", "'[]'", "CAST(x'61ff62' AS TEXT)", "char(unicode(\(column)) + 1) || substr(\(column), 2)",
      "substr(\(column), 2)", "x'ff00'", "x''",
    ]
  }
}

@Suite struct DamageSweepTests {
  private let person: Person
  private let whole: [UInt8]
  private var collection: String { person.data + "/local/collection.sqlite" }

  init() throws {
    let person = Person()
    self.person = person
    let workspace = try person.workspace()
    let deck = try workspace.decks.create("Spanish::Verbs")
    let picture = try workspace.media.add([1, 2, 3], named: "a.mp3")
    for number in 0..<6 {
      try deck.add(
        NewCard(prompt: "p\(number) [sound:\(picture)]", answer: "a", fields: [CardField("Source", .text("b"))]))
    }
    try deck.addNote(NewNote(fields: ["Text": "{{c1::uno}} {{c2::dos}}"], tags: ["t"]), type: .cloze)
    _ = try workspace.presets.create("Slow")
    try deck.scheduling.setPreset("Slow")
    try deck.scheduling.setLimits([(.newPerDay, "5")])
    let study = try deck.study(SessionHandle.Options(try workspace.preferences()))
    for rating in [Rating.good, .again, .easy] { _ = try study.answer(rating, mistyped: "q") }
    _ = try workspace.documents.create(background: .black).addText("kept", at: ElementPlacement())
    try UserWordList(workspace, language: "dutch").set(["de"], as: .known)
    try workspace.preferences().tree.set("study.limit", to: .number(7), by: .user)
    var game = GameOptions()
    (game.base, game.language) = ("cambering", "english")
    _ = try workspace.games.start(game).guess("grace")
    try workspace.games.store()
    try person.folder.write("de hond ziet de kat", to: "a.txt")
    try Self.text(person, workspace).savePlace(1)
    try workspace.close()
    whole = try FileText.bytes(person.data + "/local/collection.sqlite", limit: 1 << 26)
  }

  private static func text(_ person: Person, _ workspace: Workspace) throws -> TextHandle {
    var options = TextOptions()
    options.language = "dutch"
    return try TextHandle([person.data + "/a.txt"], options, in: workspace)
  }

  private func putBack() throws {
    for ending in ["-wal", "-shm"] { try Folder.removeFile(collection + ending) }
    try AtomicFile.write(collection, whole)
  }

  /// All values for all columns.
  private func damages() throws -> [Damage] {
    let file = try ExclusiveDatabase(collection)
    defer { #expect(throws: Never.self) { try file.close() } }
    return try file.use { db in
      let sql = """
        SELECT tables.name, columns.name, wr FROM pragma_table_list AS tables, pragma_table_info(tables.name) AS columns
        WHERE tables.schema = 'main' AND tables.type = 'table' AND tables.name NOT GLOB 'sqlite_*'
        ORDER BY 1, 2
        """
      return try db.rows(sql) { ($0.text(0), $0.text(1), $0.integer(2) == 0) }.flatMap { table, column, hasRowID in
        Damage.values(column).map { Damage(table: table, column: column, value: $0, hasRowID: hasRowID) }
      }
    }
  }

  /// Returns whether SQLite allows the value and a row has changed.
  private func make(_ damage: Damage) throws -> Bool {
    let file = try ExclusiveDatabase(collection, schema: DecksSchema.schema)
    let hasChanged = try file.use { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = OFF")
      do {
        try db.execute(sql: damage.sql)
        return db.changesCount > 0
      } catch { return false }
    }
    try file.close()
    return hasChanged
  }

  /// Reads and changes everything as commands do; returns what is refused.
  private func refusals(_ workspace: Workspace, _ number: Int) throws -> [String] {
    var refused: [String] = []
    func attempt(_ what: String, _ body: () throws -> Void) {
      do { try body() } catch { refused.append("\(what): \(error)") }
    }
    attempt("list") {
      for deck in try workspace.decks.all() {
        _ = try (deck.record(), deck.counts(), deck.studyCounts(), deck.scheduling.options(), deck.statistics())
        for card in try deck.cards().rest() { _ = try (card.record(), card.fields(), card.answers()) }
        _ = try deck.exportCards(to: person.data + "/out\(number).json")
        _ = try deck.exportCards(to: person.data + "/out\(number).apkg")
        for ending in ["json", "apkg"] { try Folder.removeFile(person.data + "/out\(number).\(ending)") }
      }
    }
    attempt("find") { _ = try workspace.cards.find(in: workspace.decks.all(), matching: "prop:r<0.9 or tag:t").rest() }
    attempt("types") { _ = try (workspace.noteTypes.all().map { try $0.record() }, workspace.noteTypes.noteCounts()) }
    attempt("study") {
      guard let deck = try workspace.decks.all().last else { return }
      let session = try deck.study(SessionHandle.Options(workspace.preferences()))
      if try session.card() != nil {
        _ = try session.choices()
        _ = try session.answer(.good)
      }
    }
    attempt("add") {
      try workspace.decks.openOrCreate("Other", for: .addCards) { deck in
        _ = try deck.add(NewCard(prompt: "new \(number)", answer: "b"))
      }
    }
    attempt("steps") {
      _ = try workspace.care.steps()
      for _ in 0..<2 { _ = try workspace.care.undo() }
      for _ in 0..<2 { _ = try workspace.care.redo() }
    }
    attempt("game") { _ = try (workspace.games.resume(), workspace.games.results()) }
    attempt("media") { _ = try (workspace.media.all(), workspace.media.check()) }
    attempt("text") {
      let text = try Self.text(person, workspace)
      _ = try (text.view().coverage, text.savedPlace())
      _ = try UserWordList(workspace, language: "dutch").all()
    }
    attempt("backup") {
      let path = person.data + "/b\(number).deckhand-backup"
      _ = try workspace.care.backup(to: path)
      try Folder.removeFile(path)
    }
    return refused
  }

  @Test func `what a command refuses to read is found by the doctor and repaired`() throws {
    var random = TestGenerator(51)
    let all = try damages().shuffled(using: &random)
    let before = try person.workspace()
    let usual = Set(try before.care.diagnose().map(\.code))
    #expect(try refusals(before, 0) == [])
    try before.close()
    var tried = 0
    for damage in all where tried < Self.sample {
      try putBack()
      guard try make(damage) else { continue }
      tried += 1
      let workspace = try person.workspace()
      let told = try workspace.care.diagnose().filter { !usual.contains($0.code) }
      if told.isEmpty {
        #expect(try refusals(workspace, tried) == [], "\(damage), and the doctor tells nothing")
      } else {
        let left = try workspace.care.mend().findings.filter { $0.isMendable && !usual.contains($0.code) }
        #expect(left == [], "\(damage): told again after it was mended")
        let isLeft = told.contains { !$0.isMendable }
        let refused = try refusals(workspace, tried)
        #expect(isLeft || refused == [], "\(damage): mended")
      }
      try workspace.close()
    }
    #expect(tried == Self.sample)
  }

  /// How many damages are tried: as many as take a few seconds.
  private static let sample = 60
}
