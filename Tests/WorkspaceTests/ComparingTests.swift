// Comparing and merging through the workspace: what a merge imports besides texts, and the files it can write.

import Decks
import Exchange
import Files
import Memory
import Problems
import Storage
import Templates
import TestWorkspace

@testable import Workspace

/// Runs no generators.
struct NoGenerator: CardGenerator {
  func run(_ path: String, in folder: String, emit: @escaping (CardRow) throws -> Void) throws -> [String] { [] }
}

@Suite struct ComparingTests {
  let (ours, theirs): (Person, Person)
  let (here, there): (Workspace, Workspace)

  /// Two users with the same deck: three words, one of them with two cards, a note type of its own and a picture.
  init() throws {
    (ours, theirs) = (Person(), Person())
    (here, there) = (try ours.workspace(), try theirs.workspace())
    let deck = try here.decks.create("Spanish")
    for (prompt, answer) in [("gato", "cat"), ("sol", "sun")] {
      try deck.add(NewCard(prompt: prompt, answer: answer, guid: prompt), at: .bottom)
    }
    let type = try here.noteTypes.create(Self.verb(css: ".card { color: black }"))
    _ = try here.media.add(Array("first".utf8), named: "run.png")
    try deck.addNote(
      NewNote(fields: ["Word": "correr", "Meaning": "run <img src=\"run.png\">"], guid: "v"), type: type)
    try export(here, "base.apkg")
    _ = try there.exchange.importCards(intoDeck: "Spanish", from: [ours.folder.file("base.apkg")], .plain, .init())
  }

  private static func verb(css: String) -> NoteTypeDraft {
    NoteTypeDraft(
      name: "Verb", fields: ["Word", "Meaning"],
      cards: [
        CardTemplate("One", front: "{{Word}}", back: "{{Meaning}}"),
        CardTemplate("Two", front: "{{Meaning}}", back: "{{Word}}"),
      ], css: css)
  }

  func file(_ name: String) -> String { ours.folder.file(name) }

  func export(_ workspace: Workspace, _ name: String) throws {
    var options = ExportOptions()
    options.hasSchedule = true
    _ = try workspace.decks.open("Spanish").exportCards(to: file(name), .plain, options)
  }

  func note(_ guid: String, _ workspace: Workspace) throws -> NoteHandle {
    try #require(try workspace.notes.find(guidBeginning: guid).first)
  }

  /// Returns the changes from one operand to another, one per line.
  func difference(_ old: String, _ new: String) throws -> [String] {
    try here.comparing.difference([old, new], here.comparing.settings(), generator: NoGenerator()).changes.map {
      "\($0.event) \($0.kind) \($0.key): \($0.fields.map { "\($0.name) \($0.old) > \($0.new)" }) \($0.addedTags)"
    }
  }

  func merge(
    _ base: String, _ ours: String, _ theirs: String, to output: String? = nil, by side: MergeSide? = nil
  ) throws -> MergeReport {
    var request = MergeRequest(base: base, ours: ours, theirs: theirs)
    (request.output, request.preferred) = (output, side)
    return try here.comparing.merge(request, here.comparing.settings(), generator: NoGenerator())
  }

  @Test(arguments: [("the year of €", true), ("年", false)])
  func `a merged table keeps the encoding of ours, unless a character is not in it`(answer: String, isIn: Bool) throws {
    let base = "prompt,answer\naño,year\nsol,sun\n"
    for (name, text) in [("base.csv", base), ("ours.csv", base.replacing("sun", with: "the sun"))] {
      try ours.folder.write(text.unicodeScalars.map { UInt8($0.value) }, to: name)
    }
    try ours.folder.write(base.replacing("year", with: answer), to: "theirs.csv")
    let report = try merge(file("base.csv"), file("ours.csv"), file("theirs.csv"), to: file("out.csv"))
    let merged = "prompt,answer\naño,\(answer)\nsol,the sun\n"
    let bytes = merged.unicodeScalars.map { $0 == "€" ? 0x80 : UInt8(truncatingIfNeeded: $0.value) }
    let unfit: TextEncoding? = isIn ? nil : .windows1252
    #expect(report.unfitEncoding == unfit && report.result.conflicts.isEmpty)
    #expect(ours.folder.read("out.csv") == (isIn ? bytes : Array(merged.utf8)))
  }

  @Test func `a note that was studied stays though theirs removed it, and is named`() throws {
    for guid in ["gato", "sol"] { _ = try note(guid, there).remove() }
    let card = try #require(try note("gato", here).cards().first)
    try here.cards.anki.answer(card, Rating.good)
    try export(there, "theirs.apkg")
    let report = try merge(file("base.apkg"), "Spanish", file("theirs.apkg"))
    #expect(report.counts.removed == 1 && report.counts.kept == ["gato"])
    #expect(try here.notes.find(guidBeginning: "gato").count == 1 && here.notes.find(guidBeginning: "sol").isEmpty)
  }

