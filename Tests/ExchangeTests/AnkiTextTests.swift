// Anki's text files: header lines, columns, notes, and round trips.

import Exchange
import Problems
import Templates
import TestDecks

@Suite struct AnkiTextTests {
  let collection = TestCollection()
  let folder = TemporaryFolder()

  private func imported(
    _ text: String, into name: String = "Spanish", _ onDuplicate: OnDuplicate? = nil
  ) throws -> (report: ImportReport, cards: [CardRecord]) {
    try collection.importing(Array(text.utf8), as: "a.txt", in: folder, into: name) { $0.onDuplicate = onDuplicate }
  }

  private func fields(_ card: CardRecord) throws -> [String] {
    try collection.store.read { try NoteTable.record($0, card.note).fields }
  }

  @Test(arguments: [
    ("#separator:Semicolon\n", ";"), ("#separator:|\n", "|"), ("#separator:Tab\n", "\t"), ("", "\t"), ("", ";"),
    ("#separator:\t\n#html:false\n", "\t"), ("#SEPARATOR: pipe \r\n", "|"),
  ])
  func `two fields of plain text are a card`(heads: String, separator: String) throws {
    let text = heads + "# a comment\n" + ["gato\(separator)cat", "perro\(separator)dog"].joined(separator: "\n")
    let cards = try imported(text).cards
    #expect(cards.map(\.prompt) == ["gato", "perro"] && cards.map(\.answer) == ["cat", "dog"])
    #expect(try cards.map(fields) == [["gato", "cat"], ["perro", "dog"]])
  }

  @Test func `a note of a named type may have an empty back, a two-sided card may not`() throws {
    let note = try imported("#notetype column:1\nBasic\tagua\t\n")
    #expect(note.report.cards.added == 1 && note.cards.map(\.prompt) == ["agua"])
    #expect(try note.cards.map(fields) == [["agua", ""]])
    let card = try imported("#separator:Tab\nagua\t\n", into: "Other")
    #expect(card.report.cards.added == 0 && card.report.cards.rejected.map(\.line) == [2])
  }

  @Test func `every header line is understood`() throws {
    let text = """
      #separator:Comma
      #html:true
      #deck:Spanish
      #tags:all two
      #columns:Id,Type,Where,Front,Back,Tags
      #guid column:1
      #notetype column:2
      #deck column:3
      #tags column:6
      #unknown:thing
      # not a head
      g1,Basic,Spanish,<b>gato</b>,cat,animal
      g2,Basic,Spanish::Verbs,ser,to be,
      g3,Cloze,Elsewhere,a {{c1::b}} &amp; c,,x
      g4,Basic (and reversed card),Spanish,uno,one,
      """
    let (report, cards) = try imported(text)
    #expect(report.cards.rejected.isEmpty && report.cards.added == 5, "\(report.cards)")
    #expect(cards.map(\.prompt) == ["gato", "uno", "one"])
    #expect(try fields(cards[0]) == ["<b>gato</b>", "cat"] && cards[0].guid == "g1")
    #expect(cards[0].tags == ["all", "two", "animal"])
    let verbs = try collection.cards(collection.deck(named: "Spanish::Verbs"))
    #expect(verbs.map(\.prompt) == ["ser"] && verbs[0].answer == "to be" && verbs[0].guid == "g2")
    let other = try collection.cards(collection.deck(named: "Spanish::Elsewhere"))
    #expect(other.map(\.prompt) == ["a [...] & c"] && other[0].tags == ["all", "two", "x"])
  }

  @Test func `a note type in the header takes the fields in order or by name`() throws {
    let cards = try imported("#notetype:Cloze\n#columns:Back Extra\tText\nextra\t{{c1::x}} < y\n").cards
    #expect(try fields(cards[0]) == ["{{c1::x}} &lt; y", "extra"])
    let more = try imported("#notetype:Basic (and reversed card)\np & q\ta\n", into: "e").cards
    #expect(try fields(more[0]) == ["p &amp; q", "a"] && more.count == 2)
  }

  @Test func `formatting turns rows without a type into notes, and the third column is tags`() throws {
    let cards = try imported("#html:true\n<i>a</i>\tb\nc &lt; d\te<br>f\tg\n").cards
    #expect(try fields(cards[0]) == ["<i>a</i>", "b"])
    #expect(cards[1].prompt == "c < d" && cards[1].answer == "e\nf")
    #expect(try fields(cards[1]) == ["c &lt; d", "e<br>f"])
    #expect(cards[1].tags == ["g"])
  }

  @Test func `fields of a note keep surrounding whitespace, and their HTML style`() throws {
    let deck = try collection.deck("a")
    let all = [
      ["a", "b<br>"], ["<br>c", " d "], ["\u{2028}e", "\u{A0}f"], [" g ", "h\n"], ["i > j", "k\nl"], ["m", " "],
      [" n", ""],
    ]
    for fields in all { try collection.addNote(deck, ["Front": fields[0], "Back": fields[1]], .basic) }
    _ = try collection.exporting(deck, folder.file("x.txt"))
    let other = TestCollection()
    let back = try other.importing(other.deck("z"), [folder.file("x.txt")])
    #expect(back.cards.added == all.count && back.cards.rejected.isEmpty, "\(back.cards.rejected)")
    let theirs = try other.cards(other.deck(named: "z")).map { card in
      try other.store.read { try NoteTable.record($0, card.note).fields }
    }
    #expect(Set(theirs) == Set(all))
  }

