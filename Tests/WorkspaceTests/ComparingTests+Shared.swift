// What a merge into a deck does beside the notes: media files, and presets, which other decks may share.

import Decks
import Exchange
import Files
import Memory
import Storage
import Templates
import TestWorkspace

@testable import Workspace

extension ComparingTests {
  @Test func `cards with the same guids in another deck are not part of the merge`() throws {
    let second = try here.decks.create("Second")
    for (prompt, answer) in [("gato", "cat"), ("sol", "sun")] {
      try second.add(NewCard(prompt: prompt, answer: answer, guid: prompt), at: .bottom)
    }
    try ours.folder.write("prompt,answer,guid\ngato,cat,gato\nsol,sun,sol\n", to: "base.csv")
    try ours.folder.write("prompt,answer,guid\ngato,tomcat,gato\n", to: "theirs.csv")
    let before = try here.decks.open("Spanish").cards().rest().map { try $0.record().answer }
    _ = try merge(file("base.csv"), "Second", file("theirs.csv"))
    #expect(try second.cards().rest().map { try $0.record().answer } == ["tomcat"])
    #expect(try here.decks.open("Spanish").cards().rest().map { try $0.record().answer } == before)
  }

  @Test func `notes of theirs that another deck has stay there as they are, and are reported`() throws {
    let second = try here.decks.create("Second")
    try ours.folder.write("prompt,answer,guid\n", to: "base.csv")
    try ours.folder.write("prompt,answer,guid\ngato,tomcat,gato\nnuevo,new,new\n", to: "theirs.csv")
    let report = try merge(file("base.csv"), "Second", file("theirs.csv"))
    #expect(report.counts.added == 1 && report.counts.elsewhere == ["gato"], "\(report.counts)")
    #expect(try second.cards().rest().map { try $0.record().prompt } == ["nuevo"])
    #expect(try note("gato", here).record().fields == ["gato", "cat"])
  }

  @Test func `a card of a note that was moved out of the deck is not part of it, and stays as it is`() throws {
    let outside = try here.decks.create("French")
    let card = try note("v", here).cards()[1]
    #expect(try here.cards.move([card], into: outside) == 1)
    try here.cards.setFlag([card], to: 3)
    try export(here, "ours.apkg")
    #expect(try difference("Spanish", file("ours.apkg")) == [])
    _ = try note("v", there).update(fields: ["Word": "correr!"])
    try export(there, "theirs.apkg")
    #expect(try merge("Spanish", "Spanish", file("theirs.apkg")).counts.changed == 1)
    let left = try outside.cards().rest().map { try $0.record() }
    #expect(left.map(\.answer) == ["correr!"] && left.map(\.flag) == [3])
  }

  @Test func `fields named like the deck or the flag of a note are merged like others, and remain texts`() throws {
    let names = ["card 2", "deck", "field deck", "flag"]
    let second = try here.decks.create("Second")
    try second.add(
      NewCard(prompt: "a", answer: "b", guid: "x", fields: names.map { CardField($0, .text("1")) }), at: .bottom)
    let members = names.map { ", \"\($0)\": \"2\"" }.joined()
    try ours.folder.write("{\"prompt\": \"a\", \"answer\": \"c\", \"guid\": \"x\"\(members)}\n", to: "theirs.jsonl")
    #expect(try merge("Second", "Second", file("theirs.jsonl")).counts.changed == 1)
    let card = try #require(try second.cards().rest().first).record()
    #expect(try card.answer == "c" && card.flag == 0 && here.decks.all().count == 2)
    #expect(card.fields.sorted { $0.name < $1.name } == names.map { CardField($0, .text("2")) })
  }

  @Test func `a field whose name begins like that of a card's deck is not removed by a file that has no fields`() throws
  {
    let second = try here.decks.create("Second")
    let fields = [CardField("deck of card games", .text("1"))]
    try second.add(NewCard(prompt: "a", answer: "b", guid: "x", fields: fields), at: .bottom)
    try ours.folder.write("## a <!-- id: x -->\n\nc\n", to: "theirs.md")
    #expect(try merge("Second", "Second", file("theirs.md")).counts.changed == 1)
    let card = try #require(try second.cards().rest().first).record()
    #expect(card.answer == "c" && card.fields == fields)
  }

  @Test func `a card that theirs removed from a note type is removed although ours changed the style`() throws {
    let type = try here.noteTypes.open("Verb")
    var edit = NoteTypeEdit(try type.record())
    edit.css = ".card { color: red }"
    try type.edit(edit)
    let other = try there.noteTypes.open("Verb")
    var removal = NoteTypeEdit(try other.record())
    removal.cards.removeLast()
    try other.edit(removal, agreed: true)
    try export(there, "theirs.apkg")
    #expect(try merge(file("base.apkg"), "Spanish", file("theirs.apkg")).result.conflicts.isEmpty)
    let merged = try type.record()
    #expect(merged.cards.map(\.name) == ["One"] && merged.css == edit.css)
  }

