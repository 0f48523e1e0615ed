// Coming back from a pause, or going on one: spreads the cards that wait over days of about twice the usual study.
// Invariant: only due days change. A card gets no day before the first one, none that has reached its deck's limit of
// reviews and none that the user keeps free; cards of a goal on its last days are left alone.

import Memory
public import Storage
import Text
public import Values

/// A plan for the cards that wait.
///
///     try CatchUp(db, days: 14, at: moment).apply(db, at: moment)
public struct CatchUp: Sendable {
  public static let dayRange = 1...90
  public static let minuteRange = 1.0...600
  private static let usualDays = 7...30

  /// The number of a day, how many cards are put on it, how many are due on it then, and the seconds that they take.
  public typealias Day = (day: Int, spread: Int, cards: Int, seconds: Double)

  /// The days of the plan; empty if no card waits.
  public private(set) var days: [Day] = []
  /// How many cards are spread, and how many of them are due on the last day because no other has room.
  public private(set) var (count, withoutRoom) = (0, 0)
  /// The seconds of a usual day before the pause, and those of all these cards on one day.
  public private(set) var (usualSeconds, allSeconds) = (0.0, 0.0)
  private var moves: [(card: CardID, from: Double, day: Int)] = []

  /// - Parameters:
  ///   - deck: a deck, with the decks within it; nil for all decks.
  ///   - minutes: of a day, usual study included; without days or minutes a day is about twice a usual one.
  ///   - pause: spreads the cards due on these days or before today over the days after them; without it, if a card is
  ///     overdue, all that are due are spread from today on.
  /// - Throws: `badOption` for minutes that are too few.
  public init(
    _ db: Database, deck: DeckID? = nil, days wanted: Int? = nil, minutes: Double? = nil,
    pause: ClosedRange<Int>? = nil, at moment: StudyMoment
  ) throws {
    let first = pause.map { $0.upperBound + 1 } ?? moment.today
    let goals = try GoalsUnderWay(db, at: moment)
    let decks = try (deck.map { try DeckFamilies.all(db, of: [$0]) } ?? DeckTable.list(db))
      .filter { goals.goal(ofKey: $0.name.lowercased())?.goal.isNear(at: moment) != true }
    let group = GoalGroup(db, decks.map(\.id), moment)
    let end = moment.start(ofDay: first + Self.dayRange.upperBound)
    // Without the limits that apply today alone.
    let options = try DeckTable.allOptions(db, at: moment.at(moment.start(ofDay: max(first, moment.today + 1))))
    let all = try group.learntCards("\(CardStatus.studied) AND suspended = 0 AND due < \(end)", options)
    let cards = all.filter { $0.day < moment.today || pause?.contains($0.day) ?? ($0.day == first) }
    guard cards.contains(where: { pause != nil || $0.day < first }) else { return }
    let habit = try group.habit()
    let worths = Dictionary(firstOf: decks.map { ($0.id, AnswerWorth(options.of($0.id), times: habit.times)) })
    func value(_ card: GoalGroup.LearntCard) -> (worth: Double, seconds: Double) {
      let elapsed = max(0, card.elapsed + max(first, card.day) - moment.today)
      let gain = worths[card.deck]?.gain(card.memory, elapsed: elapsed, daysLeft: Self.usualDays.upperBound)
      return gain.map { ($0.recall / $0.seconds, $0.seconds) } ?? (0, 1)
    }
    let values = cards.map(value)
    (count, usualSeconds, allSeconds) = (cards.count, habit.seconds, values.reduce(0) { $0 + $1.seconds })
    let length = try wanted ?? length(minutes)
    days = (first..<first + max(Self.usualDays.upperBound, length)).map { ($0, 0, 0, 0) }
    let answered = first == moment.today ? try WaitingCounts.answered(db, today: moment) : [:]
    var limits = days.map {
      StudyLimits(decks, options: options, waiting: [:], answered: $0.day == first ? answered : [:])
    }
    for card in all where (first + (pause == nil ? 1 : 0)..<first + days.count).contains(card.day) {
      days[card.day - first].cards += 1
      days[card.day - first].seconds += value(card).seconds
      _ = limits[card.day - first].takeReview(card.deck)
    }
    fill(length, cards, values, limits, options)
  }

