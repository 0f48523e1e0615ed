// Building a folder through the workspace: its description, and rows that change their type.

import Decks
import Exchange
import Files
import Memory
import Problems
import Templates
import TestWorkspace

@testable import Workspace

@Suite struct BuildingTests {
  let person = Person()
  let workspace: Workspace

  init() throws {
    workspace = try person.workspace()
    try person.folder.makeFolder("Words")
  }

  func write(_ text: String, to name: String) throws { try person.folder.write(text, to: "Words/" + name) }

  private func text(_ name: String) -> String {
    String(decoding: person.folder.read("Words/" + name) ?? [], as: UTF8.self)
  }

  @discardableResult
  func build(_ change: (inout BuildChoices) -> Void = { _ in }) throws -> BuildReport {
    var choices = BuildChoices()
    change(&choices)
    // Advances the clock, so that later edits have a later time.
    defer { person.clock.pass(60) }
    return try workspace.exchange.build(person.folder.file("Words") + "/", choices, generator: NoGenerator()).report
  }

  func cards() throws -> [String] {
    try workspace.decks.open("Words").cards().rest().map { try "\($0.record().prompt) = \($0.record().answer)" }
  }

  private func fault(_ description: String) throws -> String {
    try write(description, to: "deck.json")
    let error = #expect(throws: BuildError.self) { try build() }
    return error?.message ?? ""
  }

  @Test func `options are texts, numbers, booleans and lists of them`() throws {
    try write("## a\n\nb\n", to: "a.md")
    try write(
      #"{"name": "Words", "options": {"new_per_day": 5, "desired_retention": 0.85, "fuzz": false, "#
        + #""learning_steps": ["1m", "10m"], "leech_action": "suspend"}}"#, to: "deck.json")
    try build()
    let options = try workspace.decks.open("Words").scheduling.options()
    #expect(options.newPerDay == 5 && options.desiredRetention == 0.85 && options.suspendsLeeches && !options.fuzzes)
    #expect(options.learningSteps == [60, 600])
  }

  @Test func `an error in a description is reported with its position`() throws {
    try write("## a\n\nb\n", to: "a.md")
    #expect(try fault(#"{"name": "", "options": {}}"#).contains("deck.json:1:"))
    #expect(try fault(#"{"name": 3}"#).contains("at /name: the deck's name expected"))
    #expect(try fault("{\"name\": \"Words\",\n \"options\": {\"new_per_day\": {}}}").contains("deck.json:2"))
    #expect(
      try fault(#"{"name": "Words", "options": {"new_per_day": [[null]]}}"#).contains("a text, a number, true or false")
    )
    #expect(try fault("{").contains("deck.json:1:2"))
    #expect(try workspace.decks.all().isEmpty)
  }

  @Test func `a folder whose name is not a valid deck name needs a description`() throws {
    try person.folder.write("## a\n\nb\n", to: "a::/a.md")
    let error = #expect(throws: BuildError.self) {
      try workspace.exchange.build(person.folder.file("a::"), generator: NoGenerator())
    }
    #expect(error?.message.contains("is needed") == true)
  }

