// What a sync makes the same on two devices, read from their rows.
// Invariant: a card is due at the same second or on the same day, as each device's clock on the wall counts days.

struct SyncedContent {
  /// Rows that are the same, by tables. A note type that both have made may have another number on each.
  let tables: [String: [String]]
  /// When a card is due, by its id: what is learnt goes over in whole seconds, or as a day when that is a later one,
  /// and what is reviewed as a day.
  private let due: [String: (seconds: Int, day: Int)]

  /// - Parameter path: of the collection.
  init(_ path: String, _ zone: Zone) throws {
    let rows = try Rows(path)
    let queries = [
      "notes": """
      SELECT notes.id, guid, note_types.name, tags, notes.fields FROM notes JOIN note_types ON note_types.id = type
      """,
      "cards": """
      SELECT cards.id, note, ord, decks.name, suspended, state, reps, lapses, flag FROM cards
      JOIN decks ON decks.id = cards.deck
      """,
      "decks": "SELECT name FROM decks WHERE name <> 'Default'",
      "note types": "SELECT name FROM note_types WHERE id IN (SELECT type FROM notes)",
      // A server takes no empty file.
      "media": "SELECT name, hash FROM media WHERE hash IS NOT NULL AND size > 0",
      "answers": "SELECT id, rating FROM reviews WHERE card IN (SELECT id FROM cards)",
    ]
    tables = try queries.mapValues { try rows.all($0).map { $0.joined(separator: "|") }.sorted() }
    var due: [String: (seconds: Int, day: Int)] = [:]
    for row in try rows.all("SELECT id, due FROM cards WHERE due IS NOT NULL") {
      guard let moment = Double(row[1]) else { continue }
      // Summer time moves the beginning of a day that lies ahead: its middle is meant.
      due[row[0]] = (Int(moment), Int(zone.day(moment + 7 * 3600 + 14_400)))
    }
    self.due = due
  }

  /// The first that differs, in words.
  func difference(from other: SyncedContent) -> String? {
    for (name, rows) in tables.sorted(by: { $0.key < $1.key }) where rows != other.tables[name] {
      let others = other.tables[name] ?? []
      let (here, there) = (Set(rows), Set(others))
      let mine = rows.filter { !there.contains($0) }.prefix(3)
      let theirs = others.filter { !here.contains($0) }.prefix(3)
      let lines = mine.map { "one: \($0.prefix(500))" } + theirs.map { "two: \($0.prefix(500))" }
      return "\(name) are not the same on both devices:\n  " + lines.joined(separator: "\n  ")
    }
    for (card, mine) in due.sorted(by: { $0.key < $1.key }) {
      let theirs = other.due[card]
      if theirs?.seconds == mine.seconds || theirs?.day == mine.day { continue }
      return "card \(card) is due at \(mine) on one, and at \(theirs.map { "\($0)" } ?? "no time") on two"
    }
    return nil
  }
}
