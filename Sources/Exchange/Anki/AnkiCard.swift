// A card's row as Anki has it, and the schedule that it says, both ways.
// Source: PackageRules.md, "Days and due", checked against Anki. Invariant: a schedule that came from a row and was not
// changed since goes out as that row.

import Decks
import Memory
import Storage
import Text
import Values

/// A row of Anki's table `cards`. Times and days are as Anki counts them.
public struct AnkiCard: Equatable, Sendable {
  public var id: Int64 = 0
  public var note: Int64 = 0
  public var deck: Int64 = 0
  public var ordinal = 0
  /// Seconds since 1970.
  public var modified: Int64 = 0
  /// 0 new, 1 learning, 2 review, 3 relearning.
  public var type = 0
  /// As `type`; 3 is learning by days, -1 suspended, -2 and -3 buried.
  public var queue = 0
  /// A position, seconds since 1970, or a day.
  public var due = 0
  /// Days.
  public var ivl = 0
  public var factor = 0
  public var reps = 0
  public var lapses = 0
  public var left = 0
  public var odue = 0
  public var odid = 0
  public var flags = 0
  /// A JSON object, or nothing.
  public var data = ""

  /// Beyond this, in either direction, a number in a package is this: sums of some of them are far from overflowing.
  static let mostNumber: Int64 = 1_000_000_000_000_000

  // MARK: For the way back

  /// As the column `raw` of a card holds it: see `DecksSchema`.
  func raw(firstDay: Int) -> String {
    let numbers = "[\(firstDay),\(modified),0,\(type),\(queue),\(due),\(ivl),\(factor),\(reps),\(lapses),"
    return numbers + "\(left),\(odue),\(odid),\(flags),\(data.isEmpty ? "\"\"" : Value.text(data).json)]"
  }

  /// - Returns: nil for what `raw` did not write.
  static func stored(_ raw: String) -> (card: AnkiCard, firstDay: Int)? {
    let limits = JSONLimits(bytes: 1 << 20, depth: 2, values: 100, string: 1 << 20)
    do throws(JSONFailure) {
      let parts = try JSONParser.parse(Array(raw.utf8), limits: limits).list ?? []
      let numbers = parts.map { $0.integer ?? 0 }
      guard parts.count == 15 else { return nil }
      var card = AnkiCard(data: parts[14].text ?? "")
      card.set(Array(numbers[3..<14]))
      return (card, min(100_000_000, max(-100_000_000, numbers[0])))
    } catch { return nil }
  }

  /// Takes it out of a filtered deck, as the deck would when it is emptied.
  mutating func goHome() {
    if odid == 0 { return }
    deck = Int64(odid)
    if odue != 0 || type != 0 { due = odue }
    (odid, odue) = (0, 0)
    if queue >= 0 { queue = naturalQueue }
  }

  /// The queue of a card that is neither suspended nor buried.
  var naturalQueue: Int {
    switch type {
    case 1, 3: AnkiCard.isTime(due) ? 1 : 3
    default: type
    }
  }

  /// Whether a due number is seconds since 1970, not a day.
  static func isTime(_ due: Int) -> Bool { due > 1_000_000 }
}

extension AnkiCard {
  /// Of a row of `PackageRows.cardColumns`, out of its filtered deck.
  /// - Parameter first: the first of these columns.
  init(_ row: Row, from first: Int32 = 0) {
    self.init(row: (first..<first + 16).map { row.count($0) }, data: row.text(first + 16))
    goHome()
  }

  /// Of a row of Anki's, whose numbers may be anything: the columns in their order, without `usn` and `data`.
  init(row numbers: [Int], data: String) {
    self.init(
      id: min(AnkiCard.mostNumber, Int64(numbers[0])), note: Int64(numbers[1]), deck: Int64(numbers[2]),
      ordinal: min(499, max(0, numbers[3])), modified: min(AnkiCard.mostNumber, max(0, Int64(numbers[4]))), data: data)
    set(Array(numbers[5...]))
  }

  /// The row with its numbers within bounds: sums of some of them do not overflow.
  public var bounded: AnkiCard {
    var card = self
    card.set([type, queue, due, ivl, factor, reps, lapses, left, odue, odid, flags])
    return card
  }

