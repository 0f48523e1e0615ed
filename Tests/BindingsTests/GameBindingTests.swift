// Words and word games in Lua: guesses, modes written in Lua, and what a mode's functions may return.

import Glibc
import Problems
import TestWorkspace

@testable import Bindings

@Suite struct GameBindingTests {
  private let program: BoundProgram

  init() throws {
    program = try BoundProgram()
    try program.run("g = games.new{base = 'cambering'}")
  }

  @Test func `a game judges, counts and explains`() throws {
    try program.check([
      ("g.mode, g.language, g.base_word, g.length", "classic english cambering 9"),
      ("g:guess('grace')", "5"), ("g:guess('GRACE ')", "nil [already_used]"), ("g:guess('zzz')", "nil [not_possible]"),
      ("select(2, g:guess('zzz')).word", "zzz"),
      ("g:guess_all{'cambering', 'xyz', 'grace'}", "{9, not_possible, already_used}"),
      ("g.found, g.count, g.score, g.average", "{cambering, grace} 2 14 7.0"), ("g.finished", "false"),
      ("g:possible()", "{cambering, grace}"), ("g:missed()", "{}"), ("g", "game of classic on \"cambering\" (2 found)"),
      ("g:guess('x')", "nil [too_short]"), ("g:guess('rimbecang')", "nil [not_a_word]"),
      ("select(2, g:guess(' Grace ')).word", "grace"),
      ("tostring(select(2, g:guess('x')))", "Words need at least two letters"),
      (
        "g:guess_all(setmetatable({}, {__index = function(_, i) return i < 3 and 'grace' or nil end, "
          + "__len = function() return 5 end}))", "{already_used, already_used}"
      ),
    ])
    try program.fails([
      ("g:guess()", "#1"), ("g:guess({})", "string"), ("g.found[1] = 'x'", "guess"), ("g.score = 5", "score"),
      ("g:guess(('x'):rep(10001))", "#1"), ("games.new{language = {}}", "language"), ("games.new{bass = 'x'}", "bass"),
      ("games.new{length = 1}", "length"), ("g.guess(5, 'x')", "game"),
      ("g:guess_all{'ice', {}}", "element 2: string expected, got table"),
      ("g:guess_all{'ice', nil, 'cab'}", "without element "),
      ("g:guess_all{word = 'ice'}", "list expected, got a table with the field 'word'"),
    ])
    try program.check([
      ("games.new{language = 'klingon'}", "nil [unknown_language]"),
      ("games.new{mode = 'clasic'}", "nil [unknown_mode]"),
      ("games.new{language = 'italian'}", "nil [no_word_list]"),
      ("games.new{base = 'cambering', mode = 'duel'}.mode", "duel"),
    ])
  }

  @Test func `two games with different rules are each answered by their own rules`() throws {
    try program.run("games.mode{name = 'longer', rules = {'in_dictionary', 'min_length:7'}}")
    try program.run("b = games.new{base = 'cambering', mode = 'longer'}")
    for _ in 1...2 {
      try program.check([
        ("select(2, b:guess('grace')).message", "Words need at least 7 letters"),
        ("g:guess('level')", "nil [not_possible]"), ("b:guess('zqx')", "nil [not_a_word]"),
      ])
    }
  }

  @Test func `a hint costs points, missed words become cards, and a new word starts anew`() throws {
    try program.run("g:guess('grace') hint = g:hint() d = decks.create('Missed')")
    try program.run("decks.create('Dictionary'):add{prompt = 'cambering', answer = 'a bending'}")
    #expect(try program.value("#hint > 0, g.score < 5") == "true true")
    try program.check([
      ("g:to_deck(d).added", "1"), ("g:to_deck(d).added", "0"), ("d:card(1).answer == '' or #d", "1"),
      ("type(g:new_word())", "string"), ("g.count, g.score", "0 0"),
    ])
    try program.fails([("g:to_deck('d')", "deck"), ("g:to_deck()", "deck")])
  }

