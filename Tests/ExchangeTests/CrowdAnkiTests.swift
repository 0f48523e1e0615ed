// Decks of CrowdAnki, and Anki's own folder: what is read, what is left, what a second import changes, and that nothing
// is changed where they are. The fixtures were made by hand; `*.expected.json` says what each has.

import Files
import Glibc
import Problems
import Templates
import TestDecks
import Values

@testable import Exchange

@Suite struct CrowdAnkiTests {
  let here = PackageCollection()

  private struct Result {
    let added: AddReport
    let work: PackageImport
  }

  /// Imports a file; its decks keep their names, unless a deck is given.
  private func importing(
    _ path: String, _ format: CardFormat = .crowdanki, into deck: String? = nil, _ kinds: FileKinds = .any,
    change: (inout PackageSettings) -> Void = { _ in }
  ) throws -> Result {
    var settings = here.settings()
    change(&settings)
    return try here.collection.store.operation("import") { db in
      let id = try deck.map { try DeckTable.findOrMake(db, named: $0, now: here.collection.now).deck.id }
      let work = try PackageImport(db, into: id, settings)
      return Result(added: try work.run(path, as: format, kinds), work: work)
    }
  }

  private func expected(_ name: String) throws -> Value.Record {
    let limits = JSONLimits(bytes: 1 << 20, depth: 10, values: 1000, string: 1000)
    return try #require(JSONParser.parse(Array(fixtureText(name).utf8), limits: limits).record)
  }

  private func counts(_ value: Value?) -> [String: Int] {
    Dictionary(
      uniqueKeysWithValues: (value?.record?.fields ?? []).compactMap { one in one.value.integer.map { (one.name, $0) } }
    )
  }

  private func texts(_ value: Value?) -> [String] { (value?.list ?? []).compactMap(\.text) }

  private func rows(_ sql: String) throws -> [String: Int] {
    try here.collection.store.read { db in
      Dictionary(uniqueKeysWithValues: try db.rows(sql) { ($0.text(0), $0.count(1)) })
    }
  }

  private let cardsOfDecks = "SELECT decks.name, count(*) FROM cards JOIN decks ON decks.id = deck GROUP BY decks.id"

  /// A copy of the fixture whose deck.json was changed.
  private func changed(_ edits: (String, String)...) throws -> TemporaryFolder {
    let folder = try TemporaryFolder(copying: TemporaryFolder(at: fixturePath("crowdanki")))
    var text = try fixtureText("crowdanki/deck.json")
    for (old, new) in edits {
      try #require(text.contains(old), "\(old)")
      text.replace(old, with: new)
    }
    try folder.write(text, to: "deck.json")
    return folder
  }

