// Exercises and games over a deck through the built program: in a pipe, as JSON, on a screen, for a screen reader.

import TestSupport

@Suite struct ExerciseProgramTests {
  private let home = Home()

  init() throws {
    try home.lua(
      """
      local d = decks.create("D")
      for _, p in ipairs{{"perro", "dog"}, {"gato", "cat"}, {"luna", "moon"}, {"sol", "sun"}} do
        d:append{prompt = p[1], answer = p[2], fields = {Sentence = "Veo el " .. p[1] .. " grande."}}
      end
      d:append{prompt = "mar", answer = "sea"}
      """)
  }

  /// Adds an exercise that asks for the prompt of a card by its answer.
  private func addWriting() throws {
    try home.plugin(
      "writing", permissions: #"["study"]"#, manifest: #""exercises": ["writing"]"#,
      """
      study.exercise{name = "writing", input = "text", prepare = function(card)
        return {prompt = "write " .. card.answer, expected = card.prompt, hint = card.prompt:sub(1, 1)}
      end}
      """)
    #expect(try home.run("plugin", "enable", "writing", "--grant").status == 0)
  }

  @Test func `in a pipe a choice is a number, and recognition changes no schedule`() throws {
    let run = try home.run("study", "D", "--exercise", "gap", "--limit", "1", input: "zzz\n9\nperro\n\n")
    #expect(run.errors.contains("gap asks to recognise the answer: answers change no schedule."), "\(run)")
    #expect(run.output.contains("Veo el ____ grande. 1 "), "\(run)")
    #expect(run.output.contains("\"zzz\" is not an answer; a number from 1 to 4 expected."), "\(run)")
    #expect(run.output.contains("Done. 1 right, 0 wrong."), "\(run)")
    #expect(try home.run("card", "list", "is:new").lines.count == 6)
    let usual = try home.run("study", "D", "--exercise", "gap", "--query", "mar", input: "\ngood\n")
    #expect(usual.output.contains("1 card asked as usual: 1 no sentence with the word."), "\(usual)")
  }

  @Test func `as JSON each card is a question, a result and an answer, and one step of undo`() throws {
    try addWriting()
    let run = try home.run(
      "study", "D", "--exercise", "writing", "--limit", "2", "--json", input: "perro\n\ngatto\nx\n4\n")
    let lines = run.lines
    #expect(lines.count == 7, "\(run)")
    guard lines.count == 7 else { return }
    #expect(lines[0].contains(#""input": "text", "prompt": "write dog", "hint": "p"}"#), "\(lines[0])")
    #expect(!lines[0].contains("expected"))
    #expect(lines[1].hasPrefix(#"{"rating": "good", "feedback": "", "expected": "perro", "words": [{"mark": "right""#))
    #expect(lines[3].hasPrefix(#"{"rating": "hard""#) && lines[4].contains(#""code": "bad_answer""#), "\(run)")
    // The card that was good comes back after its first step.
    #expect(lines[5].contains("write dog") && lines[6] == #"{"right": 2, "wrong": 0, "remaining": 1}"#)
    #expect(try home.run("undo").output.contains(#""gato": easy"#))
  }

  @Test func `a screen reader hears the result in words, and Enter takes the proposal`() throws {
    try addWriting()
    let terminal = try home.terminal(
      "--set", "accessibility.screen_reader=on", "study", "D", "--exercise", "writing", "--limit", "2")
    terminal.type("\t", after: "Card 1 of 2. write dog.", showing: "write dog. p.")
    terminal.type("perrro\r", showing: "Word 1: perrro; right is perro.")
    terminal.type("\r", showing: "write cat.")
    terminal.type("xx\r", showing: "Word 1: xx; right is gato. cat.")
    #expect(terminal.ended(after: "q") == 0)
    #expect(try home.run("undo").output.contains(#""perro": hard"#))
  }

  @Test func `on a screen a choice is a key, and undo asks the same again`() throws {
    let terminal = try home.terminal("--seed", "3", "study", "D", "--exercise", "gap", "--limit", "2")
    let first = terminal.wait(for: "1-4 choose")
    #expect(first.contains("Veo el ____ grande."))
    terminal.type("1", showing: "Veo el perro grande.")
    terminal.type("\r", showing: "1-4 choose")
    // Both cards show the same sentence, so only the counts and the choices are drawn again.
    terminal.type("u", showing: "0 due · 2 new")
    #expect(terminal.ended(after: "q") == 0)
  }