  @Test func `a deck without changes gets everything that theirs changed, and undo restores it`() throws {
    let deck = try there.decks.open("Spanish")
    try deck.scheduling.set(.newPerDay, .number(7))
    let cards = try note("v", there).cards()
    try there.cards.setFlag([cards[0]], to: 3)
    try there.cards.setSuspended([cards[1]], true)
    let later = try there.decks.create("Spanish::Later")
    try later.scheduling.setLimits([(.newPerDay, "2")])
    #expect(try there.cards.move([cards[1]], into: later) == 1)
    let type = try there.noteTypes.open("Verb")
    var edit = NoteTypeEdit(try type.record())
    edit.css = ".card { color: red }"
    try type.edit(edit)
    let noun = try there.noteTypes.create(
      NoteTypeDraft(name: "Noun", fields: ["A", "B"], cards: [CardTemplate("One", front: "{{A}}", back: "{{B}}")]))
    _ = try there.media.add(Array("moon".utf8), named: "moon.png")
    try deck.addNote(NewNote(fields: ["A": "luna", "B": "<img src=\"moon.png\">"], guid: "n"), type: noun)
    try note("sol", there).remove()
    try deck.addNote(NewNote(fields: ["A": "sol", "B": "star"], guid: "sol"), type: noun)
    try there.cards.setFlag(note("gato", there).cards(), to: 2)
    try export(there, "theirs.apkg")

    let report = try merge(file("base.apkg"), "Spanish", file("theirs.apkg"))
    #expect(report.result.conflicts.isEmpty && report.counts.changed == 3 && report.counts.added == 1)
    #expect(try difference("Spanish", file("theirs.apkg")) == [])
    #expect(try text(of: "moon.png") == "moon")
    #expect(try here.decks.open("Spanish::Later").scheduling.limits().value(.newPerDay) == 2)
    _ = try here.care.undo()
    #expect(try difference("Spanish", file("base.apkg")) == [])
    #expect(try here.decks.all().count == 1)
  }

  @Test func `what theirs removed is removed`() throws {
    for workspace in [here, there] {
      let deck = try workspace.decks.open("Spanish")
      try workspace.cards.setFlag(note("gato", workspace).cards(), to: 2)
      try workspace.cards.setSuspended(note("gato", workspace).cards(), true)
      try deck.scheduling.set(.newPerDay, .number(7))
      try deck.scheduling.setLimits([(.reviewsPerDay, "9")])
    }
    try export(here, "base.apkg")
    let deck = try there.decks.open("Spanish")
    try there.cards.setFlag(note("gato", there).cards(), to: 0)
    try there.cards.setSuspended(note("gato", there).cards(), false)
    try deck.scheduling.set([(.newPerDay, "")])
    try deck.scheduling.setLimits([(.reviewsPerDay, "")])
    try export(there, "theirs.apkg")
    _ = try merge(file("base.apkg"), "Spanish", file("theirs.apkg"))
    #expect(try difference("Spanish", file("theirs.apkg")) == [])
    let card = try #require(try note("gato", here).cards().first).record()
    #expect(card.flag == 0 && !card.isSuspended)
    #expect(try here.decks.open("Spanish").scheduling.limits().value(.reviewsPerDay) == nil)
  }

  @Test func `conflicts of a type, of options and of a picture are stored with a note, and resolved there`() throws {
    for (workspace, word) in [(here, "blue"), (there, "red")] {
      let type = try workspace.noteTypes.open("Verb")
      var edit = NoteTypeEdit(try type.record())
      edit.css = ".card { color: \(word) }"
      try type.edit(edit)
      try workspace.decks.open("Spanish").scheduling.set(.newPerDay, .number(word == "blue" ? 7 : 8))
      try workspace.media.remove(["run.png"])
      _ = try workspace.media.add(Array(word.utf8), named: "run.png")
    }
    try export(there, "theirs.apkg")
    let report = try merge(file("base.apkg"), "Spanish", file("theirs.apkg"))
    #expect(report.result.conflicts.map(\.kind) == [.noteType, .deck, .media])
    let deck = try here.decks.open("Spanish")
    let marked = try here.comparing.conflicts(in: deck)
    #expect(
      marked.flatMap { $0.conflicts.map(\.shownField) }.sorted() == [
        "deck /new_per_day", "deck /preset", "media run.png/sha1", "note_type Verb/css",
      ])
    // Their file is imported beside ours.
    #expect(try text(of: "run.png") == "blue")
    let names = try here.media.all().map(\.name)
    #expect(names.count == 2)
    let ofFile = try #require(marked.flatMap(\.conflicts).first { $0.isOfContent })
    #expect(try here.comparing.shown(ofFile, of: .base) == ofFile.base.map { "\($0.prefix(8))… (not here)" })
    #expect(try here.comparing.shown(ofFile, of: .ours) == "run.png")
    #expect(try here.comparing.shown(ofFile, of: .theirs) == names.first { $0 != "run.png" })
    // The same merge again imports nothing more.
    _ = try merge(file("base.apkg"), "Spanish", file("theirs.apkg"))
    #expect(try here.media.all().count == 2)

