// Burying cards, which hides them for a day, and flags. Invariant: a burial ends with the day on which it was made,
// whatever the clock does meanwhile; a burial never changes a schedule.

public import Storage

/// The reason for a burial.
public enum Burial: Int64, Sendable {
  /// Another card of the same note was answered.
  case bySibling = 1
  case byUser = 2
}

public enum CardHiding {
  /// The flags that a card may have; 0 means no flag.
  public static let flags = 0...7
  /// The names of the flags by number, as in other programs.
  public static let flagNames = ["none", "red", "orange", "green", "blue", "pink", "turquoise", "purple"]
  public static let flagExpectation = "a whole number from \(flags.lowerBound) to \(flags.upperBound)"

  /// Hides cards until tomorrow.
  /// - Returns: how many of them existed.
  @discardableResult
  public static func bury(
    _ db: Database, _ ids: some Sequence<CardID>, _ burial: Burial = .byUser, at moment: StudyMoment
  ) throws -> Int {
    let sql = "UPDATE cards SET buried = ?, buried_until = ? WHERE id = ?"
    return try change(db, ids, sql) { [burial.rawValue, moment.endOfToday, $0.rawValue] }
  }

  /// Shows buried cards again.
  /// - Returns: how many were buried.
  @discardableResult
  public static func unbury(_ db: Database, _ ids: some Sequence<CardID>) throws -> Int {
    let sql = "UPDATE cards SET buried = 0, buried_until = NULL WHERE id = ? AND buried_until IS NOT NULL"
    return try change(db, ids, sql) { [$0.rawValue] }
  }

  /// Changes cards one by one; returns how many rows that were.
  private static func change(
    _ db: Database, _ ids: some Sequence<CardID>, _ sql: String, _ arguments: (CardID) -> StatementArguments
  ) throws -> Int {
    let statement = try db.cachedStatement(sql: sql)
    return try ids.reduce(0) { count, id in
      try SyncedTable.cards.keep(db, [id.rawValue])
      try statement.execute(arguments: arguments(id))
      return count + db.changesCount
    }
  }

  /// Sets a card's schedule, flag and suspension from elsewhere.
  /// - Throws: `badOption` for a schedule that is not valid, `gone`.
  public static func setSchedule(
    _ db: Database, _ id: CardID, to schedule: CardSchedule, isSuspended: Bool, flag: Int, now: Double
  ) throws {
    try schedule.check()
    try ReviewTable.write(db, schedule, id)
    if isSuspended { try CardTable.setSuspended(db, id, true, now: now) }
    if flag != 0 { try setFlag(db, id, to: flag, now: now) }
  }

  /// Sets the flag of a card, from 1 to 7; 0 removes it.
  /// - Throws: `badOption` for another number, `gone`.
  public static func setFlag(_ db: Database, _ id: CardID, to flag: Int, now: Double) throws {
    guard flags.contains(flag) else { throw DeckError.badOption(name: "flag", reason: "must be \(flagExpectation)") }
    try SyncedTable.cards.keep(db, [id.rawValue])
    let sql = "UPDATE cards SET flag = ?1, mod = iif(flag = ?1, mod, ?2) WHERE id = ?3"
    try CardTable.change(db, sql, [flag, now, id.rawValue])
    try NoteTable.updatePlaces(db, of: [id], now: now)
  }
}

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
    if options.flag(.buryReviews) { kinds.append(CardStatus.review.sql()) }
    if options.flag(.buryLearning) { kinds.append("\(CardStatus.isBeingLearnt) AND due - last_review >= 86400") }
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
