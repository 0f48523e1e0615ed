// How cards are studied: the options of a preset, which decks share.
// Invariant: every value is in its range; what a newer version wrote besides them survives loading and storing.

public import Memory

public struct DeckOptions: Equatable, Sendable {
  /// The values that were set; the others have their initial values.
  private var values: [Name: OptionValue] = [:]
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
  var buriesReviews: Bool { flag(.buryReviews) }
  var buriesLearning: Bool { flag(.buryLearning) }
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

  private func whole(_ name: Name) -> Int { Int(value(name)) }

  private func flag(_ name: Name) -> Bool { self[name] == .flag(true) }

  private func choice(_ name: Name) -> String {
    if case .choice(let choice) = self[name] { return choice }
    return ""
  }

  private func steps(_ name: Name) -> [Double] {
    for value in [self[name], name.initial] { if case .steps(let steps) = value { return steps } }
    return []
  }

  // MARK: FSRS-7

  /// The fitted models, if FSRS-7 schedules cards. It never does so with the parameters that it was published with.
  public var timed: FittedModels? {
    guard let fitted, fitted.model != nil else { return nil }
    switch choice(.model) {
    case "fsrs-7": return fitted
    case "auto": return fitted.prefersFSRS7 ? fitted : nil
    default: return nil
    }
  }

  /// Whether FSRS-7 decides when cards that are learnt, or relearnt, come back, instead of steps.
  public func stepsAreTimed(relearning: Bool) -> Bool {
    shortTerm && timed != nil && self[relearning ? .relearningSteps : .learningSteps] == .choice("auto")
  }

  // MARK: Storing

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
