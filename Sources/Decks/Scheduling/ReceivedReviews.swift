// The log of reviews of cards that come from a package.
// Invariant: a row that is there is not entered again, and the log of a card that was here before stays as it is.

public import GRDB

/// A row of the log as a package has it.
public struct ReceivedReview {
  /// Milliseconds since 1970: the time of the answer.
  public var id: Int64
  /// The card's id there.
  public var card: Int64
  public var answer: ForeignAnswer

  public init(id: Int64, card: Int64, answer: ForeignAnswer) {
    (self.id, self.card, self.answer) = (id, card, answer)
  }
}

/// What such a row says of the answer.
public struct ForeignAnswer: Equatable, Sendable {
  /// From 1 to 4, 0 where it was not an answer.
  public var ease: Int64
  /// Days, or seconds below 0.
  public var interval: Int64
  public var lastInterval: Int64
  public var factor: Int64
  /// Milliseconds.
  public var time: Int64
  /// 0 learning, 1 review, 2 relearning, 3 review before its day, 4 and 5 set otherwise.
  public var kind: Int64

  public init(ease: Int64, interval: Int64, lastInterval: Int64, factor: Int64, time: Int64, kind: Int64) {
    (self.ease, self.interval, self.lastInterval) = (ease, interval, lastInterval)
    (self.factor, self.time, self.kind) = (factor, time, kind)
  }

  /// - Parameter raw: what `raw` gave; nil for any other text.
  public init?(raw: String) {
    guard raw.hasPrefix("["), raw.hasSuffix("]") else { return nil }
    let numbers = raw.dropFirst().dropLast().split(separator: ",").compactMap { Int64($0) }
    guard numbers.count == 6 else { return nil }
    self.init(
      ease: numbers[0], interval: numbers[1], lastInterval: numbers[2], factor: numbers[3], time: numbers[4],
      kind: numbers[5])
  }

  /// The row for the way back.
  public var raw: String { "[\(ease),\(interval),\(lastInterval),\(factor),\(time),\(kind)]" }

  /// The state of the card before the answer.
  var state: CardState {
    switch kind {
    case 0: lastInterval == 0 ? .new : .learning
    case 2: .relearning
    default: .review
    }
  }
}

/// Takes rows of a log into the database, in one operation.
public final class ReviewReceiver {
  private let db: Database
  private let lastCardBefore: CardID
  private let card: RepeatedStatement
  private let insertion: RepeatedStatement

  /// - Parameter lastCardBefore: of `NoteReceiver`.
  public init(_ db: Database, lastCardBefore: CardID) throws {
    (self.db, self.lastCardBefore) = (db, lastCardBefore)
    card = try RepeatedStatement(db, "SELECT card FROM anki_cards WHERE anki = ?1")
    insertion = try RepeatedStatement(
      db,
      """
      INSERT INTO reviews (card, at, rating, state, interval, difficulty, seconds, anki, acard, usn, raw)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, -1, ?10) ON CONFLICT DO NOTHING
      """)
  }

  /// A row that cannot be is passed over.
  public func receive(_ review: ReceivedReview) throws {
    let answer = review.answer
    guard (0...4).contains(answer.ease), review.id > 0, review.id < 1_000_000_000_000_000 else { return }
    card.bind(1, review.card)
    let known = try card.first { $0.integer(0) }
    if let known, known <= lastCardBefore.rawValue { return }
    insertion.bind(1, known)
    insertion.bind(2, Double(review.id) / 1000)
    insertion.bind(3, answer.ease)
    insertion.bind(4, answer.state.rawValue)
    let interval = Double(answer.interval)
    insertion.bind(5, interval < 0 ? -interval : interval * 86_400)
    let isDifficulty = (100...1100).contains(answer.factor)
    insertion.bind(6, isDifficulty ? 1 + 9 * (Double(answer.factor) / 1000 - 0.1) : nil)
    insertion.bind(7, Double(max(0, answer.time)) / 1000)
    insertion.bind(8, review.id)
    insertion.bind(9, review.card)
    insertion.bind(10, answer.raw)
    try insertion.run()
  }

  /// All rows were given: cards that did not say when they were answered last have it from the log, and decks.
  public func finish(withoutLastReview cards: [Int64]) throws {
    let last = try RepeatedStatement(
      db,
      """
      UPDATE cards SET last_review = coalesce(
        (SELECT max(at) FROM reviews WHERE card = cards.id AND rating BETWEEN 1 AND 4), last_review)
      WHERE id = (SELECT card FROM anki_cards WHERE anki = ?1) AND id > ?2
      """)
    for card in cards {
      last.bind(1, card)
      last.bind(2, lastCardBefore.rawValue)
      try last.run()
    }
    let sql = "SELECT deck, max(last_review) FROM cards WHERE id > ? GROUP BY deck"
    let decks = try db.rows(sql, [lastCardBefore.rawValue]) { ($0.integer(0), $0.optionalNumber(1)) }
    for case (let deck, let studied?) in decks {
      try db.execute(
        sql: "UPDATE decks SET studied = max(coalesce(studied, 0), ?) WHERE id = ?", arguments: [studied, deck])
    }
  }
}
