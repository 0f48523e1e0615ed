// What no command can read: the doctor finds it and replaces it.

import Decks
import Files
import Storage
import Templates
import TestWorkspace

@testable import Workspace

@Suite struct UnreadableTests {
  private let person = Person()

  @Test(arguments: ["{", "[]", "null", "", "\u{FFFD}"])
  func `what no command can read is found, set aside and replaced`(value: String) throws {
    let workspace = try person.filled()
    let cards = try workspace.decks.open("Spanish::Verbs").count()
    try workspace.perform(.mend) { db in
      try db.execute(
        sql: "UPDATE cards SET raw = ?, usn = 0 WHERE id = (SELECT min(id) FROM cards)", arguments: [value])
      try db.execute(
        sql: "INSERT INTO presets (id, name, name_key, options, json) VALUES (7, 'P', 'p', ?1, ?1)", arguments: [value])
      try db.execute(
        sql: "UPDATE decks SET options = ?1, json = ?1, preset = 7 WHERE name = 'Spanish::Verbs'", arguments: [value])
      try db.execute(sql: "UPDATE note_types SET json = ?", arguments: [value])
    }
    #expect(throws: StorageError.self) { try workspace.read { try NoteTypeTable.list($0) } }
    let expected = [
      "unreadable_deck_row", "unreadable_preset_row", "unreadable_card_row", "unreadable_deck_options",
      "unreadable_preset_options", "unreadable_note_type",
    ]
    #expect(Set(expected).isSubset(of: try workspace.care.diagnose([.decks]).map(\.code)))
    let report = try workspace.care.mend()
    #expect(report.findings.allSatisfy { $0.area == .space || $0.area == .documents }, "\(report.findings)")
    let aside = try #require(try Folder.names(in: workspace.care.backupFolder).first { $0.hasPrefix("set-aside-") })
    let text = try FileText.read(
      workspace.care.backupFolder + "/" + aside, limit: 1 << 20, isInterrupted: isNeverInterrupted)
    #expect(text?.contains("presets 7, options: \(value)\n") == true)
    #expect(try workspace.decks.open("Spanish::Verbs").count() == cards)
    let type = try #require(try workspace.read { try NoteTypeTable.named($0, "Basic") })
    #expect(type.fields == ["Front", "Back"] && type.isBasic)
    _ = try workspace.decks.open("Spanish::Verbs").add(NewCard(prompt: "p", answer: "a"))
    try workspace.close()
  }

  @Test func `a card without a template becomes the first card of its note`() throws {
    let workspace = try person.filled()
    let deck = try workspace.decks.open("Spanish::Verbs")
    try workspace.perform(.mend) { db in
      try db.execute(sql: "UPDATE cards SET ord = 99 WHERE id IN (SELECT max(id) FROM cards)")
    }
    let told = try workspace.care.diagnose([.decks]).filter { $0.code == "card_without_template" }
    #expect(told.map(\.what) == ["1 card without a template"])
    _ = try workspace.care.mend([.decks])
    #expect(try workspace.care.diagnose([.decks]) == [] && deck.count() == 500)
    #expect(try deck.cards(matching: "p499").nextCard()?.record().answer == "a")
    try workspace.close()
  }
}
