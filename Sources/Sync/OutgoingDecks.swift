// Decks that are to be sent, in an order in which no name is two decks'.
// Invariant: a deck there keeps what was not changed here; decks around new ones go along.

import Decks
import Exchange
import Storage
import Values

extension SyncOutgoing {
  func findDecks() throws {
    let there = try bases.all(.deck).map { ($0.remote, $0.base.local, ServerRows.parse($0.base.json)?.record) }
    var remotes: [DeckID: Int64] = [:]
    for deck in try DeckTable.list(db) {
      remotes[deck.id] = try bases.remote(.deck, of: deck.id.rawValue)
      for (remote, local, record) in there where local == nil && record.map(ServerRows.isNamed(deck.name)) ?? false {
        if remotes[deck.id] == nil, record?["dyn"]?.integer != 1 {
          // Nothing of it was here until now: the deck that everybody has.
          try bases.setLocal(.deck, remote, to: deck.id.rawValue)
          remotes[deck.id] = remote
        } else {
          try giveWay(deck)
        }
      }
    }
    let keys = try DeckTable.list(db).map { (deck: $0, key: $0.name.lowercased()) }
    for (index, (deck, key)) in keys.enumerated() {
      if let remote = remotes[deck.id] {
        try change(deck, remote)
        continue
      }
      // Those within a deck come right after it. One that is only the parent of decks of the server is not needed.
      let within = keys[(index + 1)...].prefix { $0.key.utf8.starts(with: (key + "::").utf8) }
      let isNeeded =
        try within.isEmpty || DeckTable.count(db, deck.id) > 0 || within.contains { remotes[$0.deck.id] == nil }
      if isNeeded { try add(deck) }
    }
    head.decks = ordered(head.decks, names(there.map { ($0.0, $0.2) }))
  }

  /// A deck there that has no place here, a filtered one, has its name.
  private func giveWay(_ deck: DeckRecord) throws {
    let name = try DeckTable.freeName(db, like: deck.name)
    try DeckTable.rename(db, deck.id, to: name, now: moment.now)
    findings.append("the deck \(deck.name) is called \(name) now: another one there has its name")
  }

  private func names(_ decks: [(Int64, Value.Record?)]) -> [String: Int64] {
    Dictionary(decks.map { ($1?["name"]?.text?.lowercased() ?? "", $0) }) { first, _ in first }
  }

  /// The server gives a deck whose name another one still has there a name of its own: one comes after the other has
  /// given its name up, and where they go in a circle one has another name for a moment.
  private func ordered(_ decks: [Value.Record], _ there: [String: Int64]) -> [Value.Record] {
    var (there, rest, sent) = (there, decks[...], [Value.Record]())
    var isAside: Set<Int64> = []
    func id(_ deck: Value.Record) -> Int64 { Int64(deck["id"]?.integer ?? 0) }
    func send(_ deck: Value.Record) {
      there = there.filter { $0.value != id(deck) }
      there[deck["name"]?.text?.lowercased() ?? ""] = id(deck)
      sent.append(deck)
    }
    while let first = rest.first {
      let next = rest.firstIndex { deck in
        let owner = there[deck["name"]?.text?.lowercased() ?? ""]
        return owner == nil || owner == id(deck)
      }
      if next != nil || !isAside.insert(id(first)).inserted {
        send(rest.remove(at: next ?? rest.startIndex))
        continue
      }
      // Once for each deck: then its name is nobody's.
      var aside = first
      aside["name"] = .text("\(first["name"]?.text ?? "") \(id(first))")
      rest[rest.startIndex]["mod"] = .integer((first["mod"]?.integer ?? 0) + 1)
      send(aside)
    }
    return sent
  }

  private func add(_ deck: DeckRecord) throws {
    let id = try free(.deck, max(2, Int64(min(1e14, max(0, deck.created * 1000))) + deck.id.rawValue))
    let preset = try DeckTable.nearestPreset(db, deck.id).flatMap { try bases.remote(.preset, of: $0.rawValue) }
    var record = SentHead.deck(
      id, name: deck.name, modified: 0, preset: preset, try DeckTable.limits(db, deck.id))
    stamp(&record)
    head.decks.append(record)
    try put(.deck, id, record, local: deck.id.rawValue)
  }

  private func change(_ deck: DeckRecord, _ remote: Int64) throws {
    guard let base = try bases[.deck, remote], try isChanged(.deck, deck.id.rawValue, base.state),
      let was = ServerRows.parse(base.json)?.record
    else { return }
    var record = was
    if ServerRows.deckName(was) != deck.name { record["name"] = .text(deck.name) }
    let limits = try DeckTable.limits(db, deck.id)
    for option in DeckLimits.names where ServerRows.limits(was).value(option) != limits.value(option) {
      SentHead.set(option, of: limits, in: &record)
    }
    let had = try (was["conf"]?.integer).flatMap { try bases[.preset, Int64($0)]?.local }
    let has = try DeckTable.preset(db, deck.id)
    if had != has?.rawValue {
      let preset = try (has ?? DeckTable.nearestPreset(db, deck.id)).flatMap {
        try bases.remote(.preset, of: $0.rawValue)
      }
      record["conf"] = .integer(Int(preset ?? 1))
    }
    if record == was { return try bases.agree(.deck, remote) }
    stamp(&record)
    head.decks.append(record)
    try put(.deck, remote, record, local: deck.id.rawValue)
  }
}
