// Card files: what is read, what is refused and with which message, and round trips.

import Exchange
import Files
import Glibc
import Problems
import Templates
import TestDecks

@Suite struct FormatTests {
  let collection = TestCollection()
  let folder = TemporaryFolder()

  private func imported(
    _ name: String, _ content: [UInt8], strict: Bool = false, into deck: String = "d"
  ) throws -> (report: AddReport, cards: [CardRecord]) {
    let (report, cards) = try collection.importing(content, as: name, in: folder, into: deck) { $0.isStrict = strict }
    return (report.cards, cards)
  }

  private func imported(_ name: String, _ text: String) throws -> (report: AddReport, cards: [CardRecord]) {
    try imported(name, Array(text.utf8))
  }

  /// Returns the message of the error that importing this content throws.
  private func refusal(_ name: String, _ content: [UInt8], strict: Bool = false) -> String? {
    do {
      _ = try imported(name, content, strict: strict)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test func `the original app's array of prompts and answers is read in order`() throws {
    let text = #"[{"answer":"Dog","prompt":"perro"}, {"prompt":"gato", "answer":"Cat"}]"#
    let (report, cards) = try imported("a.json", text)
    #expect(report.added == 2)
    #expect(cards.map(\.prompt) == ["perro", "gato"])
    #expect(cards.map(\.answer) == ["Dog", "Cat"])
  }

  @Test(arguments: [
    (#""prompt":"q","prompt":"p","answer":"a""#, "prompt"), (#""prompt":"p","answer":"a","x":1,"x":1"#, "x"),
    (#""prompt":"p","answer":"a","x":[{"b":1,"\u0062":2}]"#, "b"),
    (#""prompt":"p","answer":"a","schedule":{"state":0,"state":1}"#, "state"),
    (#""tags":[],"prompt":"p","answer":"a","tags":[]"#, "tags"),
  ])
  func `a duplicate key refuses its card and is named`(members: String, key: String) throws {
    for (name, text) in [
      ("a.json", "[{\(members)}, {\"prompt\":\"r\",\"answer\":\"c\"}]"), ("a.jsonl", "{\(members)}"),
    ] {
      let (report, cards) = try imported(name, Array(text.utf8), into: name)
      #expect(report.rejectedCount == 1 && !cards.contains { $0.prompt == "p" })
      let message = try #require(report.rejected.first).message
      #expect(message.contains("the key \"\(key)\" twice"), "\(message)")
    }
  }

  @Test func `more keys are kept, with numbers as they are written`() throws {
    let text = """
      \u{FEFF}[ {"prompt":"p","answer":"a","tags":["x","y"],"guid":"g","document":"D","level":1.50,"n":1e400,
        "o":{"b":[1, true ,null],"a":"\\u00e9\\n"},"s":"\\uD83D\\uDE00"} , {"prompt":"q","answer":"b","tags":" u  v "} ]

      """
    let (report, cards) = try imported("a.json", text)
    #expect(report.added == 2)
    #expect((cards[0].tags, cards[0].guid, cards[0].document) == (["x", "y"], "g", "D"))
    #expect(
      cards[0].fields == [
        CardField("level", .json("1.50")), CardField("n", .json("1e400")),
        CardField("o", .json(#"{"b":[1,true,null],"a":"\u00e9\n"}"#)), CardField("s", .text("😀")),
      ])
    #expect(cards[1].tags == ["u", "v"])
  }

  @Test(arguments: [
    ("[{\"prompt\":\"p\",\"answer\":\"a\"}", "a.json:1:29: \"]\" expected, the file ends here. Nothing was imported."),
    ("", "a.json:1:1: \"[\" or \"{\" expected, the file ends here. Nothing was imported."),
    ("7", "a.json:1:1: \"[\" or \"{\" expected, \"7\" found. Nothing was imported."),
    (
      "{\"deckhand\":1,\"cards\":1}", "a.json:1:23: \"[\" expected, \"1\" found. Nothing was imported."
    ),
    ("{\"cards\":[]", "a.json:1:12: \"}\" expected, the file ends here. Nothing was imported."),
    (
      "[{\"prompt\":\"é", "a.json:1:14: the closing quote of a text expected, the file ends here. Nothing was imported."
    ),
    ("[\n{\"prompt\" \"p\"}]", "a.json:2:11: \":\" expected, \"\"\" found. Nothing was imported."),
    (
      "[{\"prompt\":\"p\",}]", "a.json:1:16: the name of a value in quotes expected, \"}\" found. Nothing was imported."
    ),
    ("[{\"prompt\":01}]", "a.json:1:13: \",\" or \"}\" expected, \"1\" found. Nothing was imported."),
    ("[{\"prompt\":tru}]", "a.json:1:15: \"true\" expected, \"}\" found. Nothing was imported."),
    (
      "[{\"prompt\":\"\\x\"}]",
      "a.json:1:14: one of \" \\ / b f n r t, or u and four hexadecimal digits, after a backslash expected, \"x\" found. Nothing was imported."
    ),
    (
      "[{\"prompt\":\"\\u12G4\"}]",
      "a.json:1:17: one of \" \\ / b f n r t, or u and four hexadecimal digits, after a backslash expected, \"G\" found. Nothing was imported."
    ),
    ("[{\"a\":1.}]", "a.json:1:9: a digit expected, \"}\" found. Nothing was imported."),
    ("[] x", "a.json:1:4: the end of the file expected, \"x\" found. Nothing was imported."),
    ("[1 2]", "a.json:1:4: \",\" or \"]\" expected, \"2\" found. Nothing was imported."),
    (
      "[{\"a\":\"\n\"}]",
      "a.json:1:8: an escape (\\n, \\t, \\u0001) in place of a control character expected, byte 10 found. Nothing was imported."
    ),
  ])
  func `broken JSON is reported with its position and what was expected`(content: String, message: String) throws {
    let good = #"{"prompt":"good","answer":"x"},"#
    #expect(refusal("a.json", Array(content.utf8)) == message)
    let deck = try collection.store.read { try DeckTable.find($0, named: "d").id }
    #expect(try collection.prompts(deck) == [])
    if content.hasPrefix("["), content.count > 4, content != "[] x" {
      let whole = "[" + good + content.dropFirst()
      try AtomicFile.write(folder.file("b.json"), whole.utf8)
      #expect(problemCode { _ = try collection.importing(deck, folder.file("b.json")) } == "bad_format")
      #expect(try collection.prompts(deck) == [])
    }
  }

  @Test func `bad rows of JSON are refused and listed, the others are imported`() throws {
    let text = #"""
      [{"prompt":"p","answer":"a"},
      {"prompt":"","answer":"a"}, {"prompt":"x"},
      7, {"prompt":5,"answer":"a"}, {"prompt":"\u0000","answer":"a"}, {"prompt":"\uD800","answer":"a"},
      {"prompt":"\uD800\n","answer":"a"}, {"prompt":"x","answer":"a","tags":["a b"]}, {"prompt":null,"answer":"a"},
      {"prompt":"z","answer":"a","k":{"deep":"\u0000"}}, {"prompt":"z","answer":"a","k\u0000":1},
      {"prompt":"q","answer":"b"}]
      """#
    let (report, cards) = try imported("a.json", text)
    #expect(cards.map(\.prompt) == ["p", "q"])
    #expect(report.rejected.map(\.index) == [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    #expect(report.rejected.map(\.line) == [2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5])
    #expect(
      report.rejected.map(\.code.rawValue) == [
        "empty_prompt", "empty_answer", "bad_row", "bad_row", "bad_text", "bad_text", "bad_text", "bad_tag",
        "empty_prompt", "bad_text", "bad_text",
      ])
  }

  @Test func `a header names the columns case-insensitively, in any order`() throws {
    let (report, cards) = try imported("a.csv", "Answer,Level,PROMPT,tags,guid\r\na1,B2,p1,x y,g1\r\n\r\na2,,p2,,\r\n")
    #expect(report.added == 2)
    #expect(cards.map(\.prompt) == ["p1", "p2"])
    #expect(cards[0].tags == ["x", "y"] && cards[0].guid == "g1")
    #expect(cards[0].fields == [CardField("Level", .text("B2"))])
    #expect(cards[1].fields == [] && cards[1].guid.count == 11)
  }

  @Test func `without a header the columns are prompt, answer, and more are kept`() throws {
    let (_, cards) = try imported("a.tsv", "p1\ta1\tx y\nfront\tanswer\np3\ta3\t\tmore")
    #expect(cards.map(\.prompt) == ["p1", "front", "p3"])
    #expect(cards.map(\.answer) == ["a1\nx y", "answer", "a3\nmore"] && cards.allSatisfy { $0.tags.isEmpty })
  }

  @Test func `quotes protect separators, quotes and line endings`() throws {
    let (report, cards) = try imported(
      "a.csv", "\"a,b\",\"say \"\"hi\"\"\"\n\"line 1\r\nline 2\",x\"y\r\"\",z\r\rlast,\"row\"")
    #expect(cards.map(\.prompt) == ["a,b", "line 1\r\nline 2", "last"])
    #expect(cards.map(\.answer) == ["say \"hi\"", "x\"y", "row"])
    #expect(report.rejected.map(\.line) == [3])
  }

  @Test(arguments: [
    ("a,b\n\"c,d\ne,f\n", "a.csv:2:1: a closing quote for this one expected, the file ends. Nothing was imported."),
    ("p,a\nx,\"", "a.csv:2:3: a closing quote for this one expected, the file ends. Nothing was imported."),
    (
      "a,\"" + String(repeating: "x", count: 1_100_000),
      "a.csv:1: one row has more than 1,000,000 bytes; perhaps a quote is not closed. Nothing was imported."
    ),
  ])
  func `a broken table imports nothing`(content: String, message: String) throws {
    #expect(refusal("a.csv", Array(content.utf8)) == message)
    #expect(try collection.cards(try collection.store.read { try DeckTable.find($0, named: "d").id }) == [])
  }

  @Test func `bad rows of a table are refused with their line; strict imports nothing`() throws {
    var content = Array("prompt,answer\np1,é\np2\n\"q\"x,a\nca".utf8)
    content += [0xF1, 0x6F] + Array(",y\np\u{0},a\n,a\nlast,a\n".utf8)
    let (report, cards) = try imported("a.csv", content)
    #expect(cards.map(\.prompt) == ["p1", "last"])
    #expect(report.rejected.map(\.line) == [3, 4, 5, 6, 7])
    #expect(
      report.rejected.map(\.code.rawValue) == ["empty_answer", "bad_row", "bad_text", "bad_text", "empty_prompt"])
    #expect(report.rejected[2].message == "not UTF-8 at column 3; if the file is in latin-1, give --encoding latin-1")
    #expect(report.rejected[1].message == "a separator or the line's end expected after the closing quote at column 4")
    let other = TestCollection()
    let deck = try other.deck("d")
    var options = ImportOptions()
    options.isStrict = true
    let error = #expect(throws: ExchangeError.self) { try other.importing(deck, folder.file("a.csv"), options) }
    #expect(error?.message == "a.csv:3: the answer is empty. Nothing was imported.")
    #expect(error?.code == "empty_answer")
    #expect(try other.prompts(deck) == [])
  }

  @Test(
    arguments: [
      [0xFF, 0xFE, 0x61, 0x00], [0xFE, 0xFF, 0x00, 0x61], [0x61, 0x00, 0x62, 0x00], [0x00, 0x5B],
    ] as [[UInt8]])
  func `UTF-16 is named, and refused if only UTF-8 is allowed`(content: [UInt8]) throws {
    #expect(
      refusal("a.json", content)
        == "a.json is encoded in utf-16; give --encoding utf-16, or save it as utf-8. Nothing was imported.")
    try AtomicFile.write(folder.file("b.jsonl"), content)
    #expect(
      problemCode { _ = try collection.importing(collection.deck(named: "d"), folder.file("b.jsonl")) }
        == "bad_encoding")
  }

  @Test func `an unknown encoding is reported with the known ones`() {
    let error = #expect(throws: ExchangeError.self) { try TextEncoding(named: "ebcdic") }
    let names =
      "utf-8, latin-1, utf-16, windows-1250, windows-1251, windows-1252, windows-1253, windows-1254, windows-1255, "
      + "windows-1256, koi8-r, shift_jis, euc-jp, gb18030, big5"
    #expect(error?.message == "no encoding is called \"ebcdic\"; the encodings are \(names)")
  }

  @Test func `the file extension decides the format, and an unknown one is reported with the known ones`() throws {
    #expect(try CardFormat(ofPath: "/x/y.JSON") == .json)
    #expect(try CardFormat(ofPath: "a.b.tsv") == .tsv)
    let error = #expect(throws: ExchangeError.self) { try CardFormat(ofPath: "x.cvs") }
    #expect(
      error?.message
        == "no format is called \"cvs\" (did you mean \"csv\"?); the formats are json, jsonl, csv, tsv, txt, md, apkg, apkg-legacy, colpkg, anki2, crowdanki; --format, or the field format in Lua, chooses one for any file name"
    )
    for path in ["json", ".json", "a.", "a/b", ""] {
      #expect(throws: ExchangeError.self) { try CardFormat(ofPath: path) }
    }
  }

  @Test(arguments: ["x.csv", "x.tsv", "x.md"])
  func `an export can be imported again with the same cards in order, whatever the texts`(name: String) throws {
    let (deck, inner, isTable) = (try collection.deck("a"), try collection.deck("a::b::c"), name != "x.md")
    let texts = [
      "plain", "with, comma", "tab\there", "say \"hi\"", "two\nlines\r\nthree", "日本 é 😀", "=1+1", "\u{1B}[31m", "#x",
      "\\n", "\"", "a\u{301}", "# heading", "## two\n\nparagraphs", "Q: x\nA: y", "A: x", "---",
      "```\ncode # x\nQ: z\n```", "```", "~~~\nx", "\\# x", "\\\\A: x", "<!-- id: evil -->",
      "text <!-- id: evil --> text",
      "==x==", "a == b", "{{c1::x}}", "- item\n- item", "1. x", "  indented\n    more", "\\", "trailing \\", "#",
      "> quote", "*b* _i_ `c`", "a\n---\nb", "\u{301}x", "-", "$x$", "multi\n\n\nblank", "Q:", "<b>", "&amp;",
      "\\==x==", "a\n# b\nc", "x\n```\ny", "=", "Extra: x", "ends with #", "a\rb\r\nc",
    ]
    for (number, text) in texts.enumerated() {
      let kept = isTable && number % 3 == 0
      try collection.add(
        number % 2 == 0 ? deck : inner,
        NewCard(
          prompt: text, answer: texts[(number * 7 + 3) % texts.count],
          tags: number % 4 == 0 ? ["t;\(number)", "\"é", "-->"] : [],
          guid: number == 1 ? "g, \"1\" --> ; <!-- & &gt;" : nil,
          fields: kept ? [CardField("note, of \"mine\"", .text(text)), CardField("n", .json("1.\(number)0"))] : [],
          document: isTable && number == 2 ? "DOC" : nil))
    }
    for text in [
      "{{c1::one}} and {{c3::two}}", "a == {{c1::b}} \\ # c", "# {{c1::x}}<br>A: y", "&lt;{{c1::x}}&gt;",
      "- {{c1::item}}", "<b>{{c1::x}}</b>",
    ] where !isTable { try collection.addNote(deck, ["Text": text], .cloze, tags: ["c"]) }
    let written = try collection.exporting(deck, folder.file(name))
    #expect(isTable || written.lost.isEmpty, "\(written.lost)")
    let other = TestCollection()
    let report = try other.importing(other.deck("x"), folder.file(name))
    #expect((report.added, report.rejectedCount) == (written.cards, 0), "\(report)")
    for (from, to) in [("a", "x"), ("a::b::c", "x::b::c")] {
      let (mine, theirs) = (
        try collection.cards(collection.deck(named: from)), try other.cards(other.deck(named: to))
      )
      #expect(mine.map(\.guid) == theirs.map(\.guid) && mine.map(\.tags) == theirs.map(\.tags))
      #expect(mine.map(\.prompt) == theirs.map(\.prompt) && mine.map(\.answer) == theirs.map(\.answer))
      #expect(mine.map(\.document) == theirs.map(\.document))
      #expect(mine.map { $0.fields.map(\.name) } == theirs.map { $0.fields.map(\.name) })
    }
    #expect(try other.importing(other.deck(named: "x"), folder.file(name)).added == 0)
  }

  @Test func `progress is reported, and throwing from the callback imports nothing`() throws {
    struct Cancel: Error {}
    let path = folder.file("big.csv")
    var size = 0
    try AtomicFile.write(path, Replacement(isInterrupted: { false })) { sink in
      for number in 0..<20_000 { try sink.append("prompt \(number),answer \(number)\n") }
      size = sink.count
    }
    let deck = try collection.deck("d")
    var steps: [Int] = []
    let run = { (limit: Int) in
      try collection.store.operation("import") { db in
        let work = try CardImport(db, into: deck, options: ImportOptions(), now: 0, random: collection.random)
        try work.run(
          path, isInterrupted: { false },
          progress: { done, total in
            steps.append(done)
            #expect(total == size)
            if done > limit { throw Cancel() }
          })
        return try work.finish().cards
      }
    }
    #expect(throws: Cancel.self) { try run(100_000) }
    #expect(try collection.cards(deck) == [])
    steps = []
    #expect(try run(.max).added == 20_000)
    #expect(steps == steps.sorted() && steps.count > 5)
  }

  @Test func `a missing file, a folder and an unknown format are reported`() throws {
    let deck = try collection.deck("d")
    #expect(throws: FileError("/nowhere/a.csv", .open, number: ENOENT)) {
      try collection.importing(deck, "/nowhere/a.csv")
    }
    #expect(throws: ExchangeError.unknownFormat(name: "exe")) { try collection.importing(deck, "/nowhere/a.exe") }
    #expect(throws: ExchangeError.unknownFormat(name: "exe")) { try collection.exporting(deck, "/nowhere/a.exe") }
    #expect(throws: FileError.self) { try collection.exporting(deck, "/nowhere/a.csv") }
  }

  @Test func `JSON beyond its limits is refused`() throws {
    let deep = "[{\"a\":" + String(repeating: "[", count: 100_000)
    #expect(
      refusal("a.json", Array(deep.utf8))
        == "a.json:1: lists and objects are nested more than 32 deep. Nothing was imported.")
    // What is not in Deckhand's own form may be larger, and is cut off here.
    for (large, code) in [
      ("[{\"prompt\":\"" + String(repeating: "x", count: 1_100_000), "too_large"),
      ("[" + String(repeating: "1", count: 1_100_000), "bad_format"),
      ("[{" + String(repeating: "\"a\":1,", count: 200_000), "bad_format"),
    ] {
      try AtomicFile.write(folder.file("b.json"), large.utf8)
      let deck = try collection.store.read { try DeckTable.find($0, named: "d").id }
      #expect(problemCode { _ = try collection.importing(deck, folder.file("b.json")) } == code)
    }
  }
}