  @Test func `observers are notified of found words and of the end of a game`() throws {
    try program.run(
      """
      seen = {}
      sub = shell.on("word_found", function(game, word) seen[#seen + 1] = word .. game.count end)
      g:guess("grace")
      sub:cancel()
      g:guess("cambering")
      """)
    try program.check([("seen", "{grace1}"), ("sub.active", "false"), ("sub", "subscription to word_found")])
    try program.run("shell.on('word_found', function() error('oh') end) h = games.new{base = 'cambering'}")
    try program.run("h:guess('grace') h:guess('cambering')")
    #expect(program.recorder.reports.count == 1, "the same error is told once: \(program.recorder.reports)")
    try program.fails([
      ("shell.on('word_fond', print)", "word_found"), ("shell.on('word_found')", "#2"),
      ("shell.on('started', 5)", "function"),
    ])
  }

  @Test func `a mode in Lua sets up, accepts, scores, hints and ends`() throws {
    try program.run(
      """
      m = games.mode{
        name = "ends", title = "Ends", summary = "x", rules = {"in_dictionary"},
        setup = function(game) game.data.count = 0 return {base = "level"} end,
        accept = function(game, word)
          if word == "letters" then return nil, "too plain" end
          if word == "grace" then return nil, {code = "no_grace", title = "No", message = "none"} end
          game.data.count = game.data.count + 1
          return true
        end,
        score = function(game, word) return 7 end,
        finished = function(game) return game.count > 1 end,
        hint = function(game) return "look" end, show = function(game) return "seen" end,
      }
      g = games.new{mode = "ends"}
      """)
    try program.check([
      ("m.name, m.title, m.summary, m.rules", "ends Ends x {in_dictionary}"), ("g.base_word, g:hint()", "level look"),
      ("g:guess('letters')", "nil [not_accepted]"), ("select(2, g:guess('letters')).message", "too plain"),
      ("g:guess('grace')", "nil [no_grace]"), ("g:guess('nothing')", "nil [not_a_word]"),
      ("g:guess_all{'letters', 'grace'}", "{not_accepted, no_grace}"),
      ("g:guess('level'), g.data.count, g.finished", "7 1 false"), ("g:guess('elephant')", "7"),
      ("g.finished, g:guess('cambering')", "true nil [over]"),
    ])
    let listed = try program.value("games.modes()")
    #expect(listed.contains("mode \"classic\"") && listed.contains("mode \"ends\""))
  }

  @Test(arguments: [
    ("for n = #game.data + 1, 600000 do game.data[n] = {n} end", "1,000,000 values"),
    ("game.data.text = ('x'):rep(9 << 20)", "bytes as JSON; at most 8,388,608 are stored"),
  ])
  func `data too large to be stored is reported, not lost`(fill: String, reason: String) throws {
    try program.run(
      """
      games.mode{name = "big", rules = {"unused"}, accept = function(game)
        \(fill)
        return true
      end}
      g = games.new{mode = "big", base = "cambering"}
      g:guess("grace")
      """)
    let error = #expect(throws: (any Error).self) { try program.workspace.games.store() }
    let problem = try #require(error as? any Problem)
    #expect(problem.code == "too_large" && problem.message.contains(reason), "\(problem.message)")
    // It is reported once, not with each line that follows.
    try program.workspace.games.store()
  }

  @Test func `a mode that is added again replaces the user's own, and no other`() throws {
    try program.run("for _, title in ipairs{'One', 'Two'} do games.mode{name = 'twice', title = title} end")
    try program.run("modes = games.modes()")
    try program.check([("modes[#modes].title, modes[#modes - 1].name == 'twice'", "Two false")])
    try program.fails([("games.mode{name = 'classic'}", "already exists")])
  }

  @Test func `a mode may report that it has no game, and its functions may not play`() throws {
    try program.run(
      """
      games.mode{name = "none", setup = function() return nil, {code = "no_base_word", title = "No", message = "no"} end}
      games.mode{name = "plays", hint = function(game) return game:hint() end}
      g = games.new{mode = "plays", base = "cambering"}
      """)
    try program.check([("games.new{mode = 'none'}", "nil [no_base_word]")])
    try program.fails([("g:hint()", "is waiting for an answer from its mode")])
  }

