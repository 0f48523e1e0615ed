// AnkiConnect actions on the review log and on statistics. Invariant: rows are in Anki's units: milliseconds since
// 1970, intervals in days or in negative seconds.

import Decks
import Text
import Values
import Workspace

enum ReviewActions {
  static let all: [Action] = [
    .reading("getNumCardsReviewedToday") { call in
      .integer(try call.workspace.decks.statistics().todayFigures.answers)
    },
    .reading("getNumCardsReviewedByDay") { call in
      .list(
        try call.workspace.decks.statistics().days.reversed().map { day in
          .list([.text(CivilDate(day: day.day).text), .integer(day.answers)])
        })
    },
    .reading("getCollectionStatsHTML") { call in .text(page(try call.workspace.decks.statistics())) },
    .reading("cardReviews", ofDeck),
    .reading("getReviewsOfCards", ofCards),
    .reading("getLatestReviewID") { call in
      guard let deck = try call.deck(named: call.params["deck"].text()) else { return .integer(0) }
      let logs = try call.workspace.cards.anki.log(of: call.workspace.cards.all(in: deck))
      return .integer(Int(logs.values.compactMap { log in log.map { $0.review.id }.max() }.max() ?? 0))
    },
    .changing("insertReviews") { call in
      let reviews = try call.params["reviews"].elements("a list of reviews").map(review)
      if !reviews.isEmpty { try call.workspace.cards.anki.enter(reviews) }
      return .null
    },
  ]

  /// Parses `[id, card, usn, ease, interval, last interval, factor, milliseconds, type]`.
  private static func review(_ reader: ValueReader) throws -> ReceivedReview {
    let numbers = try reader.elements("a list of nine numbers").map { number throws(ShapeFailure) in
      Int64(try number.integer())
    }
    guard numbers.count == 9 else { throw reader.failure("a list of nine numbers") }
    return ReceivedReview(
      id: numbers[0], card: numbers[1],
      answer: ForeignAnswer(
        ease: numbers[3], interval: numbers[4], lastInterval: numbers[5], factor: numbers[6], time: numbers[7],
        kind: numbers[8]))
  }

  /// Returns the reviews of the deck's own cards after `startID`, as lists.
  private static func ofDeck(_ call: ActionCall) throws -> Value {
    let last = try call.params["startID"].integer()
    guard let deck = try call.deck(named: call.params["deck"].text()) else { return .list([]) }
    let rows = try call.workspace.cards.anki.log(of: call.workspace.cards.all(in: deck)).values.joined()
      .filter { $0.review.id > last }.sorted { $0.review.id < $1.review.id }
    try call.answer.charge(rows.count * 120)
    return .list(
      rows.map { row in
        let start = [Int(row.review.id), Int(row.review.card)]
        return .list((start + fields(row).dropFirst().map { $0.1 }).map { .integer($0) })
      })
  }

  /// Returns the reviews by card id, as objects.
  private static func ofCards(_ call: ActionCall) throws -> Value {
    let cards = try call.params["cards"].elements("a list of numbers").map { try $0.id() }
    let logs = try call.workspace.cards.anki.log(of: cards.map { CardID(rawValue: Int64($0)) })
    try call.answer.charge(logs.values.reduce(0) { $0 + $1.count * 240 })
    return .record(
      cards.distinct(by: \.self).map { card in
        let rows = logs[CardID(rawValue: Int64(card))] ?? []
        return ("\(card)", .list(rows.map { .record(fields($0).map { ($0.0, .integer($0.1)) }) }))
      })
  }

  private static func fields(_ row: (review: ReceivedReview, isUnsent: Bool)) -> [(String, Int)] {
    let answer = row.review.answer
    return [
      ("id", Int(row.review.id)), ("usn", row.isUnsent ? -1 : 0), ("ease", Int(answer.ease)),
      ("ivl", Int(answer.interval)), ("lastIvl", Int(answer.lastInterval)), ("factor", Int(answer.factor)),
      ("time", Int(answer.time)), ("type", Int(answer.kind)),
    ]
  }

  // MARK: The statistics page

  /// The statistics as a table, where Anki draws charts.
  private static func page(_ figures: DeckStatistics) -> String {
    let (today, cards) = (figures.todayFigures, figures.cards)
    let rows = [
      ("Cards", cards.all), ("New", cards.new), ("Learning", cards.learning), ("Relearning", cards.relearning),
      ("Young", cards.young), ("Mature", cards.mature), ("Suspended", cards.suspended), ("Buried", cards.buried),
      ("Answers today", today.answers), ("Right today", today.right), ("Minutes today", today.minutes),
      ("Days in a row", figures.streak), ("Longest days in a row", figures.longestStreak),
      ("Answers in total", figures.days.reduce(0) { $0 + $1.answers }),
    ]
    let lines = rows.map { "<tr><th>\($0.0)</th><td>\(grouped($0.1))</td></tr>" }.joined(separator: "\n")
    return "<table class=\"statistics\">\n\(lines)\n</table>\n"
  }
}
