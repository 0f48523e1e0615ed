// Decks that came from a server: their names, their presets and their limits.
// Invariant: a deck that both made is the server's; of a deck each part is the side's that changed it, the server's
// where both did; a deck that was deleted there goes, and cards of ours in it move to the deck that everybody has.

import Decks
import Exchange
import Storage
import Text
import Values

extension SyncMerge {
  var decks: DeckMerge { DeckMerge(sync: self) }
}

/// The part of a sync's work that is about decks.
struct DeckMerge {
  let sync: SyncMerge
  private var db: Database { sync.db }
  private var bases: Bases { sync.bases }
  private var moment: StudyMoment { sync.moment }

  /// The deck that every collection has.
  static let firstDeck: Int64 = 1

  func merge() throws {
    var incoming: [(id: Int64, record: Value.Record, json: String)] = []
    for record in sync.pulled.staged.head.decks {
      guard let id = record["id"]?.integer.map({ Int64($0) }) else { continue }
      let json = Value.record(record).json
      if try !sync.isKnown(bases[.deck, id], json) { incoming.append((id, record, json)) }
    }
    // A deck comes before those in it.
    incoming.sort {
      (ServerRows.deckName($0.record).utf8.count, $0.id) < (ServerRows.deckName($1.record).utf8.count, $1.id)
    }
    let pending = Set(incoming.map(\.id))
    let sent = try SyncTables.link(db)?.meta.map { $0.usn - 1 }
    for (id, given, json) in incoming {
      var record = given
      let modified = Int64(record["mod"]?.integer ?? 0)
      let base = try bases[.deck, id]
      sync.report.received += 1
      if record["dyn"]?.integer == 1 {
        try bases.put(.deck, id, modified: modified, json, local: nil)
        continue
      }
      let known = try base?.local.flatMap { try DeckTable.exists(db, DeckID(rawValue: $0)) ? $0 : nil }
      // What was removed here is removed there, unless cards came into it.
      if base?.local != nil, known == nil {
        try bases.put(.deck, id, modified: modified, json, local: base?.local)
        continue
      }
      var isOurs = try known.flatMap { local in try base.map { try sync.isChanged(.deck, local, $0) } } ?? false
      if let sent, let ours = try crossed(record, base, pending, sent: sent) {
        record["name"] = .text(ours.name)
        try giveWay(ours, pending)
        isOurs = true
      }
      let local = try name(record, known.map(DeckID.init), base, id, pending)
      try bases.put(.deck, id, modified: modified, json, local: local?.rawValue)
      guard let local else { continue }
      try setOptions(record, local, known == nil ? nil : base)
      if !isOurs { try bases.agree(.deck, id) }
    }
    try givePresets()
  }

  // MARK: Names

  /// The deck here that one there is, under its name.
  /// - Returns: nil for one that nothing is in and that is not needed here.
  private func name(
    _ record: Value.Record, _ known: DeckID?, _ base: Base?, _ id: Int64, _ pending: Set<Int64>
  ) throws -> DeckID? {
    let theirs = ServerRows.deckName(record)
    guard let known else {
      if let there = try DeckTable.named(db, theirs) {
        if try bases.remote(.deck, of: there.id.rawValue) == nil {
          return there.name == theirs ? there.id : try rename(there.id, to: theirs)
        }
        try giveWay(there, pending)
      }
      return id == DeckMerge.firstDeck ? nil : try DeckTable.findOrMake(db, named: theirs, now: moment.now).deck.id
    }
    let was = (base.flatMap { ServerRows.parse($0.json)?.record }).map(ServerRows.deckName)
    let mine = try DeckTable.record(db, known).name
    if theirs == was || theirs == mine { return known }
    if let there = try DeckTable.named(db, theirs), there.id != known {
      if try bases.remote(.deck, of: there.id.rawValue) == nil {
        try moveCards(of: there.id, to: known)
        if try DeckTable.removeEmpty(db, there.id) { return try rename(known, to: theirs) }
      }
      if try DeckTable.exists(db, there.id) { try giveWay(DeckTable.record(db, there.id), pending) }
    }
    return try rename(known, to: theirs)
  }

  /// Our deck of the name that another device gave one too before it got ours: it has ours under this name with a `+`
  /// now, and the server has its one so. Both get the names that they have on that device.
  /// - Parameter sent: the number of what was sent at the last sync.
  private func crossed(
    _ record: Value.Record, _ base: Base?, _ pending: Set<Int64>, sent: Int
  ) throws -> DeckRecord? {
    let theirs = ServerRows.deckName(record)
    let was = (base.flatMap { ServerRows.parse($0.json)?.record }).map(ServerRows.deckName)
    guard theirs.hasSuffix("+"), theirs != was, let ours = try DeckTable.named(db, String(theirs.dropLast())),
      let remote = try bases.remote(.deck, of: ours.id.rawValue), !pending.contains(remote),
      let known = try bases[.deck, remote].flatMap({ ServerRows.parse($0.json)?.record }),
      known["usn"]?.integer == sent
    else { return nil }
    return ours
  }