  @Test func `a wrong result of a mode's function is an error that says what was expected`() throws {
    let cases = [
      (
        "score = function() return 'x' end", "g:guess('grace')",
        "score must return an integer: integer expected, got string"
      ),
      ("score = function() return 3.5 end", "g:guess('grace')", "integer: number has no integer representation"),
      ("accept = function() return nil, true end", "g:guess('grace')", "accept must return"),
      ("hint = function() return {} end", "g:hint()", "hint must return text: string expected, got table"),
      ("score = function() nothing() end", "g:guess('grace')", "nothing"),
    ]
    for (number, (hook, use, expected)) in cases.enumerated() {
      try program.run("games.mode{name = 'm\(number)', \(hook)} g = games.new{mode = 'm\(number)', base = 'cambering'}")
      #expect(try program.failure(use).contains(expected), "\(hook)")
    }
    try program.fails([
      ("games.mode{}", "name"), ("games.mode{name = 'x', rule = {}}", "rule"),
      ("games.mode{name = 'x', setup = 5}", "setup"),
      ("games.mode()", "table"),
      ("games.mode{name = 'bad', setup = function() return 5 end} games.new{mode = 'bad'}", "setup must return"),
      (
        "games.mode{name = 'near', setup = function() return {bse = 'x'} end} games.new{mode = 'near'}",
        "or nil: unknown field 'bse' (did you mean 'base'?)"
      ),
    ])
    try program.check([
      ("pcall(games.mode, {name = 'x', rules = {'nonsense'}})", "false [unknown_rule]"),
      ("pcall(games.mode, {name = 'classic'})", "false [exists]"),
    ])
  }

  @Test func `word lists find formable, similar, neighbouring and random words`() throws {
    try program.run("l = words.lexicon('english')")
    try program.check([
      ("words.languages()", "{english, spanish, american-english}"),
      ("l.count, #l, l.language, l.name", "5 5 english english"),
      ("l:contains('grace'), l:contains('Grace'), l:contains('grac')", "true false false"),
      ("l:formable('cambering', {min = 4})", "{cambering, grace}"), ("l:anagrams('ecarg')", "{grace}"),
      ("l:match('l?v?l')", "{level}"), ("l:palindromes()", "{level}"), ("l:neighbours('lever')", "{level}"),
      ("list(l:words{prefix = 'le'})", "letters, level"), ("list(l:words{length = 5})", "grace, level"),
      ("words.can_form('cambering', 'grace'), words.can_form('grace', 'graces')", "true false"),
      ("words.normalize('  MAMÁ ', 'spanish')", "mamá"), ("l:random{length = 8}", "elephant"),
      ("l:random{length = 3}", "nil"), ("words.lexicon('enlgish')", "nil [unknown_language]"),
      ("words.load('/none')", "nil [file_missing]"), ("l:word_of_the_day() == l:word_of_the_day()", "true"),
    ])
    try program.fails([
      ("l:words{lenght = 5}", "lenght"), ("l:random{length = 0}", "length"),
      ("words.normalize('x', 'klingon')", "klingon"), ("l:contains(5 == 5)", "string"), ("l.count = 3", "count"),
    ])
    let path = try program.person.folder.write("uno\ndos\n", to: "mine.txt")
    try program.check([("words.load('\(path)', {name = 'mine'}).count", "2")])
  }

  @Test func `a word list of any stated size is refused`() throws {
    let path = "/dev/shm/deckhand-list-\(getpid())"
    let descriptor = open(path, O_CREAT | O_WRONLY, 0o600)
    defer { unlink(path) }
    try #require(descriptor >= 0 && ftruncate(descriptor, 1 << 62) == 0)
    close(descriptor)
    try program.check([("words.load('\(path)')", "nil [bad_list]")])
  }
}
