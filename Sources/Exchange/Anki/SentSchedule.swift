// Converts a card's schedule to a row of Anki's for export.
// Source: PackageRules.md, "Days and due". Invariant: a card that has not changed since its import is exported as it
// was imported, whatever the options are now.

public import Decks
import Memory
import Values

/// Makes the rows for the cards of one deck.
struct SentSchedule {
  let calendar: AnkiCalendar
  let options: DeckOptions
  private let decay: Double

  /// The day that due days of exported packages count from: 1 January 2006. No card was due before it.
  static let firstDay = 13_149

  /// - Parameter firstDay: the day that due days count from.
  init(_ moment: StudyMoment, _ options: DeckOptions, firstDay: Int = SentSchedule.firstDay) {
    calendar = AnkiCalendar(moment: moment, firstDay: firstDay)
    self.options = options
    let parameters = options.parameters.isEmpty ? MemoryModel.defaultParameters : options.parameters
    decay = parameters.last ?? 0.1542
  }

  private var steps: (learning: Int, relearning: Int) { (options.learningSteps.count, options.relearningSteps.count) }

  /// Returns the row of a card. The caller sets the ids, the modification time, `reps` and `lapses`.
  /// - Parameters:
  ///   - position: the position that a new card gets.
  ///   - lastReview: when the last answer in the exported log was given, in seconds since 1970.
  func row(of card: ListedCard, position: Int, lastReview: Int?) -> AnkiCard {
    var row = kept(card) ?? made(card.schedule, lastReview)
    if row.type == 0 { row.due = position }
    mark(&row, as: card)
    return row
  }

  /// Sets the queue, which holds suspension and burial, and the flag.
  func mark(_ row: inout AnkiCard, as card: ListedCard) {
    row.queue = row.naturalQueue
    if card.isBuried(at: calendar.moment) { row.queue = card.burial == .bySibling ? -2 : -3 }
    if card.isSuspended { row.queue = -1 }
    row.flags = row.flags & ~7 | card.flag & 7
  }

  /// Returns the imported row if nothing has scheduled the card since; otherwise nil.
  private func kept(_ card: ListedCard) -> AnkiCard? {
    guard let stored = card.raw.flatMap(AnkiCard.stored) else { return nil }
    var row = stored.card
    let came = AnkiCalendar(moment: calendar.moment, firstDay: stored.firstDay)
    let now = card.schedule
    var schedule = came.schedule(row, steps: steps)
    // The log may have given a better `lastReview`, and the number of steps may have changed.
    (schedule.lastReview, schedule.step) = (now.lastReview, now.step)
    guard schedule.state == now.state, schedule.isDue(as: now, calendar.moment),
      schedule.stability == now.stability, schedule.difficulty == now.difficulty
    else { return nil }
    if row.type != 0, !AnkiCard.isTime(row.due) { row.due += stored.firstDay - calendar.firstDay }
    return row
  }

  func made(_ schedule: CardSchedule, _ lastReview: Int?) -> AnkiCard {
    guard schedule.state != .new, let due = schedule.due else { return AnkiCard() }
    let moment = calendar.moment
    var row = AnkiCard(type: Int(schedule.state.rawValue), data: data(schedule, lastReview))
    if schedule.state == .review {
      row.due = moment.dueDay(of: due) - calendar.firstDay
      (row.ivl, row.factor) = (max(1, moment.interval(of: schedule)), 2500)
      return row
    }
    // A step that ends on a later day is a step of days.
    let isOfDays = schedule.lastReview.map { moment.day(of: due) > moment.day(of: $0) } ?? false
    row.due = isOfDays ? moment.day(of: due) - calendar.firstDay : Int(min(1e11, max(0, due)))
    let count = schedule.state == .learning ? steps.learning : steps.relearning
    row.left = max(1, count - schedule.step)
    if schedule.state == .relearning {
      row.ivl = CardSchedule.lapsedInterval(schedule.interval, stability: schedule.stability)
      row.factor = 2500
    }
    return row
  }

  /// Returns the memory data: stability to 4 places, difficulty to 3, and the other members that Anki writes.
  private func data(_ schedule: CardSchedule, _ lastReview: Int?) -> String {
    guard let stability = schedule.stability, let difficulty = schedule.difficulty else { return "" }
    var fields: [(String, Value)] = [
      ("s", .number(rounded(stability, 10_000))), ("d", .number(rounded(difficulty, 1000))),
      ("dr", .number(rounded(options.desiredRetention, 100))), ("decay", .number(rounded(decay, 1000))),
    ]
    let last = lastReview ?? schedule.lastReview.map { Int(min(1e11, max(0, $0))) }
    if let last { fields.append(("lrt", .integer(last))) }
    return Value.record(fields).json(.compact)
  }

  private func rounded(_ value: Double, _ places: Double) -> Double { (value * places).rounded() / places }
}

extension CardSchedule {
  /// Whether both are due at the same time or, for review cards, on the same day.
  fileprivate func isDue(as other: CardSchedule, _ moment: StudyMoment) -> Bool {
    guard let due, let otherDue = other.due else { return due == other.due }
    return due == otherDue || state == .review && moment.dueDay(of: due) == moment.dueDay(of: otherDue)
  }
}

extension ReceivedReview {
  /// Returns a card's log as rows of Anki's.
  /// - Parameter log: the earliest answer first.
  public static func rows(of log: [SentReview], card: CardID) -> [ReceivedReview] {
    var last: Int64 = 0
    return log.map { sent in
      let answer = ForeignAnswer(sent, last: last)
      last = answer.interval
      return ReceivedReview(id: sent.id, card: card.rawValue, answer: answer)
    }
  }
}

extension ForeignAnswer {
  /// The columns from `ease` to `type`, in the order of the log.
  var numbers: [Int64] { [ease, interval, lastInterval, factor, time, kind] }

  /// - Parameter numbers: these six columns.
  init(_ numbers: [Int64]) {
    self.init(
      ease: numbers[0], interval: numbers[1], lastInterval: numbers[2], factor: numbers[3], time: numbers[4],
      kind: numbers[5])
  }

  /// Converts an answer to a row of the exported log.
  /// - Parameter last: the interval of the previous row, in the row's units.
  init(_ sent: SentReview, last: Int64) {
    if let kept = sent.answer {
      self = kept
      return
    }
    let review = sent.review
    let interval = min(1e9, max(0, review.interval))
    let factor = review.difficulty.map { ((0.1 + ($0 - 1) / 9) * 1000).rounded() } ?? 0
    // No preset allows an answer to take longer.
    let seconds = min(Double(DeckOptions.longestAnswer), max(0, review.seconds ?? 0))
    self.init(
      ease: Int64(review.rating),
      interval: interval >= 86_400 ? Int64((interval / 86_400).rounded()) : -Int64(interval), lastInterval: last,
      factor: Int64(min(1100, max(0, factor))), time: Int64(seconds * 1000),
      kind: ForeignAnswer.kind(of: review))
  }

  private static func kind(of review: LoggedReview) -> Int64 {
    // Rescheduled by hand, without an answer.
    if review.rating == 0 { return 4 }
    switch review.state {
    case .new, .learning: return 0
    case .review: return 1
    case .relearning: return 2
    }
  }
}
