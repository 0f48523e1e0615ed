// Studying by schedule through the built program: every key, what is offered when nothing is due, several decks.

import Glibc
import TestSupport

@Suite struct StudyFlowTests {
  private let home = Home()

  init() throws {
    // No test may take until the next day.
    home.clock = try ManualClock()
    try home.lua(
      """
      local d = decks.create('D') for i = 3, 1, -1 do d:add{prompt = 'el perro ' .. i, answer = 'the dog ' .. i} end
      """)
  }

  private func cards(_ query: String) throws -> String {
    try home.run("card", "list", query, "--columns", "prompt").output
  }

  @Test func `a typed answer that is longer than a line is compared to its end`() throws {
    let home = Home()
    try home.run("deck", "create", "D")
    try home.run("card", "add", "D", "Zahlen", "eins zwei drei vier fünf sechs sieben acht", "--type-answer")
    let terminal = try home.terminal(["study", "D"], columns: 40, rows: 24)
    terminal.type("eins zwei drei vier fünf sechs sieben xcht\r", after: "Enter  show the answer")
    #expect(terminal.wait(for: "1 again").contains("^"))
    #expect(terminal.ended(after: "q") == 0)
  }

  @Test func `lines that are pasted into a typed answer are its text, and act as no keys`() throws {
    let home = Home()
    try home.run("deck", "create", "D")
    try home.run("card", "add", "D", "Zahlen", "eins sieben", "--type-answer")
    let terminal = try home.terminal("study", "D")
    terminal.type("\u{1B}[200~eins\rsieben\u{1B}[201~", after: "Enter  show the answer", showing: "eins sieben")
    terminal.type("\r", showing: "1 again")
    terminal.type("\u{1B}[200~\r4\u{1B}[201~q", showing: "1 card was left.")
    #expect(terminal.ended() == 0)
  }

  @Test func `with the output in a pipe, each card is shown before the next key`() throws {
    let words = home.words(["study", "D"]).joined(separator: " ")
    let terminal = try PseudoTerminal(["/bin/sh", "-c", words + " | cat"], environment: home.environment)
    terminal.type("\r", after: "el perro 1.", showing: "the dog 1.")
    #expect(terminal.ended(after: "q") == 0)
  }

