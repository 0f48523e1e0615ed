// The content that a sync makes equal on two devices, read from their rows. Invariant: a card is due at the same
// second, or on the same day by the local time of each device.

struct SyncedContent {
  /// The rows that are equal, by table. A note type that both devices created may have a different id on each.
  let tables: [String: [String]]
  /// When each card is due, by card id. Learning cards are synced in whole seconds, or as a day if that is later;
  /// review cards as a day.
  private let due: [String: (seconds: Int, day: Int)]

  /// - Parameter path: the path of the collection.
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
      // The server does not accept empty files.
      "media": "SELECT name, hash FROM media WHERE hash IS NOT NULL AND size > 0",
      "answers": "SELECT id, rating FROM reviews WHERE card IN (SELECT id FROM cards)",
    ]
    tables = try queries.mapValues { try rows.all($0).map { $0.joined(separator: "|") }.sorted() }
    var due: [String: (seconds: Int, day: Int)] = [:]
    for row in try rows.all("SELECT id, due FROM cards WHERE due IS NOT NULL") {
      guard let moment = Double(row[1]) else { continue }
      // Summer time shifts the start of a future day, so the day is taken at its middle.
      due[row[0]] = (Int(moment), Int(zone.day(moment + 7 * 3600 + 14_400)))
    }
    self.due = due
  }

  /// Describes the first difference; nil if there is none.
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