  /// Replaces the content of a media name, as users do.
  private func change(_ name: String, to word: String, in workspace: Workspace) throws {
    try workspace.media.remove([name])
    _ = try workspace.media.add(Array(word.utf8), named: name)
  }

  @Test func `a package is opened once, however many of its files a merge needs`() throws {
    try export(there, "theirs.apkg")
    let media = ComparedMedia([.file(file("theirs.apkg"), .apkg)], here.comparing.settings())
    // SHA-1 of "first".
    let digest = "e0996a37c13d44c3b06074939d43fa3759bd32c1"
    #expect(try media.content(of: "sun.png", digest: digest) == nil)
    try Folder.removeFile(file("theirs.apkg"))
    #expect(try media.content(of: "run.png", digest: digest) == Array("first".utf8))
    #expect(try media.content(of: "run.png", digest: "00") == nil)
  }

  @Test(arguments: [false, true])
  func `a picture that theirs changed is imported, and a deck elsewhere keeps the one it shows`(isShared: Bool) throws {
    let elsewhere = try here.decks.create("French")
    if isShared {
      try elsewhere.addNote(
        NewNote(fields: ["Word": "courir", "Meaning": "<img src=\"run.png\">"], guid: "f"),
        type: here.noteTypes.open("Verb"))
    }
    try change("run.png", to: "red", in: there)
    try export(there, "theirs.apkg")
    let report = try merge(file("base.apkg"), "Spanish", file("theirs.apkg"))
    #expect(report.result.conflicts.isEmpty)
    #expect(report.counts.others == [.media: 1] && report.counts.total == (isShared ? 1 : 0))
    let html = try note("v", here).record().fields[1]
    let shown = try #require(MediaNames.inHTML(html).first)
    #expect(try text(of: shown) == "red" && (shown != "run.png") == isShared)
    #expect(try text(of: "run.png") == (isShared ? "first" : "red"))
    #expect(try here.media.all().count == (isShared ? 2 : 1))
    _ = try here.care.undo()
    #expect(try text(of: "run.png") == "first" && difference("Spanish", file("base.apkg")) == [])
  }

  @Test(arguments: [false, true])
  func `resolving with ours removes the file that the merge imported, unless a note shows it`(isShown: Bool) throws {
    try change("run.png", to: "blue", in: here)
    try change("run.png", to: "red", in: there)
    try export(there, "theirs.apkg")
    _ = try merge(file("base.apkg"), "Spanish", file("theirs.apkg"))
    let copy = try #require(try here.media.all().map(\.name).first { $0 != "run.png" })
    let deck = try here.decks.open("Spanish")
    if isShown { _ = try deck.add(NewCard(prompt: "rojo", answer: "[sound:\(copy)]")) }
    #expect(try here.comparing.settle(deck, guids: [], field: nil, by: .ours) == 1)
    #expect(try here.media.all().map(\.name) == ["run.png", copy].sorted().filter { isShown || $0 != copy })
    #expect(try text(of: "run.png") == "blue")
    _ = try here.care.undo()
    #expect(try text(of: copy) == "red")
  }

