// Card documents through the built program: composing, drawing, saving.

import Glibc
import TestSupport

@Suite struct DocumentProgramTests {
  private let home = Home()

  private func id(_ run: Run) -> String {
    run.output.split(separator: " ").last.map { String($0.dropLast(2)) } ?? ""
  }

  /// Writes a red SVG of 400 by 200; returns its path.
  private func picture(_ home: Home) throws -> String {
    let svg =
      "<svg xmlns='http://www.w3.org/2000/svg' width='400' height='200'><rect width='400' height='200' fill='red'/></svg>"
    return try home.write(svg, to: "red.svg")
  }

  @Test func `a card shows no document from a file that was not saved`() throws {
    let doc = id(try home.run("doc", "create"))
    let file = home.path + "/a.rwcard"
    try home.run("doc", "export", doc, file)
    try home.lua("decks.create('D'):add{prompt = 'p', answer = 'a'}")
    try home.run("card", "attach", "D:1", file).fails("is not in the store")
    let card = "{prompt = 'q', answer = 'r', document = documents.open('\(file)')}"
    #expect(try home.lua("print(decks.open('D'):add_all({\(card)}).rejected[1].code)").output == "not_in_store\n")
  }

  @Test func `a document is composed, shown, drawn and removed by commands`() throws {
    let doc = id(try home.run("doc", "create", "--background", "1,1,0.7"))
    #expect(doc.count == 36)
    #expect(try home.run("doc", "add-text", doc, "el perro").status == 0)
    try home.run("doc", "add-image", doc, try picture(home), "frame=heart").succeeds()
    #expect(
      try home.run("doc", "set", doc, "2", "x=100", "rotation=15", "alt=a red field").output == "Changed 3 fields.\n")
    let shown = try home.run("doc", "show", String(doc.prefix(8))).output
    #expect(shown.contains("el perro") && shown.contains("an image in the shape of a heart: a red field"))
    for name in ["out.svg", "out.png", "out.pdf"] {
      #expect(try home.run("doc", "render", doc, home.path + "/" + name, "--width", "260").status == 0)
      #expect(size(of: home.path + "/" + name) > 500)
    }
    #expect(try home.run("doc", "list", "--json").lines.count == 1)
    #expect(try home.run("doc", "lower", doc, "2").output == "Moved.\n")
    #expect(try home.run("doctor", "documents").output.hasPrefix("All is well.\n"))
    let copy = id(try home.run("doc", "create", "--from", doc))
    let blue = id(try home.run("doc", "create", "--from", doc, "--background", "#0000ff"))
    #expect(try home.run("doc", "show", blue).output.hasPrefix("Card \(blue), blue\n"))
    #expect(try home.run("undo").status == 0)
    #expect(try home.run("doc", "list", "--json").lines.count == 2)
    #expect(try home.run("doc", "sheet", doc, copy, home.path + "/sheet.pdf").output.contains("Drew 2 documents"))
    #expect(try home.run("doc", "export", doc, home.path + "/old.rwcard", "--edition", "2").status == 0)
    #expect(try home.run("doc", "show", home.path + "/old.rwcard").output.contains("el perro"))
    #expect(try home.run("doc", "remove", copy).status == 0)
    #expect(try home.run("doc", "list", "--json").lines.count == 1)
  }

  @Test func `a number that is no element's is refused, and a text may begin with a combining mark`() throws {
    let doc = id(try home.run("doc", "create"))
    try home.run("doc", "add-text", doc, "a")
    for number in ["0", "2", "-1", "-9223372036854775808"] {
      try home.run("doc", "raise", doc, number).fails("no element is called")
    }
    #expect(try home.run("doc", "set", doc, "1", "text=\u{93E}").output == "Changed 1 field.\n")
    // What is named twice is counted once.
    #expect(try home.run("doc", "set", doc, "1", "1", "x=1", "x=2").output == "Changed 1 field.\n")
  }

  @Test func `a text has a size and a side, and its box grows with it`() throws {
    let doc = id(try home.run("doc", "create"))
    try home.run("doc", "add-text", doc, "una frase que no cabe en una línea", "size=120", "align=left")
    func field(_ name: String) throws -> String {
      try home.lua("print(documents.open('\(doc)').elements[1].\(name))").output.trimmingLineEnd
    }
    let (height, y) = (try #require(Double(field("height"))), try #require(Double(field("y"))))
    #expect((260...360).contains(height), "two lines of 120 units: \(height)")
    #expect(try field("align") == "left" && field("grows") == "true" && field("wraps") == "true")
    try home.run("doc", "set", doc, "1", "size=240")
    let grown = try #require(Double(field("height")))
    #expect(grown > 1.8 * height, "\(grown)")
    // The upper edge stays where it is.
    #expect(abs(try #require(Double(field("y"))) - grown / 2 - (y - height / 2)) < 1)
    try home.run("doc", "set", doc, "1", "height=300")
    #expect(try field("grows") == "false" && field("height") == "300.0")
    #expect(try home.run("doc", "set", doc, "1", "align=middle").errors.contains("center, left or right expected"))
    #expect(try home.run("doc", "set", doc, "1", "size=0").status == 1)
  }

  /// Checks that no element of a document lies over another one, or beyond the card.
  private func checkLayout(_ document: String) throws {
    let check = """
      local all = \(document).elements
      for i = 1, #all do
        local a = all[i]
        assert(math.abs(a.x) + a.width / 2 <= 650 and math.abs(a.y) + a.height / 2 <= 1000, "beyond the card: " .. i)
        for j = i + 1, #all do
          local b = all[j]
          assert(math.abs(a.x - b.x) >= (a.width + b.width) / 2 or math.abs(a.y - b.y) >= (a.height + b.height) / 2,
            i .. " and " .. j .. " lie over each other")
        end
      end
      """
    try home.lua(check).succeeds()
  }

  @Test func `what grows moves what is below it, and nothing else`() throws {
    let doc = id(try home.run("doc", "create"))
    for words in [
      ["El gato", "size=120"], ["beside", "x=605", "y=-400", "width=80"], ["the cat", "size=100"], ["end", "size=80"],
    ] {
      _ = try home.run(["doc", "add-text", doc] + words)
    }
    let places = "for _, e in ipairs(documents.open('\(doc)').elements) do io.write(e.y, ' ') end"
    let before = try home.lua(places).output.split(separator: " ").compactMap { Double($0) }
    try home.run("doc", "set", doc, "1", "text=" + String(repeating: "una frase que crece ", count: 4))
    let after = try home.lua(places).output.split(separator: " ").compactMap { Double($0) }
    try checkLayout("documents.open('\(doc)')")
    #expect(after[1] == before[1] && after[2] > before[2] + 100, "\(before) \(after)")
    #expect(abs(after[3] - after[2] - before[3] + before[2]) < 0.01, "\(before) \(after)")
    // It moves nothing that has room.
    try home.run("doc", "set", doc, "1", "text=El gato")
    try home.run("doc", "set", doc, "1", "text=" + String(repeating: "una frase que crece ", count: 4))
    let again = try home.lua(places).output.split(separator: " ").compactMap { Double($0) }
    #expect(zip(after, again).allSatisfy { abs($0 - $1) <= 10.5 }, "\(after) \(again)")
  }

  @Test func `a filled template flows down, and is written smaller if the card has no room`() throws {
    let doc = id(try home.run("doc", "create"))
    try home.run("doc", "add-text", doc, "{prompt}", "size=220")
    try home.run("doc", "add-text", doc, "{answer}", "size=120")
    try home.run("deck", "create", "D")
    let long = String(repeating: "una palabra ", count: 30)
    for (prompt, answer) in [("un gato que duerme mucho", "a cat that sleeps a lot"), (long, long), ("el sol", "sun")] {
      try home.run("card", "add", "D", prompt, answer)
    }
    try home.lua("documents.open('\(doc)'):fill(decks.open('D'))")
    #expect(try home.run("doc", "list", "--json").lines.count == 4)
    for number in 1...3 {
      try checkLayout(
        "(function() local n = 0 for _, d in ipairs(documents.list()) do if d.id ~= '\(doc)' then n = n + 1 "
          + "if n == \(number) then return d end end end end)()")
    }
  }

  @Test func `new elements cover no others while there is room, and a message says when there is none`() throws {
    let doc = id(try home.run("doc", "create"))
    let long = String(repeating: "a long text that wraps ", count: 5)
    for words in [
      ["add-image", doc, try picture(home)], ["add-text", doc, long, "wraps=true"], ["add-text", doc, "one\ntwo"],
    ] {
      let run = try home.run(["doc"] + words)
      #expect(run.status == 0 && !run.output.contains("covers others"), "\(run)")
    }
    try checkLayout("documents.open('\(doc)')")
    // What does not fit at the size that was asked for is made smaller.
    #expect(try home.run("doc", "add-text", doc, "too much", "size=1500").output.hasSuffix(".\n"))
    try checkLayout("documents.open('\(doc)')")
    let full = try home.run("doc", "add-text", doc, "too much", "wraps=true", "height=1900")
    #expect(full.output.contains("; the card is full, so it covers others."), "\(full)")
  }

  @Test func `the extension of an exported file decides its format, and files beside it are named`() throws {
    let doc = id(try home.run("doc", "create"))
    try home.run("doc", "add-text", doc, "el perro")
    try home.run("doc", "add-image", doc, try picture(home))
    for (name, head) in [("a.png", "\u{89}PNG"), ("a.svg", "<?xml"), ("a.pdf", "%PDF")] {
      #expect(try home.run("doc", "export", doc, home.path + "/" + name).output == "Drew \(home.path)/\(name).\n")
      let bytes = try #require(contents(of: home.path + "/" + name))
      #expect(
        bytes.dropFirst(head == "\u{89}PNG" ? 1 : 0).starts(with: head.utf8.suffix(3)) || bytes.starts(with: head.utf8))
    }
    try home.run("doc", "export", doc, home.path + "/a.rwcard").succeeds("Next to it: images/")
    let copy = id(try home.run("doc", "create", "--from", home.path + "/a.rwcard"))
    #expect(try home.run("doc", "render", copy, home.path + "/b.png").output == "Drew \(home.path)/b.png.\n")
    #expect(contents(of: home.path + "/a.png") == contents(of: home.path + "/b.png"))
    let raised = try home.run("doc", "raise", home.path + "/a.rwcard", "1").output
    #expect(raised.hasPrefix("Moved. The file is unchanged; its copy is document "), "\(raised)")
    try home.run("doc", "export", doc, home.path + "/old.rwcard", "--edition", "2").succeeds("Next to it: ")
    for words in [["a.txt"], ["a"], ["a.png", "--edition", "2"]] {
      try home.run(["doc", "export", doc] + words).fails("a name that ends in ")
    }
  }

  @Test(arguments: [(80, 24), (40, 12)]) func `the editor lists its keys`(columns: UInt16, rows: UInt16) throws {
    let doc = id(try home.run("doc", "create"))
    try home.run("doc", "add-text", doc, "el perro", "size=120")
    let terminal = try home.terminal(["doc", "edit", doc], columns: columns, rows: rows)
    terminal.type("?", after: "? help")
    #expect(terminal.wait(for: "Esc discards").contains("any key goes back"))
    terminal.type("x", showing: "? help")
    terminal.type("a")
    // On that page the keys that leave the editor go back too.
    for key in ["q", "\u{1B}", "\r"] {
      terminal.type("?", showing: "any key goes back")
      terminal.type(key, showing: "? help")
    }
    terminal.type("\r", showing: "Changed 1 element.")
    #expect(try home.lua("print(documents.open('\(doc)').elements[1].align)").output == "left\n")
  }

  @Test func `line feeds in a text are kept and reported, by commands and by Lua`() throws {
    let doc = id(try home.run("doc", "create"))
    #expect(try home.run("doc", "add-text", doc, "el perro\nthe dog").status == 0)
    #expect(try home.run("doc", "show", doc).output.contains("a text in 2 lines: \"el perro\", \"the dog\""))
    let code = """
      local d = assert(documents.open("\(doc)"))
      assert(d.elements[1].text == "el perro\\nthe dog")
      d.elements[1].text = "uno\\ndos\\n\\ntres"
      local added = assert(d:add_text{text = "a\\r\\nb"})
      assert(added.text == "a\\r\\nb")
      assert(added.height == assert(d:add_text{text = "a\\nb"}).height)
      """
    try home.lua(code).succeeds()
    #expect(try home.run("doc", "show", doc).output.contains("a text in 3 lines: \"uno\", \"dos\", \"tres\""))
    let export = try home.run("doc", "export", doc, home.path + "/old.rwcard", "--edition", "2").output
    #expect(export.contains("/elements/0/text  the text has 4 lines"), "\(export)")
    #expect(try home.run("doc", "render", doc, home.path + "/two.svg").status == 0)
  }

  @Test(arguments: [
    (["show", "nosuch"], 1, "not_found"), (["show", "/etc/passwd"], 1, "not_json"),
    (["render", "nosuch", "x.png"], 1, "not_found"), (["create", "--background", "2,0,0"], 2, "bad_value"),
    (["add-text", "nosuch", "a", "left=0"], 2, "bad_value"), (["set", "nosuch", "1", "left=3"], 2, "bad_value"),
  ])
  func `an impossible change is refused with a code`(words: [String], status: Int32, code: String) throws {
    try Home().run(["doc"] + words + ["--json"]).fails("\"code\": \"\(code)\"", status: status)
  }

  @Test func `a document is drawn in the terminal, and beside a card that is studied`() throws {
    try home.lua(
      "local d = documents.create{background = {1, 0, 0}} decks.create('P'):add{prompt = 'p', answer = 'a', document = d}"
    )
    let terminal = try home.terminal("study", "P", "--sprint")
    terminal.type("\r", after: "show the answer", showing: "48;2;255;0;0m▀")
    terminal.type("r", showing: "Done.")
  }

  @Test func `a prompt that cannot save its moves at its end reports it`() throws {
    try home.lua("documents.create{}:add_text{text = 'el perro'}")
    let other = home.words(["doc", "remove"]).map { "'\($0)'" }.joined(separator: " ")
    let lines = [
      "d = documents.list()[1]", "e = d.elements[1]", "e.x = 77", "_ = os.execute([[\(other) ]] .. d.id)",
    ]
    try home.run(input: lines.joined(separator: "\n") + "\n").fails("was removed")
  }

  @Test func `Tab offers the elements of a document, and their fields`() throws {
    let doc = id(try home.run("doc", "create"))
    for text in ["el perro", "el gato"] { #expect(try home.run("doc", "add-text", doc, text).status == 0) }
    let terminal = try home.terminal()
    terminal.type("doc set \(doc) 1 rot\t15\r", after: "> ", showing: "Changed 1 field.")
    terminal.type("doc lower \(doc) \t\t", showing: "el gato")
    terminal.type("2\r", showing: "Moved.")
  }

  @Test func `without the drawing program only pictures fail`() throws {
    symlink(builtProgram("deckhand"), home.path + "/link")
    let copy = home.path + "/alone"
    #expect(Child.copy(builtProgram("deckhand"), to: copy))
    let base = ["--data", home.path + "/data", "--no-plugins"]
    func run(_ words: String...) throws -> Run {
      try Child([copy] + base + words, environment: home.environment).finish(input: "")
    }
    let doc = id(try run("doc", "create"))
    #expect(try run("doc", "add-text", doc, "words").status == 0)
    try run("doc", "render", doc, home.path + "/x.png").fails("deckhand-draw")
    #expect(try run("doc", "show", doc).output.contains("words"))
  }
}