  @Test(arguments: [
    ("#html:perhaps\na\tb\n", "a.txt:1:1: #html: true or false expected, \"perhaps\" found. Nothing was imported."),
    (
      "#separator:tab\n#guid column:x\n",
      "a.txt:2:1: #guid column: the number of a column, from 1 expected, \"x\" found. Nothing was imported."
    ),
    (
      "#if matches:never\n",
      "a.txt:1:1: #if matches: update current, keep current or keep both expected, \"never\" found. Nothing was imported."
    ),
    (
      "#separator:long\n",
      "a.txt:1:1: #separator: a name of a separator (comma, semicolon, tab, space, pipe, colon) or a character expected, \"long\" found. Nothing was imported."
    ),
  ])
  func `an invalid header line is reported with its line`(text: String, message: String) throws {
    let error = #expect(throws: ExchangeError.self) { try imported(text) }
    #expect(error?.message == message)
  }

  @Test func `rows that cannot be notes are refused with their line`() throws {
    let text = "#notetype column:1\nBasic\tp\ta\tb\nNope\tp\ta\nCloze\tno cloze\t\nBasic\t\ta\nBasic\tp\ta\n"
    let (report, cards) = try imported(text)
    #expect(cards.map(\.prompt) == ["p"])
    #expect(report.cards.rejected.map(\.line) == [3, 4, 5])
    #expect(cards[0].fields == [CardField("column3", .text("b"))])
  }

  @Test func `the file says what to do with an existing card, and the user can override it`() throws {
    let text = { (what: String, answer: String) in "#if matches:\(what)\n#guid column:1\ng\tp\t\(answer)\n" }
    _ = try imported(text("keep current", "1"))
    #expect(try imported(text("keep current", "2")).cards.map(\.answer) == ["1"])
    #expect(try imported(text("update current", "3")).cards.map(\.answer) == ["3"])
    #expect(try imported(text("update current", "4"), .skip).cards.map(\.answer) == ["3"])
  }

  @Test(arguments: [true, false])
  func `a formatted card becomes plain if the file is HTML`(isHTML: Bool) throws {
    let text = { (html: Bool, answer: String) in "#html:\(html)\n#guid column:1\ng\tp\t\(answer)\n" }
    _ = try imported(text(true, "<b>cat</b>"))
    let (report, cards) = try imported(text(isHTML, "kitty"), .update)
    #expect(try fields(#require(cards.first)) == ["p", isHTML ? "kitty" : "<b>cat</b>"])
    #expect(report.cards.updated == (isHTML ? 1 : 0))
    #expect(report.cards.rejected.map(\.code) == (isHTML ? [] : [.failure(.formatted)]))
  }

  @Test func `an export can be imported again unchanged`() throws {
    let deck = try collection.deck("a")
    let inner = try collection.deck("a::b::c")
    for text in [
      "plain", "tab\there", "say \"hi\"", "two\nlines", "<b> & c", "#x", "  [sound:x.mp3]", "日本", "a\rb\r\nc",
    ] {
      try collection.add(deck, NewCard(prompt: text, answer: "answer: " + text, tags: ["t", "é"]))
    }
    try collection.addNote(inner, ["Front": "<b>f</b>\n&amp;", "Back": "b\u{1D}"], .reversed, tags: ["x"])
    try collection.addNote(deck, ["Text": "{{c1::one}} {{c2::two}}", "Back Extra": "e"], .cloze)
    let report = try collection.exporting(deck, folder.file("x.txt"))
    #expect(report.cards == 13)
    #expect(report.lost.map(\.part) == [.media] || report.lost.isEmpty)
    let other = TestCollection()
    let back = try other.importing(other.deck("z"), [folder.file("x.txt")])
    #expect(back.cards.added == 13 && back.cards.rejected.isEmpty, "\(back.cards.rejected)")
    for (from, to) in [("a", "z"), ("a::b::c", "z::b::c")] {
      let mine = try collection.cards(collection.deck(named: from)).sorted { $0.guid < $1.guid }
      let theirs = try other.cards(other.deck(named: to)).sorted { $0.guid < $1.guid }
      #expect(mine.map(\.prompt) == theirs.map(\.prompt) && mine.map(\.answer) == theirs.map(\.answer))
      #expect(mine.map(\.guid) == theirs.map(\.guid) && mine.map(\.tags) == theirs.map(\.tags))
    }
    #expect(try other.importing(other.deck(named: "z"), [folder.file("x.txt")]).cards.added == 0)
  }

  @Test func `comments are not cards, whatever the line endings`() throws {
    #expect(try imported("#separator:tab\ra\tb\r#c\td\re\tf\r").cards.map(\.prompt) == ["a", "e"])
  }
}