  private func rename(_ deck: DeckID, to name: String) throws -> DeckID {
    let own = try DeckTable.record(db, deck).name
    // Into itself, through another name.
    if name.lowercased().utf8.starts(with: (own.lowercased() + "::").utf8) {
      try DeckTable.rename(db, deck, to: DeckTable.freeName(db, like: own), now: moment.now)
    }
    try DeckTable.rename(db, deck, to: name, now: moment.now)
    return deck
  }

  /// Its name is another one's there. One that comes too is given its new name in its turn.
  private func giveWay(_ deck: DeckRecord, _ pending: Set<Int64>) throws {
    let name = try DeckTable.freeName(db, like: deck.name)
    try DeckTable.rename(db, deck.id, to: name, now: moment.now)
    if let remote = try bases.remote(.deck, of: deck.id.rawValue), pending.contains(remote) { return }
    sync.report.note("the deck \(deck.name) is called \(name) now: another one there has its name")
  }

  // MARK: Presets and limits

  private func setOptions(_ record: Value.Record, _ local: DeckID, _ base: Base?) throws {
    let was = base.flatMap { ServerRows.parse($0.json)?.record }
    if let conf = record["conf"]?.integer, was?["conf"]?.integer != conf {
      let wanted = try sync.preset(Int64(conf))
      // A deck that is ours too keeps what it has where theirs says nothing.
      if wanted != nil || was != nil { try DeckTable.setPreset(db, local, to: wanted) }
    }
    let (theirs, known) = (ServerRows.limits(record), ServerRows.limits(was ?? Value.Record()))
    var limits = try DeckTable.limits(db, local)
    for option in DeckLimits.names where theirs.value(option) != known.value(option) {
      try limits.set(option, to: theirs.value(option))
    }
    try DeckTable.setLimits(db, local, to: limits)
  }

  /// A preset that said nothing before and does now is that of its decks.
  private func givePresets() throws {
    if sync.heads.newPresets.isEmpty { return }
    for (remote, base) in try bases.all(.deck) {
      guard let local = base.local, let conf = ServerRows.parse(base.json)?.record?["conf"]?.integer,
        sync.heads.newPresets.contains(Int64(conf)), try DeckTable.exists(db, DeckID(rawValue: local)),
        try DeckTable.preset(db, DeckID(rawValue: local)) == nil, let made = try sync.preset(Int64(conf))
      else { continue }
      let isOurs = try sync.isChanged(.deck, local, base)
      try DeckTable.setPreset(db, DeckID(rawValue: local), to: made)
      if !isOurs { try bases.agree(.deck, remote) }
    }
  }

  /// The deck here that cards of one there go into, made where it is missing.
  func deck(_ remote: Int64) throws -> DeckID {
    if let known = sync.heads.decks[remote] { return known }
    let base = try bases[.deck, remote]
    // A deck that is not there.
    if base == nil, remote != DeckMerge.firstDeck { return try deck(DeckMerge.firstDeck) }
    let record = base.flatMap { ServerRows.parse($0.json)?.record }
    if let local = base?.local, try DeckTable.exists(db, DeckID(rawValue: local)) {
      sync.heads.decks[remote] = DeckID(rawValue: local)
      return DeckID(rawValue: local)
    }
    let made = try DeckTable.findOrMake(db, named: record.map(ServerRows.deckName) ?? "Default", now: moment.now).deck
    sync.heads.decks[remote] = made.id
    if let record, try bases.remote(.deck, of: made.id.rawValue) == nil {
      try bases.setLocal(.deck, remote, to: made.id.rawValue)
      try setOptions(record, made.id, nil)
      try bases.agree(.deck, remote)
    }
    return made.id
  }

  func options(_ remote: Int64) throws -> DeckOptions {
    if let known = sync.heads.options[remote] { return known }
    let options = try DeckTable.options(db, deck(remote))
    sync.heads.options[remote] = options
    return options
  }

  // MARK: Deleted ones

  func bury(_ ids: [Int64]) throws {
    for id in ids where id != DeckMerge.firstDeck {
      let local = try bases.wasBuriedHere(.deck, id) ? nil : bases[.deck, id]?.local.map(DeckID.init)
      if let local, try DeckTable.exists(db, local) { try remove(local) }
      // The bases of its cards named it until now.
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
        "the deck \(name) was deleted there: \(counted(count, "card")) of this account moved to "
          + "\(try DeckTable.record(db, home).name)")
    }
    // One that holds others stays around them.
    _ = try DeckTable.removeEmpty(db, local)
    sync.report.received += 1
  }

  private func moveCards(of deck: DeckID, to other: DeckID) throws {
    for id in try CardTable.ids(db, in: deck) {
      guard let known = try SyncedCards.stored(db, id) else { continue }
      try SyncedCards.setDeck(db, known, to: other, rank: SyncedCards.lowestRank(db, in: other))
    }
  }
}