  @Test func `a folder gives what its expected file says`() throws {
    let all = try expected("crowdanki.expected.json")
    let (path, format) = try #require(try CardFormat.ofAnki(fixturePath("crowdanki")))
    let result = try importing(path, format)
    #expect(result.added.added == all["cards"]?.integer && result.work.lines.rows == all["notes"]?.integer)
    #expect(try rows(cardsOfDecks) == counts(all["decks"]))
    let ofNotes = "SELECT guid, count(*) FROM cards JOIN notes ON notes.id = note GROUP BY notes.id"
    #expect(try rows(ofNotes) == counts(all["cards_of"]))
    #expect(result.work.decks == ["School"])
    for name in texts(all["note_types"]) {
      #expect(try here.collection.store.read { try NoteTypeTable.find($0, named: name) }.name == name)
    }
    let preset = try #require(all["preset"]?.record)
    let id = try here.collection.deck(named: "School::North")
    let options = try here.collection.store.read { try DeckTable.options($0, id) }
    #expect(options.newPerDay == preset["new_per_day"]?.integer)
    #expect(options.reviewsPerDay == preset["reviews_per_day"]?.integer)
    #expect(here.media.keys.sorted() == texts(all["media"]))
    #expect(result.work.missingMedia.sorted() == texts(all["media_missing"]))
    #expect(result.added.lost == ["\(texts(all["media_left"]).count) media file that no note names"])
    for (guid, tags) in (all["tags"]?.record?.fields ?? []).map({ ($0.name, texts($0.value)) }) {
      let card = try #require(
        try here.cards("School::North").first { $0.guid == guid } ?? here.cards("School::North::Gaps").first)
      #expect(card.tags.sorted() == tags.sorted(), "\(guid)")
    }
    let left = result.work.lines.parts.map { "\($0.name) \($0.reason.rawValue)" }
    #expect(left.sorted() == ["bad1 other_fields", "bad2 no_type", "g5 no_cards"])
    #expect(result.work.lines.parts.allSatisfy { $0.line > 20 })
  }

  @Test func `what the file has besides is kept, and a second import changes nothing`() throws {
    _ = try importing(fixturePath("crowdanki/deck.json"))
    let deck = try here.collection.deck(named: "School::North")
    let kept = try here.collection.store.read { ServerRows.record(try SyncedTable.decks.json($0, deck.rawValue)) }
    #expect(kept["unknownAtRoot"]?.record?["kept"] == .boolean(true) && kept["desc"]?.text?.contains("<b>") == true)
    #expect(kept[CrowdAnkiReader.uuid]?.text?.hasPrefix("7e0c4b3e-0004") == true)
    let before = try here.everything()
    here.collection.now += 1000
    let again = try importing(fixturePath("crowdanki/deck.json"))
    #expect([again.added.added, again.added.updated, again.added.skipped] == [0, 0, 7])
    #expect(try here.everything() == before)
  }

  @Test func `a changed file changes its notes and types, found by guid and uuid; what was studied stays`() throws {
    _ = try importing(fixturePath("crowdanki/deck.json"))
    let deck = try here.collection.deck(named: "School::North")
    let card = try #require(try here.cards("School::North").first)
    try here.collection.store.operation("study") { db in
      let type = try NoteTypeTable.find(db, named: "Country and capital")
      try db.execute(
        sql:
          "UPDATE note_types SET name = 'Mine', name_key = 'mine', json = json_set(json, '$.name', 'Mine') WHERE id = ?",
        arguments: [type.id.rawValue])
      try CardHiding.setSuspended(db, [card.id], true, now: here.collection.now)
    }
    here.collection.now += 10
    let folder = try changed(("\"Oslo\"", "\"Kristiania\""), ("{ color: navy }", "{ color: teal }"))
    let result = try importing(folder.file("deck.json"))
    #expect([result.added.added, result.added.updated] == [0, 2])
    let type = try here.collection.store.read { try NoteTypeTable.find($0, named: "Mine") }
    #expect(type.css.contains("teal"))
    let cards = try here.collection.cards(deck)
    #expect(
      cards.contains { $0.answer.contains("Kristiania") } && cards.first { $0.id == card.id }?.isSuspended == true)
  }

  @Test func `ids are the same in every collection, and none is a day of adding`() throws {
    let other = PackageCollection()
    _ = try importing(fixturePath("crowdanki/deck.json"))
    try other.collection.store.operation("import") { db in
      _ = try PackageImport(db, into: nil, other.settings()).run(
        fixturePath("crowdanki/deck.json"), as: .crowdanki, .any)
    }
    #expect(try here.cards("School::North").map(\.id) == other.cards("School::North").map(\.id))
    #expect(try here.cards("School::North").allSatisfy { $0.created == here.collection.now })
  }

  @Test func `a stock type of the name keeps its templates, another type of the name and the fields is used`() throws {
    let deck = try here.collection.deck("d")
    try here.collection.addNote(deck, ["Front": "casa", "Back": "house"])
    let before = try here.collection.store.read { try NoteTypeTable.list($0) }
    let json = """
      {"__type__": "Deck", "name": "x", "children": [], "crowdanki_uuid": "u", "note_models": [{"name": "Basic",
      "crowdanki_uuid": "b", "type": 0, "css": "", "flds": [{"name": "Front"}, {"name": "Back"}], "tmpls": [{"name":
      "Card 1", "qfmt": "{{Front}}", "afmt": "{{Back}}"}]}], "notes": [{"guid": "g", "fields": ["f", "b"], "tags": [],
      "note_model_uuid": "b"}]}
      """
    let result = try importing(here.folder.write(json, to: "x.json"))
    let types = try here.collection.store.read { try NoteTypeTable.list($0) }
    #expect(result.added.added == 1 && types.map(\.name) == before.map(\.name))
    #expect(types.first { $0.name == "Basic" } == before.first { $0.name == "Basic" })
  }

  @Test(arguments: [
    ("\"name\": \"School::North\"", "\"name\": [", "deck.json:"), ("\"unknownAtRoot\": {", "\"unknownAtRoot\": {]", ""),
    ("\"guid\": \"g4\"", "\"guid\": \"\\ud800\"", "surrogate"),
  ])
  func `a broken file changes nothing and is named with its place`(old: String, new: String, words: String) throws {
    let folder = try changed((old, new))
    let before = try here.everything()
    let error = #expect(throws: ExchangeError.self) { try importing(folder.file("deck.json")) }
    #expect(
      error?.message.contains(words) == true && error?.message.hasSuffix("Nothing was imported.") == true,
      "\(error as Any)")
    #expect(try here.everything() == before && here.leftovers.isEmpty)
  }

  @Test func `decks nested without an end, a text after the deck, and a list are refused`() throws {
    let deep = String(repeating: "{\"children\": [", count: 100_000)
    for text in [deep, "{\"name\": \"a\"} 1", "[]", "", "{\"notes\": {}}"] {
      let path = try here.folder.write(text, to: "deck.json")
      #expect(throws: ExchangeError.self, "\(text.prefix(20))") { try importing(path) }
    }
  }

  @Test func `many notes of one guid are one note`() throws {
    let note =
      "{\"guid\": \"g\", \"fields\": [\"Norway\", \"Oslo\", \"\", \"\"], \"tags\": [], \"note_model_uuid\": \"7e0c4b3e-0001-11ee-8000-000000000001\"},"
    let folder = try changed(
      (
        "\"notes\": [\n        {\n            \"__type__\": \"Note\",\n            \"fields\": [\n                \"Norway\"",
        "\"notes\": [\(String(repeating: note, count: 3000))\n        {\n            \"__type__\": \"Note\",\n            \"fields\": [\n                \"Norway\""
      ))
    let result = try importing(folder.file("deck.json"))
    #expect(result.added.added == 9 && result.work.lines.rows == 3004)
  }

  @Test func `a link in the folder is not followed, and media are not read where only the file may be`() throws {
    let folder = try changed()
    try folder.write("secret", to: "private.txt")
    unlink(folder.file("media/no.png"))
    symlink(folder.file("private.txt"), folder.file("media/no.png"))
    let result = try importing(folder.file("deck.json"))
    #expect(here.media["no.png"] == nil && result.work.missingMedia.contains("no.png"))
    let other = try changed()
    let media = here.media.count
    _ = try importing(other.file("deck.json"), .crowdanki, into: "Plain", .plain)
    #expect(here.media.count == media)
  }

  // MARK: Fields that stay

  @Test(arguments: [false, true])
  func `a field that is kept is not overwritten, by choice or by an option of the deck`(isOption: Bool) throws {
    _ = try importing(fixturePath("crowdanki/deck.json"))
    let deck = try here.collection.deck(named: "School::North")
    if isOption { try here.collection.set(deck, .keepFields, "Flag, my NOTE") }
    here.collection.now += 10
    let folder = try changed(("\"mine\"", "\"theirs\""), ("\"Reykjavík\"", "\"R.\""))
    let result = try importing(folder.file("deck.json")) { if !isOption { $0.keptFields = ["my note"] } }
    #expect(result.added.updated == 2)
    let fields = try here.collection.store.read { try $0.rows("SELECT fields FROM notes") { $0.text(0) } }.joined()
    #expect(fields.contains("mine") && !fields.contains("theirs") && fields.contains("R."))
  }

  @Test func `a field is kept in rows of a table and of plain cards, too`() throws {
    let deck = try here.collection.deck("d")
    try here.collection.addNote(deck, ["Front": "el gato", "Back": "my cat"])
    let path = try here.folder.write("el gato\tthe cat\n", to: "a.tsv")
    var options = ImportOptions()
    options.onDuplicate = .update
    options.keptFields = ["back"]
    #expect(try here.collection.importing(deck, path, options).skipped == 1)
    options.noteType = "Basic"
    options.table.columns = try ColumnChoice.list(of: "Front=1,Back=2")
    #expect(try here.collection.importing(deck, path, options).updated == 0)
    try here.collection.set(deck, .keepFields, "Back")
    options.keptFields = []
    #expect(try here.collection.importing(deck, path, options).updated == 0)
    #expect(try here.collection.cards(deck).map(\.answer) == ["my cat"])
    try here.collection.set(deck, .keepFields, "")
    #expect(try here.collection.importing(deck, path, options).updated == 1)
  }

  // MARK: Anki's own folder

  /// The names, sizes and times of everything in a folder.
  private func facts(_ folder: TemporaryFolder) throws -> [String] {
    try ["", "/collection.media"].flatMap { part in
      try Folder.names(in: folder.path + part).map { name in
        let facts = try #require(try FileFacts.at(folder.path + part + "/" + name))
        return "\(part)/\(name) \(facts.size) \(facts.modified)"
      }
    }
  }

  @Test func `Anki's own folder gives what its expected file says, and is not changed`() throws {
    let all = try expected("anki14.expected.json")
    let folder = try TemporaryFolder(copying: TemporaryFolder(at: fixturePath("anki14")))
    let before = try facts(folder)
    let (path, format) = try #require(try CardFormat.ofAnki(folder.path))
    let result = try importing(path, format)
    #expect(result.added.added == all["cards"]?.integer && result.work.lines.rows == all["notes"]?.integer)
    #expect(try rows(cardsOfDecks) == counts(all["decks"]))
    #expect(try here.count("reviews") == all["reviews"]?.integer)
    let id = try here.collection.deck(named: "Kana::Hiragana")
    #expect(
      try here.collection.store.read { try DeckTable.options($0, id) }.newPerDay
        == all["preset"]?.record?["new_per_day"]?.integer)
    #expect(here.media.keys.sorted() == texts(all["media"]))
    let cards = try here.cards("Kana::Hiragana")
    #expect(cards.filter { $0.state != .new }.map(\.guid) == texts(all["studied"]))
    #expect(cards.first { $0.guid == "kana0" }?.tags == texts(all["tags"]?.record?["kana0"]))
    #expect(try facts(folder) == before)
    let second = try importing(path, format, into: "Anki")
    #expect(second.added.skipped == 2)
  }

  @Test func `with a deck, the decks of Anki's folder are within it under their whole names`() throws {
    _ = try importing(fixturePath("anki14/collection.anki2"), .anki2, into: "All")
    #expect(try rows(cardsOfDecks) == ["All::Kana::Hiragana": 2])
  }

  @Test func `what is only in the log is read; while Anki has its file open, nothing is`() throws {
    let folder = try TemporaryFolder(copying: TemporaryFolder(at: fixturePath("anki14")))
    let path = folder.file("collection.anki2")
    let copy: TemporaryFolder
    do {
      let file = try ExclusiveDatabase(path)
      try file.use { db in
        try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
        try db.execute(sql: "UPDATE notes SET tags = ' logged '")
      }
      let error = #expect(throws: PackageError.self) { try importing(path, .anki2) }
      #expect(error?.message.contains("close Anki, or export a package") == true, "\(error as Any)")
      copy = try TemporaryFolder(copying: folder)
      try file.close()
    }
    let before = try copy.status("collection.anki2-wal").st_size
    #expect(before > 0)
    _ = try importing(copy.file("collection.anki2"), .anki2)
    #expect(try here.cards("Kana::Hiragana").allSatisfy { $0.tags == ["logged"] })
    #expect(try copy.status("collection.anki2-wal").st_size == before)
  }

  @Test func `a package with schema 14 is read, as the folder is`() throws {
    let bytes = try FileText.bytes(fixturePath("anki14/collection.anki2"), limit: 1 << 20)
    try here.importing(package(here.folder, [("collection.anki2", bytes)]), into: "Kana")
    #expect(try here.cards("Kana").count == 2)
  }

  @Test func `other folders, and JSON of our own, are not taken for one of Anki`() throws {
    try here.folder.write("[]", to: "own/cards.json")
    // The description of a folder of `build`.
    try here.folder.write("{\"name\": \"Spanish\"}", to: "own/deck.json")
    #expect(try CardFormat.ofAnki(here.folder.file("own")) == nil)
    #expect(try CardFormat.ofAnki(here.folder.file("own/cards.json")) == nil)
    #expect(try CardFormat.ofAnki(here.folder.file("missing.json")) == nil)
    #expect(try CardFormat.ofAnki(fixturePath("crowdanki/deck.json"), given: .json) == nil)
    #expect(try CardFormat.ofAnki(fixturePath("crowdanki/deck.json"))?.format == .crowdanki)
    try here.folder.write("{\"__type__\":\"Deck\"}", to: "named/named.json")
    #expect(try CardFormat.ofAnki(here.folder.file("named"))?.path.hasSuffix("named/named.json") == true)
  }
}
