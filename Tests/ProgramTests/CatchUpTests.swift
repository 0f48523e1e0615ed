// Coming back from a pause with the built program: the greeting, the plan in a dry run, in JSON and as one step, a
// pause, and cards made due or new again, also from Lua.

import TestSupport

@Suite struct CatchUpTests {
  private let home = Home()
  private let clock: ManualClock

  /// A deck of 120 learnt cards, due today.
  init() throws {
    clock = try ManualClock()
    home.clock = clock
    try home.lua("local d = decks.create('D') for i = 1, 120 do d:append{prompt = 'p' .. i, answer = 'a'} end")
    try home.run("card", "due", "deck:D", "0").succeeds("Set the due day of 120 cards.")
  }

  private func pass(days: Int64) { clock.pass(seconds: days * 86_400) }

  private func greeting() throws -> String { try home.terminal([], columns: 200).wait(for: "> ") }

  @Test func `overdue cards are spread in one step, which a dry run shows first`() throws {
    try home.run("deck", "catchup").succeeds("No card is overdue.")
    #expect(try !home.run("undo", "--list").output.contains("spreading"))
    pass(days: 30)
    let rehearsed = try home.run("--dry-run", "deck", "catchup", "D")
    #expect(
      rehearsed.output.contains("Would change 120 cards: ") && rehearsed.errors.contains("over 7 days"), "\(rehearsed)")
    let done = try home.run("deck", "catchup", "D")
    #expect(done.lines.first?.hasPrefix("Spread 120 cards over 7 days; all on one day: ") ?? false, "\(done)")
    #expect(done.lines.count == 8 && done.lines[7].hasSuffix(" minutes"), "\(done)")
    #expect(rehearsed.errors.contains("\n  " + done.lines[7]), "\(rehearsed)")
    try home.run("undo", "--list").succeeds("spreading 120 overdue cards over 7 days (deck catchup)")
    try home.run("deck", "catchup").succeeds("No card is overdue.")
    try home.run("undo")
    let json = try home.run("--json", "deck", "catchup", "--days", "3").output
    #expect(json.hasPrefix(#"{"cards": 120, "without_room": 0, "usual_minutes": 10, "#), "\(json)")
    #expect(json.split(separator: "spread").count == 4 && json.hasSuffix("}]}\n"), "\(json)")
    try home.run("deck", "catchup", "--days", "3", "--minutes", "5").fails("--minutes", status: 2)
    try home.run("deck", "catchup", "--days", "91").fails("a whole number from 1 to 90", status: 2)
    pass(days: 2)
    try home.run("deck", "catchup", "--minutes", "5").fails("minutes must be at least 11")
  }

  @Test func `a pause is one step, with the days of cards and of answers, and can be ended`() throws {
    try home.run("deck", "pause", "3").fails("TO", status: 2)
    try home.run("deck", "pause", "3", "x").fails("days from today", status: 1)
    try home.run("deck", "pause", "3", "5", "--off").fails("--off", status: 2)
    try home.run("card", "due", "D:1", "5")
    let pause = try home.run("deck", "pause", "3", "9")
    #expect(pause.lines.first?.hasPrefix("Moved 1 card over 7 days; ") ?? false && pause.lines.count == 8, "\(pause)")
    let days = "local d = decks.open('D') print((d:card(1).due - d:card(2).due) // 86400)"
    try home.run("-e", days).succeeds("10")
    try home.run("undo").succeeds("Undone: pausing study")
    try home.run("-e", days).succeeds("5")
    try home.run("redo")
    pass(days: 4)
    try home.run("card", "add", "D", "new", "card")
    let counts = "local d = decks.open('D') print(d.study_due, d.study_new)"
    try home.run("-e", counts).succeeds("119\t0")
    try home.run("deck", "pause", "--off").succeeds("There is no pause any more.")
    try home.run("-e", counts).succeeds("119\t1")
  }

  @Test func `cards are made due or new again, at the prompt and from Lua`() throws {
    try home.run("card", "due", "D:1").fails("DAYS", status: 2)
    try home.run("card", "due", "D:1", "2020-01-01").fails("from today on")
    let code = """
      local d = decks.open('D') local c = d:card(1)
      c.due = c.due + 3 * 86400 print(c.due - d:card(2).due)
      print(d:set_due('prompt:p5 or prompt:p6', '2-2'), d:set_due('prompt:p7', 4), d:card(5).due - d:card(2).due)
      print(d:set_due('p7', 'soon')) print(pcall(function() c.due = 5 end)) print(pcall(function() c.due = nil end))
      c:forget() print(c.state, c.position, c.due)
      """
    let run = try home.lua(code)
    #expect(run.lines.first == "259200.0" && run.lines[1] == "22\t11\t172800.0", "\(run)")
    #expect(run.lines[2].hasPrefix("nil\t") && run.lines[2].contains("got \"soon\""), "\(run)")
    #expect(
      run.lines[3].hasPrefix("false\t") && run.lines[4].hasPrefix("false\t") && run.lines[5] == "new\t120\tnil",
      "\(run)")
    try home.run("card", "forget", "D:1", "--keep-position", "--reset-counts").succeeds("Forgot 1 card.")
    try home.run("card", "show", "D:1").succeeds("new")
    let seeds = try [1, 1, 2].map { seed in
      try home.run("--seed", "\(seed)", "card", "due", "deck:D", "1-300")
      return try home.run("card", "list", "--columns", "due").output
    }
    #expect(seeds[0] == seeds[1] && seeds[0] != seeds[2])
  }

  @Test func `the greeting names a backlog from three usual days on`() throws {
    pass(days: 1)
    #expect(try !greeting().contains("deck catchup"))
    try home.lua("local d = decks.open('D') for i = 1, 120 do d:append{prompt = 'q' .. i, answer = 'a'} end")
    try home.run("card", "due", "is:new", "0")
    pass(days: 200)
    #expect(try greeting().contains("usual days: `deck catchup`"))
  }
}
