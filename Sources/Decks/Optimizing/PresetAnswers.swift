// The decks that use a preset, and the number of answers in their log: when the number has grown, the models are fitted
// again. Invariant: nothing is changed.

public import Memory
public import Storage
public import Values

extension PresetTable {
  /// The decks that use a preset: it is their own, or that of the nearest deck around them.
  public static func decks(_ db: Database, of preset: PresetID) throws -> [DeckID] {
    try DeckTable.list(db).map(\.id).filter { try DeckTable.nearestPreset(db, $0) == preset }
  }

  /// The number of answers in the log of the decks of a preset.
  public static func answerCount(_ db: Database, of preset: PresetID) throws -> Int {
    let sql = """
      SELECT count(*) FROM cards CROSS JOIN reviews ON reviews.card = cards.id
      WHERE cards.deck = ? AND \(LoggedReview.isAnswer)
      """
    return try decks(db, of: preset).reduce(0) { try $0 + db.count(sql, [$1.rawValue]) }
  }

  /// The first preset whose models were fitted, and whose log has grown enough since to fit them again.
  public static func dueForFitting(_ db: Database) throws -> PresetRecord? {
    try list(db).first { preset in
      guard let fitted = preset.options.fitted else { return false }
      return fitted.isDue(answers: try answerCount(db, of: preset.id))
    }
  }

  /// The id of the last row of the log.
  public static func lastAnswer(_ db: Database) throws -> Int { try db.count("SELECT ifnull(max(id), 0) FROM reviews") }

  /// Whether at least `count` rows of the log come after `last`. Only these rows are read, because the log may have
  /// millions.
  public static func hasAnswers(_ db: Database, _ count: Int, after last: Int) throws -> Bool {
    try db.hasRow("SELECT 1 FROM reviews WHERE id > ? LIMIT 1 OFFSET ?", [last, count - 1])
  }
}

extension DeckOptions {
  /// The memory model that the options ask for.
  public var modelChoice: ModelChoice {
    guard case .choice(let name) = self[.model] else { return .auto }
    return ModelChoice(rawValue: name) ?? .auto
  }

  /// Stores the outcome of a fitting in the options.
  public mutating func take(_ outcome: ModelFitting, answers: Int) throws(DeckError) {
    if outcome.fsrs6.isBetter { try set(.parameters, .parameters(outcome.fsrs6.parameters)) }
    var fitted = outcome.fitted
    fitted.answers = answers
    self.fitted = fitted
  }
}

extension FittedModels {
  /// Its name in the options of a preset.
  static let member = "fitted"

  /// The value of the member.
  var json: String {
    Value.record([
      "answers": answers, "fsrs6": prefersFSRS6, "version": MemoryModel7.version, "firsts": firsts,
      "parameters": parameters, "answer_time": time.map { $0.value },
    ]).json
  }

  init?(json: String) {
    do {
      let limits = JSONLimits(bytes: 1 << 16, depth: 3, values: 100, string: 100)
      let record = try JSONParser.parse(Array(json.utf8), limits: limits).record
      guard let answers = record?["answers"]?.integer, let version = record?["version"]?.integer,
        let parameters = record?["parameters"]?.list, let firsts = record?["firsts"]?.list
      else { return nil }
      try self.init(
        answers: answers, prefersFSRS6: record?["fsrs6"]?.boolean ?? false, parameters: parameters.compactMap(\.double),
        firsts: firsts.compactMap(\.integer), time: record?["answer_time"].flatMap { AnswerTime($0) },
        version: version)
    } catch {
      // A newer version may allow other ranges: the models are then fitted again.
      return nil
    }
  }
}

extension AnswerTime {
  public var value: Value { .record(["median": median, "a": shift, "c": slope]) }

  fileprivate init?(_ value: Value) {
    let numbers = ["median", "a", "c"].compactMap { value.record?[$0]?.double }
    guard numbers.count == 3, numbers.allSatisfy({ abs($0) < 1e9 }), numbers[0] >= 0 else { return nil }
    self.init(median: numbers[0], shift: numbers[1], slope: numbers[2])
  }
}
