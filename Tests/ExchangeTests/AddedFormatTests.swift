// Formats that plugins add: what a reader may pass on of each kind of file, what a writer gets, and whose a file is.

import Files
import TestDecks
import Values

@testable import Exchange

@Suite struct AddedFormatTests {
  let collection = TestCollection()
  let folder = TemporaryFolder()

  private static func value(_ json: String) throws -> Value {
    try JSONParser.parse(
      Array(json.utf8), limits: JSONLimits(bytes: 1 << 21, depth: 16, values: 50_000, string: 1 << 20))
  }

  private static func format(
    _ name: String = "own", _ endings: [String] = ["own"], _ kind: ForeignFile.Kind = .lines
  ) -> CardFormat {
    CardFormat(name, "", endings: endings, holds: [.schedule, .reviews, .notes], openedAs: kind, types: [])
  }

  /// Imports a file into a new deck by a reader that passes on some items in JSON.
  private func imported(
    _ kind: ForeignFile.Kind = .lines, _ path: String, items: @escaping (ForeignFile) throws -> [String]
  ) throws -> (report: ImportReport, notes: [[String]]) {
    let (format, formats, deck) = (
      Self.format("own", ["own"], kind), FormatTable(),
      try collection.store.operation("deck") { try DeckTable.findOrMake($0, named: "d", now: 0).deck.id }
    )
    formats.folder = folder.path
    try formats.add(
      format, FormatHooks { file, take in for item in try items(file) { try take(Self.value(item)) } }, owner: .user)
    let report = try collection.store.operation("import") { db in
      let work = try CardImport(db, into: deck, options: ImportOptions(), now: 0, random: collection.random)
      work.formats = formats
      work.receiveMedia = { contents(of: $0).map { "\($0.count).png" } ?? "" }
      try work.run(path, as: format, isInterrupted: { false })
      return try work.finish()
    }
    let notes = try collection.store.read { db in
      try collection.cards(deck).map { try NoteTable.record(db, $0.note).fields + $0.tags.map { "#" + $0 } }
    }
    return (report, notes)
  }

