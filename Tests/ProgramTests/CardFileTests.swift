// `deck import` and `deck export` from the command line: pipes, patterns, dry runs, undo steps, exit statuses.

import TestSupport

@Suite struct CardFileTests {
  private let home = Home()

  private func prompts(_ deck: String, _ home: Home) throws -> [String] {
    try home.lua("for card in decks.open('\(deck)'):cards() do print(card.prompt) end").output
      .split(separator: "\n").map(String.init)
  }

  @Test func `the detected form of a table is printed, and a dry run shows the first cards`() throws {
    let rows = (1...7).map { "wort \($0);word \($0);a b\n" }.joined()
    let file = try home.write("Deutsch;Englisch;Thema\n" + rows, to: "w.csv")
    let arguments = ["deck", "import", "W", file, "--columns", "prompt=Deutsch,answer=Englisch,tags=Thema"]
    let rehearsed = try home.run(["--dry-run"] + arguments)
    #expect(rehearsed.status == 0 && rehearsed.errors.contains("\n    wort 3 → word 3  [a b]\n"), "\(rehearsed)")
    #expect(!rehearsed.errors.contains("wort 4") && rehearsed.output.contains("Would add 7 cards"))
    #expect(try home.run("deck", "list").output.contains("No decks yet"))
    let run = try home.run(arguments)
    #expect(
      run.output == """
        Imported 7 cards into "W".
        Read as a table with semicolons in utf-8; the first row names the columns: prompt, answer, tags.

        """)
    try home.run(arguments + ["--json"]).succeeds("\"skipped\": 7", "\"separator\": \"semicolon\"")
    let latin = try home.write(Array("prompt,answer\nca".utf8) + [0xF1, 0x6F] + Array(",x\n".utf8), to: "latin.csv")
    #expect(try home.run("deck", "import", "L", latin, "--encoding", "latin-1").status == 0)
    #expect(try prompts("L", home) == ["ca\u{F1}o"])
  }

  @Test func `importing a text file with --columns prints how to import it as a table`() throws {
    let file = try home.write("#separator:tab\nWort\tWord\nTür\tdoor\n", to: "w.txt")
    let columns = ["--columns", "prompt=Wort,answer=Word"]
    let run = try home.run(["deck", "import", "A", file] + columns)
    #expect(run.output.hasPrefix("Imported 2 cards into") && run.output.contains("use --format tsv"), "\(run)")
    let list = try home.write("Wort\tWord\nTür\tdoor\n", to: "l.txt")
    let table = try home.run(["deck", "import", "B", list] + columns)
    #expect(table.output.hasPrefix("Imported 1 card into"), "\(table)")
  }

  @Test func `Markdown without a card, or with several cards in one, prints what counts as a card`() throws {
    for text in ["- correr\n- ir\n", "# Verbs\n\n## A title\n\nir :: to go\n"] {
      try home.run("deck", "import", "W", home.write(text, to: "none.md")).fails("in Markdown a card is a heading")
      #expect(try home.run("deck", "show", "W").status == 1)
    }
    for body in ["| a | b |\n|---|---|\n| c | d |\n"] {
      let one = try home.run("deck", "import", "W", home.write("## Verbs\n\n" + body, to: "one.md"))
      #expect(one.output.contains("Line 1: all text below this heading is one answer"), "\(one)")
    }
    try home.run("deck", "import", "W", home.path).fails("could not be read: it is a folder")
  }

  @Test(arguments: [["--separator", "xx"], ["--columns", "prompt"], ["--columns", "prompt=1,prompt=2"]])
  func `an option for tables that cannot be used is wrong usage`(words: [String]) throws {
    let run = try home.run(["deck", "import", "A", home.write("uno,one\n", to: "w.csv")] + words)
    #expect(run.status == 2 && run.errors.hasPrefix("deck import: "), "\(run)")
  }

  @Test func `an export names the cards that are too large for a row`() throws {
    let table = "prompt,answer\nlarge " + String(repeating: "x", count: 999_980) + ",a\n"
    try home.run("deck", "import", "L", home.write(table, to: "l.csv"))
    let run = try home.run("deck", "export", "L", home.path + "/l.json")
    #expect(run.output.contains("Not in the file: 1 card too large for a row (large xxx"), "\(run)")
    #expect(run.output.contains(" Only a package (.apkg) contains such cards."), "\(run)")
  }

  @Test func `notes of a package that are in other decks are reported`() throws {
    let file = try home.write("uno\tone\ndos\ttwo\n", to: "w.tsv")
    let package = home.path + "/w.apkg"
    try home.run("deck", "import", "A", file, "--no-header")
    try home.run("deck", "export", "A", package)
    try home.run("deck", "rename", "A", "C::Inner")
    for (deck, place) in [("C::Inner", "already there"), ("C", "already there"), ("B", "already in other decks")] {
      let told = "Imported 0 cards into \"\(deck)\"; 2 skipped (\(place)).\n"
      for words in [["--dry-run"], []] {
        let run = try home.run(words + ["deck", "import", deck, package])
        #expect(run.status == 0 && (run.output + run.errors).contains(told), "\(run)")
      }
    }
  }

  @Test func `a first row that may be a header is reported, with the option to use`() throws {
    let file = try home.write("Spanish Word\tGerman\nperro\tHund\n", to: "w.tsv")
    let choice = "--columns \"prompt=Spanish Word,answer=German\""
    let rehearsed = try home.run("--dry-run", "deck", "import", "W", file)
    #expect(rehearsed.errors.contains("The first row would be a card") && rehearsed.errors.contains(choice))
    try home.run("deck", "import", "W", file).succeeds("The first row is now a card", choice)
    #expect(try home.run("deck", "import", "V", file, "--no-header").output.contains("first row") == false)
    let odd = try home.write("a=1\tb,c\nperro\tHund\n", to: "o.tsv")
    #expect(try home.run("deck", "import", "O", odd).output.contains("--columns prompt=NAME,answer=NAME"))
  }

  @Test func `standard input and output are files too`() throws {
    let run = try home.run("deck", "import", "W", "-", "--format", "tsv", input: "gato\tcat\nperro\tdog\n")
    #expect(run.status == 0 && run.output.hasPrefix("Imported 2 cards"), "\(run)")
    let written = try home.run("deck", "export", "W", "-", "--format", "jsonl")
    #expect(written.output.split(separator: "\n").count == 2 && written.output.hasPrefix("{\"prompt\":\"gato\""))
    #expect(written.errors == "Exported 2 cards of \"W\" to standard output.\n")
    try home.run("deck", "import", "X", "-", input: "Some prose.\nNo list.\n").fails("this is no list")
    #expect(try home.run("deck", "show", "X").status == 1)
    for (number, list) in [
      "gato - cat\nperro - dog\n",
      #"{"words": [{"word": "gato", "meaning": "cat"}, {"word": "perro", "meaning": "dog"}]}"#,
      "| Word | Meaning |\n|---|---|\n| gato | cat |\n| perro | dog |\n", "word,meaning\ngato,cat\nperro,dog\n",
      "{\"q\": \"gato\", \"a\": \"cat\"}\n{\"q\": \"perro\", \"a\": \"dog\"}\n",
    ].enumerated() {
      let run = try home.run("deck", "import", "L\(number)", "-", input: list)
      #expect(run.output.hasPrefix("Imported 2 cards into") && run.output.contains(" · gato → cat"), "\(run)")
    }
    try home.lua("print(decks.create('B'):import('-', {format = 'jsonl'}).added)", input: written.output).prints("2\n")
    // Packages work the same way: a file is standard output, then standard input.
    let package = home.path + "/w.package"
    let program = home.words([]).joined(separator: " ")
    // A note in another deck would be matched by its guid.
    let lines = [
      "deck export W - --format apkg > \(package)", "deck remove W", "deck remove B",
      "deck import P - --format apkg < \(package)",
    ]
    for line in lines {
      try Child(["/bin/sh", "-c", "\(program) \(line)"], environment: home.environment).finish(input: "").succeeds()
    }
    #expect(try prompts("P", home) == ["gato", "perro"])
  }

  @Test func `a list is imported by its name alone, and the answer shows how it was read`() throws {
    let file = try home.write("word,translation,example\ngato,cat,El gato duerme.\nsol,sun,\n", to: "my.animals.csv")
    let words = "Read as: front \"word\", back \"translation\", also \"example\" · gato → cat (El gato duerme.)"
    let rehearsed = try home.run("--dry-run", "import", file)
    #expect(
      rehearsed.errors.contains("\n    gato → cat (El gato duerme.)\n    sol → sun\n"), "\(rehearsed)")
    let run = try home.run("import", file)
    #expect(run.output.hasPrefix("Imported 2 cards into \"my.animals\".\n") && run.output.contains(words), "\(run)")
    let json = try home.run("deck", "import", "Two", file, "--two-columns", "--json").output
    #expect(json.contains(#""names": ["word", "translation", "example"]"#) && !json.contains("preview"), "\(json)")
    let lua = try home.lua(
      "local d = decks.create('L') d:import('\(file)') print(d:card(1).note.fields.example) "
        + "d = decks.create('M') d:import('\(file)', {two_columns = true}) print(d:card(1).answer)")
    #expect(lua.output == "El gato duerme.\ncat\n", "\(lua)")
    #expect(try home.run("import", "Two").errors.contains("FILE is missing"))
    #expect(try home.run("deck", "import", home.path + "/gone.csv").errors.contains("could not be opened"))
    try home.run("deck", "export", "my.animals", home.path + "/x.csv", "--for-spreadsheet")
    #expect(text(of: home.path + "/x.csv").utf8.starts(with: [0xEF, 0xBB, 0xBF]))
  }

  @Test func `several files and patterns are one undo step, or nothing`() throws {
    for number in 1...3 {
      _ = try home.write("{\"prompt\":\"p\(number)\",\"answer\":\"a\"}\n", to: "part-\(number).jsonl")
    }
    try home.run("deck", "import", "P", home.path + "/part-*.jsonl").prints("Imported 3 cards into \"P\".\n")
    #expect(try prompts("P", home) == ["p1", "p2", "p3"])
    #expect(try home.run("undo").status == 0)
    #expect(try home.run("deck", "list").output.contains("No decks yet"))
    _ = try home.write("{\"prompt\":", to: "part-2.jsonl")
    try home.run("deck", "import", "P", home.path + "/part-*.jsonl").fails("part-2.jsonl:1:11: a value expected")
    #expect(try home.run("deck", "list").output.contains("No decks yet"))
    #expect(try home.run("deck", "import", "P", home.path + "/none-*.csv").errors.contains("none-*.csv"))
  }

  @Test func `if everything was refused the status is 1, and neither a deck nor an undo step is created`() throws {
    let file = try home.write("a\nb\n", to: "w.csv")
    try home.run("deck", "import", "W::Inner", file).fails("--separator, --columns and --no-header set how")
    #expect(try home.run("deck", "list").output.contains("No decks yet"))
    #expect(try !home.run("undo", "--list").output.contains("importing"))
  }

  @Test func `the undo step of an import that only updated cards says so, also in a script`() throws {
    let old = try home.write("gato,cat\nsol,sun\n", to: "old.csv")
    let new = try home.write("gato,tomcat\nsol,the sun\n", to: "new.csv")
    let more = try home.write("gato,kitty\nmar,sea\n", to: "more.csv")
    for (file, step) in [
      (old, "importing 2 cards into W"), (new, "updating 2 cards in W"), (more, "importing 1 card into W"),
    ] {
      _ = try home.run("deck", "import", "W", file, "--on-duplicate", "update")
      #expect(try home.run("undo", "--list", "--json").output.contains("\"\(step)"))
    }
    _ = try home.lua("decks.open('W'):import('\(old)', {on_duplicate = 'update'})")
    #expect(try home.run("undo").output.hasPrefix("Undone: updating 2 cards in W"))
    let batch = "decks.open('W'):add_all({{prompt = 'gato', answer = 'cat'}}, {on_duplicate = 'update'})"
    _ = try home.lua(batch)
    #expect(try home.run("undo").output.hasPrefix("Undone: updating 1 card in W"))
  }

  @Test func `a card is added at the position the script gives`() throws {
    let code = """
      local deck = decks.create("D")
      for i = 1, 3 do assert(deck:append{prompt = "p" .. i, answer = "a"}) end
      assert(deck:add{prompt = "second", answer = "a", at = 2})
      assert(deck:add{prompt = "last", answer = "a", at = 99})
      assert(deck:add{prompt = "first", answer = "a"})
      """
    #expect(try home.lua(code).status == 0)
    #expect(try prompts("D", home) == ["first", "p1", "second", "p2", "p3", "last"])
    #expect(try home.lua("decks.open('D'):add{prompt = 'x', answer = 'a', at = 0}").status == 1)
  }

  @Test func `a package without DECK keeps the names of its decks; an import of nothing new leaves no trace`() throws {
    let other = Home()
    for (deck, word) in [("Spanish::Animals", "gato"), ("Geography", "Lima"), ("Spanish", "sol")] {
      try other.run("card", "add", deck, word, "x")
    }
    let package = home.path + "/all.colpkg"
    try other.run("deck", "export", "Spanish", package)
    try home.run("card", "add", "Geography", "Oslo", "Norway")
    let rehearsed = try home.run("--dry-run", "import", package)
    #expect(rehearsed.errors.contains("Imported 3 cards into \"Geography\", \"Spanish\"."), "\(rehearsed)")
    #expect(try home.run("import", package).output == "Imported 3 cards into \"Geography\", \"Spanish\".\n")
    #expect(
      try home.run("card", "list", "--columns", "deck").lines.dropFirst() == [
        "Geography", "Geography", "Spanish", "Spanish::Animals",
      ])
    let steps = try home.run("undo", "--list").output
    #expect(steps.contains("importing 3 cards (deck import)"), "\(steps)")
    for words in [["import", package], ["deck", "import", "Anki", package], ["deck", "import", "Spanish", package]] {
      try home.run(words).succeeds("3 skipped (already ")
    }
    #expect(try home.run("undo", "--list").output == steps && !home.run("deck", "list").output.contains("Anki"))
    // Several packages keep their names, and a list beside them has none to keep.
    try other.run("deck", "export", "Geography", home.path + "/g.apkg")
    try home.run("deck", "remove", "Geography")
    try home.run("import", home.path + "/g.apkg", package, "--json").succeeds("\"added\": 1,", "\"skipped\": 3,")
    let list = try home.write("uno,one\n", to: "list.csv")
    #expect(try home.run("import", list, home.path + "/g.apkg").output.hasPrefix("Imported 1 card into \"list\""))
  }
}
