// Sources while they are edited: their rows by line, ids written into them, completion at a position.

import TestSupport

@testable import Exchange

@Suite struct SourceTests {
  private func reading(_ text: String, _ path: String) throws -> SourceReading {
    SourceReading(Array(text.utf8), of: try #require(BuildSource(unsaved: path)), in: "/es", isInterrupted: { false })
  }

  private func applied(_ edits: [SourceEdit], to text: String) -> String {
    var bytes = Array(text.utf8)
    for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
      bytes.replaceSubrange(edit.range, with: edit.text.utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let pieces = [
    "## el gato\n\nthe cat\n\n", "## el gato <!-- tags: animal -->\n\nthe cat\n", "# Title\n\n",
    "Q: el sol\nA: the sun\n",
    "Q: la luna\nA: the moon\nand more\n<!-- tags: sky; deck: night -->\n\n", "- a ==gap== here\n", "- plain\n",
    "1. ==one== and ==two==\n", "The ==sun==\nis hot.\n\n", "## code\n\n```\nQ: no\n## no\n```\n\n", "---\n", "\n",
    "text\n", "## b <!-- id: kept -->\n\nc\n\n", "## end of ## it ##   \n\nx\n",
  ]

  @Test func `an id written into random Markdown belongs to its row, and nothing else changes`() throws {
    var numbers = TestGenerator(11)
    var written = 0
    for round in 0..<1500 {
      let count = Int.random(in: 1...7, using: &numbers)
      var text = (0..<count).map { _ in Self.pieces.randomElement(using: &numbers) ?? "" }.joined()
      if round % 5 == 0 { while text.hasSuffix("\n") { text.removeLast() } }
      if round % 7 == 0 {
        text = text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
      }
      let before = try reading(text, "a.md")
      var ids: [Int: String] = [:]
      for index in before.entries.indices where before.canHaveID(index) {
        if Bool.random(using: &numbers) { ids[index] = "id\(index)" }
      }
      let edits = try before.edits(writing: ids)
      #expect(edits.count == ids.count, "\(text)")
      let new = applied(edits, to: text)
      let after = try reading(new, "a.md")
      #expect(after.entries.map { $0.built?.whole } == before.entries.map { $0.built?.whole }, "\(text)\n→\n\(new)")
      let wanted = before.entries.enumerated().map { ids[$0.offset] ?? $0.element.id }
      #expect(after.entries.map(\.id) == wanted, "\(text)\n→\n\(new)")
      written += ids.count
    }
    #expect(written > 1000)
  }

  @Test(arguments: [
    ("a.csv", "prompt,answer,guid\na,b,\n\"c, d\",\"e\n\"\"f\"\"\",\ng,h,kept\n"),
    ("a.csv", "answer,prompt\nb,a\n\n\"line\nbreak\",c"), ("a.tsv", "guid\tfront\tback\n\ta\tb\n\tc\td\n"),
    ("a.csv", "term;definition;guid\r\na;b;\r\nc;d\r\n"), ("a.csv", "sep=;\r\nterm;definition\r\na;b\r\nc;d\r\n"),
    (
      "a.jsonl",
      "{\"prompt\": \"a\", \"answer\": \"b\"}\n  {\"guid\": \"kept\", \"prompt\": \"c\", \"answer\": \"d\"}\n"
    ),
  ])
  func `an id written into a table or JSON belongs to its row`(path: String, text: String) throws {
    let before = try reading(text, path)
    let places = before.entries.indices.filter { before.canHaveID($0) || before.needsColumn }
    let ids = Dictionary(uniqueKeysWithValues: places.map { ($0, "id,\($0)") })
    #expect(!ids.isEmpty)
    let after = try reading(applied(before.edits(writing: ids), to: text), path)
    #expect(after.entries.map { $0.built?.whole } == before.entries.map { $0.built?.whole })
    #expect(after.entries.map(\.id) == before.entries.enumerated().map { ids[$0.offset] ?? $0.element.id })
  }

  @Test func `a table whose columns have no names, and cells beyond the columns, get no ids`() throws {
    let bare = try reading("a,b\nc,d\n", "a.csv")
    #expect(!bare.canHaveID(0) && !bare.needsColumn)
    let wide = try reading("prompt,answer\na,b,\n", "a.csv")
    #expect(wide.needsColumn)
    #expect(try wide.edits(writing: [0: "x"]).isEmpty)
  }

  @Test func `a long source edited again and again gives the same as building its text`() throws {
    var numbers = TestGenerator(23)
    let source = try #require(BuildSource(unsaved: "a.md"))
    var known: SourceReading?
    var lines = ["---", "# no heading", "---"]
    var pieces = 0
    for round in 0..<400 {
      for _ in 0..<3 {
        let place = Int.random(in: (round < 200 ? 3 : 0)...lines.count, using: &numbers)
        let new =
          (Self.pieces.randomElement(using: &numbers) ?? "") + "## word \(Int.random(in: 0...999, using: &numbers))\n"
        let end = min(lines.count, place + Int.random(in: 0...(lines.count > 300 ? 60 : 2), using: &numbers))
        lines.replaceSubrange(
          place..<end, with: new.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
      }
      let text = Array(lines.joined(separator: "\n").utf8)
      let reading = SourceReading(text, of: source, in: "/es", reusing: known, isInterrupted: { false })
      let whole = BuildRows(text, of: source, in: "/es", isInterrupted: { false })
      let read = reading.entries.sorted { $0.order < $1.order }
      #expect(read.map { $0.built?.facts } == whole.rows.map { BuiltRow($0).facts })
      #expect(read.map(\.line) == whole.rows.map(\.start.line))
      #expect(reading.problems.map(\.line) == whole.refused.map(\.start.line))
      pieces = max(pieces, SourceChunk.ranges(of: reading.text, source).count)
      known = reading
    }
    #expect(pieces > 3)
  }

  @Test func `a row is found at each of its lines, and an error in a source keeps the rows before it`() throws {
    let text = "## a\n\nb\n\n# Title\n\nQ: c\nA: d\n---\n- x ==y==\n- z\n"
    let rows = try reading(text, "deep/a.md")
    let lines = (1...12).map { line in rows.entry(at: rows.text.start(line)) }
    #expect(lines == [0, 0, 0, nil, nil, nil, 1, 1, nil, 2, nil, nil])
    #expect(rows.entries.allSatisfy { $0.subdeck == "deep" })
    let broken = try reading("{\"prompt\": \"a\", \"answer\": \"b\"}\n{\"prompt\": 7\n", "a.jsonl")
    #expect(broken.entries.count == 1 && broken.problems.map(\.line) == [3])
    #expect(
      try reading("{\"prompt\": 7, \"answer\": \"b\"}\n", "a.jsonl").problems.map(\.message) == [
        "the prompt must be a text in quotes"
      ])
  }

  @Test func `files that a build skips are not sources`() {
    for path in ["README.md", "_a.md", "b/.c.md", "media/a.md", "a.lua", "a.txt", "readme-too.csv"] {
      #expect(BuildSource(unsaved: path) == nil, "\(path)")
    }
    #expect(BuildSource(unsaved: "b/media/a.md") != nil)
  }

  @Test func `completion at the end of a text`() throws {
    func slot(_ text: String, _ path: String) throws -> String {
      let context =
        path == "deck.json"
        ? SourceContext.ofDescription(Array(text.utf8), at: text.utf8.count)
        : SourceContext.of(try reading(text, path), at: text.utf8.count)
      guard let context else { return "-" }
      let begun = String(decoding: Array(text.utf8)[context.range], as: UTF8.self)
      return "\(context.slot)|\(begun)|\(context.before)\(context.after)"
    }
    #expect(try slot("## a <!-- id: x; tags: b ver", "a.md") == "tag|ver|")
    #expect(try slot("## a <!-- deck: Verbs::ir", "a.md") == "deck|Verbs::ir|")
    #expect(try slot("## a <!-- id: x --> b", "a.md") == "-")
    #expect(try slot("## a <!-- id: x", "a.md") == "-")
    #expect(try slot("prompt,answer,tags,subdeck\na,\"b, c\",\"x y", "a.csv") == "tag|y|")
    #expect(try slot("prompt,answer,tags,subdeck\na,b,c,De", "a.csv") == "deck|De|")
    #expect(try slot("prompt,answer\na,b", "a.csv") == "-")
    #expect(try slot("{\"tags\": [\"a\", ", "a.jsonl") == "tag||\"\"")
    #expect(try slot("{\"tags\": \"a b", "a.jsonl") == "tag|b|")
    #expect(try slot("{\"note_fields\": {\"Fro", "a.jsonl").hasPrefix("field(of: \"Basic\")|Fro|"))
    #expect(
      try slot("{\"note_type\": \"Cloze\", \"note_fields\": {", "a.jsonl").hasPrefix("field(of: \"Cloze\")||\"\": "))
    #expect(try slot("{\"prompt\": \"a", "a.jsonl") == "-")
    #expect(try slot("{\"prompt\": \"a\"", "a.jsonl") == "-")
    #expect(try slot("{\"prompt\": \"a\\\"b\", \"note_type\": \"", "a.jsonl") == "noteType||")
    #expect(try slot("{\n \"options\": {\n  \"new", "deck.json") == "option|new|")
    #expect(try slot("{\"na", "deck.json").hasSuffix("|na|"))
  }

  @Test func `completion works after any prefix of any text`() throws {
    var numbers = TestGenerator(7)
    let letters = ["{", "}", "[", "]", "\"", "\\", ":", ",", "\n", "a", "é", "<!-- tags:", "-->", ";", "==", "# ", "`"]
    for _ in 0..<400 {
      let text = (0..<Int.random(in: 0...30, using: &numbers)).map { _ in letters.randomElement(using: &numbers) ?? "" }
        .joined()
      for path in ["a.md", "a.csv", "a.jsonl"] {
        let rows = try reading(text, path)
        for offset in 0...text.utf8.count {
          _ = SourceContext.of(rows, at: offset)
          _ = rows.entry(at: offset)
        }
        let all = Dictionary(uniqueKeysWithValues: rows.entries.indices.map { ($0, "x\($0)") })
        _ = try rows.edits(writing: all)
      }
      _ = SourceContext.ofDescription(Array(text.utf8), at: text.utf8.count)
    }
  }
}

extension BuiltRow {
  fileprivate var facts: [String] { [name, base.stored, "\(whole)", "\(front)"] }
}
