// Settings through the built program: commands, Lua, layers, and the effect of each setting.

import Glibc
import TestSupport

@Suite struct SettingsProgramTests {
  private let home = Home()

  @Test func `set answers in JSON, and checks names and values`() throws {
    #expect(try home.run("set", "sound.right", "on").output == "sound.right is on now.\n")
    #expect(
      try home.run("set", "sound", "--json").lines.first
        == "{\"name\": \"sound\", \"title\": \"When the bell rings\", \"kind\": \"group\", \"value\": false, \"changed\": true, \"state\": \"mixed\"}"
    )
    #expect(try home.run("set", "game.length", "--json").output == "8\n")
    for (words, code, status) in [
      (["set", "game.lenght", "9"], "unknown_setting", 1), (["set", "game.length", "3"], "bad_value", 1),
      (["set", "game.length", "nine"], "bad_value", 1), (["toggle", "game.length"], "not_a_switch", 1),
      (["set", "game.length=9"], "missing_argument", 2), (["set", "game"], "", 0),
      (["--set", "game.length=3", "set"], "bad_value", 2),
      (["--set", "game.length=7", "set", "game.length", "9"], "locked", 1),
    ] as [([String], String, Int32)] {
      let run = try home.run(["--json"] + words)
      #expect(run.status == status && (code.isEmpty || run.errors.contains("\"\(code)\"")), "\(words): \(run)")
    }
    #expect(try home.run("--set", "nonsense", "set").status == 2)
    let misspelt = try home.run("--set", "game.lenght=7", "-e", "print(1)")
    #expect(misspelt.status == 2 && misspelt.output.isEmpty, "\(misspelt)")
    #expect(misspelt.errors == "--set: no setting is called \"game.lenght\" (did you mean \"game.length\"?)\n")
    #expect(try home.run("--set", "far=1", "version").errors == "--set: no setting is called \"far\"\n")
  }

  @Test func `why names the layer; the environment and the command line count for one run`() throws {
    #expect(try home.run("set", "--why", "study.seconds").lines.first == "study.seconds is 100, set by its default.")
    try home.run("set", "study.seconds", "60")
    #expect(try home.run("set", "--why", "study.seconds").lines.first == "study.seconds is 60, set by you.")
    let forced = try home.sh("DECKHAND_SET_STUDY_SECONDS=30 exec \"$@\"", ["set", "--why", "study.seconds"]).lines
    #expect(forced.first == "study.seconds is 30, set by DECKHAND_SET_STUDY_SECONDS in the environment.", "\(forced)")
    #expect(forced.contains("  Overridden for now: 60, set by you."))
    let mark = "DECKHAND_SET_MEDIA_PLAYER=\u{93E} exec \"$@\""
    #expect(try home.sh(mark, ["-e", "print(settings.get('media.player'))"]).output == "\u{93E}\n")
    #expect(try home.run("--set", "study.seconds=20", "-e", "print(settings.get('study.seconds'))").output == "20\n")
    try home.lua("settings.set('study.seconds', 50)")
    #expect(try home.run("set", "--why", "study.seconds").lines.first == "study.seconds is 50, set by script -e.")
    #expect(try home.run("set", "--reset", "study.seconds").output == "study.seconds is 100 again.\n")
  }

  @Test func `a script that fails leaves settings as they were, and an observer's error breaks nothing`() throws {
    #expect(try home.lua("settings.set('game.length', 11) error('x')").status == 1)
    #expect(try home.run("set", "game.length", "--json").output == "8\n")
    #expect(try home.run("--dry-run", "-e", "settings.set('game.length', 11)").errors.contains("Would add 1 setting"))
    #expect(try home.run("set", "game.length", "--json").output == "8\n")
    let run = try home.lua(
      "settings.on_change('', function() error('oh') end) settings.set('game.length', 11) print(settings.get('game.length'))"
    )
    #expect(run.status == 0 && run.output == "11\n")
    #expect(run.errors == "in settings: -e:1: oh\n", "\(run.errors)")
    let loop = try home.lua(
      "settings.on_change('', function() settings.set('game.length', settings.get('game.length') == 11 and 12 or 11) end) settings.set('game.length', 12)"
    ).succeeds()
    #expect(loop.errors == "note: settings kept changing one another (game.length); the loop was stopped\n")
  }

  @Test func `a script's observer is not called when the script's changes are rolled back after it`() throws {
    let code = "settings.on_change('', function(changes) print(#changes) end) settings.set('game.length', 11)"
    let failed = try home.lua(code + " os.exit(3)")
    #expect(failed.status == 3 && failed.output == "1\n" && failed.errors.isEmpty, "\(failed)")
    let rehearsed = try home.run("--dry-run", "-e", code)
    #expect(rehearsed.output == "1\n" && !rehearsed.errors.contains("in settings"), "\(rehearsed)")
  }
}

