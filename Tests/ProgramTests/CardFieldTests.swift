// What studying shows, through the built program: fields that no template names, clozes in answers, leeches, counts.

import TestSupport

@Suite struct CardFieldTests {
  private let home = Home()

  @Test func `additional columns of a table are shown wherever a card is`() throws {
    let table = try home.write(
      "Palabra,Significado,Ejemplo\nel perro,the dog,El perro ladra.\nsol,sun,\n", to: "es.csv")
    try home.run("deck", "import", "D", table, "--columns", "prompt=Palabra,answer=Significado")
    #expect(try home.run("card", "show", "D:1").output.contains("Ejemplo   El perro ladra.\n"))
    let fields = #""fields": {"Back": "the dog", "Ejemplo": "El perro ladra.", "Front": "el perro"}"#
    #expect(try home.run("card", "show", "D:1", "--json").output.contains(fields))
    let list = try home.run("--json", "card", "list").lines
    #expect(list[0].contains(fields) && list[1].contains(#""fields": {"Back": "sun", "Front": "sol"}"#), "\(list)")
    let lua = try home.lua(
      "local c = decks.open('D'):card(1) print(c.fields.Ejemplo, c.fields.Back, pcall(function() c.fields.x = 1 end))")
    #expect(
      lua.output.hasPrefix("El perro ladra.\tthe dog\tfalse\t") && lua.output.contains("card.note.fields"), "\(lua)")
    #expect(try !home.run("study", "D", input: "\n\n").output.contains("ladra"))
    try home.run("set", "study.show_fields", "on")
    try home.run("study", "D", input: "\n3\n").succeeds("the dog / Ejemplo: El perro ladra. Again")
    let terminal = try home.terminal("study", "D", "--cram", "--no-schedule")
    terminal.type("\r", after: "q quit")
    #expect(terminal.shows("Ejemplo: El perro ladra."))
  }

  @Test func `a field that the templates do not name is shown below the answer, one that they test for is not`() throws
  {
    try home.lua(
      """
      decks.create('D')
      notetypes.create{name='Word', fields={'Word', 'Meaning', 'Use', 'Example'},
        cards={{name='One', front='{{Word}}', back='{{FrontSide}}<hr id=answer>{{#Use}}{{Meaning}}{{/Use}}'}}}
      decks.open('D'):add_note{type='Word', fields={Word='sol', Meaning='sun', Use='y', Example='El <b>sol</b> sale.'}}
      """)
    let studied = try home.run("--set", "study.show_fields=on", "study", "D", input: "\n3\n").output
    #expect(studied.contains("sun / Example: El sol sale. Again") && !studied.contains("Use:"), "\(studied)")
    let shown = try home.run("card", "show", "D:1").output
    #expect(shown.contains("\nExample ") && shown.contains("El sol sale.\n") && !shown.contains("\nUse "), "\(shown)")
  }

  @Test func `a picture is drawn anew when the window changes`() throws {
    try home.lua(
      "local d = documents.create{background = {1, 0, 0}} decks.create('P'):add{prompt = 'p', answer = 'a', document = d}"
    )
    let terminal = try home.terminal("study", "P", "--cram", "--no-schedule")
    terminal.type("\r", after: "q quit")
    let picture = "48;2;255;0;0m▀"
    let wide = terminal.wait(for: picture + "\u{1B}[0m")
    terminal.resize(columns: 40)
    terminal.wait(for: "\u{1B}[H\u{1B}[2J")
    // The picture is shown whole: no line of it is truncated.
    let narrow = terminal.wait(for: picture + "\u{1B}[0m")
    #expect(!wide.contains("…") && !narrow.contains("…"), "\(narrow)")
  }

  @Test func `the text that a cloze hid is marked in the answer`() throws {
    try home.run("deck", "create", "D")
    try home.run("card", "add", "D", "--cloze", "La {{c1::capital & {{c2::más}}}} de {{c2::España}}: {{c1::Madrid}}")
    try home.run("study", "D", input: "\n3\n\n3\n")
      .succeeds("La [capital & más] de España: [Madrid]. Again", "La capital & [más] de [España]: Madrid. Again")
    let terminal = try home.terminal("study", "D", "--cram", "--no-schedule")
    terminal.type("\r", after: "q quit")
    #expect(
      terminal.shows("La \u{1B}[1;36mcapital & más\u{1B}[0m de España: \u{1B}[1;36mMadrid\u{1B}[0m"),
      "\(terminal.output)")
    let page = home.path + "/page.html"
    try home.run("deck", "page", "D", page)
    let text = try home.lua("print(files.read('\(page)'))").output
    #expect(text.contains(#"La <span class="cloze">capital &amp; <span class="cloze-inactive">más</span></span> de "#))
  }

  @Test func `a card that becomes a leech is reported, with its answers, also if it is the last card`() throws {
    home.clock = try ManualClock()
    try home.lua("decks.create('D'):add{prompt = 'el perro', answer = 'the dog'}")
    try home.run("deck", "options", "D", "leech_threshold=1", "leech_action=suspend")
    #expect(try home.run("study", "D", input: "\n4\n").output.contains("1 right"))
    home.clock?.pass(seconds: 40 * 86_400)
    let plain = try home.run("--dry-run", "study", "D", input: "\n1\n").output
    #expect(plain.contains("\"el perro\" is a leech: forgotten 1 time, now tagged leech and suspended."), "\(plain)")
    let terminal = try home.terminal("study", "D")
    terminal.type("\r1", after: "q quit")
    let page = terminal.wait(for: "any key  continue")
    for words in ["is a leech: forgotten 1 time", "easy   back in", "again  back in", "card edit D:1"] {
      #expect(page.contains(words), "\(words): \(page)")
    }
    // Ctrl-L draws the page again; any other key closes it.
    terminal.type("\u{0C}", showing: "any key  continue")
    terminal.type(" ", showing: "Done. 0 right, 1 wrong.")
    #expect(terminal.ended() == 0)
  }

  @Test func `a card is due on the day on which it is studied, also after a journey to the west`() throws {
    home.clock = try ManualClock()
    try home.lua("decks.create('D'):add{prompt = 'p', answer = 'a'}")
    func output(_ zone: String, _ arguments: String..., input: String = "") throws -> String {
      try Child(home.words(arguments), environment: ["TZ=" + zone] + home.environment).finish(input: input).output
    }
    #expect(try output("UTC0", "study", "D", input: "\n4\n").contains("1 right"))
    let here = try output("UTC0", "card", "list", "--columns", "prompt,due")
    #expect(try output("WEST8", "card", "list", "--columns", "prompt,due") == here)
  }

  @Test func `the counts in the banner, the decks, their parents and a session agree`() throws {
    home.clock = try ManualClock()
    try home.lua("local d = decks.create('A::B') for i = 1, 2 do d:add{prompt = 'p' .. i, answer = 'q'} end")
    try home.run("deck", "options", "A::B", "learning_steps=1h")
    #expect(try home.run("study", "A", input: "\n1\n\n1\n").output.contains("Done. 0 right, 2 wrong."))
    func counts() throws -> [String] {
      let lua = try home.lua(
        """
        local a, b = decks.open('A'), decks.open('A::B') local s = a:study{}
        print(a.study_due, b.study_due, b.due_count, s.remaining)
        """)
      let terminal = try home.terminal()
      let banner = terminal.wait(for: " due · 0 new")
      return lua.lines + [banner.split(whereSeparator: \.isNewline).last.map { String($0.prefix(5)) } ?? ""]
    }
    #expect(try counts() == ["0\t0\t0\t0", "0 due"])
    #expect(try home.run("study", "--list").output == "Nothing is due.\n")
    // Learning cards come up to twenty minutes early when nothing else is left.
    home.clock?.pass(seconds: 45 * 60)
    #expect(try counts() == ["2\t2\t2\t2", "2 due"])
    #expect(try home.run("deck", "list").output.contains("A         0    0    2"))
    try home.run("card", "bury", "A::B:1")
    #expect(try counts() == ["1\t1\t1\t1", "1 due"])
    #expect(
      try home.run("card", "list", "--columns", "prompt,state").lines == [
        "Prompt  State", "p2      buried", "p1      learning",
      ])
    let cram = try home.run("study", "A", "--cram", input: "\n3\n")
    #expect(cram.errors.contains("1 card is left out: buried until tomorrow."), "\(cram)")
  }
}
