// Merging cards. Invariant: if both sides changed a card, its schedule is that of the later answer and each mark that
// of the later edit; within the same second the server wins. Each card has its note, and a deck of the server.

import Decks
import Exchange
import Problems
import Storage
import Templates
import Text
import Values

/// The state of the card merge between rows.
struct CardIntake {
  let receiver: NoteReceiver
  /// The cards with local edits, and when they were changed.
  let changed: [Int64: Int64]
  var places = NewPlaces()
  var types: [Int64: NoteType] = [:]
  /// How many cards came in decks that do not exist on the server.
  var decklessCount = 0
}

extension SyncMerge {
  func mergeCards(_ receiver: NoteReceiver, _ changed: [Int64: Int64]) throws {
    var intake = CardIntake(receiver: receiver, changed: changed)
    try pulled.staged.forEachCard { row, given in
      try step()
      let base = try bases[.card, row.id]
      if isKnown(base, row.json) { return }
      report.received += 1
      if base == nil { try bases.unbury(.card, row.id) }
      try merge(row, given, base, &intake)
    }
    if intake.decklessCount > 0 {
      let home = try DeckTable.record(db, decks.deck(DeckMerge.firstDeck)).name
      report.note("\(counted(intake.decklessCount, "card")) of a deck that was deleted on the server: moved to \(home)")
    }
  }

  private func merge(_ row: StagedRow, _ given: AnkiCard, _ base: Base?, _ intake: inout CardIntake) throws {
    // Removed locally: its grave will be sent.
    if base?.isHere == true, try SyncedCards.stored(db, CardID(rawValue: row.id)) == nil { return }
    let note = try bases[.note, given.note]
    // Its note was removed locally: the card is removed with it.
    if note?.isHere == true, try !NoteTable.exists(db, NoteID(rawValue: given.note)) {
      return try keep(row, isHere: false)
    }
    guard var known = try known(given) else {
      return try agree(row, given, isHere: take(given, nil, note, &intake), &intake)
    }
    // This local card already is another remote row.
    if known.id.rawValue != row.id, try bases.isHere(.card, known.id.rawValue) { return try keep(row, isHere: false) }
    let changed = intake.changed[known.id.rawValue]
    // Both sides created the card: it gets the remote id.
    if known.id.rawValue != row.id {
      try CardTable.renumber(db, known, to: CardID(rawValue: row.id))
      known.id = CardID(rawValue: row.id)
    }
    // A base without a state makes the card be sent whole.
    if isOlder(row, than: base) { return try keep(row, isHere: true) }
    let ours = try ourParts(of: known, row, given, base, changed)
    if ours == .all { return try keep(row, isHere: true) }
    // A part that keeps its local value differs from the base, so it is sent.
    let isTaken = try take(given, known, note, &intake)
    try agree(row, given, isHere: isTaken, &intake)
    if isTaken { try restore(known, ours) }
    if ours.contains(.schedule) {
      try CardHiding.setSchedule(db, known.id, to: known.schedule, isSuspended: false, flag: 0, now: moment.now)
    }
  }

  /// Returns the local card that a remote row describes.
  private func known(_ given: AnkiCard) throws -> StoredCard? {
    let note = NoteID(rawValue: given.note)
    if let found = try SyncedCards.stored(db, CardID(rawValue: given.id)) {
      if found.note == note { return found }
      // Two devices gave the same id to two cards: the local one is sent under another id.
      try bases.setHere(.card, given.id, false)
      try CardTable.renumber(db, found, to: CardID(rawValue: bases.freeID(.card, after: found.id.rawValue)))
    }
    return try SyncedCards.stored(db, of: note, ordinal: given.ordinal)
  }

  /// Returns the parts of a card that keep their local values.
  /// - Parameter changed: when the card was changed locally; nil if it was not.
  private func ourParts(
    of known: StoredCard, _ row: StagedRow, _ given: AnkiCard, _ base: Base?, _ changed: Int64?
  ) throws -> CardChanges {
    let isLater = changed.map { $0 > given.modified } ?? false
    let parts = changed == nil ? [] : try bases.changedParts(of: known.id.rawValue, since: base?.state)
    var ours = isLater ? parts.subtracting(.schedule) : []
    let isChanged = parts.contains(.schedule)
    // Answered on one side and marked on the other: both changes are kept.
    let isOursAlone = isChanged && ServerRows.haveOneSchedule(ServerRows.parse(row.json)?.list ?? [], base?.list ?? [])
    if isOursAlone || isAnsweredLater(known, given) ?? (isChanged && isLater) { ours.insert(.schedule) }
    return ours
  }

