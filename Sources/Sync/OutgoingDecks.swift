// The decks that a sync sends, ordered so that no two decks on the server share a name at any time.
// Invariant: a remote deck keeps every part that was not changed locally; the parents of new decks are sent too.

import Decks
import Exchange
import Storage
import Text
import Values

extension SyncOutgoing {
  func findDecks() throws {
    let there = try bases.all(.deck).map { (id: $0.id, isHere: $0.base.isHere, record: $0.base.record) }
    var sent: Set<DeckID> = []
    for deck in try DeckTable.list(db) {
      var id = deck.id
      var isSent = try bases.isHere(.deck, id.rawValue)
      for other in there where !other.isHere {
        let isNamed = ServerRows.deckName(other.record).lowercased() == deck.name.lowercased()
        if !isSent, other.record["dyn"]?.integer != 1, isNamed || other.id == id.rawValue {
          // It had no local deck until now: either `Default`, or an empty deck.
          if other.id != id.rawValue { try SyncedTable.decks.take(db, other.id, by: id.rawValue, now: moment.now) }
          try bases.setHere(.deck, other.id, true)
          (id, isSent) = (DeckID(rawValue: other.id), true)
        } else if isNamed {
          try renameForConflict(deck, id)
        }
      }
      if isSent { sent.insert(id) }
    }
    let keys = try DeckTable.list(db).map { (deck: $0, key: $0.name.lowercased()) }
    for (index, (deck, key)) in keys.enumerated() {
      // Subdecks come right after their parent. A deck that is only the parent of remote decks is not needed.
      let within = keys[(index + 1)...].prefix { $0.key.utf8.starts(with: (key + "::").utf8) }
      let isNeeded =
        try within.isEmpty || DeckTable.count(db, deck.id) > 0 || within.contains { !sent.contains($0.deck.id) }
      if sent.contains(deck.id) || isNeeded { try add(deck) }
    }
    head.decks = ordered(head.decks, names(there.map { ($0.id, $0.record) }))
  }

  /// Renames a deck because a filtered deck on the server has its name.
  private func renameForConflict(_ deck: DeckRecord, _ id: DeckID) throws {
    let name = try DeckTable.freeName(db, like: deck.name)
    try DeckTable.rename(db, id, to: name, now: moment.now)
    findings.append("the deck \(deck.name) was renamed to \(name): another one on the server has its name")
  }

  private func names(_ decks: [(Int64, Value.Record)]) -> [String: Int64] {
    Dictionary(firstOf: decks.map { (Self.key($1), $0) })
  }

  private static func key(_ deck: Value.Record) -> String { deck["name"]?.text?.lowercased() ?? "" }

  /// Orders decks so that names do not collide. The server renames a deck that is sent with a name that another of its
  /// decks still has, so each is sent once its name is free; in a cycle, one deck first gets another name.
  private func ordered(_ decks: [Value.Record], _ there: [String: Int64]) -> [Value.Record] {
    var (there, rest, sent) = (there, decks[...], [Value.Record]())
    var isAside: Set<Int64> = []
    func send(_ deck: Value.Record) {
      there = there.filter { $0.value != ServerRows.id(deck) }
      there[Self.key(deck)] = ServerRows.id(deck)
      sent.append(deck)
    }
    while let first = rest.first {
      let next = rest.firstIndex { deck in
        let owner = there[Self.key(deck)]
        return owner == nil || owner == ServerRows.id(deck)
      }
      if next != nil || !isAside.insert(ServerRows.id(first)).inserted {
        send(rest.remove(at: next ?? rest.startIndex))
        continue
      }
      // Done once for each deck: after that no other deck has its name.
      var aside = first
      aside["name"] = .text("\(Self.key(first)) \(ServerRows.id(first))")
      rest[rest.startIndex]["mod"] = .integer((first["mod"]?.integer ?? 0) + 1)
      send(aside)
    }
    return sent
  }

  /// Whether a remote preset is a local one, or was until it was removed; a preset with the initial options is not.
  private func hasOptions(preset id: Int64) throws -> Bool {
    guard let base = try bases[.preset, id] else { return false }
    return base.isHere || ServerRows.preset(base.record).options != DeckOptions()
  }

  /// Sends a deck that is new or has a local edit.
  private func add(_ deck: DeckRecord) throws {
    var id = deck.id
    let base = try bases[.deck, id.rawValue].flatMap { $0.isHere ? $0 : nil }
    if let base, try !bases.isChanged(.decks, id.rawValue, base) { return }
    if base == nil { id = DeckID(rawValue: try freed(.deck, .decks, id.rawValue)) }
    let preset = try DeckTable.nearestPreset(db, id)
    let limits = try DeckTable.limits(db, id)
    var record: Value.Record
    if let was = base?.record {
      record = was
      if ServerRows.deckName(was) != deck.name { record["name"] = .text(deck.name) }
      for option in DeckLimits.names where ServerRows.limits(was).value(option) != limits.value(option) {
        SentHead.set(option, of: limits, in: &record)
      }
      let had = was["conf"]?.integer.map { Int64($0) }
      let hadHere = try had.flatMap { try hasOptions(preset: $0) ? $0 : nil }
      if try hadHere != DeckTable.preset(db, id)?.rawValue { record["conf"] = .integer(Int(preset?.rawValue ?? 1)) }
      if record == was { return try bases.agree(.deck, id.rawValue) }
    } else {
      let came = try ServerRows.record(SyncedTable.decks.json(db, id.rawValue))
      record = SentHead.deck(id.rawValue, name: deck.name, modified: 0, preset: preset?.rawValue, limits, over: came)
    }
    stamp(&record)
    head.decks.append(record)
    try put(.deck, id.rawValue, record)
  }
}
