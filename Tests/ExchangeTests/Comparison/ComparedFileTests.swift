// Files of one text format, compared and merged in place: unchanged text stays byte for byte, and unreadable text is
// reported with its position.

import Files
import Problems
import Templates
import TestDecks
import Text

@testable import Exchange

@Suite struct ComparedFileTests {
  private let folder = TemporaryFolder()

  private func settings(key: String? = nil) -> ExchangeSettings {
    var settings = ExchangeSettings(
      folder: folder.path, moment: StudyMoment(now: 1_700_000_000, utcOffset: 0), isInterrupted: { false }
    ) { $0.hash }
    settings.key = key
    return settings
  }

  private func files(_ texts: [String], _ format: CardFormat, key: String? = nil) throws -> ComparedFiles {
    let operands = try texts.enumerated().map {
      ComparedOperand.file(try folder.write($1, to: "file\($0)"), format)
    }
    return try ComparedFiles(operands, settings(key: key))
  }

  /// Returns the merge of three texts as a file, and the fields with conflicts.
  private func merge(
    _ texts: [String], _ format: CardFormat, key: String? = nil, by side: MergeSide? = nil
  ) throws -> (text: String, conflicts: [String]) {
    let files = try files(texts, format, key: key)
    let contents = files.contents
    let result = ThreeWayMerge(base: contents[0], ours: contents[1], theirs: contents[2], preferred: side).result {}
    var bytes: [UInt8] = []
    let text = try #require(try files.merged(result))
    try text { bytes += $0 }
    return (String(decoding: bytes, as: UTF8.self), result.conflicts.flatMap { $0.entry.conflicts.map(\.field) })
  }

  /// Returns the changes from one text to another, one per line.
  private func changes(_ old: String, _ new: String, _ format: CardFormat, key: String? = nil) throws -> [String] {
    let contents = try files([old, new], format, key: key).contentsInCommon
    return ContentDifference(contents[0], contents[1]).changes.map { change in
      let fields = change.fields.map { "\($0.name): \($0.old) > \($0.new)" } + change.addedTags.map { "+" + $0 }
      return "\(change.event) \(change.kind) \(change.key) " + fields.joined(separator: ", ")
    }
  }

  private func fault(_ body: () throws -> Void) -> String {
    do { try body() } catch { return (error as? ExchangeError)?.report.message ?? "\(error)" }
    return "none"
  }

