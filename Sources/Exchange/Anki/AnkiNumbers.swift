// A card's schedule in Anki's numbers, for programs that ask for them. Invariant: they are what a package would have,
// made from the schedule as it is here.

public import Decks

/// What Anki would show of a card's schedule.
///
///     AnkiNumbers(card, options, position: 7, at: moment).interval   // days
public struct AnkiNumbers: Equatable, Sendable {
  /// 0 new, 1 learning, 2 review, 3 relearning.
  public let type: Int
  /// As `type`; 3 is learning by days, -1 suspended, -3 buried.
  public let queue: Int
  /// A position, seconds since 1970, or a day.
  public let due: Int
  /// Days.
  public let interval: Int
  public let factor: Int
  public let left: Int

  /// - Parameter position: of a new card in its deck.
  public init(_ card: CardRecord, _ options: DeckOptions, position: Int, at moment: StudyMoment) {
    let row = SentSchedule(moment, options).made(card.schedule, nil)
    (type, interval, factor, left) = (row.type, row.ivl, row.factor, row.left)
    due = row.type == 0 ? position : row.due
    queue = card.isSuspended ? -1 : card.isBuried(at: moment) ? -3 : row.naturalQueue
  }
}
