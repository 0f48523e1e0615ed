// What can be studied when nothing is due: when the next card comes, and which cards could be studied before.
// Invariant: suspended cards are not included.

public import Storage

/// What comes next, and what today's limits hold back.
public struct StudyOutlook: Equatable, Sendable {
  /// When the next learnt card comes, in seconds since 1970; nil if none does.
  public private(set) var next: Double?
  /// New cards, and learnt cards that are due, held back by today's limits.
  public private(set) var newWaiting = 0
  public private(set) var dueWaiting = 0
  /// Learnt cards that are due tomorrow, without buried ones.
  public private(set) var tomorrow = 0
  /// Cards that were forgotten today, without buried ones.
  public private(set) var forgotten = 0
  public private(set) var buried = 0
  /// All cards that are not suspended.
  public private(set) var all = 0

  /// - Parameter decks: the decks, each with the decks within it.
  public init(_ db: Database, _ decks: [DeckID], at moment: StudyMoment) throws {
    let decks = try DeckFamilies.all(db, of: decks)
    for deck in decks { try count(db, deck.id, moment) }
    // The state is that of the card, because the inner table hides the outer one.
    let forgottenCards = """
      SELECT count(DISTINCT card) FROM reviews
      WHERE at >= :began AND at < :end AND rating = 1 AND EXISTS (
        SELECT 1 FROM cards
        WHERE cards.id = reviews.card AND deck IN (SELECT value FROM json_each(:decks))
          AND \(CardStatus.studied) AND \(CardStatus.shown()))
      """
    let list = CardTable.list(decks.map(\.id.rawValue))
    forgotten = try db.count(forgottenCards, moment.arguments(of: forgottenCards, ["decks": list]))
  }

  private mutating func count(_ db: Database, _ deck: DeckID, _ moment: StudyMoment) throws {
    // A learnt or buried card is shown from the beginning of its day here, in whatever time zone the day was set.
    func beginning(_ time: String) -> String {
      "CASE WHEN \(time) < :border THEN :end ELSE :end + 86400 * CAST((\(time) - :border) / 86400 AS INTEGER) END"
    }
    let sql = """
      SELECT count(*), coalesce(sum(\(CardStatus.buried.sql())), 0),
        coalesce(sum(\(CardStatus.review.sql()) AND \(CardStatus.due.sql())), 0),
        coalesce(sum(\(CardStatus.review.sql()) AND NOT \(CardStatus.buried.sql())
          AND due >= :border AND due < :border + 86400), 0),
        min(CASE WHEN \(CardStatus.studied)
          THEN max(CASE WHEN \(CardStatus.review.sql()) THEN \(beginning("due")) ELSE due END,
          CASE WHEN \(CardStatus.buried.sql()) THEN \(beginning("buried_until")) ELSE 0 END) END)
      FROM cards WHERE deck = :deck AND NOT \(CardStatus.suspended.sql())
      """
    try db.forEachRow(sql, moment.arguments(of: sql, ["deck": deck.rawValue])) { row in
      all += row.count(0)
      buried += row.count(1)
      dueWaiting += row.count(2)
      tomorrow += row.count(3)
      if let due = row.optionalNumber(4) { next = min(next ?? due, due) }
    }
    newWaiting += try DeckTable.newCount(db, deck, at: moment)
  }
}
