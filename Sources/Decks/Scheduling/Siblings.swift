// The cards of the same note: finds them, buries them when one of them is answered, and reads when they are due.
// Invariant: a card is not its own sibling.

import Storage

enum Siblings {
  /// SQL: whether a card is new and shown.
  /// - Parameter buries: whether the answer to one buries the others of its note; then only the first one in the deck
  ///   counts.
  static func isNewAndShown(buries: Bool) -> String {
    let isShown = "\(CardStatus.new.sql()) AND \(CardStatus.shown())"
    if !buries { return isShown }
    return """
      \(isShown) AND NOT EXISTS (
        SELECT 1 FROM cards AS other WHERE other.note = cards.note AND other.ord < cards.ord
          AND other.deck = cards.deck AND \(isShown))
      """
  }

  /// Buries the siblings of a card as its options say.
  /// - Returns: the cards that were buried.
  static func bury(_ db: Database, of card: CardID, _ options: DeckOptions, at moment: StudyMoment) throws -> [CardID] {
    var kinds: [String] = []
    if options.buriesNew { kinds.append(CardStatus.new.sql()) }
    if options.buriesReviews { kinds.append(CardStatus.review.sql()) }
    if options.buriesLearning { kinds.append("\(CardStatus.isBeingLearnt) AND due - last_review >= 86400") }
    guard !kinds.isEmpty else { return [] }
    let sql = """
      SELECT id FROM cards WHERE note = (SELECT note FROM cards WHERE id = :id) AND id <> :id
        AND \(CardStatus.shown()) AND (\(kinds.joined(separator: " OR ")))
      """
    let siblings = try db.rows(sql, moment.arguments(of: sql, ["id": card.rawValue])) {
      CardID(rawValue: $0.integer(0))
    }
    try CardHiding.bury(db, siblings, .bySibling, at: moment)
    return siblings
  }

  /// The days on which learnt siblings of a card are due.
  static func dueDays(_ db: Database, of card: CardID, at moment: StudyMoment) throws -> Set<Int> {
    let sql = """
      SELECT due FROM cards WHERE note = (SELECT note FROM cards WHERE id = :id) AND id <> :id
        AND \(CardStatus.review.sql()) AND due IS NOT NULL
      """
    return Set(try db.rows(sql, moment.arguments(of: sql, ["id": card.rawValue])) { moment.dueDay(of: $0.number(0)) })
  }
}
