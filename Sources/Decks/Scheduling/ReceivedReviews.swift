// The log of the reviews of cards that come from a package.
// Invariant: an existing row is not added again, and the log of a card that was here before is unchanged.

public import Storage

/// A row of the log as a package stores it.
public struct ReceivedReview {
  /// Milliseconds since 1970: the time of the answer.
  public var id: Int64
  /// The card's id in the package.
  public var card: Int64
  public var answer: ForeignAnswer

  public init(id: Int64, card: Int64, answer: ForeignAnswer) { (self.id, self.card, self.answer) = (id, card, answer) }
}

/// The answer in such a row, in Anki's columns.
public struct ForeignAnswer: Equatable, Sendable {
  /// From 1 to 4; 0 if it was not an answer.
  public var ease: Int64
  /// Days, or negative seconds.
  public var interval: Int64
  public var lastInterval: Int64
  public var factor: Int64
  /// Milliseconds.
  public var time: Int64
  /// 0 learning, 1 review, 2 relearning, 3 review before its day, 4 and 5 changed in another way.
  public var kind: Int64

  public init(ease: Int64, interval: Int64, lastInterval: Int64, factor: Int64, time: Int64, kind: Int64) {
    (self.ease, self.interval, self.lastInterval) = (ease, interval, lastInterval)
    (self.factor, self.time, self.kind) = (factor, time, kind)
  }

  /// The columns of the log that store it, besides the ease.
  static let columns = "ivl, last_ivl, factor, time, kind"

  /// The state of the card before the answer.
  var state: CardState {
    switch kind {
    case 0: lastInterval == 0 ? .new : .learning
    case 2: .relearning
    default: .review
    }
  }
}

/// Adds received rows to the log, in one operation.
public final class ReviewReceiver {
  private let db: Database
  private let cards: ReceivedCards?
  private let hasCard: Statement
  private let insertion: Statement
  /// Used if no row can already be there: a second thread writes.
  private let batch: RowBatch?
  private static let columns =
    "id, card, at, rating, state, interval, difficulty, seconds, \(ForeignAnswer.columns), usn"
  private static let columnCount = 13

  /// - Parameters:
  ///   - cards: the cards that came with the log, to which it is limited, with cards that no longer exist; nil for all.
  ///   - isWhole: whether it is the log of a whole collection from a server, for an account without cards. Then nothing
  ///     else may use the database before `flush`, and no row is sent.
  public init(_ db: Database, of cards: ReceivedCards?, isWhole: Bool = false) throws {
    (self.db, self.cards) = (db, cards)
    let hasLog = try db.hasRow("SELECT 1 FROM reviews")
    batch =
      isWhole && !hasLog
      ? try RowBatch(
        db, into: "reviews (\(ReviewReceiver.columns))", "*, 0", columns: ReviewReceiver.columnCount, inLane: true)
      : nil
    hasCard = try Statement(db, "SELECT 1 FROM cards WHERE id = ?1")
    insertion = try Statement(
      db,
      """
      INSERT OR \(isWhole ? "REPLACE" : "IGNORE") INTO reviews (\(ReviewReceiver.columns))
      VALUES (\((1...ReviewReceiver.columnCount).map { "?\($0), " }.joined())\(isWhole ? 0 : -1))
      """)
  }

  /// Adds a row; a row that is not valid is ignored.
  public func receive(_ review: ReceivedReview) throws {
    let answer = review.answer
    guard (0...4).contains(answer.ease), review.id > 0, review.id < 1_000_000_000_000_000 else { return }
    if let batch {
      put(review, into: batch)
      return try batch.writeRow()
    }
    var review = review
    if let cards {
      if let came = cards.card(review.card) { review.card = came.rawValue } else if try isHere(review.card) { return }
    }
    put(review, into: insertion)
    try insertion.run()
  }

  private func isHere(_ card: Int64) throws -> Bool {
    hasCard.bind(1, card)
    return try hasCard.hasRow()
  }

  private func put(_ review: ReceivedReview, into target: some ColumnBinding) {
    let answer = review.answer
    target.put(0, review.id)
    target.put(1, review.card)
    target.put(2, Double(review.id) / 1000)
    target.put(3, answer.ease)
    target.put(4, answer.state.rawValue)
    let interval = Double(answer.interval)
    target.put(5, min(1e11, interval < 0 ? -interval : interval * 86_400))
    let isDifficulty = (100...1100).contains(answer.factor)
    target.put(6, isDifficulty ? 1 + 9 * (Double(answer.factor) / 1000 - 0.1) : nil)
    target.put(7, min(1e9, Double(max(0, answer.time)) / 1000))
    let columns = [answer.interval, answer.lastInterval, answer.factor, answer.time, answer.kind]
    for (place, value) in columns.enumerated() { target.put(8 + place, value) }
  }

  public func flush() throws { try batch?.flush() }

  /// Finishes after all rows were written: cards without the time of their last answer, and decks, get it from the log.
  public func finish(withoutLastReview ids: [Int64]) throws {
    let last = try Statement(
      db,
      """
      UPDATE cards SET last_review = coalesce(
        (SELECT max(at) FROM reviews
          WHERE card = cards.id AND \(LoggedReview.isAnswer) AND NOT \(ReviewTable.isPreview)), last_review)
      WHERE id = ?1
      """)
    for card in ids {
      guard let card = cards.map({ $0.card(card) }) ?? CardID(rawValue: card) else { continue }
      last.bind(1, card.rawValue)
      try last.run()
    }
    // Without GROUP BY, for which SQLite would have to sort the rows first.
    var decks: [Int64: Double] = [:]
    let sql = "SELECT deck, last_review, id FROM cards WHERE id >= ? AND last_review IS NOT NULL"
    try db.forEachRow(sql, [cards?.first ?? 0]) { row in
      guard cards?.holds(row.integer(2)) ?? true else { return }
      decks[row.integer(0), default: 0] = max(decks[row.integer(0), default: 0], row.number(1))
    }
    for (deck, studied) in decks.sorted(by: { $0.key < $1.key }) {
      try ReviewTable.noteStudied(db, DeckID(rawValue: deck), at: studied)
    }
  }
}
