// Formats that plugins add: what a reader may pass on of each kind of file, what a writer gets, and whose a file is.

import Files
import Problems
import Templates
import TestDecks
import Text
import Values

@testable import Exchange

@Suite struct AddedFormatTests {
  let collection = TestCollection()
  let folder = TemporaryFolder()
  let formats = FormatTable()

  private func format(_ name: String, _ endings: [String], _ kind: ForeignFile.Kind = .lines) -> CardFormat {
    CardFormat(name, "", endings: endings, holds: [.schedule, .reviews], openedAs: kind, types: [])
  }

  /// Imports a file by a reader that passes on some items in JSON; returns the report and the fields of the notes.
  private func imported(
    _ path: String, as kind: ForeignFile.Kind = .lines, items: @escaping (ForeignFile) throws -> [String]
  ) throws -> (report: ImportReport, notes: [[String]]) {
    let (format, limits) = (
      format("own", ["own"], kind), JSONLimits(bytes: 1 << 21, depth: 16, values: 50_000, string: 1 << 20)
    )
    formats.folder = folder.path
    let hooks = FormatHooks { file, take in
      for item in try items(file) { try take(JSONParser.parse(Array(item.utf8), limits: limits)) }
    }
    try formats.add(format, hooks, owner: .user)
    return try collection.store.operation("import") { db in
      let deck = try DeckTable.findOrMake(db, named: "d", now: 0).deck.id
      let work = try CardImport(db, into: deck, options: ImportOptions(), now: 0, random: collection.random)
      (work.formats, work.receiveMedia) = (formats, { contents(of: $0).map { "\($0.count).png" } ?? "" })
      try work.run(path, as: format, isInterrupted: { false })
      return (
        try work.finish(),
        try db.rows("SELECT id FROM notes ORDER BY id") { NoteID(rawValue: $0.integer(0)) }
          .map { try NoteTable.record(db, $0).fields }
      )
    }
  }

