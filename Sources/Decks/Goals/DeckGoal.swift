// A date by which a deck is to be known: the share of its cards to remember then, and the minutes of study on the last
// days before it. Invariant: all values are in range. A goal applies to its deck until the date; from then on, the deck
// is studied as before.

public import Memory
public import Storage
import Text
public import Values

/// The goal of a deck, which also applies to the decks within it that have no goal of their own.
public struct DeckGoal: Equatable, Sendable {
  public static let initialRecall = 0.95
  public static let initialMinutes = 20.0
  public static let recalls = 0.5...0.99
  public static let minuteRange = 1.0...600
  private static let latest = 3650

  /// The number of the day, as `StudyMoment` counts days; the goal is to be reached when it begins.
  public let day: Int
  /// The share of the cards to remember at the date.
  public let recall: Double
  /// Minutes of study on each of the last days.
  public let minutes: Double
  /// How many of the last days are reserved for the date: on them, the cards for which an answer is most useful are
  /// studied, whether they are due or not.
  public internal(set) var lastDays: Int

  public var date: String { StudyMoment.date(ofDay: day) }

  /// - Throws: `badOption` for a value out of range, a text that is not a date, or a date that is not in the future.
  public init(
    date: String, recall: Double = initialRecall, minutes: Double = initialMinutes, at moment: StudyMoment
  ) throws(DeckError) {
    guard let day = CivilDate(date.trimmed)?.days else {
      throw .badOption(name: "date", reason: "must be a date like 2027-06-01, got \(quoted(date))")
    }
    guard (1...Self.latest).contains(day - moment.today) else {
      throw .badOption(name: "date", reason: "must be a day after today, within ten years")
    }
    guard Self.recalls.contains(recall) else {
      throw .badOption(name: "recall", reason: "must be a number from 0.5 to 0.99")
    }
    guard Self.minuteRange.contains(minutes) else {
      throw .badOption(name: "minutes", reason: "must be a number from 1 to 600")
    }
    (self.day, self.recall, self.minutes) = (day, recall, minutes)
    lastDays = RecallPlan.lastDays.lowerBound
  }

  /// Whether the goal applies today.
  func isUnderWay(at moment: StudyMoment) -> Bool { moment.today < day }

  public func isNear(at moment: StudyMoment) -> Bool { isUnderWay(at: moment) && day - moment.today <= lastDays }

  /// Parses the value in the deck's options; nil if it cannot be used.
  init?(stored: CardFieldValue) {
    guard case .json(let text) = stored else { return nil }
    let fields: [CardField]
    do { fields = try FieldText.list(text) } catch {
      // A newer version may store it in another form: then the deck has no goal.
      return nil
    }
    func number(_ name: String) -> Double? {
      fields.first { $0.name == name }.flatMap { if case .json(let text) = $0.value { Double(text) } else { nil } }
    }
    guard let day = number("day").flatMap({ Int(exactly: $0) }), (-1_000_000...10_000_000).contains(day),
      let recall = number("recall"), Self.recalls.contains(recall),
      let minutes = number("minutes"), Self.minuteRange.contains(minutes),
      let last = number("last_days").flatMap({ Int(exactly: $0) }), RecallPlan.lastDays.contains(last)
    else { return nil }
    (self.day, self.recall, self.minutes, lastDays) = (day, recall, minutes, last)
  }

  var stored: CardFieldValue {
    .json(
      FieldText.object([
        CardField("day", .json("\(day)")), CardField("recall", .json("\(recall)")),
        CardField("minutes", .json("\(minutes)")), CardField("last_days", .json("\(lastDays)")),
      ]))
  }
}

extension DeckTable {
  /// The goal that applies to a deck, its own or that of the nearest deck around it, with the deck that has it; also
  /// a goal whose date is over.
  public static func goal(_ db: Database, _ id: DeckID) throws -> (deck: DeckRecord, goal: DeckGoal)? {
    let key = try record(db, id).name.lowercased()
    return try goals(db).filter {
      key == $0.deck.name.lowercased() || DeckName.isKey(key, within: $0.deck.name.lowercased())
    }
    .max { $0.deck.name.utf8.count < $1.deck.name.utf8.count }
  }

