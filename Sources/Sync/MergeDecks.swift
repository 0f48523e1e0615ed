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
  private var shadows: Shadows { sync.shadows }
  private var moment: StudyMoment { sync.moment }

  /// The deck that every collection has.
  static let firstDeck: Int64 = 1

  func merge() throws {
    var incoming: [(id: Int64, record: Value.Record, json: String)] = []
    for record in sync.pulled.staged.head.decks {
      guard let id = record["id"]?.integer.map({ Int64($0) }) else { continue }
      let json = Value.record(record).json
      if try !sync.isKnown(shadows[.deck, id], json) { incoming.append((id, record, json)) }
    }
    // A deck comes before those in it.
    incoming.sort {
      (ServerRows.deckName($0.record).utf8.count, $0.id) < (ServerRows.deckName($1.record).utf8.count, $1.id)
    }
    let pending = Set(incoming.map(\.id))
    let sent = try SyncTables.link(db)?.meta.map { $0.usn - 1 }
    for (id, given, json) in incoming {
      var record = given
      let usn = Int64(record["usn"]?.integer ?? 0)
      let modified = Int64(record["mod"]?.integer ?? 0)
      let shadow = try shadows[.deck, id]
      sync.report.received += 1
      if record["dyn"]?.integer == 1 {
        try shadows.put(.deck, id, usn: usn, modified: modified, json, local: nil)
        continue
      }
      let known = try shadow?.local.flatMap { try DeckTable.exists(db, DeckID(rawValue: $0)) ? $0 : nil }
      // What was removed here is removed there, unless cards came into it.
      if shadow?.local != nil, known == nil {
        try shadows.put(.deck, id, usn: usn, modified: modified, json, local: shadow?.local)
        continue
      }
      var isOurs = try known.flatMap { local in try shadow.map { try sync.isChanged(.deck, local, $0) } } ?? false
      if let sent, let ours = try crossed(record, shadow, pending, sent: sent) {
        record["name"] = .text(ours.name)
        try giveWay(ours, pending)
        isOurs = true
      }
      let local = try name(record, known.map(DeckID.init), shadow, id, pending)
      try shadows.put(.deck, id, usn: usn, modified: modified, json, local: local?.rawValue)
      guard let local else { continue }
      try setOptions(record, local, known == nil ? nil : shadow)
      if !isOurs { try shadows.agree(.deck, id) }
    }
    try givePresets()
  }

  // MARK: Names

  /// The deck here that one there is, under its name.
  /// - Returns: nil for one that nothing is in and that is not needed here.
  private func name(
    _ record: Value.Record, _ known: DeckID?, _ shadow: Shadow?, _ id: Int64, _ pending: Set<Int64>
  ) throws -> DeckID? {
    let theirs = ServerRows.deckName(record)
    guard let known else {
      if let there = try DeckTable.named(db, theirs) {
        if try shadows.remote(.deck, of: there.id.rawValue) == nil {
          return there.name == theirs ? there.id : try rename(there.id, to: theirs)
        }
        try giveWay(there, pending)
      }
      return id == DeckMerge.firstDeck ? nil : try DeckTable.findOrMake(db, named: theirs, now: moment.now).deck.id
    }
    let base = (shadow.flatMap { ServerRows.parse($0.json)?.record }).map(ServerRows.deckName)
    let mine = try DeckTable.record(db, known).name
    if theirs == base || theirs == mine { return known }
    if let there = try DeckTable.named(db, theirs), there.id != known {
      if try shadows.remote(.deck, of: there.id.rawValue) == nil {
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
    _ record: Value.Record, _ shadow: Shadow?, _ pending: Set<Int64>, sent: Int
  ) throws -> DeckRecord? {
    let theirs = ServerRows.deckName(record)
    let base = (shadow.flatMap { ServerRows.parse($0.json)?.record }).map(ServerRows.deckName)
    guard theirs.hasSuffix("+"), theirs != base, let ours = try DeckTable.named(db, String(theirs.dropLast())),
      let remote = try shadows.remote(.deck, of: ours.id.rawValue), !pending.contains(remote),
      let known = try shadows[.deck, remote].flatMap({ ServerRows.parse($0.json)?.record }),
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
    if let remote = try shadows.remote(.deck, of: deck.id.rawValue), pending.contains(remote) { return }
    sync.report.note("the deck \(deck.name) is called \(name) now: another one there has its name")
  }

  // MARK: Presets and limits

  private func setOptions(_ record: Value.Record, _ local: DeckID, _ shadow: Shadow?) throws {
    let base = shadow.flatMap { ServerRows.parse($0.json)?.record }
    if let conf = record["conf"]?.integer, base?["conf"]?.integer != conf {
      let wanted = try sync.preset(Int64(conf))
      // A deck that is ours too keeps what it has where theirs says nothing.
      if wanted != nil || base != nil { try DeckTable.setPreset(db, local, to: wanted) }
    }
    let (theirs, was) = (ServerRows.limits(record), ServerRows.limits(base ?? Value.Record()))
    var limits = try DeckTable.limits(db, local)
    for option in DeckLimits.names where theirs.value(option) != was.value(option) {
      try limits.set(option, to: theirs.value(option))
    }
    try DeckTable.setLimits(db, local, to: limits)
  }

  /// A preset that said nothing before and does now is that of its decks.
  private func givePresets() throws {
    if sync.heads.newPresets.isEmpty { return }
    for (remote, shadow) in try shadows.all(.deck) {
      guard let local = shadow.local, let conf = ServerRows.parse(shadow.json)?.record?["conf"]?.integer,
        sync.heads.newPresets.contains(Int64(conf)), try DeckTable.exists(db, DeckID(rawValue: local)),
        try DeckTable.preset(db, DeckID(rawValue: local)) == nil, let made = try sync.preset(Int64(conf))
      else { continue }
      let isOurs = try sync.isChanged(.deck, local, shadow)
      try DeckTable.setPreset(db, DeckID(rawValue: local), to: made)
      if !isOurs { try shadows.agree(.deck, remote) }
    }
  }

  /// The deck here that cards of one there go into, made where it is missing.
  func deck(_ remote: Int64) throws -> DeckID {
    if let known = sync.heads.decks[remote] { return known }
    let shadow = try shadows[.deck, remote]
    // A deck that is not there.
    if shadow == nil, remote != DeckMerge.firstDeck { return try deck(DeckMerge.firstDeck) }
    let record = shadow.flatMap { ServerRows.parse($0.json)?.record }
    if let local = shadow?.local, try DeckTable.exists(db, DeckID(rawValue: local)) {
      sync.heads.decks[remote] = DeckID(rawValue: local)
      return DeckID(rawValue: local)
    }
    let made = try DeckTable.findOrMake(db, named: record.map(ServerRows.deckName) ?? "Default", now: moment.now).deck
    sync.heads.decks[remote] = made.id
    if let record, try shadows.remote(.deck, of: made.id.rawValue) == nil {
      try shadows.setLocal(.deck, remote, to: made.id.rawValue)
      try setOptions(record, made.id, nil)
      try shadows.agree(.deck, remote)
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
      let shadow = try shadows[.deck, id]
      try shadows.bury(.deck, id)
      guard let local = shadow?.local.map(DeckID.init), try DeckTable.exists(db, local) else { continue }
      if try shadows.wasTold(.deck, id) { continue }
      let name = try DeckTable.record(db, local).name
      let count = try DeckTable.count(db, local)
      if count > 0 {
        let home = try deck(DeckMerge.firstDeck)
        if home == local { continue }
        try moveCards(of: local, to: home)
        sync.report.note(
          "the deck \(name) was deleted there: \(counted(count, "card")) of this account moved to "
            + "\(try DeckTable.record(db, home).name)")
      }
      // One that holds others stays around them.
      _ = try DeckTable.removeEmpty(db, local)
      sync.report.received += 1
    }
  }

  private func moveCards(of deck: DeckID, to other: DeckID) throws {
    for id in try CardTable.ids(db, in: deck) {
      guard let known = try SyncedCards.stored(db, id) else { continue }
      try SyncedCards.setDeck(db, known, to: other, rank: SyncedCards.lowestRank(db, in: other))
    }
  }
}