  @Test(arguments: [
    (#"{"line": 4, "prompt": "a", "answer": "b"}"#, "/line: a whole number from 1 to 3 expected, got 4"),
    (#"{"line": 1, "prompt": 7, "answer": "b"}"#, "/prompt: a text expected"),
    (#"{"line": 1, "left": "x"}"#, "not both left and in a row"), ("5", "a row, or {left=} or {used=} expected"),
    (#"{"line": 1, "prompt": "a", "tags": ["x", "TEXT"]}"#, "an item of at most 1,000,000 bytes"),
    (#"{"line": 1, "prompt": "a", "markup": "tex"}"#, "/markup: plain, markdown or html expected"),
    (#"{"line": 1, "type": "Basic"}"#, "/fields: the fields of the note expected"),
    (
      #"{"line": 2, "prompt": "a", "reviews": [{"at": 1, "rating": 5}]}"#, "line 2: reviews must be objects with at and"
    ),
    (#"{"line": 2, "reviews": [\#(String(repeating: "0,", count: 4000))0]}"#, "reviews must be at most 4,000 answers"),
    (#"{"line": 2, "prompt": "a", "schedule": {"due": "soon"}}"#, "line 2: schedule.due must be a number"),
    (#"{"line": 2, "prompt": "a", "cards": [{"colour": 1}]}"#, "/cards/0/colour: one of the keys schedule, reviews"),
  ])
  func `a wrong item ends the import`(item: String, words: String) throws {
    let item = item.replacing(text: "TEXT", with: String(repeating: "x", count: 1_000_000))
    let path = try folder.write("one\ntwo\n\n", to: "a.own")
    let error = #expect(throws: ExchangeError.self) {
      try imported(path) { _ in [#"{"line": 1, "prompt": "a", "answer": "b"}"#, item] }
    }
    #expect(error?.message.contains(words) == true, "\(String(describing: error))")
  }

  @Test func `a row has sides in any markup, or the fields of a type, and says which lines are its own`() throws {
    let path = try folder.write(String(repeating: "x\n", count: 10 + LeftReason.allCases.count), to: "a.own")
    let reasons = LeftReason.allCases.enumerated().map { #"{"line": \#($0 + 11), "left": "\#($1.rawValue)"}"# }
    let (report, notes) = try imported(path) { file in
      #expect(throws: ExchangeError.self) { try file.query("SELECT 1", []) }
      return [
        #"{"line": 1, "prompt": " a<b ", "answer": "b", "tags": ["t"], "suspended": true, "guid": "g", "media": {}}"#,
        #"{"line": 2, "to": 3, "prompt": "*a*", "answer": "![](x.png) ![](x.png)", "markup": "markdown"}"#,
        #"{"line": 4, "prompt": "<b>a</b>", "answer": "c", "markup": "html", "reversed": true}"#,
        #"{"line": 5, "type": "Cloze", "fields": {"Text": "{{c1::a}} {{c2::b}}"}, "cards": [{"schedule": {"state": "review"}}, {"reviews": [{"at": 1, "rating": 3}]}]}"#,
        #"{"line": 6, "prompt": "\u0000", "answer": "b", "markup": "markdown"}"#, #"{"line": 7, "prompt": " "}"#,
        #"{"line": 8, "cells": ["prompt", "answer"]}"#, #"{"line": 9, "cells": ["p", "q\tr"]}"#,
        #"{"line": 10, "used": true}"#,
      ] + reasons
    }
    #expect(
      notes == [
        ["a&lt;b", "b", "#t"], ["<i>a</i>", "<img src=\"x.png\"> <img src=\"x.png\">"], ["<b>a</b>", "c"],
        ["<b>a</b>", "c"],
        ["{{c1::a}} {{c2::b}}", ""], ["{{c1::a}} {{c2::b}}", ""], ["p", "q\tr"],
      ], "\(notes)")
    #expect(
      report.cards.rejected.map { "\($0.place?.line ?? 0) \($0.code.rawValue)" } == ["6 bad_text", "7 empty_prompt"])
    #expect((report.lines.rows, report.lines.used, report.lines.leftCount) == (7, 3, reasons.count), "\(report)")
    // Only the program says that a line was not accounted for.
    #expect(report.lines.parts.map(\.reason) == LeftReason.allCases.map { $0 == .notAccounted ? .other : $0 })
    #expect(Set(report.lines.parts.map(\.inWords)).count == reasons.count)
  }

  @Test func `the members of a ZIP file are unpacked for the cards that show them`() throws {
    let path = try zip(folder, named: "a.own", [("p/x", [1, 2, 3]), ("deck", Array("text".utf8))])
    let (report, notes) = try imported(.zip, path) { file in
      #expect(file.entries == ["deck", "p/x"])
      #expect(try file.entry("deck") == Array("text".utf8) && file.entry("none") == nil)
      let row = {
        #"{"part": "note", "markup": "html", "prompt": "\#($0)<img src='\#($0)'>", "answer": "b", "media": {"\#($0)": "\#($1)"}}"#
      }
      return [row("x.png", "p/x"), row("y.png", "p/y"), row("", "p/x")]
    }
    #expect(notes == [["x.png<img src=\"3.png\">", "b"], ["y.png<img src='y.png'>", "b"]], "\(notes)")
    #expect(report.missingMedia == ["p/y"] && report.cards.rejected.map(\.code.rawValue) == ["bad_row"], "\(report)")
  }

  @Test func `the tables of a database are queried while it is read`() throws {
    let path = folder.file("a.own")
    let file = try ExclusiveDatabase(path)
    try file.use {
      try $0.execute(sql: "CREATE TABLE words (a, b); INSERT INTO words VALUES ('uno', 'one'), ('dos', 'two')")
    }
    try file.close()
    let (report, notes) = try imported(.sqlite, path) { file in
      #expect(file.size > 0 && file.entries.isEmpty)
      return try file.query("SELECT a, b FROM words WHERE a > ?", ["e"]).map { row in
        #"{"part": "row", "prompt": "\#(row.record?["a"]?.text ?? "")", "answer": "\#(row.record?["b"]?.text ?? "")"}"#
      }
    }
    #expect(notes == [["uno", "one"]] && report.lines.rows == 1)
    let text = try folder.write("CREATE TABLE", to: "b.own")
    #expect(throws: ExchangeError.self) { try imported(.sqlite, text) { _ in [] } }
  }

  @Test(arguments: [ForeignFile.Kind.xml, .json]) func `a part of a file without lines has a place`(
    kind: ForeignFile.Kind
  ) throws {
    let path = try folder.write("\n<a>", to: "a.own")
    let rows = { #"{"\#($0)": \#($1), "prompt": "a", "answer": "b"}"# }
    let error = #expect(throws: ExchangeError.self) {
      try imported(kind, path) { file in
        #expect(file.text == Array("\n<a>".utf8))
        return [rows("line", "2"), rows("line", "{}")]
      }
    }
    #expect(error?.message.contains("the place, such as \"note 5\", expected") == true)
  }

  @Test func `a writer gets the cards some at a time, with what the format holds`() throws {
    let (deck, formats) = (try collection.deck("d"), FormatTable())
    try collection.fill(deck, (1...500).map { "p\($0)" })
    try collection.addNote(deck, ["Text": "{{c1::a<b>b</b>}}"], .cloze, tags: ["t"])
    try collection.store.operation("answer") { db in
      try db.execute(
        sql: "UPDATE cards SET state = 2, due = 9, stability = 1, difficulty = 1, last_review = 1 WHERE prompt = 'p1'")
      try db.execute(sql: "INSERT INTO reviews (card_id, at, rating) SELECT id, 1, 3 FROM cards WHERE prompt = 'p1'")
    }
    var calls: [(cards: [Value], places: [Bool])] = []
    var hooks = FormatHooks { _, _ in }
    try formats.add(Self.format(), hooks, owner: .user)
    var options = ExportOptions()
    (options.format, options.hasSchedule) = (Self.format(), true)
    let write = {
      try collection.store.read { db in
        var export = try CardExport(db, deck)
        export.formats = formats
        return try export.run(to: folder.file("a.own"), .plain, options, isInterrupted: { false }).cards
      }
    }
    #expect(throws: ExchangeError.readOnly(format: Self.format())) { try write() }
    hooks.write = { cards, name, isFirst, isLast in
      calls.append((cards, [name == "d", isFirst, isLast]))
      return Array("\(cards.count)\n".utf8)
    }
    try formats.add(Self.format(), hooks, owner: .user)
    #expect(try write() == 501)
    #expect(folder.read("a.own") == Array("500\n1\n".utf8))
    #expect(calls.map(\.places) == [[true, true, false], [true, false, true]])
    let (first, last) = (try #require(calls[0].cards[0].record), try #require(calls[1].cards[0].record))
    #expect(first["reviews"]?.list?.count == 1 && first["schedule"]?.record?["state"] == .text("review"))
    #expect(first["fields"]?.json == #"{"Front":"p1","Back":"x"}"#, "\(first)")
    #expect(last["type"] == .text("Cloze") && last["tags"]?.json == "[\"t\"]" && last["schedule"] == nil, "\(last)")
  }

  @Test func `a name has one owner, and a file of two formats is not guessed`() throws {
    let formats = FormatTable()
    formats.offered = { ["later", "own"] }
    var sure = FormatHooks { _, _ in }
    sure.sniff = { head in
      if head.isEmpty { throw ExchangeError.formatNeeded }
      return head == Array("other".utf8) ? 0.1 : 0.9
    }
    try formats.add(Self.format("one", ["own", "md"]), sure, owner: .user)
    try formats.add(Self.format("two", ["own"]), FormatHooks { _, _ in }, owner: .script("s"))
    try formats.add(Self.format("two", ["second"]), sure, owner: .script("s"))
    for (name, endings) in [
      ("One", ["x"]), ("1st", ["x"]), ("", ["x"]), ("x", []), (String(repeating: "x", count: 65), ["x"]),
    ] {
      #expect(throws: ExchangeError.badFormatName(name: name)) {
        try formats.add(Self.format(name, endings), sure, owner: .user)
      }
    }
    for (name, owner) in [("csv", Owner.program), ("markdown", .program), ("two", .script("s"))] {
      let taken = ExchangeError.formatTaken(name: name, owner: owner)
      #expect(throws: taken) { try formats.add(Self.format(name), sure, owner: .user) }
    }
    #expect(throws: ExchangeError.self) { try formats.add(Self.format("two", ["own"]), sure, owner: .script("s")) }
    #expect(formats.addedNames == ["one", "two", "later", "own"] && formats.added(by: .user).map(\.name) == ["one"])
    func name(_ path: String, _ head: String?, given: CardFormat? = nil) throws -> [String] {
      do {
        let format = try formats.format(of: path, given: given, head: head.map { text in { Array(text.utf8) } })
        return [format.name] + format.endings
      } catch let error as ExchangeError { return [error.message] }
    }
    let which = "; say which with --format, in Lua with format"
    #expect(try name("a.own", "sure") == ["one", "own", "md"])
    #expect(try name("a.own", "other") == ["a.own could be one or two" + which])
    #expect(try name("a.own", "") == ["a.own could be one or two" + which])
    #expect(try name("a.md", "sure") == ["a.md could be md or one" + which])
    #expect(try name("a.md", "other") == ["md", "md", "markdown"] && name("a.own", nil) == ["one", "own", "md"])
    #expect(try name("a.second", nil, given: Self.format("two")) == ["two", "second"])
    #expect(try name("-", nil, given: .csv) == ["csv", "csv"])
    #expect(try name("-", nil) == [ExchangeError.formatNeeded.message])
    #expect(try formats.format(named: "TWO").endings == ["own"])
    formats.remove(owner: .script("s"))
    #expect(throws: ExchangeError.self) { try formats.format(named: "two") }
  }
}