  @Test func `JSON lines merge member by member, including members of nested objects`() throws {
    let base = #"{"prompt":"gato","answer":"cat","guid":"a","tags":["x"],"more":{"one":1,"two":2}}"#
    let ours = #"{"prompt":"gato","answer":"tomcat","guid":"a","tags":["x"],"more":{"one":1,"two":3}}"#
    let theirs = #"{"prompt":"gato","answer":"cat","guid":"a","tags":"x y","more":{"one":[4],"two":2},"extra":null}"#
    let same = "{ \"prompt\" : \"sol\", \"answer\": \"sun\" }"
    let merged = try merge([base, ours, theirs].map { "\($0)\r\n\n  \n\(same)\n" }, .jsonl)
    #expect(merged.conflicts.isEmpty)
    #expect(
      merged.text
        == #"{"prompt":"gato","answer":"tomcat","guid":"a","tags":["x","y"],"more":{"one":[4],"two":3},"extra":null}"#
        + "\n\(same)\n")
  }

  @Test func `a member that one side removed is removed, and two changes to one are kept side by side`() throws {
    let lines = [
      #"{"prompt":"gato","answer":"cat","hint":"h","note":"n"}"#, #"{"prompt":"gato","answer":"tom","note":"m"}"#,
      #"{"prompt":"gato","answer":"kit","hint":"h","note":"n"}"#,
    ]
    let merged = try merge(lines, .jsonl)
    #expect(merged.conflicts == ["answer"])
    let conflict = #"[{"field":"answer","base":"cat","ours":"tom","theirs":"kit"}]"#
    #expect(
      merged.text
        == #"{"prompt":"gato","answer":"tom","tags":["conflict"],"note":"m","conflicts":"# + conflict + "}\n")
    // It reads back as the same conflict.
    let again = try merge([merged.text, merged.text, merged.text], .jsonl)
    #expect(again.text == merged.text && again.conflicts.isEmpty)
  }

  @Test func `cards of one note, types and options are distinguished`() throws {
    let lines = [
      #"{"note_guid":"n","note_type":"Basic","ordinal":1,"prompt":"p"}"#,
      #"{"note_type":{"name":"Verb","css":"a"},"prompt":"t"}"#,
      #"{"subdeck":"Later","deck_options":{"new_per_day":3}}"#,
      #"{"deck_options":{"new_per_day":4}}"#,
    ]
    let changed = lines.map {
      $0.replacing("\"p\"", with: "\"q\"").replacing("\"a\"", with: "\"b\"").replacing(":3", with: ":5")
    }
    let told = try changes(lines.joined(separator: "\n"), changed.joined(separator: "\n"), .jsonl)
    #expect(
      told == [
        "changed noteType Verb note_type/css: a > b", "changed deck Later deck_options/new_per_day: 3 > 5",
        "changed note n/2 prompt: p > q",
      ])
    let merged = try merge([lines, lines, changed].map { $0.joined(separator: "\n") }, .jsonl)
    #expect(Set(merged.text.split(separator: "\n")) == Set(changed.map { Substring($0) }))
  }

  @Test func `a conflict of a line's type or options is resolved in a deck, which names them differently`() throws {
    let texts = ["1", "2", "3"].map {
      """
      {"note_type":{"name":"Verb","css":"\($0)"}}
      {"deck_options":{"new_per_day":\($0)}}
      {"prompt":"p","answer":"q","guid":"n"}
      """
    }
    let contents = try files(texts, .jsonl).contents
    let merged = ThreeWayMerge(base: contents[0], ours: contents[1], theirs: contents[2]).result {}.content
    let conflicts = try #require(merged[.note]["n"]?.conflicts)
    #expect(conflicts.map(\.shownField) == ["note_type Verb/note_type/css", "deck /deck_options/new_per_day"])
    #expect(MergeConflict.list(of: MergeConflict.json(conflicts)) == conflicts)
    var deck = ComparedContent()
    deck[.noteType].append(ComparedEntry(type: NoteTypeDraft(name: "Verb", fields: ["A"], cards: [], css: "2")))
    deck[.deck].append(ComparedEntry(key: "", fields: FieldNames(["new_per_day"]), values: ["2"]))
    for conflict in conflicts { deck.settle(conflict, of: try #require(conflict.owner), by: .theirs) }
    #expect(deck[.noteType]["Verb"]?["css"] == "3" && deck[.deck][""]?["new_per_day"] == "3")
    #expect(deck[.deck][""]?.fields.list == ["new_per_day"])
  }

  @Test func `lines can be identified by any member, and two with the same key stay two`() throws {
    #expect(
      try changes(
        #"{"id":7,"x":"a"}"# + "\n" + #"{"id":8,"x":"b"}"#, #"{"id":8,"x":"b"}"# + "\n" + #"{"id":7,"x":"c"}"#, .jsonl,
        key: "id") == ["moved note 8 ", "changed note 7 x: a > c"])
    #expect(
      try changes(#"{"x":1}"# + "\n" + #"{"x":1}"#, #"{"x":1}"#, .jsonl, key: "id") == ["removed note #2 x: 1 > "])
  }

  @Test func `a line that is not an object is reported with its position`() {
    #expect(fault { _ = try files(["{}\n[1]\n", ""], .jsonl) }.contains("an object expected, a list found"))
    #expect(fault { _ = try files(["", "{}\n\n{\"a\":}\n"], .jsonl) }.contains("file1:3:6"))
    let long = "{\"a\":\"" + String(repeating: "x", count: rowLimit) + "\"}"
    #expect(fault { _ = try files([long, ""], .jsonl) }.contains("has more than"))
  }

  private static let markdown = """
    # Words

    ## gato <!-- id: a -->

    cat

    ==Madrid== is in Spain

    ## sol

    sun

    """

  @Test func `cards of Markdown merge, and text that one side wrote between them stays`() throws {
    let base = Self.markdown
    let ours = base.replacing("cat", with: "tomcat").replacing("# Words", with: "# My words")
    let theirs =
      base.replacing("## gato", with: "## el gato").replacing("Spain", with: "Europe") + "\n<!-- the end -->\n"
    let merged = try merge([base, ours, theirs], .md)
    #expect(merged.conflicts.isEmpty)
    #expect(merged.text.hasPrefix("# My words\n\n## el gato <!-- id: a -->\n\ntomcat\n"))
    #expect(merged.text.contains("Europe") && merged.text.hasSuffix("sun\n\n<!-- the end -->\n"), "\(merged.text)")
  }

  @Test func `cards that only one side has are kept as written`() throws {
    let base = Self.markdown
    let ours = base + "\n## luna\n\n*moon*\n"
    let theirs = base + "\n## mar\n\n*sea*"
    #expect(try merge([base, ours, theirs], .md).text == base + "\n## luna\n\n*moon*\n\n## mar\n\n*sea*")
  }

  @Test func `both sides of a cloze sentence are kept with the card`() throws {
    let base = "==Madrid== is big\n<!-- id: m -->\n"
    let sides = ["==Madrid== is very big\n<!-- id: m -->\n", "==Madrid== is not big\n<!-- id: m -->\n"]
    let merged = try merge([base] + sides, .md)
    #expect(merged.conflicts == ["text"])
    #expect(merged.text.contains("very big") && merged.text.contains("not big"), "\(merged.text)")
    let again = try files([merged.text, merged.text], .md).contents[0]
    #expect(again[.note]["m"]?.conflicts.map(\.theirs) == ["==Madrid== is not big"])
  }

  @Test func `changes by both sides outside of cards stop the merge`() throws {
    let base = Self.markdown
    let heads = ["# Mine", "# Yours"].map { base.replacing("# Words", with: $0) }
    #expect(throws: ComparisonError.notCards) { _ = try merge([base] + heads, .md) }
    let tails = ["one", "two"].map { base + "\n# \($0)\n" }
    #expect(throws: ComparisonError.notCards) { _ = try merge([base] + tails, .md) }
    // The heading is within the lines of a card that both changed.
    let parted = base.replacing("==Madrid== is in Spain", with: "# Part")
    let sides = [("cat", "tomcat"), ("gato", "el gato")].map { parted.replacing($0.0, with: $0.1) }
    #expect(throws: ComparisonError.notCards) { _ = try merge([parted] + sides, .md) }
  }

  @Test func `tables with different line endings, column counts and letter case merge`() throws {
    let merged = try merge(
      ["Prompt,Answer\r\ngato,cat\r\n", "Prompt,Answer\r\ngato,tomcat\r\nsol\r\n", "Prompt,Answer,\r\ngato,cat,x\r\n"],
      .csv,
      key: "prompt")
    #expect(merged.text == "Prompt,Answer,\r\ngato,tomcat,x\r\nsol,,\r\n")
    #expect(try changes("a,b\nc,d\n", "a,B\nc,d\n", .csv, key: "1") == ["changed note a answer: b > B"])
    #expect(try changes("a,b,c\n", "a,b,d\n", .csv) == ["changed note a column3: c > d"])
    #expect(try changes("q,guid\na,1\n", "q,guid\nb,1\n", .csv) == ["changed note 1 q: a > b"])
    #expect(try changes("q,tags\na\n", "q,tags\na,x\n", .csv) == ["changed note a +x"])
    // A column that only later rows have.
    #expect(try changes("a,b\nc,d,k\n", "a,b\nC,d,k\n", .csv, key: "column3") == ["changed note k prompt: c > C"])
  }

  @Test func `a missing column and an invalid table are reported`() {
    let unknown = fault { _ = try files(["a,b\n", "a,b\n"], .csv, key: "x") }
    #expect(unknown.contains("\"x\"") && unknown.contains("its first row is a, b."), "\(unknown)")
    #expect(fault { _ = try files(["a,\"b\nc\n", ""], .csv) }.contains("file0:1"))
  }

  @Test func `both sides of a cell are kept in a column of their own, which can be read back`() throws {
    let texts = ["cat", "tomcat", "kitty"].map { "prompt,answer,tags\r\ngato,\($0),x\r\nsol,sun,\r\n" }
    let merged = try merge(texts, .csv)
    #expect(merged.conflicts == ["answer"])
    #expect(merged.text.hasPrefix("prompt,answer,tags,conflicts\r\ngato,tomcat,x conflict,"), "\(merged.text)")
    #expect(merged.text.contains("kitty") && merged.text.hasSuffix("sol,sun,,\r\n"))
    let again = try merge([merged.text, merged.text, merged.text], .csv)
    #expect(again.text == merged.text && again.conflicts.isEmpty)
    #expect(
      try files([merged.text, merged.text], .csv).contents[0][.note]["gato"]?.conflicts.map(\.theirs) == ["kitty"])
    // A short row has no conflicts, and a value that is not a list is ignored.
    #expect(
      try files(["prompt,answer,conflicts\na,b\nc,d,x\n", ""], .csv).contents[0][.note].entries.allSatisfy {
        $0.conflicts.isEmpty
      })
  }

  @Test(arguments: [
    (CardFormat.csv, "prompt,answer\na,%\n"), (CardFormat.jsonl, "{\"prompt\":\"a\",\"answer\":\"%\"}\n"),
    (CardFormat.md, "## a\n\n%\n"),
  ])
  func `a merged file keeps its byte order mark`(format: CardFormat, text: String) throws {
    let texts = ["1", "1", "2"].map { "\u{FEFF}" + text.replacing("%", with: $0) }
    #expect(try Array(merge(texts, format).text.utf8) == Array(texts[2].utf8))
  }

  @Test func `conflicts have a column of their own beside cells that the header does not name`() throws {
    let merged = try merge(["1", "2", "3"].map { "prompt,answer\na,\($0),more\nb,4,less\n" }, .csv)
    #expect(merged.text.hasPrefix("prompt,answer,column3,conflicts\na,2,more,"), "\(merged.text)")
    #expect(try merge([merged.text, merged.text, merged.text], .csv).text == merged.text)
  }

  @Test(arguments: [false, true])
  func `a row that remains of a table that one side emptied keeps its cells`(isOurs: Bool) throws {
    let rows = ["a,1\n", "a,2\n"].map { "prompt,answer\n" + $0 }
    let merged = try merge([rows[0], isOurs ? "" : rows[1], isOurs ? rows[1] : ""], .csv)
    #expect(merged.text.hasPrefix("prompt,answer,conflicts\na,2,") && merged.conflicts == [""], "\(merged)")
  }

  @Test func `a preferred side decides cell by cell`() throws {
    let texts = ["cat", "tomcat", "kitty"].map { "prompt,answer\ngato,\($0)\n" }
    #expect(try merge(texts, .csv, by: .theirs).text == "prompt,answer\ngato,kitty\n")
    #expect(try merge(texts, .csv, by: .ours).text == "prompt,answer\ngato,tomcat\n")
  }

  @Test func `texts that are not UTF-8 are reported with their line`() throws {
    try folder.write([0x61, 0x2C, 0x62, 0x0A, 0x61, 0x2C, 0xFF, 0x0A], to: "bad.jsonl")
    #expect(fault { _ = try ComparedFiles([.file(folder.file("bad.jsonl"), .jsonl), .nothing], settings()) } != "none")
  }

  @Test func `a cell with too many combining marks in a row is reported with its line`() throws {
    let cell = "a" + String(repeating: "\u{301}", count: longestMarkRun + 1)
    #expect(
      fault { _ = try files(["prompt,answer\na,b\n\(cell),c\n", ""], .csv) }
        == "file0:3:1: a cell has more than \(longestMarkRun) combining marks in a row. Nothing was imported.")
  }

  @Test func `tags that are not texts, and invalid conflicts, are kept as written`() throws {
    let line = #"{"prompt":"a","tags":[1,"x"],"conflicts":[7],"guid":"g"}"#
    let content = try files([line, line], .jsonl).contents[0]
    #expect(content[.note]["g"]?.tags == ["1", "x"] && content[.note]["g"]?.conflicts == [])
    #expect(
      MergeConflict.list(of: "[1") == nil && MergeConflict.list(of: "{}") == nil && MergeConflict.list(of: "[]") == nil)
  }

  @Test func `a quote within a cell does not split it`() throws {
    let merged = try merge(
      ["prompt,answer,x\n5\" tall,a,1\n", "prompt,answer,x\n5\" tall,b,1\n", "prompt,answer,x\n5\" tall,a,2\n"], .csv)
    #expect(merged.text == "prompt,answer,x\n\"5\"\" tall\",b,2\n")
  }

  @Test func `files of two formats are compared as notes, and a row without a guid is matched by its text`() throws {
    let table = try folder.write("prompt,answer\ngato,tomcat\nsol,sun\nsol,Sun\nmar,sea\n", to: "a.csv")
    let lines = try folder.write(
      """
      {"prompt":"gato","answer":"cat","guid":"a","schedule":{"state":"new","flag":2,"suspended":true}}
      {"prompt":"sol","answer":"sun","guid":"b"}
      {"prompt":"sol","answer":"Sun","guid":"c"}
      """, to: "b.jsonl")
    let files = try ComparedFiles([.file(table, .csv), .file(lines, .jsonl)], settings())
    let contents = files.contentsInCommon
    let changes = ContentDifference(contents[0], contents[1]).changes
    // Two equal-looking rows match neither.
    #expect(
      changes.map { "\($0.event) \($0.key)" } == [
        "changed a", "removed sol", "removed sol#2", "removed mar", "added b", "added c",
      ])
    #expect(changes[0].fields.map(\.name) == ["Back"])
    #expect(files.root.isEmpty && files.contents[1][.note]["a"]?["flag"] == "2")
    #expect(try files.merged(MergeResult()) == nil)
    let keyed = try ComparedFiles([.file(table, .csv), .file(lines, .jsonl)], settings(key: "prompt"))
    #expect(keyed.contents[0][.note]["gato"]?["Back"] == "tomcat")
  }

  @Test func `files of two formats that are keyed by the prompt are compared with it`() throws {
    let table = try folder.write("prompt,answer,guid\ngato,tomcat,x\nsol,sun,y\n", to: "a.csv")
    let lines = try folder.write(
      """
      {"prompt":"gato","answer":"cat","guid":"a"}
      {"prompt":"sol","answer":"sun","guid":"b"}
      """, to: "b.jsonl")
    let files = try ComparedFiles([.file(table, .csv), .file(lines, .jsonl)], settings(key: "Prompt"))
    let contents = files.contentsInCommon
    let changes = ContentDifference(contents[0], contents[1]).changes
    #expect(changes.map { "\($0.event) \($0.key)" } == ["changed gato"])
    #expect(changes.first?.fields.map { "\($0.name) \($0.old) > \($0.new)" } == ["Back tomcat > cat"])
    #expect(contents[0][.note]["sol"]?["Front"] == "sol")
    // A row without a prompt is refused as in any other comparison.
    let mixed = try folder.write("prompt,answer\ngato,cat\n ,sun\n", to: "bad.csv")
    let told = fault { _ = try ComparedFiles([.file(mixed, .csv), .file(lines, .jsonl)], settings(key: "prompt")) }
    #expect(told.contains("bad.csv:3: the prompt is empty."), "\(told)")
  }

  @Test(
    arguments: [
      ("csv", "prompt,answer\ngato,cat\nsol,\n", "bad.csv:3: the answer is empty."),
      ("csv", "prompt,answer\n ,cat\n", "bad.csv:2: the prompt is empty."),
      ("csv", "prompt,answer\n\"gato\"x,cat\n", "bad.csv:2: a separator or the line's end expected"),
      ("json", "[{\"prompt\":\"a\",\"answer\":\"b\"},\n {\"prompt\":\"c\"}]", "bad.json:2:2: element 2: "),
      ("json", "[{\"prompt\":1,\"answer\":\"b\"}]", "bad.json:1:2: element 1: "),
      ("md", "## gato\n\ncat\n\nQ: sol?\n\n# End\n", "bad.md:5: "),
    ])
  func `a row that an import would refuse is refused by a comparison too`(
    format: String, text: String, words: String
  ) throws {
    let path = try folder.write(text, to: "bad.\(format)")
    let other = try folder.write("p\ta\n", to: "good.txt")
    let told = fault {
      _ = try ComparedFiles([.file(path, CardFormat(named: format)), .file(other, .txt)], settings())
    }
    #expect(told.contains(words), "\(told)")
    let collection = TestCollection()
    var options = ImportOptions()
    options.isStrict = true
    let deck = try collection.deck("d")
    #expect(fault { _ = try collection.importing(deck, path, options) } == told)
  }

  @Test func `a note whose cards are in several rows is one note, with the data of each card`() throws {
    let lines = try folder.write(
      """
      {"note_type":{"name":"Verb","fields":["W","M"],"cards":[{"name":"One","front":"{{W}}","back":"{{M}}"},{"name":"Two","front":"{{M}}","back":"{{W}}"}]}}
      {"guid":"v","note_type":"Verb","note_fields":{"W":"ir","M":"go"},"ordinal":0,"schedule":{"state":"new","flag":2}}
      {"note_guid":"v","ordinal":1,"subdeck":"Later","schedule":{"state":"new","suspended":true,"flag":3}}
      {"note_type":"Basic","note_fields":{"Front":"p"},"note_guid":"w"}
      """, to: "a.jsonl")
    let other = try folder.write("prompt,answer\n", to: "b.csv")
    let note = try #require(
      try ComparedFiles([.file(lines, .jsonl), .file(other, .csv)], settings()).contents[0][.note]["v"])
    #expect(
      note["deck of card 2"] == "Later" && note["suspended"] == "card 2" && note["flag"] == "card 1: 2, card 2: 3")
    #expect(note["W"] == "ir" && note["note type"] == "Verb")
  }

  @Test func `Markdown with CRLF line endings merges into CRLF lines`() throws {
    let base = "## a <!-- id: 1 -->\r\n\r\nx\r\n\r\n## b <!-- id: 2 -->\r\n\r\ny\r\n"
    let (ours, theirs) = (base.replacing("x", with: "X"), base.replacing("y", with: "Y"))
    #expect(try merge([base, base, base], .md).text == base)
    #expect(try merge([base, ours, theirs], .md).text == ours.replacing("y", with: "Y"))
    let tagged = base.replacing("id: 1", with: "id: 1; tags: t")
    #expect(try merge([base, ours, tagged], .md).text == ours.replacing("id: 1", with: "id: 1; tags: t"))
  }

  @Test func `rows with the same key are distinguished quickly`() throws {
    let rows = "prompt,answer\n" + (0..<20_000).map { "noun,w\($0)\n" }.joined()
    let start = processorSeconds()
    #expect(try changes(rows, rows, .csv).isEmpty)
    #expect(processorSeconds() - start < 20)
  }
}
