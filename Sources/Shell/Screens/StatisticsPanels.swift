// Study statistics as charts, the same for the terminal and for a picture. Invariant: a value beyond the range of the
// bars is counted in the last one; with too few answers a text says so instead of a chart.

import CardDocuments
import Decks
import Memory

struct StatisticsPanels: NumberShowing {
  let figures: DeckStatistics
  let groupsNumbers: Bool

  /// - Parameter weeks: the number of columns of the calendar.
  func panels(weeks: Int) -> [ChartPanel] {
    let progress = figures.goal.map { [goal($0)] } ?? []
    if figures.days.isEmpty { return progress + withoutAnswers }
    let knowledge = figures.knowledge.map { KnowledgePanels(knowledge: $0, groupsNumbers: groupsNumbers).panels } ?? []
    return progress + [today, retention] + knowledge + [
      calendar(weeks: weeks), cards, forecast,
      lastDays("Answers", figures.days.map { ($0.day - figures.today, Double($0.answers)) }),
      lastDays("Time", figures.days.map { ($0.day - figures.today, ($0.seconds / 6).rounded() / 10) }, unit: " min"),
      columns("Hours", figures.hours.map { Double($0.answers) }, axis: ["0:00", "", "12:00", "", "23:00"]), buttons,
    ] + memory + [added]
  }

  /// A line in place of the charts that would be empty. Cards may have been learnt without answers being known here.
  private var withoutAnswers: [ChartPanel] {
    let line = "Nothing answered yet: charts appear here after you `study`."
    return [ChartPanel("Answers", .words([line]))] + (figures.cards.all > 0 ? [cards] : [])
      + (figures.intervals.total > 0 ? [forecast] + memory : []) + (figures.added.total > 0 ? [added] : [])
  }

  private var memory: [ChartPanel] {
    [
      distribution("Intervals", figures.intervals), distribution("Stability", figures.stabilities),
      scale("Difficulty", figures.difficulties, from: 10, step: 3, axis: ["1", "", "5.5", "", "10"]),
      scale("Retrievability", figures.recalls, from: 0, step: 4, axis: ["0 %", "", "50 %", "", "100 %"]),
    ]
  }

  private var added: ChartPanel { lastDays("Added", figures.added.bars.map { ($0.value, Double($0.count)) }) }

  private func goal(_ progress: GoalProgress) -> ChartPanel {
    ChartPanel("Goal", .words(GoalWords(self).lines(of: progress)))
  }

  private var today: ChartPanel {
    let day = figures.todayFigures
    let streak = "\(counted(figures.streak, "day")) in a row, longest \(grouped(figures.longestStreak))"
    guard day.answers > 0 else { return ChartPanel("Today", .words(["Nothing answered yet.", streak])) }
    return ChartPanel(
      "Today",
      .words([
        "\(counted(day.answers, "answer")) in \(Self.time(of: day)), "
          + "\(percent(Double(day.right) / Double(day.answers))) right",
        "\(grouped(day.new)) new, \(grouped(day.learning + day.relearning - day.new)) learning, "
          + "\(grouped(day.young)) young, \(grouped(day.mature)) mature",
        streak, "about \(counted(Int(figures.known.rounded()), "card")) remembered now",
      ]))
  }

  private var retention: ChartPanel {
    let rows = DeckStatistics.spans.map { name, days in
      let (young, mature) = figures.recall(days: days ?? .max / 2)
      return [name, words(young), words(mature)]
    }
    return ChartPanel("Retention, true and predicted", .table([["", "young", "mature"]] + rows))
  }

  private func words(_ recall: Recall) -> String {
    guard let share = recall.share else { return "-" }
    return percent(share) + (recall.predicted.map { " / " + percent($0) } ?? "") + " (\(grouped(recall.asked)))"
  }

  private static func time(of day: DayFigures) -> String {
    day.seconds < 3600 ? "\(day.minutes) min" : "\((day.seconds / 360).rounded() / 10) h"
  }

  private func calendar(weeks: Int) -> ChartPanel {
    let answers = Dictionary(figures.days.map { ($0.day, $0.answers) }) { _, last in last }
    // 1970-01-01 was a Thursday; weeks begin on Monday.
    let weekday = ((figures.today + 3) % 7 + 7) % 7
    let first = figures.today - weekday - 7 * (weeks - 1)
    let shown = (first...figures.today).compactMap { answers[$0] }.sorted()
    // The scale covers nine of ten days, so that one day with a thousand answers does not make all others look pale.
    let most = Double(max(1, shown.isEmpty ? 1 : shown[min(shown.count - 1, shown.count * 9 / 10)]))
    let cells = (0..<weeks).map { week in
      (0..<7).map { day -> Double? in
        let number = first + 7 * week + day
        return number > figures.today ? nil : Double(answers[number] ?? 0) / most
      }
    }
    let axis = [StudyMoment.date(ofDay: first), "", "", "", "today"]
    return ChartPanel("Answers by day", .cells(cells, axis: axis))
  }

  private static let dayCount = 30

  /// A chart of the last 30 days; days are counted from today.
  private func lastDays(_ title: String, _ values: [(Int, Double)], unit: String = "") -> ChartPanel {
    var bars = [Double](repeating: 0, count: Self.dayCount)
    for (day, value) in values where day <= 0 && day > -Self.dayCount { bars[Self.dayCount - 1 + day] += value }
    return columns(title, bars, axis: ["-29 d", "", "-15 d", "", "today"], unit: unit)
  }

