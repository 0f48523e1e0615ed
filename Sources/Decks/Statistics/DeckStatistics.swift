// The figures of study: what was answered, what was remembered, what is to come. These are only values;
// `StatisticsReader` gathers them.
// Invariant: for the same cards, all sums agree: buttons, hours and days count the same answers.

public import Storage
public import Values

/// The figures of the answers of one day.
public struct DayFigures: Equatable, Sendable {
  /// The number of the day, as `StudyMoment` counts days.
  public let day: Int
  /// Answers for cards learnt for the first time, forgotten cards being relearnt, young cards and mature cards.
  public var learning = 0
  public var relearning = 0
  public var young = 0
  public var mature = 0
  /// Cards seen for the first time.
  public var new = 0
  /// Answers other than again.
  public var right = 0
  public var seconds = 0.0
  public var youngRecall = Recall()
  public var matureRecall = Recall()

  public var answers: Int { learning + relearning + young + mature }
  /// The minutes that were begun.
  public var minutes: Int { Int((seconds / 60).rounded(.up)) }

  fileprivate var value: Value {
    .record([
      "date": StudyMoment.date(ofDay: day), "answers": answers, "right": right, "seconds": seconds, "new": new,
      "learning": learning, "relearning": relearning, "young": young, "mature": mature,
    ])
  }
}

/// How often something was remembered, and how often that was expected.
public struct Recall: Equatable, Sendable {
  public var remembered = 0
  public var asked = 0
  /// The sum of the predicted probabilities, and the number of answers with a prediction.
  public var predictedSum = 0.0
  public var predictions = 0

  /// Nil if nothing was asked.
  public var share: Double? { asked == 0 ? nil : Double(remembered) / Double(asked) }
  public var predicted: Double? { predictions == 0 ? nil : predictedSum / Double(predictions) }

  static func + (a: Recall, b: Recall) -> Recall {
    var sum = a
    sum.remembered += b.remembered
    sum.asked += b.asked
    sum.predictedSum += b.predictedSum
    sum.predictions += b.predictions
    return sum
  }

  fileprivate var value: Value {
    .record(["asked": asked, "remembered": remembered, "share": share, "predicted": predicted])
  }
}

/// The answers in one hour of the day.
public struct HourFigures: Equatable, Sendable {
  public var answers = 0
  public var right = 0
}

/// How often each of the buttons again, hard, good and easy was chosen.
public struct ButtonFigures: Equatable, Sendable {
  public var again = 0
  public var hard = 0
  public var good = 0
  public var easy = 0

  mutating func count(_ rating: Int64) {
    switch rating {
    case 1: again += 1
    case 2: hard += 1
    case 3: good += 1
    default: easy += 1
    }
  }

  public var all: Int { again + hard + good + easy }

  fileprivate var value: Value { .record(["again": again, "hard": hard, "good": good, "easy": easy]) }
}

/// The numbers of cards of each kind; suspended and buried cards are counted only as that.
public struct CardFigures: Equatable, Sendable {
  public var new = 0
  public var learning = 0
  public var relearning = 0
  public var young = 0
  public var mature = 0
  public var suspended = 0
  public var buried = 0

  public var all: Int { new + learning + relearning + young + mature + suspended + buried }

  fileprivate var value: Value {
    .record([
      "new": new, "learning": learning, "relearning": relearning, "young": young, "mature": mature,
      "suspended": suspended, "buried": buried, "all": all,
    ])
  }
}

/// The count for each integer value.
public struct Histogram: Equatable, Sendable {
  private static let usual = -36_500...36_500
  /// The counts of values within a century of days, and of the others.
  private var near = [Int](repeating: 0, count: usual.count)
  private var far: [Int: Int] = [:]
  public private(set) var total = 0

  mutating func add(_ value: Int) {
    total += 1
    if Self.usual.contains(value) { near[value - Self.usual.lowerBound] += 1 } else { far[value, default: 0] += 1 }
  }

  /// The counts other than 0, the lowest value first.
  public var bars: [(value: Int, count: Int)] {
    var bars = far.map { (value: $0, count: $1) }
    for place in near.indices where near[place] > 0 { bars.append((Self.usual.lowerBound + place, near[place])) }
    return bars.sorted { $0.value < $1.value }
  }

  fileprivate func value(_ name: String, scale: Double) -> Value {
    .list(
      bars.map { bar in
        .record([name: Value.measure((Double(bar.value) * scale * 100).rounded() / 100), "cards": bar.count])
      })
  }
}

public struct DeckStatistics: Equatable, Sendable {
  /// A card is mature if its interval has at least this many days.
  static let matureDays = 21