  @Test(arguments: [(40, 24), (80, 24)]) func `every key is on the screen, and each does what it says`(
    columns: UInt16, rows: UInt16
  ) throws {
    let terminal = try home.terminal(["study", "D"], columns: columns, rows: rows)
    terminal.wait(for: "Enter  show the answer", "q quit")
    terminal.type("\r")
    let shown = terminal.wait(for: "q quit")
    for key in ["1 again 1 min", "2 hard 6 min", "3 good 10 min", "4 easy", "u undo", "e edit", "? more", "s suspend"] {
      #expect(shown.contains(key), "\(key): \(shown)")
    }
    for key in ["b bury", "f flag", "r replay", "p pause"] { #expect(shown.contains(key), "\(key): \(shown)") }
    terminal.type("?")
    #expect(terminal.wait(for: "any key  back").contains("bury it until tomorrow"))
    terminal.type("4")
    // The page of keys closes, and the key did nothing else.
    terminal.wait(for: "1 again")
    // Ctrl-L draws everything again.
    terminal.type("\u{0C}", showing: "1 again")
    // Nor do the keys that leave the study.
    for (page, shown, key) in [("?", "any key  back", "q"), ("f", "7 purple", "\u{1B}")] {
      terminal.type(page)
      terminal.type(key, after: shown, showing: "1 again")
    }
    terminal.type("f", showing: "7 purple")
    terminal.type("3", showing: "Flag 3, green.")
    terminal.type("s", showing: "Suspended: el perro 1")
    terminal.type("b", showing: "Buried until tomorrow: el perro 2")
    terminal.type("u", showing: "el perro 2")
    terminal.type("\r4", showing: "el perro 3")
    terminal.type("q", showing: "Stopped. 1 right, 0 wrong. 1 card was")
    #expect(terminal.ended() == 0)
    #expect(try cards("flag:3 is:suspended").contains("el perro 1"))
    #expect(try cards("is:review").contains("el perro 2"))
    #expect(try cards("is:buried").contains("No card was found"))
  }

  @Test func `if nothing is due, the screen says when the next card comes and what could be studied earlier`() throws {
    try home.run("deck", "options", "D", "new_per_day=1")
    #expect(try home.run("study", "D", input: "\n4\n").output.contains("Done. 1 right, 0 wrong."))
    let nothing = try home.run("study", "D")
    #expect(nothing.lines[0].hasPrefix("Nothing is due in \"D\". The next card comes in "), "\(nothing.output)")
    #expect(nothing.output.contains("  study D --new 2 ") && nothing.output.contains("2 more new cards today (2 wait"))
    #expect(nothing.output.contains("  study D --cram --no-schedule  every card, without changing schedules (3 cards)"))
    let json = try home.run("--json", "study", "D").output
    #expect(json.hasPrefix(#"{"right": 0, "wrong": 0, "remaining": 0, "next_due": 1"#), "\(json)")
    // The words that the list offers work as options.
    #expect(try home.run("study", "D", "--new", "1", input: "\n4\n").output.contains("el perro 2"))
    let forgotten = try home.run("study", "D", "--cram", "--query", "rated:1:1")
    #expect(forgotten.output == "\"D\" has nothing to study for the query \"rated:1:1\".\n")
    let cram = try home.run("study", "D", "--cram", "--no-schedule", input: "\n1\n\n3\n\n3\n\n3\n")
    #expect(cram.output.contains("Done. 3 right, 1 wrong."), "\(cram.output)")
    #expect(try home.run("deck", "stats", "D").output.contains("2 answers in "))
    let terminal = try home.terminal("study", "D")
    terminal.type("2\r", after: "Study more? [1-2, Enter for no] ", showing: "Enter  show the answer")
    #expect(terminal.ended(after: "q") == 0)
    let declined = try home.terminal("study", "D")
    declined.wait(for: "Study more? ")
    #expect(declined.ended(after: "-9223372036854775808\r") == 0)
    let left = try home.terminal("study", "D")
    left.type("\u{04}", after: "Study more? [1-2, Enter for no] ", showing: "\r\n")
    #expect(left.ended() == 0)
  }

  @Test func `several decks are studied at once, each card under its own deck`() throws {
    try home.lua("for _, n in ipairs{'E', 'E::I'} do decks.create(n):add{prompt = 'in ' .. n, answer = 'x'} end")
    let terminal = try home.terminal("study", "E", "D", "E::I")
    terminal.type("\r4", after: "0 due · 5 new", showing: "4 new")
    #expect(terminal.ended(after: "q") == 0)
    #expect(try home.run("study", "--sprint").errors.contains("say which deck: `study DECK`"))
    try home.run("study", "D", "--sprint", "--cram").fails("--sprint and --cram cannot be given together", status: 2)
    for (line, first, second) in [
      (["study", "--list", "--cram"], "--list", "--cram"), (["study", "D", "--list"], "--list", "DECK"),
      (["study", "D", "--sprint", "--new", "2"], "--sprint", "--new"),
      (["play", "--resume", "--language", "spanish"], "--resume", "--language"),
      (["play", "--list", "--scores"], "--list", "--scores"), (["play", "classic", "--scores"], "--scores", "MODE"),
      (["set", "--why", "theme", "--reset", "theme"], "--why", "--reset"),
      (["set", "--reset", "theme", "theme"], "--reset", "NAME"),
      (["text", "known", "x", "--forget", "--ignore"], "--ignore", "--forget"),
      (["deck", "optimize", "D", "--all"], "--all", "DECK"),
      (["deck", "optimize", "--all", "--report"], "--all", "--report"),
    ] {
      try home.run(line).fails("\(first) and \(second) cannot be given together", status: 2)
    }
    try home.run("study", "D", "--seconds", "60").fails("--seconds needs --sprint, which was not given", status: 2)
    let sprint = try home.lua("decks.open('D'):study{mode = 'sprint', cram = true}")
    #expect(sprint.errors.contains("one of mode=\"sprint\" and cram expected"), "\(sprint)")
    #expect(try home.run("study", "D", "F").errors.contains("no deck is called \"F\""))
  }

  @Test func `without a name everything due is studied, deck by deck, each deck once`() throws {
    try home.lua("for _, n in ipairs{'E', 'E::I', 'Z'} do decks.create(n):add{prompt = 'in ' .. n, answer = 'x'} end")
    try home.run("deck", "create", "Empty")
    let list = try home.run("study", "--list")
    #expect(
      list.lines.map { $0.split(separator: " ").joined(separator: " ") } == ["Deck New Due", "D 3 0", "E 2 0", "Z 1 0"])
    #expect(try home.run("study", "--list", "--json").lines.count == 3)
    #expect(try home.run("--dry-run", "study", "--list").output == list.output)
    let all = try home.run("--json", "study", input: String(repeating: "\n4\n", count: 6))
    #expect(all.output == "{\"right\": 6, \"wrong\": 0, \"remaining\": 0}\n", "\(all)")
    #expect(all.errors.contains("el perro 1") && all.errors.contains("Done. "), "\(all)")
    #expect(try home.run("study", "--list").output == "Nothing is due.\n")
    #expect(try home.run("study").output.hasPrefix("Nothing is due in \"D\", \"E\", \"Empty\", \"Z\"."))
  }

  @Test func `at a terminal the decks to study are chosen by number, by the start of a name, or Return for all`() throws
  {
    try home.lua("for _, n in ipairs{'Eins', 'Zwei'} do decks.create(n):add{prompt = 'in ' .. n, answer = 'x'} end")
    for (answer, card) in [("2\r", "in Eins"), ("zw\r", "in Zwei")] {
      let terminal = try home.terminal("study")
      terminal.wait(for: "Study which? [1-3, a name, Enter for all] ")
      for wrong in ["x", "-9223372036854775808"] {
        terminal.type(wrong + "\r", showing: "\"\(wrong)\" is not one of these decks")
      }
      terminal.type(answer, showing: card)
      #expect(terminal.ended(after: "q") == 0)
    }
    let terminal = try home.terminal("study")
    terminal.type("\r", after: "Enter for all] ", showing: "3 new")
    #expect(terminal.ended(after: "q") == 0)
  }

