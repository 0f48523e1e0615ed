// The one row of a collection of schema 11: note types, decks, presets and settings as JSON.
// Source: PackageRules.md, "The collection". Invariant: the same decks produce the same text.

import Decks
import Storage
import Templates
import Text
import Values

/// The columns of the table `col`.
struct CollectionHead {
  /// Seconds since 1970.
  var created: Int
  var modified: Int
  var settings: String
  var types: String
  var decks: String
  var presets: String
}

/// Collects the contents of `col` while cards are exported.
struct CollectionHeadMaker {
  private(set) var types: [Int64: NoteType] = [:]
  private var decks: [(String, Value)] = []
  private var presets: [(String, Value)] = []
  /// The newest time of anything exported, in seconds since 1970.
  private(set) var newest = 0

  /// Adds the deck and the preset of id 1, which every collection has.
  init() {
    let (id, name) = (Int64(DeckRecord.firstNumber), DeckRecord.firstName)
    put(id, SentHead.deck(id, name: name, modified: 0, preset: nil, DeckLimits()), in: &decks)
    put(id, SentHead.preset(id, name: name, DeckOptions()), in: &presets)
  }

  private func put(_ id: Int64, _ record: Value.Record, in list: inout [(String, Value)]) {
    list.removeAll { $0.0 == "\(id)" }
    list.append(("\(id)", .record(record)))
  }

  mutating func note(_ time: Double) { newest = max(newest, Int(min(1e11, max(0, time)))) }

  mutating func add(_ type: NoteType) { types[type.id.rawValue] = type }

  // MARK: Decks

  /// Adds a deck and the preset that applies to it.
  mutating func add(_ db: Database, _ deck: DeckRecord) throws {
    let id = deck.id.rawValue
    let preset = try DeckTable.nearestPreset(db, deck.id)
    if let preset = try preset.map({ try PresetTable.record(db, $0) }) {
      let came = try ServerRows.record(SyncedTable.presets.json(db, preset.id.rawValue))
      let record = SentHead.preset(preset.id.rawValue, name: preset.name, preset.options, over: came)
      put(preset.id.rawValue, record, in: &presets)
    }
    // A deck that was never synced has no modification time: use the time it was made, which its id holds.
    let record = SentHead.deck(
      id, name: deck.name, modified: Int(id / 1000), preset: preset?.rawValue, try DeckTable.limits(db, deck.id),
      over: try ServerRows.record(SyncedTable.decks.json(db, id)))
    put(id, record, in: &decks)
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
      // 4 in the morning, at the `creationOffset` of the settings.
      created: SentSchedule.firstDay * 86_400 + 14_400, modified: newest, settings: Value.record(settings).json,
      types: Value.record(types).json, decks: Value.record(decks).json, presets: Value.record(presets).json)
  }
}
