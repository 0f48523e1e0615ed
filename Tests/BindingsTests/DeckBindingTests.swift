// Decks, cards and study sessions in Lua: what each member returns, and what it refuses.

import TestWorkspace

@testable import Bindings

@Suite struct DeckBindingTests {
  private let program: BoundProgram

  init() throws {
    program = try BoundProgram()
    try program.run(
      """
      d = decks.create("Spanish")
      a = d:add{prompt = "uno", answer = "one", tags = {"x"}, guid = "g1"}
      b = d:add{prompt = "dos", answer = "two"}
      """)
  }

  @Test func `decks are created, opened, listed, renamed and removed`() throws {
    try program.check([
      ("decks.create('A::B').name", "A::B"), ("decks.create('Spanish')", "nil [exists]"),
      ("decks.create('')", "nil [bad_name]"), ("decks.open('Spanish') == d", "true"),
      ("decks.open('Spanihs')", "nil [not_found]"), ("select(2, decks.open('Spanihs')).suggestion", "Spanish"),
      ("decks.list()", "{deck \"A\" (0 cards), deck \"A::B\" (0 cards), deck \"Spanish\" (2 cards)}"),
      ("decks.remove('A')", "true"), ("decks.remove('A')", "nil [not_found]"), ("#decks.list()", "1"),
    ])
    try program.run("d.name = 'Español'")
    try program.check([("d", "deck \"Español\" (2 cards)"), ("d.name, d.count, #d", "Español 2 2")])
    try program.fails([
      ("decks.create()", "#1"), ("decks.create({})", "string expected"), ("d.name = 5 + {}", "arithmetic"),
      ("d.nonsense = 1", "nonsense"), ("return d.nmae", "name"), ("decks.open(('x'):rep(10001))", "#1"),
    ])
  }

  @Test func `cards are added, found, moved and removed by object and by position`() throws {
    try program.check([
      ("d:card(1)", "card \"dos\" / \"two\""), ("d:card(3)", "nil"), ("d:find('tag:x')", "{card \"uno\" / \"one\"}"),
      ("list(d:cards())", "card \"dos\" / \"two\", card \"uno\" / \"one\""),
      ("list(d:cards('uno'))", "card \"uno\" / \"one\""),
      ("d:add{prompt = '', answer = 'x'}", "nil [empty_prompt]"), ("d:add{prompt = 'x'}", "nil [empty_answer]"),
      ("d:add{prompt = 'uno', answer = 'one'}", "nil [duplicate]"),
      ("d:add{prompt = '\\xFF', answer = 'x'}", "nil [bad_text]"),
      ("d:add{prompt = 'x', answer = 'y', fields = {f = '\\xFF'}}", "nil [bad_text]"),
      (
        "d:add_all{{prompt = 'tres', answer = 'three'}, {prompt = 'uno', answer = 'one'}, 5}",
        "{added=1, rejected={{code=bad_card, index=3, message=a table with prompt and answer expected, got number}}, "
          + "rejected_count=1, skipped=1, updated=0}"
      ),
      ("d:add_all({{prompt = 'uno', answer = '1', guid = 'g1'}}, {on_duplicate = 'update'}).updated", "1"),
      ("a.answer", "1"), ("d:remove(1)", "1"), ("d:remove({1, 2})", "2"), ("d:remove(1)", "0"), ("#d", "0"),
    ])
    try program.fails([
      ("d:card(0)", "#1"), ("d:card(1.5)", "#1"), ("d:remove('x')", "card, integer or list of integers"),
      ("d:add{prompt = 'x', answer = 'y', promt = 'z'}", "promt"),
      ("d:add_all({}, {on_duplicate = 'overwrite'})", "on_duplicate"), ("d:add_all(5)", "array or iterator"),
      ("d:add{prompt = 'x', answer = 'y', fields = {f = print}}", "field 'f'"), ("d.cards(5)", "deck"),
    ])
  }

  @Test func `what stands for a part of an object, or for a mode, is the same userdata while it lives`() throws {
    try program.check([
      ("d.options == d.options", "true"), ("a.note.fields == a.note.fields", "true"),
      ("presets.create('Slow').options == presets.open('Slow').options", "true"),
      ("games.modes()[1] == games.modes()[1]", "true"), ("games.modes()[1] == games.modes()[2]", "false"),
      ("d.options == presets.open('Slow').options", "false"),
    ])
  }

  @Test func `a value without a name is not a field`() throws {
    try program.fails([
      ("return d[1]", "deck has fields by name, not by number (did you mean deck:card(1)?)"),
      ("return d.options[1]", "deck_options has fields by name, not by number"),
      ("d:add{'tres', 'three'}", "a value without a field name; the fields are prompt, answer"),
      ("d:study{'sprint'}", "a value without a field name; the fields are mode, seconds"),
    ])
  }

