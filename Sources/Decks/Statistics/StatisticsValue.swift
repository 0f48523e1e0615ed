// The figures of study as plain data, for `--json` and Lua. Invariant: every figure that is drawn is included.

import Memory
public import Values

extension DeckStatistics {
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

extension DayFigures {
  fileprivate var value: Value {
    .record([
      "date": StudyMoment.date(ofDay: day), "answers": answers, "right": right, "seconds": seconds, "new": new,
      "learning": learning, "relearning": relearning, "young": young, "mature": mature,
    ])
  }
}

extension Recall {
  fileprivate var value: Value {
    .record(["asked": asked, "remembered": remembered, "share": share, "predicted": predicted])
  }
}

extension ButtonFigures {
  fileprivate var value: Value { .record(["again": again, "hard": hard, "good": good, "easy": easy]) }
}

extension CardFigures {
  fileprivate var value: Value {
    .record([
      "new": new, "learning": learning, "relearning": relearning, "young": young, "mature": mature,
      "suspended": suspended, "buried": buried, "all": all,
    ])
  }
}

extension Histogram {
  fileprivate func value(_ name: String, scale: Double) -> Value {
    .list(
      bars.map { bar in
        .record([name: Value.measure((Double(bar.value) * scale * 100).rounded() / 100), "cards": bar.count])
      })
  }
}

extension StudyMoment {
  /// A day as a date: `2026-11-22`.
  public static func date(ofDay day: Int) -> String { CivilDate(day: min(1_000_000_000_000, max(-700_000, day))).text }
}
