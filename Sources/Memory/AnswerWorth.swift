// How much an answer today raises the probability of recall at a date, for each second that it takes.
// Invariant: pure; the order of cards depends only on their states, the days that are left and the times.

/// How long answers take, in seconds.
public struct AnswerTimes: Equatable, Sendable {
  public var remembered: Double
  /// A card that was forgotten, including the time to relearn it on the same day.
  public var forgotten: Double
  /// A new card, including its steps.
  public var first: Double

  public init(remembered: Double = 7, forgotten: Double = 20, first: Double = 34) {
    (self.remembered, self.forgotten, self.first) = (remembered, forgotten, first)
  }
}

/// Ranks cards by what their answers are worth.
///
///     AnswerWorth(model).best(cards, daysLeft: 5, within: 1200)   // the places of those to answer in 20 minutes
public struct AnswerWorth: Sendable {
  private let model: RecallModel
  private let times: AnswerTimes
  private let countsSameDay: Bool

  public init(_ model: RecallModel, times: AnswerTimes = AnswerTimes(), countsSameDay: Bool = true) {
    (self.model, self.times, self.countsSameDay) = (model, times, countsSameDay)
  }

  /// Returns how much an answer now raises the probability of recall at the date, and the seconds that it takes.
  public func gain(_ memory: CardMemory, elapsed: Int, daysLeft: Int) -> (recall: Double, seconds: Double) {
    let curve = model.curve(memory)
    let now = curve.recall(days: Double(elapsed))
    func later(_ memory: CardMemory) -> Double { model.curve(memory).recall(days: Double(daysLeft)) }
    var forgotten = model.next(memory, .again, days: elapsed)
    if countsSameDay { forgotten = model.next(forgotten, .good, days: 0) }
    let answered = now * later(model.next(memory, .good, days: elapsed)) + (1 - now) * later(forgotten)
    let seconds = times.remembered * now + times.forgotten * (1 - now)
    return (answered - curve.recall(days: Double(elapsed + daysLeft)), max(0.1, seconds))
  }

  /// Returns the indexes of the cards with the highest gain per second, best first, until `seconds` are used up; the
  /// last card may exceed them, because a sample of the cards has only a share of the seconds, often less than one card
  /// takes. Cards that were already answered today, and cards that would gain nothing from an answer, are left out.
  public func best(_ cards: [(memory: CardMemory, elapsed: Int)], daysLeft: Int, within seconds: Double) -> [Int] {
    if seconds <= 0 { return [] }
    var ranked: [(worth: Double, seconds: Double, place: Int)] = []
    for (place, card) in cards.enumerated() where card.elapsed > 0 {
      let gain = gain(card.memory, elapsed: card.elapsed, daysLeft: daysLeft)
      if gain.recall > 0 { ranked.append((gain.recall / gain.seconds, gain.seconds, place)) }
    }
    ranked.sort { ($0.worth, $1.place) > ($1.worth, $0.place) }
    var left = seconds
    return ranked.prefix { card in
      defer { left -= card.seconds }
      return left > 0
    }.map(\.place)
  }
}
