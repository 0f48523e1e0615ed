// Lists as people have them: the fixtures in Fixtures/lists with what each means, columns by name and by order, notes
// of a list's own type, files beside a list.

import Files
import Problems
import Templates
import TestDecks
import Text
import Values

@testable import Exchange

@Suite struct ListTests {
  let collection = TestCollection()
  let folder = TemporaryFolder()

  /// The fixtures, each with its cards, extra fields, tags, decks and left lines, or with an error.
  static let fixtures: [(name: String, text: String, expected: Value.Record)] = {
    do {
      let limits = JSONLimits(bytes: 1 << 20, depth: 32, values: 100_000, string: 1 << 20)
      let expected = try JSONParser.parse(Array(fixtureText("lists/expected.json").utf8), limits: limits)
      return try (expected.record?.fields ?? []).filter { !$0.name.hasPrefix("e0") }.map { field in
        (field.name, try fixtureText("lists/" + field.name), field.value.record ?? Value.Record())
      }
    } catch {
      preconditionFailure("\(error)")
    }
  }()

  private func imported(
    _ name: String, _ text: String, into deck: String = "d", _ set: (inout ImportOptions) -> Void = { _ in }
  ) throws -> ImportReport {
    try collection.importing(Array(text.utf8), as: name, in: folder, into: deck, set).report
  }

  /// A card as a list has it: its sides, and the fields of its note by name.
  private func cards(_ deck: String = "d") throws -> [(card: CardRecord, deck: String, fields: [String: String])] {
    try collection.store.read { db in
      try DeckTable.list(db).filter { $0.name == deck || $0.name.hasPrefix(deck + "::") }.flatMap { record in
        try CardTable.cards(db, ids: CardTable.ids(db, in: record.id)).map { card in
          let note = try NoteTable.record(db, card.note)
          let names = try NoteTypeTable.record(db, note.type).fields
          return (card, String(record.name.dropFirst(deck.count + 2)), Dictionary(firstOf: zip(names, note.fields)))
        }
      }
    }
  }

  /// Returns the changes from a deck to a file of the folder.
  private func changes(_ deck: String, _ name: String) throws -> [ComparedChange] {
    let settings = ExchangeSettings(
      folder: folder.path, moment: StudyMoment(now: collection.now), isInterrupted: { false }, mediaPath: \.name)
    let notes = try collection.store.read { try ComparedNotes.of(DeckTable.find($0, named: deck).id, in: $0, settings) }
    let file = try ComparedOperand.file(folder.file(name), CardFormat(ofPath: name))
    let contents = try ComparedFiles([.notes(notes), file], settings).contentsInCommon
    return ContentDifference(contents[0], contents[1]).changes
  }

