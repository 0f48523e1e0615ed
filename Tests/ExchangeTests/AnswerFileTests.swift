// The answers of a page are imported: entered once, ordered by time, with the shell's own scheduler.

import Memory
import Problems
import TestDecks

@testable import Exchange

struct AnswerFileTests {
  private let folder = TemporaryFolder()
  private let collection = TestCollection()

  private func head(_ deck: DeckID) throws -> String {
    let id = try collection.store.read { try DeckTable.record($0, deck).pageID }
    return "{\"deck\":\"\(id)\",\"version\":1}\n"
  }

  private func line(_ guid: String, _ at: Double, _ rating: Int, subdeck: String? = nil) -> String {
    let within = subdeck.map { "\"subdeck\":\"\($0)\"," } ?? ""
    return "{\"guid\":\"\(guid)\",\(within)\"at\":\(at),\"rating\":\(rating),\"seconds\":2.5}\n"
  }

  private func enter(_ deck: DeckID, _ texts: String...) throws -> AnswerReport {
    let paths = try texts.enumerated().map { try folder.write($1, to: "\($0).answers") }
    return try collection.store.operation("import answers") { db in
      try AnswerImport(db, into: deck, at: StudyMoment(now: collection.now, utcOffset: 3600)).run(
        paths, isInterrupted: { false })
    }
  }

  private func schedules(_ deck: DeckID) throws -> [String: CardSchedule] {
    Dictionary(uniqueKeysWithValues: try collection.cards(deck).map { ($0.guid, $0.schedule) })
  }

  @Test func `answers are entered in order of time, and the same ones once`() throws {
    let deck = try collection.deck("D")
    for guid in ["a", "b"] { try collection.add(deck, "p" + guid, "x", guid: guid) }
    let start = collection.now - 50 * 86_400
    let file =
      try head(deck) + line("b", start + 700, 3) + line("a", start, 3) + line("b", start, 1)
      + line("a", start + 86_400 * 4, 4)
      + line("gone", start, 2)
    #expect(try enter(deck, file) == AnswerReport(entered: 4, older: 0, known: 0, unknown: 1))
    let schedules = try schedules(deck)
    // Schedule the card by hand, with the seed that the session uses.
    for card in try collection.cards(deck) {
      var schedule = CardSchedule()
      let answers: [(Double, Rating)] =
        card.guid == "a" ? [(start, .good), (start + 86_400 * 4, .easy)] : [(start, .again), (start + 700, .good)]
      for (at, rating) in answers {
        let seed = UInt64(bitPattern: card.id.rawValue) &+ UInt64(schedule.reps)
        let moment = StudyMoment(now: at, utcOffset: 3600)
        schedule = Scheduler(options: DeckOptions()).next(schedule, rating, at: moment, seed: seed).schedule
      }
      #expect(schedules[card.guid] == schedule)
    }
    #expect(try enter(deck, file) == AnswerReport(entered: 0, older: 0, known: 4, unknown: 1))
    #expect(try self.schedules(deck) == schedules)
  }

  @Test func `an answer older than the last one here is logged and changes no schedule`() throws {
    let deck = try collection.deck("D")
    try collection.add(deck, "p", "x", guid: "a")
    let start = collection.now - 86_400
    _ = try enter(deck, try head(deck) + line("a", start, 3))
    let before = try schedules(deck)
    #expect(try enter(deck, try head(deck) + line("a", start - 500, 1)) == AnswerReport(older: 1))
    #expect(try schedules(deck) == before)
    #expect(try collection.store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM reviews") } == 2)
    #expect(try enter(deck, try head(deck) + line("a", start - 500, 1)) == AnswerReport(known: 1))
  }

  @Test func `several files are one import, and inner decks are found by their names`() throws {
    let (deck, inner) = (try collection.deck("D"), try collection.deck("D::In"))
    try collection.add(deck, "p", "x", guid: "same")
    try collection.add(inner, "q", "x", guid: "same")
    try collection.add(inner, "r", "x", guid: "moved")
    let (at, first) = (collection.now - 900, try head(deck))
    let report = try enter(
      deck, first + line("same", at, 4, subdeck: "In"), first + line("moved", at, 3, subdeck: "Gone"))
    #expect(report == AnswerReport(entered: 2))
    #expect(try schedules(deck)["same"]?.state == .new && schedules(inner)["same"]?.state == .review)
    #expect(try schedules(inner)["moved"]?.state == .learning)
  }

  @Test func `a file of another deck, an edited or a truncated one is refused by its line and changes nothing`() throws
  {
    let (deck, other) = (try collection.deck("D"), try collection.deck("E"))
    try collection.add(deck, "p", "x", guid: "a")
    let (first, good) = (try head(deck), line("a", collection.now - 900, 3))
    let cases: [(String, String)] = [
      ("", "0.answers:1:1: an answer file expected, this file is empty"),
      (try head(other) + good, "0.answers:1:1: answers for this deck expected, these are from a page of another deck"),
      ("prompt,answer\n", "0.answers:1:1: a value expected"),
      ("{\"deck\":\"x\"}\n", "0.answers:1:1: the first line of an answer file expected"),
      (
        first.replacing(":1}", with: ":2}") + good,
        "0.answers:1:1: version 1 of an answer file expected, version 2 found"
      ),
      (first + good + good.dropLast(9), "0.answers:3:"),
      (first + good.replacing(":3,", with: ":5,"), "0.answers:2:1: \"rating\": a whole number from 1 to 4 expected"),
      (first + good.replacing(":3,", with: ":2.5,"), "0.answers:2:1: \"rating\": a whole number expected"),
      (first + good + line("a", collection.now + 4000, 3), "0.answers:3:1: \"at\": a time in the past"),
      (first + line("a", -5, 3), "0.answers:2:1: \"at\": a time in the past"),
      (first + "[1]\n", "0.answers:2:1: \"rating\": "),
      (first + good.replacing("\"guid\":\"a\"", with: "\"guid\":7"), "0.answers:2:1: \"guid\": a text expected"),
      (first + "{\"guid\":\"\(String(repeating: "x", count: 5000))\"}\n", "0.answers:2:1: the file is larger"),
    ]
    for (text, expected) in cases {
      do {
        _ = try enter(deck, text)
        Issue.record("\(expected): accepted")
      } catch let error as ExchangeError {
        #expect(
          error.message.hasPrefix(expected) && error.message.hasSuffix("Nothing was imported."), "\(error.message)")
      }
    }
    #expect(try schedules(deck)["a"] == CardSchedule())
  }
}
