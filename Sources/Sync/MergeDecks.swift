// Merging decks: their names, presets and limits. Invariant: a deck that both sides created becomes the server's. Each
// part of a deck is taken from the side that changed it, from the server if both did. A deck that was deleted on the
// server is removed, and local cards in it move to `Default`.

import Decks
import Exchange
import Storage
import Text
import Values

extension SyncMerge {
  var decks: DeckMerge { DeckMerge(sync: self) }
}

struct DeckMerge {
  let sync: SyncMerge
  private var db: Database { sync.db }
  private var bases: Bases { sync.bases }
  private var moment: StudyMoment { sync.moment }

  static let firstDeck = Int64(DeckRecord.firstNumber)

  func merge() throws {
    var incoming: [(id: Int64, record: Value.Record)] = []
    for record in sync.pulled.staged.head.decks {
      let id = ServerRows.id(record)
      if try !sync.isKnown(bases[.deck, id], Value.record(record).json) { incoming.append((id, record)) }
    }
    // Parents come first.
    incoming.sort {
      (ServerRows.deckName($0.record).utf8.count, $0.id) < (ServerRows.deckName($1.record).utf8.count, $1.id)
    }
    let pending = Set(incoming.map(\.id))
    let sent = try SyncTables.link(db)?.meta.map { $0.usn - 1 }
    for (id, record) in incoming {
      sync.report.received += 1
      try merge(record, id, bases[.deck, id], pending, sent: sent)
    }
    try givePresets()
  }

  private func merge(_ given: Value.Record, _ id: Int64, _ base: Base?, _ pending: Set<Int64>, sent: Int?) throws {
    if given["dyn"]?.integer == 1 { return try bases.put(.deck, id, given, isHere: false) }
    let isKnown = try base?.isHere == true && SyncedTable.decks.has(db, id)
    // Removed locally: its grave will be sent, unless cards have come into it.
    if base?.isHere == true, !isKnown { return try bases.put(.deck, id, given, isHere: true) }
    if base == nil { try bases.unbury(.deck, id) }
    var record = given
    var isOurs = false
    if isKnown, let base { isOurs = try bases.isChanged(.decks, id, base) }
    if let sent, let ours = try crossed(record, base, pending, sent: sent) {
      record["name"] = .text(ours.name)
      try renameForConflict(ours, pending)
      isOurs = true
    }
    let deck = DeckID(rawValue: id)
    let theirs = ServerRows.deckName(record)
    if isKnown { try rename(deck, to: theirs, base, pending) }
    let isHere = try isKnown || place(deck, named: theirs, pending)
    try bases.put(.deck, id, given, isHere: isHere)
    if !isHere { return }
    try setOptions(record, deck, isKnown ? base : nil)
    if !isOurs { try bases.agree(.deck, id) }
  }

  /// Adds a new remote deck. A local deck of its name that the server does not have becomes that deck.
  /// - Returns: false for an empty deck that is not needed locally.
  private func place(_ deck: DeckID, named theirs: String, _ pending: Set<Int64>) throws -> Bool {
    var there = try DeckTable.named(db, theirs)
    if let other = there, try isTheirs(other.id) {
      try renameForConflict(other, pending)
      there = nil
    }
    guard let there else {
      // Another local deck may have the same id by chance.
      try SyncedTable.decks.makeRoom(db, for: deck.rawValue, now: moment.now)
      // Every server has this deck, even an unused one; if it was renamed, a user did that.
      if deck.rawValue == DeckMerge.firstDeck, theirs == DeckRecord.firstName { return false }
      _ = try DeckTable.findOrMake(db, named: theirs, id: deck, now: moment.now)
      return true
    }
    if there.id != deck { try SyncedTable.decks.take(db, deck.rawValue, by: there.id.rawValue, now: moment.now) }
    if there.name != theirs { try rename(deck, to: theirs) }
    return true
  }

  /// Whether a local deck is another deck on the server that was not deleted there.
  private func isTheirs(_ deck: DeckID) throws -> Bool {
    try bases.isHere(.deck, deck.rawValue) && !sync.heads.goingDecks.contains(deck.rawValue)
  }

  /// Gives a deck its remote name if that name changed since the base.
  private func rename(_ deck: DeckID, to theirs: String, _ base: Base?, _ pending: Set<Int64>) throws {
    let was = (base?.record).map(ServerRows.deckName)
    if try theirs == was || theirs == DeckTable.record(db, deck).name { return }
    if let there = try DeckTable.named(db, theirs), there.id != deck {
      if try !isTheirs(there.id) {
        try moveCards(of: there.id, to: deck)
        if try DeckTable.removeEmpty(db, there.id) { return try rename(deck, to: theirs) }
      }
      try renameForConflict(DeckTable.record(db, there.id), pending)
    }
    try rename(deck, to: theirs)
  }

  /// Returns the local deck whose name another device also gave to a deck of its own before it received ours. That
  /// device has ours under this name with a `+` now, and the server has the device's deck under the name with a `+`.
  /// Both decks get the names that they have on that device.
  private func crossed(_ record: Value.Record, _ base: Base?, _ pending: Set<Int64>, sent: Int) throws -> DeckRecord? {
    let theirs = ServerRows.deckName(record)
    let was = (base?.record).map(ServerRows.deckName)
    guard theirs.hasSuffix("+"), theirs != was, let ours = try DeckTable.named(db, String(theirs.dropLast())),
      !pending.contains(ours.id.rawValue), let known = try bases[.deck, ours.id.rawValue], known.isHere,
      known.record["usn"]?.integer == sent
    else { return nil }
    return ours
  }