  /// type, queue, due, ivl, factor, reps, lapses, left, odue, odid, flags
  private mutating func set(_ numbers: [Int]) {
    let most = Int(AnkiCard.mostNumber)
    let bounded = numbers.map { min(most, max(-most, $0)) }
    (type, queue, due, ivl, factor) = (bounded[0], bounded[1], bounded[2], bounded[3], bounded[4])
    (reps, lapses, left) = (bounded[5], bounded[6], bounded[7])
    (odue, odid, flags) = (bounded[8], bounded[9], bounded[10])
  }

  /// Of a new card.
  public var position: Int? { type == 0 ? due : nil }
  /// Of a new card its position; of another one the position that it had, where its row says so.
  var place: Int? { type == 0 ? due : AnkiMemory.position(in: data) }

  /// Says that a card that is no longer new had a position.
  mutating func keepPlace(_ position: Int) {
    if type == 0 || place == position { return }
    var record = AnkiMemory.record(of: data) ?? Value.Record()
    record["pos"] = nil
    var writer = JSONWriter(.compact)
    writer.write(.record([("pos", .integer(position))] + record.fields.map { ($0.name, $0.value) }))
    data = String(decoding: writer.take(), as: UTF8.self)
  }

  /// It does not say when it was answered last; the log does.
  public var lacksLastReview: Bool { type != 0 && !data.contains(text: "\"lrt\"") }
  /// When it was answered last, in whole seconds since 1970; nil where the row does not say.
  public var lastReview: Double? { type == 0 ? nil : AnkiMemory(data).lastReview?.rounded(.down) }
}

/// What Anki keeps of the memory of a card.
struct AnkiMemory {
  var stability: Double?
  var difficulty: Double?
  /// Seconds since 1970.
  var lastReview: Double?
  private static let limits = JSONLimits(bytes: 1 << 16, depth: 8, values: 1000, string: 1 << 16)

  init(_ data: String) {
    guard let record = AnkiMemory.record(of: data) else { return }
    stability = record["s"]?.double.map { min(36_500, max(0.001, $0)) }
    difficulty = record["d"]?.double.map { min(10, max(1, $0)) }
    lastReview = record["lrt"]?.double.flatMap { (1...1e11).contains($0) ? $0 : nil }
  }

  /// Nil for nothing, and for what is no object.
  static func record(of data: String) -> Value.Record? {
    if data.isEmpty || data == "{}" { return nil }
    do throws(JSONFailure) { return try JSONParser.parse(Array(data.utf8), limits: limits).record } catch { return nil }
  }

  /// The position that the card had when it was new.
  static func position(in data: String) -> Int? {
    guard data.contains(text: "\"pos\"") else { return nil }
    return record(of: data)?["pos"]?.integer.flatMap { $0 >= 0 ? $0 : nil }
  }
}

/// Turns rows into schedules.
struct AnkiCalendar {
  let moment: StudyMoment
  /// The number of the day that a row's days count from.
  let firstDay: Int

  /// When a row's day begins.
  func start(ofDay day: Int) -> Double { moment.start(ofDay: firstDay + min(10_000_000, max(-10_000_000, day))) }

  /// The schedule of a card that is home.
  /// - Parameter steps: how many the card passes while it is learnt, and while it is learnt again.
  func schedule(_ card: AnkiCard, steps: (learning: Int, relearning: Int)) -> CardSchedule {
    var schedule = CardSchedule()
    guard let state = CardState(rawValue: Int64(card.type)), state != .new else { return schedule }
    let memory = AnkiMemory(card.data)
    schedule.state = state
    (schedule.reps, schedule.lapses) = (max(0, card.reps), max(0, card.lapses))
    if state == .review || !AnkiCard.isTime(card.due) {
      schedule.due = start(ofDay: card.due)
    } else {
      schedule.due = Double(min(100_000_000_000, card.due))
    }
    if state != .review {
      let count = state == .learning ? steps.learning : steps.relearning
      schedule.step = min(max(0, count - card.left % 1000), max(0, count - 1))
    }
    schedule.lastReview = memory.lastReview ?? self.lastReview(card, due: schedule.due ?? 0)
    let known = self.memory(card, memory)
    (schedule.stability, schedule.difficulty) = (known.stability, known.difficulty)
    return schedule
  }

  /// Where the row does not say: noon of the day that the interval began, until the log is read.
  private func lastReview(_ card: AnkiCard, due: Double) -> Double {
    card.type == 2 ? start(ofDay: card.due - min(100_000, max(0, card.ivl))) + 28_800 : min(moment.now, due)
  }

  /// Of a card of the older scheduler from its interval and its ease.
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
