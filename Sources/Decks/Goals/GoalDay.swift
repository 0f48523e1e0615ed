// What is studied today in decks whose goal is near: the learnt cards for which an answer is most useful for the
// date, within the minutes that are left today.
// Invariant: the same cards and answers give the same choice; counts and sessions use the same choice.

import Memory
import Storage

/// The cards that goals chose for today. It contains only decks that have a goal on its last days.
struct GoalDay {
  /// The rank of each chosen card, the best first.
  private(set) var ranks: [CardID: Int] = [:]
  private var counts: [DeckID: Int] = [:]

  init() {}

  /// - Parameter options: the options of these decks and of those that have the goals; where a goal chooses, the limit
  ///   of reviews per day is lifted, because the minutes limit them.
  init(_ db: Database, of decks: [DeckRecord], _ options: inout [DeckID: DeckOptions], at moment: StudyMoment) throws {
    let goals = try GoalsUnderWay(db, at: moment)
    if goals.isEmpty { return }
    var seen: Set<DeckID> = []
    for deck in decks {
      guard let entry = goals.goal(ofKey: deck.name.lowercased()), entry.goal.isNear(at: moment),
        seen.insert(entry.deck.id).inserted
      else { continue }
      let family = try [entry.deck] + DeckTable.within(db, entry.deck.id)
      let group = GoalGroup(db, goals.decks(of: entry, among: family).map(\.id), moment)
      try choose(group, entry.goal, options.of(entry.deck.id))
      for deck in group.decks { try options[deck]?.set(.reviewsPerDay, to: 9999) }
    }
  }

  private mutating func choose(_ group: GoalGroup, _ goal: DeckGoal, _ options: DeckOptions) throws {
    for deck in group.decks { counts[deck] = 0 }
    let cards = try group.learntCards(CardStatus.shown(), Dictionary(group.decks.map { ($0, options) }) { $1 })
    let times = try group.times()
    let seconds = goal.minutes * 60 - (try group.secondsToday()) - Double(try group.newLeft(options)) * times.first
    let best = AnswerWorth(options, times: times)
      .best(cards.map { ($0.memory, $0.elapsed) }, daysLeft: goal.day - group.moment.today, within: seconds)
    for place in best.prefix(9999) {
      ranks[cards[place].id] = ranks.count
      counts[cards[place].deck, default: 0] += 1
    }
  }

  /// How many of a deck's own cards were chosen; nil if no goal chooses for the deck.
  func count(in deck: DeckID) -> Int? { counts[deck] }

  /// Whether a learnt card of a deck may be studied today.
  func admits(_ card: CardID, of deck: DeckID) -> Bool { counts[deck] == nil || ranks[card] != nil }
}

extension AnswerWorth {
  init(_ options: DeckOptions, times: AnswerTimes) {
    self.init(options.recallModel, times: times, countsSameDay: options.shortTerm)
  }
}

/// The decks to which one goal applies.
struct GoalGroup {
  /// The number of past days whose answers are used to estimate the time for an answer, and the least number of
  /// answers for that.
  private static let daysOfTimes = 30
  private static let leastAnswers = 50.0

  let db: Database
  let decks: [DeckID]
  let moment: StudyMoment

  init(_ db: Database, _ decks: [DeckID], _ moment: StudyMoment) {
    (self.db, self.decks, self.moment) = (db, decks, moment)
  }

  var list: String { decks.map { "\($0.rawValue)" }.joined(separator: ", ") }

  /// `day` is the day on which it is due, `elapsed` are the days since its last answer.
  typealias LearntCard = (id: CardID, deck: DeckID, due: Double, day: Int, memory: CardMemory, elapsed: Int)

  /// The learnt cards that a condition selects, by their ids.
  func learntCards(_ condition: String, _ options: [DeckID: DeckOptions]) throws -> [LearntCard] {
    let entries = try CardMemories(options).all(db, in: decks)
    let sql = """
      SELECT id, deck, stability, difficulty, last_review, due FROM cards
      WHERE deck IN (\(list)) AND \(CardStatus.review.sql()) AND stability IS NOT NULL AND \(condition)
      ORDER BY id
      """
    return try db.rows(sql, moment.arguments(of: sql)) { row in
      let id = CardID(rawValue: row.integer(0))
      let state = MemoryState(stability: row.number(2), difficulty: row.number(3))
      let due = row.number(5)
      return (
        id, DeckID(rawValue: row.integer(1)), due, moment.dueDay(of: due),
        CardMemory(state: state, timed: entries[id]?.timed), moment.days(since: row.optionalNumber(4))
      )
    }
  }

  /// How long answers took in these decks on some days; if there are too few, the typical times of many users.
  func times(on days: Range<Int>) throws -> AnswerTimes {
    let sql = """
      SELECT total(CASE WHEN reviews.state = 2 AND rating > 1 THEN seconds END),
      total(reviews.state = 2 AND rating > 1),
        total(CASE WHEN reviews.state = 3 OR (reviews.state = 2 AND rating = 1) THEN seconds END),
        total(reviews.state = 2 AND rating = 1),
        total(CASE WHEN reviews.state < 2 THEN seconds END), total(reviews.state = 0)
      FROM reviews CROSS JOIN cards ON cards.id = reviews.card
      WHERE reviews.at >= ? AND reviews.at < ? AND seconds > 0 AND cards.deck IN (\(list))
      """
    let bounds: StatementArguments = [moment.start(ofDay: days.lowerBound), moment.start(ofDay: days.upperBound)]
    return try db.firstRow(sql, bounds) { row in
      func mean(_ sum: Int32, or usual: Double) -> Double {
        row.number(sum + 1) < Self.leastAnswers ? usual : max(1, row.number(sum) / row.number(sum + 1))
      }
      let usual = AnswerTimes()
      return AnswerTimes(
        remembered: mean(0, or: usual.remembered), forgotten: mean(2, or: usual.forgotten),
        first: mean(4, or: usual.first))
    } ?? AnswerTimes()
  }

  /// How long they took recently.
  func times() throws -> AnswerTimes { try times(on: moment.today - Self.daysOfTimes..<moment.today) }

  /// The seconds that were spent on these decks today.
  func secondsToday() throws -> Double {
    let sql = """
      SELECT total(seconds) FROM reviews CROSS JOIN cards ON cards.id = reviews.card
      WHERE reviews.at >= ? AND reviews.at < ? AND cards.deck IN (\(list))
      """
    return try db.firstRow(sql, [moment.start(ofDay: moment.today), moment.endOfToday]) { $0.number(0) } ?? 0
  }

  /// The number of new cards that are still to be studied today.
  func newLeft(_ options: DeckOptions) throws -> Int {
    let answered = try WaitingCounts.answered(db, today: moment)
    let left = max(0, options.newPerDay - decks.reduce(0) { $0 + (answered[$1]?.new ?? 0) })
    var waiting = 0
    for deck in decks where waiting < left {
      waiting += try DeckTable.newCount(db, deck, at: moment, upTo: left - waiting, buries: options.buriesNew)
    }
    return min(left, waiting)
  }
}
