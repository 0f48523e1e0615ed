// The one row of a collection of schema 11: note types, decks, presets and settings as JSON.
// Source: PackageRules.md, "The collection". Invariant: the same decks give the same text.

import Decks
import Storage
import Templates
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
    let deck = SentHead.deck(id, name: name, modified: modified, preset: preset, limits)
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
    presets.append(("\(id)", .record(SentHead.preset(id, name: name, options))))
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