  @Test(arguments: ["**b**", "![](cat.png)", "- b\n- c", "b\n\n> c"])
  func `a card becomes plain again when its source does`(_ formatted: String) throws {
    try write("x", to: "cat.png")
    for answer in ["plain", formatted, "other", formatted, "plain"] {
      try write("## a\n\n\(answer)\n", to: "a.md")
      #expect(try build().cards.rejectedCount == 0)
      if answer != formatted { #expect(try cards() == ["a = \(answer)"]) }
      // Without an answer the row is refused, whether the card has formatting or not.
      try write("Q: a\nA:\n", to: "a.md")
      #expect(throws: RefusedBuild.self) { try build() }
    }
    #expect(try cards().count == 1)
  }

  @Test func `a row with another type is another card`() throws {
    try write(#"{"guid":"a","note_type":"Basic","note_fields":{"Front":"sun","Back":"sol"}}"# + "\n", to: "a.jsonl")
    try build()
    #expect(try cards() == ["sun = sol"])
    try write(#"{"guid":"a","note_type":"Cloze","note_fields":{"Text":"the {{c1::sun}}"}}"# + "\n", to: "a.jsonl")
    try build()
    #expect(try cards() == ["the [...] = the sun"])
    try write(#"{"guid":"a","prompt":"sun","answer":"sol"}"# + "\n", to: "a.jsonl")
    try build()
    #expect(try cards() == ["sun = sol"])
  }

  @Test func `a row whose type differs from that of the edited card is reported`() throws {
    try write(#"{"guid":"a","prompt":"sun","answer":"sol"}"# + "\n", to: "a.jsonl")
    try build()
    let deck = try workspace.decks.open("Words")
    try #require(try deck.card(at: 1)).update(answer: "the sun")
    try write(#"{"guid":"a","note_type":"Cloze","note_fields":{"Text":"the {{c1::sun}}"}}"# + "\n", to: "a.jsonl")
    for _ in 0..<2 {
      let report = try build()
      #expect(report.cards.added == 0 && report.cards.updated == 0)
      #expect(try cards() == ["sun = the sun"])
    }
  }

  @Test func `an edited card stays when its row is removed, and --prune removes an unedited one`() throws {
    try write("prompt,answer,guid\na,1,x\nb,2,y\n", to: "a.csv")
    try build()
    try #require(try workspace.decks.open("Words").card(at: 1)).update(answer: "mine")
    try write("prompt,answer,guid\n", to: "a.csv")
    #expect(try build().removed == 0)
    #expect(try build { $0.prunes = true }.removed == 1)
    #expect(try cards().count == 1 && cards()[0].hasSuffix("mine"))
    // The row comes back.
    try write("prompt,answer,guid\na,1,x\nb,2,y\n", to: "a.csv")
    try build()
    #expect(try Set(cards()) == ["a = mine", "b = 2"])
  }

  @Test(arguments: [
    ("a.tsv", "prompt\tanswer\tguid\na\tb\tx\n", "prompt\tanswer\tguid\na\tmine\tx\n"),
    ("a.csv", "prompt,answer,guid\r\na,b,x\r\n", "prompt,answer,guid\r\na,mine,x\r\n"),
    ("a.md", "## a <!-- id: x -->\r\n\r\nb\r\n", "## a <!-- id: x -->\r\n\r\nmine\r\n"),
    ("a.md", "- the ==sun== <!-- id: x -->\n", "- the ==sun== <!-- id: x -->\n"),
    ("a.csv", "prompt,answer\na,b\n", "prompt,answer\na,mine\n"),
    ("a.md", "Q: a\nA: b\n", "Q: a\nA: mine\n"),
    ("a.md", "Q: a\nA: b\n<!-- tags: t -->\n", "Q: a\nA: mine\n<!-- tags: t -->\n"),
    ("a.md", "\u{FEFF}## a\n\nb\n\n## c\n\nd\n", "\u{FEFF}## a\n\nmine\n\n## c\n\nd\n"),
    ("a.csv", "\u{FEFF}prompt,answer,guid\na,b,x\n", "\u{FEFF}prompt,answer,guid\na,mine,x\n"),
    // Mixed line endings.
    ("a.csv", "prompt,answer,guid\r\na,b,x\nc,d,y\r\n", "prompt,answer,guid\r\na,mine,x\nc,d,y\r\n"),
    ("a.csv", "prompt,answer,guid\na,b,x\r\nc,d,y\n", "prompt,answer,guid\na,mine,x\r\nc,d,y\n"),
    (
      "a.md", "# t\r\n\n## a <!-- id: x -->\n\nb\r\n\n## c\n\nd\n",
      "# t\r\n\n## a <!-- id: x -->\n\nmine\r\n\n## c\n\nd\n"
    ),
  ])
  func `an edit is written back in the style of its source`(name: String, before: String, after: String) throws {
    try write(before, to: name)
    try build()
    let card = try #require(try workspace.decks.open("Words").card(at: 1))
    if before != after { try card.update(answer: "mine") }
    let report = try build { $0.writesBack = true }
    #expect(report.writtenBack == (before == after ? 0 : 1))
    #expect(text(name) == after)
    #expect(try build().cards.updated == 0)
  }

  @Test(arguments: [
    ("- the ==sun== is hot\n", "sun", "moon"), ("The ==sun== is hot\n<!-- id: x -->\n", "sun", "moon"),
    ("## __el__ *gato* <!-- id: g -->\n\n* the\n* _cat_\n  + `x`\n", "cat", "tomcat"),
    ("# el gato\n<!-- id: g; tags: a b -->\n\nthe cat\nis on\nthe mat\\\nnow\n", "mat", "bed"),
    ("Q: what is\n   $x_1$?\nA: a __cat__\n<!-- id: g -->\n", "cat", "dog"),
    ("1. The ==cat== sits. <!-- a comment -->\n<!-- id: g -->\n", "sits", "stands"),
    ("## t <!-- id: g -->\n\n|a  |b|\n|:--|-|\n|cat|2|\n\n![](img/p.png)\n", "cat", "dog"),
    ("## t <!-- id: g -->\n\n~~~swift\nlet cat = 1\n~~~\n\n[cow](https://a.org \"cat\")\n", "cow", "hen"),
  ])
  func `a changed word is written back in the style of its source`(source: String, old: String, new: String) throws {
    let (head, end) = ("# A title\n\ntext of nothing\n\n---\n\n", "\n## next\n\nother\n")
    try write(head + source + end, to: "a.md")
    try build()
    for card in try workspace.decks.open("Words").cards().rest() {
      let note = try card.note()
      for (name, value) in try note.fields() where value.contains(old) {
        _ = try note.update(fields: [name: value.replacing(old, with: new, maxReplacements: 1)])
      }
    }
    #expect(try build { $0.writesBack = true }.writtenBack == 1)
    #expect(text("a.md") == head + source.replacing(old, with: new, maxReplacements: 1) + end)
  }

  @Test(arguments: [
    ("a.md", "Q: one\nA: two\n", "Q: three\nA: four\n<!-- id: "),
    ("a.csv", "prompt,answer\none,two\n", "prompt,answer\nthree,four\n"),
  ])
  func `a card all of whose words change stays the same card`(
    _ name: String, _ source: String, _ written: String
  ) throws {
    try write(source, to: name)
    try build()
    let card = try #require(try workspace.decks.open("Words").card(at: 1))
    let guid = try card.record().guid
    try card.update(prompt: "three", answer: "four")
    #expect(try build { $0.writesBack = true }.writtenBack == 1)
    #expect(text(name).hasPrefix(written) && (name == "a.md" || text(name) == written), "\(text(name))")
    #expect(try build().findings.isEmpty && cards() == ["three = four"])
    #expect(try workspace.decks.open("Words").cards().rest().map { try $0.record().guid } == [guid])
  }

  @Test func `of two equal rows only that of the edited card is written back`() throws {
    try write("prompt,answer\na,b\na,b\n", to: "a.csv")
    try build()
    try #require(try workspace.decks.open("Words").card(at: 2)).update(answer: "mine")
    #expect(try build { $0.writesBack = true }.writtenBack == 1)
    #expect(text("a.csv") == "prompt,answer\na,b\na,mine\n")
    #expect(try cards() == ["a = b", "a = mine"])
  }

  @Test(arguments: [
    ("prompt,answer,tags,guid\na,b\n", "prompt,answer,tags,guid\na,b,t,"),
    ("prompt,answer\na,b\n", "prompt,answer\na,b\n"),
  ])
  func `tags are written into a short row, and not at all if there is no column for them`(
    before: String, after: String
  ) throws {
    try write(before, to: "a.csv")
    try build()
    try #require(try workspace.decks.open("Words").card(at: 1)).update(tags: ["t"])
    let report = try build { $0.writesBack = true }
    #expect(text("a.csv").hasPrefix(after) && report.writtenBack == (before == after ? 0 : 1))
  }

  @Test func `a source that is saved while edits are written back keeps what was saved`() throws {
    try write("## a\n\nb\n", to: "a.md")
    try build()
    try #require(try workspace.decks.open("Words").card(at: 1)).update(answer: "mine")
    let folder = try BuildFolder(person.folder.file("Words") + "/", isInterrupted: { false })
    let saved = "## a\n\nb\n\n## c\n\nd\n"
    let count = try workspace.read { db in
      try BuildWriteBack(db, folder, isInterrupted: { false }).run { _ in
        try write(saved, to: "a.md")
        return true
      }
    }
    #expect(count == 0 && text("a.md") == saved)
    #expect(try build { $0.writesBack = true }.writtenBack == 1)
    #expect(try cards() == ["a = mine", "c = d"])
  }

  @Test func `an answer that continues below a cloze sentence is left as it is written`() throws {
    let source = "## H\n\none\n\nthe ==sun==\n\ntwo\n"
    try write(source, to: "a.md")
    try build()
    let note = try #require(try workspace.decks.open("Words").card(at: 2)).note()
    #expect(try note.field("Back") == "<p>one</p><p>two</p>")
    try note.update(fields: ["Back": "<p>ONE</p><p>two</p>"])
    #expect(try build { $0.writesBack = true }.writtenBack == 0 && text("a.md") == source)
  }

  @Test func `a row that changes its type and is refused leaves its card as it was`() throws {
    let (row, other) = (#"{"guid":"a","prompt":"sun","answer":"sol"}"#, #"{"guid":"b","prompt":"sea","answer":"mar"}"#)
    try write("\(row)\n\(other)\n", to: "a.jsonl")
    try build()
    let refused = #"{"guid":"a","note_type":"Cloze","note_fields":{"Text":"no cloze"}}"#
    try write("\(refused)\n\(other.replacing("mar", with: "el mar"))\n", to: "a.jsonl")
    let report = try build { $0.prunes = true }
    #expect(report.cards.rejectedCount == 1 && report.cards.updated == 1 && report.removed == 0)
    #expect(try cards() == ["sun = sol", "sea = el mar"])
    _ = try workspace.care.undo()
    #expect(try cards() == ["sun = sol", "sea = mar"])
    _ = try workspace.care.redo()
    // The row may have that type once its text allows it.
    try write(refused.replacing("no cloze", with: "{{c1::sun}}") + "\n\(other)\n", to: "a.jsonl")
    #expect(try build().cards.rejectedCount == 0)
    #expect(try Set(cards()) == ["[...] = sun", "sea = mar"])
  }

  private func study() throws {
    let options = SessionHandle.Options(try workspace.preferences())
    _ = try workspace.decks.open("Words").study(options).answer(.good)
  }

  @Test func `prune leaves a studied card until that is agreed to`() throws {
    try write("prompt,answer,guid\na,1,x\nb,2,y\nc,3,z\n", to: "a.csv")
    try build()
    try study()
    try write("prompt,answer,guid\nb,2,y\nc,3,z\n", to: "a.csv")
    for _ in 1...2 {
      let report = try build { $0.prunes = true }
      #expect(report.removed == 0 && report.findings.filter { $0.kind == .goneStudied }.map(\.prompt) == ["a"])
    }
    #expect(try cards().count == 3)
    #expect(try build { ($0.prunes, $0.prunesStudied) = (true, true) }.removed == 1)
    #expect(try cards().count == 2)
  }

  @Test func `a prune of more than half of the cards has to be agreed to`() throws {
    try write("prompt,answer,guid\na,1,x\nb,2,y\nc,3,z\n", to: "a.csv")
    try build()
    try write("prompt,answer,guid\nc,3,z\n", to: "a.csv")
    let error = #expect(throws: BuildError.self) { try build { $0.prunes = true } }
    #expect(error?.code == "loses_cards" && error?.message.contains("remove 2 of the 3 notes") == true)
    #expect(try cards().count == 3)
    #expect(try build { ($0.prunes, $0.prunesMost) = (true, true) }.removed == 2)
    #expect(try cards() == ["c = 3"])
  }

  @Test func `a row that changes its type keeps the schedule of a studied card`() throws {
    let other = #"{"guid":"b","prompt":"sea","answer":"mar"}"#
    try write(#"{"guid":"a","prompt":"sun","answer":"sol"}"# + "\n\(other)\n", to: "a.jsonl")
    try build()
    try study()
    try write(
      #"{"guid":"a","note_type":"Cloze","note_fields":{"Text":"{{c1::sun}} {{c2::moon}}"}}"# + "\n\(other)\n",
      to: "a.jsonl")
    #expect(try build().cards.updated == 1)
    let found = try workspace.decks.open("Words").cards(matching: "moon").rest()
    let card = try #require(try found.first { try $0.record().ordinal == 0 })
    #expect(try card.record().schedule.reps == 1 && card.record().prompt == "[...] moon")
  }

  @Test func `prune removes no card while a row is refused, and the row is reported each time`() throws {
    try write("prompt,answer,guid\na,1,x\nb,2,y\n", to: "a.csv")
    try build()
    try write("prompt,answer,guid\n\"a\"!,1,x\nb,3,y\n", to: "a.csv")
    let report = try build { $0.prunes = true }
    #expect(report.cards.rejectedCount == 1 && report.removed == 0 && report.findings.contains { $0.kind == .gone })
    let again = try build { $0.prunes = true }
    #expect(again.cards.rejectedCount == 1 && again.removed == 0)
    try write("prompt,answer,guid\na,one,x\n", to: "a.csv")
    #expect(try build { $0.prunes = true }.removed == 1)
    #expect(try cards() == ["a = one"])
  }

  @Test func `unchanged imported rows are counted, wherever they are`() throws {
    try write("prompt,answer\nuno,one\ndos,\n", to: "a.csv")
    for _ in 1...2 { #expect(try build().cards.rejectedCount == 1) }
    try write("## tres\n\nthree\n", to: "b.md")
    try build()
    try write("prompt,answer\ndos,\n", to: "a.csv")
    for _ in 1...2 { #expect(try build().cards.rejectedCount == 1) }
    try write("##  \n\nthree\n", to: "b.md")
    #expect(throws: RefusedBuild.self) { try build() }
  }

  @Test func `two sources whose names differ only in Unicode form are reported`() throws {
    try write("## a\n\nb\n", to: "caf\u{E9}.md")
    try write("## c\n\nd\n", to: "cafe\u{301}.md")
    let error = #expect(throws: BuildError.self) { try build() }
    #expect(error?.message.contains("in two Unicode normal forms") == true)
  }

  @Test func `decks of subfolders and of rows are nested`() throws {
    try write("prompt,answer,subdeck\na,b,Pets\nc,d,\n", to: "Animals/a.csv")
    try build()
    #expect(
      try workspace.decks.all().map { try $0.record().name } == ["Words", "Words::Animals", "Words::Animals::Pets"])
  }

  @Test func `a row with the id of another deck's note leaves that note as it is, and is reported`() throws {
    let other = try workspace.decks.create("Other")
    try other.addNote(NewNote(fields: ["Text": "mine {{c1::x}}"], guid: "n"), type: workspace.noteTypes.open("Cloze"))
    try write("theirs {{c1::y}}\n<!-- id: n -->\n\n## a\n\nb\n", to: "a.md")
    let report = try build()
    #expect(report.cards.added == 1 && report.cards.updated == 0, "\(report)")
    #expect(report.cards.rejected.first?.message.contains("is in the deck \"Other\"") == true, "\(report)")
    #expect(try other.cards().rest().map { try $0.record().prompt } == ["mine [...]"])
  }

  @Test func `a folder without a name is refused`() throws {
    let error = #expect(throws: BuildError.self) {
      try workspace.exchange.build("", BuildChoices(), generator: NoGenerator())
    }
    #expect(error?.message.hasPrefix("\"\" has no sources") == true)
  }
}
