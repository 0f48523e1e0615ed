// The one row of a collection of schema 11: note types, decks, presets and settings as JSON.
// Source: apkg.md, section 2. Invariant: the same decks give the same text.

import Decks
import GRDB
import Text
import Values

/// What goes into the table `col`.
struct CollectionHead {
  /// Seconds since 1970.
  var created: Int
  var modified: Int
  var settings: String
  var types: String
  var decks: String
  var presets: String
}

/// Gathers it while the cards go out.
struct CollectionHeadMaker {
  private(set) var types: [Int64: NoteType] = [:]
  private var decks: [(String, Value)] = []
  private var presets: [(String, Value)] = []
  /// The newest time of anything that goes out, in seconds since 1970.
  private(set) var newest = 0

  /// Every collection has a deck and a preset of these ids.
  init() {
    addDeck(1, name: "Default", modified: 0, preset: nil, DeckLimits())
    addPreset(1, name: "Default", DeckOptions())
  }

  mutating func note(_ time: Double) { newest = max(newest, Int(min(1e11, max(0, time)))) }

  mutating func add(_ type: NoteType) { types[type.id.rawValue] = type }

  // MARK: Decks

  /// Enters a deck.
  /// - Returns: its id in the package: when it was made, in milliseconds, so that it is always the same.
  mutating func add(_ db: Database, _ deck: DeckRecord) throws -> Int64 {
    let id = max(2, Int64(min(1e14, max(0, deck.created * 1000))) + deck.id.rawValue)
    var preset: Int64?
    if let known = try DeckTable.nearestPreset(db, deck.id) { preset = addPreset(try PresetTable.record(db, known)) }
    addDeck(
      id, name: deck.name, modified: Int(min(1e11, max(0, deck.created))), preset: preset,
      try DeckTable.limits(db, deck.id))
    return id
  }

  private mutating func addDeck(_ id: Int64, name: String, modified: Int, preset: Int64?, _ limits: DeckLimits) {
    let none = Value.list([.integer(0), .integer(0)])
    var deck: Value.Record = [
      "id": .integer(Int(id)), "name": .text(name), "mod": .integer(modified), "usn": .integer(-1),
      "desc": .text(""), "collapsed": .boolean(false), "browserCollapsed": .boolean(false), "dyn": .integer(0),
      "conf": .integer(Int(preset ?? 1)), "extendNew": .integer(0), "extendRev": .integer(0), "newToday": none,
      "revToday": none, "lrnToday": none, "timeToday": none,
    ]
    deck["newLimit"] = limits.newPerDay.map { .integer($0) }
    deck["reviewLimit"] = limits.reviewsPerDay.map { .integer($0) }
    deck["desiredRetention"] = limits.desiredRetention.map { .integer(Int(($0 * 100).rounded())) }
    decks.append(("\(id)", .record(deck)))
  }

  // MARK: Presets

  /// - Returns: its id in the package, made of its name, so that two accounts mean the same by it.
  private mutating func addPreset(_ preset: PresetRecord) -> Int64 {
    var name = preset.name
    let id = 1_500_000_000_000 + Int64(name.withUTF8 { contentHash($0) })
    if !presets.contains(where: { $0.0 == "\(id)" }) { addPreset(id, name: preset.name, preset.options) }
    return id
  }

  private mutating func addPreset(_ id: Int64, name: String, _ options: DeckOptions) {
    func minutes(_ steps: [Double]) -> Value { .list(steps.map { .measure($0 / 60) }) }
    func choice(_ option: DeckOptions.Name) -> Value {
      guard case .choice(let word) = options[option] else { return .integer(0) }
      return .integer(AnkiChoices.number(option, word) ?? 0)
    }
    let new: Value.Record = [
      "bury": .boolean(options.buriesNew), "delays": minutes(options.learningSteps), "initialFactor": .integer(2500),
      "ints": .list([.integer(1), .integer(4), .integer(0)]), "order": .integer(1),
      "perDay": .integer(options.newPerDay),
    ]
    let review: Value.Record = [
      "bury": .boolean(options.buriesReviews), "ease4": .measure(1.3), "ivlFct": .integer(1),
      "maxIvl": .integer(options.maximumInterval), "perDay": .integer(options.reviewsPerDay),
      "hardFactor": .measure(1.2),
    ]
    let lapse: Value.Record = [
      "delays": minutes(options.relearningSteps), "leechAction": .integer(options.suspendsLeeches ? 0 : 1),
      "leechFails": .integer(options.leechThreshold), "minInt": .integer(options.minimumLapseInterval),
      "mult": .integer(0),
    ]
    let record: Value.Record = [
      "id": .integer(Int(id)), "name": .text(name), "mod": .integer(0), "usn": .integer(-1),
      "maxTaken": .integer(Int(options.maximumAnswerSeconds)), "autoplay": .boolean(true), "timer": .integer(0),
      "replayq": .boolean(true), "dyn": .boolean(false), "new": .record(new), "rev": .record(review),
      "lapse": .record(lapse), "buryInterdayLearning": .boolean(options.buriesLearning),
      "desiredRetention": .number(options.desiredRetention),
      "fsrsParams6": .list(options.parameters.map { .number($0) }), "newGatherPriority": choice(.newGather),
      "newSortOrder": choice(.newSort), "newMix": choice(.newMix), "reviewOrder": choice(.reviewOrder),
    ]
    presets.append(("\(id)", .record(record)))
  }

  // MARK: The row

  func head() -> CollectionHead {
    let settings: Value.Record = [
      "creationOffset": .integer(0), "curDeck": .integer(1), "activeDecks": .list([.integer(1)]),
      "fsrs": .boolean(true), "nextPos": .integer(1_000_000), "rollover": .integer(4), "sched2021": .boolean(true),
      "schedVer": .integer(2), "sortType": .text("noteFld"), "sortBackwards": .boolean(false),
    ]
    let types = types.sorted { $0.key < $1.key }.map { ("\($0.key)", Value.record($0.value.record)) }
    return CollectionHead(
      // At 4 in the morning, by the offset that the settings name.
      created: SentSchedule.firstDay * 86_400 + 14_400, modified: newest, settings: Value.record(settings).json,
      types: Value.record(types).json, decks: Value.record(decks).json, presets: Value.record(presets).json)
  }
}
