// The metadata of a collection in the tables of schema 18, field by field, and its protobuf encoding.

import Decks
import Memory
import Storage
import Testing
import Values

@testable import Exchange

@Suite struct SchemaEighteenTests {
  private static let schema = Schema(
    """
    CREATE TABLE notetypes (id INTEGER PRIMARY KEY, name TEXT, mtime_secs INTEGER, usn INTEGER, config BLOB);
    CREATE TABLE fields (ntid INTEGER, ord INTEGER, name TEXT, config BLOB);
    CREATE TABLE templates (ntid INTEGER, ord INTEGER, name TEXT, mtime_secs INTEGER, usn INTEGER, config BLOB);
    CREATE TABLE decks (id INTEGER PRIMARY KEY, name TEXT, mtime_secs INTEGER, usn INTEGER, common BLOB, kind BLOB);
    CREATE TABLE deck_config (id INTEGER PRIMARY KEY, name TEXT, mtime_secs INTEGER, usn INTEGER, config BLOB);
    CREATE TABLE config (KEY TEXT PRIMARY KEY, usn INTEGER, mtime_secs INTEGER, val BLOB);
    """)

  /// Reads a collection with these rows.
  private func contents(_ rows: [(sql: String, bytes: [UInt8])]) throws -> PackageContents {
    let store = Store(path: nil, schema: Self.schema, isInterrupted: { false })
    return try store.operation("filling") { db in
      for (sql, bytes) in rows { try db.run(sql, [bytes]) }
      var contents = PackageContents()
      try SchemaEighteen(db: db).read(into: &contents)
      try SchemaEighteen(db: db).readSettings(into: &contents)
      return contents
    }
  }

  private func message(_ write: (inout ProtobufWriter) -> Void) -> [UInt8] {
    var writer = ProtobufWriter()
    write(&writer)
    return writer.bytes
  }

  private func text(_ writer: inout ProtobufWriter, _ field: Int, _ text: String) {
    writer.bytes(field, Array(text.utf8))
  }

