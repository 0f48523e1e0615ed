// Complete JSON: JSON Lines, the deck object, notes, note types, schedules, options.

import Exchange
import Files
import Problems
import Templates
import TestDecks
import Text

@Suite struct JSONFileTests {
  private let other = TestCollection()

  let collection = TestCollection()
  let folder = TemporaryFolder()

  private func imported(_ name: String, _ text: String) throws -> (report: ImportReport, cards: [CardRecord]) {
    try collection.importing(Array(text.utf8), as: name, in: folder, isNew: true)
  }

  @Test func `each line with an object is a card, blank lines are skipped`() throws {
    let (report, cards) = try imported(
      "a.jsonl", "{\"prompt\":\"p\",\"answer\":\"a\",\"n\":1.50}\n\n {\"prompt\":\"q\",\"answer\":\"b\"}\r\n7\n")
    #expect(cards.map(\.prompt) == ["p", "q"] && cards[0].fields == [CardField("n", .json("1.50"))])
    #expect(report.cards.rejected.map(\.line) == [4])
  }

  @Test(arguments: [
    (
      "{\"prompt\":\"p\",\"answer\":\"a\"} x\n",
      "a.jsonl:1:29: the line's end expected, \"x\" found. Nothing was imported."
    ),
    ("{\"prompt\":\"p\"}\n{\"prompt\":", "a.jsonl:2:11: a value expected, the file ends here. Nothing was imported."),
  ])
  func `a broken line is reported with its position`(text: String, message: String) throws {
    let error = #expect(throws: ExchangeError.self) { try imported("a.jsonl", text) }
    #expect(error?.message == message)
  }

  /// Fills a deck with plain cards, notes of four types, an inner deck, options, schedules, a suspended card, a flag.
  private func fill() throws -> DeckID {
    let deck = try collection.deck("a")
    let inner = try collection.deck("a::Verbs")
    try collection.addNote(deck, ["Front": "<b>f</b>", "Back": "b"], .reversed, tags: ["t"])
    try collection.addNote(deck, ["Text": "{{c1::one}} and {{c2::two}}", "Back Extra": "x"], .cloze)
    for name in ["Word", "Verb"] {
      let draft = NoteTypeDraft(
        name: name, fields: ["Word", "Meaning", "Example"],
        cards: [CardTemplate("Forth", front: "{{Word}}", back: "{{Meaning}}<br>{{Example}}")], css: ".card {}")
      try collection.addNote(inner, NewNote(fields: ["Word": name, "Meaning": "to be"])) {
        try NoteTypeTable.create($0, draft, now: collection.now)
      }
    }
    let plain = try collection.add(
      deck, NewCard(prompt: "plain", answer: "a", tags: ["u"], fields: [CardField("level", .json("1.50"))]))
    try collection.add(inner, "estar", "to be")
    try collection.store.operation("schedule") { db in
      var schedule = CardSchedule()
      (schedule.state, schedule.due, schedule.stability) = (.review, 1_700_100_000.5, 12.25)
      (schedule.difficulty, schedule.reps, schedule.lapses, schedule.lastReview) = (5.5, 7, 1, 1_699_000_000)
      try CardHiding.setSchedule(db, plain, to: schedule, isSuspended: true, flag: 3, now: 1)
      let second = try #require(try CardTable.ids(db, in: deck).last)
      schedule.state = .learning
      try CardHiding.setSchedule(db, second, to: schedule, isSuspended: false, flag: 0, now: 1)
      // The second card of the reversed note comes first.
      try CardTable.move(db, second, to: 1)
      var options = DeckOptions()
      try options.set(.newPerDay, to: 7)
      try options.set(.learningSteps, toText: "2m 20m")
      try DeckTable.setPreset(
        db, deck, to: PresetTable.create(db, name: "Slow", options: options, now: 1_700_000_000).id)
      var limits = DeckLimits()
      try limits.set(.reviewsPerDay, to: 11)
      try DeckTable.setLimits(db, inner, to: limits)
      try CardTable.addLog(db, log, to: plain)
    }
    return deck
  }

  /// A log with a complete answer, an empty one, and an invalid row.
  private var log: [LoggedReview] {
    var first = LoggedReview(at: 1_698_000_000.25, rating: 3, state: .new, interval: 600)
    (first.stability, first.difficulty, first.seconds) = (2.5, 5.25, 4.125)
    var second = LoggedReview(at: 1_699_000_000, rating: 1, state: .learning, interval: 86_400)
    second.elapsed = 999_999.75
    return [first, second, LoggedReview(at: 1_699_000_001, rating: 0, state: .review, interval: 0)]
  }

