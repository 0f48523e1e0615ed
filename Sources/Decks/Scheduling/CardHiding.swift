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
    try change(db, ids, "buried = ?, buried_until = ?", [burial.rawValue, moment.endOfToday], where: "1")
  }

  /// Shows buried cards again.
  /// - Returns: how many were buried.
  @discardableResult
  public static func unbury(_ db: Database, _ ids: some Sequence<CardID>) throws -> Int {
    try change(db, ids, "buried = 0, buried_until = NULL", [], where: "buried_until IS NOT NULL")
  }

  /// Changes columns of cards, which may be some thousand, in one statement; returns how many were changed.
  /// - Parameter columns: SQL after SET; its parameters are the arguments.
  /// - Parameter condition: SQL for those of the cards that are changed; nil: all of them, or `gone` is thrown.
  private static func change(
    _ db: Database, _ ids: some Sequence<CardID>, _ columns: String, _ arguments: [(any Bindable)?],
    where condition: String? = nil
  ) throws -> Int {
    let ids = ids.map(\.rawValue)
    if ids.isEmpty { return 0 }
    try SyncedTable.cards.keep(db, ids)
    // `OR FAIL` as in `CardTable.updateContent`.
    let sql = "UPDATE OR FAIL cards SET \(columns) WHERE id IN (SELECT value FROM json_each(?)) AND \(condition ?? "1")"
    try db.run(sql, StatementArguments(arguments + [CardTable.list(ids)]))
    if condition == nil, db.changesCount < Set(ids).count { throw CardTable.gone }
    return db.changesCount
  }

  /// Suspends or resumes cards. A suspended card is not studied in reviews until it is resumed.
  /// - Throws: `gone`.
  public static func setSuspended(_ db: Database, _ ids: [CardID], _ isSuspended: Bool, now: Double) throws {
    _ = try change(db, ids, "suspended = ?1, mod = iif(suspended = ?1, mod, ?2)", [isSuspended, now])
  }

  /// Sets a card's schedule, flag and suspension from elsewhere.
  /// - Throws: `badOption` for a schedule that is not valid, `gone`.
  public static func setSchedule(
    _ db: Database, _ id: CardID, to schedule: CardSchedule, isSuspended: Bool, flag: Int, now: Double
  ) throws {
    try schedule.check()
    try ReviewTable.write(db, schedule, id)
    if isSuspended { try setSuspended(db, [id], true, now: now) }
    if flag != 0 { try setFlag(db, [id], to: flag, now: now) }
  }

  /// Sets the flag of cards, from 1 to 7; 0 removes it.
  /// - Throws: `badOption` for another number, `gone`.
  public static func setFlag(_ db: Database, _ ids: [CardID], to flag: Int, now: Double) throws {
    guard flags.contains(flag) else { throw DeckError.badOption(name: "flag", reason: "must be \(flagExpectation)") }
    _ = try change(db, ids, "flag = ?1, mod = iif(flag = ?1, mod, ?2)", [flag, now])
    try NoteTable.updatePlaces(db, of: ids, now: now)
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
