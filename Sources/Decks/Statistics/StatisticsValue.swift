// The figures of study as plain data, for `--json` and Lua. Invariant: every figure that is drawn is included.

import Memory
public import Values

extension DeckStatistics {
  public var value: Value {
    .record([
      ("today", todayFigures.value), ("streak", .integer(streak)), ("longest_streak", .integer(longestStreak)),
      ("cards", cards.value), ("known", .number(known)), ("retention", retention),
      ("days", .list(days.map(\.value))),
      (
        "hours",
        .list(
          hours.enumerated().map { hour, figures in
            .record([
              ("hour", .integer(hour)), ("answers", .integer(figures.answers)), ("right", .integer(figures.right)),
            ])
          })
      ),
      (
        "buttons",
        .record([("learning", learningButtons.value), ("young", youngButtons.value), ("mature", matureButtons.value)])
      ),
      ("forecast", forecast.value("days", scale: 1)), ("intervals", intervals.value("days", scale: 1)),
      ("stability", stabilities.value("days", scale: 1)), ("difficulty", difficulties.value("difficulty", scale: 0.1)),
      ("retrievability", recalls.value("probability", scale: 0.01)), ("added", added.value("days", scale: 1)),
      ("goal", goal?.value ?? .null), ("model", knowledge?.value ?? .null),
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
        return (name, .record([("young", young.value), ("mature", mature.value)]))
      })
  }
}

extension DayFigures {
  fileprivate var value: Value {
    .record([
      ("date", .text(StudyMoment.date(ofDay: day))), ("answers", .integer(answers)), ("right", .integer(right)),
      ("seconds", .number(seconds)), ("new", .integer(new)), ("learning", .integer(learning)),
      ("relearning", .integer(relearning)), ("young", .integer(young)), ("mature", .integer(mature)),
    ])
  }
}

extension Recall {
  fileprivate var value: Value {
    .record([
      ("asked", .integer(asked)), ("remembered", .integer(remembered)), ("share", share.map { .number($0) } ?? .null),
      ("predicted", predicted.map { .number($0) } ?? .null),
    ])
  }
}

extension ButtonFigures {
  fileprivate var value: Value {
    .record([
      ("again", .integer(again)), ("hard", .integer(hard)), ("good", .integer(good)), ("easy", .integer(easy)),
    ])
  }
}

extension CardFigures {
  fileprivate var value: Value {
    .record([
      ("new", .integer(new)), ("learning", .integer(learning)), ("relearning", .integer(relearning)),
      ("young", .integer(young)), ("mature", .integer(mature)), ("suspended", .integer(suspended)),
      ("buried", .integer(buried)), ("all", .integer(all)),
    ])
  }
}

extension Histogram {
  fileprivate func value(_ name: String, scale: Double) -> Value {
    .list(
      bars.map { bar in
        .record([(name, .measure((Double(bar.value) * scale * 100).rounded() / 100)), ("cards", .integer(bar.count))])
      })
  }
}

extension StudyMoment {
  /// A day as a date: `2026-11-22`.
  public static func date(ofDay day: Int) -> String {
    CivilDate(day: min(1_000_000_000_000, max(-700_000, day))).text
  }
}
