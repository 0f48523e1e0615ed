// Decks and presets as JSON of schema 11: new ones complete, imported ones with their changes applied; and the one row
// of a collection that holds them. Source: PackageRules.md, "The collection".
// Invariant: a key that has no meaning here keeps its imported value; the same decks produce the same text.

public import Decks
import Storage
import Templates
import Text
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
    let known = PackagedDeck(old: came).limits
    for name in DeckLimits.names where known.value(name) != limits.value(name) { set(name, of: limits, in: &deck) }
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
    let known = PackagedPreset(old: came).options
    for option in DeckOptions.Name.allCases where came.isEmpty || known[option] != options[option] {
      set(option, of: options, in: &record)
    }
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

struct CollectionHeadMaker {
  private(set) var types: [Int64: NoteType] = [:]
  private var decks: [Value.Record] = []
  private var presets: [Value.Record] = []
  /// The newest time of anything exported, in seconds since 1970.
  private(set) var newest = 0

  /// Adds the deck and the preset of id 1, which every collection has.
  init() {
    let (id, name) = (Int64(DeckRecord.firstNumber), DeckRecord.firstName)
    decks = [SentHead.deck(id, name: name, modified: 0, preset: nil, DeckLimits())]
    presets = [SentHead.preset(id, name: name, DeckOptions())]
  }

  private func put(_ record: Value.Record, in list: inout [Value.Record]) {
    list.removeAll { ServerRows.id($0) == ServerRows.id(record) }
    list.append(record)
  }

  mutating func note(_ time: Double) { newest = max(newest, Int(min(1e11, max(0, time)))) }

  mutating func add(_ type: NoteType) { types[type.id.rawValue] = type }

  // MARK: Decks

  mutating func add(_ db: Database, _ deck: DeckRecord) throws {
    let id = deck.id.rawValue
    let preset = try DeckTable.nearestPreset(db, deck.id)
    if let preset = try preset.map({ try PresetTable.record(db, $0) }) {
      let came = try ServerRows.record(SyncedTable.presets.json(db, preset.id.rawValue))
      let record = SentHead.preset(preset.id.rawValue, name: preset.name, preset.options, over: came)
      put(record, in: &presets)
    }
    // A deck that was never synced has no modification time: use the time it was made, which its id holds.
    let record = SentHead.deck(
      id, name: deck.name, modified: Int(id / 1000), preset: preset?.rawValue, try DeckTable.limits(db, deck.id),
      over: try ServerRows.record(SyncedTable.decks.json(db, id)))
    put(record, in: &decks)
  }

  // MARK: The row

  func head() -> StagedHead {
    var head = StagedHead()
    head.settings = [
      "creationOffset": .integer(0), "curDeck": .integer(1), "activeDecks": .list([.integer(1)]),
      "fsrs": .boolean(true), "nextPos": .integer(1_000_000), "rollover": .integer(4), "sched2021": .boolean(true),
      "schedVer": .integer(2), "sortType": .text("noteFld"), "sortBackwards": .boolean(false),
    ]
    head.types = types.sorted { $0.key < $1.key }.map(\.value.record)
    (head.decks, head.presets) = (decks, presets)
    // 4 in the morning, at the `creationOffset` of the settings.
    (head.created, head.modified) = (SentSchedule.firstDay * 86_400 + 14_400, newest * 1000)
    return head
  }
}
