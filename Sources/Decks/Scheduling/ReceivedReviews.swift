// The log of the reviews of cards that come from a package.
// Invariant: an existing row is not added again, and the log of a card that was here before is unchanged, unless it was
// here under another id: then it gets the rows, and keeps its schedule.

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
  private let batch: RowBatch
  /// The answers of a card are far apart in a log.
  private let indexes: LateIndexes
  /// Whether the log lacks a row; no answer if there is no such card.
  private let lacks: Statement
  /// The rows that were left out because their rating or time is impossible, and those that the log lacks and that were
  /// left out because their cards were here before.
  public private(set) var (impossible, dropped) = (0, 0)

  /// - Parameters:
  ///   - cards: the cards that came with the log, to which it is limited, with cards that no longer exist; nil for all.
  ///   - isWhole: whether it is the log of a whole collection from a server, for an account without cards: no row is
  ///     sent.
  public init(_ db: Database, of cards: ReceivedCards?, isWhole: Bool = false) throws {
    (self.db, self.cards) = (db, cards)
    let columns = "id, card, at, rating, state, interval, difficulty, seconds, \(ForeignAnswer.columns), usn"
    batch = try RowBatch(
      db, into: "reviews (\(columns))", "*, \(isWhole ? 0 : -1)", columns: 13,
      verb: isWhole ? "INSERT OR REPLACE" : "INSERT OR IGNORE", inLane: true)
    indexes = LateIndexes(db, ["reviews_card"])
    lacks = try Statement(db, "SELECT NOT EXISTS (SELECT 1 FROM reviews WHERE id = ?1) FROM cards WHERE id = ?2")
  }

  /// Adds a row, which may wait until `flush`, or counts it as left out.
  public func receive(_ review: ReceivedReview) throws {
    let answer = review.answer
    guard (0...4).contains(answer.ease), (1..<1_000_000_000_000_000).contains(review.id) else { return impossible += 1 }
    var review = review
    if let card = cards?.card(review.card) {
      review.card = card.rawValue
    } else if cards != nil, let missing = try lacks.first([review.id, review.card], { $0.count(0) }) {
      return dropped += missing
    }
    put(review)
    batch.endRow()
    guard batch.isFull else { return }
    try indexes.willWriteBuffer(after: batch.drain)
    try batch.submit()
  }

  private func put(_ review: ReceivedReview) {
    let answer = review.answer
    batch.put(0, review.id)
    batch.put(1, review.card)
    batch.put(2, Double(review.id) / 1000)
    batch.put(3, answer.ease)
    batch.put(4, answer.state.rawValue)
    let interval = Double(answer.interval)
    batch.put(5, min(1e11, interval < 0 ? -interval : interval * 86_400))
    let isDifficulty = (100...1100).contains(answer.factor)
    batch.put(6, isDifficulty ? 1 + 9 * (Double(answer.factor) / 1000 - 0.1) : nil)
    batch.put(7, min(1e9, Double(max(0, answer.time)) / 1000))
    let columns = [answer.interval, answer.lastInterval, answer.factor, answer.time, answer.kind]
    for (place, value) in columns.enumerated() { batch.put(8 + place, value) }
  }

  /// Writes the rows that wait.
  public func flush() throws {
    try batch.flush()
    try indexes.make()
  }

  /// Writes the rows that wait; cards without the time of their last answer, and decks, get it from the log.
  public func finish(withoutLastReview ids: [Int64]) throws {
    try flush()
    let last = try Statement(
      db,
      """
      UPDATE cards SET last_review = coalesce(
        (SELECT max(at) FROM reviews
          WHERE card = cards.id AND \(LoggedReview.isAnswer) AND NOT \(ReviewTable.isPreview)), last_review)
      WHERE id = ?1
      """)
    for card in ids {
      guard let card = cards.map({ $0.card(card) }) ?? CardID(rawValue: card), cards?.holds(card.rawValue) ?? true
      else { continue }
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
