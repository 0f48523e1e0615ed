// Reads how many cards of a collection are due on each day. Invariant: nothing is changed.

import Memory
import Storage

extension DayLoads {
  /// Counts the learnt cards of some decks that are due from today on, without suspended ones.
  init(_ db: Database, decks: [DeckID], at moment: StudyMoment) throws {
    self.init(from: moment.today)
    let sql = """
      SELECT due FROM cards WHERE deck = ? AND \(CardStatus.studied) AND due >= ? AND due < ? AND \(CardStatus.review.sql())
        AND NOT \(CardStatus.suspended.sql())
      """
    let (start, end) = (moment.start(ofDay: moment.today), moment.start(ofDay: moment.today + Self.horizon))
    for deck in decks {
      try db.forEachRow(sql, [deck.rawValue, start, end]) { add(on: moment.dueDay(of: $0.number(0))) }
    }
  }
}
