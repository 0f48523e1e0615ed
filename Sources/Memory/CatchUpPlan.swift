// Spreads cards that were not answered when they were due over days: the answers that are worth most come first, and
// all days are filled to one level. Invariant: pure; the same cards and days give the same plan. Measured in
// simulations: the order hardly matters, but all cards on one day take up to twenty times the usual study, and gain
// nothing after a month.

/// The days on which the cards of a backlog are to be answered.
///
///     CatchUpPlan([(worth: 0.02, seconds: 9)], over: 7, of: Array(repeating: (share: 1, load: 0), count: 30))
public struct CatchUpPlan: Sendable {
  /// A day: the share of a usual day's study that it may have, and the seconds of the cards that are due on it already.
  public typealias Day = (share: Double, load: Double)

  /// The seconds of study on a day with the share 1.
  public let level: Double
  /// Cards and days by their places in the lists, in the order in which they are planned; nil if no day has room.
  public let places: [(card: Int, day: Int?)]

  /// - Parameters:
  ///   - cards: the gain per second of an answer to each card, and its seconds.
  ///   - count: how many of the days are filled; a card for which they have no room gets a later one.
  ///   - hasRoom: whether a day may have a card, which then has its place there.
  public init(
    _ cards: [(worth: Double, seconds: Double)], over count: Int, of days: [Day],
    hasRoom: (_ card: Int, _ day: Int) -> Bool = { _, _ in true }
  ) {
    var (sum, shares) = (cards.reduce(0) { $0 + $1.seconds }, 0.0)
    for day in days.prefix(count).filter({ $0.share > 0 }).sorted(by: { $0.load / $0.share < $1.load / $1.share }) {
      // The cards that are due on this day and the following ones reach the level already.
      if shares > 0, sum / shares <= day.load / day.share { break }
      (sum, shares) = (sum + day.load, shares + day.share)
    }
    let level = shares > 0 ? sum / shares : 0
    var (day, room, before) = (-1, 0.0, 0.0)
    places = cards.indices.sorted { (cards[$0].worth, $1) > (cards[$1].worth, $0) }.map { card in
      while day < 0 || (room <= before && day + 1 < count) {
        day += 1
        room += max(0, days[day].share * level - days[day].load)
      }
      before += cards[card].seconds
      return (card, days.indices[day...].first { hasRoom(card, $0) })
    }
    self.level = level
  }
}
