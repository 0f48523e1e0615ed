// The tags of cards, for completion. Invariant: it takes no longer for a million cards than for ten thousand.

public import Storage

extension CardTable {
  /// The tags of the cards that were added last, sorted; at most 500.
  ///
  ///     try CardTable.recentTags(db)   // ["animal", "verb"]
  /// - Parameter start: what they begin with, in upper or lower case.
  public static func recentTags(_ db: Database, beginningWith start: String = "") throws -> [String] {
    let last = "SELECT tags FROM card_rows ORDER BY id DESC LIMIT 10000"
    let rows = try db.rows("SELECT DISTINCT tags FROM (\(last)) WHERE tags <> ''") { Tags.list($0.text(0)) }
    let lowered = start.lowercased()
    let tags = Set(rows.joined()).filter { $0.lowercased().utf8.starts(with: lowered.utf8) }
    return Array(tags.sorted().prefix(500))
  }
}
