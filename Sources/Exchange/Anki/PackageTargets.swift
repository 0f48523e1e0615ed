// Maps the parts of a package to those of the account: note types, decks, presets, positions of cards.
// Invariant: an existing deck keeps its preset and the order of its cards; the decks of a package are nested in the
// target deck, or their common outermost deck becomes it, or they keep their names; the parts of a server's collection
// keep their ids.

import Decks
import Storage
import Templates
import Text
import Values

final class PackageTargets {
  private let db: Database
  /// The deck that is imported into; nil if the decks keep their names.
  private let root: DeckRecord?
  private let isFromServer: Bool
  private let contents: PackageContents
  private let calendar: AnkiCalendar
  private let isInterrupted: () -> Bool
  /// How many leading parts of each deck name stand for the deck that is imported into.
  private let depth: Int
  private var types: [Int64: NoteType?] = [:]
  private var invalidTypes: [Int64: NoteError] = [:]
  private var decks: [Int64: Target] = [:]
  /// The ranks that a deck's imported cards get: by position, and in order of arrival within a position. The ids are
  /// those here, because two decks of the package may become one.
  private var spans: [DeckID: (first: Int64, count: Int64)] = [:]
  private var presets: [Int64: PresetID] = [:]
  private var isToday: Bool
  var flush: () throws -> Void = {}
  var template: (String) throws -> String = { $0 }

  private struct Target {
    let id: DeckID
    /// Whether this import made the deck, or it had neither cards nor a preset.
    let isFresh: Bool
    let preset: Int64?
    let steps: (learning: Int, relearning: Int)
  }

  /// Ranks per position, which is how many cards can share one.
  private static let step: Int64 = 1 << 24
  private static let mostPosition = 1 << 24
  private let afterNew: Int

  init(
    _ db: Database, _ foreign: Database, into root: DeckRecord?, isFromServer: Bool, _ contents: PackageContents,
    _ moment: StudyMoment, isInterrupted: @escaping () -> Bool
  ) throws {
    (self.db, self.root, self.contents, self.isInterrupted) = (db, root, contents, isInterrupted)
    self.isFromServer = isFromServer
    calendar = AnkiCalendar(moment: moment, firstDay: contents.firstDay(moment))
    // A burial ends with the day on which it was made.
    isToday = moment.day(of: contents.modified) == moment.today
    let homes = try contents.homes(foreign)
    depth = root == nil || contents.isOwn ? 0 : homes.depth
    let position = "CAST(json_extract(iif(json_valid(data), data, '{}'), '$.pos') AS INTEGER)"
    let sql = "SELECT max(iif(type = 0, iif(odid <> 0, odue, due), \(position))) FROM cards"
    let last = try foreign.count(sql)
    afterNew = min(PackageTargets.mostPosition, max(0, last)) + 1
    if isFromServer { try makeRoom() }
    // A deck that got another name here is not made again.
    let new = contents.settings[CrowdAnkiReader.kept] == nil ? [] : homes.decks
    for (id, _) in new where try !SyncedTable.decks.has(db, id) { _ = try target(id) }
  }

  /// Gives other ids to existing note types, decks and presets whose ids the collection uses.
  private func makeRoom() throws {
    for (table, ids) in [
      (SyncedTable.noteTypes, Array(contents.types.keys)), (.decks, Array(contents.decks.keys)),
      (.presets, Array(contents.presets.keys)),
    ] {
      for id in ids { try table.makeRoom(db, for: id, now: calendar.moment.now) }
    }
  }

