// `deck goal`: a date to know a deck by; and a goal as text for the study screen and the statistics. Invariant: a
// forecast below the wanted recall is never shown without a warning that says what can be reached.

import Commands
import Decks
import Memory
import Text
import Values
import Workspace

enum GoalCommand {
  static var command: BuiltIn {
    BuiltIn(
      "deck", "goal", effect: .depends { $0.optionalText("DATE") == nil && !$0.flag("--off") ? .reads : .changes },
      summary: "Sets a date by which to know a deck, or lists the goals with their progress.",
      answer: "{deck, date, recall, minutes, days_left, last_days, begins, known, forecast?, reached?, still_new?}...",
      details: """
        Until the last days before the date, the deck and those within it are studied at a retention of 0.8. In the \
        last 3 to 30 days, `study` shows the cards that help the goal most, due or not, for a set number of minutes \
        per day. How many days are needed is found by a simulation with your cards; if the recall cannot be reached, \
        the command says what can. New cards count as not known. From the date on, the deck is studied as before.
        """,
      arguments: [
        Argument("DECK", .deck, isOptional: true, help: "the deck; all goals are listed when left out"),
        Argument("DATE", isOptional: true, help: "the day to know it by, such as 2027-06-01"),
      ],
      options: [
        Option(
          "--recall", "SHARE", .number(DeckGoal.recalls),
          help: "the share of cards to know, from 0.5 to 0.99; 0.95 when left out"),
        Option(
          "--minutes", "N", .number(DeckGoal.minuteRange),
          help: "minutes of study on each of the last days; 20 when left out"),
        Option("--off", help: "remove the deck's goal"),
      ], example: "deck goal Spanish 2030-06-01 --recall 0.9 --minutes 30"
    ) { invocation, session in
      guard let name = invocation.optionalText("DECK") else {
        let given = ["--recall", "--minutes"].filter { invocation.optionalText($0) != nil }
        if invocation.flag("--off") || !given.isEmpty { throw missing("DECK") }
        return try list(session)
      }
      let deck = try session.workspace().decks.open(name)
      let date = invocation.optionalText("DATE")
      if invocation.flag("--off") {
        try invocation.refuse(["DATE", "--recall", "--minutes"], beside: "--off")
        return try remove(deck)
      }
      guard let date else {
        if invocation.optionalText("--recall") ?? invocation.optionalText("--minutes") != nil { throw missing("DATE") }
        return try shown(deck, session)
      }
      let progress = try deck.goals.set(
        date: date, recall: invocation.optionalNumber("--recall") ?? DeckGoal.initialRecall,
        minutes: invocation.optionalNumber("--minutes") ?? DeckGoal.initialMinutes)
      return CommandResult(.list([progress.value]), .lines(GoalWords(session).lines(of: progress)))
    }
  }

  private static func missing(_ name: String) -> CommandError {
    .missingArgument(
      command: "deck goal", name, usage: "deck goal DECK DATE [--recall SHARE] [--minutes N] | deck goal DECK --off")
  }

  private static func list(_ session: Session) throws -> CommandResult {
    let words = GoalWords(session)
    var table = TableText(
      [
        .init("Deck", isMain: true), .init("Date", isMain: true), .init("Days left", .right), .init("Wanted", .right),
        .init("Today", .right),
        .init("Forecast", .right), .init("Last days", .right), .init("Minutes", .right),
      ], whenEmpty: "No deck has a goal; `deck goal DECK DATE` sets one.")
    let goals = try session.workspace().decks.goals()
    for progress in goals {
      let goal = progress.goal
      table.add([
        progress.deck, goal.date, progress.daysLeft > 0 ? session.grouped(progress.daysLeft) : "over",
        words.percent(goal.recall), words.percent(progress.known), progress.plan.map { words.percent($0.recall) } ?? "",
        "\(goal.lastDays)", words.number(goal.minutes),
      ])
    }
    return CommandResult(.list(goals.map(\.value)), .table(table))
  }

  private static func remove(_ deck: DeckHandle) throws -> CommandResult {
    let name = quoted(try deck.record().name)
    guard try deck.goals.progress() != nil else {
      return CommandResult(.list([]), line: "\(name) has no goal of its own.")
    }
    try deck.goals.remove()
    return CommandResult(.list([]), line: "\(name) no longer has a goal; it is studied as before.")
  }

  private static func shown(_ deck: DeckHandle, _ session: Session) throws -> CommandResult {
    if let progress = try deck.goals.progress() {
      return CommandResult(.list([progress.value]), .lines(GoalWords(session).lines(of: progress)))
    }
    let name = quoted(try deck.record().name)
    let around = try deck.goals.current().map { "\(name) follows the goal of \(quoted($0.deck.name))." }
    return CommandResult(.list([]), line: around ?? "\(name) has no goal; `deck goal DECK DATE` sets one.")
  }
}

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
