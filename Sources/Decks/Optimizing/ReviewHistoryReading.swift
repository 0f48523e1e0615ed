// The answers that the log of a collection holds, as the memory model is fitted to them.
// Invariant: rows that no session can have written are left out; nothing is changed.

public import Memory
public import Storage

extension ReviewHistory {
  /// The answers of the cards of some decks, with those of the decks within; of every card when nil.
  public init(_ db: Database, decks: [DeckID]? = nil, at moment: StudyMoment) throws {
    self.init()
    var wanted: Set<Int64>?
    if let decks {
      wanted = []
      for deck in try DeckFamilies.all(db, of: decks) {
        wanted?.formUnion(try CardTable.ids(db, in: deck.id).map(\.rawValue))
      }
    }
    // A day's grace: the clock of another machine may be ahead. The `+` keeps SQLite from the index by time, which
    // would sort the whole log in memory; the one by card has all that is read.
    let sql = """
      SELECT card, at, rating, state FROM reviews
      WHERE +card IN (SELECT id FROM cards) AND +at > 0 AND +at < ? ORDER BY card, at, id
      """
    reserve(try db.count("SELECT count(*) FROM reviews"))
    try db.forEachRow(sql, [moment.now + 86_400]) { row in
      let (card, state) = (row.integer(0), row.integer(3))
      if let wanted, !wanted.contains(card) { return }
      add(
        card: card, day: moment.day(of: row.number(1)), moment: Int64(row.number(1) * 1000), rating: row.integer(2),
        isFirst: state == 0, isLearning: state == 0 || state == 1)
    }
    close()
  }
}
