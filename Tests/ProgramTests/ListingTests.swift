// Lists, counts, imports and single values, in a pipe and at a terminal.

import Glibc
import TestSupport

@Suite struct ListingTests {
  private let home = Home()

  @Test func `a card in a list has the same JSON as the card alone, whatever its properties`() throws {
    try home.lua(
      """
      local d = decks.create("D")
      d:add{prompt = "\\u{202E}ünï\\n\\"x\\"", answer = "a\\tb", tags = {"t::u", "ñ"}}
      d:add_note{type = "Basic (and reversed card)", fields = {Front = "gato", Back = "cat"}}
      decks.create("D::I"):add{prompt = "inner", answer = "x", document = documents.create()}
      d:card(1).flag = 3 d:card(2):suspend() d:card(3):bury()
      local s = d:study{} s:answer("good") s:answer("easy")
      """
    ).succeeds()
    let list = try home.run("card", "list", "--json").lines
    #expect(list.count == 4)
    for (place, line) in zip(["D:1", "D:2", "D:3", "D::I:1"], list) {
      #expect(try home.run("card", "show", place, "--json").lines == [line], "\(place)")
    }
    let sorted = try home.run("card", "list", "--json", "--sort", "-prompt", "--columns", "deck,tags,due,prompt").lines
    #expect(
      sorted.count == 4 && sorted.contains { $0.hasPrefix(#"{"deck": "D::I", "tags": [], "due": "#) }, "\(sorted)")
  }

  @Test func `a card's JSON has everything that show prints, and lists show and sort by the same names`() throws {
    let made = try home.lua(
      """
      local d = decks.create("D")
      d:add{prompt = "a", answer = "b", tags = {"t"}, fields = {source = "corpus", level = 12.5},
        document = documents.create()}
      local s = d:study{} s:answer("easy")
      d:card(1).flag = 3
      local c = d:card(1)
      print(c.fields.source, c.fields.level, c.note_type, c.interval > 0, pcall(function() c.fields.source = "x" end))
      """)
    #expect(made.output.hasPrefix("corpus\t12.5\tBasic\ttrue\tfalse\t"), "\(made)")
    let json = try home.run("--json", "card", "show", "D:1").output
    for line in try home.run("card", "show", "D:1").lines {
      let name = try #require(line.split(separator: " ").first)
      #expect(json.contains("\"\(name)\": "), "\(name) in \(json)")
    }
    #expect(json.contains(#""note_type": "Basic""#), "\(json)")
    #expect(json.contains(#""fields": {"Back": "b", "Front": "a", "level": 12.5, "source": "corpus"}"#), "\(json)")
    // Every JSON name is also a column, with the same value.
    let names = json.split(separator: "\"").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    for name in ["due", "interval", "stability", "created", "document", "note", "fields", "buried", "position"] {
      #expect(names.contains(Substring(name)))
      let alone = try home.run("--json", "card", "list", "--columns", name).output
      #expect(json.contains(alone.trimmingBraces), "\(alone) in \(json)")
      #expect(try home.run("card", "list", "--columns", "prompt,\(name)").lines.count == 2)
    }
    try home.run("card", "list", "--sort", "position").fails("prompt, answer, tags, guid, state, due", status: 2)
  }

  @Test func `numbers in a pipe are plain digits, and a terminal groups thousands`() throws {
    try home.lua(
      "local t = {} for i = 1, 1234 do t[i] = {prompt = 'p' .. i, answer = 'a'} end decks.create('D'):add_all(t)")
    #expect(try home.run("deck", "list").output.contains("D      1234"))
    #expect(try home.run("card", "show", "D:1200").output.contains("D, position 1200"))
    let charts = try home.run("deck", "stats", "D").output
    #expect(charts.contains("new         1234") && !charts.contains("1,234"), "\(charts)")
    let terminal = try home.terminal("deck", "list")
    terminal.wait(for: "1,234")
  }

  @Test(arguments: [
    ("#decks.list()", "0\n"), ("1, 'two'", "1\n\"two\"\n"), ("return 5", "5\n"), ("nil", "nil\n"), ("x = 5", ""),
    ("print(1)", "1\n"), ("local x = 5", ""), ("-- only a comment", ""),
  ])
  func `an expression after -e prints its value, as at the prompt`(code: String, output: String) throws {
    #expect(try Home().run("-e", code).output == output)
  }

  @Test func `a card is shown whole, in a pipe and on a narrow terminal`() throws {
    let words = (1...60).map { "word\($0)" }
    try home.lua("decks.create('D'):add{prompt = '\(words.joined(separator: " "))', answer = 'one\\ntwo'}")
    try home.run("card", "show", "D:1").succeeds(words.joined(separator: " "), "answer    one\n          two\n")
    let terminal = try home.terminal("card", "show", "D:1")
    for word in words { terminal.wait(for: word) }
  }

  @Test func `an editor opens a card although nothing was cached before`() throws {
    try home.lua("decks.create('D'):add{prompt = 'p', answer = 'a'}")
    let terminal = try home.terminal(
      ["card", "edit", "D:1"],
      ["XDG_CACHE_HOME=\(home.path)/new/cache", home.editor("sed -i s/p/changed/ \"$1\"")])
    terminal.wait(for: "Changed 1 card.")
    #expect(mode(of: home.path + "/new/cache/deckhand") == 0o700)
    #expect(try home.run("card", "show", "D:1").output.contains("changed"))
  }

  @Test func `an element of a list is named by its number and position`() throws {
    let path = try home.write(
      #"[{"prompt": "a", "answer": "b"}, {"prompt": "c", "answer": "d"}, {"prompt": "", "answer": "x"}]"#, to: "w.json")
    try home.run("deck", "import", "D", path).succeeds("element 3 (line 1, column 66)   the prompt is empty")
    let strict = try home.run("deck", "import", "E", path, "--strict")
    #expect(strict.errors == "deck import: w.json:1:66: element 3: the prompt is empty. Nothing was imported.\n")
  }

  @Test func `messages wrap between words, and JSON never wraps`() throws {
    let terminal = try home.terminal("--dry-run", "plugin", "test", "X")
    terminal.wait(for: "cannot undo; nothing\r\nwas changed. Run")
    let json = try home.terminal("--json", "--dry-run", "plugin", "test", "X")
    json.wait(for: "nothing was changed. Run it without --dry-run\"}")
  }

  @Test func `an omitted optional argument is not reported as missing`() throws {
    let id = try home.lua("print(documents.create{}.id)").output.split(separator: "\n")[0]
    #expect(try home.run("doc", "export", String(id), home.path + "/d.rwcard").status == 0)
  }
}

extension String {
  /// The content of an object in one line.
  fileprivate var trimmingBraces: String { String(dropFirst().prefix { $0 != "\n" }.dropLast()) }
}
