// A row of Anki's table `cards`, and the conversion of its scheduling columns to a `CardSchedule` and back.
// Source: PackageRules.md, "Days and due", checked against Anki.
// Invariant: a card that has not changed since its import is exported as that same row, whatever the options are now.

public import Decks
import Memory
import Storage
import Text
import Values

/// A row of Anki's table `cards`. Times and days are in Anki's units.
public struct AnkiCard: Equatable, Sendable {
  public var id: Int64 = 0
  public var note: Int64 = 0
  public var deck: Int64 = 0
  public var ordinal = 0
  /// Seconds since 1970.
  public var modified: Int64 = 0
  /// 0 new, 1 learning, 2 review, 3 relearning.
  public var type = 0
  /// Like `type`, except that 3 means learning with steps of days; -1 is suspended, -2 and -3 are buried.
  public var queue = 0
  /// A position, seconds since 1970, or a day number.
  public var due = 0
  /// The interval in days.
  public var ivl = 0
  public var factor = 0
  public var reps = 0
  public var lapses = 0
  public var left = 0
  public var odue = 0
  public var odid = 0
  public var flags = 0
  public var data = ""

  /// Numbers from packages are clamped to plus or minus this value, so that sums of several cannot overflow.
  static let mostNumber: Int64 = 1_000_000_000_000_000

  // MARK: The stored row

  /// Returns the row as JSON for the column `raw` of a card: see `DecksSchema`.
  func raw(firstDay: Int) -> String {
    var row = Array("[".utf8)
    row.reserveCapacity(80)
    for number in [firstDay, Int(modified), 0] + numbers {
      row += String(number).utf8
      row.append(UInt8(ascii: ","))
    }
    row += (data.isEmpty ? "\"\"]" : Value.text(data).json + "]").utf8
    return String(decoding: row, as: UTF8.self)
  }

  /// Parses what `raw(firstDay:)` returned.
  /// - Returns: nil for a text that `raw(firstDay:)` did not write.
  static func stored(_ raw: String) -> (card: AnkiCard, firstDay: Int)? {
    let parts = ServerRows.parse(raw)?.list ?? []
    guard parts.count == 15 else { return nil }
    let numbers = parts.map { $0.integer ?? 0 }
    var card = AnkiCard(data: parts[14].text ?? "")
    card.set(numbers[3..<14])
    return (card, min(100_000_000, max(-100_000_000, numbers[0])))
  }

  /// Moves the card from its filtered deck to its home deck, as Anki does when the filtered deck is emptied.
  mutating func returnToHomeDeck() {
    if odid == 0 { return }
    deck = Int64(odid)
    if odue != 0 || type != 0 { due = odue }
    (odid, odue) = (0, 0)
    if queue >= 0 { queue = naturalQueue }
  }

  mutating func separateRelearning() {
    if type == 2, queue == 1 || queue == 3 { (type, odue) = (3, 0) }
  }

  /// The queue of a card that is neither suspended nor buried.
  var naturalQueue: Int {
    switch type {
    case 1, 3: AnkiCard.isTime(due) ? 1 : 3
    default: type
    }
  }

  /// Whether a due number is in seconds since 1970 rather than a day.
  static func isTime(_ due: Int) -> Bool { due > 1_000_000 }
}

extension AnkiCard {
  /// Reads a row that selects `PackageRows.cardColumns`, and moves the card out of its filtered deck.
  /// - Parameter first: the index of the first of these columns.
  init(_ row: Row, from first: Int32 = 0) {
    self.init(row: (first..<first + 16).map { row.count($0) }, data: row.text(first + 16))
    returnToHomeDeck()
  }

  /// Reads a row of Anki's whose numbers are not trusted: the columns in their order, without `usn` and `data`.
  init(row numbers: [Int], data: String) {
    self.init(
      id: min(AnkiCard.mostNumber, Int64(numbers[0])), note: Int64(numbers[1]), deck: Int64(numbers[2]),
      ordinal: min(499, max(0, numbers[3])), modified: min(AnkiCard.mostNumber, max(0, Int64(numbers[4]))), data: data)
    set(numbers[5...])
  }

  /// The row with its numbers clamped, so that sums of several cannot overflow.
  public var bounded: AnkiCard {
    var card = self
    card.set(numbers[...])
    return card
  }

  /// The columns from `type` to `flags`, in the order of the table.
  var numbers: [Int] { [type, queue, due, ivl, factor, reps, lapses, left, odue, odid, flags] }

  private mutating func set(_ numbers: ArraySlice<Int>) {
    let most = Int(AnkiCard.mostNumber)
    let bounded = numbers.map { min(most, max(-most, $0)) }
    (type, queue, due, ivl, factor) = (bounded[0], bounded[1], bounded[2], bounded[3], bounded[4])
    (reps, lapses, left) = (bounded[5], bounded[6], bounded[7])
    (odue, odid, flags) = (bounded[8], bounded[9], bounded[10])
  }

