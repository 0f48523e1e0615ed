// Goals of decks through the built program: set, listed, tried in a dry run, undone, shown, and used from Lua.

import TestSupport

@Suite struct GoalTests {
  private let home = Home()

  init() throws {
    try home.lua("local d = decks.create('D') d:add{prompt = 'p', answer = 'a'} decks.create('D::I')")
  }

  @Test func `a goal is set in one step, listed, shown by study and stats, and removed`() throws {
    let rehearsed = try home.run("--dry-run", "deck", "goal", "D", "2030-06-01")
    #expect(rehearsed.status == 0 && rehearsed.errors.contains("95 % of \"D\" by 2030-06-01, in "), "\(rehearsed)")
    #expect(try home.run("deck", "goal").output.contains("No deck has a goal"))
    let set = try home.run("deck", "goal", "D", "2030-06-01", "--recall", "0.85", "--minutes", "12.5")
    #expect(set.status == 0 && set.lines[0].hasPrefix("85 % of \"D\" by 2030-06-01, in "), "\(set)")
    #expect(set.output.contains("retention of 80 %") && set.output.contains("days of 12.5 minutes"), "\(set)")
    let json = try home.run("--json", "deck", "goal").output
    #expect(json.contains(#""deck": "D", "date": "2030-06-01", "recall": 0.85, "minutes": 12.5, "#), "\(json)")
    #expect(try home.run("deck", "goal", "D::I").output == "\"D::I\" follows the goal of \"D\".\n")
    #expect(try home.run(["study", "D"], input: "\nq\n").output.hasPrefix("Goal: 85 % by 2030-06-01, in "))
    #expect(try home.run("deck", "stats", "D").output.contains("85 % of \"D\" by 2030-06-01"))
    #expect(try home.run("undo").output.contains("changing a deck's options: D"))
    #expect(try home.run("deck", "goal", "D").output.hasPrefix("\"D\" has no goal;"))
    try home.run("redo")
    #expect(try home.run("deck", "goal", "D", "--off").output.contains("it is studied as before"))
    #expect(try home.run("deck", "goal", "D", "--off").output.contains("has no goal of its own"))
  }

  @Test func `an unreachable goal is reported, with what can be reached`() throws {
    let code = "local d = decks.open('D') for i = 1, 2000 do d:append{prompt = 'c' .. i, answer = 'x'} end"
    try home.lua(code)
    // By tomorrow only 20 of 2,001 new cards can be started.
    let tomorrow = try home.lua("print(os.date('%Y-%m-%d', os.time() + 86400))").lines[0]
    let run = try home.run("deck", "goal", "D", tomorrow)
      .succeeds("warning: 95 % cannot be reached; ", "would still be new")
    // Before 4:00, tomorrow's date is two days of study away.
    #expect(["1 day", "2 days"].contains { run.output.contains("last days: \($0) of 20 minutes") }, "\(run)")
  }

  @Test(arguments: [["--off"], ["--recall", "0.9"], ["D", "--recall", "0.9"], ["D", "--minutes", "5"]])
  func `goal options without a deck or a date are wrong usage`(words: [String]) throws {
    let home = Home()
    try home.run("deck", "create", "D")
    let missing = words.first == "D" ? "DATE" : "DECK"
    try home.run(["deck", "goal"] + words).fails(" needs \(missing), which was not given", status: 2)
  }

  @Test func `in Lua a goal is read and assigned`() throws {
    let code = """
      local d = decks.open('D') print(d.goal)
      d.goal = {date = '2030-06-01', recall = 0.9}
      local g = decks.open('D::I').goal print(g.deck, g.date, g.recall, g.minutes, g.last_days >= 3)
      print(d:stats().goal.forecast > 0.5, pcall(function() g.recall = 1 end))
      print(pcall(function() d.goal = {date = 'x'} end)) d.goal = nil print(d.goal, d:stats().goal)
      """
    let run = try home.lua(code)
    #expect(run.lines.prefix(2) == ["nil", "D\t2030-06-01\t0.9\t20\ttrue"], "\(run)")
    #expect(run.output.contains("true\tfalse\t") && run.output.contains("assign the whole table"), "\(run)")
    #expect(run.output.contains("a date like 2027-06-01") && run.lines.last == "nil\tnil", "\(run)")
  }
}
