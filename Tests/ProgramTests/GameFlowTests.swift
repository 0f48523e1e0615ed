// A game played at the prompt, in a pipe, from Lua and from a plugin is the same game: it is saved, scored and
// notified the same way.

import TestSupport

@Suite struct GameFlowTests {
  private let home = Home()

  @Test func `a game guessed from Lua is resumed and scored like one guessed at the prompt`() throws {
    try home.lua("local g = games.new{base = 'cambering'} g:guess('grace') g:guess_all{'cab', 'zzz', 'ring'}")
    let resumed = try home.run("play", "--resume", "--json", input: "cab\nmargin\n/give-up\n").lines
    #expect(resumed[1].contains("already_used") && resumed[2].contains(#""count": 4"#))
    #expect(try home.run("play", "--scores", "--json").lines.count == 1)
    try home.lua(
      """
      games.mode{name = 'two', rules = {'unused'}, finished = function(game) return game.count == 2 end}
      local g = games.new{mode = 'two', base = 'ab'} g:guess('x') g:guess('y') g:guess('z')
      """)
    #expect(try home.run("play", "--scores", "--json").output.contains(#""mode": "two""#))
    #expect(try home.run("play", "--resume").errors.contains("there is no game to resume"))
  }

  @Test func `a script that fails or is a dry run saves no guess, and a line at the prompt does`() throws {
    let code = "local g = games.new{base = 'cambering'} g:guess('grace')"
    #expect(try home.lua(code + " error('x')").status == 1)
    #expect(try home.run("--dry-run", "-e", code).errors.contains("Would add 1 game"))
    #expect(try home.run("play", "--resume").status == 1)
    _ = try home.run([], input: "g = games.new{base = 'cambering'}\ng:guess('grace')\ng:guess('cab')\n")
    #expect(try home.run("play", "--resume", "--json", input: "cab\n").output.contains("already_used"))
  }

  @Test func `a file of commands plays one game after the other at a terminal`() throws {
    let path = try home.write("play --base cambering\nplay --base cambering\n", to: "games.dh")
    let terminal = try home.terminal("run", path)
    for _ in 1...2 {
      terminal.type("/quit\r", after: "classic> ", showing: "resumes the game")
    }
    #expect(terminal.ended() == 0)
  }

  @Test func `each line of a paste is a guess`() throws {
    let terminal = try home.terminal("play", "--base", "cambering")
    terminal.type("\u{1B}[200~grace\nmargin\u{1B}[201~\r", after: "classic> ", showing: "2 found", "classic> ")
    #expect(terminal.ended(after: "/quit\r") == 0)
  }

  @Test func `a killed pipe keeps each guess that was answered`() throws {
    let child = try home.start(["--json", "play", "--base", "cambering"])
    child.feed("grace\ncab\n")
    _ = try child.finish(input: "ring\n")
    #expect(try home.run("play", "--resume", "--json", input: "ring\n").output.contains("already_used"))
  }

  @Test func `a mode's data lives in its own Lua state, whichever state reads it first`() throws {
    try home.install(
      "m",
      code: """
        games.mode{name = 'm', rules = {}, score = function(game, word)
          game.data.n = (game.data.n or 0) + 1 return game.data.n end}
        """)
    try home.run("plugin", "enable", "m", "--grant")
    let run = try home.lua(
      """
      local g = games.new{mode = 'm', base = 'ab'}
      print(g.data.n, pcall(function() g.data.n = 40 end))
      print(g:guess('x'), g:guess('y'), g.data.n)
      local c = games.new{base = 'cambering'}
      print(next(c.data), pcall(function() c.data.n = 1 end))
      """)
    #expect(run.lines[0].hasPrefix("nil\tfalse\t") && run.lines[0].contains("functions of its mode"), "\(run)")
    #expect(run.lines[1] == "1\t2\t2")
    #expect(run.lines[2].hasPrefix("nil\tfalse"))
    // Saved data also goes to the mode's own state when Lua of another state reads it first.
    let code = "games.new{mode = 'm', base = 'ab'}:guess('x') shell.run('play --resume')"
    #expect(try home.lua(code).status == 0)
    #expect(try home.run("play", "--resume", input: "zz\n").output.contains("zz: 2 points"))
  }

