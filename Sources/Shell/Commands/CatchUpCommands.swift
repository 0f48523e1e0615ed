// `deck catchup` and `deck pause`. Invariant: a plan is shown day by day beside the time of all its cards on one day,
// in a rehearsal as when it is done.

import Commands
import Decks
import Values
import Workspace

enum CatchUpCommands {
  static var all: [BuiltIn] { [catchUp, pause] }

  private static let answer = "{cards, without_room, usual_minutes, all_minutes, plan}"

  private static let catchUp = BuiltIn(
    "deck", "catchup", effect: .changes, summary: "Spreads overdue cards over the coming days.", answer: answer,
    details: """
      All due cards get a day on which study takes about twice as long as usual, those first whose answers are worth \
      most. Easy days, the limits of reviews and goals hold. If you miss days of the plan, run it again.
      """,
    arguments: [Argument("DECK", .deck, isOptional: true, help: "the deck, with those within it; all when left out")],
    options: [
      Option("--days", "N", .integer(CatchUp.dayRange), help: "how many days; 7 to 30 when left out"),
      Option("--minutes", "M", .number(CatchUp.minuteRange), help: "minutes of study a day"),
    ], example: "deck catchup Spanish --days 14"
  ) { invocation, session in
    try invocation.allowOne(of: ["--days", "--minutes"])
    let decks = try session.workspace().decks
    let plan = try decks.catchUp(
      invocation.optionalText("DECK").map { try decks.open($0) }, days: invocation.optionalInteger("--days"),
      minutes: invocation.optionalNumber("--minutes"))
    return shown(plan, "Spread", whenEmpty: "No card is overdue.", session)
  }

  private static let pause = BuiltIn(
    "deck", "pause", effect: .changes, summary: "Prepares days without study, for all decks.", answer: answer,
    details: """
      Cards that are due in the pause, and overdue ones, are spread over the days after it, as by `deck catchup`. \
      Answers schedule no card for it, and no new cards come in it. It is not sent to a sync server.
      """,
    arguments: [
      Argument("FROM", isOptional: true, help: "the first day: a date, or days from today"),
      Argument("TO", isOptional: true, help: "the last day"),
    ],
    options: [Option("--off", help: "end the pause; cards that were spread keep their days")],
    usage: ["deck pause FROM TO", "deck pause --off"], example: "deck pause 2030-07-01 2030-07-14"
  ) { invocation, session in
    let decks = try session.workspace().decks
    if invocation.flag("--off") {
      try invocation.refuse(["FROM", "TO"], beside: "--off")
      try decks.endPause()
      return CommandResult(.null, line: "There is no pause any more.")
    }
    guard let from = invocation.optionalText("FROM") else { throw invocation.missing("FROM") }
    guard let to = invocation.optionalText("TO") else { throw invocation.missing("TO") }
    return shown(try decks.pause(from: from, to: to), "Moved", whenEmpty: "No card is due in the pause.", session)
  }

  private static func shown(_ plan: CatchUp, _ done: String, whenEmpty: String, _ session: Session) -> CommandResult {
    if plan.count == 0 { return CommandResult(plan.value, line: whenEmpty) }
    func minutes(_ seconds: Double) -> String { session.counted(Int((seconds / 60).rounded(.up)), "minute") }
    var lines = [
      "\(done) \(session.counted(plan.count, "card")) over \(session.counted(plan.days.count, "day")); all on one day: "
        + "\(minutes(plan.allSeconds)), usually: \(minutes(plan.usualSeconds))."
    ]
    if plan.withoutRoom > 0 {
      lines.append(
        "No day has room for \(session.counted(plan.withoutRoom, "card")), due on the last: see reviews_per_day.")
    }
    for day in plan.days {
      lines.append(
        "\(StudyMoment.date(ofDay: day.day)): \(session.counted(day.cards, "card")), \(minutes(day.seconds))")
    }
    return CommandResult(plan.value, .lines(lines))
  }
}