  /// Gives cards days, of which the first `length` ones are filled, within the limits of each day.
  private mutating func fill(
    _ length: Int, _ cards: [GoalGroup.LearntCard], _ values: [(worth: Double, seconds: Double)],
    _ limits: [StudyLimits], _ options: [DeckID: DeckOptions]
  ) {
    let (first, last) = (days[0].day, days.count - 1)
    var limits = limits
    let weights = Dictionary(zip(cards, values).map { ($0.deck, $1.seconds / allSeconds) }, uniquingKeysWith: +)
      .sorted { $0.key.rawValue < $1.key.rawValue }
    let planned = days.map { day in
      (share: weights.reduce(0) { $0 + $1.value * options.of($1.key).share(of: day.day) }, load: day.seconds)
    }
    let plan = CatchUpPlan(values, over: length, of: planned) { card, day in
      options.of(cards[card].deck).share(of: first + day) > 0 && limits[day].takeReview(cards[card].deck)
    }
    for (card, place) in plan.places {
      let day = place ?? last
      withoutRoom += place == nil ? 1 : 0
      days[day] = (first + day, days[day].spread + 1, days[day].cards + 1, days[day].seconds + values[card].seconds)
      if cards[card].day != first + day { moves.append((cards[card].id, cards[card].due, first + day)) }
    }
    days = Array(days.prefix(max(length, 1 + (days.lastIndex { $0.spread > 0 } ?? 0))))
  }

  /// The number of days to fill.
  private func length(_ minutes: Double?) throws -> Int {
    let range = minutes == nil ? Self.usualDays : Self.dayRange
    let (least, most) = (Double(range.lowerBound), Double(range.upperBound))
    let days = (allSeconds / (minutes.map { $0 * 60 - usualSeconds } ?? usualSeconds)).rounded(.up)
    if minutes == nil || (least...most).contains(days) { return Int(min(most, max(least, days))) }
    let needed = Int(((usualSeconds + allSeconds / most) / 60).rounded(.up))
    throw DeckError.badOption(
      name: "minutes", reason: "must be at least \(needed): usual study comes on top, for at most \(Int(most)) days")
  }

  /// Writes the due days. A card that got another one since is left alone.
  public func apply(_ db: Database, at moment: StudyMoment) throws {
    try SyncedTable.cards.keep(db, moves.map(\.card.rawValue))
    let sql = "UPDATE cards SET due = ?, interval = NULL, mod = ? WHERE id = ? AND due = ?"
    let statement = try db.cachedStatement(sql: sql)
    for move in moves {
      try statement.execute(arguments: [moment.start(ofDay: move.day), moment.now, move.card.rawValue, move.from])
    }
  }

  /// How many usual days the cards take.
  public var usualDays: Double { count == 0 ? 0 : allSeconds / usualSeconds }

  public var value: Value {
    let plan = days.map { day in
      Value.record([
        "date": StudyMoment.date(ofDay: day.day), "cards": day.cards, "spread": day.spread,
        "minutes": Value.measure(day.seconds / 60),
      ])
    }
    return .record([
      "cards": count, "without_room": withoutRoom, "usual_minutes": Value.measure(usualSeconds / 60),
      "all_minutes": Value.measure(allSeconds / 60), "plan": Value.list(plan),
    ])
  }
}

extension GoalGroup {
  /// The seconds of a usual day, and the times of its answers: from the last 30 days with answers, or, if a gap of
  /// three days interrupts them, from those before the last such gap. With fewer than 5 days: ten minutes.
  fileprivate func habit() throws -> (seconds: Double, times: AnswerTimes) {
    let sql = """
      SELECT at, iif(seconds > 0, seconds, iif(rating = 1, 20, 7)) FROM reviews
        CROSS JOIN cards ON cards.id = reviews.card
      WHERE at > 0 AND at < ? AND \(LoggedReview.isAnswer) AND NOT \(ReviewTable.isPreview) AND cards.deck IN (\(list))
      ORDER BY at DESC
      """
    var (days, hasGap): ([(day: Int, seconds: Double)], Bool) = ([], false)
    try db.forEachRow(sql, while: { days.count <= 30 }, [moment.start(ofDay: moment.today)]) { row in
      let day = moment.day(of: row.number(0))
      if !hasGap, (days.last?.day ?? moment.today) - day > 3 { (days, hasGap) = ([], true) }
      if days.last?.day != day { days.append((day, 0)) }
      days[days.count - 1].seconds += row.number(1)
    }
    days = Array(days.prefix(30))
    guard days.count >= 5 else { return (600, AnswerTimes()) }
    let times = try times(on: days[days.count - 1].day..<days[0].day + 1)
    return (max(1, days.reduce(0) { $0 + $1.seconds } / Double(days.count)), times)
  }
}

extension DeckTable {
  /// Sets the days of a pause for all decks; nil ends it.
  public static func setPause(_ db: Database, to pause: ClosedRange<Int>?) throws {
    let days = pause.map { [$0.lowerBound, $0.upperBound].map(StudyMoment.date(ofDay:)).joined(separator: " ") }
    try SyncedTable.decks.keep(db, list(db).map(\.id.rawValue))
    let sql =
      "UPDATE decks SET options = json_patch(options, json_object('pause', ?1)) WHERE options ->> 'pause' IS NOT ?1"
    try db.execute(sql: sql, arguments: [days])
  }
}
