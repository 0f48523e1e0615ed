// How cards are studied: the options of a preset, which decks share, and what a deck has besides: its own limits, those
// for one day, its own retention, its goal. Invariant: every value is in its range; what a newer version wrote besides
// them survives loading and storing.

public import Memory
import Text

public struct DeckOptions: Equatable, Sendable {
  /// The values that were set; the others have their initial values.
  private var values: [Name: OptionValue] = [:]
  /// The days of a pause of study, of the deck alone; see `DeckLimits`.
  public internal(set) var pause: ClosedRange<Int>?
  /// The result of the last fitting; nil before the first.
  public var fitted: FittedModels?
  /// Members of the stored object that are not known here, as JSON.
  private var unknown: [CardField] = []

  public init() {}

  public subscript(name: Name) -> OptionValue { values[name] ?? name.initial }

  /// - Throws: `badOption` if the value is out of range or of another kind.
  public mutating func set(_ name: Name, _ value: OptionValue) throws(DeckError) {
    values[name] = try name.checked(value)
  }

  public mutating func set(_ name: Name, toText text: String) throws(DeckError) {
    values[name] = try name.value(of: text)
  }

  /// - Throws: `badOption` if the value is out of range, or not an integer where it must be.
  public mutating func set(_ name: Name, to value: Double) throws(DeckError) { try set(name, .number(value)) }

  public mutating func reset(_ name: Name) { values[name] = nil }

  public func value(_ name: Name) -> Double {
    if case .number(let number) = self[name] { return number }
    return 0
  }

  // MARK: The values

  public var newPerDay: Int { whole(.newPerDay) }
  public var reviewsPerDay: Int { whole(.reviewsPerDay) }
  public var newIgnoresReviewLimit: Bool { flag(.newIgnoresReviewLimit) }
  /// The probability of recall at which a card is shown again.
  public var desiredRetention: Double { value(.desiredRetention) }
  /// Days.
  public var maximumInterval: Int { whole(.maximumInterval) }
  public var minimumLapseInterval: Int { whole(.minimumLapseInterval) }
  /// Seconds.
  public var learningSteps: [Double] { shortTerm ? steps(.learningSteps) : [] }
  public var relearningSteps: [Double] { shortTerm ? steps(.relearningSteps) : [] }
  /// The number of lapses at which a card gets the tag `leech`.
  public var leechThreshold: Int { whole(.leechThreshold) }
  public var suspendsLeeches: Bool { choice(.leechAction) == "suspend" }
  var newGather: NewGathering { NewGathering(rawValue: choice(.newGather)) ?? .deck }
  var newSort: NewOrder { NewOrder(rawValue: choice(.newSort)) ?? .template }
  var newMix: NewMix { NewMix(rawValue: choice(.newMix)) ?? .after }
  public var reviewOrder: ReviewOrder { ReviewOrder(rawValue: choice(.reviewOrder)) ?? .due }
  var buriesNew: Bool { flag(.buryNew) }
  public var fuzzes: Bool { flag(.fuzz) }
  /// The share of a usual day's cards that each day gets, from Monday to Sunday.
  public var easyDays: [Double] {
    if case .weekdays(let shares) = self[.easyDays] { return shares }
    return []
  }
  /// Whether an interval depends on the numbers of cards that are due on the days on which it may end.
  public var balances: Bool { fuzzes && (flag(.loadBalance) || easyDays.contains { $0 < 1 }) }
  public var shortTerm: Bool { flag(.shortTerm) }
  public var maximumAnswerSeconds: Double { value(.maximumAnswerSeconds) }
  /// The limit of `maximumAnswerSeconds`.
  public static let longestAnswer = 7200
  /// 21 numbers; empty for the published ones.
  public var parameters: [Double] {
    if case .parameters(let numbers) = self[.parameters] { return numbers }
    return []
  }
  /// The parameters w0 to w20 of FSRS-6 that are in use; without short-term memory, w17 to w19 are 0.
  public var parametersInUse: [Double] { MemoryModel(checked: parameters, countsSameDay: shortTerm).w }

  /// The names, in lowercase, of fields of existing notes that imports do not change.
  public var keptFields: Set<String> { DeckOptions.fieldNames(choice(.keepFields)) }

