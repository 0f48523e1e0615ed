// Packages that are broken, forged or too large: each is refused with the reason, and nothing is imported.

import Problems
import TestDecks
import Text

@testable import Exchange

@Suite struct BadPackageTests {
  let here = PackageCollection()

  static let basic = """
    INSERT INTO col VALUES (1, 1, 1, 1, 11, 0, 0, 0, '{}',
      '{"7":{"name":"T","type":0,"mod":1,"flds":[{"name":"F"},{"name":"B"}],
        "tmpls":[{"name":"C","qfmt":"{{F}}","afmt":"{{B}}"}]}}', '{}', '{}', '{}');
    INSERT INTO notes VALUES (1, 'g', 7, 1, 0, '', 'f' || char(31) || 'b', 'f', 0, 0, '');
    INSERT INTO cards VALUES (1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, '');
    """

  private func refusal(_ members: [(name: String, bytes: [UInt8])], deflated: Bool = false) throws -> String? {
    let path = try package(here.folder, members, deflated: deflated)
    return try refusal(path)
  }

  private func refusal(_ path: String) throws -> String? {
    let before = try here.everything()
    defer { #expect((try? here.everything()) == before) }
    defer { #expect((try? here.leftovers.isEmpty) == true) }
    do {
      try here.importing(path)
      return nil
    } catch let error as PackageError { return error.message }
  }

  private func legacy(_ sql: String = BadPackageTests.basic) throws -> [(name: String, bytes: [UInt8])] {
    [("collection.anki2", try collectionFile(here.folder, sql))]
  }

  @Test func `a small package made by other programs is read`() throws {
    let path = try package(here.folder, try legacy() + [("media", Array("{}".utf8))], deflated: true)
    #expect(try here.importing(path).added == 1)
    #expect(try here.cards("Here").map(\.prompt) == ["f"])
  }

  @Test func `a file that is not a package is refused with the reason`() throws {
    #expect(try refusal(here.folder.write("prompt,answer\n", to: "a.apkg"))?.contains("is not a ZIP file") == true)
    #expect(try refusal([("readme", [1])])?.contains("contains no collection") == true)
    #expect(try refusal([("collection.anki2", Array("no database".utf8))])?.contains("no SQLite database") == true)
    #expect(try refusal([("meta", [8, 3])])?.contains("lacks the file collection.anki21b") == true)
    #expect(try refusal([("meta", [8, 9]), ("collection.anki21b", [1])])?.contains("newer version of Anki") == true)
    #expect(try refusal([("meta", [0xFF])])?.contains("the file meta") == true)
  }

  @Test(arguments: ["../x", "/etc/x", "a\\b", "a\u{7}b"])
  func `a name that leads outside the package is refused`(_ name: String) throws {
    // libzip itself writes no name with a control character.
    if name.utf8.allSatisfy({ $0 >= 0x20 }) {
      #expect(try refusal(legacy() + [(name, [1])])?.contains("has an unsafe name") == true)
    }
    let list = WireEntry(name: name, content: [1]).packed
    let collection = try frame(legacy()[0].bytes)
    let latest: [(String, [UInt8])] = [
      ("meta", [8, 3]), ("collection.anki21b", collection), ("media", try frame(list)), ("0", try frame([1])),
    ]
    #expect(try refusal(latest)?.contains("has an unsafe name") == true)
  }

  @Test func `a media file that does not match the package's hash is refused`() throws {
    let note = BadPackageTests.basic.replacing("'f' || char(31)", with: "'<img src=a.png>' || char(31)")
    let list = WireEntry(name: "a.png", content: [1]).packed
    let members: [(String, [UInt8])] = [
      ("meta", [8, 3]), ("collection.anki21b", try frame(legacy(note)[0].bytes)), ("media", try frame(list)),
    ]
    #expect(try refusal(members + [("0", try frame([2]))])?.contains("does not match its checksum") == true)
    try here.importing(try package(here.folder, members + [("0", try frame([1]))]))
    #expect(here.media["a.png"] == [1])
  }

  @Test func `an invalid collection, or one with an old or newer schema, is refused`() throws {
    for (change, reason) in [
      ("DELETE FROM col", "is empty"), ("UPDATE col SET ver = 10", "old schema 10"),
      ("UPDATE col SET ver = 19", "newer version"), ("UPDATE col SET ver = 13", "schema 13"),
      ("UPDATE col SET ver = 14", "cannot be read"), ("UPDATE col SET ver = 18", "cannot be read"),
      ("UPDATE col SET models = '{'", "note types"),
      ("UPDATE col SET models = '[]'", "note types"), ("UPDATE col SET decks = 'x'", "decks"),
      (#"UPDATE col SET models = '{"7":1}'"#, "note types"), (#"UPDATE col SET models = '{"x":{}}'"#, "note types"),
      (#"UPDATE col SET decks = '{"1":[]}'"#, "decks"), (#"UPDATE col SET dconf = '{"x":{}}'"#, "presets"),
      ("UPDATE col SET dconf = '7'", "presets"),
      ("DROP TABLE revlog", "lacks the table revlog"), ("UPDATE cards SET nid = 5", "Check Database in Anki"),
      ("DROP TABLE notes; CREATE VIEW notes AS SELECT * FROM cards", "no ordinary table notes"),
      ("ALTER TABLE notes RENAME COLUMN flds TO f", "cannot be read"),
    ] {
      #expect(try refusal(legacy(BadPackageTests.basic + change))?.contains(reason) == true, "\(change)")
    }
  }

  @Test func `a note that cannot be stored is reported, the others are imported`() throws {
    let more = """
      INSERT INTO notes VALUES (2, 'h', 8, 1, 0, '', 'x', 'f', 0, 0, '');
      INSERT INTO cards VALUES (2, 2, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, '');
      INSERT INTO notes VALUES (3, '', 7, 1, 0, '', 'x', 'f', 0, 0, '');
      INSERT INTO cards VALUES (3, 3, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, '');
      INSERT INTO notes VALUES (4, 'k', 7, 1, 0, '', 'x', 'f', 0, 0, '');
      """
    let report = try here.importing(try package(here.folder, legacy(BadPackageTests.basic + more)))
    #expect(report.added == 1 && report.rejectedCount == 2)
    #expect(
      report.rejected.map(\.message) == [
        "note 2 has a note type that the package lacks", "a guid must not be blank: \"\"",
      ])
    #expect(report.lost == ["notes without cards (1 note)"])
  }

  @Test func `a note type that a package names twice, as genanki does for several decks, is its last one`() throws {
    let first = #"'{"7":{"name":"Old","flds":[{"name":"F"}],"tmpls":[]},"7":"#
    let twice = BadPackageTests.basic.replacing(#"'{"7":"#, with: first)
    #expect(try here.importing(try package(here.folder, legacy(twice))).added == 1)
    #expect(try here.cards("Here").map(\.answer) == ["b"])
  }

  @Test func `a note with more fields than its type keeps them all`() throws {
    let more = BadPackageTests.basic.replacing("|| 'b'", with: "|| 'b' || char(31) || 'c' || char(31) || 'd'")
    try here.importing(try package(here.folder, legacy(more)))
    #expect(try here.cards("Here").map(\.answer) == ["b; c; d"])
  }

  @Test func `notes of an invalid type are reported one by one, the others are imported`() throws {
    let more = """
      UPDATE col SET models = json_set(models, '$."8"', json('{"name":"U","flds":[],"tmpls":[]}'));
      INSERT INTO notes VALUES (2, 'h', 8, 1, 0, '', 'x', 'f', 0, 0, '');
      INSERT INTO cards VALUES (2, 2, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, '');
      """
    let report = try here.importing(try package(here.folder, legacy(BadPackageTests.basic + more)))
    #expect(report.added == 1)
    #expect(report.rejected.map(\.message) == ["a note type must have at least one field and one card"])
    #expect(report.rejected.map(\.index) == [2])
  }

  @Test func `numbers of any size do not crash the program`() throws {
    for value in ["9223372036854775807", "-9223372036854775808", "1e300", "'x'", "x'00ff'"] {
      let wild =
        BadPackageTests.basic + """
          UPDATE col SET crt = \(value), mod = \(value);
          UPDATE cards SET did = \(value), type = \(value), queue = \(value), due = \(value), ivl = \(value), factor = \(value),
            reps = \(value), lapses = \(value), left = \(value), odue = \(value), odid = \(value), flags = \(value), mod = \(value);
          UPDATE notes SET mod = \(value);
          INSERT INTO cards VALUES (2, 1, 1, 1, \(value), 0, 2, 2, \(value), \(value), \(value), \(value), \(value), \(value),
            \(value), 0, \(value), '{"s":1e400,"d":-1,"lrt":1e99}');
          INSERT INTO cards VALUES (3, 1, 1, 2, \(value), 0, 3, 1, \(value), \(value), \(value), \(value), \(value), \(value),
            \(value), 0, \(value), '{"s":"x"}');
          INSERT INTO revlog VALUES (\(value == "'x'" || value.hasPrefix("x") || value == "1e300" ? "1" : value), 1, 0, \(value), \(value),
            \(value), \(value), \(value), \(value));
          """
      let collection = PackageCollection()
      let path = try package(collection.folder, [("collection.anki2", try collectionFile(collection.folder, wild))])
      try collection.importing(path)
      #expect(try collection.cards("Here").count == 3)
      // Imported numbers are exported again.
      try collection.exporting("Here", keepsSchedule: true)
    }
  }

  @Test func `a zip bomb is refused before it is inflated`() throws {
    let zeros = try frame([UInt8](repeating: 0, count: 70 << 20))
    #expect(
      try refusal([("meta", [8, 3]), ("collection.anki21b", zeros)])?.contains("far more than is allowed") == true)
  }

  @Test(arguments: [false, true])
  func `a package truncated or changed anywhere is refused or read`(_ isLegacy: Bool) throws {
    let there = PackageCollection()
    try there.collection.add(there.collection.deck("d"), "p", "a")
    try there.exporting("d", isLegacy: isLegacy)
    let whole = try #require(there.folder.read("out.apkg"))
    #expect(whole.count < 4000)
    for place in whole.indices {
      try expectRefusal(Array(whole[..<place]), isCut: true)
      var changed = whole
      changed[place] ^= UInt8(1 << (place % 8))
      try expectRefusal(changed, isCut: false)
    }
  }

  @Test(arguments: ["{", "[1]", #"{"0":1}"#])
  func `an invalid media list of an old package is reported`(_ list: String) throws {
    let members = try legacy() + [("media", Array(list.utf8))]
    #expect(try refusal(members)?.contains(#"the file "media" is not in Anki's format"#) == true)
  }

  @Test func `an invalid media list of a new package is reported`() throws {
    var short = ProtobufWriter()
    var entry = ProtobufWriter()
    entry.bytes(1, "a.png".utf8)
    entry.bytes(3, [1, 2])
    short.bytes(1, entry.bytes)
    // Names are normalised: a letter and its accent become one character.
    let twice = WireEntry(name: "e\u{301}.png", content: [1]).packed
    let collection = try frame(legacy()[0].bytes)
    for list in [short.bytes, [0xFF], twice] {
      let members: [(String, [UInt8])] = [
        ("meta", [8, 3]), ("collection.anki21b", collection), ("media", try frame(list)),
      ]
      #expect(try refusal(members)?.contains(#"the file "media" is not in Anki's format"#) == true)
    }
  }

  @Test func `a file that the package names but lacks is missing, and the note is imported`() throws {
    let note = BadPackageTests.basic.replacing("'f' || char(31)", with: "'<img src=a.png>' || char(31)")
    let path = try package(here.folder, legacy(note) + [("media", Array(#"{"0":"a.png"}"#.utf8))])
    #expect(try here.importing(path).added == 1)
    #expect(here.media.isEmpty)
  }

  @Test(arguments: [(" ", "_"), (".. ", "_..")])
  func `a media file whose name is blank or leads out gets another one`(name: String, other: String) throws {
    let note = BadPackageTests.basic.replacing("'f' || char(31)", with: "'<img src=\"\(name)\">' || char(31)")
    let path = try package(here.folder, legacy(note) + [("media", Array("{\"0\":\"\(name)\"}".utf8)), ("0", [1])])
    let report = try here.importing(path)
    #expect(report.added == 1 && report.rejectedCount == 0 && here.media == [other: [1]], "\(report)")
  }

  @Test func `the collection of 2018 is used if a package has it beside the older one`() throws {
    let older = try collectionFile(
      here.folder, BadPackageTests.basic.replacing("'f' || char(31)", with: "'old' || char(31)"))
    let path = try package(here.folder, [("collection.anki2", older), ("collection.anki21", legacy()[0].bytes)])
    #expect(try here.importing(path).added == 1)
    #expect(try here.cards("Here").map(\.prompt) == ["f"])
  }

  @Test(arguments: ["", "Words/", "a/b/"])
  func `a package that was packed again on a Mac is read, one folder deep`(_ folder: String) throws {
    let picture = BadPackageTests.basic.replacing("'f' || char(31)", with: "'<img src=a.png>' || char(31)")
    let members = try legacy(picture) + [("media", Array(#"{"0":"a.png"}"#.utf8)), ("0", [7])]
    var packed: [(name: String, bytes: [UInt8])] = members.map { (folder + $0.name, $0.bytes) }
    for name in ["__MACOSX/\(folder)._collection.anki2", ".DS_Store", "\(folder)sub/.DS_Store"] {
      packed.append((name, [1]))
    }
    let path = try package(here.folder, packed)
    if folder == "a/b/" {
      #expect(try refusal(path)?.contains("contains no collection") == true)
    } else {
      #expect(try here.importing(path).added == 1 && here.media["a.png"] == [7])
    }
  }

  @Test func `unknown kinds of members are refused`() throws {
    let path = try package(here.folder, [("collection.anki2", [1]), ("aaaa", [2])])
    let whole = try #require(here.folder.read(here.folder.names.first { path.hasSuffix($0) } ?? ""))
    func changed(_ change: (inout [UInt8]) -> Void) throws -> String? {
      var bytes = whole
      change(&bytes)
      return try refusal(here.folder.write(bytes, to: "changed.apkg"))
    }
    /// Sets a byte in both headers of the last member; the local header begins with PK34, that in the central
    /// directory with PK12.
    func set(_ value: UInt8, local: Int, listed: Int, in bytes: inout [UInt8]) {
      let starts = bytes.indices.dropLast(4).filter { bytes[$0] == 0x50 && bytes[$0 + 1] == 0x4B }
      let headers =
        starts.filter { bytes[$0 + 2] == 3 }.suffix(1).map { $0 + local }
        + starts.filter { bytes[$0 + 2] == 1 }.suffix(1).map { $0 + listed }
      for place in headers { bytes[place] = value }
    }
    #expect(try changed { set(12, local: 8, listed: 10, in: &$0) }?.contains("unsupported compression method") == true)
  }

  @Test func `a problem that a strict import refuses ends it`() throws {
    let more = """
      INSERT INTO notes VALUES (2, 'h', 8, 1, 0, '', 'x', 'f', 0, 0, '');
      INSERT INTO cards VALUES (2, 2, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, '');
      """
    let path = try package(here.folder, legacy(BadPackageTests.basic + more))
    var settings = here.settings()
    settings.isStrict = true
    #expect(throws: PackageError.self) {
      try here.collection.store.operation("import") { db in
        let deck = try DeckTable.findOrMake(db, named: "Strict", now: here.collection.now).deck.id
        _ = try PackageImport(db, into: deck, settings).run(path)
      }
    }
    #expect(try here.count("decks") == 0 && here.count("cards") == 0)
  }

  @Test func `cards with the same ordinal are reported, and cards of a missing note are refused`() throws {
    let twice = """
      INSERT INTO cards VALUES (2, 1, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, '');
      """
    let report = try here.importing(try package(here.folder, legacy(BadPackageTests.basic + twice)))
    #expect(report.added == 1 && report.lost == ["cards with the same number as another card of their note (1 note)"])
    let other = PackageCollection()
    let stray = "INSERT INTO cards VALUES (2, 9, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, '');"
    let path = try package(
      other.folder, [("collection.anki2", try collectionFile(other.folder, BadPackageTests.basic + stray))])
    #expect(throws: PackageError.self) { try other.importing(path) }
  }

  @Test func `texts with zero bytes, decks without a name and long names are imported as far as possible`() throws {
    let long = String(repeating: "Long", count: 60)
    let sql =
      BadPackageTests.basic + """
        UPDATE notes SET flds = CAST(x'6100621f63' AS TEXT), tags = ' ok \(long)\(long)\(long) ';
        UPDATE col SET decks = '{"1":{"name":"::"},"2":{"name":"\(long)"}}';
        INSERT INTO notes VALUES (2, 'h', 7, 1, 0, '', 'x' || char(31) || 'y', 'f', 0, 0, '');
        INSERT INTO cards VALUES (2, 2, 2, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, '');
        """
    try here.importing(try package(here.folder, legacy(sql)))
    let decks = try here.collection.store.read { try DeckTable.list($0).map(\.name) }
    #expect(decks.count == 3 && decks.allSatisfy { $0.hasPrefix("Here") && $0.count <= 210 }, "\(decks)")
    let all = try decks.flatMap { try here.cards($0) }
    #expect(Set(all.map(\.prompt)) == ["ab", "x"] && Set(all.map(\.answer)) == ["c", "y"])
    // No tag may be that long.
    #expect(Set(all.flatMap(\.tags)) == ["ok"])
  }

  /// Fails on any error other than the program's own; a truncated package must never be imported.
  private func expectRefusal(_ bytes: [UInt8], isCut: Bool) throws {
    let path = try here.folder.write(bytes, to: "fuzz.apkg")
    do {
      let report = try here.importing(path, into: "Fuzz")
      #expect(!isCut && report.added + report.skipped + report.updated + report.rejectedCount <= 1)
    } catch is any Problem {}
  }
}

/// The media list entry of one file.
private struct WireEntry {
  let packed: [UInt8]

  init(name: String, content: [UInt8]) {
    var entry = ProtobufWriter()
    entry.bytes(1, name.utf8)
    entry.number(2, content.count)
    entry.bytes(3, content.withUnsafeBytes(sha1))
    var list = ProtobufWriter()
    list.bytes(1, entry.bytes)
    packed = list.bytes
  }
}
