// Folders of CrowdAnki that are written: what was read is written again, what was made here gets the same uuids
// everywhere, and what else is in a folder stays.

import Files
import Glibc
import TestDecks
import Values

@testable import Exchange

@Suite struct CrowdAnkiExportTests {
  let here = PackageCollection()

  private func importing(_ path: String, into other: PackageCollection) throws {
    try other.collection.store.operation("import") { db in
      _ = try PackageImport(db, into: nil, other.settings()).run(path + "/deck.json", as: .crowdanki, .any)
    }
  }

  private func json(_ bytes: [UInt8]?) throws -> Value.Record {
    let limits = JSONLimits(bytes: 1 << 20, depth: 20, values: 10_000, string: 10_000)
    return try #require(JSONParser.parse(bytes ?? [], limits: limits).record)
  }

  /// The deck without the notes that an import leaves, and with the media that it names.
  private func imported(_ deck: Value.Record, _ media: [String]) -> Value.Record {
    var deck = deck
    let left: [Value?] = ["bad1", "bad2", "g5"].map { .text($0) }
    deck["notes"] = deck["notes"]?.list.map { .list($0.filter { !left.contains($0.record?["guid"]) }) }
    deck["media_files"] = .list(media.map { .text($0) })
    return deck
  }

  @Test func `a folder is written as it was read, the same each time, and read again as the same deck`() throws {
    try importing(fixturePath("crowdanki"), into: here)
    try here.folder.write("mine", to: "out/README.md")
    try here.folder.write("old", to: "out/media/old.png")
    let first = try here.exporting("School::North", "out", format: .crowdanki)
    let bytes = try #require(here.folder.read("out/deck.json"))
    #expect(first.report.unused == ["old.png"] && first.report.bytes == bytes.count)
    #expect(first.report.cards == 7 && first.report.lost.isEmpty)
    var given = try json(Array(fixtureText("crowdanki/deck.json").utf8))
    let inner = (given["children"]?.list ?? []).compactMap(\.record).map { imported($0, ["_logo.png"]) }
    given = imported(given, ["_logo.png", "gone.png", "is.mp3", "no.png"])
    given["children"] = .list(inner.map { .record($0) })
    #expect(try json(bytes) == given)
    #expect(try here.exporting("School::North", "out", format: .crowdanki).report.unused == ["old.png"])
    #expect(here.folder.read("out/deck.json") == bytes && here.folder.read("out/README.md") == Array("mine".utf8))
    let other = PackageCollection()
    try importing(here.folder.file("out"), into: other)
    #expect(try other.everything() == here.everything() && other.media == here.media)
  }

  @Test func `decks made here get the same uuids everywhere, and keep them, without a preset of their own`() throws {
    for here in [here, PackageCollection()] {
      try here.collection.addNote(here.collection.deck("Maths::Roots"), ["Front": "√4", "Back": "<img src=\"a.png\">"])
      _ = try here.settings().receiveMedia([1, 2], "a.png")
      _ = try here.exporting("Maths", "out", format: .crowdanki)
      let bytes = try #require(here.folder.read("out/deck.json"))
      #expect(try json(bytes)["crowdanki_uuid"] == .text("b0c5ae3a-0000"))
      let other = PackageCollection()
      try importing(here.folder.file("out"), into: other)
      #expect(try other.collection.names() == ["Maths", "Maths::Roots"] && other.count("presets") == 0)
      _ = try other.exporting("Maths", "again", format: .crowdanki)
      #expect(other.folder.read("again/deck.json") == bytes && other.folder.read("again/media/a.png") == [1, 2])
    }
  }

  @Test func `keys that all notes have, and the uuid of a note type that is yours, are written again`() throws {
    try here.collection.addNote(here.collection.deck("d"), ["Front": "casa", "Back": "house"])
    let deck = """
      {"__type__": "Deck", "name": "x", "children": [], "crowdanki_uuid": "u", "media_files": [], "note_models": [{"name":
      "Basic", "crowdanki_uuid": "b", "flds": [{"name": "Front"}, {"name": "Back"}], "tmpls": [{"name": "Card 1",
      "qfmt": "{{Front}}", "afmt": "{{Back}}"}]}], "notes": [{"guid": "g", "data": "", "flags": 0, "fields": ["f", "b"],
      "tags": ["b", "a"], "note_model_uuid": "b"}, {"guid": "h", "data": "k", "flags": 0, "fields": ["f2", "b"],
      "tags": [], "note_model_uuid": "b"}]}
      """
    try here.folder.write(deck, to: "in/deck.json")
    try importing(here.folder.file("in"), into: here)
    _ = try here.exporting("x", "out", format: .crowdanki)
    let notes = try json(here.folder.read("out/deck.json"))["notes"]?.list ?? []
    #expect(notes.map { $0.record?["note_model_uuid"] } == [.text("b"), .text("b")])
    #expect(notes.map { $0.record?["flags"] } == [.integer(0), .integer(0)])
    #expect(notes.map { $0.record?["data"] } == [nil, .text("k")])
    #expect(notes.first?.record?["tags"] == .list([.text("b"), .text("a")]))
  }

  @Test func `another deck.json, a link and a failure leave the folder as it was`() throws {
    try importing(fixturePath("crowdanki"), into: here)
    try here.folder.write("{\"name\": \"x\"}", to: "built/deck.json")
    try here.folder.write("1", to: "linked/real/no.png")
    symlink(here.folder.file("linked/real"), here.folder.file("linked/media"))
    for name in ["built", "linked", "new/one"] {
      // In the end the content of a file is lost, which is missed after the first one is written.
      let lost = try #require(try here.collection.store.read { try MediaTable.named($0, "no.png") })
      if name == "new/one" { unlink(here.folder.file(lost.hash)) }
      #expect(throws: FileError.self) { try here.exporting("School::North", name, format: .crowdanki) }
    }
    #expect(try Folder.names(in: here.folder.file("built")) == ["deck.json"])
    #expect(here.folder.read("built/deck.json") == Array("{\"name\": \"x\"}".utf8))
    #expect(here.folder.read("linked/real/no.png") == [0x31])
    #expect(try Folder.names(in: here.folder.file("linked")) == ["media", "real"])
    #expect(!fileExists(here.folder.file("new")))
    #expect(try here.leftovers.isEmpty)
  }
}
