// Gathers the figures from cards and answers, with one pass over each.
// Invariant: rows that no session can have written (invalid ratings, times before 1970 or in the future) are left
// out; answers for removed cards count if all cards are asked for.

import Memory
public import Storage
import Text

extension DeckStatistics {
  /// Gathers the figures of some decks and the decks within them, or of everything if `decks` is nil.
  /// - Parameter query: if given, only cards that match it are counted.
  /// - Parameter progress: called now and then with the rows that were read and the number of all; nil if nobody asks.
  public init(
    _ db: Database, decks: [DeckID]? = nil, query: CardQuery? = nil, at moment: StudyMoment,
    progress: ((Int, Int) -> Void)? = nil
  ) throws {
    let reader = try StatisticsReader(db, decks, query, moment, progress)
    try reader.readCards(db)
    try reader.readAnswers(db)
    self = reader.figures
  }
}

/// A class, because a structure would be copied for each answer.
private final class StatisticsReader {
  /// What is known about a card when its next answer is read.
  private struct Slot {
    var stability: Float = 0
    var difficulty: Float = 0
    /// The last interval in days.
    var interval: Float = 0
    var lastDay = Int32.min
    /// The index of the model that predicts it; -1 for no card.
    var model: Int32 = -1
  }

  /// The cards that are counted, by their ids.
  private struct Slots {
    /// Sorted.
    private var ids: [Int64] = []
    var values: [Slot] = []

    /// - Parameter id: higher than all that were added before.
    mutating func add(_ id: Int64, model: Int32) {
      ids.append(id)
      values.append(Slot(model: model))
    }

    /// The index of a card; nil if it is not counted.
    func place(_ id: Int64) -> Int? {
      guard let first = ids.first, id >= first else { return nil }
      // Cards that were added together have consecutive ids.
      // Unsigned, because the difference may exceed the range of Int64.
      let guess = min(Int(clamping: UInt64(bitPattern: id &- first)), ids.count - 1)
      if ids[guess] == id { return guess }
      let low = (0..<guess).bisected { ids[$0] < id }
      return ids[low] == id ? low : nil
    }
  }

  private let moment: StudyMoment
  private let decks: [DeckID]?
  private var models: [RecallModel] = []
  private var modelOfDeck: [Int64: Int32] = [:]
  private let memories: CardMemories
  /// The cards that match the query; nil for all cards of the decks.
  private var wanted: Set<CardID>?
  private var slots = Slots()
  /// What the answers read so far tell about cards that FSRS-6 does not predict alone, by their places.
  private var replays: [Int: TimedMemory.Replay] = [:]

  private let progress: ((Int, Int) -> Void)?
  /// The rows that were read, and the number of all, which is counted for `progress` only.
  private var rows = (read: 0, all: 0)

  private(set) var figures: DeckStatistics
  private var days: [Int: DayFigures] = [:]
  /// The day of the last answer and its limits, because most answers come in order.
  private var openDay = DayFigures(day: .min)
  private var openTime = 0.0..<0.0
  /// The quarter of an hour of the last answer, since 1970, and its hour of the day. Clocks change between quarters.
  private var openQuarter = (number: -1, hour: 0)

  init(
    _ db: Database, _ roots: [DeckID]?, _ query: CardQuery?, _ moment: StudyMoment, _ progress: ((Int, Int) -> Void)?
  ) throws {
    (self.moment, self.progress, figures) = (moment, progress, DeckStatistics(today: moment.today))
    decks = try roots.map { try DeckFamilies.all(db, of: $0).map(\.id).sorted { $0.rawValue < $1.rawValue } }
    let asked = decks.map { Set($0) }
    let options = try DeckTable.allOptions(db, at: moment).filter { asked?.contains($0.key) ?? true }
    memories = CardMemories(options)
    if progress != nil {
      rows.all = try db.count("SELECT (SELECT count(*) FROM cards) + (SELECT count(*) FROM reviews)")
    }
    for (deck, options) in options {
      modelOfDeck[deck.rawValue] = Int32(models.count)
      models.append(options.recallModel)
    }
    wanted = try query?.cards(db, in: decks ?? DeckTable.list(db).map(\.id), at: moment)
  }

  private func countRow() {
    rows.read += 1
    if rows.read % 8192 == 0 { progress?(rows.read, rows.all) }
  }

  // MARK: Cards

  func readCards(_ db: Database) throws {
    let sql = """
      SELECT id, deck, created, suspended, state, due, stability, difficulty, last_review, buried_until, interval
      FROM cards ORDER BY id
      """
    try db.forEachRow(sql) { row in
      countRow()
      let id = row.integer(0)
      guard let model = modelOfDeck[row.integer(1)], wanted?.contains(CardID(rawValue: id)) ?? true else { return }
      slots.add(id, model: model)
      figures.added.add(moment.day(of: row.number(2)) - moment.today)
      try count(db, row)
    }
  }

