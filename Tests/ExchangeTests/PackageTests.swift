// Anki packages: importing packages made by Anki, round trips, and what is refused. `Tests/Peers/anki_packages.py
// --fixtures` makes the fixtures.

import Files
import Glibc
import Memory
import Problems
import Synchronization
import Templates
import TestDecks
import Values

@testable import Exchange

@Suite struct PackageTests {
  let here = PackageCollection()
  let there = PackageCollection()

  @Test(arguments: ["latest.apkg", "legacy.apkg"])
  func `a package from Anki is imported with decks, templates, schedules, marks and media`(_ name: String) throws {
    here.collection.now = 1_795_330_000
    #expect(try here.importing(fixturePath(name), into: "Spanish").added == 10)
    #expect(try here.collection.names() == ["Spanish", "Spanish::Nouns"])
    let cards = try here.cards("Spanish")
    #expect(
      cards.map(\.prompt) == [
        "La [...] es grande", "La casa es [size]", "q0 & <", "q1 & <", "q2 & <", "q3 & <", "q4 & <", "q5 & <",
      ])
    #expect(cards.map(\.guid).prefix(2) == ["cloze-1", "cloze-1/2"])
    #expect(cards.map(\.state) == [.new, .new, .review, .learning, .review, .new, .new, .new])
    #expect(cards.map(\.isSuspended).firstIndex(of: true) == 5)
    #expect(cards.map(\.flag) == [0, 0, 0, 0, 0, 0, 4, 0])
    // The first was answered "easy" on day 20,779, the third was scheduled to come 5 days later.
    #expect(cards[2].due == here.moment.start(ofDay: 20_779 + 16))
    #expect(cards[4].due == here.moment.start(ofDay: 20_779 + 5))
    #expect(cards[2].stability == 8.2956 && cards[2].difficulty == 1)
    #expect(cards[3].due == 1_795_330_784 && cards[3].schedule.step == 1)
    let nouns = try here.cards("Spanish::Nouns")
    #expect(nouns.map(\.answer) == ["[picture cat.png] cat [sound gato.mp3]", "gato"])
    #expect(nouns.allSatisfy { $0.tags == ["a::b", "c"] })
    #expect(Set(here.media.keys) == ["_paper.png", "cat.png", "gato.mp3"])
    #expect(try here.count("reviews") == 4)
    let options = try here.collection.store.read { db in
      try DeckTable.options(db, DeckTable.find(db, named: "Spanish::Nouns").id)
    }
    #expect(options.newPerDay == 7 && options.desiredRetention == 0.85 && options.learningSteps == [60, 900, 3600])
    // Other preset data from Anki, with either schema.
    let said = try here.collection.store.read { db in
      let preset = try #require(try PresetTable.list(db).first { $0.options.newPerDay == 7 }).id.rawValue
      return ServerRows.record(try SyncedTable.presets.json(db, preset))
    }
    #expect(said["rev"]?.record?["ease4"]?.double == 1.3 && said["autoplay"] == .boolean(true))
    #expect(said["new"]?.record?["initialFactor"]?.integer == 2500 && said["lapse"]?.record?["mult"]?.double == 0)
    let type = try here.collection.store.read { try NoteTypeTable.find($0, named: "Word") }
    #expect(type.css.contains("navy") && type.cards.map(\.name) == ["There", "Back"])
    #expect(try here.leftovers.isEmpty)
  }

  @Test func `a second import changes nothing`() throws {
    try here.importing(fixturePath("latest.apkg"))
    let before = try here.everything()
    let report = try here.importing(fixturePath("legacy.apkg"))
    #expect(report.added == 0 && report.updated == 0 && report.skipped == 10)
    #expect(try here.everything() == before)
  }

  @Test func `a long package leaves all indexes, and its last note may repeat the guid of an earlier one`() throws {
    let indexes = "SELECT name, sql FROM sqlite_master WHERE type = 'index'"
    let made = try here.collection.store.read { Set(try $0.rows(indexes) { $0.values.description }) }
    let deck = try there.collection.deck("Words")
    _ = try there.collection.addAll(deck, (0..<5000).map { NewCard(prompt: "p\($0)", answer: "a\($0)") })
    let first = "UPDATE notes SET guid = (SELECT guid FROM notes ORDER BY id LIMIT 1) WHERE id = "
    try there.collection.store.operation("x") { try $0.execute(sql: first + "(SELECT max(id) FROM notes)") }
    let report = try here.importing(there.exporting("Words").path)
    #expect((report.added, report.skipped) == (4999, 1))
    #expect(try here.collection.store.read { Set(try $0.rows(indexes) { $0.values.description }) } == made)
    #expect(try here.importing(there.exporting("Words").path).skipped == 5000)
  }

  @Test func `without its schedule every card is new`() throws {
    try here.importing(fixturePath("latest.apkg"), keepsSchedule: false)
    #expect(try here.cards("Here").allSatisfy { $0.state == .new && $0.reps == 0 })
    #expect(try here.count("reviews") == 0)
  }

  @Test func `the tags that come from studying go with the schedule`() throws {
    let deck = try there.collection.deck("Words")
    try there.collection.addNote(deck, ["Front": "casa", "Back": "house"], tags: ["a", "leech", "Marked", "leech::b"])
    let (with, without) = (
      try there.exporting("Words", "with.apkg", keepsSchedule: true).path, try there.exporting("Words").path
    )
    for (path, keepsSchedule, tags) in [
      (with, true, ["a", "leech", "Marked", "leech::b"]), (with, false, ["a", "leech::b"]),
      (without, true, ["a", "leech::b"]),
    ] {
      let other = PackageCollection()
      try other.importing(path, keepsSchedule: keepsSchedule)
      #expect(try other.cards("Here").map(\.tags) == [tags])
    }
  }

  @Test func `a newer note changes the one here, an older one does not`() throws {
    let deck = try there.collection.deck("Words")
    let note = try there.collection.addNote(deck, ["Front": "casa", "Back": "house"])
    try here.importing(there.exporting("Words").path)
    there.collection.now += 10
    try there.change(note, "Back", to: "<b>home</b>")
    let newer = try there.exporting("Words", "newer.apkg").path
    let report = try here.importing(newer)
    #expect(report.updated == 1 && report.added == 0)
    #expect(try here.cards("Here").map(\.answer) == ["home"])
    #expect(try here.importing(there.folder.file("out.apkg")).skipped == 1)
    #expect(try here.cards("Here").map(\.answer) == ["home"])
  }

  @Test func `an option decides what becomes of notes that are already here`() throws {
    let deck = try there.collection.deck("Words")
    let note = try there.collection.addNote(deck, ["Front": "casa", "Back": "house"])
    let older = try there.exporting("Words", "older.apkg").path
    there.collection.now += 10
    try there.change(note, "Back", to: "home")
    let newer = try there.exporting("Words", "newer.apkg").path
    try here.importing(older, onDuplicate: .error)
    let steps: [(path: String, choice: OnDuplicate?, updated: Int, answer: String)] = [
      (newer, .skip, 0, "house"), (newer, nil, 1, "home"), (older, nil, 0, "home"), (older, .update, 1, "house"),
      (older, .update, 0, "house"),
    ]
    for (path, choice, updated, answer) in steps {
      let report = try here.importing(path, onDuplicate: choice)
      #expect([report.added, report.updated, report.skipped] == [0, updated, 1 - updated])
      #expect(try here.cards("Here").map(\.answer) == [answer])
    }
    let error = #expect(throws: ExchangeError.self) { try here.importing(newer, onDuplicate: .error) }
    #expect(error?.message == "newer.apkg: the note \"casa\" already exists. Nothing was imported.")
    #expect(try here.cards("Here").map(\.answer) == ["house"])
  }

  @Test(arguments: [false, true])
  func `two notes of a package with one guid are one note, which is reported`(isEmpty: Bool) throws {
    if !isEmpty { try here.collection.add(here.collection.deck("Other"), "p", "a") }
    let more = """
      INSERT INTO notes VALUES (2, 'g', 7, 2, 0, '', 'newer' || char(31) || 'b', 'newer', 0, 0, '');
      INSERT INTO cards VALUES (2, 2, 1, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, '');
      """
    let path = try package(
      here.folder, [("collection.anki2", try collectionFile(here.folder, BadPackageTests.basic + more))])
    let report = try here.importing(path, onDuplicate: .error)
    #expect(report.lost == ["notes with the guid of another note of the package (1 note)"])
    let cards = try here.cards("Here")
    #expect(cards.count == 1 && cards[0].guid == "g")
  }

  @Test func `a card edited elsewhere comes back as edited`() throws {
    let deck = try here.collection.deck("Here")
    try here.collection.add(deck, "casa", "huose", guid: "g1")
    try here.collection.add(deck, "perro", "dog", guid: "g2")
    try there.importing(here.exporting("Here").path, into: "There")
    there.collection.now += 10
    for (guid, text) in [("g1", "house"), ("g2", "a <b>dog</b>")] {
      let note = try #require(try there.collection.store.read { try NoteTable.ids($0, guidBeginning: guid) }.first)
      try there.change(note, "Back", to: text)
    }
    #expect(try here.importing(there.exporting("There").path).updated == 2)
    let cards = try here.cards("Here")
    #expect(cards.map(\.answer) == ["a dog", "house"])
    #expect(cards.map(\.guid) == ["g2", "g1"])
  }

  @Test(arguments: [false, true])
  func `while a package is copied to its path, its content is nowhere else among the temporary files`(
    isLegacy: Bool
  ) throws {
    try here.importing(fixturePath("latest.apkg"), into: "Spanish")
    let last = Mutex<[String]>([])
    var destination = ExchangeSettings(
      folder: here.folder.path, moment: here.moment,
      isInterrupted: { [path = here.folder.path] in
        let scratch = names(in: path).first { $0.hasPrefix(".package") }
        last.withLock { last in last = scratch.map { names(in: path + "/" + $0) } ?? [] }
        return false
      }, mediaPath: { [folder = here.folder] in folder.file($0.hash) })
    destination.format = isLegacy ? .apkgLegacy : .apkg
    let path = here.folder.file("out.apkg")
    _ = try here.collection.store.read { db in
      try PackageExport(db, decks: [DeckTable.find(db, named: "Spanish").id], destination).run(to: path)
    }
    #expect(last.withLock { $0 } == ["package"])
    #expect(try there.importing(path).added == 10)
  }

  private func makeWords() throws {
    let deck = try here.collection.deck("Words")
    let inner = try here.collection.deck("Words::Inner")
    for number in 1...30 {
      try here.collection.add(
        number % 3 == 0 ? inner : deck,
        NewCard(prompt: "p\(number) & <b>\n2", answer: "a\(number)", tags: number % 2 == 0 ? ["x", "y::z"] : []))
    }
    try here.collection.addNote(deck, ["Front": "<i>f</i>", "Back": "b"], .reversed, tags: ["n"])
    try here.collection.addNote(inner, ["Text": "a {{c1::b}} {{c2::c}}", "Back Extra": ""], .cloze)
    try here.collection.store.operation("study") { db in
      let selection = StudySelection([deck])
      let session = try ReviewSession(db, selection, at: here.moment)
      for rating in [Rating.easy, .good, .again, .hard, .easy, .good, .good] {
        here.collection.now += 7
        try session.answer(db, rating, at: here.moment, seconds: 3)
      }
    }
  }

  @Test func `cards that existed before keep their log, new ones bring theirs`() throws {
    try makeWords()
    there.collection.now = here.collection.now
    _ = try there.importing(here.exporting("Words", keepsSchedule: true).path, into: "Words")
    let before = try there.count("reviews")
    let old = try #require(try here.cards("Words").first).id
    try here.collection.add(here.collection.deck(named: "Words"), NewCard(prompt: "new", answer: "card", guid: "new"))
    let new = try #require(try here.cards("Words").first { $0.guid == "new" }).id
    try here.collection.store.operation("log") { db in
      for (place, card) in [old, new].enumerated() {
        let review = LoggedReview(
          at: here.collection.now + Double(place) + 60, rating: 3, state: .review, interval: 86_400)
        try CardTable.addLog(db, [review], to: card)
      }
    }
    #expect(try there.importing(here.exporting("Words", keepsSchedule: true).path, into: "Words").added == 1)
    #expect(try there.count("reviews") == before + 1)
  }

  @Test(arguments: [false, true])
  func `cards, schedules and logs survive a round trip`(_ isLegacy: Bool) throws {
    try makeWords()
    there.collection.now = here.collection.now
    let (path, report) = try here.exporting("Words", keepsSchedule: true, isLegacy: isLegacy)
    #expect(report.cards == 34)
    #expect(try there.importing(path, into: "Words").added == 34)
    for deck in ["Words", "Words::Inner"] {
      let (mine, theirs) = (try here.cards(deck), try there.cards(deck))
      let known = Dictionary(uniqueKeysWithValues: theirs.map { ($0.guid, $0) })
      #expect(mine.count == theirs.count)
      for card in mine {
        let other = try #require(known[card.guid])
        #expect(other.prompt == card.prompt && other.answer == card.answer && other.tags == card.tags)
        #expect(other.state == card.state && other.due.map(Int.init) == card.due.map(Int.init))
        #expect(other.reps == card.reps && other.lapses == card.lapses && other.schedule.step == card.schedule.step)
        #expect(abs((other.stability ?? 0) - (card.stability ?? 0)) < 1e-4)
        #expect(other.schedule.lastReview.map(Int.init) == card.schedule.lastReview.map(Int.init))
      }
      #expect(mine.map(\.guid) == theirs.map(\.guid))
    }
    #expect(try there.count("reviews") == here.count("reviews"))
    // Export again: the same rows, so the same bytes except for deck names.
    let back = try there.exporting("Words", keepsSchedule: true, isLegacy: isLegacy).path
    #expect(try here.importing(back, into: "Words").added == 0)
  }

  @Test(arguments: [(false, false), (true, false), (false, true)])
  func `the same deck gives the same bytes`(_ isLegacy: Bool, _ isWhole: Bool) throws {
    try makeWords()
    _ = try here.settings().receiveMedia([1, 2, 3], "_a.png")
    let first = try here.exporting("Words", "1", isLegacy: isLegacy, isWhole: isWhole).path
    here.collection.now += 5000
    let second = try here.exporting("Words", "2", isLegacy: isLegacy, isWhole: isWhole).path
    #expect(here.folder.read("1") == here.folder.read("2"))
    #expect(first != second)
  }

  @Test func `the decks of a package become inner decks; the outermost one becomes the deck itself`() throws {
    for name in ["A::B", "A::B::C", "A::D"] { try there.collection.add(there.collection.deck(name), name, "x") }
    try here.importing(there.exporting("A").path, into: "Z")
    #expect(try here.collection.names() == ["Z", "Z::B", "Z::B::C", "Z::D"])
    try here.importing(there.exporting("A::B").path, into: "Y")
    #expect(try here.collection.names().filter { $0.hasPrefix("Y") } == ["Y"])
  }

  @Test func `decks that keep their names come like those of any package: unsent, and nothing here gives way`() throws {
    let mine = try here.collection.store.operation("type") { db in
      let cards = [CardTemplate("C", front: "{{A}}", back: "x")]
      let mine = try NoteTypeTable.create(db, NoteTypeDraft(name: "Mine", fields: ["A"], cards: cards), now: 1)
      try SyncedTable.noteTypes.renumber(db, mine.id.rawValue, to: 7)
      return NoteTypeID(rawValue: 7)
    }
    let sql =
      BadPackageTests.basic + """
        UPDATE col SET decks = '{"11":{"name":"Out"},"12":{"name":"Out::In"}}';
        UPDATE cards SET did = 11;
        INSERT INTO revlog VALUES (1600000000000, 1, 0, 3, 1, 1, 2500, 1000, 1);
        """
    let path = try package(here.folder, [("collection.anki2", try collectionFile(here.folder, sql))])
    let added = try here.collection.store.operation("import") { db in
      try PackageImport(db, into: nil, here.settings()).run(path).added
    }
    #expect(try added == 1 && here.cards("Out").map(\.prompt) == ["f"] && here.collection.names() == ["Out"])
    #expect(try here.collection.store.read { try NoteTypeTable.record($0, mine).name } == "Mine")
    let sent = try here.collection.store.read { db in
      try ["note_types", "decks", "notes", "cards", "reviews"].map {
        try db.count("SELECT count(*) FROM \($0) WHERE usn <> -1")
      }
    }
    #expect(sent == [0, 0, 0, 0, 0])
  }

  @Test func `a deck keeps the id of its package, and Anki's other deck data is exported again`() throws {
    let ids = try ["Words::A", "Words::B"].map { name in
      let deck = try there.collection.deck(name)
      try there.collection.addNote(deck, ["Front": name, "Back": "x"])
      return deck.rawValue
    }
    try there.collection.store.operation("came") { db in
      try SyncedTable.decks.receive(db, ids[0], json: #"{"desc":"from Anki","strange":7,"newToday":[3,4]}"#)
    }
    try here.importing(there.exporting("Words").path)
    let here = try here.collection.store.read { try DeckTable.find($0, named: "Here::A").id.rawValue }
    #expect(here == ids[0])
    let again = PackageCollection()
    try again.importing(self.here.exporting("Here").path, into: "Again")
    let record = try again.collection.store.read { ServerRows.record(try SyncedTable.decks.json($0, ids[0])) }
    #expect(record["desc"] == .text("from Anki") && record["strange"] == .integer(7))
    #expect(record["newToday"] == .list([.integer(0), .integer(0)]))
  }

  @Test func `cards with the same guid in two decks are two notes`() throws {
    for name in ["A", "A::B"] {
      try there.collection.add(there.collection.deck(name), "in \(name)", "x", guid: "same")
    }
    #expect(try here.importing(there.exporting("A").path, into: "A").added == 2)
  }

  @Test func `a note whose guid another deck has is exported once, wherever its cards are`() throws {
    let (outer, inner) = (try there.collection.deck("A"), try there.collection.deck("A::B"))
    let note = try there.collection.addNote(inner, NewNote(fields: ["Front": "f", "Back": "b"], guid: "same")) {
      try NoteTypeTable.stock($0, .reversed, now: 0)
    }
    let between = try there.collection.add(inner, "between", "x")
    try there.collection.add(outer, "in A", "x", guid: "same")
    try there.collection.store.operation("arrange") { db in
      let cards = try CardOrder.cards(db, in: inner).map(\.card)
      #expect(try cards.map(\.id) == [between] + NoteTable.cards(db, of: note))
      try CardOrder.arrange(db, [cards[1], cards[0], cards[2]], in: inner)
    }
    #expect(try here.importing(there.exporting("A").path, into: "A").added == 4)
    #expect(try here.count("notes") == 3)
  }

  @Test func `a package with a guid of two decks can be imported into them again without a change`() throws {
    for deck in ["A", "A::B"] { try here.collection.add(here.collection.deck(deck), "in " + deck, "x", guid: "same") }
    let report = try here.importing(here.exporting("A").path, into: "A")
    #expect(report.added == 0 && report.skipped == 2)
    #expect(try here.count("notes") == 2)
  }

  @Test func `data that no note can hold is reported`() throws {
    let deck = try here.collection.deck("Words")
    try here.collection.add(deck, NewCard(prompt: "p", answer: "a", fields: [CardField("f", .text("x"))]))
    let lost = try here.exporting("Words").report.lost
    #expect(lost.map(\.part) == [.fields] && lost.map(\.count) == [1])
    let hidden = try here.collection.add(deck, "q", "b")
    try here.collection.store.operation("hide") { try CardHiding.setSuspended($0, [hidden], true, now: 1) }
    #expect(try here.exporting("Words").report.lost.map(\.part) == [.fields, .schedule])
    #expect(try here.exporting("Words", keepsSchedule: true).report.lost.map(\.part) == [.fields])
  }

  @Test func `a package that cannot be written is not called damaged`() throws {
    let folder = TemporaryFolder()
    let member = try folder.write("a", to: "member")
    let path = folder.file("gone/made.apkg")
    let builder = try ZipBuilder(path, named: "given.apkg")
    try builder.add("a", from: member, offset: 0, count: 1, isDeflated: false)
    #expect(throws: FileError(path, .write, number: ENOENT)) { try builder.finish() }
  }
}

extension PackageCollection {
  func change(_ note: NoteID, _ field: String, to text: String) throws {
    try collection.store.operation("edit") {
      try NoteTable.update($0, note, fields: [field: text], now: collection.now, isInterrupted: { false })
    }
  }
}