    #expect(throws: ComparisonError.noConflict("gatx")) {
      _ = try here.comparing.settle(deck, guids: ["gatx"], field: nil, by: .theirs)
    }
    #expect(throws: ComparisonError.noConflict("Back")) {
      _ = try here.comparing.settle(deck, guids: [], field: "Back", by: .theirs)
    }
    let settled = try here.comparing.settle(deck, guids: ["v"], field: "note_type Verb/css", by: .theirs)
    #expect(try settled == 1 && here.noteTypes.open("Verb").record().css == ".card { color: red }")
    #expect(try here.comparing.settle(deck, guids: [], field: nil, by: .theirs) == 3)
    #expect(try deck.scheduling.options().newPerDay == 8)
    #expect(try here.comparing.conflicts(in: deck).isEmpty && note("v", here).record().tags == [])
    // The name now has their file; undo restores ours.
    #expect(try text(of: "run.png") == "red" && here.media.all().map(\.name) == ["run.png"])
    _ = try here.care.undo()
    #expect(try text(of: "run.png") == "blue" && here.media.all().count == 2)
    _ = try here.care.redo()
    // The history lists each of them.
    let card = try #require(try note("v", here).cards().first)
    #expect(try here.comparing.history(of: card).map(\.step.name).count == 4)
  }

  @Test func `a conflict of a card whose name has a slash is resolved`() throws {
    let draft = NoteTypeDraft(
      name: "Ser/Estar", fields: ["A", "B"], cards: [CardTemplate("A/B", front: "{{A}}", back: "{{B}}")])
    let type = try here.noteTypes.create(draft)
    try here.decks.open("Spanish").addNote(NewNote(fields: ["A": "ser", "B": "to be"], guid: "s"), type: type)
    try export(here, "base.apkg")
    _ = try there.exchange.importCards(intoDeck: "Spanish", from: [file("base.apkg")], .plain, .init())
    for (workspace, word) in [(here, "ours"), (there, "theirs")] {
      let type = try workspace.noteTypes.open("Ser/Estar")
      var edit = NoteTypeEdit(try type.record())
      edit.cards[0].value.front = "{{A}} \(word)"
      try type.edit(edit)
    }
    try export(there, "theirs.apkg")
    _ = try merge(file("base.apkg"), "Spanish", file("theirs.apkg"))
    let deck = try here.decks.open("Spanish")
    let marked = try here.comparing.conflicts(in: deck)
    #expect(marked.map(\.key) == ["s"])
    #expect(marked.flatMap(\.conflicts).map(\.shownField) == ["note_type Ser/Estar/A/B, front"])
    // Exported and imported it is the same.
    try export(here, "ours.apkg")
    #expect(try difference("Spanish", file("ours.apkg")) == [])
    #expect(try here.comparing.settle(deck, guids: [], field: nil, by: .theirs) == 1)
    #expect(try here.noteTypes.open("Ser/Estar").record().cards[0].front == "{{A}} theirs")
    #expect(try note("s", here).record().tags == [])
  }

  @Test(arguments: SettledSide.allCases)
  func `a note that one side removed stays until the conflict is resolved`(_ side: SettledSide) throws {
    try note("gato", here).update(fields: ["Back": "tomcat"])
    try note("gato", there).remove()
    try export(there, "theirs.apkg")
    _ = try merge(file("base.apkg"), "Spanish", file("theirs.apkg"))
    let deck = try here.decks.open("Spanish")
    #expect(try here.comparing.settle(deck, guids: ["gato"], field: nil, by: side) == 1)
    #expect(try here.notes.find(guidBeginning: "gato").isEmpty == (side == .theirs))
    #expect(try here.comparing.conflicts(in: deck).isEmpty)
  }

  @Test(arguments: MergeSide.allCases)
  func `a preferred side also decides about removed notes`(_ side: MergeSide) throws {
    try note("gato", here).update(fields: ["Back": "tomcat"])
    try note("gato", there).remove()
    try export(there, "theirs.apkg")
    #expect(try merge(file("base.apkg"), "Spanish", file("theirs.apkg"), by: side).result.conflicts.isEmpty)
    #expect(try here.notes.find(guidBeginning: "gato").isEmpty == (side == .theirs))
  }

  func text(of name: String) throws -> String {
    String(decoding: try FileText.bytes(here.media.path(name), limit: 100), as: UTF8.self)
  }

  @Test(arguments: ["out.apkg", "out.colpkg", "out.jsonl", "out.json", "out.csv", "out.md"])
  func `a merge of decks and packages is written in any format`(_ name: String) throws {
    try note("gato", there).update(fields: ["Back": "tomcat"])
    try export(there, "theirs.apkg")
    #expect(throws: ComparisonError.needsOutput) {
      _ = try merge(file("base.apkg"), file("base.apkg"), file("theirs.apkg"))
    }
    // Ours is a deck in one merge, and a package in the other.
    for operand in ["Spanish", file("base.apkg")] {
      let report = try merge(file("base.apkg"), operand, file("theirs.apkg"), to: file(name))
      #expect(report.counts.changed == 1 && report.counts.total == 1)
      let again = try Person().workspace()
      _ = try again.exchange.importCards(intoDeck: "Spanish", from: [file(name)], .plain, .init())
      let answers = try again.decks.open("Spanish").cards().rest().map {
        try "\($0.record().guid) \($0.record().answer)"
      }
      #expect(Set(answers).isSuperset(of: ["gato tomcat", "sol sun"]) && answers.count == 4, "\(answers)")
      if name.hasSuffix("pkg") { #expect(try difference(file(name), file("theirs.apkg")) == []) }
    }
    #expect(try difference("Spanish", file("base.apkg")) == [])
  }

  @Test func `a folder is compared as the deck it would build, with its pictures`() throws {
    try ours.folder.write("## gato <!-- id: gato -->\n\ncat\n\n![a sun](sun.png)\n", to: "Words/words.md")
    try ours.folder.write("sun", to: "Words/sun.png")
    try ours.folder.write(#"{"name": "Words", "options": {"new_per_day": 5}}"#, to: "Words/deck.json")
    #expect(try difference(file("Words"), file("Words")) == [])
    let added = try difference("/dev/null", file("Words"))
    #expect(added.count == 3, "\(added)")
    #expect(added.contains { $0.hasPrefix("added media sun.png: [\"sha1  > ") })
    #expect(added.contains { $0.hasPrefix("added deck : ") && $0.contains("new_per_day  > 5") })
    let before = try here.media.all().count
    #expect(try merge("/dev/null", "/dev/null", file("Words"), to: file("words.apkg")).result.conflicts.isEmpty)
    #expect(try difference(file("Words"), file("words.apkg")) == [])
    #expect(try here.media.all().count == before && here.decks.all().count == 1)
    // A deck imports a folder's pictures too.
    _ = try here.decks.create("Words")
    _ = try merge("/dev/null", "Words", file("Words"))
    #expect(try text(of: "sun.png") == "sun")
  }

  @Test func `CSV and TSV tables merge into each other, and an invalid operand is reported with a guess`() throws {
    try ours.folder.write("prompt,answer,guid\ngato,cat,a\n", to: "base.csv")
    try ours.folder.write("prompt\tanswer\tguid\ngato\ttomcat\ta\n", to: "ours.tsv")
    try ours.folder.write("prompt,answer,guid\n\"el gato\",cat,a\n", to: "theirs.csv")
    _ = try merge(file("base.csv"), file("ours.tsv"), file("theirs.csv"), to: file("out.tsv"))
    #expect(
      ours.folder.read("out.tsv").map { String(decoding: $0, as: UTF8.self) }
        == "prompt\tanswer\tguid\nel gato\ttomcat\ta\n")
    #expect(throws: ComparisonError.noOperand("Spanich", suggestion: "Spanish")) {
      _ = try difference("Spanich", "Spanish")
    }
    #expect(try here.comparing.isOfCollection("spanish") && here.comparing.isOfCollection("Spanish@1"))
    #expect(try !here.comparing.isOfCollection(file("base.csv")) && !here.comparing.isOfCollection("Spanish@x"))
  }

  @Test func `an existing folder is not read as a deck at a step`() throws {
    try ours.folder.write("## luna\n\nmoon\n", to: "words@2/words.md")
    #expect(try difference(file("words@2"), file("words@2")) == [])
  }

  @Test func `notes from lines without guids are identified by the first field of their type`() throws {
    let lines = [
      #"{"note_type":{"name":"Verb","fields":["Word","Meaning"],"#
        + #""cards":[{"name":"One","front":"{{Word}}","back":"{{Meaning}}"}]}}"#,
      #"{"note_type":"Verb","note_fields":{"Word":"correr","Meaning":"go"}}"#,
      #"{"note_type":"Basic","note_fields":{"Front":"luna","Back":"moon"}}"#,
    ]
    try ours.folder.write(lines.joined(separator: "\n"), to: "lines.jsonl")
    let told = try difference("Spanish", file("lines.jsonl"))
    #expect(told.contains { $0.hasPrefix("changed note v: ") }, "\(told)")
    #expect(told.contains { $0.hasPrefix("added note luna: ") }, "\(told)")
  }

  @Test func `a view of the past cannot open another one`() throws {
    let card = try #require(try note("gato", here).cards().first)
    try here.at(step: 1) {
      #expect(throws: (any Error).self) { try here.at(step: 1) {} }
      #expect(throws: (any Error).self) { _ = try here.comparing.history(of: card) }
    }
  }

  @Test(arguments: [
    ("l.csv", "Word,Meaning,Example\n"), ("w.csv", "Word,Meaning\n"), ("o.csv", "prompt,answer,Example\n"),
    ("t.tsv", "Word\tMeaning\tExample\n"), ("n.csv", ""), ("x.csv", "Word,Meaning,Example,tags\n"),
  ])
  func `conflicts of a table come into the deck with it, and are settled there`(_ name: String, _ head: String) throws {
    let separator = name.hasSuffix("tsv") ? "\t" : ","
    func row(_ first: String, _ answer: String) -> String {
      let cells = [first, answer] + (head.contains("Example") ? ["e"] : []) + (head.contains("tags") ? ["a"] : [])
      return cells.joined(separator: separator) + "\n"
    }
    for (side, answer) in [("base", "cat"), ("ours", "a < b"), ("theirs", "c <i> d")] {
      try ours.folder.write(head + row("gato", answer) + row("sol", "sun"), to: side + name)
    }
    let files = ["base", "ours", "theirs"].map { file($0 + name) }
    #expect(try merge(files[0], files[1], files[2], to: file(name)).result.conflicts.count == 1)
    // It is compared and merged again as the table that it is.
    #expect(try difference(file(name), files[1]).allSatisfy { !$0.contains("column") && !$0.contains("theirs") })
    #expect(try merge(files[0], file(name), files[0], to: file("again.csv")).result.conflicts.isEmpty)
    let text = try FileText.bytes(file(name), limit: 1000)
    #expect(try FileText.bytes(file("again.csv"), limit: 1000) == text)
    _ = try here.exchange.importCards(intoDeck: "New", from: [file(name)], .plain, .init())
    let deck = try here.decks.open("New")
    let shown = { try deck.cards().rest().map { try [$0.record().prompt, $0.record().answer] } }
    let other = head.contains("Word") && head.contains("Example") ? "\ne" : ""
    #expect(try shown() == [["gato", "a < b" + other], ["sol", "sun" + other]])
    #expect(try deck.cards().rest().map { try $0.record().tags.contains("conflict") } == [true, false])
    #expect(try here.comparing.settle(deck, guids: [], field: nil, by: .theirs) == 1)
    #expect(try shown() == [["gato", "c <i> d" + other], ["sol", "sun" + other]])
    #expect(try here.comparing.conflicts(in: deck).isEmpty)
  }

  @Test func `a column of the learner's own that is called conflicts stays one`() throws {
    for (side, answer) in [("base", "cat"), ("ours", "cat"), ("theirs", "tom")] {
      try ours.folder.write("Word,Meaning,conflicts,x\ngato,\(answer),,1\nsol,sun,\"[war]\",2\n", to: side + ".csv")
    }
    #expect(try merge(file("base.csv"), file("ours.csv"), file("theirs.csv"), to: file("out.csv")).counts.changed == 1)
    let (merged, theirs) = try (
      FileText.bytes(file("out.csv"), limit: 999), FileText.bytes(file("theirs.csv"), limit: 999)
    )
    #expect(merged == theirs)
    _ = try here.exchange.importCards(intoDeck: "New", from: [file("out.csv")], .plain, .init())
    let deck = try here.decks.open("New")
    let answers = try deck.cards().rest().map { try $0.record().answer }
    #expect(try answers == ["tom\nx: 1", "sun\nconflicts: [war]\nx: 2"] && here.comparing.conflicts(in: deck).isEmpty)
  }
}
