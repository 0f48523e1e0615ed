// Reads the answers in the log of a collection, as the input for fitting the memory model.
// Invariant: rows that no session can have written are left out; nothing is changed.

public import Memory
public import Storage

extension ReviewHistory {
  /// Reads the answers of the cards of some decks and of the decks within them; of every card if `decks` is nil.
  public init(_ db: Database, decks: [DeckID]? = nil, at moment: StudyMoment) throws {
    self.init()
    var wanted: Set<Int64>?
    if let decks {
      wanted = []
      for deck in try DeckFamilies.all(db, of: decks) {
        wanted?.formUnion(try CardTable.ids(db, in: deck.id).map(\.rawValue))
      }
    }
    // Their columns are not in the index, so they are found first, and left out below by their ids.
    let previews = Set(try db.rows("SELECT id FROM reviews WHERE \(ReviewTable.isPreview)") { $0.integer(0) })
    // The `+` keeps SQLite from using the index by time, for which it would sort the whole log in memory; the index by
    // card has all columns that are read.
    let sql = """
      SELECT card, at, rating, state, id FROM reviews
      WHERE +card IN (SELECT id FROM cards) AND +at > 0 AND +at < ? ORDER BY card, at, id
      """
    reserve(try db.count("SELECT count(*) FROM reviews"))
    try db.forEachRow(sql, [moment.now + FutureAnswers.grace]) { row in
      let (card, state) = (row.integer(0), row.integer(3))
      if let wanted, !wanted.contains(card) { return }
      if previews.contains(row.integer(4)) { return }
      add(
        card: card, day: moment.day(of: row.number(1)), moment: Int64(row.number(1) * 1000), rating: row.integer(2),
        isFirst: state == 0, isLearning: state == 0 || state == 1)
    }
    close()
  }
}
