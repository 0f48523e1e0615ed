// Packages of Anki, continued: the order of cards, when they were added, what an answer here keeps, and Anki's first
// scheduler.

import Files
import Memory
import Templates
import TestDecks
import Values

@testable import Exchange

extension PackageTests {
  @Test func `a card that was made new again in Anki keeps its numbers of answers and lapses`() throws {
    let sql = BadPackageTests.basic + "UPDATE cards SET reps = 5, lapses = 2;"
    try here.importing(try package(here.folder, [("collection.anki2", try collectionFile(here.folder, sql))]))
    #expect(try here.cards("Here").map { [$0.reps, $0.lapses] } == [[5, 2]])
    try there.importing(here.exporting("Here", keepsSchedule: true).path)
    let raw = try there.collection.store.read { db in try db.rows("SELECT raw FROM cards") { $0.text(0) } }
    #expect(raw.compactMap(AnkiCard.stored).map { [$0.card.reps, $0.card.lapses] } == [[5, 2]])
  }

  @Test func `a card keeps the interval that it came with, whatever its due day`() throws {
    let sql =
      BadPackageTests.basic + """
        UPDATE cards SET type = 2, queue = 2, due = 10, ivl = 30, reps = 3, data = '{"s":5.0,"d":5.0,"lrt":1700000000}';
        """
    try here.importing(try package(here.folder, [("collection.anki2", try collectionFile(here.folder, sql))]))
    let card = try #require(try here.cards("Here").first)
    #expect(card.value(of: .interval, at: here.moment) == .integer(30))
    // Another stability makes a new row of Anki's, with the same interval.
    var schedule = card.schedule
    schedule.stability = 6
    try here.collection.store.operation("edit") {
      try CardHiding.setSchedule($0, card.id, to: schedule, isSuspended: false, flag: 0, now: here.moment.now)
    }
    try there.importing(here.exporting("Here", keepsSchedule: true).path)
    #expect(try there.cards("Here").first?.schedule.interval == 30)
  }

  @Test func `what another program stored with a card is exported after it was answered here`() throws {
    let sql =
      BadPackageTests.basic + """
        UPDATE cards SET type = 2, queue = 2, due = 1, ivl = 5, reps = 3, data = '{"s":5.0,"d":5.0,"cd":"kept","x":[1]}';
        """
    try here.importing(try package(here.folder, [("collection.anki2", try collectionFile(here.folder, sql))]))
    let deck = try here.collection.deck(named: "Here")
    try here.collection.store.operation("study") { db in
      let session = try ReviewSession(db, StudySelection([deck]), at: here.moment)
      try session.answer(db, .good, at: here.moment, seconds: 3)
    }
    try there.importing(here.exporting("Here", keepsSchedule: true).path)
    let raw = try there.collection.store.read { db in try db.rows("SELECT raw FROM cards") { $0.text(0) } }
    let card = try #require(raw.compactMap(AnkiCard.stored).first).card
    #expect(card.reps == 4 && card.data.contains(#""cd":"kept""#) && card.data.contains(#""x":[1]"#))
    #expect(!card.data.contains(#""s":5.0,"#))
  }

  @Test func `a deck has the order of the package that it was imported from`() throws {
    // Two studied cards without a position; the other card of the second note is new.
    let sql =
      BadPackageTests.basic + """
        INSERT INTO notes VALUES (2, 'h', 7, 1, 0, '', 'h' || char(31) || 'b', 'h', 0, 0, ''),
          (3, 'i', 7, 1, 0, '', 'i' || char(31) || 'b', 'i', 0, 0, ''),
          (4, 'j', 7, 1, 0, '', 'j' || char(31) || 'b', 'j', 0, 0, '');
        INSERT INTO cards VALUES (2, 2, 1, 0, 1, 0, 2, 2, 9, 5, 2500, 1, 0, 0, 0, 0, 0, ''),
          (3, 3, 1, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, ''),
          (4, 4, 1, 0, 1, 0, 2, 2, 9, 5, 2500, 1, 0, 0, 0, 0, 0, ''),
          (5, 4, 1, 1, 1, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, '');
        """
    let path = try package(here.folder, [("collection.anki2", try collectionFile(here.folder, sql))])
    try here.importing(path)
    #expect(try here.cards("Here").map(\.guid) == ["g", "j/2", "i", "h", "j"])
    let settings = ExchangeSettings(folder: here.folder.path, moment: here.moment, isInterrupted: { false }) {
      $0.hash
    }
    let notes = try here.collection.store.read { db in
      try ComparedNotes.of(DeckTable.find(db, named: "Here").id, in: db, settings)
    }
    let contents = try ComparedFiles([.notes(notes), .file(path, .apkg)], settings).contentsInCommon
    let changes = ContentDifference(contents[0], contents[1]).changes
    #expect(changes.isEmpty, "\(changes.map { "\($0.event) \($0.key)" })")
  }