  /// Splits a deck name into its parts; characters and parts that a deck name cannot have are dropped.
  static func parts(_ deck: PackagedDeck?) -> [String] {
    let parts = (deck?.name ?? "Default").split(at: "::").map { part in
      let scalars = part.unicodeScalars.filter { scalar in
        ![.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
      }
      return String(limitingMarks(String(String.UnicodeScalarView(scalars))).trimmed.prefix(DeckName.limit))
    }.filter { !$0.isEmpty }
    return parts.isEmpty ? ["Default"] : parts
  }

  static func common(_ names: [[String]]) -> Int {
    guard let first = names.first else { return 0 }
    return names.dropFirst().reduce(first.count) { depth, name in
      min(depth, zip(first, name).prefix { $0.lowercased() == $1.lowercased() }.count)
    }
  }

  // MARK: Note types

  /// Returns the account's note type for one of the package, importing it if needed; nil when the package does not
  /// have it.
  /// - Throws: `NoteError.badType`.
  func type(_ id: Int64) throws -> NoteType? {
    if let known = types[id] { return known }
    if let error = invalidTypes[id] { throw error }
    try flush()
    guard let given = contents.types[id] else {
      types[id] = .some(nil)
      return nil
    }
    var received: NoteType
    do throws(NoteError) { received = try NoteType(received: given, id: id) } catch {
      invalidTypes[id] = error
      throw error
    }
    received = try received.mapping(template)
    let now = calendar.moment.now
    if isFromServer {
      _ = try NoteTypeTable.place(db, received, now: now) { contents.types[$0.rawValue] == nil }
      types[id] = try NoteTypeTable.record(db, received.id)
    } else {
      types[id] = try NoteTypeTable.receive(db, received, now: now, isInterrupted: isInterrupted)
    }
    return types[id] ?? nil
  }

  // MARK: Decks

  private func target(_ id: Int64) throws -> Target {
    if let known = decks[id] { return known }
    try flush()
    let deck = contents.decks[id]
    let rest = PackageTargets.parts(deck).dropFirst(depth)
    let name = ((root.map { [$0.name] } ?? []) + rest).joined(separator: "::")
    let wanted = DeckID(rawValue: id)
    let found = try DeckTable.findOrMake(db, named: shortened(name), id: wanted, now: calendar.moment.now)
    var (here, isFresh) = (found.deck.id, found.isFresh)
    // A deck that was made here earlier, under another id.
    if isFromServer, here != wanted, contents.decks[here.rawValue] == nil {
      try SyncedTable.decks.renumber(db, here.rawValue, to: id)
      here = wanted
    }
    let options = deck?.preset.flatMap { contents.presets[$0]?.options } ?? DeckOptions()
    let made = Target(
      id: here, isFresh: isFresh, preset: deck?.preset,
      steps: (options.learningSteps.count, options.relearningSteps.count))
    decks[id] = made
    if isFresh, let deck {
      try DeckTable.setLimits(db, here, to: deck.limits)
      if !deck.isFiltered { try SyncedTable.decks.receive(db, here.rawValue, json: Value.record(deck.record).json) }
    }
    return made
  }

  /// Returns the names of the outermost of the decks that got cards.
  func outermost() throws -> [String] {
    Set(try decks.values.map { try DeckName.split(DeckTable.record(db, $0.id).name)[0] }).sorted()
  }

  /// Imports what no note and no card needed: the remaining note types, and all decks except filtered ones and, if
  /// the account lacks it, `Default`, which every collection has. A note type that is invalid here is skipped.
  func importUnused() throws {
    for id in contents.types.keys.sorted() {
      do { _ = try type(id) } catch is NoteError { continue }
    }
    for (id, deck) in contents.decks.sorted(by: { $0.key < $1.key }) where !deck.isFiltered {
      let isNeeded = try id != DeckRecord.firstNumber || DeckTable.named(db, DeckRecord.firstName) != nil
      if isNeeded { _ = try target(id) }
    }
  }

  /// Shortens a deck name to a valid one: not longer than the limit, no empty part.
  static func shortened(_ name: String) -> String {
    name.count <= DeckName.limit ? name : whole(name.prefix(DeckName.limit))
  }

  private func shortened(_ name: String) -> String {
    guard let root, name.count > DeckName.limit else { return PackageTargets.shortened(name) }
    // If the target deck has a long name, there is no room for another part.
    let room = DeckName.limit - 2 - root.name.count
    return room < 10 ? root.name : "\(root.name)::\(PackageTargets.whole(name.suffix(room)))"
  }

  /// Removes partial `::` separators and empty parts from a truncated name.
  static func whole(_ name: some StringProtocol) -> String {
    let parts = String(name).split(at: "::").map { part in
      String(part.drop { $0 == ":" }).trimmed
    }
    let text = parts.filter { !$0.isEmpty }.joined(separator: "::")
    return text.hasSuffix(":") ? String(text.dropLast()).trimmed : text
  }

  // MARK: Cards

  /// Returns the card to store.
  /// - Parameter given: a card that is not in a filtered deck.
  func card(_ given: AnkiCard, keepsSchedule: Bool) throws -> StoredCard {
    let target = try target(given.deck)
    var row = given
    if !keepsSchedule { row.makeNew() }
    var card = StoredCard(
      id: CardID(rawValue: max(1, given.id)), ordinal: given.ordinal, deck: target.id,
      rank: try rank(row, in: target.id),
      modified: Double(given.modified))
    card.raw = row.raw(firstDay: calendar.firstDay)
    card.schedule = calendar.schedule(row, steps: target.steps)
    card.hide(as: row, isBuriedToday: isToday, calendar.moment)
    return card
  }

  private func rank(_ card: AnkiCard, in deck: DeckID) throws -> Int64 {
    let position = card.place.map { min(PackageTargets.mostPosition, max(0, $0)) } ?? afterNew
    var span = spans[deck] ?? (0, 0)
    if span.count == 0 {
      try flush()
      span.first = try CardOrder.above(db, deck, room: Int64(afterNew + 1) * PackageTargets.step)
    }
    span.count += 1
    spans[deck] = span
    return span.first + Int64(position) * PackageTargets.step + span.count % PackageTargets.step
  }

  // MARK: Presets

  /// Assigns presets to the decks that this import made or found empty, without a preset.
  func givePresets() throws {
    for target in decks.values.sorted(by: { $0.id.rawValue < $1.id.rawValue }) where target.isFresh {
      guard let id = target.preset, let preset = contents.presets[id] else { continue }
      // Packages without presets contain an empty one, our folders of CrowdAnki the initial options.
      let uuid = CrowdAnkiWriter.uuid(of: DeckRecord.firstName, "DeckConfig")
      let isNone = preset.record[CrowdAnkiReader.uuid]?.text == uuid && preset.options.changedFields.isEmpty
      if isNone || preset.options == DeckOptions() { continue }
      if presets[id] == nil { presets[id] = try receive(preset, PresetID(rawValue: id)) }
      try DeckTable.setPreset(db, target.id, to: presets[id])
    }
  }

  private func receive(_ preset: PackagedPreset, _ wanted: PresetID) throws -> PresetID {
    var (id, now) = (wanted, calendar.moment.now)
    // Its id is made from its uuid.
    let isKnown = try preset.record[CrowdAnkiReader.uuid] != nil && SyncedTable.presets.has(db, wanted.rawValue)
    if isKnown, !isFromServer { return wanted }
    if isFromServer {
      try PresetTable.place(db, id, named: preset.name, preset.options, now: now) {
        contents.presets[$0.rawValue] == nil
      }
    } else {
      id = try PresetTable.receive(db, named: preset.name, preset.options, id: wanted, now: now)
    }
    try SyncedTable.presets.receive(db, id.rawValue, json: Value.record(preset.record).json)
    return id
  }
}

extension AnkiCard {
  /// Resets the card as if it had never been answered; suspension and flag are kept.
  mutating func makeNew() {
    self = AnkiCard(
      id: id, note: note, deck: deck, ordinal: ordinal, modified: modified, queue: queue == -1 ? -1 : 0,
      due: place ?? 0, flags: flags)
  }
}
