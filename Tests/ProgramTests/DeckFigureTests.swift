// Options, fitting, simulation and statistics of decks through the built program.

import Glibc
import TestSupport

@Suite struct DeckFigureTests {
  private let home = Home()

  init() throws {
    try home.lua("decks.create('D') decks.create('D::I') decks.create('E'):add{prompt = 'p', answer = 'a'}")
  }

  @Test func `options are shown and set by name, and stored in presets that decks share`() throws {
    let set = try home.run("deck", "options", "D", "new_per_day=7", "learning_steps=1m 10m 1d", "fuzz=off")
    #expect(set.lines[0] == "D uses the preset \"D\"." && set.lines.count == 5, "\(set)")
    #expect(set.lines.contains { $0.hasPrefix("learning_steps  1m 10m 1d  preset") }, "\(set.output)")
    try home.run("deck", "options", "E", "preset=d")
    #expect(try home.run("deck", "options", "E").lines[0] == "E uses the preset \"D\", shared by 2 decks.")
    try home.run("--json", "deck", "options", "D::I")
      .succeeds(#""preset": "D", "new_per_day": 7, "#, #""learning_steps": [60, 600, 86400]"#)
    try home.run("deck", "options", "E", "--deck-only", "new_per_day=2")
    #expect(
      try home.lua("print(decks.open('E').options.new_per_day, decks.open('D').options.new_per_day)").output
        == "2\t7\n")
    #expect(
      try home.run("deck", "options", "E", "new_per_day=7").lines[1]
        == "The deck's own new_per_day takes precedence; `deck options \"E\" --deck-only new_per_day=` removes it.")
    try home.run("deck", "options", "E", "--deck-only", "new_per_day=")
    try home.run("deck", "options", "D", "new_per_day=")
    #expect(
      try home.lua("print(decks.open('E').options.new_per_day, decks.open('E').preset.deck_count)").output
        == "20\t2\n")
    #expect(try home.run("deck", "options", "E", "preset=").lines[0] == "E uses the initial options.")
  }

  @Test(arguments: [
    (["new_per_dy=1"], "(did you mean \"new_per_day\"?)"), (["new_per_day=100000"], "a whole number from 0 to 9,999"),
    (["fuzz"], "NAME=VALUE expected (did you mean \"fuzz\"?)"), (["preset="], ""),
    (["--deck-only", "fuzz=on"], "can only be set for a preset"), (["new_per_day=5", "fuzz=maybe"], "true or false"),
    (["fuzz=on", "new_per_day=5", "fuzz=off"], "deck options: fuzz is given twice"),
  ])
  func `an option out of range is refused with the expected range, and nothing is set`(
    words: [String], expected: String
  ) throws {
    let before = try home.run("--json", "deck", "options", "D").output
    let run = try home.run(["deck", "options", "D"] + words)
    #expect(run.status == (expected.isEmpty ? 0 : run.status == 2 ? 2 : 1) && run.errors.contains(expected), "\(run)")
    #expect(try home.run("--json", "deck", "options", "D").output == before)
  }

  @Test func `in Lua presets are created, shared, renamed and removed, and every option reads back as assigned`() throws
  {
    let code = """
      local p = presets.create('Hard') p.options.learning_steps = {60, 120} p.options.fuzz = false
      p.options.review_order = 'longest' p.options.desired_retention = 0.95 p.options.learning_steps = '2m 1h'
      local d = decks.open('D') d.preset = p
      print(d.preset == p, d.options.learning_steps[2], d.options.fuzz, d.options.review_order, d.options.desired_retention)
      p.name = 'Harder' print(presets.open('harder'), #presets.list(), select(2, presets.open('Hardr')).suggestion)
      d.preset = nil print(d.preset, d.options.fuzz) d.preset = 'Harder' p:remove() print(d.preset, pcall(function() return p.name end))
      print(pcall(function() d.options.fuzz = 1 end)) print(pcall(function() d.options.new_per_day = 1.5 end))
      print(pcall(function() d.options.learning_steps = 60 end))
      """
    let run = try home.lua(code)
    #expect(run.lines.first == "true\t3600.0\tfalse\tlongest\t0.95", "\(run)")
    #expect(run.lines.dropFirst().first == "preset \"Harder\" (1 deck)\t1\tHarder", "\(run)")
    #expect(run.output.contains("nil\ttrue\n") && run.output.contains("the preset has been removed"), "\(run)")
    #expect(run.output.contains("boolean expected") && run.output.contains("must be a whole number"), "\(run)")
    #expect(run.output.contains("(list of numbers or text expected, got number)"), "\(run)")
  }

  @Test func `an option keeps days of the week free, and a simulation shows it`() throws {
    try home.lua("local e = decks.open('E') for i = 1, 300 do e:append{prompt = 'c' .. i, answer = 'x'} end")
    #expect(!(try home.run("deck", "simulate", "E", "--days", "120").output.contains("Sunday")))
    try home.run("deck", "options", "E", "easy_days=sat=0.5 sun=0")
    #expect(try home.run("deck", "options", "E").output.contains("sat=0.5 sun=0"))
    let run = try home.run("deck", "simulate", "E", "--days", "120")
    #expect(run.output.contains("Reviews on a day of the week at a retention of 90 %"), "\(run)")
    let code = """
      local o = decks.open('E').options print(#o.easy_days, o.easy_days[6], o.easy_days[7], o.load_balance)
      o.easy_days = {1, 1, 1, 1, 1, 1, 0.25} print(o.easy_days[7]) o.easy_days = 'mon=0' print(o.easy_days[1], o.easy_days[7])
      print(pcall(function() o.easy_days = {1} end))
      """
    let lua = try home.lua(code)
    #expect(lua.lines.prefix(3) == ["7\t0.5\t0.0\tfalse", "0.25", "0.0\t1.0"], "\(lua)")
    #expect(lua.output.contains("false\teasy_days must be shares"), "\(lua)")
  }

  @Test func `fitting refuses short logs, and keeps parameters that already predict better`() throws {
    try home.run("deck", "optimize", "D").fails("needs at least 400 reviews on later days; there are 0")
    try home.run("deck", "optimize", "--all").succeeds("D:\n  fitting the memory model needs at least 400")
    #expect(try home.run("deck", "optimize").errors.contains("say which deck"))
  }

  @Test func `fitting a log of known parameters improves the preset, reports it, and is undone in one step`() throws {
    let made = try home.lua(
      "local t = {} for i = 1, 250 do t[i] = {prompt = 'p' .. i, answer = 'a'} end decks.create('L'):add_all(t)")
    #expect(made.status == 0, "\(made)")
    let script = sourceRoot() + "/Tests/Peers/simulated_log.py"
    try Child(
      ["/usr/bin/env", "python3", script, "250", "3", home.path + "/data/local/collection.sqlite"],
      environment: home.environment
    ).finish(input: "").succeeds()
    let steps = try home.run("undo", "--list", "--json").lines.count
    try home.run("--dry-run", "--json", "deck", "optimize", "L").succeeds()
    let run = try home.run("deck", "optimize", "L")
    #expect(run.status == 0 && run.lines.count == 6 && run.lines[0].hasPrefix("Fitted to "), "\(run)")
    func loss(_ line: String) -> Double {
      Double(line.split(separator: " ").drop { $0 != "loss" }.dropFirst().first?.dropLast() ?? "") ?? .nan
    }
    #expect(run.lines[1].hasPrefix("  before  log loss ") && run.lines[2].hasPrefix("  after   log loss "), "\(run)")
    #expect(loss(run.lines[2]) < loss(run.lines[1]) - 0.005, "\(run)")
    #expect(run.lines[3] == "The new parameters are saved in the preset \"L\".")
    #expect(run.lines[4].hasPrefix("FSRS-6 ") || run.lines[4].hasPrefix("Both models predict better: "), "\(run)")
    #expect(run.lines[5].hasPrefix("From now on the memory model is FSRS-6 with FSRS-7; "), "\(run)")
    let report = try home.run("deck", "optimize", "L", "--report")
    #expect(
      report.status == 0 && report.lines.contains { $0.hasPrefix("both with time  ") && $0.hasSuffix("yes") },
      "\(report)")
    for title in ["FSRS-6: predicted and remembered", "both with time: predicted and remembered"] {
      #expect(report.lines.contains(title), "\(report)")
    }
    let reported = try home.run("--json", "deck", "optimize", "L", "--report")
    #expect(reported.output.contains(#""fsrs7": {"log_loss": "#) && reported.output.contains(#""calibration": "#))
    let parameters = "local n = 0 for _ in ipairs(decks.open('L').options.parameters or {}) do n = n + 1 end print(n)"
    #expect(try home.lua(parameters).output == "21\n")
    #expect(try home.run("undo", "--list", "--json").lines.count == steps + 1)
    #expect(try home.run("undo").status == 0)
    #expect(try home.lua(parameters).output == "0\n")
  }

  @Test func `leeches are listed with advice, and statistics show what the memory model knows`() throws {
    let code = """
      local d = decks.create('Lee') d:append{prompt = 'perro', answer = 'dog'} d:append{prompt = 'perra', answer = 'bitch'}
      local t = decks.create('Typed') t:append{prompt = 'sun', answer = 'cat'}
      t:add_note{type = 'Basic (type in the answer)', fields = {Front = 'gato', Back = 'tomcat'}}
      d:append{prompt = 'el perro duerme mucho hoy', answer = 'x'}
      """
    try home.lua(code)
    #expect(
      try home.run("deck", "leeches", "Lee").output
        == "No card is forgotten more often than the memory model explains.\n")
    #expect(try home.run("study", "Typed", input: "cat\n1\n").output.contains("right is tomcat"))
    let script = """
      import sqlite3, sys
      db = sqlite3.connect(sys.argv[1])
      for deck in 'Lee', 'Typed':
          card, = db.execute("SELECT cards.id FROM cards JOIN decks ON decks.id = deck WHERE decks.name = ? ORDER BY rank",
                             (deck,)).fetchone()
          db.execute("DELETE FROM reviews WHERE card = ?", (card,))
          for n in range(13):
              db.execute("INSERT INTO reviews (card, at, rating, state, interval) VALUES (?, ?, ?, ?, 86400)",
                         (card, 1700000000 + n * 86400, 4 if n == 0 else 1 + 2 * (n % 2 == 0), 0 if n == 0 else 2))
          db.execute("UPDATE cards SET state = 2, due = 1700000000, stability = 2, difficulty = 8, lapses = 6,"
                     " last_review = 1700000000 WHERE id = ?", (card,))
      db.commit()
      """
    try Child(
      ["/usr/bin/env", "python3", "-c", script, home.path + "/data/local/collection.sqlite"],
      environment: home.environment
    ).finish(input: "").succeeds()
    let shown = try home.run("deck", "leeches", "Lee")
    #expect(shown.lines.first == "1 card forgotten more often than the memory model explains.", "\(shown)")
    #expect(
      shown.output.contains("6 of 12") && shown.output.contains("Easily confused with: perra (bitch)"), "\(shown)")
    #expect(shown.output.contains("In a sentence: el perro duerme mucho hoy"), "\(shown)")
    let line = try #require(shown.lines.first { $0.hasPrefix("  Side by side: `") }).dropFirst(17).dropLast()
    #expect(line == #"study Lee --query 'dupe:"perro" or dupe:"perra"' --cram --no-schedule"#)
    let words = ["study", "Lee", "--query", #"dupe:"perro" or dupe:"perra""#, "--cram", "--no-schedule"]
    try home.run(words, input: "\n3\n\n3\n").succeeds("2 right")
    try home.run("deck", "leeches", "Typed").succeeds("Typed instead: cat\n", "Easily confused with: sun (cat)")
    #expect(try home.run("--json", "deck", "leeches").output.contains(#""typed": [{"text": "cat", "times": 1}]"#))
    try home.run("--json", "deck", "leeches").succeeds(#""answers": 12, "lapses": 6, "expected": "#)
    try home.run("deck", "options", "Lee", "desired_retention=0.895")
    let figures = try home.run("deck", "stats", "Lee")
      .succeeds("\n  89.5 %  ", "12 answers on later days: too few to say how well FSRS-6 predicts")
    #expect(figures.lines.contains("Minutes a day at a retention of") && figures.output.contains("(now)"), "\(figures)")
    #expect(
      try home.run("--json", "deck", "stats", "Lee").output.contains(#""model": {"name": "fsrs-6", "answers": 12, "#))
  }

  @Test func `a simulation shows reviews a day and cards known for several retentions`() throws {
    let run = try home.run("deck", "simulate", "E", "--days", "30")
    #expect(run.lines.count == 14 && run.lines[0] == "Reviews per day at a retention of", "\(run)")
    let json = try home.run("--json", "deck", "simulate", "E", "--days", "30")
    #expect(json.lines.count == 6 && json.lines[0].hasPrefix(#"{"retention": 0.7, "reviews_per_day": "#), "\(json)")
    #expect(try home.run("deck", "simulate", "E", "--days", "0").status == 2)
  }

  @Test func `without answers a line replaces the charts`() throws {
    let shown = try home.run("deck", "stats", "E")
    let titles = shown.lines.filter { !$0.isEmpty && !$0.hasPrefix(" ") }.dropFirst()
    #expect(Array(titles) == ["Answers", "Cards", "Added"], "\(shown.output)")
    #expect(shown.output.contains("Nothing answered yet: charts appear here"), "\(shown.output)")
    let empty = try home.run("deck", "stats", "D")
    #expect(empty.output.contains("Nothing answered yet") && !empty.lines.contains("Cards"), "\(empty.output)")
    #expect(try home.run("deck", "stats", "E", "--png", home.path + "/a.png").status == 0)
  }

  @Test func `statistics are shown, returned as data, and drawn`() throws {
    let home = Home()
    home.clock = try ManualClock()
    try home.lua("decks.create('E'):add{prompt = 'p', answer = 'a'}")
    try home.run("study", "E", input: "\n4\n")
    let shown = try home.run("deck", "stats", "E")
    for title in ["Today", "Retention, true and predicted", "Answers by day", "Cards", "Due", "Hours", "Added"] {
      #expect(shown.lines.contains(title), "\(title): \(shown.output)")
    }
    #expect(shown.output.contains("1 answer in ") && shown.output.contains("100.0 % right"), "\(shown.output)")
    #expect(shown.output.contains("1 new, 0 learning, 0 young, 0 mature"), "\(shown.output)")
    #expect(shown.lines.allSatisfy { !$0.hasSuffix(" ") })
    #expect(try home.run("--json", "deck", "stats", "deck:E").output.contains(#""streak": 1,"#))
    #expect(try home.run("deck", "stats", "Ee").errors.contains("did you mean \"E\"?"))
    #expect(try home.run("deck", "stats", "tag:x").errors.contains("no card was found for \"tag:x\""))
    #expect(
      try home.lua("local s = decks.open('E'):stats() print(s.today.answers, s.cards.all, #s.hours)").output
        == "1\t1\t24\n")
    let (png, svg) = (home.path + "/a.png", home.path + "/b.xml")
    let drawn = try home.run("deck", "stats", "--png", png, "--svg", svg)
    #expect(drawn.lines.count == 2 && drawn.status == 0, "\(drawn)")
    #expect(
      try home.lua("print(files.read('\(png)'):sub(2, 4), files.read('\(svg)'):match('<title.-</title>'))").output
        .hasPrefix("PNG\t<title"))
    let rehearsed = try home.run("--dry-run", "deck", "stats", "--png", home.path + "/c.png")
    #expect(rehearsed.status == 0 && access(home.path + "/c.png", F_OK) != 0, "\(rehearsed)")
  }
}
