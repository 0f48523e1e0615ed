// The log of answers as it is exported from a collection and imported into one.
// Invariant: a row with numbers that no answer can have is refused; the log of a card that was already there is
// unchanged.

public import Storage
import Text

public struct LoggedReview: Equatable, Sendable {
  /// The condition on a row of `reviews` that it is an answer.
  static let isAnswer = "rating BETWEEN 1 AND 4"

  /// Seconds since 1970.
  public var at: Double
  /// From 1 to 4; 0 if the card was rescheduled without an answer.
  public var rating: Int
  /// The state of the card before the answer.
  public var state: CardState
  /// Seconds since the previous answer; nil if there was none, or if it is not known.
  public var elapsed: Double?
  /// Seconds until the card came back.
  public var interval: Double
  /// The memory state after the answer: days, and from 1 to 10.
  public var stability: Double?
  public var difficulty: Double?
  /// How long the answer took, in seconds.
  public var seconds: Double?

  public init(at: Double, rating: Int, state: CardState, interval: Double) {
    (self.at, self.rating, self.state, self.interval) = (at, rating, state, interval)
  }

  /// - Throws: `badOption` for a number out of its range.
  public func check() throws(DeckError) {
    let times: [(name: String, value: Double?, range: ClosedRange<Double>)] = [
      ("at", at, 0...1e12), ("rating", Double(rating), 0...4), ("elapsed", elapsed, -1e11...1e11),
      ("interval", interval, 0...1e11), ("stability", stability, 0...1e6), ("difficulty", difficulty, 0...10),
      ("seconds", seconds, 0...1e9),
    ]
    for (name, value, range) in times {
      if let value, !range.contains(value) { throw .outOfRange("reviews.\(name)", range) }
    }
  }
}

extension DeckError {
  /// The refusal of a number: `must be from 0 to 100,000,000,000`.
  static func outOfRange(_ name: String, _ range: ClosedRange<Double>) -> DeckError {
    func shown(_ number: Double) -> String { Int(exactly: number).map { grouped($0) } ?? "\(number)" }
    return .badOption(name: name, reason: "must be from \(shown(range.lowerBound)) to \(shown(range.upperBound))")
  }
}

/// A row of the log to be exported or sent.
public struct SentReview {
  public let id: Int64
  public let review: LoggedReview
  /// Anki's columns of it, if it came from Anki or was sent.
  public let answer: ForeignAnswer?
  /// Whether a sync server does not have it yet.
  public let isUnsent: Bool
}

public final class SentReviews {
  private let statement: Statement
  private let removed: Statement
  private static let columns =
    "id, at, rating, state, elapsed, interval, stability, difficulty, seconds, usn, \(ForeignAnswer.columns)"

  public init(_ db: Database) throws {
    let sql = "SELECT \(SentReviews.columns)"
    statement = try Statement(db, "\(sql) FROM reviews WHERE card = ?1 ORDER BY at, id")
    removed = try Statement(db, "\(sql), card FROM reviews WHERE id = ?1")
  }

  /// The rows of a card, the earliest first.
  public func of(_ card: CardID) throws -> [SentReview] {
    statement.bind(1, card.rawValue)
    return try statement.rows(SentReviews.review)
  }

  /// A row whose card was removed, with the id that the card had.
  public func ofRemovedCard(_ row: Int64) throws -> (card: Int64, review: SentReview)? {
    removed.bind(1, row)
    return try removed.first { ($0.integer(15), SentReviews.review($0)) }
  }

  private static func review(_ row: Row) -> SentReview {
    var review = LoggedReview(
      at: row.number(1), rating: row.count(2), state: CardState(stored: row.integer(3)), interval: row.number(5))
    (review.elapsed, review.stability) = (row.optionalNumber(4), row.optionalNumber(6))
    (review.difficulty, review.seconds) = (row.optionalNumber(7), row.optionalNumber(8))
    let answer = row.optionalInteger(10).map { interval in
      ForeignAnswer(
        ease: row.integer(2), interval: interval, lastInterval: row.integer(11), factor: row.integer(12),
        time: row.integer(13), kind: row.integer(14))
    }
    return SentReview(id: row.integer(0), review: review, answer: answer, isUnsent: Unsent.holds(usn: row.integer(9)))
  }
}

extension CardTable {
  /// Adds the log that came with a new card.
  /// - Throws: `badOption` for a row that no answer can have, `gone`.
  public static func addLog(_ db: Database, _ log: [LoggedReview], to card: CardID) throws {
    guard let deck = try self.card(db, card)?.deck else { throw DeckError.gone(what: "the card") }
    for review in log {
      try review.check()
      try ReviewTable.insert(db, review, of: card)
    }
    guard let last = log.map(\.at).max() else { return }
    try ReviewTable.noteStudied(db, deck, at: last)
  }
}
