// A goal as text, for its command, the study screen and the statistics of a deck. Invariant: a forecast below the
// wanted recall is never shown without a warning.

import Decks
import Memory
import Text
import Workspace

struct GoalWords: NumberShowing {
  let groupsNumbers: Bool

  init(_ numbers: some NumberShowing) { groupsNumbers = numbers.groupsNumbers }

  func percent(_ share: Double) -> String {
    // Rounded down, so that it never claims more; the small addend compensates for decimals that binary stores slightly
    // too low.
    let tenths = Int((share * 1000 + 0.001).rounded(.down))
    return tenths % 10 == 0 ? "\(tenths / 10) %" : "\(tenths / 10).\(tenths % 10) %"
  }

  /// The short form: `goal 95 % in 12 days`
  func short(_ current: DeckGoals.Current) -> String {
    "goal \(percent(current.goal.recall)) in \(counted(current.daysLeft, "day"))"
  }

  /// One line for output without a study screen.
  func line(_ current: DeckGoals.Current) -> String {
    let goal = current.goal
    let end = current.isNear ? ". These are its last days: \(minutes(goal)) a day." : "."
    return "Goal: \(percent(goal.recall)) by \(goal.date), in \(counted(current.daysLeft, "day"))\(end)"
  }

  /// All lines about the state of a goal.
  func lines(of progress: GoalProgress) -> [String] {
    let goal = progress.goal
    let wanted = "\(percent(goal.recall)) of \(quoted(progress.deck))"
    guard let plan = progress.plan else {
      return ["\(wanted) by \(goal.date): the date has passed. \(percent(progress.known)) are known today."]
    }
    var lines = [
      "\(wanted) by \(goal.date), in \(counted(progress.daysLeft, "day")).",
      "Known today: \(percent(progress.known)), expected on the date: \(percent(plan.recall)).",
    ]
    let days = "\(counted(min(goal.lastDays, progress.daysLeft), "day")) of \(minutes(goal))"
    if progress.daysLeft > goal.lastDays {
      let before = counted(max(1, Int(plan.minutesBefore.rounded())), "minute")
      lines += [
        "Until \(StudyMoment.date(ofDay: progress.firstDay)): a retention of 80 %, about \(before) a day;",
        "then \(days), with the cards that help the goal most.",
      ]
    } else {
      lines.append("These are its last days: \(days), with the cards that help the goal most.")
    }
    return lines + (plan.isReached ? [] : notReached(goal, plan))
  }

  private func notReached(_ goal: DeckGoal, _ plan: RecallPlan) -> [String] {
    let reached = "\(percent(plan.recall)) can, with \(minutes(goal)) a day."
    let new = "\(counted(plan.stillNew, "card")) would still be new: use a higher new_per_day or a later date."
    return ["warning: \(percent(goal.recall)) cannot be reached; \(reached)"] + (plan.stillNew > 0 ? [new] : [])
  }

  private func minutes(_ goal: DeckGoal) -> String {
    Int(exactly: goal.minutes).map { counted($0, "minute") } ?? "\(goal.minutes) minutes"
  }
}
