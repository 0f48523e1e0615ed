// Intervals that take the load of each day into account, through sessions with the data of the collection.

import Memory
import Templates
import TestDecks

@testable import Decks

@Suite struct DayLoadTests {
  private let collection = TestCollection(hasUndo: true)
  private var moment: StudyMoment { collection.moment }

  /// Returns a deck of cards that are due today, ten days after their last review.
  private func deck(_ count: Int, _ options: [(DeckOptions.Name, String)]) throws -> DeckID {
    let deck = try collection.deck("d")
    _ = try collection.addAll(deck, (0..<count).map { NewCard(prompt: "c\($0)", answer: "x") })
    let due = moment.start(ofDay: moment.today)
    try collection.store.operation("x") { db in
      try db.execute(
        sql: "UPDATE cards SET state = 2, due = ?, stability = 8, difficulty = 5, last_review = ?",
        arguments: [due, due - 10 * 86_400])
      var values = try DeckTable.presetOptions(db, deck)
      try values.set(.reviewsPerDay, to: 9999)
      for (name, text) in options { try values.set(name, toText: text) }
      try DeckTable.setOptions(db, deck, to: values)
    }
    return deck
  }

  private func answer(_ session: ReviewSession, _ rating: Rating = .good) throws -> ReviewResult {
    _ = try collection.store.read { try session.card($0, at: moment) }
    return try collection.store.operation("x") { try session.answer($0, rating, at: moment) }
  }

  /// The number of cards due on each day from today, after all were answered good.
  private func days(_ options: [(DeckOptions.Name, String)]) throws -> [Int: Int] {
    let session = try collection.session(deck(120, options))
    var days: [Int: Int] = [:]
    while !session.isOver {
      days[moment.dueDay(of: try answer(session).schedule.due ?? 0) - moment.today, default: 0] += 1
    }
    return days
  }

  @Test func `a balanced deck spreads its cards evenly over the days of the fuzz range`() throws {
    let days = try days([(.loadBalance, "on")])
    let (least, most) = (days.values.min() ?? 0, days.values.max() ?? 0)
    #expect(days.count >= 4 && most - least <= 12 && days.values.reduce(0, +) == 120, "\(days)")
    let mean = days.reduce(0.0) { $0 + Double($1.key * $1.value) } / 120
    let exact = MemoryModel().exactInterval(
      stability: MemoryModel().next(MemoryState(stability: 8, difficulty: 5), .good, days: 10).stability, retention: 0.9
    )
    #expect(abs(mean / exact - 1) < 0.03, "\(mean) \(exact)")
  }

  @Test func `a free day of the week gets no card`() throws {
    let free = try days([(.easyDays, "sun=0")])
    // The number 3 was a Sunday.
    #expect(free.keys.allSatisfy { (moment.today + $0) % 7 != 3 } && free.count >= 3, "\(free)")
  }

  @Test func `the interval shown is the one applied, and undoing an answer restores the loads`() throws {
    let session = try collection.session(deck(30, [(.loadBalance, "on")]))
    for _ in 0..<10 { _ = try answer(session) }
    let choices = try collection.store.read { try session.choices($0, at: moment) }
    #expect(zip(choices.dropFirst(), choices.dropFirst(2)).allSatisfy { $0.interval < $1.interval })
    let first = try answer(session)
    #expect(choices[2].interval == first.interval)
    try collection.undo(session)
    #expect(
      try collection.store.read { try session.choices($0, at: moment) }.map(\.interval) == choices.map(\.interval))
    #expect(try answer(session).interval == first.interval)
  }

  @Test func `cards of one note come back on different days`() throws {
    let deck = try deck(0, [(.loadBalance, "on")])
    for number in 0..<30 {
      try collection.addNote(deck, ["Front": "f\(number)", "Back": "b\(number)"], .reversed)
    }
    let due = moment.start(ofDay: moment.today)
    try collection.store.execute(
      "UPDATE cards SET state = 2, due = ?, stability = 8, difficulty = 5, last_review = ?", [due, due - 10 * 86_400])
    let session = try collection.session(deck)
    while !session.isOver { _ = try answer(session) }
    let shared = try collection.store.read { db in
      try db.firstRow(
        "SELECT count(*) FROM cards a JOIN cards b ON a.note = b.note AND a.id < b.id AND a.due = b.due"
      ) { $0.count(0) }
    }
    #expect(shared ?? 99 <= 1)
  }
}