  @Test func `a card was added when its id says, and now if the id is no time`() throws {
    let sql =
      BadPackageTests.basic + """
        UPDATE cards SET id = 1600000000000;
        INSERT INTO cards VALUES (2, 1, 1, 1, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, '');
        """
    try here.importing(try package(here.folder, [("collection.anki2", try collectionFile(here.folder, sql))]))
    #expect(try here.cards("Here").map(\.created) == [1_600_000_000, here.collection.now])
  }

  @Test(arguments: [("{}", [3, 3, 4]), (#"{"schedVer":1}"#, [3, 3, 4]), (#"{"schedVer":2}"#, [2, 3, 3])])
  func `answers and relearning cards of Anki's first scheduler become those of today`(
    _ settings: String, _ ratings: [Int]
  ) throws {
    let sql =
      BadPackageTests.basic + """
        UPDATE col SET conf = '\(settings)';
        UPDATE cards SET type = 2, queue = 1, due = 1700000000, odue = 2500, ivl = 3, factor = 2300, left = 1001, reps = 9;
        INSERT INTO revlog VALUES (1600000000000, 1, 0, 2, -60, -60, 0, 1000, 0),
          (1600000001000, 1, 0, 3, 4, 3, 2500, 1000, 1), (1600000002000, 1, 0, 3, 1, -600, 2300, 1000, 2);
        """
    try here.importing(try package(here.folder, [("collection.anki2", try collectionFile(here.folder, sql))]))
    let card = try #require(try here.cards("Here").first)
    #expect(card.state == .relearning && card.due == 1_700_000_000)
    let stored = try here.collection.store.read { db in
      try db.rows("SELECT rating FROM reviews ORDER BY at") { $0.count(0) }
    }
    #expect(stored == ratings)
  }

  private func file(_ more: String) throws -> String {
    try package(here.folder, [("collection.anki2", collectionFile(here.folder, BadPackageTests.basic + more))])
  }

  /// The answers of a card, by their times in seconds.
  private func answers(of card: CardID, _ here: PackageCollection) throws -> [Double] {
    try here.collection.store.read { try SentReviews($0).of(card).map(\.review.at) }
  }

  @Test func `answers that are left out are counted, with the reason, but not those that are already here`() throws {
    let (first, later) = ("(1600000000000, 1, 0, 3, 1, 1, 2500, 1, 1)", "(1600000001000, 1, 0, 3, 4, 1, 2500, 1, 1)")
    let bad = "(1600000002000, 1, 0, 5, 1, 1, 2500, 1, 1), (-1, 1, 0, 3, 1, 1, 2500, 1, 1)"
    let lost = ["2 answers with an impossible rating or time", "1 answer, because the cards were there already"]
    for (log, keepsSchedule, count) in [
      ([first, bad], true, 1), ([first], true, 0), ([first, later], false, 0), ([first, later, bad], true, 2),
    ] {
      let sql = BadPackageTests.basic + "INSERT INTO revlog VALUES " + log.joined(separator: ",")
      let path = try package(here.folder, [("collection.anki2", try collectionFile(here.folder, sql))])
      #expect(try here.importing(path, keepsSchedule: keepsSchedule).lost == Array(lost.prefix(count)))
      #expect(try here.count("reviews") == 1)
    }
  }

  @Test(arguments: [
    "", "UPDATE notes SET id = 600; UPDATE cards SET nid = 600;",
    "UPDATE notes SET mod = 9, flds = 'new' || char(31) || 'b';",
    #"UPDATE col SET models = replace(models, '{"name":"B"}', '{"name":"X"}');"#,
  ])
  func `answers of a card that is here under another id are its own, come once and can be undone`(
    _ change: String
  ) throws {
    let here = PackageCollection(hasUndo: true)
    try here.importing(file("INSERT INTO revlog VALUES (1600000000000, 1, 0, 3, 4, 1, 2500, 1, 1);"))
    // Its id in the package is that of another card here.
    let other = try here.collection.add(here.collection.deck("Other"), "p", "a")
    try here.collection.store.operation("id") { db in
      try CardTable.renumber(db, #require(try SyncedCards.stored(db, other)), to: CardID(rawValue: 500))
    }
    let (before, steps) = try (here.everything(), here.collection.store.undoSteps().count)
    let schedule = try #require(try here.cards("Here").first).schedule
    let path = try file(
      change + """
        UPDATE cards SET id = 500;
        INSERT INTO revlog VALUES (1600000000000, 500, 0, 3, 4, 1, 2500, 1, 1),
          (1600000900000, 500, 0, 1, 1, 4, 2500, 1, 1);
        """)
    #expect(try here.importing(path).lost.isEmpty == !change.contains("models"))
    let card = try #require(try here.cards("Here").first)
    #expect(try answers(of: card.id, here) == [1_600_000_000, 1_600_000_900] && here.count("reviews") == 2)
    #expect(card.id.rawValue == 1 && card.schedule == schedule)
    let after = try here.everything()
    try here.importing(path)
    #expect(try here.everything() == after)
    for _ in try steps..<here.collection.store.undoSteps().count { try here.collection.store.undo() }
    #expect(try here.everything() == before)
  }

  @Test func `a card that a newer note makes comes with its schedule and its answers`() throws {
    let deck = try there.collection.deck("Words")
    let note = try there.collection.addNote(deck, ["Text": "{{c1::sol}} y luna"], .cloze)
    try here.importing(there.exporting("Words", keepsSchedule: true).path, into: "Here")
    there.collection.now += 10
    try there.change(note, "Text", to: "{{c1::sol}} y {{c2::luna}}")
    let studied = try #require(try there.cards("Words").first { $0.answer.contains("luna") })
    let review = LoggedReview(at: 1_600_000_000, rating: 3, state: .new, interval: 86_400 * 30)
    var schedule = studied.schedule
    (schedule.state, schedule.due, schedule.interval) = (.review, 1_602_592_000, 30)
    (schedule.stability, schedule.difficulty, schedule.reps, schedule.lastReview) = (30, 5, 1, 1_600_000_000)
    try there.collection.store.operation("study") { [schedule] db in
      try CardHiding.setSchedule(db, studied.id, to: schedule, isSuspended: false, flag: 0, now: there.moment.now)
      try CardTable.addLog(db, [review], to: studied.id)
    }
    let path = try there.exporting("Words", "newer.apkg", keepsSchedule: true).path
    #expect(try here.importing(path).updated == 2)
    let card = try #require(try here.cards("Here").first { $0.id == studied.id })
    #expect(card.state == .review && card.stability == 30 && card.answer.contains("luna"))
    #expect(try answers(of: card.id, here) == [1_600_000_000])
    let after = try here.everything()
    try here.importing(path)
    #expect(try here.everything() == after)
  }

  @Test(arguments: [
    "UPDATE col SET models = replace(models, '\"F\"', '\"a:b\"');",
    "UPDATE col SET models = replace(models, '{{F}}', '{{Gone}} {{#F}}');",
    "UPDATE notes SET flds = char(31) || 'b';", "UPDATE notes SET flds = '<br>' || char(31);",
    "UPDATE col SET models = replace(models, '\"type\":0', '\"type\":1');",
    "UPDATE cards SET type = 2, queue = 2, due = -40000, ivl = 5, reps = 3, data = '{\"s\":5.0,\"d\":5.0}';",
    "UPDATE cards SET type = 2, queue = 2, due = 9000000, ivl = 5, reps = 9000000, lapses = 9000000;",
    "INSERT INTO revlog VALUES (900000000000000, 1, 0, 2, 90000000, -60, 0, 9000000000000, 0);",
  ])
  func `what a package may contain can be exported as JSON and imported again`(_ change: String) throws {
    let sql = BadPackageTests.basic + change
    try here.importing(try package(here.folder, [("collection.anki2", try collectionFile(here.folder, sql))]))
    var options = ExportOptions()
    options.hasSchedule = true
    for name in ["a.json", "a.jsonl"] {
      let path = here.folder.file(name)
      _ = try here.collection.exporting(here.collection.deck(named: "Here"), path, options)
      let other = TestCollection()
      let deck = try other.deck("Here")
      let report = try other.importing(deck, path)
      #expect(report.added == 1 && report.rejected.isEmpty, "\(report.rejected)")
      let cards = try (here.cards("Here"), other.cards(deck))
      #expect(cards.0.map(\.prompt) == cards.1.map(\.prompt) && cards.0.map(\.schedule) == cards.1.map(\.schedule))
    }
  }

  @Test func `a sound and a picture with a colon in their names come with their note`() throws {
    let sql = BadPackageTests.basic.replacing(
      "'f' || char(31)", with: "'[sound:a:b.mp3] <img src=\"c:d.png\">' || char(31)")
    let path = try package(
      here.folder,
      [
        ("collection.anki2", try collectionFile(here.folder, sql)),
        ("media", Array(#"{"0":"a:b.mp3","1":"c:d.png"}"#.utf8)), ("0", [1]), ("1", [2]),
      ])
    try here.importing(path)
    #expect(here.media == ["a_b.mp3": [1], "c_d.png": [2]])
    #expect(try here.cards("Here").map(\.prompt) == ["[sound a_b.mp3] [picture c_d.png]"])
  }
}
