// The log of a card's answers in a file.
// Invariant: what is written is read back as the same; numbers that no answer can have refuse the row.

import Decks
import Values

enum CardLog {
  /// Rows that a file has of one card: the newest. More would make an element that no import takes.
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

  /// - Throws: `badOption` for what no answer can be.
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
  /// By its name.
  /// - Parameter part: of the element, for the message.
  /// - Throws: `badOption`.
  init(_ value: Value?, in part: String) throws(DeckError) {
    guard let name = value?.text, let state = CardState.allCases.first(where: { $0.name == name }) else {
      throw .badOption(
        name: part + ".state", reason: "must be one of \(CardState.allCases.map(\.name).joined(separator: ", "))")
    }
    self = state
  }
}