  private var forecast: ChartPanel {
    var bars = [Double](repeating: 0, count: Self.dayCount)
    // Overdue cards count as due today.
    for bar in figures.forecast.bars where bar.value < Self.dayCount { bars[max(0, bar.value)] += Double(bar.count) }
    return columns("Due", bars, axis: ["today", "", "15 d", "", "29 d"])
  }

  private var cards: ChartPanel {
    let cards = figures.cards
    let counts = [
      ("new", cards.new), ("learning", cards.learning), ("relearning", cards.relearning), ("young", cards.young),
      ("mature", cards.mature), ("suspended", cards.suspended), ("buried", cards.buried),
    ]
    return ChartPanel("Cards", .rows(counts.map { ChartPanel.Row($0.0, Double($0.1), grouped($0.1)) }))
  }

  private var buttons: ChartPanel {
    let groups = [
      ("learning", figures.learningButtons), ("young", figures.youngButtons), ("mature", figures.matureButtons),
    ]
    let rows = groups.flatMap { name, buttons in
      [("again", buttons.again), ("hard", buttons.hard), ("good", buttons.good), ("easy", buttons.easy)].map {
        let share = buttons.all == 0 ? "" : ", " + wholePercent(Double($0.1) / Double(buttons.all))
        return ChartPanel.Row("\(name) \($0.0)", Double($0.1), grouped($0.1) + share)
      }
    }
    return ChartPanel("Answers by button", .rows(rows))
  }

  /// A chart of days with at most 30 bars; they are so wide that all bars but the last cover nine of ten cards.
  private func distribution(_ title: String, _ histogram: Histogram) -> ChartPanel {
    var (seen, last) = (0, 1)
    for bar in histogram.bars where seen * 10 < histogram.total * 9 {
      seen += bar.count
      last = max(1, bar.value)
    }
    let step = max(1, (last + Self.dayCount - 2) / (Self.dayCount - 1))
    var bars = [Double](repeating: 0, count: Self.dayCount)
    for bar in histogram.bars { bars[min(Self.dayCount - 1, max(0, bar.value / step))] += Double(bar.count) }
    let middle = step * Self.dayCount / 2
    return columns(
      title, bars, axis: ["0 d", "", "\(grouped(middle)) d", "", "\(grouped(step * (Self.dayCount - 1)))+ d"])
  }

  private func scale(_ title: String, _ histogram: Histogram, from first: Int, step: Int, axis: [String]) -> ChartPanel
  {
    var bars = [Double](repeating: 0, count: (100 - first) / step + 1)
    for bar in histogram.bars { bars[min(bars.count - 1, max(0, (bar.value - first) / step))] += Double(bar.count) }
    return columns(title, bars, axis: axis)
  }

  private func columns(_ title: String, _ bars: [Double], axis: [String], unit: String = "") -> ChartPanel {
    let most = bars.max() ?? 0
    return ChartPanel(title, .columns(bars, axis: axis), highest: number(most) + unit)
  }
}

struct KnowledgePanels: NumberShowing {
  /// The fewest answers on later days for a calibration chart.
  private static let fewestAnswers = 100

  let knowledge: ModelKnowledge
  let groupsNumbers: Bool

  var panels: [ChartPanel] {
    let hasPicture = knowledge.fit.count >= Self.fewestAnswers
    return [ChartPanel("Memory model", .words(hasPicture ? words : [few]))]
      + (hasPicture ? [ChartPanel("Predicted, and remembered", calibrationOf: knowledge.fit, self)] + speeds : [])
      + [minutes]
  }

  /// The share that was remembered after fast, middling and slow answers; nothing if few times are known.
  private var speeds: [ChartPanel] {
    if knowledge.speeds.isEmpty { return [] }
    let rows = knowledge.speeds.map { speed in
      ChartPanel.Row(
        "after a \(speed.speed.rawValue) answer", speed.remembered,
        "\(percent(speed.remembered)) of \(grouped(speed.answers)), predicted \(percent(speed.predicted))")
    }
    return [ChartPanel("Remembered, by the time of the answer before", .rows(rows))]
  }

  private var few: String {
    "\(counted(knowledge.fit.count, "answer")) on later days: too few to say how well \(knowledge.model.title) "
      + "predicts your answers (\(Self.fewestAnswers) are needed)."
  }

  private var words: [String] {
    let fit = knowledge.fit
    let off = rounded(fit.rmse * 100, 2)
    let better = knowledge.refit.map { $0.isBetter ? "would predict better." : "would find nothing better for FSRS-6." }
    return ["\(knowledge.model.title) predicted \(counted(fit.count, "answer")): \(off) % off on average."]
      + (better.map { ["`deck optimize` " + $0] } ?? [])
  }

  /// The cost at the deck's retention and at others, the lowest retention first.
  private var minutes: ChartPanel {
    let costs = ([knowledge.now] + knowledge.others).sorted { $0.retention < $1.retention }
    return ChartPanel(
      "Minutes a day at a retention of",
      .rows(
        costs.map { cost in
          let isNow = cost.retention == knowledge.now.retention
          let text = rounded(cost.minutes, 2) + (isNow ? " (now)" : "")
          return ChartPanel.Row(GoalWords(self).percent(cost.retention), cost.minutes, text)
        }))
  }
}