@Suite(.serialized) struct SettingsTerminalTests {
  private let home = Home()

  init() throws {
    try home.lua(
      "local d = decks.create('D') for i = 1, 3 do d:add{prompt = 'el perro ' .. i, answer = 'the dog ' .. i} end")
  }

  @Test func `for a screen reader cards are plain lines in reading order`() throws {
    let terminal = try home.terminal("--set", "accessibility.screen_reader=on", "study", "D")
    var seen = terminal.wait(for: "Card 1 of 3. el perro 3.\r\n")
    terminal.type("\r")
    seen += terminal.wait(for: "the dog 3. Again, hard, good, or easy?\r\n")
    terminal.type("4")
    seen += terminal.wait(for: "Card 2 of 3. el perro 2.\r\n")
    #expect(
      !seen.contains("\u{1B}[2K") && !seen.contains("\u{1B}[J") && !seen.contains("▓"), "\(seen.debugDescription)")
    #expect(terminal.ended(after: "q") == 0)
  }

  @Test func `for a screen reader a typed answer is echoed, and a pause is announced`() throws {
    let home = Home()
    try home.run("deck", "create", "D")
    try home.run("card", "add", "D", "Wer?", "ich", "--type-answer")
    let terminal = try home.terminal("--set", "accessibility.screen_reader=on", "study", "D")
    terminal.type("ix\u{7F}ch\r", after: "Card 1 of 1. Wer?\r\n")
    let echoed = terminal.wait(for: "ich: right. ich. Again, hard, good, or easy? Enter means good.\r\n")
    #expect(echoed.hasPrefix("ix\u{8} \u{8}ch\r\n"), "\(echoed.debugDescription)")
    terminal.resize(columns: 60)
    #expect(terminal.wait(for: "easy? Enter means\r\ngood.\r\n").hasPrefix("ich: right. ich. Again, hard, good"))
    terminal.type("p", showing: "Paused; any key continues.\r\n")
    terminal.type("\r", showing: "Again, hard, good, or easy?")
    #expect(terminal.ended(after: "q") == 0)
    try home.run("study", "D", input: "\npause\ngood\n").succeeds("Paused; any line continues.\n")
  }

  @Test func `a document is described to a screen reader, and on a narrow screen without colours`() throws {
    let home = Home()
    let code = """
      local d = documents.create{background = {1, 1, 1}} d:add_text{text = "eins zwei drei vier fünf sechs sieben acht"}
      d:save() decks.create("D"):add{prompt = "Zahlen", answer = "numbers", document = d}
      """
    try home.lua(code)
    let spoken = try home.run("--set", "accessibility.screen_reader=on", "study", "D", input: "\n").output
    #expect(spoken.contains("numbers. A card, white, with the text \"eins zwei"), "\(spoken)")
    let terminal = try home.terminal(["study", "D"], ["NO_COLOR=1"], columns: 40, rows: 24)
    terminal.type("\r", after: "show the answer")
    #expect(terminal.wait(for: "1 again").contains("acht"))
    #expect(terminal.ended(after: "q") == 0)
  }

  @Test func `for a screen reader a game answers in lines`() throws {
    let home = Home()
    let terminal = try home.terminal("--set", "accessibility.screen_reader=on", "play", "--base", "cambering")
    terminal.type("grace\r", after: "cambering  (9 letter word - English)")
    #expect(!terminal.wait(for: "grace: 5 points. 1 found").contains("\u{1B}[J"))
    terminal.type("/quit\r", showing: "cambering: 1 found")
  }

  @Test func `right and wrong are marked by signs and words, also with NO_COLOR`() throws {
    let terminal = try home.terminal(["study", "D", "--sprint"], ["NO_COLOR=1"])
    terminal.wait(for: "✓ 0 right  ✗ 0 wrong")
    #expect(try !home.terminal("study", "D", "--sprint").wait(for: "✓ 0  ✗ 0").contains("right"))
    let game = try home.terminal("--set", "accessibility.differentiate_without_color=on", "play", "--base", "cambering")
    game.type("gracee\r", after: "possible", showing: "✗ This word is not possible")
    game.type("grace\r", showing: "✓ grace: 5 points, right.")
  }

  @Test func `the bell rings when the setting is on`() throws {
    let loud = try home.terminal("--set", "sound.right=on", "study", "D", "--sprint")
    loud.type("\rw", after: "el perro")
    #expect(!loud.wait(for: "✗ 1").contains("\u{07}"))
    loud.type("\rr")
    #expect(loud.wait(for: "✓ 1").contains("\u{07}"))
    let time = try home.terminal("--set", "sound.time=on", "study", "D", "--sprint", "--seconds", "1")
    #expect(time.wait(for: "Time.").contains("\u{07}"))
    let game = try home.terminal("--set", "sound.wrong=on", "play", "--base", "cambering")
    game.type("zzz\r", after: "possible")
    #expect(game.wait(for: "This word is not").contains("\u{07}"))
  }

  @Test func `with reduced motion the clock does not move, and the time still ends`() throws {
    let terminal = try home.terminal(
      "--set", "accessibility.reduce_motion=on", "study", "D", "--sprint", "--seconds", "2")
    terminal.wait(for: " 0:0")
    let seen = terminal.wait(for: "Time. 0 right, 0 wrong in 2 seconds")
    #expect(!seen.contains(" 0:0"), "\(seen)")
  }

  @Test func `study and display settings change what is drawn`() throws {
    let terminal = try home.terminal("--set", "study.show_intervals=off", "--set", "display.unicode=off", "study", "D")
    terminal.type("\r", after: "el perro")
    let seen = terminal.wait(for: "4 easy")
    #expect(seen.contains("1 again    2 hard") && seen.contains("-----") && !seen.contains("─"), "\(seen)")
    let rows = try home.terminal("--set", "display.rows=2", "card", "list")
    rows.wait(for: "… 1 more")
    let limited = try home.terminal("--set", "display.rows=2", "card", "list", "--limit", "3")
    limited.wait(for: "… 1 more; --offset 2 shows the next")
    let plain = try home.terminal("--set", "display.color=never", "card", "list")
    #expect(!plain.wait(for: "el perro 1").contains("\u{1B}[1m"))
    #expect(try home.terminal("card", "list").wait(for: "el perro 1").contains("\u{1B}[1m"))
  }

  @Test func `the command history lists as many lines as history.size allows`() throws {
    let home = Home()
    try home.run("set", "history.size", "20000")
    try home.write((1...12_000).map { "line \($0)\n" }.joined(), to: "data/local/history")
    #expect(try home.run("history").lines.count == 12_000)
  }

  @Test func `history follows its settings at once`() throws {
    let terminal = try home.terminal()
    terminal.wait(for: "> ")
    for line in ["first = 1", "set history.keep off", "second = 2", "set history.keep on", "third = 3"] {
      terminal.type(line + "\r", showing: "> ")
    }
    #expect(terminal.ended(after: "\u{04}") == 0)
    let history = text(of: home.path + "/data/local/history")
    #expect(
      history.contains("first = 1") && !history.contains("second = 2") && history.contains("third = 3"), "\(history)")
  }

  @Test func `a line that names a secret setting is saved nowhere, not even by an alias or in Lua`() throws {
    let terminal = try home.terminal()
    terminal.wait(for: "> ")
    let lines = [
      "set serve.key hush1", "alias key \"set serve.key\"", "key hush2", "settings.set(\"Serve.Key\", \"hush3\")",
      "set serve.keys hush4", "alias k2 key", "k2 hush5", "key\u{16}\thush6", "set \"serve\".key hush7",
      "set serve.'k'ey hush8", "set serve\\.key hush9", "\"key\" hush10", "--json key hush11",
      "alias k3 'set serve.key'", "k3 hush12", "set serve.key \\", "hush13", "k3 \\", "hush14 \\", "hush15",
      "after = 1", "history --lua \(home.path)/session.lua",
    ]
    for line in lines {
      terminal.type(line + "\r", showing: "> ")
    }
    #expect(terminal.ended(after: "\u{04}") == 0)
    for name in ["/data/local/history", "/session.lua"] {
      let kept = text(of: home.path + name)
      #expect(kept.contains("after = 1") && !kept.contains("hush"), "\(name): \(kept)")
    }
  }

  @Test func `Tab completes settings and their values`() throws {
    let terminal = try home.terminal()
    terminal.type("set acc\tscr\t\r", after: "> ", showing: "accessibility.screen_reader: [ ]", "> ")
    terminal.type("set display.color al\t\r", showing: "display.color is always now.")
  }
}