  /// Encodes a 32-bit float field.
  private func float(_ field: Int, _ value: Float) -> [UInt8] {
    let key = message { $0.number(field, 0) }.dropLast()
    return [key[0] | 5] + key.dropFirst()
      + (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * UInt32($0))) }
  }

  @Test func `fields of every kind are read in order`() throws {
    let bytes =
      message {
        $0.number(1, 300)
        $0.number(2, -1)
        $0.bytes(16, [7, 8])
      } + [3 << 3 | 1, 1, 2, 3, 4, 5, 6, 7, 8] + float(4, 0.5)
    let fields = try ProtobufReader.fields(bytes[...])
    #expect(fields.map(\.number) == [1, 2, 16, 3, 4])
    #expect(fields.map(\.integer) == [300, -1, 0, 0x0807_0605_0403_0201, 0])
    #expect(fields.map(\.float) == [0, 0, 0, 0, 0.5] && fields.map(\.floats) == [[], [], [], [], [0.5]])
    #expect(Array(fields[2].bytes) == [7, 8] && fields[0].bytes.isEmpty && fields[0].flag && !fields[2].flag)
  }

  @Test func `32-bit numbers come packed or alone, and other data gives 0`() throws {
    let packed = message { $0.bytes(1, [0, 0, 0, 0x3F, 0, 0, 0x80, 0x7F, 9]) }
    #expect(try ProtobufReader.fields(packed[...])[0].floats == [0.5, 0], "the rest of a number is none")
    #expect(try ProtobufReader.fields(float(1, .infinity)[...])[0].floats == [0])
  }

  @Test(
    arguments: [
      [0x08], [0x08, 0x80], [0x09, 1, 2, 3, 4, 5, 6, 7], [0x0A, 2, 1], [0x0D, 1, 2, 3], [0x0B], [0x0F],
      [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1], [0x08] + Array(repeating: 0xFF, count: 10) + [1],
    ] as [[UInt8]]) func `truncated bytes and unknown wire types are damage`(bytes: [UInt8])
  {
    #expect(throws: WireFault.self) { try ProtobufReader.fields(bytes[...]) }
  }

  @Test func `a note type is converted to schema 11 with all its properties`() throws {
    let type = message {
      $0.number(1, 1)
      $0.number(2, 1)
      text(&$0, 3, "css")
      text(&$0, 5, "pre")
      text(&$0, 6, "post")
      $0.number(7, 1)
      $0.number(10, 99)
      text(&$0, 255, #"{"mine":1,"name":"not taken"}"#)
      $0.number(77, 1)
    }
    let field = message {
      for number in [1, 2, 6, 7, 8, 11] { $0.number(number, 1) }
      text(&$0, 3, "Serif")
      $0.number(4, 30)
      text(&$0, 5, "what it is")
      $0.number(9, 12)
      $0.number(10, 2)
      text(&$0, 255, "no JSON")
      $0.number(77, 1)
    }
    let template = message {
      for (number, part) in [(1, "Q"), (2, "A"), (3, "BQ"), (4, "BA"), (6, "Mono")] { text(&$0, number, part) }
      $0.number(5, 3)
      $0.number(7, 11)
      $0.number(8, 13)
      text(&$0, 255, #"{"more":true}"#)
      $0.number(77, 1)
    }
    let found = try contents([
      ("INSERT INTO notetypes VALUES (5, 'Mine', 17, 0, ?)", type),
      ("INSERT INTO fields VALUES (5, 1, 'Second', ?)", []), ("INSERT INTO fields VALUES (5, 0, 'First', ?)", field),
      ("INSERT INTO templates VALUES (5, 0, 'Card', 0, 0, ?)", template),
    ]).types[5]
    let made = try #require(found)
    let expected: [(String, Value)] = [
      ("name", .text("Mine")), ("type", .integer(1)), ("sortf", .integer(1)), ("css", .text("css")),
      ("latexPre", .text("pre")), ("latexPost", .text("post")), ("latexsvg", .boolean(true)), ("mod", .integer(17)),
      ("originalId", .integer(99)), ("mine", .integer(1)),
    ]
    for (name, value) in expected { #expect(made[name] == value, "\(name)") }
    let fields = made["flds"]?.list?.compactMap(\.record) ?? []
    try #require(fields.count == 2)
    #expect(fields.map { $0["name"] } == [.text("First"), .text("Second")])
    for name in ["sticky", "rtl", "plainText", "collapsed", "excludeFromSearch", "preventDeletion"] {
      #expect(fields[0][name] == .boolean(true), "\(name)")
    }
    #expect(fields[0]["font"] == .text("Serif") && fields[1]["font"] == .text("Arial"))
    #expect(fields[0]["size"] == .integer(30) && fields[0]["description"] == .text("what it is"))
    #expect(fields[0]["id"] == .integer(12) && fields[0]["tag"] == .integer(2))
    let card = try #require(made["tmpls"]?.list?.first?.record)
    #expect(["qfmt", "afmt", "bqfmt", "bafmt", "bfont"].map { card[$0]?.text } == ["Q", "A", "BQ", "BA", "Mono"])
    #expect(card["bsize"] == .integer(11) && card["id"] == .integer(13) && card["more"] == .boolean(true))
    #expect(card["did"] == .null, "a deck of the other collection means nothing here")
  }

  @Test func `a deck has its preset and its limits, and limits out of range are not set`() throws {
    let normal = message { writer in
      writer.bytes(
        1,
        message {
          $0.number(1, 8)
          $0.number(6, 70)
          $0.number(7, 20_000)
          $0.number(99, 1)
        } + float(10, 0.875))
    }
    let filtered = message { $0.bytes(2, []) }
    let far = message { $0.bytes(1, float(10, 3)) }
    let found = try contents([
      ("INSERT INTO decks VALUES (1, 'A' || char(31) || 'B', 0, 0, x'', ?)", normal),
      ("INSERT INTO decks VALUES (2, 'F', 0, 0, x'', ?)", filtered),
      ("INSERT INTO decks VALUES (3, 'G', 0, 0, x'', ?)", far),
    ]).decks
    #expect(found[1]?.name == "A::B" && found[1]?.preset == 8 && found[1]?.isFiltered == false)
    #expect(found[1]?.limits.value(.reviewsPerDay) == 70 && found[1]?.limits.value(.newPerDay) == 9999)
    #expect(found[1]?.limits.value(.desiredRetention) == 0.875 && found[3]?.limits.value(.desiredRetention) == nil)
    #expect(found[2]?.isFiltered == true)
  }

  @Test func `a preset has its values under our names`() throws {
    let config =
      message {
        for (number, value) in [
          (9, 7), (10, 90), (16, 365), (17, 2), (21, 1), (22, 4), (24, 30), (27, 1), (29, 1), (30, 2), (32, 4),
          (33, 11), (34, 2),
        ] {
          $0.number(number, value)
        }
        $0.bytes(1, [0, 0, 0x80, 0x3F, 0, 0, 0x20, 0x41])
      } + float(2, 15) + float(37, 0.85)
    let found = try contents([
      ("INSERT INTO deck_config VALUES (4, 'Hard', 0, 0, ?)", config),
      ("INSERT INTO deck_config VALUES (5, 'Bare', 0, 0, ?)", []),
    ]).presets
    let options = try #require(found[4]?.options)
    #expect(options.learningSteps == [60, 600] && options.relearningSteps == [900])
    #expect(options.newPerDay == 7 && options.reviewsPerDay == 90 && options.maximumInterval == 365)
    #expect(options.leechThreshold == 4 && !options.suspendsLeeches && options.desiredRetention == 0.85)
    let words = [DeckOptions.Name.newGather, .newSort, .newMix, .reviewOrder].map { options[$0] }
    #expect(words == [.choice("highest_position"), .choice("random"), .choice("before"), .choice("remembered")])
    #expect(
      [DeckOptions.Name.buryNew, .buryReviews, .buryLearning].map { options[$0] } == [
        .flag(true), .flag(false), .flag(true),
      ])
    let bare = try #require(found[5]?.options)
    #expect(bare.learningSteps == [] && bare.newPerDay == 0 && bare.suspendsLeeches, "what is 0 is not written")
  }

  @Test func `a limit of 0 in place of none does not become the strictest one`() {
    let old: Value.Record = [
      "name": .text("Old"), "lapse": .record(["leechFails": .integer(0)]), "rev": .record(["maxIvl": .integer(0)]),
      "new": .record(["perDay": .integer(99_999)]), "maxTaken": .integer(0),
    ]
    let options = PackagedPreset(old: old).options
    #expect((options.leechThreshold, options.maximumInterval, options.newPerDay) == (8, 36_500, 9999))
    #expect(options.maximumAnswerSeconds == 60)
  }

  @Test func `a 32-bit number is the one that was typed`() throws {
    func packed(_ field: Int, _ values: [Float]) -> [UInt8] {
      let bytes = values.flatMap { value in
        (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * UInt32($0))) }
      }
      return message { $0.bytes(field, bytes) }
    }
    // A step of 20 seconds, and parameters at the ends of their ranges.
    let highest = MemoryModel.parameterRanges.map(\.upperBound)
    let config = packed(1, [1.0 / 3]) + packed(6, highest.map { Float($0) })
    let found = try contents([("INSERT INTO deck_config VALUES (4, 'A', 0, 0, ?)", config)]).presets
    let options = try #require(found[4]?.options)
    #expect(options.learningSteps == [20] && options.parameters == highest)
  }

  @Test func `settings are JSON, anything else is damage`() throws {
    let found = try contents([
      ("INSERT INTO config VALUES ('rollover', 0, 0, ?)", Array("5".utf8)),
      ("INSERT INTO config VALUES ('creationOffset', 0, 0, ?)", Array("-60".utf8)),
      ("INSERT INTO config VALUES ('unknown', 0, 0, ?)", Array("[".utf8)),
    ])
    #expect(found.settings["rollover"] == .integer(5) && found.creationOffset == -60)
    #expect(throws: WireFault.self) { try contents([("INSERT INTO config VALUES ('fsrs', 0, 0, ?)", Array("[".utf8))]) }
    #expect(throws: WireFault.self) { try contents([("INSERT INTO deck_config VALUES (4, 'x', 0, 0, ?)", [0x0A, 9])]) }
  }
}
