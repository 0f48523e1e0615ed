// Decks together with the decks within them. Invariant: each deck is listed once, even if the given decks overlap.

public import Storage

/// Lists decks together with the decks within them.
///
///     try DeckFamilies.all(db, of: [spanish, italian]).map(\.name)   // ["Spanish", "Spanish::Verbs", "Italian"]
public enum DeckFamilies {
  /// Decks with the decks within them, each once, in the order given. A given deck that is within another given deck
  /// is listed with that one.
  /// - Throws: `gone` if a deck was removed.
  public static func all(_ db: Database, of roots: [DeckID]) throws -> [DeckRecord] {
    let all = try DeckTable.list(db)
    let places = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($0.element.id, $0.offset) })
    let outer = try roots.map { id in
      guard let place = places[id] else { throw DeckError.gone(what: "the deck") }
      return (place: place, name: DeckName(parts: [all[place].name]))
    }
    let keys = Set(outer.map(\.name.key))
    var (found, known): ([DeckRecord], Set<String>) = ([], [])
    for (place, name) in outer where !name.parents.contains(where: { keys.contains($0.key) }) {
      guard known.insert(name.key).inserted else { continue }
      found.append(all[place])
      found += all[(place + 1)...].prefix { DeckName.isKey($0.name.lowercased(), within: name.key) }
    }
    return found
  }
}
