// `deck ...`, and `deck goal`: a date to know a deck by. Invariant: a command says what it did and how much; a forecast
// below the wanted recall is never shown without a warning that says what can be reached.

import Bindings
import Commands
import Decks
import Files
import LuaRuntime
import Memory
import Problems
import Text
import Values
import Workspace

enum DeckCommands {
  static var all: [BuiltIn] { [listDecks, createDeck, showDeck, renameDeck, removeDeck] }

  private static let listDecks = BuiltIn(
    "deck", "list", summary: "Lists the decks.", answer: "deck...",
    details: """
      Cards counts only the deck's own cards; the other columns include the decks within it. New and Due count what \
      `study` would show now, up to the daily limits.
      """
  ) { _, session in
    let workspace = try session.workspace()
    let decks = try workspace.decks.all()
    let counts = try workspace.decks.studyCounts()
    let rows = try zip(decks, workspace.decks.records()).map { deck, record in
      let study = counts[deck.id] ?? StudyCounts()
      return [
        record.name, session.grouped(try deck.count()), session.grouped(study.new), session.grouped(study.due),
        record.studied.map { session.ago($0) } ?? "never",
      ]
    }
    let table = TableText(
      [.name("Deck"), .number("Cards"), .number("New"), .number("Due"), .whole("Last studied")], rows: rows,
      whenEmpty: "No decks yet; `deck create NAME` creates one.")
    return CommandResult(.objects(decks), .table(table))
  }

  private static let createDeck = BuiltIn(
    "deck", "create", effect: .changes, summary: "Creates an empty deck.", answer: "deck",
    details: "A deck A::B is within the deck A, which is created too if it does not exist.",
    arguments: [Argument("DECK", help: "the new deck's name")], example: "deck create Spanish::Verbs"
  ) { invocation, session in
    let deck = try session.workspace().decks.create(invocation.text("DECK"))
    return CommandResult(.object(deck), line: "Created deck \(quoted(try deck.record().name)).")
  }

  private static let showDeck = BuiltIn(
    "deck", "show", summary: "Shows a deck and its first cards.", answer: "deck", arguments: [Common.deck],
    example: "deck show Spanish"
  ) { invocation, session in
    let deck = try session.workspace().decks.open(invocation.text("DECK"))
    let study = try deck.studyCounts()
    let shown = 20
    let listing = try session.workspace().cards.list(of: [deck], limit: shown)
    var parts: [Display] = [
      .lines([
        "\(try deck.record().name): \(session.counted(listing.total, "card")); to study now: "
          + "\(session.grouped(study.new)) new, \(session.grouped(study.due)) due"
      ])
    ]
    if !listing.cards.isEmpty {
      let columns: [CardProperty] = [.position, .prompt, .answer, .tags, .state, .guid]
      parts.append(.table(try CardListCommand.table(listing.cards.map(\.card), columns, whenEmpty: "", session)))
    }
    if listing.total > shown {
      let name = ShellWords.quote(try deck.record().name)
      parts.append(.lines(["… \(session.grouped(listing.total - shown)) more; `card list --deck \(name)` lists all"]))
    }
    return CommandResult(.object(deck), .parts(parts))
  }

  private static let renameDeck = BuiltIn(
    "deck", "rename", effect: .changes, summary: "Renames a deck, together with the decks within it.", answer: "deck",
    arguments: [Common.deck, Argument("NEW", help: "its new name")], example: "deck rename Spanish Español"
  ) { invocation, session in
    let deck = try session.workspace().decks.open(invocation.text("DECK"))
    let old = try deck.record().name
    try deck.rename(to: invocation.text("NEW"))
    return CommandResult(.object(deck), line: "Renamed deck \(quoted(old)) to \(quoted(try deck.record().name)).")
  }