  @Test func `in Lua a session buries, flags, suspends and crams`() throws {
    let code = """
      local d = decks.open('D')
      local s = d:study{} s:flag(2) print(s.card.flag) s:bury() print(s.card.prompt) s:suspend() print(s.remaining)
      print(d:card(1).buried, d:card(2).state) s:undo() s:undo() print(s.remaining, d:card(1).buried)
      local c = d:study{cram = true, schedule = false} print(c.remaining) c:answer('again') print(c.remaining)
      print(d:card(1).reps, pcall(d.study, d, {cram = true, mode = "sprint"}))
      d:card(1):bury() print(d:card(1).buried) d:card(1):unbury() print(d:card(1).buried)
      """
    let run = try home.lua(code)
    #expect(
      run.lines.prefix(9) == [
        "2", "el perro 2", "1", "true\tsuspended", "3\tfalse", "3", "3",
        "0\tfalse\tbad argument #2 to 'study' (one of mode=\"sprint\" and cram expected)", "true",
      ], "\(run.output)\(run.errors)")
  }

  @Test func `an answer is typed and shown beside the right one, ignoring diacritics where the setting says so`() throws
  {
    let code = """
      local d = decks.create('T')
      for _, p in ipairs{{'the dog', 'él perró'}, {'the sun', 'el sol'}} do
        d:add_note{type = 'Basic (type in the answer)', fields = {Front = p[1], Back = p[2]}}
      end
      """
    #expect(try home.lua(code).status == 0)
    let terminal = try home.terminal("study", "T")
    terminal.type("el sqx\u{7F}\u{7F}al\r", after: "Enter  show the answer beside what you type")
    let shown = terminal.wait(for: "4 easy")
    #expect(shown.contains("✗ ") && shown.contains("^"), "\(shown.debugDescription)")
    terminal.type("3", showing: "the dog")
    #expect(terminal.ended(after: "\u{1B}") == 0)
    try home.run("study", "T", "--cram", "--no-schedule", input: "el sol\n3\nel perro\n3\n")
      .succeeds("el sol: right. ", "Word 1: el; right is él. Word 2: perro; right is perró. ")
    try home.run("set", "study.forgive_accents", "on")
    try home.run("study", "T", "--cram", "--no-schedule", input: "\n3\nel perro\n3\n").succeeds("el perro: right. ")
  }

  @Test func `Space shows the answer and then means good, and h opens a hint`() throws {
    try home.lua(
      """
      notetypes.create{name = "H", fields = {"Front", "Back", "Hint"},
        cards = {{name = "c", front = "{{Front}} {{hint:Hint}}", back = "{{Back}}"}}}
      decks.create("H"):add_note{type = "H", fields = {Front = "q", Back = "an <b>answer</b>", Hint = "secret"}}
      """)
    let terminal = try home.terminal("study", "H")
    terminal.type("h", after: "[Hint]", showing: "secret")
    terminal.type(" ", showing: "an \u{1B}[1manswer")
    terminal.type(" ", after: "q quit", showing: "[Hint]")
    terminal.type("q", showing: "Stopped. 1 right")
    #expect(terminal.ended() == 0)
  }

  @Test func `r plays the sounds of the card`() throws {
    let played = home.path + "/played"
    let player = try home.write("#!/bin/sh\necho \"$1\" > \(played).path\ncat \"$1\" > \(played)\n", to: "player.sh")
    let sound = try home.write("music", to: "a.mp3")
    try home.lua(
      "decks.create('S'):add{prompt = 'x [sound:' .. assert(media.add('\(sound)')) .. ']', answer = 'y'}"
    ).succeeds()
    let line = "cd '\(home.path)' && exec '\(builtProgram("deckhand"))' --data data --set \"$0\" study S"
    let terminal = try PseudoTerminal(
      ["/bin/sh", "-c", line, "media.player=/bin/sh \(player)"], environment: home.environment)
    terminal.type("r", after: "Enter  show the answer")
    #expect(waits { text(of: played) == "music" })
    // A player detects the type by the file extension; the link exists while the player may run.
    let given = String(decoding: contents(of: played + ".path") ?? [], as: UTF8.self).split(separator: "\n").joined()
    #expect(given.hasSuffix("/a.mp3"), "\(given)")
    #expect(terminal.ended(after: "q") == 0)
    #expect(access(given, F_OK) != 0 && access(String(given.dropLast("/1/a.mp3".count)), F_OK) != 0)
    let silent = try home.terminal("study", "S")
    // The sound that would play by itself says so at once.
    silent.wait(for: "media.player")
    silent.type("q")
  }

  @Test func `the prompt greets with what is due`() throws {
    let terminal = try home.terminal()
    terminal.wait(for: "0 due · 3 new\r\n", "> ")
    #expect(terminal.ended(after: "\u{04}") == 0)
  }
}