  @Test(arguments: fixtures.indices) func `a list is read as it is, with no option`(index: Int) throws {
    let (name, text, expected) = Self.fixtures[index]
    guard expected["error"] == nil else {
      #expect(throws: ExchangeError.self) { try imported(name, text) }
      return #expect(try cards().isEmpty)
    }
    let report = try imported(name, text)
    let found = try cards()
    let wanted = expected["cards"]?.list?.map { $0.list ?? [] } ?? []
    #expect(found.count == wanted.count && report.cards.added == wanted.count && report.cards.rejected.isEmpty)
    for (index, (card, sides)) in zip(found, wanted).enumerated() {
      let front = card.fields.values.contains { $0 == sides[0].text } || card.card.prompt == sides[0].text
      #expect(front, "\(name): \(card)")
      if let back = sides[1].text { #expect(card.card.answer.split(separator: "\n").first.map(String.init) == back) }
      for field in expected["extra"]?.record?.fields ?? [] {
        #expect(card.fields[field.name] == field.value.list?[index].text, "\(name): \(card)")
      }
      let tags = expected["tags"]?.list?[index].list?.compactMap(\.text) ?? []
      #expect(card.card.tags.sorted() == tags.sorted(), "\(name)")
      #expect(card.deck == expected["decks"]?.list?[index].text ?? "", "\(name)")
    }
    let left = expected["left"]?.list?.compactMap(\.integer) ?? []
    #expect(report.lines.parts.filter { $0.reason != .unknownKey }.map(\.line) == left)
    if let hasHeader = expected["header"] {
      #expect(.boolean(report.findings.hasHeader ?? false) == hasHeader, "\(name)")
    }
    #expect(try changes("d", name).isEmpty)
    // The same list again makes the same cards, in each way of adding them.
    #expect(try imported(name, text).cards.skipped == wanted.count)
    #expect(try imported(name, text) { $0.onDuplicate = .update }.cards.added == 0)
  }

  /// What the columns of a table mean: names of fields, `tags` and others, the prompt and the answer first.
  @Test(arguments: [
    // A first row that is a card, although each cell is the name of something.
    ("English,Inglés\nSpanish,Español\n", false, ["prompt", "answer"]),
    ("word,palabra\nterm,término\n", false, ["prompt", "answer"]),
    ("note,nota\nid,carné\n", false, ["prompt", "answer"]),
    ("palabra,word,El niño lee.\nsol,sun,Sale.\n", false, ["prompt", "answer", "Extra 1"]),
    // A header, by names in all forms.
    ("WORD,back_side,Example Sentences\na,b,c\n", true, ["prompt", "answer", "Example Sentences"]),
    ("Słowo;Tłumaczenie;Poziom\na;b;1\n", true, ["prompt", "answer", "Poziom"]),
    ("单词,意思\n猫,cat\n", true, ["prompt", "answer"]), ("q,a\nx,y\n", true, ["prompt", "answer"]),
    ("German,Theme,English\nHund,Tiere,dog\n", true, ["prompt", "tags", "answer"]),
    ("sentence,translation\nEl gato.,The cat.\n", true, ["prompt", "answer"]),
    ("word,meaning,word class,Unidad 3\na,b,c,d\n", true, ["prompt", "answer", "word class", "Unidad 3"]),
    ("word,meaning,hola\na,b,hola\n", false, ["prompt", "answer", "tags"]),
    // Without a header: numbers that count, tags, sentences.
    ("1,gato,cat\n2,perro,dog\n", false, ["Extra 1", "prompt", "answer"]),
    ("1,one\n2,two\n", false, ["prompt", "answer"]),
    ("gato,cat,animal\nperro,dog,animal pet\n", false, ["prompt", "answer", "tags"]),
    ("gato,cat,x,animal\nperro,dog,y,animal\n", false, ["prompt", "answer", "Extra 1", "tags"]),
    ("gato,cat,feline\nperro,dog,canine\n", false, ["prompt", "answer", "Extra 1"]),
    ("gato,cat,Duerme.\nperro,dog,Duerme.\n", false, ["prompt", "answer", "Extra 1"]),
    // Deckhand's own tables keep their other columns as fields of the card.
    ("prompt,answer,example,category\na,b,c,d\n", true, ["prompt", "answer", "example", "category"]),
  ])
  func `columns have their meanings by name or by order`(text: String, hasHeader: Bool, columns: [String]) throws {
    let found = try imported("a.csv", text).findings
    #expect(found.columns == columns && found.hasHeader == hasHeader, "\(found)")
  }

  @Test func `tags are split, and a category is one tag`() throws {
    _ = try imported("a.csv", "word,meaning,tags\na,b,\"x y, z;w\"\n", into: "t")
    #expect(try cards("t").map { $0.card.tags.sorted() } == [["w", "x", "y", "z"]])
    _ = try imported("b.csv", "word,meaning,category\na,b,\"food and drink, basics\"\n", into: "c")
    #expect(try cards("c").map { $0.card.tags.sorted() } == [["basics", "food_and_drink"]])
    _ = try imported("c.json", #"[{"word": "a", "meaning": "b", "tags": ["false friend", "x"]}]"#, into: "j")
    #expect(try cards("j").map { $0.card.tags.sorted() } == [["false_friend", "x"]])
  }

  /// Cells of all kinds, more of them than are written one at a time.
  @Test func `notes that are written together show what notes show that are written alone`() throws {
    let odd = ["", "a  b", "<b>", "a & b", "[x]", "é\u{A0}ñ", "日本", "\u{3000}x", "two\nlines", "{{c}}", "x.", "a\tb"]
    let rows = (0..<200).map { number in
      let cells = [
        "w\(number)\(odd[number % odd.count])", "m\(odd[number / 3 % odd.count])z", odd[number / 7 % odd.count], "n",
      ]
      return cells.map { "\"\($0)\"" }.joined(separator: ",") + "\n"
    }
    let text = "word,meaning,example,pos\n" + rows.joined()
    #expect(try imported("a.csv", text).cards.added == 200)
    #expect(try imported("a.csv", text) { $0.onDuplicate = .update }.cards.added == 0)
    let types = try collection.store.read { try NoteTypeTable.list($0) }.filter { $0.name.hasPrefix("List: ") }
    let type = try #require(types.first)
    #expect(types.count == 1 && type.name == "List: word, meaning, example, pos")
    let maker = NoteCardMaker(type, isInterrupted: { false })
    for (card, _, fields) in try cards() {
      let facts = maker.facts(tags: [], deckName: "d", subdeckName: "d")
      let texts = try maker.texts(
        NoteFields(names: type.fields, values: type.fields.map { fields[$0] ?? "" }), facts, ordinal: 0)
      #expect(card.prompt == texts.prompt && card.answer == texts.answer)
    }
    #expect(try collection.store.read { try DecksCheck.findings($0, now: collection.now) }.isEmpty)
  }

  @Test func `a table below the heading of a card is a part of its answer`() throws {
    _ = try imported("a.md", "# T\n\n## q\n\n- one\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
    #expect(try cards().map(\.card.prompt) == ["q"])
  }

  @Test func `a type that was edited is used again, and plain cards are made on request`() throws {
    let text = "word,meaning,example\na,b,c\n"
    _ = try imported("a.csv", text)
    try collection.store.operation("edit") { db in
      let type = try NoteTypeTable.find(db, named: "List: word, meaning, example")
      var edit = NoteTypeEdit(type)
      edit.cards[0].value.back = "{{meaning}} of {{word}}"
      try NoteTypeTable.edit(db, type.id, edit, agreed: true, now: 1, isInterrupted: { false })
    }
    #expect(try imported("b.csv", text + "d,e,f\n").cards.added == 1)
    #expect(try cards().map(\.card.answer) == ["e of d", "b of a"])
    #expect(try !changes("d", "b.csv").contains { $0.kind == .noteType || $0.event == .changed })
    #expect(try collection.store.read { try NoteTypeTable.list($0) }.count { $0.name.hasPrefix("List: ") } == 1)
    let report = try imported("a.csv", text, into: "two") { $0.table.hasTwoColumns = true }
    #expect(report.cards.lost == ["the content of example, because --two-columns takes the front and the back"])
    #expect(try cards("two").map(\.fields) == [["Front": "a", "Back": "b"]])
  }

  @Test func `sounds and pictures beside a list come with it`() throws {
    let path = try folder.write("word,meaning,audio,image\na,b,a.mp3,in/x.png\nc,d,gone.mp3,a word.\n", to: "a.csv")
    for name in ["a.mp3", "in/x.png"] {
      if name.contains("/") { try folder.makeFolder("in") }
      try folder.write("x", to: name)
    }
    let deck = try collection.deck("d")
    let report = try collection.store.operation("import") { db in
      let work = try CardImport(db, into: deck, options: ImportOptions(), now: 1, random: collection.random)
      work.receiveMedia = { $0.hasSuffix("a.mp3") ? "a-1.mp3" : "x.png" }
      try work.run(path, isInterrupted: { false })
      return try work.finish()
    }
    #expect(report.missingMedia == ["gone.mp3"])
    let found = try cards().map(\.fields)
    #expect(found[0]["audio"] == "[sound:a-1.mp3]" && found[0]["image"] == "<img src=\"x.png\">")
    #expect(found[1]["audio"] == "gone.mp3" && found[1]["image"] == "a word.")
    #expect(try changes("d", "a.csv").map { $0.fields.map(\.new) } == [["[sound:a.mp3]"]])
  }

  @Test(arguments: [
    ("[]", "it has no keys"), (#"[{"x": 1}, {"y": 2}]"#, "its keys: x"), ("[1, 2]", "it has no keys"),
    (#"{"a": [{"word": "x", "meaning": "y"}], "b": [{"word": "z", "meaning": "w"}]}"#, "its keys: a, b"),
    (#"{"a": {"b": {"c": {"d": [{"word": "x", "meaning": "y"}]}}}}"#, "its keys: a"),
  ])
  func `JSON without one list is an error that names its keys`(text: String, words: String) throws {
    let error = #expect(throws: ExchangeError.self) { try imported("a.json", text) }
    #expect(error?.message.contains("a.json has no list of cards (\(words))") == true, "\(error?.message ?? "")")
  }

  @Test func `in JSON every value is kept or named`() throws {
    let text = #"{"title": "T", "words": [{"word": "a", "meaning": ["b", "c"], "level": 1.50, "more": {"x": 1}}, 7]}"#
    let report = try imported("a.json", text)
    #expect(try cards().map(\.fields) == [["word": "a", "meaning": "b, c", "level": "1.50", "more": ""]])
    #expect(report.lines.parts.map(\.name) == ["title", "more"])
    #expect(report.cards.rejected.map { $0.place?.inWords } == ["element 2"])
  }

  @Test(arguments: [
    ("gato — cat\nperro – dog\nsol - sun\n", [["gato", "cat"], ["perro", "dog"], ["sol", "sun"]]),
    ("“hola” = \"hi\"\n**adiós** = *bye*\n", [["hola", "hi"], ["adiós", "bye"]]),
    ("10) gato -> cat, kitty\n11) perro -> dog\n", [["gato", "cat, kitty"], ["perro", "dog"]]),
    ("a :: b = c\nd :: e\n", [["a", "b = c"], ["d", "e"]]), ("你好：hello\n猫：cat\n", [["你好", "hello"], ["猫", "cat"]]),
    ("# title\nword - meaning\ngato - cat\n", [["gato", "cat"]]),
    ("gato\tcat\nperro\tdog\nsolo\n", [["gato", "cat"], ["perro", "dog"]]),
    ("gato,cat,x\nperro,dog,x\n", [["gato", "cat"], ["perro", "dog"]]),
    ("a\tb\n\"c\" d\te\n\"f\tg\n\"h\"\t\"i\"\n", [["a", "b"], ["\"c\" d", "e"], ["\"f", "g"], ["h", "i"]]),
  ])
  func `lines are cut at the one separator that they have`(text: String, sides: [[String]]) throws {
    _ = try imported("a.txt", text)
    #expect(try cards().map { [$0.card.prompt, $0.card.answer] } == sides)
  }

  @Test(arguments: [
    ("# T\n\nSome words:\n\n| Word | Meaning |\n|---|---|\n| **a** | b |\n\nText.\n", ["a"], [3, 9]),
    ("## Which is larger?\n\n| x | y |\n|---|---|\n| 1 | 2 |\n", ["Which is larger?"], []),
    ("## One\n\ntext\n\n## Two\n\n| Word | Meaning |\n|---|---|\n| a | b |\n", ["One", "Two"], []),
    ("| x | y |\n|---|---|\n| a | b |\n\n| z | w |\n|---|---|\n| c | d |\n", ["a", "c"], []),
    ("a - b\n\nQ: c\nA: d\n", ["c"], [1]),
  ])
  func `Markdown is a list only without cards`(text: String, prompts: [String], left: [Int]) throws {
    let report = try imported("a.md", text)
    #expect(try cards().map(\.card.prompt) == prompts)
    #expect(report.lines.parts.map(\.line) == left)
  }
}