  public static func goals(_ db: Database) throws -> [(deck: DeckRecord, goal: DeckGoal)] {
    let sql = "SELECT id, options FROM decks WHERE options LIKE '%\"goal\"%'"
    var found: [DeckID: DeckGoal] = [:]
    try db.forEachRow(sql) { row in
      if let goal = try DeckLimits(json: row.text(1)).goal { found[DeckID(rawValue: row.integer(0))] = goal }
    }
    return try found.keys.map { try record(db, $0) }.listed.compactMap { deck in found[deck.id].map { (deck, $0) } }
  }

  /// Sets the goal of a deck; nil removes it.
  public static func setGoal(_ db: Database, _ id: DeckID, to goal: DeckGoal?) throws {
    var limits = try limits(db, id)
    limits.goal = goal
    try setLimits(db, id, to: limits)
  }
}

struct GoalsUnderWay {
  struct Entry {
    let deck: DeckRecord
    let goal: DeckGoal
    let key: String
  }

  /// Sorted so that inner decks come before the decks that contain them.
  private let entries: [Entry]

  init(_ db: Database, at moment: StudyMoment) throws {
    entries = try DeckTable.goals(db).filter { $0.goal.isUnderWay(at: moment) }
      .map { Entry(deck: $0.deck, goal: $0.goal, key: $0.deck.name.lowercased()) }
      .sorted { $0.key.utf8.count > $1.key.utf8.count }
  }

  var isEmpty: Bool { entries.isEmpty }

  /// The goal that applies to the deck with a key: its own, or that of the nearest deck around it.
  func goal(ofKey key: String) -> Entry? { entries.first { key == $0.key || DeckName.isKey(key, within: $0.key) } }

  /// The decks of a list to which a goal applies.
  func decks(of entry: Entry, among all: [DeckRecord]) -> [DeckRecord] {
    all.filter { goal(ofKey: $0.name.lowercased())?.deck.id == entry.deck.id }
  }
}

public struct GoalProgress: Equatable, Sendable {
  public let deck: String
  public let goal: DeckGoal
  /// Days from today to the date; 0 or negative if the date is over.
  public let daysLeft: Int
  /// The share of all cards that is remembered today.
  public let known: Double
  /// The plan, with the share that should be remembered at the date; nil if the date is over.
  public let plan: RecallPlan?

  /// The day on which the last days begin.
  public var firstDay: Int { goal.day - goal.lastDays }

  public var value: Value {
    .record([
      "deck": deck, "date": goal.date, "recall": goal.recall, "minutes": Value.measure(goal.minutes),
      "days_left": daysLeft, "last_days": goal.lastDays, "begins": StudyMoment.date(ofDay: firstDay), "known": known,
      "forecast": plan.map { $0.recall }, "reached": plan.map { $0.isReached }, "still_new": plan.map { $0.stillNew },
    ])
  }
}

/// A goal with all that is needed to simulate it.
public struct GoalSimulation {
  private let deck: DeckRecord
  private let goal: DeckGoal
  private let simulation: Simulation
  private let target: RecallPlan.Target

  /// - Parameter goal: a goal that the deck has or may get.
  public init(_ db: Database, _ deck: DeckID, _ goal: DeckGoal, at moment: StudyMoment) throws {
    self.deck = try DeckTable.record(db, deck)
    self.goal = goal
    // Decks within it that have a goal of their own are not part of this one.
    let key = self.deck.name.lowercased()
    let goals = try GoalsUnderWay(db, at: moment)
    let group = try ([self.deck] + DeckTable.within(db, deck)).filter { inner in
      goals.goal(ofKey: inner.name.lowercased()).map { !DeckName.isKey($0.key, within: key) } ?? true
    }
    let options = try DeckTable.options(db, deck)
    simulation = try Simulation(db, group.map(\.id), options, at: moment)
    let times = try GoalGroup(db, group.map(\.id), moment).times()
    target = RecallPlan.Target(recall: goal.recall, minutes: goal.minutes, days: goal.day - moment.today, times: times)
  }

  /// The goal with the number of last days with which it is reached; nil if the user interrupted the simulation.
  public func planned(isInterrupted: () -> Bool) -> DeckGoal? {
    simulation.plan(for: target, isInterrupted: isInterrupted).map { plan in
      var goal = goal
      goal.lastDays = plan.finalDays
      return goal
    }
  }

  public var progress: GoalProgress {
    GoalProgress(
      deck: deck.name, goal: goal, daysLeft: target.days, known: simulation.knownToday,
      plan: target.days > 0 ? simulation.plan(for: target, lastDays: goal.lastDays) : nil)
  }
}