  @Test func `a missing file of base is reported, and is used once it is added by hand`() throws {
    try change("run.png", to: "blue", in: here)
    try change("run.png", to: "red", in: there)
    try export(there, "theirs.apkg")
    _ = try merge(file("base.apkg"), "Spanish", file("theirs.apkg"))
    let deck = try here.decks.open("Spanish")
    #expect(throws: ComparisonError.noFile(name: "run.png", side: .base)) {
      _ = try here.comparing.settle(deck, guids: [], field: nil, by: .base)
    }
    #expect(try here.comparing.conflicts(in: deck).count == 1 && text(of: "run.png") == "blue")
    _ = try here.media.add(Array("first".utf8), named: "run.png")
    #expect(try here.comparing.settle(deck, guids: [], field: nil, by: .base) == 1)
    #expect(try text(of: "run.png") == "first")
  }

  @Test func `resolving with ours keeps the current picture, whatever it is now`() throws {
    try change("run.png", to: "blue", in: here)
    try change("run.png", to: "red", in: there)
    try export(there, "theirs.apkg")
    _ = try merge(file("base.apkg"), "Spanish", file("theirs.apkg"))
    try change("run.png", to: "green", in: here)
    #expect(try here.comparing.settle(here.decks.open("Spanish"), guids: [], field: nil, by: .ours) == 1)
    #expect(try text(of: "run.png") == "green")
  }

  @Test(arguments: MergeSide.allCases)
  func `a merged package contains the picture of the side it shows`(_ side: MergeSide) throws {
    try change("run.png", to: "blue", in: here)
    try change("run.png", to: "red", in: there)
    try export(there, "theirs.apkg")
    try export(here, "ours.apkg")
    for operand in ["Spanish", file("ours.apkg")] {
      _ = try merge(file("base.apkg"), operand, file("theirs.apkg"), to: file("out.apkg"), by: side)
      let expected = side == .ours ? "ours.apkg" : "theirs.apkg"
      #expect(try difference(file("out.apkg"), file(expected)) == [], "\(operand)")
    }
  }

  /// The names of the presets here, with their new cards a day and the number of decks that use them.
  private func presets() throws -> [String] {
    try here.read { db in
      try PresetTable.list(db).map { "\($0.name) \($0.options.newPerDay) \($0.options.reviewsPerDay) \($0.deckCount)" }
    }
  }

  /// Both sides start with a deck and an inner deck that share a preset.
  private func sharePreset(_ outside: [String] = []) throws {
    let deck = try here.decks.open("Spanish")
    try deck.scheduling.set(.newPerDay, .number(7))
    let later = try here.decks.create("Spanish::Later")
    try later.add(NewCard(prompt: "mar", answer: "sea", guid: "mar"), at: .bottom)
    let preset = try here.read { try PresetTable.find($0, named: "Spanish").id }
    let others = try outside.map { try here.decks.create($0).id }
    try here.perform(.changePresets) { db in
      for id in [later.id] + others { try DeckTable.setPreset(db, id, to: preset) }
    }
    try export(here, "base.apkg")
    try there.decks.open("Spanish").remove()
    _ = try there.exchange.importCards(intoDeck: "Spanish", from: [file("base.apkg")], .plain, .init())
    #expect(try difference("Spanish", file("base.apkg")) == [])
  }

  @Test func `a note moved by both sides goes to the position of the side that resolves it`() throws {
    let deck = try here.decks.create("Words")
    for name in ["b", "c", "a"] { try deck.add(NewCard(prompt: name, answer: "x", guid: name), at: .bottom) }
    try ours.folder.write("prompt,answer,guid\na,x,a\nb,x,b\nc,x,c\n", to: "base.csv")
    try ours.folder.write("prompt,answer,guid\nc,x,c\na,x,a\nb,x,b\n", to: "theirs.csv")
    _ = try merge(file("base.csv"), "Words", file("theirs.csv"))
    #expect(try deck.cards().rest().map { try $0.record().prompt } == ["b", "c", "a"])
    let settled = try here.comparing.settle(deck, guids: [], field: nil, by: .theirs)
    let order = try deck.cards().rest().map { try $0.record().prompt }
    #expect(settled == 1 && order == ["c", "b", "a"])
  }

  @Test(arguments: ["theirs.apkg", "theirs.txt"])
  func `additional properties of a card stay if the format of theirs cannot hold them`(_ name: String) throws {
    let deck = try here.decks.create("Words")
    try ours.folder.write("prompt,answer,guid,plural\nluna,moon,l,lunas\n", to: "words.csv")
    _ = try here.exchange.importCards(intoDeck: "Words", from: [file("words.csv")], .plain, .init())
    _ = try deck.exportCards(to: file("base.jsonl"))
    _ = try deck.exportCards(to: file(name))
    _ = try merge(file("base.jsonl"), "Words", file(name))
    #expect(try difference("Words", file("base.jsonl")) == [])
  }

  @Test(arguments: ["theirs.apkg", "theirs.jsonl", "theirs.csv", "theirs.md"])
  func `flags, suspensions and options stay if theirs was written without them`(_ name: String) throws {
    try note("v", here).remove()
    let deck = try here.decks.open("Spanish")
    try deck.scheduling.set(.newPerDay, .number(7))
    let cards = try note("sol", here).cards()
    try here.cards.setFlag(cards, to: 2)
    try here.cards.setSuspended(cards, true)
    try deck.study(SessionHandle.Options(try here.preferences())).answer(.easy)
    try export(here, "base.apkg")
    _ = try deck.exportCards(to: file(name))
    _ = try merge(file("base.apkg"), "Spanish", file(name))
    #expect(try difference("Spanish", file("base.apkg")) == [])
  }

  @Test func `a preset gets the options that theirs changed, beside those that ours changed`() throws {
    try sharePreset()
    try there.decks.open("Spanish").scheduling.set(.newPerDay, .number(9))
    try export(there, "theirs.apkg")
    try here.decks.open("Spanish").scheduling.set(.reviewsPerDay, .number(50))
    let report = try merge(file("base.apkg"), "Spanish", file("theirs.apkg"))
    #expect(try report.result.conflicts.isEmpty && presets() == ["Spanish 9 50 2"])
    _ = try here.care.undo()
    #expect(try presets() == ["Spanish 7 50 2"])
  }

  @Test func `options of a preset that both sides changed are a conflict, and the preset is not split`() throws {
    try sharePreset()
    try there.decks.open("Spanish").scheduling.set(.newPerDay, .number(9))
    try export(there, "theirs.apkg")
    let deck = try here.decks.open("Spanish")
    try deck.scheduling.set(.newPerDay, .number(5))
    let report = try merge(file("base.apkg"), "Spanish", file("theirs.apkg"))
    #expect(try report.result.conflicts.map(\.kind) == [.deck] && presets() == ["Spanish 5 200 2"])
    #expect(try here.comparing.settle(deck, guids: [], field: nil, by: .theirs) == 1)
    #expect(try presets() == ["Spanish 9 200 2"])
  }

  @Test func `a preset shared with a deck elsewhere stays unchanged for that deck`() throws {
    try sharePreset(["French"])
    try there.decks.open("Spanish").scheduling.set(.newPerDay, .number(9))
    try export(there, "theirs.apkg")
    _ = try merge(file("base.apkg"), "Spanish", file("theirs.apkg"))
    #expect(try presets() == ["Spanish 7 200 1", "Spanish 2 9 200 1"])
    #expect(try here.decks.open("Spanish::Later").scheduling.options().newPerDay == 9)
    #expect(try difference("Spanish", file("theirs.apkg")) == ["changed deck : [\"preset Spanish 2 > Spanish\"] []"])
  }

  @Test func `limits of a single deck change neither the preset nor its fitted parameters`() throws {
    try sharePreset()
    let fitted = try FittedModels(answers: 500)
    let preset = try here.read { try PresetTable.find($0, named: "Spanish") }
    var options = preset.options
    options.fitted = fitted
    try here.perform(.changePresets) { try PresetTable.setOptions($0, preset.id, to: options) }
    for name in ["Spanish", "Spanish::Later"] {
      try there.decks.open(name).scheduling.setLimits([(.newPerDay, "2")])
    }
    try export(there, "theirs.apkg")
    _ = try merge(file("base.apkg"), "Spanish", file("theirs.apkg"))
    #expect(try presets() == ["Spanish 7 200 2"])
    #expect(try here.decks.open("Spanish::Later").scheduling.limits().value(.newPerDay) == 2)
    try there.decks.open("Spanish").scheduling.set(.reviewsPerDay, .number(9))
    try export(there, "more.apkg")
    _ = try merge(file("theirs.apkg"), "Spanish", file("more.apkg"))
    #expect(try presets() == ["Spanish 7 9 2"])
    #expect(try here.read { try PresetTable.find($0, named: "Spanish").options.fitted } == fitted)
  }

  /// Creates a shared preset with default options and fitted parameters, used by decks inside and outside the merge.
  private func fitDefault() throws -> FittedModels {
    let fitted = try FittedModels(answers: 500)
    let french = try here.decks.create("French").id
    let deck = try here.decks.open("Spanish").id
    try here.perform(.changePresets) { db in
      var options = DeckOptions()
      options.fitted = fitted
      let preset = try PresetTable.create(db, name: "Default", options: options, now: 1)
      for id in [deck, french] { try DeckTable.setPreset(db, id, to: preset.id) }
    }
    return fitted
  }

  @Test(arguments: [#"{"name": "Words", "options": {"new_per_day": 5}}"#, nil])
  func `options without a preset change neither a shared preset nor its fitted parameters`(folder: String?) throws {
    let fitted = try fitDefault()
    if let folder {
      try ours.folder.write(folder, to: "Words/deck.json")
      _ = try merge("/dev/null", "Spanish", file("Words"))
    } else {
      try ours.folder.write(#"{"deck_options": {"new_per_day": 5}}"# + "\n", to: "theirs.jsonl")
      _ = try merge("/dev/null", "Spanish", file("theirs.jsonl"))
    }
    let options = try here.decks.open("Spanish").scheduling.options()
    #expect(options.newPerDay == 5 && options.fitted == fitted)
    let others = try here.decks.open("French").scheduling.options()
    #expect(others.newPerDay == 20 && others.fitted == fitted)
  }
}