  @Test func `a deck has an exercise of its own, and a plugin that is off leaves its cards as they are`() throws {
    try addWriting()
    #expect(try home.run("deck", "options", "D", "exercise=writing", "new_per_day=7").status == 0)
    #expect(try home.run("deck", "options", "D", "--json").output.contains(#""exercise": "writing""#))
    #expect(try home.run("study", "D", input: "perro\n\n").output.contains("perro: right. "))
    #expect(try home.run("undo").output.contains(#""perro": good"#))
    #expect(try home.run("plugin", "disable", "writing").status == 0)
    let plain = try home.run("study", "D", input: "\ngood\n")
    #expect(plain.errors.contains("The cards are asked as usual: ") && plain.output.contains("perro.\n"), "\(plain)")
    try home.run("deck", "options", "D", "exercise=gapp").fails(#"(did you mean "gap"?)"#)
    #expect(try home.run("deck", "options", "D", "exercise=gap").status == 0)
    #expect(try home.run("study", "D", input: "\n").errors.contains("which needs --no-schedule"))
    #expect(try home.run("deck", "options", "D", "exercise=").status == 0)
    #expect(try home.run("deck", "options", "D", "--json").output.contains(#""exercise": null"#))
    for words in [["--sprint"], ["--list"]] {
      #expect(try home.run(["study", "D", "--exercise", "gap"] + words).status == 2)
    }
  }

  @Test func `an exercise that loops or fails in its own process costs its questions only`() throws {
    try home.plugin(
      "bad", permissions: #"["study"]"#, manifest: #""exercises": ["bad"]"#,
      """
      study.exercise{name = "bad", input = "text", prepare = function(card, ask)
        if card.prompt == "perro" then while true do end end
        if card.prompt == "gato" then error("oh no") end
        return {prompt = ask.others(50)[1].deck .. ask.shuffle{"x"}[1], expected = card.prompt}
      end}
      """)
    #expect(try home.run("plugin", "enable", "bad", "--grant").status == 0)
    let run = try home.run("study", "D", "--exercise", "bad", "--limit", "3", input: "\ngood\n\ngood\nluna\n\n")
    #expect(run.output.contains("Dx.\n") && run.output.contains("luna: right. "), "\(run)")
    #expect(run.output.contains("2 cards asked as usual: ") && run.output.contains("100 ms"), "\(run)")
    #expect(run.output.contains("oh no"), "\(run)")
  }

  @Test func `a game over a deck has its words, the answers as hints and beside what was found`() throws {
    try home.lua(
      """
      local d = decks.create("E")
      for w, a in pairs{["la casa"] = "house", saca = "sack", caso = "case", ["dos palabras"] = "two"} do
        d:append{prompt = w, answer = a}
      end
      """)
    let run = try home.run(
      "play", "--deck", "E", "--language", "spanish", "--base", "casacaso", input: "casa\nperro\n/hint\n/list\n")
    #expect(run.output.contains("casa (house): 4 points.") && run.output.contains("casa (house)\n"), "\(run)")
    #expect(run.output.contains("sack\n") || run.output.contains("case\n"), "\(run)")
    let json = try home.run(
      "play", "--deck", "E", "--language", "spanish", "--base", "casacaso", "--json", input: "casa\n")
    #expect(json.output.contains(#""answer": "house"}"#), "\(json)")
    try home.run("play", "--deck", "E", "--query", "casa", "--language", "spanish")
      .fails(#""E" has 1 prompt of one word"#, "needs at least 3")
    let hangman = try home.run("play", "hangman", "--deck", "E", "--language", "spanish", input: "/hint\n/give-up\n")
    #expect(["house", "sack", "case"].contains { hangman.output.contains($0) }, "\(hangman)")
    try home.run("play", "--query", "casa").fails("--query needs --deck", status: 2)
    // The language is the one that the prompts show.
    try home.lua(
      """
      local d = decks.create("G")
      for w in ("gato perro libro vaso casa mesa silla luna playa rosa"):gmatch("%a+") do
        d:append{prompt = (w:find("o$") and "el " or "la ") .. w, answer = "x"}
      end
      """)
    let shown = try home.run("play", "hangman", "--deck", "G", "--json", input: "/give-up\n")
    #expect(shown.output.contains(#""language": "spanish""#), "\(shown)")
  }
}
