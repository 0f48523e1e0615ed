// Lists of cards, and changes to many cards at once, through the built program.

import Glibc
import TestSupport

@Suite struct CardBulkTests {
  private let home = Home()

  init() throws {
    try home.lua(
      """
      local d = decks.create('D') decks.create('E'):add{prompt = 'otro', answer = 'other'}
      for i = 3, 1, -1 do d:add{prompt = 'el gatito ' .. i, answer = 'kitten ' .. i, tags = {'t' .. i}} end
      """)
  }

  private func list(_ words: String...) throws -> [String] {
    try home.run(["card", "list", "--columns", "prompt"] + words).lines.dropFirst().map { $0 }
  }

  @Test
  func `one quoted argument is the same query as in Lua, and a query that finds nothing says what was searched for`()
    throws
  {
    #expect(try list("is:new -tag:t1").count == 3 && list("is:new", "-tag:t1").count == 3)
    #expect(try list("prompt:\"el gatito\"") == ["el gatito 1", "el gatito 2", "el gatito 3"])
    #expect(try list("\"gatito 2\" or otro", "--sort", "-prompt") == ["otro", "el gatito 2"])
    try home.run("deck", "create", "Clase 1")
    try home.run("card", "add", "Clase 1", "uno", "one")
    // The shell removed the quotes around the name.
    #expect(try list("deck:Clase 1") == ["uno"] && list("-deck:clase 1", "gatito").count == 3)
    #expect(try list("deck:D t1").isEmpty && list("deck:\"Clase 1\"") == ["uno"])
    let nothing = try home.run("card", "list", "xyz tag:t1")
    #expect(nothing.output == "No card was found for \"xyz tag:t1\"; `help queries` explains how to search.\n")
    #expect(try home.run("card", "suspend", "tag:nope").errors.contains("no card was found for \"tag:nope\""))
  }

  @Test func `cards that a query finds are removed when one agrees, as one undo step`() throws {
    try home.run("card", "remove", "deck:D").fails("this would remove 3 cards; use --yes to agree", status: 2)
    try home.run("card", "remove", "tag:t1", "kitten").fails("this would remove 1 card; use --yes", status: 2)
    #expect(try home.run("card", "remove", "nosuch").errors.contains("no card was found for \"nosuch\""))
    let rehearsed = try home.run("--dry-run", "card", "remove", "deck:D")
    #expect(rehearsed.lines.first?.hasPrefix("Would remove 3 cards: ") == true, "\(rehearsed)")
    #expect(try list().count == 4)
    #expect(try home.run("card", "remove", "deck:D", "-tag:t1", "--yes").output == "Removed 2 cards.\n")
    #expect(try list() == ["el gatito 1", "otro"])
    #expect(try home.run("undo").output.contains("removing 2 cards") && list().count == 4)
    #expect(try home.run("card", "remove", "D:1", "D:2", "--json").output == "2\n")
    let terminal = try home.terminal(["card", "remove", "deck:D", "or", "deck:E"])
    terminal.type("n\r", after: "Remove 2 cards: \"el gatito 3\", \"otro\"? [y/N] ", showing: "Nothing was removed.")
  }

