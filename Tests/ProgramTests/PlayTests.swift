// Word games and plugins through the built program.

import Glibc
import TestSupport

@Suite struct PlayTests {
  private let home = Home()
  private let guesses = "grace\ncab\ncab\nzebra\ngeng\n"

  @Test func `guesses from a pipe are answered in words`() throws {
    let run = try Home().run("play", "--base", "cambering", input: guesses)
    #expect(
      run.lines == [
        "grace: 5 points. 1 found · 5.0 letters on average · score 5",
        "cab: 3 points. 2 found · 4.0 letters on average · score 8",
        "cab: You already used this word. Keep looking!",
        "zebra: This word is not possible. Create only words from the letters in the given word.",
        "geng: This word is not possible. Create only words from the letters in the given word.",
      ])
    #expect(run.status == 0)
  }

  @Test func `a ladder that is given up shows its rungs, not every word`() throws {
    let words = ["play", "word_ladder", "--base", "cold", "--language", "english"]
    let lines = try home.run(words, input: "/give-up\n").lines
    #expect(lines.count < 6, "\(lines)")
    let ladder = try #require(lines.first { $0.contains("A ladder: ") })
    let rungs = ladder.split(separator: ": ").last.map { $0.split(separator: " > ").map { Array($0) } } ?? []
    #expect(rungs.count == 6 && rungs.first == Array("cold"), "\(lines)")
    for (one, next) in zip(rungs, rungs.dropFirst()) {
      #expect(one.count == 4 && zip(one, next).filter { $0 != $1 }.count == 1, "\(ladder)")
    }
  }

  @Test func `a guess that a mode fails on is answered in JSON too`() throws {
    let mode = "games.mode{name = 'broken', rules = {'min_length:2'}, score = function() error('oh') end}"
    let code = try home.write(mode, to: ".config/deckhand/init.lua")
    let run = try home.run("--json", "play", "broken", "--base", "cambering", input: "cab\n")
    #expect(
      run.lines.count == 1 && run.lines.first?.hasPrefix(#"{"word": "cab", "code": "lua_error""#) == true,
      "\(code) \(run)")
  }

  @Test func `guesses from a pipe are answered in JSON, one object per line`() throws {
    let lines = try home.run("--json", "play", "--base", "cambering", input: guesses).lines
    #expect(lines.count == 5)
    #expect(lines[0] == #"{"word": "grace", "points": 5, "count": 1, "average": 5.0, "score": 5}"#)
    #expect(
      lines[2]
        == #"{"word": "cab", "code": "already_used", "title": "You already used this word", "message": "Keep looking!"}"#
    )
    #expect(lines[3].contains(#""code": "not_possible""#) && lines[4].contains(#""code": "not_possible""#))
    let chosen = try home.run("--json", "--seed", "1", "play", "--language", "italian", input: "x\n").lines
    #expect(
      chosen[0].hasPrefix(#"{"base_word": ""#) && chosen[0].hasSuffix(#"", "language": "italian", "mode": "classic"}"#))
    #expect(
      chosen[1].contains(
        #""code": "too_short", "title": "This word is too short", "message": "Words need at least two letters""#))
  }

  @Test func `a plugin adds a mode`() throws {
    let run = try home.run("play", "palindromes", "--base", "rotators", "--json", input: "level\nlevel\nlevels\nqq\n")
    #expect(run.lines.count == 4)
    #expect(run.lines[0] == #"{"word": "level", "points": 7, "count": 1, "average": 5.0, "score": 7}"#)
    #expect(run.lines[1].contains("already_used"))
    #expect(run.lines[2].contains("not_a_palindrome"))
    #expect(run.lines[3].contains("not_a_word"))
    #expect(try home.run("play", "--list").output.contains("palindromes"))
    let row = try #require(home.run("plugin", "list").lines.first { $0.hasPrefix("palindromes") })
    #expect(row.split(separator: " ") == ["palindromes", "1.0.0", "on", "(bundled)", "mode", "palindromes", "-"])
    #expect(
      try home.run("plugin", "info", "palindromes").output.contains("may        add and play word games; look up words")
    )
    #expect(try home.run("--no-plugins", "play", "palindromes").errors.contains("no mode is called \"palindromes\""))
  }

  @Test(arguments: [
    ("error", "error('at load')", "init.lua:1: at load"), ("syntax", "x = = 1", "init.lua:1: unexpected symbol"),
    ("nothing", "", "its plugin.json names the mode \"m\""), ("globals", "decks.create('x')", "global 'decks'"),
    ("io", "io.open('/etc/passwd')", "global 'io'"),
  ])
  func `a plugin that fails to load prints one line, and the shell goes on`(name: String, code: String, message: String)
    throws
  {
    try home.install(name, code: code)
    let run = try home.run([], input: "plugin enable \(name) --grant\nplay m\nplugin list\n1 + 1\n")
    #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
    #expect(run.errors.contains("\(name): ") && run.errors.contains(message), "\(run.errors)")
    #expect(run.output.contains("failed: ") && run.output.hasSuffix("2\n"))
  }

  @Test(arguments: [
    (#"{"name": "bad", "version": 1, "api": 1}"#, "\"version\": text expected"),
    (#"{"name": "bad", "api": 99}"#, "written for interface 99"),
    (#"{"name": "bad", "api": 1,"#, "line 1, column"),
  ])
  func `a bad manifest prints one line that names the key`(manifest: String, message: String) throws {
    try home.install("bad", code: "", manifest: manifest)
    let run = try home.lua("print('on')")
    #expect(run.status == 0 && run.output == "on\n")
    #expect(run.errors.split(separator: "\n").count == 1)
    #expect(run.errors.contains("bad: ") && run.errors.contains(message), "\(run.errors)")
    #expect(try home.run("plugin", "info", "nosuch").errors.contains("no plugin is called"))
    try home.run("plugin", "disable", "bad")
    #expect(try home.lua("print('on')").errors.isEmpty)
  }
}

extension Home {
  /// Writes a plugin with a mode `m` into the user's folder.
  func install(_ name: String, code: String, manifest: String? = nil) throws {
    let plain = #"{"name": "\#(name)", "version": "1.0", "api": 1, "permissions": ["games"], "modes": ["m"]}"#
    try write(manifest ?? plain, to: "data/plugins/\(name)/plugin.json")
    try write(code, to: "data/plugins/\(name)/init.lua")
  }
}

@Suite struct GameKeepingTests {
  private let home = Home()

  @Test func `an unfinished game comes back, and a finished one is in the scores`() throws {
    #expect(try home.run("play", "--resume").errors.contains("there is no game to resume"))
    try home.run("play", "--base", "cambering", input: "grace\nring\n")
    let resumed = try home.run("play", "--resume", "--json", input: "grace\nmargin\n/give-up\n").lines
    #expect(resumed[0] == #"{"base_word": "cambering", "language": "english", "mode": "classic"}"#)
    #expect(resumed[1].contains("already_used"))
    #expect(resumed[2].contains(#""count": 3"#))
    let scores = try home.run("play", "--scores", "--json").lines
    #expect(scores.count == 1 && scores[0].contains(#""base_word": "cambering""#) && scores[0].contains(#""count": 3"#))
    #expect(try home.run("play", "--scores").output.contains("margin"))
    #expect(try home.run("play", "--resume").status == 1)
  }

  @Test func `a game without a found word is saved too; an untouched one replaces no other`() throws {
    try home.run("--seed", "1", "play", "hangman", input: "5\nq\n")
    let resumed = try home.run("play", "--resume", "--json", input: "q\n").lines
    #expect(resumed.last?.contains("already_used") == true, "\(resumed)")
    let terminal = try home.terminal("play", "--base", "cambering")
    terminal.type("/quit\r", after: "classic> ", showing: "resumes the game that was saved before.")
    #expect(terminal.ended() == 0)
    #expect(try home.run("play", "--resume", "--json", input: "q\n").lines.last?.contains("already_used") == true)
    try home.run("play", "--base", "cambering", input: "/hint\n")
    #expect(try home.run("play", "--resume", "--json").output.contains("cambering"))
  }

  @Test func `missed words become cards, each once, with their meaning where a dictionary deck has it`() throws {
    try home.lua("decks.create('Dictionary'):add{prompt = 'margin', answer = 'the edge of a page'}")
    let first = try home.run("play", "--base", "cambering", "--to-deck", "Missed", input: "grace\n")
    #expect(first.errors.contains("1 missed word added to \"Missed\"; 0 were already there; "), "\(first)")
    let second = try home.run("play", "--base", "cambering", "--to-deck", "Missed", input: "grace\n")
    #expect(second.errors.contains("0 missed words added"))
    let list = try home.lua("for c in decks.open('Missed'):cards() do print(c.prompt, c.answer) end")
    #expect(list.lines == ["the edge of a page\tmargin"])
    let lua =
      "local g = games.new{base = 'cambering'} local r = g:to_deck(decks.open('Missed')) print(r.added, r.skipped, r.unexplained)"
    #expect(try home.lua(lua).output == "0\t1\t99\n")
  }

  @Test func `a game that does not start, or has no missed words, makes no deck of them`() throws {
    let refused = try home.run("play", "--language", "english", "--length", "60", "--to-deck", "Missed", input: "")
    #expect(refused.status == 1)
    #expect(try home.run("play", "nosuch", "--to-deck", "Missed").status != 0)
    try home.run("play", "--base", "cambering", "--to-deck", "A::", input: "")
      .fails("a deck's name has an empty part beside \"::\"")
    #expect(try home.run("play", "--base", "cambering", "--to-deck", "Missed", input: "grace\n").status == 0)
    #expect(try home.run("deck", "list").output.contains("Missed") == false)
    #expect(try home.run("undo", "--list").output.contains("creating") == false)
  }

  @Test func `a finished game answers that it is over, and two players take turns`() throws {
    let over = try home.run("play", "--base", "cambering", "--json", input: "grace\n/give-up\nring\n").lines
    #expect(over.count == 3 && over[1] == #"{"message": "You gave up."}"#, "\(over)")
    #expect(over.last?.contains(#""code": "over""#) == true)
    let duel = try home.run("play", "duel", "--base", "cambering", input: "grace\nring\n/pass\n/pass\n")
    #expect(duel.output.contains("score 5 : 0") || duel.output.contains("5 : 0"), "\(duel.output)")
    #expect(duel.output.contains("5 : 4"))
  }

  @Test func `word lists are compiled, listed, and folded on request`() throws {
    let compiled = try home.run("word", "compile", "italian", "--json")
    #expect(
      compiled.lines[0].hasPrefix(#"{"language": "italian", "words": "#) && compiled.output.contains(#""capital": "#))
    #expect(try home.run("word", "check", "perche", "--language", "italian").output.contains("no"))
    #expect(try home.run("word", "check", "perche", "--language", "italian", "--fold-accents").output.contains("yes"))
    #expect(
      try home.run("word", "check", "casas", "hablo", "--language", "spanish", "--json").output.contains("false")
        == false)
    for pattern in ["c?t", "C?T"] {
      #expect(try home.run("word", "match", pattern, "--json").lines.contains("\"cat\""))
    }
    #expect(try home.run("word", "anagrams", "listen").lines.contains("silent"))
    try home.run("word", "check", "x", "--language", "french", "--json").fails("no_word_list", "wfrench")
  }

  @Test(arguments: [
    ("data[5] = 'five' data[1] = 'one' data.n = 2", "data[5] == 'five' and data[1] == 'one' and data.n == 2"),
    ("data[-1] = {[true] = 1.5} data['[]'] = {}", "data[-1][true] == 1.5 and type(data['[]']) == 'table'"),
    ("data.best = math.huge data.f = print", "data.best == math.huge and data.f == nil"),
    ("data.long = ('x'):rep(1200000)", "#data.long == 1200000"),
  ])
  func `a mode's data is restored whatever its keys, and data that cannot be stored does not stop the rest`(
    kept: String, holds: String
  ) throws {
    try home.install(
      "keeper",
      code: """
        games.mode{name = "m", rules = {"min_length:2"},
          accept = function(game, word) local data = game.data if word == "keep" then \(kept) end return true end,
          score = function(game, word) local data = game.data return (\(holds)) and 7 or 3 end}
        """)
    try home.run("plugin", "enable", "keeper", "--grant")
    let run = try home.run("play", "m", "--base", "abc", input: "keep\nmore\n")
    let reports = run.errors.split(separator: "\n").count { $0.contains(#"mode "m": game.data.f is not stored"#) }
    #expect(reports == (kept.contains("print") ? 1 : 0), "\(run)")
    #expect(try home.run("play", "--resume", input: "then\n").output.contains("then: 7 points"))
  }
}