  @Test func `a table with named keys or gaps is not a list, nor an empty one`() throws {
    try program.fails([
      ("d:add_all{prompt = 'tres', answer = 'three'}", "list expected, got a table with the field"),
      ("a.tags = {x = true}", "list expected, got a table with the field 'x'"),
      ("d:add{prompt = 'x', answer = 'y', tags = {z = 1}}", "field 'tags': list expected"),
      ("d:remove({[2] = 1})", "without element 1"), ("a.tags = {'y', nil, 'z'}", "without element 2"),
      ("d:add_all{{prompt = 'tres', answer = 'three'}, nil, {prompt = 'sol', answer = 'sun'}}", "without element 2"),
    ])
    try program.check([("a.tags, #d", "{x} 2"), ("d:remove(table.pack())", "0"), ("d:add_all({}).added", "0")])
  }

  @Test func `an iterator that fails adds nothing`() throws {
    try program.fails([
      (
        "local n = 0 d:add_all(function() n = n + 1 if n > 2 then error('stop') end return {prompt = 'p' .. n, answer = 'a'} end)",
        "stop"
      )
    ])
    try program.check([("#d", "2")])
  }

  @Test func `a card's fields are those of the store, and a list of tags is replaced as a whole`() throws {
    try program.run("a.prompt = 'one' a.answer = 'uno' a:tag('z', 'y') a:untag('X') b:suspend()")
    try program.check([
      ("a.prompt, a.answer, a.tags", "one uno {z, y}"), ("a.state, b.state", "new suspended"),
      ("a.deck == d, a.position, b.position", "true 2 1"), ("a.guid, a.reps, a.lapses", "g1 0 0"),
      ("a.due, a.stability, a.difficulty, a.document", "nil nil nil nil"),
    ])
    try program.run("a:move(1) b:resume() a.tags = {'q'}")
    try program.check([("a.position, b.state, a.tags", "1 new {q}")])
    try program.fails([
      ("a.tags[1] = 'x'", "assign the whole list"), ("a.tags = 'x'", "list of strings"), ("a:move(0)", "#1"),
      ("a.position = 2", "position"), ("a.prompt = ''", "prompt"), ("a.document = d", "document"),
    ])
    try program.run("a:remove()")
    #expect(try program.failure("return a.prompt").contains("card"))
    try program.check([("#d", "1"), ("(pcall(function() a:remove() end))", "false")])
  }

  @Test func `the options of a deck are numbers within their ranges`() throws {
    try program.run("o = d.options o.new_per_day = 5")
    try program.check([("d.options.new_per_day", "5")])
    try program.fails([("o.new_per_day = -1", "new"), ("o.new_per_day = 'x'", "number"), ("o.nothing = 1", "nothing")])
  }

  @Test func `a session asks card by card, and is notified through events`() throws {
    try program.run(
      """
      seen = {}
      for _, event in ipairs{"card_answered", "session_finished"} do
        shell.on(event, function(...) seen[#seen + 1] = event .. " " .. show(...) end)
      end
      s = d:study{mode = "sprint", seconds = 60}
      """)
    try program.check([
      ("s.mode, s.remaining, s.right, s.wrong, s.active", "sprint 2 0 0 true"), ("s.time_remaining", "60.0"),
      ("s.card", "card \"dos\" / \"two\""), ("s:answer('right').remaining ~= false", "true"),
      ("s:undo()", "true"), ("s.right, s.remaining", "0 2"), ("s:undo()", "nil [nothing_to_undo]"),
      ("s:answer('perfect')", "nil [bad_answer]"),
    ])
    try program.run("s:pause()")
    program.person.clock.pass(30)
    try program.check([("s.active, s.time_remaining", "false 60.0")])
    try program.run("s:resume()")
    program.person.clock.pass(15)
    try program.check([("s.active, s.time_remaining", "true 45.0")])
    try program.fails([("s:answer()", "#1"), ("d:study{mode = 'x'}", "mode")])
    try program.run("s:answer('right') s:answer('wrong') s:restart()")
    try program.check([("s.right, s.wrong, s.remaining", "0 0 2")])
    #expect(try program.value("seen[#seen]").hasPrefix("card_answered"))
    program.person.clock.pass(61)
    try program.check([("s.active, s.time_remaining, s.card", "false 0.0 nil"), ("s:answer('right')", "nil [over]")])
    #expect(try program.value("seen[#seen]") == "session_finished 0 0")
  }

  @Test func `files are imported and exported, but not through a path that was not granted`() throws {
    let folder = program.person.data
    try program.check([
      ("d:export('\(folder)/out.csv').cards", "2"), ("decks.create('E'):import('\(folder)/out.csv').added", "2"),
      ("d:export('\(folder)/out.nothing')", "nil [bad_format]"),
      ("d:import('\(folder)/none.csv')", "nil [file_missing]"),
      ("d:export('\(folder)/x', {format = 'tsv'}).cards", "2"),
    ])
    try program.fails([("d:export('\(folder)/x', {fromat = 'tsv'})", "fromat"), ("d:import()", "#1")])
    let plugin = try BoundProgram(grants: Grants(modules: [.decksRead, .decksWrite]), plugin: "mine")
    try plugin.run("d = decks.create('D') d:add{prompt = 'x', answer = 'y'}")
    #expect(try plugin.value("d:export('\(folder)/y.csv')").contains("[not_granted]"))
    #expect(try plugin.value("d:import('\(folder)/out.csv')").contains("[not_granted]"))
  }
}