  @Test func `a text is replaced in the notes that a query finds, shown, rehearsed and undone as one step`() throws {
    try home.lua("decks.open('D'):add_note{fields = {Front = '<b>el gatito</b> 4', Back = 'kitten & cat'}}")
    let rehearsed = try home.run("--dry-run", "card", "replace", "deck:D", "gatito", "gato")
    #expect(rehearsed.status == 0 && rehearsed.output.contains("Would change 4 cards: "), "\(rehearsed)")
    #expect(
      rehearsed.errors.contains("+Front: el gato 2\n")
        && rehearsed.errors.hasSuffix("dry run: Replaced it in 4 notes.\n"))
    #expect(try list("gatito").count == 4)
    let run = try home.run("card", "replace", "tag:t1", "or", "\"gatito 4\"", "gatito", "gato")
    #expect(run.output.contains("-Front: <b>el gatito</b> 4\n+Front: <b>el gato</b> 4\n"), "\(run)")
    #expect(run.output.hasSuffix("-Front: el gatito 1\n+Front: el gato 1\nReplaced it in 2 notes.\n"), "\(run)")
    #expect(try list("gato -gatito").count == 2 && home.run("undo", "--list").lines[1].contains("editing 2 notes"))
    try home.run("undo")
    #expect(try list("gatito").count == 4)
    let words = ["deck:D", "(?i)KITTEN (\\d)", "$1 kittens", "--regex", "--field", "answer", "--json"]
    let json = try home.run(["card", "replace"] + words)
    #expect(json.lines.count == 3 && json.lines[0].contains("\"new\": \"1 kittens\""), "\(json)")
    #expect(try home.run("card", "replace", "deck:D", "& ", "and ").output.contains("+Back: kitten and cat\n"))
    #expect(
      try home.run("card", "replace", "deck:D", "nothing", "x").output == "\"nothing\" is in none of the fields.\n")
    for (words, expected, status) in [
      (["deck:D", "x"], "NEW is missing", 2), (["deck:D"], "OLD is missing", 2),
      (["deck:D", "", "x"], "OLD must not be empty", 1),
      (["deck:D", "(", "x", "--regex"], "OLD must be a valid expression", 1),
      (["deck:D", "a", "b", "--field", "Frnot"], "did you mean \"Front\"?", 1),
      (["deck:E", "otro", ""], "\"otro\": the field \"Front\", the note's first, is empty", 1),
    ] as [([String], String, Int32)] {
      try home.run(["card", "replace"] + words).fails(expected, status: status)
    }
  }

  @Test func `a replacement that removes cards is refused unless one agrees`() throws {
    try home.run("card", "add", "D", "--cloze", "{{c1::uno}} {{c2::dos}}")
    try home.run("card", "replace", "note:cloze", "{{c2::dos}}", "dos").fails("use --yes to agree", status: 2)
    try home.run("card", "replace", "note:cloze", "{{c2::dos}}", "dos", "--yes").succeeds("Replaced it in 1 note.")
    #expect(try list("note:cloze").count == 1)
  }

  @Test func `card add and card move make the deck that they name, in one step`() throws {
    let added = try home.run("card", "add", "New::Inner", "uno", "one")
    #expect(
      added.output == "Added \"uno\" to \"New::Inner\".\n" && added.errors == "new deck: New::Inner\n", "\(added)")
    #expect(try home.run("undo").output.contains("adding 1 card to New::Inner"))
    func decks() throws -> String { try home.run("deck", "list", "--json").output }
    #expect(try !decks().contains("Inner"))
    #expect(try home.run("card", "add", "Inner", "", "one").status == 1 && !decks().contains("Inner"))
    let moved = try home.run("card", "move", "gatito", "--deck", "Z")
    #expect(moved.output == "Moved 3 cards to \"Z\".\n" && moved.errors == "new deck: Z\n", "\(moved)")
    #expect(try list("--deck", "Z").count == 3)
    try home.run("undo")
    #expect(try list("--deck", "D").count == 3 && !home.run("deck", "list").output.contains("Z"))
  }

  @Test func `an empty word matches no card, and a card named twice counts once`() throws {
    for words in [
      ["card", "suspend", ""], ["card", "remove", ""], ["card", "remove", "", "--yes"],
      ["card", "tag", "", "--add", "x"], ["note", "show", ""],
    ] {
      try home.run(words).fails("begins with \"\"")
    }
    #expect(try home.run("card", "suspend", "E:1", "E:1").output == "Suspended 1 card.\n")
    #expect(try home.run("--json", "card", "resume", "E:1", "E:1").lines.count == 1)
    #expect(try home.run("card", "list", "is:suspended").output.hasPrefix("No card was found"))
  }

  @Test func `another program's guid may look like a position in a deck`() throws {
    try home.lua("decks.open('E'):add{prompt = 'dos puntos', answer = 'colon', guid = 'aB:12'}")
    for noun in ["card", "note"] {
      #expect(try home.run(noun, "show", "aB:12").output.contains("dos puntos"))
    }
    #expect(try home.run("card", "show", "aC:12").errors.contains("no deck is called \"aC\""))
  }

  @Test func `an offset beyond the last card is reported`() throws {
    let expected = "Nothing to show: --offset 9 is past the last card (1 card).\n"
    #expect(try home.run("card", "list", "otro", "--offset", "9").output == expected)
    #expect(try home.run("card", "list", "otro", "--offset", "9", "--sort", "prompt").output == expected)
    #expect(try home.run("--json", "card", "list", "--offset", "9").output.isEmpty)
  }

  @Test func `a list is sorted, limited and shows the requested columns`() throws {
    #expect(try home.run("card", "list").lines[0].split(separator: " ").prefix(3) == ["#", "Deck", "Prompt"])
    #expect(try list("--sort", "-answer", "--offset", "1", "--limit", "2") == ["el gatito 3", "el gatito 2"])
    let json = try home.run("card", "list", "otro", "--columns", "deck,prompt,due,reps", "--json")
    #expect(json.output == "{\"deck\": \"E\", \"prompt\": \"otro\", \"due\": null, \"reps\": 0}\n", "\(json)")
    let full = try home.run("card", "list", "otro", "--json").output
    let object = try home.run("--json", "card", "show", "E:1").output
    #expect(full == object)
    try home.run("card", "list", "--columns", "prompt,anser").fails("did you mean \"answer\"?", status: 2)
    #expect(try home.run("card", "list", "--sort", "answr").errors.contains("did you mean \"answer\"?"))
    #expect(try home.lua("print(#shell.run('card list tag:t1'))").output == "1\n")
  }

  @Test func `cards found by a query are tagged, flagged, suspended, buried and moved as one undo step`() throws {
    #expect(try home.run("card", "tag", "gatito", "--add", "animal").output == "Tagged 3 cards.\n")
    #expect(try list("tag:animal").count == 3)
    #expect(try home.run("card", "tag", "gatito", "--remove", "animal").output == "Untagged 3 cards.\n")
    #expect(try home.run("card", "flag", "tag:t2", "or", "tag:t3", "4").output == "Flagged 2 cards.\n")
    #expect(try list("flag:4").count == 2)
    #expect(try home.run("card", "suspend", "flag:4").output == "Suspended 2 cards.\n")
    #expect(try home.run("card", "resume", "is:suspended").output == "Resumed 2 cards.\n")
    #expect(try home.run("card", "bury", "D:1", "D:2").output == "2 cards are buried until tomorrow.\n")
    #expect(try home.run("card", "resume", "is:buried").output == "Resumed 2 cards.\n")
    #expect(try list("is:buried").isEmpty)
    #expect(try home.run("card", "move", "-tag:t1", "deck:D", "--deck", "E").output == "Moved 2 cards to \"E\".\n")
    #expect(try list("--deck", "E") == ["el gatito 2", "el gatito 3", "otro"])
    #expect(try home.run("card", "move", "E:3", "1").output == "\"otro\" is at position 1.\n")
    for (words, expected) in [
      (["card", "move", "E:3"], "POSITION"), (["card", "move", "E:3", "x"], "a whole number, at least 1"),
      (["card", "flag", "E:3", "9"], "a whole number from 0 to 7"), (["card", "flag", "E:3"], "N"),
      (["card", "tag", "Ee:1", "--add", "x"], "no deck is called \"Ee\""),
      (["card", "tag", "E:9", "--add", "x"], "position 9"), (["card", "tag", "E:1"], "--add or --remove is missing"),
      (["card", "move", "otro", "--deck", "a::::b"], "a deck's name"),
    ] {
      let run = try home.run(words)
      #expect(run.status != 0 && run.errors.contains(expected), "\(words): \(run)")
    }
  }

  @Test func `cards open as a table in the editor, and their changes are one operation`() throws {
    func edit(_ script: String, _ expected: String, _ words: String...) throws {
      let path = try home.write("sed -i '\(script)' \"$1\"\n", to: "editor.sh")
      let terminal = try home.terminal(["card", "edit"] + words, ["EDITOR=sh \(path)"])
      terminal.type("n\r", after: expected)
      _ = terminal.ended()
    }
    try edit(#"s/kitten/cat\\nand kitten/;/gatito 2/d"#, "Changed 2 cards.", "tag:t1", "or", "tag:t2", "or", "tag:t3")
    #expect(try home.run("card", "show", "D:1").output.contains("cat\n"))
    #expect(try list("kitten -cat") == ["el gatito 2"])
    // Without their column, the tags stay.
    try edit("s/gatito 3\tcat.*/gatito 3\tthird/", "Changed 1 card.", "tag:t1", "or", "tag:t3")
    #expect(try list("tag:t3", "third") == ["el gatito 3"])
    try edit("s/^1/7/", "line 3 of the table: the number of a card", "gatito")
    try edit(#"s/^\(.\)\t.*/\1\tx/"#, "line 3 of the table: a number, a prompt, an answer", "otro", "or", "tag:t1")
    #expect(try home.run("card", "edit", "gatito").errors.contains("an editor needs a terminal"))
    #expect(try home.run("card", "edit", "gatito", "--answer", "x").output == "Changed 3 cards.\n")
  }

  @Test func `cards of one note type open with its fields as columns, and refused rows are kept`() throws {
    try home.run("deck", "create", "N")
    for word in ["uno", "dos"] {
      try home.run("note", "add", "Basic (and reversed card)", "Front=\(word)", "Back=\(word)x", "--deck", "N")
    }
    func edit(_ script: String, _ expected: String...) throws {
      let path = try home.write("sed -i '\(script)' \"$1\"\n", to: "editor.sh")
      let terminal = try home.terminal(["card", "edit", "deck:N", "--yes"], ["EDITOR=sh \(path)"])
      for text in expected {
        terminal.wait(for: text)
        if text == "again?" { terminal.type("n\r") }
      }
      _ = terminal.ended()
    }
    try edit(#"s/unox/one/"#, "Changed 2 cards.")
    #expect(try list("one") == ["one", "uno"] || list("one") == ["uno", "one"])
    try edit(#"s/dosx/two/;s/uno\t/\t/"#, "of the table, \"uno\": ", "again?", "Your text was saved to")
    #expect(try list("two").isEmpty)
  }

  @Test func `the examples of help queries can be parsed`() throws {
    let help = try home.run("help", "queries")
    let queries = help.lines.filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }.compactMap { line in
      line.dropFirst(2).firstRange(of: "  ").map { String(line.dropFirst(2)[..<$0.lowerBound]) }
    }
    #expect(queries.count == 35, "\(queries)")
    for query in queries {
      try home.run("card", "list", query).succeeds()
    }
  }

  @Test func `a query of any size soon ends in an error or a result`() throws {
    for query in [
      String(repeating: "a ", count: 50_000), String(repeating: "(", count: 1000),
      "a " + String(repeating: "-", count: 9000) + "a",
      String(repeating: "(a or ", count: 40) + "b" + String(repeating: ")", count: 40),
      "re:" + String(repeating: "(a*)*", count: 40), "re:(((((((((((((a{1000}){1000}",
      String(repeating: "x or ", count: 1999) + "x", "prop:ivl>1e400", "added:99999999999999999999",
    ] {
      let run = try home.run("card", "list", query)
      #expect(run.status == 0 || run.status == 1, "\(run.errors.prefix(200))")
      #expect(run.processorSeconds < 20 && run.errors.utf8.count < 20_000)
    }
  }
}