  private static let removeDeck = BuiltIn(
    "deck", "remove", effect: .changes, summary: "Removes a deck, the decks within it and all their cards.",
    answer: "integer", details: "At a terminal it asks first when there are cards.", arguments: [Common.deck],
    example: "deck remove Old"
  ) { invocation, session in
    let deck = try session.workspace().decks.open(invocation.text("DECK"))
    let name = try deck.record().name
    let within = try deck.within()
    let cards = try ([deck] + within).reduce(0) { try $0 + $1.count() }
    let more = within.isEmpty ? "" : " and \(session.counted(within.count, "deck")) within it"
    if cards > 0, !(try session.confirm("Remove deck \(quoted(name))\(more) with \(session.counted(cards, "card"))?")) {
      return CommandResult(.integer(0), line: "Nothing was removed.")
    }
    let removed = try deck.remove()
    return CommandResult(
      .integer(removed), line: "Removed deck \(quoted(name))\(more), \(session.counted(removed, "card")).")
  }

  static let orderCards = BuiltIn(
    "deck", "order", effect: .changes, summary: "Orders the new cards of a deck by how much they help with a text.",
    answer: "{found, moved}",
    details: """
      The word of a card is the first field of its note. Cards whose words are the most frequent in the files come \
      first; cards with known words and cards without a word of the text follow in their old order. The decks within \
      it are each ordered separately, too.
      """, arguments: [Common.deck, TextCommands.files],
    options: [
      Option("--by", choice: ["gain"], help: "gain (when left out): how often a word is in the text"),
      Common.language,
    ], usage: ["deck order DECK [--by gain] FILE... [--language L]"],
    example: "deck order Spanish novel.txt --language spanish"
  ) { invocation, session in
    let deck = try session.workspace().decks.open(invocation.text("DECK"))
    let (found, moved) = try deck.orderNewCards(byGainIn: TextCommands.open(invocation, session))
    let name = quoted(try deck.record().name)
    return CommandResult(
      .record(["found": found, "moved": moved]),
      line: "Found \(session.counted(found, "new card")) of \(name) with words of the text; "
        + "\(session.grouped(moved)) moved.")
  }

  static let goal = BuiltIn(
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
    for option in ["--off", "--recall", "--minutes"] { try invocation.require("DECK", beside: option) }
    guard let name = invocation.optionalText("DECK") else { return try list(session) }
    let deck = try session.workspace().decks.open(name)
    let date = invocation.optionalText("DATE")
    if invocation.flag("--off") {
      try invocation.refuse(["DATE", "--recall", "--minutes"], beside: "--off")
      return try remove(deck)
    }
    for option in ["--recall", "--minutes"] { try invocation.require("DATE", beside: option) }
    guard let date else { return try shown(deck, session) }
    let progress = try deck.goals.set(
      date: date, recall: invocation.optionalNumber("--recall") ?? DeckGoal.initialRecall,
      minutes: invocation.optionalNumber("--minutes") ?? DeckGoal.initialMinutes)
    return CommandResult(.list([progress.value]), .lines(GoalWords(session).lines(of: progress)))
  }

  private static func list(_ session: Session) throws -> CommandResult {
    let words = GoalWords(session)
    let goals = try session.workspace().decks.goals()
    let rows = goals.map { progress in
      let goal = progress.goal
      return [
        progress.deck, goal.date, progress.daysLeft > 0 ? session.grouped(progress.daysLeft) : "over",
        words.percent(goal.recall), words.percent(progress.known), progress.plan.map { words.percent($0.recall) } ?? "",
        "\(goal.lastDays)", words.number(goal.minutes),
      ]
    }
    let table = TableText(
      [
        .main("Deck"), .whole("Date"), .number("Days left"), .number("Wanted"), .number("Today"), .number("Forecast"),
        .number("Last days"), .number("Minutes"),
      ], rows: rows, whenEmpty: "No deck has a goal; `deck goal DECK DATE` sets one.")
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
    // Rounded down, so that it never claims more; the small addend compensates for decimals stored too low.
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
    if plan.isReached { return lines }
    let reached = "\(percent(plan.recall)) can, with \(minutes(goal)) a day."
    lines.append("warning: \(percent(goal.recall)) cannot be reached; \(reached)")
    if plan.stillNew > 0 {
      lines.append("\(counted(plan.stillNew, "card")) would still be new: use a higher new_per_day or a later date.")
    }
    return lines
  }

  private func minutes(_ goal: DeckGoal) -> String {
    Int(exactly: goal.minutes).map { counted($0, "minute") } ?? "\(goal.minutes) minutes"
  }
}