  @Test(arguments: [
    (#""line": 4, "prompt": "a""#, "/line: a whole number from 1 to 3 expected, got 4"),
    (#""line": 1, "prompt": 7"#, "/prompt: a text expected"),
    (#""line": 1, "left": "x""#, "not both left and in a row"),
    (#""line": 1, "tags": ["x", "TEXT"]"#, "an item of at most 1,000,000 bytes"),
    (#""line": 1, "markup": "tex""#, "/markup: plain, markdown or html expected"),
    (#""line": 1, "type": "Basic""#, "/fields: the fields of the note expected"),
    (#""line": 2, "reviews": [{"at": 1, "rating": 5}]"#, "line 2: reviews must be objects with at and a rating from 1"),
    (#""line": 2, "reviews": [\#(String(repeating: "0,", count: 4000))0]"#, "reviews must be at most 4,000 answers"),
    (#""line": 2, "schedule": {"due": "soon"}"#, "line 2: schedule.due must be a number"),
    (#""line": 2, "cards": [{"colour": 1}]"#, "/cards/0/colour: one of the keys schedule, reviews"),
  ])
  func `a wrong item ends the import`(members: String, words: String) throws {
    let item = "{\(members.replacing(text: "TEXT", with: String(repeating: "x", count: 1_000_000)))}"
    let path = try folder.write("one\ntwo\n\n", to: "a.own")
    let error = #expect(throws: ExchangeError.self) {
      try imported(path) { _ in [#"{"line": 1, "prompt": "a", "answer": "b"}"#, item] }
    }
    #expect(error?.message.contains(words) == true, "\(String(describing: error))")
  }

  @Test func `a row has sides in any markup or the fields of a type; other lines are used or left`() throws {
    let reasons = LeftReason.allCases.enumerated().map { #"{"line": \#($0 + 11), "left": "\#($1.rawValue)"}"# }
    let path = try folder.write(String(repeating: "x\n", count: 10 + reasons.count), to: "a.own")
    let rows = [
      #"1, "prompt": " a<b ", "answer": "b", "tags": ["t"], "suspended": true, "guid": "g", "media": {}"#,
      #"2, "to": 3, "prompt": "*a*", "answer": "![](x.png) ![](x.png)", "markup": "markdown""#,
      #"4, "prompt": "<b>a</b>", "answer": "c", "markup": "html", "reversed": true"#,
      #"5, "type": "Cloze", "fields": {"Text": "{{c1::a}}"}, "cards": [{"reviews": [{"at": 1, "rating": 3}]}]"#,
      #"6, "prompt": "\u0000", "answer": "b", "markup": "markdown""#, #"7, "prompt": " ""#,
      #"8, "cells": ["prompt", "answer"]"#, #"9, "cells": ["p", "q\tr\ns"]"#, #"10, "used": true"#,
    ]
    let (report, notes) = try imported(path) { _ in rows.map { "{\"line\": \($0)}" } + reasons }
    let pictures = "<img src=\"x.png\"> <img src=\"x.png\">"
    let wanted = [
      ["a&lt;b", "b"], ["<i>a</i>", pictures], ["<b>a</b>", "c"], ["{{c1::a}}", ""], ["p", "q\tr<br>s"],
    ]
    #expect(notes == wanted, "\(notes)")
    #expect(
      report.cards.rejected.map { "\($0.place?.line ?? 0) \($0.code.rawValue)" } == ["6 bad_text", "7 empty_prompt"])
    #expect((report.lines.rows, report.lines.used, report.lines.leftCount) == (9, 2, reasons.count), "\(report)")
    // Only the program says that a line was not accounted for.
    #expect(report.lines.parts.map(\.reason) == LeftReason.allCases.map { $0 == .notAccounted ? .other : $0 })
    #expect(Set(report.lines.parts.map(\.inWords)).count == reasons.count)
  }

  @Test func `the members of a ZIP file are unpacked for the cards that show them`() throws {
    let path = try zip(folder, named: "a.own", [("p/x", [1, 2, 3]), ("deck", Array("text".utf8))], deflated: true)
    let (report, notes) = try imported(path, as: .zip) { file in
      let text = try file.entry("deck")
      #expect(file.entries == ["deck", "p/x"] && text == Array("text".utf8))
      return ["\"x.png\": \"p/x\"", "\"y.png\": \"p/y\"", "\"\": \"p/x\""].enumerated().map {
        #"{"part": "note", "markup": "html", "prompt": "\#($0)<img src='x.png'>", "answer": "b", "media": {\#($1)}}"#
      }
    }
    #expect(notes == [["0<img src=\"3.png\">", "b"], ["1<img src='x.png'>", "b"]], "\(notes)")
    #expect(
      report.missingMedia.contains("p/y") && report.cards.rejected.map(\.code.rawValue) == ["bad_row"], "\(report)")
  }

  @Test func `the tables of a database are queried while it is read; other files have parts with a place`() throws {
    let file = try ExclusiveDatabase(folder.file("a.own"))
    try file.use {
      try $0.execute(sql: "CREATE TABLE words (a, b); INSERT INTO words VALUES ('u', 'one'), ('d', 'two')")
    }
    try file.close()
    let (report, notes) = try imported(folder.file("a.own"), as: .sqlite) { file in
      try file.query("SELECT a, b FROM words WHERE a > ?", ["e"]).map { row in
        #"{"part": "row", "prompt": \#(row.record?["a"]?.json ?? ""), "answer": \#(row.record?["b"]?.json ?? "")}"#
      }
    }
    #expect(notes == [["u", "one"]] && report.lines.rows == 1)
    let text = try folder.write("\n<a>", to: "b.own")
    for (kind, line, words) in [
      (ForeignFile.Kind.sqlite, "1", "a database of SQLite expected"), (.json, "1", "the place, such as \"note 5\""),
      (.xml, "{}", "the place, such as \"note 5\""), (.xml, "1", "the file is closed"),
    ] {
      let error = #expect(throws: ExchangeError.self) {
        try imported(text, as: kind) { file in
          #expect(file.text == Array("\n<a>".utf8) && file.entries.isEmpty)
          if words == "the file is closed" { _ = try file.query("SELECT 1", []) }
          return ["{\"line\": \(line), \"prompt\": \"a\", \"answer\": \"b\"}"]
        }
      }
      #expect(error?.message.contains(words) == true, "\(String(describing: error))")
    }
  }

  @Test func `a writer gets the cards some at a time, with what the format holds`() throws {
    let deck = try collection.deck("d")
    try collection.fill(deck, (1...500).map { "p\($0)" })
    try collection.addNote(deck, ["Text": "{{c1::a<b>b</b>}}"], .cloze, tags: ["t"])
    try collection.store.operation("answer") { db in
      try db.execute(sql: "UPDATE cards SET state = 2, due = 9, stability = 1, difficulty = 1")
      try db.execute(
        sql: "INSERT INTO reviews (card, at, rating, state, interval) SELECT min(id), 1, 3, 2, 9 FROM cards")
    }
    var (hooks, options, format) = (FormatHooks { _, _ in }, ExportOptions(), format("own", ["own"]))
    var (cards, places): ([Value.Record], [[Bool]]) = ([], [])
    (options.format, options.hasSchedule) = (format, true)
    func written() throws -> Int {
      try formats.add(format, hooks, owner: .user)
      return try collection.store.read { db in
        var export = try CardExport(db, deck)
        export.formats = formats
        return try export.run(to: folder.file("a.own"), .plain, options, isInterrupted: { false }).cards
      }
    }
    #expect(throws: ExchangeError.readOnly(format: format)) { try written() }
    hooks.write = { some, name, isFirst, isLast in
      places.append([name == "d", isFirst, isLast])
      cards += some.compactMap(\.record)
      return Array("\(some.count)\n".utf8)
    }
    #expect(try written() == 501 && folder.read("a.own") == Array("500\n1\n".utf8))
    #expect(places == [[true, true, false], [true, false, true]])
    let (cloze, first) = (cards.first { $0["type"] == .text("Cloze") }, cards.first { $0["reviews"] != nil })
    #expect(first?["schedule"]?.record?["state"] == .text("review") && first?["prompt"] == .text("p1"))
    #expect(cloze?["tags"]?.list == [.text("t")] && cloze?["reviews"] == nil, "\(String(describing: cloze))")
  }

  @Test func `a name has one owner, and a file of two formats is not guessed`() throws {
    formats.offered = { ["later", "one"] }
    var sure = FormatHooks { _, _ in }
    sure.sniff = { head in
      if head.isEmpty { throw ExchangeError.formatNeeded }
      return head == Array("other".utf8) ? 0.1 : 0.9
    }
    func add(_ name: String, _ endings: [String], _ hooks: FormatHooks, _ owner: Owner = .user) throws {
      try formats.add(format(name, endings), hooks, owner: owner)
    }
    try add("one", ["own", "md"], sure)
    try add("two", ["own"], FormatHooks { _, _ in }, .script("s"))
    try add("two", ["second"], sure, .script("s"))
    for (name, endings) in [("One", ["x"]), ("1", ["x"]), ("x", []), (String(repeating: "x", count: 65), ["x"])] {
      #expect(throws: ExchangeError.badFormatName(name: name)) { try add(name, endings, sure) }
    }
    for (name, owner) in [("csv", Owner.program), ("two", .script("s"))] {
      #expect(throws: ExchangeError.formatTaken(name: name, owner: owner)) { try add(name, ["own"], sure) }
    }
    #expect(throws: ExchangeError.formatTaken(name: "two", owner: .script("s"))) {
      try add("two", ["own"], sure, .script("s"))
    }
    #expect(formats.addedNames == ["one", "two", "later"])
    for (path, head, given, found) in [
      ("a.own", "sure", nil, "one"), ("a.own", "other", nil, nil), ("a.own", "", nil, nil), ("a.own", nil, nil, "one"),
      ("a.md", "sure", nil, nil), ("a.md", "other", nil, "md"), ("a.second", nil, format("two", ["own"]), "two"),
      ("-", nil, .csv, "csv"), ("-", nil, nil, nil), ("a.none", nil, nil, nil),
    ] as [(String, String?, CardFormat?, String?)] {
      let ways = { try formats.format(of: path, given: given, head: head.map { text in { Array(text.utf8) } }) }
      if let found {
        #expect(try ways().name == found, "\(path)")
      } else {
        #expect(throws: ExchangeError.self) { try ways() }
      }
    }
    formats.remove(owner: .script("s"))
    #expect(try formats.format(named: "ONE").name == "one" && formats.added(by: .script("s")).isEmpty)
    #expect(throws: ExchangeError.self) { try formats.format(named: "two") }
  }
}
