// Decks and presets as JSON of schema 11: new ones complete, imported ones with their changes applied.
// Invariant: a key that has no meaning here keeps its imported value.

public import Decks
import Templates
public import Values

/// Builds decks and presets for export.
///
///     SentHead.deck(1_700_000_000_000, name: "Spanish", modified: 1_700_000_000, preset: 1, DeckLimits())
public enum SentHead {
  /// Returns a deck as JSON of schema 11.
  /// - Parameter came: the JSON that was imported with it; empty for a deck that was made here.
  public static func deck(
    _ id: Int64, name: String, modified: Int, preset: Int64?, _ limits: DeckLimits, over came: Value.Record = [:]
  ) -> Value.Record {
    let none = Value.list([.integer(0), .integer(0)])
    var deck = came.adding([
      "desc": .text(""), "collapsed": .boolean(false), "browserCollapsed": .boolean(false), "dyn": .integer(0),
      "extendNew": .integer(0), "extendRev": .integer(0),
    ])
    // The study counts of today are those of the other program, so they are reset.
    for key in ["newToday", "revToday", "lrnToday", "timeToday"] { deck[key] = none }
    (deck["id"], deck["name"], deck["mod"]) = (.integer(Int(id)), .text(name), .integer(modified))
    (deck["usn"], deck["conf"]) = (.integer(-1), .integer(Int(preset ?? 1)))
    for option in DeckLimits.names { set(option, of: limits, in: &deck) }
    return deck
  }

  /// Writes a limit that the deck itself sets; removes it when none is set.
  public static func set(_ option: DeckOptions.Name, of limits: DeckLimits, in deck: inout Value.Record) {
    switch option {
    case .newPerDay: deck["newLimit"] = limits.value(.newPerDay).map { .integer(Int($0)) }
    case .reviewsPerDay: deck["reviewLimit"] = limits.value(.reviewsPerDay).map { .integer(Int($0)) }
    case .desiredRetention:
      deck["desiredRetention"] = limits.value(.desiredRetention).map { .integer(Int(($0 * 100).rounded())) }
    default: return
    }
  }

  /// Returns a preset as JSON of schema 11.
  /// - Parameter came: the JSON that was imported with it; empty for a preset that was made here.
  public static func preset(
    _ id: Int64, name: String, _ options: DeckOptions, over came: Value.Record = [:]
  ) -> Value.Record {
    let new: Value.Record = [
      "initialFactor": .integer(2500), "ints": .list([.integer(1), .integer(4), .integer(0)]), "order": .integer(1),
    ]
    let review: Value.Record = ["ease4": .measure(1.3), "ivlFct": .integer(1), "hardFactor": .measure(1.2)]
    var record = came.adding([
      "autoplay": .boolean(true), "timer": .integer(0), "replayq": .boolean(true), "dyn": .boolean(false),
      "new": .record(new), "rev": .record(review), "lapse": .record(["mult": .integer(0)]),
    ])
    (record["id"], record["name"]) = (.integer(Int(id)), .text(name))
    (record["mod"], record["usn"]) = (.integer(0), .integer(-1))
    for option in DeckOptions.Name.allCases { set(option, of: options, in: &record) }
    return record
  }

  /// Writes an option; an option that Anki does not have is skipped. A value that Anki does not have is written as no
  /// value, which Anki reads as its default.
  public static func set(_ option: DeckOptions.Name, of options: DeckOptions, in preset: inout Value.Record) {
    guard let place = places[option] else { return }
    guard let group = place.group else { return preset[place.key] = value(option, options) }
    var inner = preset[group]?.record ?? Value.Record()
    inner[place.key] = value(option, options)
    preset[group] = .record(inner)
  }

  static let places: [DeckOptions.Name: (group: String?, key: String)] = [
    .newPerDay: ("new", "perDay"), .learningSteps: ("new", "delays"), .buryNew: ("new", "bury"),
    .reviewsPerDay: ("rev", "perDay"), .maximumInterval: ("rev", "maxIvl"), .buryReviews: ("rev", "bury"),
    .relearningSteps: ("lapse", "delays"), .leechAction: ("lapse", "leechAction"),
    .leechThreshold: ("lapse", "leechFails"), .minimumLapseInterval: ("lapse", "minInt"),
    .maximumAnswerSeconds: (nil, "maxTaken"), .buryLearning: (nil, "buryInterdayLearning"),
    .desiredRetention: (nil, "desiredRetention"), .parameters: (nil, "fsrsParams6"),
    .newGather: (nil, "newGatherPriority"), .newSort: (nil, "newSortOrder"), .newMix: (nil, "newMix"),
    .reviewOrder: (nil, "reviewOrder"), .easyDays: (nil, "easyDaysPercentages"),
  ]

  private static func value(_ option: DeckOptions.Name, _ options: DeckOptions) -> Value? {
    switch option {
    // In minutes. The lists are empty when `shortTerm` is off.
    case .learningSteps: .list(options.learningSteps.map { .measure($0 / 60) })
    case .relearningSteps: .list(options.relearningSteps.map { .measure($0 / 60) })
    default:
      switch options[option] {
      case .number(let number): option == .desiredRetention ? .number(number) : .integer(Int(number))
      case .flag(let flag): .boolean(flag)
      case .choice(let word): AnkiChoices.number(option, word).map { Value.integer($0) }
      case .parameters(let numbers): .list(numbers.map { .number($0) })
      case .weekdays(let shares): shares.contains { $0 < 1 } ? .list(shares.map { .number($0) }) : nil
      case .steps: nil
      }
    }
  }
}
