// The one row of a collection of schema 11: note types, decks, presets and settings as JSON.
// Source: PackageRules.md, "The collection". Invariant: the same decks produce the same text.

import Decks
import Storage
import Templates
import Text
import Values

/// Collects the contents of `col` while cards are exported.
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

  /// Adds a record in place of the one with its id.
  private func put(_ record: Value.Record, in list: inout [Value.Record]) {
    list.removeAll { ServerRows.id($0) == ServerRows.id(record) }
    list.append(record)
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