  /// Returns the names in a text such as `Hint, My note`, in lowercase.
  public static func fieldNames(_ text: String) -> Set<String> {
    Set(text.split(separator: ",").map { String($0).trimmed.lowercased() }.filter { !$0.isEmpty })
  }

  private func whole(_ name: Name) -> Int { Int(value(name)) }

  func flag(_ name: Name) -> Bool { self[name] == .flag(true) }

  private func choice(_ name: Name) -> String {
    if case .choice(let choice) = self[name] { return choice }
    return ""
  }

  private func steps(_ name: Name) -> [Double] {
    for value in [self[name], name.initial] { if case .steps(let steps) = value { return steps } }
    return []
  }

  /// The memory model that schedules; FSRS-7 never does so with the parameters that it was published with.
  public var modelInUse: ModelChoice { fitted?.model(modelChoice) ?? .fsrs6 }

  /// What predicts the recall of cards.
  public var recallModel: RecallModel {
    RecallModel(
      MemoryModel(checked: parameters, countsSameDay: shortTerm), fitted, modelChoice, countsTime: flag(.answerTime))
  }

  /// How long an answer took as it is recorded, in seconds; nil if that is not known.
  func recorded(_ seconds: Double?) -> Double? { seconds.map { min(maximumAnswerSeconds, max(0, $0)) } }

  /// Whether a fitted FSRS-7 helps to decide when cards that are learnt, or relearnt, come back, instead of steps.
  public func stepsAreTimed(relearning: Bool) -> Bool {
    shortTerm && modelInUse != .fsrs6 && fitted?.parameters.isEmpty == false
      && self[relearning ? .relearningSteps : .learningSteps] == .choice("auto")
  }

  /// The values that were set, by the names of the options, in the form for a file.
  public var fields: [CardField] {
    Name.allCases.compactMap { name in values[name].map { CardField(name.text, $0.stored) } }
      + (fitted.map { [CardField(FittedModels.member, .json($0.json))] } ?? []) + unknown
  }

  /// The values that differ from the initial ones, in the form for a file.
  public var changedFields: [CardField] {
    Name.allCases.compactMap { name in
      values[name].flatMap { $0 == name.initial ? nil : CardField(name.text, $0.stored) }
    } + unknown
  }

  /// Creates options from the members of a file. For a value that is not valid, the initial value is used.
  public init(fields: [CardField]) {
    for field in fields {
      if field.name == FittedModels.member, case .json(let json) = field.value {
        fitted = FittedModels(json: json)
        continue
      }
      guard let name = Name(rawValue: field.name) else {
        unknown.append(field)
        continue
      }
      values[name] = name.value(stored: field.value)
    }
  }

  /// The errors in the options of a file: one for each value that is not valid.
  public static func faults(in fields: [CardField]) -> [DeckError] {
    fields.compactMap { field in
      Name(rawValue: field.name).flatMap { $0.value(stored: field.value) == nil ? $0.refusal : nil }
    }
  }

  /// Creates options from the stored object. For a value that is not valid (a newer version may allow other ranges),
  /// the initial value is used.
  init(json: String) throws { self.init(fields: try FieldText.list(json)) }

  /// The object to store: the values that were set, and the unknown members.
  var json: String { FieldText.object(fields) }
}

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
  /// The exercise that asks its cards; nil if they are asked as themselves.
  public var exercise: String?
  /// Days without study, as `StudyMoment` counts days: no new cards, and answers schedule no card for them.
  public private(set) var pause: ClosedRange<Int>?
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
    options.pause = pause
    if let day, pause?.contains(day) ?? false { try options.set(.newPerDay, to: 0) }
    if let newToday, newToday.day == day {
      try options.set(.newPerDay, to: Double(newToday.limit))
      if newToday.ignoresReviews { try options.set(.newIgnoresReviewLimit, .flag(true)) }
    }
    if let reviewsToday, reviewsToday.day == day { try options.set(.reviewsPerDay, to: Double(reviewsToday.limit)) }
    return options
  }

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
      case "pause":
        let days = field.value.written.split(separator: " ").compactMap { CivilDate($0)?.days }
        if days.count == 2, days[0] <= days[1] { pause = days[0]...days[1] }
        unknown.append(field)
      case "goal": goal = DeckGoal(stored: field.value)
      case "exercise": exercise = field.value.written
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
    if let exercise { fields.append(CardField("exercise", .text(exercise))) }
    return FieldText.object(fields + unknown)
  }
}
