// Folders of CrowdAnki that are written: what was read is written again, and what else is in a folder stays.

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

  private func lines(_ bytes: [UInt8]) -> Set<[UInt8]> { Set(bytes.split(separator: 0x0A).map(Array.init)) }

  @Test func `a folder is written as it was read, the same each time, and read again as the same deck`() throws {
    try importing(fixturePath("crowdanki"), into: here)
    try here.folder.write("old", to: "out/media/old.png")
    let path = try here.exporting("School::North", "out", format: .crowdanki).path
    let bytes = try #require(here.folder.read("out/deck.json"))
    let given = Array(try fixtureText("crowdanki/deck.json").utf8)
    #expect(lines(bytes).subtracting(lines(given)).count == 4 && lines(given).subtracting(lines(bytes)).count == 13)
    let report = try here.exporting("School::North", "out", format: .crowdanki).report
    #expect(report.unused == ["old.png"] && report.bytes == bytes.count && report.cards == 7 && report.lost.isEmpty)
    #expect(here.folder.read("out/deck.json") == bytes)
    let other = PackageCollection()
    try importing(path, into: other)
    // Without the notes that were left, cards have other positions.
    let rows = try [here, other].map { try $0.everything().filter { !["deck", "card"].contains($0.prefix(4)) } }
    #expect(rows[0] == rows[1] && other.media == here.media)
  }

  @Test func `uuids and the keys of all notes are kept, and what has none gets the same one everywhere`() throws {
    try here.collection.addNote(here.collection.deck("d"), ["Front": "casa", "Back": "house"])
    let deck = """
      {"__type__": "Deck", "name": "x", "children": [], "note_models": [{"name": "Basic", "crowdanki_uuid": "b", "flds":
      [{"name": "Front"}, {"name": "Back"}], "tmpls": [{"name": "Card 1", "qfmt": "{{Front}}", "afmt": "{{Back}}"}]}],
      "notes": [{"guid": "g", "data": "", "flags": 0, "fields": ["f", "b"], "tags": [], "note_model_uuid": "b"},
      {"guid": "h", "data": "k", "flags": 0, "fields": ["f2", "b"], "tags": ["b", "a"], "note_model_uuid": "b"}]}
      """
    try here.folder.write(deck, to: "in/deck.json")
    try importing(here.folder.file("in"), into: here)
    let path = try here.exporting("x", "out", format: .crowdanki).path
    let bytes = try #require(here.folder.read("out/deck.json"))
    let written = ServerRows.record(String(decoding: bytes, as: UTF8.self))
    let last = written["notes"]?.list?.last?.record
    #expect(last?["note_model_uuid"] == .text("b") && last?["tags"] == .list([.text("b"), .text("a")]))
    #expect(last?["flags"] == .integer(0) && last?["data"] == .text("k"))
    #expect(written["crowdanki_uuid"] == .text("a837c165-e71e-e9c6-acaa-8d4d19a83c7a"))
    let other = PackageCollection()
    try importing(path, into: other)
    _ = try other.exporting("x", "out", format: .crowdanki)
    #expect(try other.folder.read("out/deck.json") == bytes && other.count("presets") == 0)
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
    #expect(here.folder.read("linked/real/no.png") == [0x31])
    #expect(try !fileExists(here.folder.file("new")) && here.leftovers.isEmpty)
  }
}
