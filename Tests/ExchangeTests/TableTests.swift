// Tables: what is detected, what the user specifies, and protection against spreadsheet formulas.

import Exchange
import Files
import Problems
import TestDecks
import Text

@Suite struct TableTests {
  let collection = TestCollection()
  let folder = TemporaryFolder()

  private func imported(
    _ name: String, _ content: [UInt8], _ set: (inout ImportOptions) throws -> Void = { _ in }
  ) throws -> (report: ImportReport, cards: [CardRecord]) {
    try collection.importing(content, as: name, in: folder, set)
  }

  private func imported(
    _ name: String, _ text: String, _ set: (inout ImportOptions) throws -> Void = { _ in }
  ) throws -> (report: ImportReport, cards: [CardRecord]) {
    try imported(name, Array(text.utf8), set)
  }

  @Test(arguments: [
    ("a.csv", "gato;cat\nperro;dog, big\n", ";"), ("a.csv", "gato\tcat\nperro\tdog\n", "\t"),
    ("a.tsv", "gato,cat\nperro,dog\n", ","), ("a.csv", "gato|cat\nperro|dog\n", "|"),
    ("a.csv", "\"a;b\",cat\n\"c;d\",dog\n", ","), ("a.csv", "uno\ndos\n", ","), ("a.tsv", "a, b\tc\nd\te\n", "\t"),
    ("a.csv", "a;b,c;d\ne;f,g;h\n", ","), ("a.csv", "\"a \"\"b; c\"\", d\",x;y\ne,f;g\n", ","),
  ])
  func `the detected separator is the one that splits the lines alike`(name: String, text: String, separator: String)
    throws
  {
    #expect(try imported(name, text).report.findings.separator == separator.utf8.first)
  }

  @Test func `a line of blanks is skipped like an empty line`() throws {
    let (report, cards) = try imported("a.csv", "gato,cat\n \t \nperro,dog\n  ")
    #expect(cards.count == 2 && report.cards.rejected.isEmpty)
  }

