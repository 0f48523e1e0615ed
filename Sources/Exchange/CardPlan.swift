// The schedule and the review log of a card, and the options of a deck, in a file.
// Invariant: what is written is read back unchanged; numbers that no schedule and no answer can have make the row
// invalid.

import Decks
import Text
import Values

struct CardPlan {
  var schedule = CardSchedule()
  var isSuspended = false
  var flag = 0

  var isPlain: Bool { schedule == CardSchedule() && !isSuspended && flag == 0 }

  init(_ schedule: CardSchedule, isSuspended: Bool) { (self.schedule, self.isSuspended) = (schedule, isSuspended) }

  init(_ card: some CardColumns) { (schedule, isSuspended, flag) = (card.schedule, card.isSuspended, card.flag) }

  /// - Throws: `badOption` for values that no schedule can have.
  init(_ record: Value.Record) throws(DeckError) {
    schedule.state = try CardState(record["state"], in: JSONName.schedule)
    try schedule.read(record)
    if record[Self.interval] != nil { schedule.interval = try record.count(Self.interval) }
    isSuspended = record["suspended"] == .boolean(true)
    flag = try record.count(CardProperty.flag.rawValue)
    guard CardHiding.flags.contains(flag) else {
      throw .badOption(name: "schedule.flag", reason: "must be \(CardHiding.flagExpectation)")
    }
    try schedule.check()
  }

  fileprivate static let interval = "interval"

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

extension CardSchedule {
  /// Reads the numbers of a schedule in a file.
  fileprivate mutating func read(_ record: Value.Record) throws(DeckError) {
    for (name, place) in CardProperty.planned {
      switch place {
      case .number(let path, _): self[keyPath: path] = try record.number(name)
      case .count(let path, _): self[keyPath: path] = try record.count(name)
      }
    }
  }
}

extension Value.Record {
  /// A number of a schedule; nil if it is not given.
  fileprivate func number(_ name: String, isWhole: Bool = false) throws(DeckError) -> Double? {
    guard let given = self[name], given != .null else { return nil }
    guard let number = given.double, !isWhole || given.integer != nil else {
      throw .badOption(name: "schedule.\(name)", reason: "must be a \(isWhole ? "whole " : "")number")
    }
    // No part of a schedule is greater, in any program.
    if !CardProperty.farTimes.contains(number) { throw .outOfRange("schedule.\(name)", CardProperty.farTimes) }
    return number
  }

  /// A whole number of a schedule; 0 if it is not given.
  fileprivate func count(_ name: String) throws(DeckError) -> Int { Int(try number(name, isWhole: true) ?? 0) }
}

extension CardHistory {
  static let keys = [CardPlan.interval, "ease"] + CardProperty.planned.map(\.name)

  /// Reads a schedule and answers as another program may have kept them.
  /// - Throws: `badOption` for values that cannot be those of a card.
  init(_ schedule: Value.Record, _ reviews: [Value]) throws(DeckError) {
    self.init()
    try known.read(schedule)
    (interval, ease) = (try schedule.number(CardPlan.interval), try schedule.number("ease"))
    isSuspended = schedule["suspended"] == .boolean(true)
    answers = try CardLog.log(reviews, isForeign: true)
  }
}

enum CardLog {
  /// The most rows that a file holds for one card, the newest ones. With more, the element would exceed the import's
  /// limits.
  static let limit = 4_000
  private static let numbers: [(String, any WritableKeyPath<LoggedReview, Double?> & Sendable)] = [
    ("elapsed", \.elapsed), ("stability", \.stability), ("difficulty", \.difficulty), ("seconds", \.seconds),
  ]

  static func value(_ log: [LoggedReview]) -> Value {
    .list(
      log.suffix(limit).map { review in
        var fields: [(String, Value)] = [
          ("at", .measure(review.at)), ("rating", .integer(review.rating)), ("state", .text(review.state.name)),
          ("interval", .measure(review.interval)),
        ]
        for (name, path) in numbers {
          if let number = review[keyPath: path] { fields.append((name, .measure(number))) }
        }
        return .record(fields)
      })
  }

  /// - Parameter isForeign: whether another program gave the answers, without what they did to the card.
  /// - Throws: `badOption` for values that no answer can have.
  static func log(_ list: [Value], isForeign: Bool = false) throws(DeckError) -> [LoggedReview] {
    if isForeign, list.count > limit {
      throw .badOption(name: JSONName.reviews, reason: "must be at most \(grouped(limit)) answers a card")
    }
    var log: [LoggedReview] = []
    for value in list {
      guard let record = value.record, let at = record["at"]?.double, let rating = record["rating"]?.integer,
        let interval = isForeign ? 0 : record["interval"]?.double, !isForeign || (1...4).contains(rating)
      else {
        let parts = isForeign ? "at and a rating from 1 to 4" : "at, rating, state and interval"
        throw .badOption(name: JSONName.reviews, reason: "must be objects with \(parts)")
      }
      let state = isForeign ? .new : try CardState(record["state"], in: JSONName.reviews)
      var review = LoggedReview(at: at, rating: rating, state: state, interval: interval)
      for (name, path) in numbers { review[keyPath: path] = record[name]?.double }
      try review.check()
      log.append(review)
    }
    return log
  }
}

extension CardState {
  /// Reads a state by its name.
  /// - Parameter part: the name of the element in the error message.
  /// - Throws: `badOption`.
  init(_ value: Value?, in part: String) throws(DeckError) {
    guard let name = value?.text, let state = CardState.allCases.first(where: { $0.name == name }) else {
      throw .badOption(
        name: part + ".state", reason: "must be one of \(CardState.allCases.map(\.name).joined(separator: ", "))")
    }
    self = state
  }
}

struct NamedOptions {
  /// Nil when the file has no preset name; the options then become a preset with the deck's name.
  var preset: String?
  var options = DeckOptions()
  var limits: DeckLimits?
  /// Errors for values that the options cannot have; these options keep their defaults.
  let faults: [DeckError]
  private let hasOptions: Bool

  static let presetName = "preset"
  static let limitsName = "limits"

  /// Whether the deck has limits but no preset of its own.
  var isOfLimitsAlone: Bool { !hasOptions && preset == nil }

  /// - Throws: `badOption` for limits that are not an object.
  init(_ fields: [CardField]) throws(DeckError) {
    var rest: [CardField] = []
    for field in fields {
      switch (field.name, field.value) {
      case (Self.presetName, .text(let name)): preset = name
      case (Self.limitsName, .json(let json)): limits = try DeckLimits(checking: json)
      default: rest.append(field)
      }
    }
    hasOptions = !rest.isEmpty || limits == nil
    options = DeckOptions(fields: rest)
    faults = DeckOptions.faults(in: rest)
  }

  static func fields(named name: String, _ options: DeckOptions) -> [CardField] {
    [CardField(presetName, .text(name))] + options.fields
  }

  static func fields(preset: PresetRecord?, limits: DeckLimits) -> [CardField] {
    var fields: [CardField] = []
    if let preset { fields = Self.fields(named: preset.name, preset.options) }
    if limits != DeckLimits() { fields.append(CardField(limitsName, .json(limits.json))) }
    return fields
  }
}
