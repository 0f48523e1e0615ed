// Cards of the same note: who they are, and burying them when one of them is answered.
// Invariant: a card without a note has no siblings.

import Storage

enum Siblings {
  /// What a statement reads of a card to know its note and its place in it. Files of before notes have neither.
  static func columns(_ db: Database) throws -> (note: String, ord: String) {
    try hasNotes(db) ? ("note", "ord") : ("NULL", "0")
  }

  static func hasNotes(_ db: Database) throws -> Bool {
    try db.firstRow("SELECT 1 FROM pragma_table_info('cards') WHERE name = 'note'") { _ in true } ?? false
  }

  /// Buries the siblings of a card that its options say.
  /// - Returns: those that were buried.
  static func bury(_ db: Database, of card: CardID, _ options: DeckOptions, at moment: StudyMoment) throws -> [CardID] {
    var kinds: [String] = []
    if options.buriesNew { kinds.append("state = 0") }
    if options.buriesReviews { kinds.append("state = 2") }
    if options.buriesLearning { kinds.append("state IN (1, 3) AND due - last_review >= 86400") }
    guard !kinds.isEmpty, try hasNotes(db) else { return [] }
    let sql = """
      SELECT id FROM cards WHERE note = (SELECT note FROM cards WHERE id = :id) AND id <> :id AND suspended = 0
        AND \(CardTable.isNotBuried) AND (\(kinds.joined(separator: " OR ")))
      """
    let arguments: StatementArguments = ["id": card.rawValue, "now": moment.now, "latest": moment.latestBurial]
    let siblings = try db.rows(sql, arguments) { CardID(rawValue: $0.integer(0)) }
    try CardTable.bury(db, siblings, .bySibling, at: moment)
    return siblings
  }
}