  @Test func `a duplicate card is reported with its file`() throws {
    let deck = try collection.deck("d")
    let path = folder.file("a.tsv")
    try AtomicFile.write(path, Array("perro\tdog\n".utf8))
    _ = try collection.importing(deck, path, ImportOptions())
    var options = ImportOptions()
    options.onDuplicate = .error
    let error = #expect(throws: ExchangeError.self) { try collection.importing(deck, path, options) }
    #expect(
      error?.message
        == "a.tsv: a card with the prompt \"perro\" and the same answer is already in the deck. Nothing was imported.")
    #expect(error?.code == "duplicate")
  }

  @Test func `a separator is given by name or character, and an invalid one is refused`() throws {
    #expect(try Separator.byte(named: "Semicolon") == UInt8(ascii: ";"))
    #expect(try Separator.byte(named: "~") == UInt8(ascii: "~"))
    for bad in ["", "\"", "x", "7", "\n", "ab", "é"] {
      #expect(throws: ExchangeError.badSeparator(given: bad)) { try Separator.byte(named: bad) }
    }
    let (report, cards) = try imported("a.csv", "a~b\n") { $0.table.separator = try Separator.byte(named: "~") }
    #expect(cards.map(\.answer) == ["b"] && report.findings.separator == UInt8(ascii: "~"))
  }

  @Test func `columns are chosen by their names in the header, and the rest are kept`() throws {
    let text = "Nr,Spanish,English,Theme,Level\n1,gato,cat,animal pet,A1\n2,perro,dog,,\n"
    let (report, cards) = try imported("a.csv", text) {
      $0.table.columns = try ColumnChoice.list(of: "prompt=Spanish, answer=english,tags=Theme,cefr=Level")
    }
    #expect(cards.map(\.prompt) == ["gato", "perro"] && cards.map(\.answer) == ["cat", "dog"])
    #expect(cards[0].tags == ["animal", "pet"])
    #expect(cards[0].fields == [CardField("Nr", .text("1")), CardField("cefr", .text("A1"))])
    #expect(report.findings.columns == ["Nr", "prompt", "answer", "tags", "cefr"])
    #expect(report.findings.hasHeader == true)
  }

  @Test func `a column's name loses the marks that are too many in a row`() throws {
    let name = "x" + String(repeating: "\u{301}", count: longestMarkRun + 1)
    let (report, cards) = try imported("a.csv", "prompt,answer,\(name)\ngato,cat,\n")
    #expect(cards.map(\.prompt) == ["gato"])
    #expect(report.findings.columns.map(\.unicodeScalars.count) == [6, 6, longestMarkRun + 1])
  }

  @Test func `columns are chosen by number, with and without a header`() throws {
    let (_, cards) = try imported("a.tsv", "7\tcat\tgato\n8\tdog\tperro\n") {
      $0.table.columns = try ColumnChoice.list(of: "prompt=3,answer=2")
    }
    #expect(cards.map(\.prompt) == ["gato", "perro"] && cards.map(\.answer) == ["cat", "dog"])
    #expect(cards[0].fields == [CardField("column1", .text("7"))])
  }

  @Test func `a column beyond the header can be chosen`() throws {
    let (report, cards) = try imported("a.csv", "front,back\ngato,cat,x,animal\n") {
      $0.table.columns = try ColumnChoice.list(of: "prompt=1,answer=2,tags=4")
    }
    #expect(cards.map(\.tags) == [["animal"]] && cards[0].fields == [CardField("column3", .text("x"))])
    #expect(report.findings.columns == ["prompt", "answer", "column3", "tags"])
  }

  @Test func `the user can say that the first row is not a header`() throws {
    let (report, cards) = try imported("a.csv", "prompt,answer\ngato,cat\n") { $0.table.hasNoHeader = true }
    #expect(cards.map(\.prompt) == ["prompt", "gato"] && report.findings.hasHeader == false)
  }

  @Test(arguments: ["Front,Back\ngato,cat\n", "definition,TERM\ncat,gato\n", "Question,Answer\ngato,cat\n"])
  func `headers of other programs name the two sides`(text: String) throws {
    let cards = try imported("a.csv", text).cards
    #expect(cards.map(\.prompt) == ["gato"] && cards.map(\.answer) == ["cat"])
  }

  @Test(arguments: [
    (
      "prompt=Spanisch",
      "a.csv has no column called \"Spanisch\" (did you mean \"Spanish\"?); its first row is Spanish, English. Nothing was imported."
    ),
    ("prompt", "columns: MEANING=COLUMN expected, got \"prompt\"; for example prompt=Spanish,answer=2,tags=Theme"),
    ("prompt=1,prompt=2", "columns: \"prompt\" is chosen twice; for example prompt=Spanish,answer=2,tags=Theme"),
    (
      "prompt=1,answer=1",
      "columns: the column \"1\" is chosen for two meanings; for example prompt=Spanish,answer=2,tags=Theme"
    ),
    (
      "prompt=10001",
      "columns: a table has at most 10,000 columns, not 10001; for example prompt=Spanish,answer=2,tags=Theme"
    ),
  ])
  func `an invalid option is reported`(choice: String, message: String) throws {
    let error = #expect(throws: ExchangeError.self) {
      try imported("a.csv", "Spanish,English\ngato,cat\n") { $0.table.columns = try ColumnChoice.list(of: choice) }
    }
    #expect(error?.message == message)
  }

  @Test func `names of columns need a header`() throws {
    #expect(throws: ExchangeError.badColumns(reason: "without a header columns have numbers, not names: \"A\"")) {
      try imported("a.csv", "A,B\n") {
        $0.table.columns = [ColumnChoice("prompt", "A")]
        $0.table.hasNoHeader = true
      }
    }
  }

  @Test(arguments: [(1, TextEncoding.windows1252), (2, .utf16), (3, .utf16), (4, .utf16), (5, .utf16), (6, .utf8)])
  func `the encoding is detected and reported`(kind: Int, encoding: TextEncoding) throws {
    let text = "prompt;answer\n" + (0..<4000).map { "pájaro \($0);“ñ” \($0)\n" }.joined()
    let units = Array(text.utf16)
    let little = { (units: [UInt16]) in units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } }
    let big = { (units: [UInt16]) in units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } }
    let bytes: [UInt8] =
      switch kind {
      case 1: text.unicodeScalars.map { $0 == "“" ? 0x93 : $0 == "”" ? 0x94 : UInt8($0.value) }
      case 2: little([0xFEFF] + units)
      case 3: big([0xFEFF] + units)
      case 4: little(units)
      case 5: big(units)
      default: [0xEF, 0xBB, 0xBF] + Array(text.utf8)
      }
    let (report, cards) = try imported("x.csv", bytes)
    #expect(cards.count == 4000 && cards.last?.prompt == "pájaro 3999" && cards.last?.answer == "“ñ” 3999")
    #expect(report.findings.encoding == encoding && report.findings.separator == UInt8(ascii: ";"))
    let named = try imported("x.csv", bytes) { $0.encoding = try TextEncoding(named: encoding.rawValue.uppercased()) }
    #expect(named.report.cards.skipped == 4000)
  }

  @Test(
    arguments: [[0x61, 0xF1, 0x6F, 0x0A], [0x63, 0x61, 0x66, 0xE9, 0x0A], [0x63, 0x61, 0x66, 0xE9]] as [[UInt8]])
  func `the encoding is detected by a letter at the end, too`(end: [UInt8]) throws {
    let (report, cards) = try imported("x.csv", Array("prompt,answer\nx,".utf8) + end)
    #expect(cards.count == 1 && report.findings.encoding == .windows1252)
  }

  @Test func `the preview shows the first cards as they would be imported`() throws {
    let text = "prompt,answer,tags,subdeck\n" + (1...9).map { "p\($0),a\($0),t u,x\n" }.joined()
    let report = try imported("a.csv", text) { $0.previewed = 5 }.report
    #expect(report.preview.map(\.card.prompt) == ["p1", "p2", "p3", "p4", "p5"])
    let (card, subdeck) = report.preview[0]
    #expect(card.prompt == "p1" && card.answer == "a1" && card.tags == ["t", "u"] && subdeck == "x")
  }

  @Test(arguments: ["x.csv", "x.tsv"])
  func `cells that a spreadsheet would run are escaped, and only those are unescaped`(name: String) throws {
    let deck = try collection.deck("a")
    let texts = ["=1+1", "+x", "-5", "@A1", "'=1", "'a", "plain", "\"=2"]
    for text in texts {
      try collection.add(
        deck,
        NewCard(
          prompt: text, answer: "a" + text,
          fields: [CardField("f|g", .text("-" + text)), CardField("=f", .text("=1")), CardField("'=f", .text("y"))]))
    }
    var options = ExportOptions()
    options.isForSpreadsheet = true
    _ = try collection.exporting(deck, folder.file(name), options)
    let written = try #require(try FileText.read(folder.file(name), limit: 1 << 20))
    for line in written.split(separator: "\n") {
      #expect(
        !line.split(omittingEmptySubsequences: false) { ",\t".contains($0) }.contains {
          $0.first.map { "=+-@".contains($0) } ?? false
        })
    }
    let back = try collection.deck("b")
    _ = try collection.importing(back, folder.file(name))
    #expect(try collection.prompts(back) == collection.prompts(deck))
    #expect(try collection.cards(back).map(\.fields) == collection.cards(deck).map(\.fields))
    // A file from another program keeps its apostrophes.
    #expect(try imported("y.csv", "prompt,answer\n'=1,'-x\n").cards.map(\.prompt) == ["'=1"])
  }

  @Test func `a first line that names the separator for Excel is neither a card nor the header`() throws {
    let (report, cards) = try imported("a.csv", "sep=;\r\nFront;Back;Tags\r\na, b;c;d e\r\n")
    #expect(report.findings.hasHeader == true && report.cards.rejected.isEmpty)
    #expect(cards.map { [$0.prompt, $0.answer] + $0.tags } == [["a, b", "c", "d", "e"]])
  }

  @Test func `several files are one import, in order, and a refused row names its file`() throws {
    try AtomicFile.write(folder.file("1.csv"), Array("a,1\nb,\n".utf8))
    try AtomicFile.write(folder.file("2.tsv"), Array("c\t3\n\t4\n".utf8))
    let deck = try collection.deck("d")
    let report = try collection.importing(deck, [folder.file("1.csv"), folder.file("2.tsv")])
    #expect(try collection.prompts(deck) == ["a", "c"])
    #expect(report.cards.rejected.map { $0.place?.inWords } == ["1.csv, line 2", "2.tsv, line 2"])
  }

  @Test func `data that a table cannot hold is counted`() throws {
    let deck = try collection.deck("d")
    try collection.add(deck, NewCard(prompt: "p", answer: "a", fields: [CardField("n", .json("1.50"))], document: "D"))
    try collection.addNote(deck, ["Front": "x", "Back": "<b>y</b>"])
    let report = try collection.exporting(deck, folder.file("a.csv"))
    #expect(report.lost.map { $0.part.rawValue } == ["field_kinds", "notes", "documents"])
    #expect(report.lost.map(\.count) == [1, 1, 1])
  }

  @Test(arguments: [false, true])
  func `fields named like columns come back as fields`(isForSpreadsheet: Bool) throws {
    let text = #"{"prompt":"=p","answer":"a","Subdeck":"x","Document":"y","guarded":"=z","Tags":"u","Prompt":"v"}"#
    let cards = try imported("a.jsonl", text).cards
    var options = ExportOptions()
    options.isForSpreadsheet = isForSpreadsheet
    _ = try collection.exporting(collection.deck(named: "d"), folder.file("b.csv"), options)
    let other = try collection.deck("other")
    #expect(try collection.importing(other, folder.file("b.csv")).added == 1)
    let found = try collection.cards(other)
    #expect(found.map(\.prompt) == ["=p"] && found[0].document == nil)
    #expect(
      Set(found[0].fields.map { "\($0.name) \($0.value.written)" })
        == Set(cards[0].fields.map { "\($0.name) \($0.value.written)" }))
  }
}
