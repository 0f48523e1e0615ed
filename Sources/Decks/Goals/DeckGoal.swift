// A date to know a deck by: the share of its cards to remember then, and the minutes of the last days before it.
// Invariant: its values are in range; the deck within which it is set goes by it until the date, and as before from
// then on.

import Memory
public import Storage
import Text
import Values

/// The goal of a deck and of those within it that have none of their own.
///
///     let goal = try DeckGoal(date: "2027-06-01", recall: 0.95, minutes: 20, at: moment)
///     try DeckTable.setGoal(db, deck, to: goal)
public struct DeckGoal: Equatable, Sendable {
  public static let initialRecall = 0.95
  public static let initialMinutes = 20.0
  private static let recalls = 0.5...0.99
  private static let minuteRange = 1.0...600
  private static let latest = 3650

  /// The number of the day at whose beginning it is to be reached, as `StudyMoment` counts them.
  public let day: Int
  /// The share of the cards to remember then.
  public let recall: Double
  /// Of study on each of the last days.
  public let minutes: Double
  /// How many of the last days are for the date: in them the cards that are most worth an answer are studied, due or
  /// not.
  public internal(set) var lastDays: Int

  public var date: String { StudyMoment.date(ofDay: day) }

  /// - Throws: `badOption` for a value out of range, a text that is no date, or one that is not to come.
  public init(
    date: String, recall: Double = initialRecall, minutes: Double = initialMinutes, at moment: StudyMoment
  ) throws(DeckError) {
    guard let day = CivilDate(date.trimmed)?.days else {
      throw .badOption(name: "date", reason: "must be a date like 2027-06-01, got \(quoted(date))")
    }
    guard (1...Self.latest).contains(day - moment.today) else {
      throw .badOption(name: "date", reason: "must be a day from tomorrow on, within ten years")
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

  /// Whether the deck goes by it today.
  func isUnderWay(at moment: StudyMoment) -> Bool { moment.today < day }

  /// Whether today is one of the last days.
  public func isNear(at moment: StudyMoment) -> Bool { isUnderWay(at: moment) && day - moment.today <= lastDays }

  // MARK: Storing

  /// From the deck's options; nil for what cannot be used.
  init?(stored: CardFieldValue) {
    guard case .json(let text) = stored else { return nil }
    let fields: [CardField]
    do { fields = try FieldText.list(text) } catch {
      // A newer program may keep it otherwise: the deck is as if it had no goal.
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
  /// The goal of a deck, its own or that of a deck around it, with the deck that has it; one whose date is over too.
  public static func goal(_ db: Database, _ id: DeckID) throws -> (deck: DeckRecord, goal: DeckGoal)? {
    let key = try record(db, id).name.lowercased()
    return try goals(db).filter {
      key == $0.deck.name.lowercased() || DeckName.isKey(key, within: $0.deck.name.lowercased())
    }
    .max { $0.deck.name.utf8.count < $1.deck.name.utf8.count }
  }

  /// All goals, by the names of their decks.
  public static func goals(_ db: Database) throws -> [(deck: DeckRecord, goal: DeckGoal)] {
    let sql = "SELECT id, options FROM decks WHERE options LIKE '%\"goal\"%'"
    var found: [DeckID: DeckGoal] = [:]
    try db.forEachRow(sql) { row in
      if let goal = try DeckLimits(json: row.text(1)).goal { found[DeckID(rawValue: row.integer(0))] = goal }
    }
    if found.isEmpty { return [] }
    return try list(db).compactMap { deck in found[deck.id].map { (deck, $0) } }
  }

  /// Gives a deck a goal, or with nil none.
  public static func setGoal(_ db: Database, _ id: DeckID, to goal: DeckGoal?) throws {
    var limits = try limits(db, id)
    limits.goal = goal
    try setLimits(db, id, to: limits)
  }
}

/// The goals that decks go by today.
struct GoalsUnderWay {
  struct Entry {
    let deck: DeckRecord
    let goal: DeckGoal
    let key: String
  }

  /// The innermost decks first.
  private let entries: [Entry]

  init(_ db: Database, at moment: StudyMoment) throws {
    entries = try DeckTable.goals(db).filter { $0.goal.isUnderWay(at: moment) }
      .map { Entry(deck: $0.deck, goal: $0.goal, key: $0.deck.name.lowercased()) }
      .sorted { $0.key.utf8.count > $1.key.utf8.count }
  }

  var isEmpty: Bool { entries.isEmpty }

  /// The goal that a deck of this key goes by: its own, or that of the nearest deck around it.
  func goal(ofKey key: String) -> Entry? {
    entries.first { key == $0.key || DeckName.isKey(key, within: $0.key) }
  }

  /// The decks that go by a goal.
  func decks(of entry: Entry, among all: [DeckRecord]) -> [DeckRecord] {
    all.filter { goal(ofKey: $0.name.lowercased())?.deck.id == entry.deck.id }
  }
}