  @Test(arguments: [
    ("return false, 'too plain for me'", "too plain for me"), ("return nil, 'say \\27[31mmore!'", "say \\x1B[31mmore!"),
    ("return nil, {message = 'only this'}", "only this"), ("return false", "The mode does not accept it"),
  ])
  func `a mode's text is the message of its refusal`(answer: String, message: String) throws {
    try home.install("m", code: "games.mode{name = 'm', rules = {}, accept = function() \(answer) end}")
    try home.run("plugin", "enable", "m", "--grant")
    let run = try home.run("play", "m", "--base", "ab", input: "x\n")
    #expect(run.lines == ["x: This word does not count. \(message)" + (message.hasSuffix("!") ? "" : ".")])
  }

  @Test func `the end of a game shows how it ended, the word, and what to do next`() throws {
    let terminal = try home.terminal("play", "hangman", "--base", "letter")
    terminal.wait(for: "_ _ _ _ _ _")
    for letter in ["a", "b", "c", "d", "f", "g", "h", "i"] { terminal.type(letter + "\r") }
    terminal.wait(for: "The game is over. l e t t e r   You lost: the word was letter.")
    terminal.wait(for: "`play hangman` starts another game.")
    let letters = "a\nb\nc\nd\nf\ng\nh\ni\nj\n"
    let piped = try home.run("play", "hangman", "--base", "letter", "--json", input: letters).lines
    #expect(piped.count == 9 && piped[7].contains("The word was letter") && piped[8].contains(#""code": "over""#))
    let won = try home.run("play", "hangman", "--base", "letter", input: "letter\n")
    #expect(won.errors.contains("You won: the word is letter."))
    let duel = try home.run("--json", "play", "duel", "--base", "cambering", input: "/pass\n/pass\ncab\n").lines
    #expect(Array(duel.dropLast()) == [#"{"message": "Passed."}"#, #"{"message": "Both players passed."}"#], "\(duel)")
    #expect(duel.last?.contains(#""code": "over""#) == true)
    let daily = try home.terminal("play", "daily")
    daily.type("/give-up\r", after: "daily> ", showing: "`play daily` has another word tomorrow.")
  }

  @Test(arguments: [
    ("grace\nring\n", "Player 1 wins."), ("ring\ngrim\n", "Players 1 and 2 are tied."),
    // A hint costs two of five points.
    ("/hint\ngrace\ncrab\n", "Player 2 wins."),
  ])
  func `a duel shows who won`(guesses: String, expected: String) throws {
    let run = try home.run("play", "duel", "--base", "cambering", input: guesses + "/pass\n/pass\n")
    #expect((run.output + run.errors).contains("Both players passed. " + expected), "\(run)")
  }

  @Test func `Ctrl-C in a game ends the input line before the state of the game is printed`() throws {
    let terminal = try home.terminal("play", "--base", "letter")
    terminal.type("\u{3}", after: "classic> ", showing: "^C\r\n")
    #expect(!terminal.wait(for: "letter: 0 found").contains("classic> "))
    #expect(terminal.ended() == 0 && terminal.isInCanonicalMode)
  }

  @Test func `the game's commands are listed one per line, and spelling_bee counts no letters`() throws {
    let help = try home.run("play", "--base", "cambering", input: "/help\n/hlep\n").lines
    for name in ["/new", "/hint", "/shuffle", "/list", "/give-up", "/help", "/quit"] {
      #expect(help.contains { $0.hasPrefix(name + " ") }, "\(name)")
    }
    #expect(help.last?.contains("(did you mean \"/help\"?)") == true)
    #expect(try home.run("play", "--base", "cambering", "--json", input: "/help\n").lines.count == 1)
    let bee = try home.run("--seed", "1", "play", "spelling_bee", input: "/new\n").output
    #expect(bee.contains("(Spelling bee - English)") && !bee.contains("letter word"), "\(bee)")
  }

  @Test func `a language and a length given to play are for that game`() throws {
    #expect(try home.run("play", "--language", "italian", "--length", "7").output.contains("7 letter word - Italian"))
    #expect(try home.run("set", "game.language").output.hasPrefix("game.language: english\n"))
  }

  @Test func `what a plugin's game holds counts towards the plugin's memory`() throws {
    try home.install(
      "m",
      code: """
        games.mode{name = 'm', rules = {}}
        shell.command{name = 'fill', summary = 'x', run = function()
          local g, word = games.new{mode = 'm', base = 'ab'}, ('x'):rep(9000)
          for _ = 1, 100000 do g:guess(word) end end}
        """,
      manifest:
        #"{"name": "m", "version": "1.0", "api": 1, "permissions": ["games", "shell"], "modes": ["m"], "commands": ["fill"]}"#
    )
    try home.run("plugin", "enable", "m", "--grant")
    try home.run("plugin", "limit", "m", "--seconds", "600")
    try home.run("fill").fails("stopped at 64 MiB")
  }
}