  private func count(_ db: Database, _ row: Row) throws {
    let state = CardState(stored: row.integer(4))
    let (due, last) = (row.number(5), row.optionalNumber(8))
    let dueDay = state == .review ? moment.dueDay(of: due) : moment.day(of: due)
    let interval = moment.interval(CardSchedule.interval(row.optionalNumber(10)), due: due, last: last)
    if row.integer(3) != 0 {
      figures.cards.suspended += 1
    } else if moment.isBuried(until: row.optionalNumber(9)) {
      figures.cards.buried += 1
    } else {
      switch state {
      case .new: figures.cards.new += 1
      case .learning: figures.cards.learning += 1
      case .relearning: figures.cards.relearning += 1
      case .review:
        if interval >= DeckStatistics.matureDays { figures.cards.mature += 1 } else { figures.cards.young += 1 }
      }
      if state != .new { figures.forecast.add(dueDay - moment.today) }
    }
    guard state != .new, let stability = row.optionalNumber(6) else { return }
    if state == .review { figures.intervals.add(interval) }
    figures.stabilities.add(Int(min(36_500, max(0, stability)).rounded()))
    figures.difficulties.add(Int((min(10, max(1, row.number(7))) * 10).rounded()))
    let (card, deck) = (CardID(rawValue: row.integer(0)), DeckID(rawValue: row.integer(1)))
    let entry = try memories.entry(db, of: card, in: deck, stability: stability, last: last)
    let recall = entry?.recall(at: moment) ?? 0
    figures.known += recall
    figures.recalls.add(Int((min(1, max(0, recall)) * 100).rounded()))
  }

  // MARK: Answers

  func readAnswers(_ db: Database) throws {
    let sql = "SELECT card, at, rating, state, interval, stability, seconds, difficulty FROM reviews ORDER BY id"
    let end = moment.endOfToday
    try db.forEachRow(sql) { row in
      countRow()
      let (id, at, rating) = (row.integer(0), row.number(1), row.integer(2))
      guard rating >= 1, rating <= 4, at > 0, at < end else { return }
      let slot = slots.place(id)
      guard slot != nil || decks == nil && wanted == nil else { return }
      if !openTime.contains(at) { turn(to: at) }
      count(row, at, rating, slot: slot)
    }
    if openDay.day != .min { days[openDay.day] = openDay }
    figures.days = days.values.sorted { $0.day < $1.day }
  }

  /// Switches to the figures of another day.
  private func turn(to at: Double) {
    if openDay.day != .min { days[openDay.day] = openDay }
    let day = moment.day(of: at)
    openTime = moment.start(ofDay: day)..<moment.start(ofDay: day + 1)
    openDay = days[day] ?? DayFigures(day: day)
  }

  private func count(_ row: Row, _ at: Double, _ rating: Int64, slot: Int?) {
    let isRight = rating > 1
    let before = slot.map { slots.values[$0] } ?? Slot()
    let quarter = Int(at / 900)
    if quarter != openQuarter.number {
      openQuarter = (quarter, Int(moment.local(at).truncatingRemainder(dividingBy: 86_400) / 3600))
    }
    if figures.hours.indices.contains(openQuarter.hour) {
      figures.hours[openQuarter.hour].answers += 1
      if isRight { figures.hours[openQuarter.hour].right += 1 }
    }
    if isRight { openDay.right += 1 }
    openDay.seconds += min(86_400, max(0, row.number(6)))
    switch row.integer(3) {
    case 2: review(before, rating, at, slot.flatMap { replays[$0] })
    case 3:
      openDay.relearning += 1
      figures.learningButtons.count(rating)
    case let state:
      openDay.learning += 1
      if state == 0 { openDay.new += 1 }
      figures.learningButtons.count(rating)
    }
    guard let slot else { return }
    let memory = memory(after: rating, row, before)
    slots.values[slot].stability = Float(memory?.stability ?? 0)
    slots.values[slot].difficulty = Float(memory?.difficulty ?? 0)
    slots.values[slot].interval = Float(row.number(4) / 86_400)
    slots.values[slot].lastDay = Int32(clamping: openDay.day)
    guard before.model >= 0, models[Int(before.model)].readsLog else { return }
    replays[slot, default: TimedMemory.Replay(models[Int(before.model)])]
      .add(at, rating, state: row.integer(3), seconds: row.number(6))
  }

  /// The state after an answer: the stored one, or, for an answer from elsewhere, the one that FSRS-6 reaches with it.
  /// nil if the log does not contain the card's first answer.
  private func memory(after rating: Int64, _ row: Row, _ before: Slot) -> MemoryState? {
    if row.number(5) > 0 { return MemoryState(stability: row.number(5), difficulty: row.number(7)) }
    guard before.model >= 0, let rating = Rating(rawValue: rating) else { return nil }
    let (model, state) = (models[Int(before.model)].fsrs6, row.integer(3))
    if before.stability <= 0 || state == CardState.new.rawValue {
      return state <= CardState.learning.rawValue ? model.initial(rating) : nil
    }
    let known = MemoryState(stability: Double(before.stability), difficulty: Double(before.difficulty))
    return model.next(known, rating, days: max(0, openDay.day - Int(before.lastDay)))
  }

  /// - Parameter replay: the answers before it, if FSRS-6 does not predict the card alone.
  private func review(_ before: Slot, _ rating: Int64, _ at: Double, _ replay: TimedMemory.Replay?) {
    var recall = Recall()
    recall.asked = 1
    recall.remembered = rating > 1 ? 1 : 0
    if before.model >= 0, before.stability > 0, before.lastDay > .min {
      let curve = models[Int(before.model)].curve(stability: Double(before.stability), replay?.memory)
      let days = replay.map { max(0, at - $0.last) / 86_400 } ?? 0
      recall.predictedSum = curve.recall(days: days, wholeDays: openDay.day - Int(before.lastDay))
      recall.predictions = 1
    }
    if before.interval >= Float(DeckStatistics.matureDays) {
      openDay.mature += 1
      openDay.matureRecall = openDay.matureRecall + recall
      figures.matureButtons.count(rating)
    } else {
      openDay.young += 1
      openDay.youngRecall = openDay.youngRecall + recall
      figures.youngButtons.count(rating)
    }
  }
}
