// Exercises in Lua: what they are given, what they may return, and what a session does with it.

import TestWorkspace

@testable import Bindings

@Suite struct ExerciseBindingTests {
  private let program: BoundProgram

  init() throws {
    program = try BoundProgram()
    try program.run(
      """
      d = decks.create("D")
      for _, p in ipairs{"uno", "dos", "tres", "cuatro", "cinco"} do
        d:append{prompt = p, answer = p .. "!", tags = {"n"}, fields = {Sentence = "<b>es</b> " .. p}}
      end
      function make(name, prepare, more)
        local e = more or {}
        e.name, e.input, e.prepare = name, e.input or "text", prepare
        return study.exercise(e)
      end
      function ask(name, more)
        local o = more or {}
        o.exercise = name
        return d:study(o)
      end
      """)
  }

  @Test func `an exercise gets a plain card and asks with other cards of the deck`() throws {
    try program.run(
      """
      make("seen", function(card, ask)
        others = ask.others(50)
        got, language, mixed = card, ask.language, ask.shuffle({1, 2, 3})
        return {prompt = "?", expected = {card.prompt, "x"}, hint = "h", reveal = "r", rest = {n = 7}}
      end)
      s = ask("seen")
      q = s.question
      """)
    try program.check([
      ("got.prompt, got.answer, got.fields.Sentence, got.tags[1], got.state", "uno uno! es uno n new"),
      ("#others, others[1].prompt ~= 'uno', #mixed, language", "4 true 3 english"),
      ("q.input, q.prompt, q.hint, q.expected, q.reveal, q.rest", "text ? h nil nil nil"),
      ("s:give('UNO').rating, s:give('zzz').rating, s:give('zzz').expected", "good again uno"),
      ("s:give('zzz').words[1]", "{expected=uno, given=zzz, mark=wrong}"),
    ])
    try program.fails([("q.prompt = 'x'", "exercise"), ("s:give()", "#1"), ("others[1].prompt.x.y = 1", "nil")])
  }

  @Test func `a grade decides, and one that fails leaves the comparison`() throws {
    try program.run(
      """
      make("graded", function(card) return {prompt = "?", rest = {n = 7}} end, {grade = function(shown, given)
        return {rating = given == "x" and "easy" or "nonsense", feedback = tostring(shown.rest.n)}
      end})
      s = ask("graded")
      """)
    try program.check([
      ("s:give('x').rating, s:give('x').feedback", "easy 7"), ("s:give('y').rating, s:give('y').feedback", "nil "),
    ])
  }

  @Test func `what goes wrong in prepare costs that question only`() throws {
    try program.run(
      """
      make("raises", function() error("no") end)
      make("loops", function() while true do end end)
      make("wrong", function() return {prompt = print} end)
      make("none", function() return nil, "no sound" end)
      """)
    for name in ["raises", "loops", "wrong", "none"] {
      try program.check([
        ("ask('\(name)').question", "nil"), ("ask('\(name)'):give('x').rating", "nil"),
        ("ask('\(name)', {schedule = false}):answer('good').rating", "good"),
      ])
    }
  }

  @Test func `names belong to one owner, and a wrong description says what is expected`() throws {
    try program.run("f = function() return nil end")
    try program.check([
      ("make('again', f).name, make('again', f).kind", "again recall"),
      ("make('Bad name', f)", "nil [bad_exercise]"), ("make('x', f, {input = 'voice'})", "nil [bad_exercise]"),
      ("make('x', f, {kind = 'guess'})", "nil [bad_exercise]"), ("make('x', nil)", "nil [bad_exercise]"),
      ("d:study{exercise = 'agan'}", "nil [unknown_exercise]"),
    ])
    try program.fails([
      ("make('x', f, {inputs = 1})", "inputs"), ("study.exercise('x')", "table"), ("make('x', 5)", "prepare"),
      ("d:study{exercise = 'again', mode = 'sprint'}", "one of mode=\"sprint\" and exercise expected"),
    ])
  }

  @Test func `two texts are compared as answers are`() throws {
    try program.check([
      ("study.compare('El pero', 'el perro').rating, study.compare('a', 'a').rating", "hard good"),
      ("study.compare('x', 'a b').words[2]", "{expected=b, given=x, mark=wrong}"),
    ])
  }

  @Test func `a game over a deck has its words and answers`() throws {
    try program.run(
      """
      e = decks.create("E")
      for w, a in pairs{["la casa"] = "house", saca = "sack", caso = "case", ["dos palabras"] = "two", cosas = "things"} do
        e:append{prompt = w, answer = a}
      end
      g = games.new{deck = e, language = "spanish", base = "casacaso"}
      """)
    try program.check([
      ("g:possible()", "{cosas, casa, caso, saca}"), ("g:guess('casa')", "4"), ("g:guess('cosas')", "5"),
      ("g.answers.casa, g.answers.saca", "house nil"),
      ("games.new{deck = e, query = 'casa', language = 'spanish'}", "nil [too_few_words]"),
    ])
    try program.fails([("games.new{deck = 'E'}", "deck")])
  }
}