  private func rename(_ deck: DeckID, to name: String) throws {
    let own = try DeckTable.record(db, deck).name
    // A move into itself goes through a temporary name.
    if name.lowercased().utf8.starts(with: (own.lowercased() + "::").utf8) {
      try DeckTable.rename(db, deck, to: DeckTable.freeName(db, like: own), now: moment.now)
    }
    try DeckTable.rename(db, deck, to: name, now: moment.now)
  }

  /// Renames a deck because a remote deck has its name. A deck that is still to be merged gets its remote name then.
  private func renameForConflict(_ deck: DeckRecord, _ pending: Set<Int64>) throws {
    let name = try DeckTable.freeName(db, like: deck.name)
    try DeckTable.rename(db, deck.id, to: name, now: moment.now)
    if try pending.contains(deck.id.rawValue) && bases.isHere(.deck, deck.id.rawValue) { return }
    sync.report.note("the deck \(deck.name) was renamed to \(name): another one on the server has its name")
  }

  private func setOptions(_ record: Value.Record, _ local: DeckID, _ base: Base?) throws {
    let was = base?.record
    if let conf = record["conf"]?.integer, was?["conf"]?.integer != conf {
      let wanted = try sync.preset(Int64(conf))
      // A local deck that just became this one keeps its preset if the remote preset has only initial options.
      if wanted != nil || was != nil { try DeckTable.setPreset(db, local, to: wanted) }
    }
    let (theirs, known) = (ServerRows.limits(record), ServerRows.limits(was ?? Value.Record()))
    var limits = try DeckTable.limits(db, local)
    for option in DeckLimits.names where theirs.value(option) != known.value(option) {
      try limits.set(option, to: theirs.value(option))
    }
    try DeckTable.setLimits(db, local, to: limits)
  }

  /// Assigns remote presets to decks when this sync has given these presets options that differ from the initial ones.
  private func givePresets() throws {
    if sync.heads.newPresets.isEmpty { return }
    for (id, base) in try bases.all(.deck) {
      let deck = DeckID(rawValue: id)
      guard base.isHere, let conf = base.record["conf"]?.integer, sync.heads.newPresets.contains(Int64(conf)),
        try DeckTable.exists(db, deck), try DeckTable.preset(db, deck) == nil, let made = try sync.preset(Int64(conf))
      else { continue }
      let isOurs = try bases.isChanged(.decks, id, base)
      try DeckTable.setPreset(db, deck, to: made)
      if !isOurs { try bases.agree(.deck, id) }
    }
  }

  /// Returns the local deck for the cards of a remote deck; creates it if it is missing.
  func deck(_ remote: Int64) throws -> DeckID {
    if let known = sync.heads.decks[remote] { return known }
    let base = try bases[.deck, remote]
    // The server has no such deck.
    if base == nil, remote != DeckMerge.firstDeck { return try deck(DeckMerge.firstDeck) }
    let wanted = DeckID(rawValue: remote)
    if base?.isHere == true, try DeckTable.exists(db, wanted) {
      sync.heads.decks[remote] = wanted
      return wanted
    }
    let name = (base?.record).map(ServerRows.deckName) ?? DeckRecord.firstName
    var deck = try DeckTable.findOrMake(db, named: name, id: wanted, now: moment.now).deck.id
    if let base, try !bases.isHere(.deck, deck.rawValue) || deck == wanted {
      if deck != wanted {
        try SyncedTable.decks.take(db, remote, by: deck.rawValue, now: moment.now)
        deck = wanted
      }
      try bases.keep(base, .deck, remote, isHere: true)
      try setOptions(base.record, deck, nil)
      try bases.agree(.deck, remote)
    }
    sync.heads.decks[remote] = deck
    return deck
  }

  func options(_ remote: Int64) throws -> DeckOptions {
    if let known = sync.heads.options[remote] { return known }
    let options = try DeckTable.options(db, deck(remote))
    sync.heads.options[remote] = options
    return options
  }

  func bury(_ ids: [Int64]) throws {
    for id in ids where id != DeckMerge.firstDeck {
      let isGiven = try bases.isHere(.deck, id) && !bases.wasBuriedHere(.deck, id)
      if try isGiven && SyncedTable.decks.has(db, id) { try remove(DeckID(rawValue: id)) }
      try bases.bury(.deck, id)
    }
  }

  private func remove(_ local: DeckID) throws {
    let name = try DeckTable.record(db, local).name
    let count = try DeckTable.count(db, local)
    if count > 0 {
      let home = try deck(DeckMerge.firstDeck)
      if home == local { return }
      try moveCards(of: local, to: home)
      sync.report.note(
        "the deck \(name) was deleted on the server: \(counted(count, "card")) of this account moved to "
          + "\(try DeckTable.record(db, home).name)")
    }
    // `removeEmpty` leaves a deck that is a parent.
    _ = try DeckTable.removeEmpty(db, local)
    sync.report.received += 1
  }

  private func moveCards(of deck: DeckID, to other: DeckID) throws {
    for id in try CardTable.ids(db, in: deck) {
      guard let known = try SyncedCards.stored(db, id) else { continue }
      try SyncedCards.setDeck(db, known, to: other, rank: CardOrder.rank(db, other, for: .bottom))
    }
  }
}
