// The schedule of a card in a file.
// Invariant: what is written is read back unchanged; numbers that no schedule can have make the row invalid.

import Decks
import Values

/// A card's schedule, suspension and flag.
struct CardPlan {
  var schedule = CardSchedule()
  var isSuspended = false
  var flag = 0

  /// Whether this is the schedule of a new card, without suspension and flag.
  var isPlain: Bool { schedule == CardSchedule() && !isSuspended && flag == 0 }

  init(_ card: some CardColumns) { (schedule, isSuspended, flag) = (card.schedule, card.isSuspended, card.flag) }

  /// - Throws: `badOption` for values that no schedule can have.
  init(_ record: Value.Record) throws(DeckError) {
    schedule.state = try CardState(record["state"], in: JSONName.schedule)
    for (name, place) in CardProperty.planned {
      switch place {
      case .number(let path, _): schedule[keyPath: path] = record[name]?.double
      case .count(let path, _): schedule[keyPath: path] = try Self.count(record, name)
      }
    }
    if record[Self.interval] != nil { schedule.interval = try Self.count(record, Self.interval) }
    isSuspended = record["suspended"] == .boolean(true)
    flag = try Self.count(record, CardProperty.flag.rawValue)
    guard CardHiding.flags.contains(flag) else {
      throw .badOption(name: "schedule.flag", reason: "must be \(CardHiding.flagExpectation)")
    }
    try schedule.check()
  }

  private static let interval = "interval"

  /// Returns a whole number of the schedule; 0 if it is not given.
  private static func count(_ record: Value.Record, _ name: String) throws(DeckError) -> Int {
    guard let given = record[name], given != .null else { return 0 }
    guard let count = given.integer else {
      throw .badOption(name: "schedule.\(name)", reason: "must be a whole number")
    }
    return count
  }

  var value: Value {
    var fields: [(String, Value)] = [("state", .text(schedule.state.name))]
    for (name, place) in CardProperty.planned {
      switch place {
      case .number(let path, _):
        if let number = schedule[keyPath: path] { fields.append((name, .measure(number))) }
      case .count(let path, _):
        if schedule[keyPath: path] != 0 { fields.append((name, .integer(schedule[keyPath: path]))) }
      }
    }
    if let interval = schedule.interval { fields.append((Self.interval, .integer(interval))) }
    if flag != 0 { fields.append((CardProperty.flag.rawValue, .integer(flag))) }
    if isSuspended { fields.append(("suspended", .boolean(true))) }
    return .record(fields)
  }
}
