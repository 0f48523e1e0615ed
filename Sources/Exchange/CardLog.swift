// The review log of a card in a file.
// Invariant: what is written is read back unchanged; numbers that no answer can have make the row invalid.

import Decks
import Values

enum CardLog {
  /// The most rows that a file holds for one card, the newest ones. With more, the element would exceed the import's
  /// limits.
  static let limit = 4_000

  static func value(_ log: [LoggedReview]) -> Value {
    .list(
      log.suffix(limit).map { review in
        var fields: [(String, Value)] = [
          ("at", .measure(review.at)), ("rating", .integer(review.rating)), ("state", .text(review.state.name)),
          ("interval", .measure(review.interval)),
        ]
        for (name, number) in [
          ("elapsed", review.elapsed), ("stability", review.stability), ("difficulty", review.difficulty),
          ("seconds", review.seconds),
        ] {
          if let number { fields.append((name, .measure(number))) }
        }
        return .record(fields)
      })
  }

  /// - Throws: `badOption` for values that no answer can have.
  static func log(_ list: [Value]) throws(DeckError) -> [LoggedReview] {
    var log: [LoggedReview] = []
    for value in list {
      guard let record = value.record, let at = record["at"]?.double, let rating = record["rating"]?.integer,
        let interval = record["interval"]?.double
      else { throw .badOption(name: JSONName.reviews, reason: "must be objects with at, rating, state and interval") }
      var review = LoggedReview(
        at: at, rating: rating, state: try CardState(record["state"], in: JSONName.reviews), interval: interval)
      (review.elapsed, review.stability) = (record["elapsed"]?.double, record["stability"]?.double)
      (review.difficulty, review.seconds) = (record["difficulty"]?.double, record["seconds"]?.double)
      try review.check()
      log.append(review)
    }
    return log
  }
}

extension CardState {
  /// Reads a state by its name.
  /// - Parameter part: the name of the element in the error message.
  /// - Throws: `badOption`.
  init(_ value: Value?, in part: String) throws(DeckError) {
    guard let name = value?.text, let state = CardState.allCases.first(where: { $0.name == name }) else {
      throw .badOption(
        name: part + ".state", reason: "must be one of \(CardState.allCases.map(\.name).joined(separator: ", "))")
    }
    self = state
  }
}