  @Test(arguments: ["x.json", "x.jsonl"])
  func `everything comes back as it was`(name: String) throws {
    let deck = try fill()
    var options = ExportOptions()
    options.hasSchedule = true
    let written = try collection.exporting(deck, folder.file(name), options)
    #expect(written.cards == 8 && written.lost.isEmpty, "\(written.lost)")
    let target = try other.deck("b")
    let report = try other.importing(target, [folder.file(name)], isNew: true)
    #expect(report.cards.added == 8 && report.cards.rejected.isEmpty, "\(report.cards.rejected)")
    for (from, to) in [("a", "b"), ("a::Verbs", "b::Verbs")] {
      let mine = try collection.cards(collection.deck(named: from))
      let theirs = try other.cards(other.deck(named: to))
      #expect(mine.map(\.prompt) == theirs.map(\.prompt) && mine.map(\.answer) == theirs.map(\.answer))
      #expect(mine.map(\.guid) == theirs.map(\.guid) && mine.map(\.tags) == theirs.map(\.tags))
      #expect(mine.map(\.schedule) == theirs.map(\.schedule) && mine.map(\.fields) == theirs.map(\.fields))
      #expect(mine.map(\.isSuspended) == theirs.map(\.isSuspended) && mine.map(\.flag) == theirs.map(\.flag))
      let types = try [(collection, mine), (other, theirs)].map { collection, cards in
        try collection.store.read { db in
          try cards.map { try NoteTypeTable.record(db, NoteTable.record(db, $0.note).type).name }
        }
      }
      #expect(types[0] == types[1])
      #expect(mine.map(\.ordinal) == theirs.map(\.ordinal))
      let options = try collection.store.read { try DeckTable.options($0, collection.deck(named: from)) }
      #expect(try other.store.read { try DeckTable.options($0, other.deck(named: to)) } == options)
    }
    try other.store.read { db in
      #expect(try PresetTable.list(db).map(\.name) == ["Slow"])
      let limits = try DeckTable.limits(db, other.deck(named: "b::Verbs"))
      #expect(limits.value(.reviewsPerDay) == 11 && limits.value(.newPerDay) == nil)
      #expect(try DeckTable.preset(db, other.deck(named: "b::Verbs")) == nil)
      let card = try #require(try other.cards(target).first { $0.prompt == "plain" })
      #expect(try SentReviews(db).of(card.id).map(\.review) == log)
      #expect(try DeckTable.record(db, target).studied == 1_699_000_001)
    }
    #expect(
      try other.store.read { try NoteTypeTable.named($0, "Word")?.draft }
        == collection.store.read { try NoteTypeTable.named($0, "Word")?.draft })
    let again = folder.file("again-" + name)
    _ = try other.exporting(target, again, options)
    let mine = try #require(try FileText.read(folder.file(name), limit: 1 << 20))
    #expect(try FileText.read(again, limit: 1 << 20) == mine.replacing("\"deck\": \"a\"", with: "\"deck\": \"b\""))
    #expect(try other.importing(target, [folder.file(name)]).cards.added == 0)
  }

  @Test(arguments: ["x.json", "x.jsonl"])
  func `a card removed from its note, or in another deck, does not come back`(name: String) throws {
    let deck = try collection.deck("a")
    let elsewhere = try collection.deck("b")
    for front in ["one", "two", "three"] {
      try collection.addNote(deck, ["Front": front, "Back": front + "!"], .reversed)
    }
    try collection.store.operation("remove") { db in
      let cards = try CardTable.cards(db, ids: CardTable.ids(db, in: deck))
      func card(_ prompt: String) throws -> CardID { try #require(cards.first { $0.prompt == prompt }).id }
      try CardTable.remove(db, [card("one!"), card("two")])
      _ = try CardTable.move(db, [card("three!")], into: elsewhere, now: 1)
    }
    _ = try collection.exporting(deck, folder.file(name))
    let target = try other.deck("a")
    let report = try other.importing(target, folder.file(name))
    #expect(report.added == 3 && report.rejected.isEmpty, "\(report.rejected)")
    #expect(try other.cards(target).map(\.prompt) == collection.cards(deck).map(\.prompt))
    #expect(try Set(other.prompts(target)) == ["one", "two!", "three"])
  }

  @Test(arguments: ["x.json", "x.jsonl", "x.txt", "x.csv"])
  func `a card that no template makes any more is left out of what holds notes, and named`(name: String) throws {
    let deck = try collection.deck("a")
    try collection.addNote(deck, ["Front": "<i>casa</i>", "Back": "house"], .reversed)
    try collection.addNote(deck, ["Front": "<i>perro</i>", "Back": "dog"])
    // As a package may bring it.
    try collection.store.operation("change") { try $0.execute(sql: "UPDATE cards SET ord = 7 WHERE ord = 0") }
    let report = try collection.exporting(deck, folder.file(name))
    guard name != "x.csv" else {
      #expect(report.cards == 3 && report.omitted.isEmpty)
      return
    }
    #expect(report.cards == 1 && Set(report.omitted) == ["casa", "perro"])
    #expect(report.lost.map(\.part) == [.unmadeCards] && report.lost.map(\.count) == [2])
    let target = try other.deck("a")
    let there = try other.importing(target, folder.file(name))
    #expect(there.rejected.isEmpty, "\(there.rejected)")
    // An Anki text has no numbers of cards.
    #expect(try other.prompts(target) == (name == "x.txt" ? ["casa", "house"] : ["house"]))
  }

  @Test func `a note whose ordinals match none of its cards gets all cards`() throws {
    let line = #"{"note_type":"Basic (and reversed card)","note_fields":{"Front":"f","Back":"b"},"ordinals":[7]}"#
    #expect(try imported("a.jsonl", line + "\n").cards.count == 2)
  }

  @Test func `without a schedule the cards are new, and this is reported`() throws {
    let deck = try fill()
    let report = try collection.exporting(deck, folder.file("x.json"))
    #expect(report.lost.map { $0.part } == [.schedule, .reviews] && report.lost[0].count == 2)
    _ = try other.importing(other.deck("b"), [folder.file("x.json")])
    #expect(try other.cards(other.deck(named: "b")).allSatisfy { $0.state == .new && !$0.isSuspended })
  }

  @Test(arguments: ["x.json", "x.jsonl", "x.txt"])
  func `a note too large for a row is left out and named, and the other notes are imported`(name: String) throws {
    let deck = try collection.deck("a")
    let long = "<b>" + String(repeating: "x", count: 1_000_000) + "</b>"
    try collection.addNote(deck, ["Front": "<i>large</i>", "Back": long], .reversed)
    try collection.addNote(deck, ["Front": "<i>small</i>", "Back": "b"], .reversed)
    let report = try collection.exporting(deck, folder.file(name))
    #expect(report.cards == 2 && report.omitted == ["large"])
    #expect(report.lost.map(\.part) == [.largeCards] && report.lost.map(\.count) == [2])
    let there = try other.importing(other.deck("b"), folder.file(name))
    #expect(there.added == 2 && there.rejected.isEmpty, "\(there.rejected)")
    var options = ExportOptions()
    options.isComplete = true
    #expect(throws: ExchangeError.noRoom(card: "large")) {
      try collection.exporting(deck, folder.file("all-" + name), options)
    }
    #expect(!fileExists(folder.file("all-" + name)))
  }

  @Test(arguments: ["x.json", "x.csv", "x.md"])
  func `a card whose texts are together too large for a row is left out and named`(name: String) throws {
    let deck = try collection.deck("a")
    try collection.add(deck, "large", String(repeating: "x", count: 999_999))
    try collection.add(deck, "p", "a")
    let report = try collection.exporting(deck, folder.file(name))
    #expect(report.cards == 1 && report.omitted == ["large"])
    #expect(try other.importing(other.deck("b"), folder.file(name)).added == 1)
  }

  @Test func `options with invalid values are reported`() throws {
    let deck = try collection.deck("d")
    let text = #"{"deckhand":1,"options":{"new_per_day":-3,"fuzz":"x","reviews_per_day":9}}"#
    try AtomicFile.write(folder.file("a.json"), Array(text.utf8))
    let lost = try collection.importing(deck, [folder.file("a.json")], isNew: true).cards.lost
    #expect(
      lost.count == 2 && lost.contains { $0.hasPrefix("an option of \"d\", because new_per_day must be ") }, "\(lost)")
    let options = try collection.store.read { try DeckTable.options($0, deck) }
    #expect(options.newPerDay == DeckOptions().newPerDay && options.reviewsPerDay == 9)
  }

  @Test func `an existing deck keeps its options, and a different type of the same name is renamed`() throws {
    let text = """
      {"deckhand":1,"x":[{"y":1}],"options":{"new_per_day":3},
       "note_types":[{"name":"Basic","fields":["A"],"cards":[{"name":"C","front":"{{A}}","back":"x"}]}],
       "cards":[{"note_type":"Basic","note_fields":{"A":"1"}}]}
      """
    let deck = try collection.deck("d")
    try collection.addNote(deck, ["Front": "f", "Back": "b"])
    try AtomicFile.write(folder.file("a.json"), Array(text.utf8))
    #expect(try collection.importing(deck, folder.file("a.json")).added == 1)
    #expect(try collection.store.read { try NoteTypeTable.named($0, "Basic+")?.fields } == ["A"])
    #expect(try collection.store.read { try DeckTable.options($0, deck).newPerDay } == DeckOptions().newPerDay)
  }

  @Test func `note types may follow the cards, as in a file with sorted keys`() throws {
    let (report, cards) = try imported(
      "a.json",
      """
      {"cards":[{"guid":"g","note_fields":{"A":"1"},"note_type":"W"}],
       "note_types":[{"cards":[{"back":"x","front":"{{A}}","name":"C"}],"fields":["A"],"name":"W"}]}
      """)
    #expect(cards.map(\.prompt) == ["1"] && report.cards.rejected.isEmpty)
    #expect(try collection.store.read { try NoteTypeTable.named($0, "W+") } == nil)
  }

  @Test(arguments: [
    (
      #"{"prompt":"p","answer":"a","schedule":{"state":"review"}}"#,
      "schedule must have due, stability and difficulty for a card that is not new"
    ),
    (
      #"{"prompt":"p","answer":"a","schedule":{"state":"old"}}"#,
      "schedule.state must be one of new, learning, review, relearning"
    ),
    (#"{"prompt":"p","answer":"a","schedule":{"state":"new","reps":1e300}}"#, "schedule.reps must be a whole number"),
    (#"{"prompt":"p","answer":"a","schedule":{"state":"new","lapses":1.5}}"#, "schedule.lapses must be a whole number"),
    (
      #"{"prompt":"p","answer":"a","reviews":[{"at":1,"rating":9,"state":"new","interval":1}]}"#,
      "reviews.rating must be from 0 to 4"
    ),
    (
      #"{"prompt":"p","answer":"a","reviews":[{"at":"x","rating":3,"state":"new","interval":1}]}"#,
      "reviews must be objects with at, rating, state and interval"
    ),
    (
      #"{"prompt":"p","answer":"a","schedule":{"state":"review","due":1e300,"stability":1,"difficulty":1}}"#,
      "schedule.due must be from -10,000,000,000,000 to 10,000,000,000,000"
    ),
    (#"{"note_type":"Nope","note_fields":{"A":"1"}}"#, "no note type is called \"Nope\""),
    (
      #"{"note_type":"Basic","note_fields":{"Frnt":"1"}}"#,
      "the note type \"Basic\" has no field called \"Frnt\" (did you mean \"Front\"?); it has Front, Back"
    ),
    (
      #"{"prompt":"p","answer":"a","schedule":{"state":"new","flag":8}}"#,
      "schedule.flag must be a whole number from 0 to 7"
    ),
    (#"{"prompt":"p","answer":"a","guid":3}"#, "the guid must be a text in quotes"),
    (#"{"prompt":"p","answer":"a","subdeck":[]}"#, "the subdeck must be a text in quotes"),
    (#"{"prompt":"p","answer":"a","tags":{}}"#, "the tags must be a text in quotes"),
    (
      "{\"prompt\":\"p\",\"answer\":\"a\",\"x" + String(repeating: "\u{301}", count: 5000) + "\":1}",
      "the name of a value has more than \(longestMarkRun) combining marks in a row"
    ),
    (
      #"{"note_guid":"g","ordinal":1}"#,
      "this card belongs to the note with the guid \"g\", which does not come before it"
    ),
    (#"{"note_guid":"g"}"#, "the card of a note needs its ordinal, from 0"),
    (
      #"{"note_type":"Basic","note_fields":{"Front":"1"},"ordinals":[-1]}"#,
      "ordinals must be the numbers of the note's cards, from 0"
    ),
    (#"{"note_type":{"name":"N"}}"#, "a note type must have a name, fields and cards"),
    (#"{"note_type":"Cloze","note_fields":{"Text":"no cloze"}}"#, ""),
  ])
  func `an invalid note is refused, and nothing of it is left`(line: String, message: String) throws {
    let (report, cards) = try imported("a.jsonl", line + "\n")
    #expect(cards.isEmpty && report.cards.rejectedCount == 1)
    if !message.isEmpty { #expect(report.cards.rejected.first?.message == message) }
    #expect(
      try collection.store.read {
        try NoteTypeTable.noteCount($0, NoteTypeTable.named($0, "Cloze")?.id ?? NoteTypeID(rawValue: 0))
      } == 0)
  }

  @Test func `values of a note that are not texts are kept as written`() throws {
    let cards = try imported(
      "a.jsonl",
      #"{"note_type":"Basic","note_fields":{"Front":1,"Back":[2, true]},"ordinal":"x"}"# + "\n"
        + #"{"prompt":"p","answer":"a","reviews":"many","note_guid":7,"ordinals":"all"}"#
    ).cards
    #expect(cards.map(\.prompt) == ["1", "p"] && cards.map(\.answer) == ["[2,true]", "a"])
    #expect(cards[1].fields.map(\.name) == ["reviews", "note_guid", "ordinals"])
  }

  @Test func `fields that only share a name with our members stay fields`() throws {
    let cards = try imported("a.jsonl", #"{"prompt":"p","answer":"a","schedule":"daily","note_type":"x","ordinal":2}"#)
      .cards
    #expect(
      cards[0].fields == [
        CardField("schedule", .text("daily")), CardField("note_type", .text("x")), CardField("ordinal", .json("2")),
      ])
  }

  @Test func `an existing note is skipped, updated or an error`() throws {
    let line = { (back: String) in #"{"note_type":"Basic","guid":"g","note_fields":{"Front":"f","Back":"\#(back)"}}"# }
    let deck = try collection.deck("d")
    let path = folder.file("a.jsonl")
    var options = ImportOptions()
    for (back, choice, expected, answer) in [
      ("1", OnDuplicate.skip, [1, 0, 0], "1"), ("2", .skip, [0, 0, 1], "1"), ("2", .update, [0, 1, 0], "2"),
      ("2", .update, [0, 0, 1], "2"),
    ] {
      try AtomicFile.write(path, Array(line(back).utf8))
      options.onDuplicate = choice
      let report = try collection.importing(deck, path, options)
      #expect([report.added, report.updated, report.skipped] == expected)
      #expect(try collection.cards(deck).map(\.answer) == [answer])
    }
    options.onDuplicate = .error
    #expect(throws: ExchangeError.self) { try collection.importing(deck, path, options) }
  }

  @Test func `a note with a new guid is another note even if it shows the same, one without a guid is not`() throws {
    let line = { (guid: String) in #"{"note_type":"Basic",\#(guid)"note_fields":{"Front":"f","Back":"b"}}"# }
    let (report, cards) = try imported(
      "a.jsonl", [line(#""guid":"g","#), line(#""guid":"h","#), line("")].joined(separator: "\n"))
    #expect(report.cards.added == 2 && report.cards.skipped == 1 && cards.map(\.prompt) == ["f", "f"])
  }

  @Test(arguments: [#""   ":1"#, #""x":"a\u0000b""#, #""document":"a\u0000b""#])
  func `a note with data that no card can hold is refused completely, and the rest is imported`(member: String) throws {
    let note = #"{"guid":"g","note_type":"Cloze","note_fields":{"Text":"{{c1::a}}"},"# + member + "}"
    let (report, cards) = try imported("a.jsonl", note + "\n{\"prompt\":\"p\",\"answer\":\"a\"}\n")
    #expect(report.cards.rejected.map(\.line) == [1] && cards.map(\.prompt) == ["p"])
  }

  @Test func `a card that is here gets the answers of its line that it lacks, and keeps its schedule`() throws {
    let deck = try collection.deck("Here")
    func line(_ times: [Double], _ guid: String = #""guid":"g","#) -> String {
      let log = times.map { #"{"at":\#($0),"rating":3,"state":"new","interval":60}"# }.joined(separator: ",")
      let plan = #"{"state":"review","due":9,"stability":5,"difficulty":5}"#
      return #"{"prompt":"p","answer":"a",\#(guid)"schedule":\#(plan),"reviews":[\#(log)]}"#
    }
    func importing(_ line: String) throws -> (report: AddReport, times: [Double]) {
      let report = try collection.importing(deck, folder.write(line + "\n", to: "a.jsonl"))
      let card = try #require(try collection.cards(deck).first)
      return (report, try collection.store.read { try SentReviews($0).of(card.id).map(\.review.at) })
    }
    try collection.add(deck, "p", "a", guid: "g")
    for times in [[1000.25], [1000.25, 2000.5], [1000.2504]] as [[Double]] {
      let report = try importing(line(times)).report
      #expect(report.lost == [] && report.rejected == [])
    }
    // Nothing says which card it is.
    let last = try importing(line([7000], ""))
    #expect(last.times == [1000.25, 2000.5] && last.report.lost == ["1 answer, because the cards were there already"])
    #expect(try collection.cards(deck).map(\.state) == [.new])
  }
}