  public let today: Int
  public internal(set) var cards = CardFigures()
  /// Days with answers, the earliest first.
  public internal(set) var days: [DayFigures] = []
  /// By hour of the day: 24 entries.
  public internal(set) var hours = [HourFigures](repeating: HourFigures(), count: 24)
  public internal(set) var learningButtons = ButtonFigures()
  public internal(set) var youngButtons = ButtonFigures()
  public internal(set) var matureButtons = ButtonFigures()
  /// The cards by the days from today until they are due; negative if they are late.
  public internal(set) var forecast = Histogram()
  /// For learnt cards: days until the next answer, and stability in whole days.
  public internal(set) var intervals = Histogram()
  public internal(set) var stabilities = Histogram()
  /// For learnt cards: difficulty in tenths, from 1.0 (10) to 10.0 (100), and the probability of recall now in percent.
  public internal(set) var difficulties = Histogram()
  public internal(set) var recalls = Histogram()
  /// The expected number of learnt cards that are remembered now: the sum of the probabilities.
  public internal(set) var known = 0.0
  /// The cards by the day on which they were added, relative to today: 0 is today, -1 yesterday.
  public internal(set) var added = Histogram()
  /// The progress of the deck's goal, if it has one.
  public var goal: GoalProgress?
  /// How well the memory model predicts the user's answers, if it was asked for.
  public var knowledge: ModelKnowledge?

  /// The figures of today; zeros if nothing was answered yet.
  public var todayFigures: DayFigures { days.last { $0.day == today } ?? DayFigures(day: today) }

  /// The recall of young and mature cards over the last `count` days, including today.
  public func recall(days count: Int) -> (young: Recall, mature: Recall) {
    days.reduce(into: (Recall(), Recall())) { sum, figures in
      guard figures.day > today - count, figures.day <= today else { return }
      sum = (sum.0 + figures.youngRecall, sum.1 + figures.matureRecall)
    }
  }

  /// The number of consecutive days with answers, up to today, or up to yesterday if today has none yet.
  public var streak: Int {
    let studied = Set(days.map(\.day))
    return DeckStatistics.streak(until: today, studied.contains)
  }

  /// The largest number of consecutive days with answers.
  public var longestStreak: Int {
    var (longest, current, last): (Int, Int, Int?) = (0, 0, nil)
    for figures in days {
      current = figures.day - 1 == last ? current + 1 : 1
      last = figures.day
      longest = max(longest, current)
    }
    return longest
  }

  /// The number of consecutive days with answers, up to today, or up to yesterday if today has none yet; one index
  /// lookup per day.
  public static func streak(_ db: Database, at moment: StudyMoment) throws -> Int {
    try streak(until: moment.today) { day in
      let sql = "SELECT 1 FROM reviews WHERE at >= ? AND at < ? AND \(LoggedReview.isAnswer) LIMIT 1"
      return try db.hasRow(sql, [max(1, moment.start(ofDay: day)), moment.start(ofDay: day + 1)])
    }
  }

  private static func streak(until today: Int, _ isStudied: (Int) throws -> Bool) rethrows -> Int {
    var day = try isStudied(today) ? today : today - 1
    var count = 0
    while try isStudied(day) {
      count += 1
      day -= 1
    }
    return count
  }

  public var value: Value {
    .record([
      "today": todayFigures.value, "streak": streak, "longest_streak": longestStreak, "cards": cards.value,
      "known": known, "retention": retention, "days": days.map(\.value),
      "hours": Value.list(
        hours.enumerated().map { hour, figures in
          .record(["hour": hour, "answers": figures.answers, "right": figures.right])
        }),
      "buttons": Value.record([
        "learning": learningButtons.value, "young": youngButtons.value, "mature": matureButtons.value,
      ]), "forecast": forecast.value("days", scale: 1), "intervals": intervals.value("days", scale: 1),
      "stability": stabilities.value("days", scale: 1), "difficulty": difficulties.value("difficulty", scale: 0.1),
      "retrievability": recalls.value("probability", scale: 0.01), "added": added.value("days", scale: 1),
      "goal": goal?.value, "model": knowledge?.value,
    ])
  }

  /// The numbers of days for which retention is reported; nil means all.
  public static let spans: [(name: String, days: Int?)] = [
    ("today", 1), ("week", 7), ("month", 30), ("year", 365), ("all", nil),
  ]

  private var retention: Value {
    .record(
      Self.spans.map { name, count in
        let (young, mature) = recall(days: count ?? .max / 2)
        return (name, .record(["young": young.value, "mature": mature.value]))
      })
  }
}