  /// Whether the card was answered locally after it was answered on the server. The merged log then agrees with the
  /// schedule, whatever else changed since; two of Anki's own clients may have left the schedule otherwise.
  /// - Returns: nil if that is unknown, or if both answers were in the same second.
  private func isAnsweredLater(_ known: StoredCard, _ given: AnkiCard) -> Bool? {
    guard given.position == nil, let mine = known.schedule.lastReview?.rounded(.down), let theirs = given.lastReview,
      mine != theirs
    else { return nil }
    return mine > theirs
  }

  private func restore(_ known: StoredCard, _ ours: CardChanges) throws {
    if ours.isEmpty { return }
    try SyncedCards.restore(
      db, known, place: !ours.isDisjoint(with: [.deck, .place]), hiding: ours.contains(.hiding),
      flag: ours.contains(.flag))
  }

  /// Stores a remote row as the base.
  private func keep(_ row: StagedRow, isHere: Bool) throws {
    try bases.put(.card, row.id, modified: row.modified, row.json, isHere: isHere)
  }

  /// Records that the local card agrees with the remote row, except for a deck that the server lacks.
  private func agree(_ row: StagedRow, _ given: AnkiCard, isHere: Bool, _ intake: inout CardIntake) throws {
    try keep(row, isHere: isHere)
    try bases.agree(.card, row.id)
    guard isHere, try bases[.deck, given.deck] == nil else { return }
    try bases.disagreeOnDeck(card: row.id)
    intake.decklessCount += 1
  }

  /// Writes a remote card into the local card, or adds it; returns false if the card cannot be stored locally.
  private func take(_ given: AnkiCard, _ known: StoredCard?, _ note: Base?, _ intake: inout CardIntake) throws -> Bool {
    guard let record = note?.list.flatMap(ServerRows.note), let type = try type(record.type.rawValue, &intake.types)
    else { return false }
    let deck = try decks.deck(given.deck)
    let isToday = moment.day(of: Double(given.modified)) == moment.today
    var card = rows.received(given, in: deck, rank: 0, try decks.options(given.deck), isBuriedToday: isToday)
    let isNew = given.position != nil
    let stays = known.map { $0.deck == deck && (!isNew || $0.schedule.state == .new) } ?? false
    let isMoved = try isNew && known.map { try position(of: $0) != given.position } ?? true
    if !stays || isMoved { card.rank = try intake.places.rank(db, in: deck, at: given.position) }
    if let known {
      try SyncedCards.renew(db, known, to: card, keepsRank: stays && !isMoved)
    } else {
      do {
        _ = try intake.receiver.add(card, of: record, type)
      } catch let error as NoteError where error != .interrupted {
        report.note("the note \(record.id.rawValue) cannot be stored here: \(error.message)")
        return false
      } catch let error as DeckError {
        report.note("the note \(record.id.rawValue) cannot be stored here: \(error.message)")
        return false
      }
      try bases.setHere(.note, given.note, true)
    }
    if given.lacksLastReview { heads.withoutLastReview.append(given.id) }
    return true
  }

  /// Returns the local note type of a remote type; one that was removed locally comes back with its first remote note.
  private func type(_ id: Int64, _ known: inout [Int64: NoteType]) throws -> NoteType? {
    if let type = known[id] { return type }
    guard let base = try bases[.noteType, id] else { return nil }
    if !base.isHere {
      guard try take(base.record, id, base) else { return nil }
      try bases.setHere(.noteType, id, true)
    }
    let type = try NoteTypeTable.record(db, NoteTypeID(rawValue: id))
    known[id] = type
    return type
  }

  /// Returns the position in the base of a card; nil if it has none.
  private func position(of card: StoredCard) throws -> Int? {
    guard card.schedule.state == .new else { return nil }
    return try bases[.card, card.id.rawValue]?.list.flatMap(ServerRows.card)?.position
  }
}

/// Where new cards are inserted into their decks, according to their remote positions.
struct NewPlaces {
  private var decks: [DeckID: [(position: Int, rank: Int64)]] = [:]

  /// Returns a rank for a card that is added.
  /// - Parameter position: nil for a card that is not new: it goes to the bottom.
  mutating func rank(_ db: Database, in deck: DeckID, at position: Int?) throws -> Int64 {
    guard let position else { return try CardOrder.rank(db, deck, for: .bottom) }
    // Taken out, so that the insertion does not copy it.
    var known = try decks.removeValue(forKey: deck) ?? SyncedCards.newPlaces(db, in: deck)
    // Below the last card whose position is not higher.
    let place = known.lastIndex { $0.position <= position }.map { $0 + 1 } ?? 0
    var rank = try CardOrder.rank(db, deck, for: .bottom)
    if known.indices.contains(place) {
      let below = known[place].rank
      let above = place > 0 ? known[place - 1].rank : below &- (1 << 20)
      let middle = above &+ (below &- above) / 2
      if middle > above, middle < below { rank = middle }
    }
    known.insert((position, rank), at: place)
    decks[deck] = known
    return rank
  }
}
