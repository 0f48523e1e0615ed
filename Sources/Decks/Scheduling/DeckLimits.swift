// The settings of one deck besides its preset: its own limits, the limits for one day, its own retention, its goal.
// Invariant: every value is in the range of the option with the same name; unknown members from newer versions are
// preserved.

import Text

/// The limits of a single deck. A value that is nil is taken from the preset.
public struct DeckLimits: Equatable, Sendable {
  /// A limit that applies on one day.
  public struct DayLimit: Equatable, Sendable {
    /// The number of the day, as `StudyMoment` counts days.
    public let day: Int
    public let limit: Int
    /// Whether new cards are shown after the limit of reviews is reached: the user asked for them.
    public let ignoresReviews: Bool

    public init(day: Int, limit: Int, ignoresReviews: Bool = false) {
      (self.day, self.limit, self.ignoresReviews) = (day, min(9999, max(0, limit)), ignoresReviews)
    }

    fileprivate var json: String { ignoresReviews ? "[\(day),\(limit),1]" : "[\(day),\(limit)]" }
  }

  private var values: [DeckOptions.Name: Double] = [:]
  public var newToday: DayLimit?
  public var reviewsToday: DayLimit?
  public var goal: DeckGoal?
  private var unknown: [CardField] = []

  public init() {}

  /// The options that can be set for a deck alone.
  public static let names: [DeckOptions.Name] = [.newPerDay, .reviewsPerDay, .desiredRetention]

  public func has(_ name: DeckOptions.Name) -> Bool { value(name) != nil }

  /// The value of a limit; nil if the preset's value applies, and for other options.
  public func value(_ name: DeckOptions.Name) -> Double? { values[name] }

  /// Sets a limit; with nil, the preset's value applies again.
  /// - Throws: `badOption` for another option, or a value out of range.
  public mutating func set(_ name: DeckOptions.Name, to value: Double?) throws(DeckError) {
    if let value { _ = try name.checked(.number(value)) }
    guard Self.names.contains(name) else {
      throw .badOption(
        name: name.text,
        reason: "can only be set for a preset; a single deck has new_per_day, reviews_per_day, desired_retention")
    }
    values[name] = value
  }

  /// Returns the preset's options with the deck's own limits, and those of `day` if it is given.
  func applied(to options: DeckOptions, day: Int? = nil) throws(DeckError) -> DeckOptions {
    var options = options
    for (name, value) in values { try options.set(name, to: value) }
    if let newToday, newToday.day == day {
      try options.set(.newPerDay, to: Double(newToday.limit))
      if newToday.ignoresReviews { try options.set(.newIgnoresReviewLimit, .flag(true)) }
    }
    if let reviewsToday, reviewsToday.day == day { try options.set(.reviewsPerDay, to: Double(reviewsToday.limit)) }
    return options
  }

  // MARK: Storing

  init(json: String) throws {
    if json == "{}" { return }
    for field in try FieldText.list(json) {
      if let name = DeckLimits.names.first(where: { $0.text == field.name }) {
        // A value that is not valid counts as not set.
        if case .number(let limit)? = name.value(stored: field.value) { try set(name, to: limit) }
        continue
      }
      switch field.name {
      case "new_today": newToday = DeckLimits.dayLimit(field.value)
      case "reviews_today": reviewsToday = DeckLimits.dayLimit(field.value)
      case "goal": goal = DeckGoal(stored: field.value)
      default: unknown.append(field)
      }
    }
  }

  private static func dayLimit(_ value: CardFieldValue) -> DayLimit? {
    guard case .json(let text) = value, text.hasPrefix("["), text.hasSuffix("]") else { return nil }
    let numbers = text.dropFirst().dropLast().split(separator: ",").compactMap { Int(String($0).trimmed) }
    guard numbers.count == 2 || (numbers.count == 3 && numbers[2] == 1) else { return nil }
    return DayLimit(day: numbers[0], limit: numbers[1], ignoresReviews: numbers.count == 3)
  }

  /// Parses limits from a file.
  /// - Throws: `badOption` if it is not a JSON object.
  public init(checking json: String) throws(DeckError) {
    do { try self.init(json: json) } catch {
      throw .badOption(name: "limits", reason: "must be an object with the names and values of the limits")
    }
  }

  public var json: String {
    var fields = DeckLimits.names.compactMap { name in
      value(name).map { CardField(name.text, OptionValue.number($0).stored) }
    }
    if let newToday { fields.append(CardField("new_today", .json(newToday.json))) }
    if let reviewsToday { fields.append(CardField("reviews_today", .json(reviewsToday.json))) }
    if let goal { fields.append(CardField("goal", goal.stored)) }
    return FieldText.object(fields + unknown)
  }
}