  /// The position of a new card; nil for other cards.
  public var position: Int? { type == 0 ? due : nil }
  /// The position of a new card; for another card, the position it had when it was new, if the row records it.
  var place: Int? { type == 0 ? due : AnkiMemory.position(in: data) }

  /// Records in the data of a card that is no longer new which position it had.
  mutating func recordPosition(_ position: Int) {
    if type == 0 || place == position { return }
    var record = AnkiMemory.record(of: data) ?? Value.Record()
    record["pos"] = nil
    let fields = [("pos", Value.integer(position))] + record.fields.map { ($0.name, $0.value) }
    data = Value.record(fields).json(.compact)
  }

  /// Whether the card is not new and its row does not record the last review; the review log does.
  public var lacksLastReview: Bool { type != 0 && !data.contains(text: "\"lrt\"") }
  /// The time of the last review, in whole seconds since 1970; nil when the row does not record it.
  public var lastReview: Double? { type == 0 ? nil : AnkiMemory(data).lastReview?.rounded(.down) }
}

struct AnkiMemory {
  var stability: Double?
  var difficulty: Double?
  var lastReview: Double?

  init(_ data: String) {
    guard let record = AnkiMemory.record(of: data) else { return }
    stability = record["s"]?.double.map { min(36_500, max(0.001, $0)) }
    difficulty = record["d"]?.double.map { min(10, max(1, $0)) }
    lastReview = record["lrt"]?.double.flatMap { (1...1e11).contains($0) ? $0 : nil }
  }

  /// Parses the data of a row; returns nil for empty data and for anything that is not a JSON object.
  static func record(of data: String) -> Value.Record? {
    data.isEmpty || data == "{}" ? nil : ServerRows.parse(data)?.record
  }

  static func position(in data: String) -> Int? {
    guard data.contains(text: "\"pos\"") else { return nil }
    return record(of: data)?["pos"]?.integer.flatMap { $0 >= 0 ? $0 : nil }
  }
}

struct AnkiCalendar {
  let moment: StudyMoment
  let firstDay: Int

  func start(ofDay day: Int) -> Double { moment.start(ofDay: firstDay + min(10_000_000, max(-10_000_000, day))) }

  /// Returns the schedule of a card that is not in a filtered deck.
  /// - Parameter steps: the numbers of learning and relearning steps of the card's deck.
  func schedule(_ card: AnkiCard, steps: (learning: Int, relearning: Int)) -> CardSchedule {
    var schedule = CardSchedule()
    // A card that was forgotten by hand is new again, and keeps its counts.
    (schedule.reps, schedule.lapses) = (max(0, card.reps), max(0, card.lapses))
    guard let state = CardState(rawValue: Int64(card.type)), state != .new else { return schedule }
    let memory = AnkiMemory(card.data)
    schedule.state = state
    let isOfDays = state == .review || !AnkiCard.isTime(card.due)
    let due = isOfDays ? start(ofDay: card.due) : Double(min(100_000_000_000, card.due))
    schedule.due = due
    if state != .learning, card.ivl > 0 { schedule.interval = min(100_000, card.ivl) }
    if state != .review {
      let count = state == .learning ? steps.learning : steps.relearning
      schedule.step = min(max(0, count - card.left % 1000), max(0, count - 1))
    }
    schedule.lastReview = memory.lastReview ?? self.lastReview(card, due: due)
    let known = self.memory(card, memory)
    (schedule.stability, schedule.difficulty) = (known.stability, known.difficulty)
    return schedule
  }

  /// A substitute when the row does not record the last review, used until the log is read: for a review card, noon
  /// of the day on which its interval began.
  private func lastReview(_ card: AnkiCard, due: Double) -> Double {
    card.type == 2 ? start(ofDay: card.due - min(100_000, max(0, card.ivl))) + 28_800 : min(moment.now, due)
  }

  /// Returns the memory state; for a card of the older scheduler it is derived from the interval and the ease.
  private func memory(_ card: AnkiCard, _ given: AnkiMemory) -> MemoryState {
    if let stability = given.stability, let difficulty = given.difficulty {
      return MemoryState(stability: stability, difficulty: difficulty)
    }
    let model = MemoryModel()
    if card.type == 1 || card.ivl <= 0 { return model.initial(.good) }
    let ease = Double(min(10_000, max(1300, card.factor == 0 ? 2500 : card.factor))) / 1000
    return model.state(ease: ease, interval: Double(min(36_500, card.ivl)))
  }
}

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
    decay = options.parameters.last ?? MemoryModel.defaultParameters.last ?? 0.1542
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
