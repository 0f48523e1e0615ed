// Documents filled from the cards of a deck, through the built program.

import TestSupport

@Suite struct DocumentTemplateTests {
  private let home: Home
  private let template: String

  /// A deck with two plain cards, one of them suspended, and an inner deck with a note that has a picture; and a
  /// template with a text, a growing text and an image.
  init() throws {
    home = Home()
    let picture = try home.write(
      "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='20'><rect width='40' height='20' fill='red'/></svg>",
      to: "red.svg")
    let code = """
      assert(media.add("\(picture)"))
      local d = decks.create("S")
      d:add{prompt = "el gato", answer = "the cat", tags = {"animal"}}
      d:add{prompt = "a <b>", answer = "{prompt}"}
      d:add{prompt = "asleep", answer = "x"}:suspend()
      notetypes.create{name = "Picture", fields = {"Word", "Image"},
        cards = {{name = "one", front = "{{Word}}", back = "{{Image}}"}}}
      decks.create("S::Red"):add_note{type = "Picture", fields = {Word = "rojo", Image = "<img src='red.svg'>"}}
      local t = documents.create{background = {1, 1, 1}}
      t:add_text{text = "{prompt} = {answer}"}
      t:add_text{text = "{Word}", size = 120}
      t:add_image("\(picture)").alt = "{answer}"
      print(t.id)
      """
    let made = try home.lua(code)
    try #require(made.status == 0, "\(made)")
    template = made.output.trimmingLineEnd
  }

  private func lua(_ code: String) throws -> String { try home.lua(code).output }

  @Test func `each card of a deck and its inner decks becomes a document, all as one undo step`() throws {
    let code = """
      local found = {}
      for _, d in ipairs(documents.open("\(template)"):fill(decks.open("S"))) do
        found[#found + 1] = d.elements[1].text .. " / " .. #d.elements
      end
      table.sort(found)
      print(table.concat(found, "\\n"))
      """
    // A card's text is not filled in again; the image is the picture in the answer.
    #expect(try lua(code) == "a <b> = {prompt} / 2\nel gato = the cat / 2\nrojo =  / 3\n")
    #expect(try home.run("doc", "list", "--json").lines.count == 4)
    #expect(try home.run("undo", "--list").output.contains("making 3 documents from cards"))
    #expect(try home.run("undo").status == 0)
    #expect(try home.run("doc", "list", "--json").lines.count == 1)
    #expect(try home.run("redo").status == 0)
    #expect(try home.run("doc", "list", "--json").lines.count == 4)
    #expect(try home.run("doctor", "documents").output.hasPrefix("All is well.\n"))
  }

  @Test func `a sheet of them is one call, and saves no document`() throws {
    let path = home.path + "/cards.pdf"
    try home.run("doc", "sheet", template, path, "--deck", "S")
      .prints("Drew 3 documents to \(path); 2 images left out, because the card has no picture for it.\n")
    #expect((contents(of: path) ?? []).starts(with: Array("%PDF-".utf8)))
    #expect(try home.run("doc", "list", "--json").lines.count == 1)
    let asleep = try home.run("doc", "sheet", template, path, "--deck", "S", "--query", "is:suspended")
    #expect(asleep.output.hasPrefix("Drew 1 document to "), "\(asleep)")
    try home.run("doc", "sheet", template, home.path + "/cards.png", "--deck", "S")
      .fails("a name that ends in .pdf expected")
  }

  @Test func `Lua fills a template and draws a sheet`() throws {
    let code = """
      local made = assert(documents.open("\(template)"):fill(decks.open("S"), {query = "tag:animal"}))
      print(#made, made[1].elements[1].text, made[1].path)
      assert(documents.sheet(made, "\(home.path)/lua.pdf"))
      local nothing, problem = documents.open("\(template)"):fill(decks.open("S"), {query = "nosuchword"})
      print(nothing, problem.code)
      """
    #expect(try lua(code) == "1\tel gato = the cat\tnil\nnil\tnot_found\n")
    #expect(size(of: home.path + "/lua.pdf") > 500)
  }

  @Test func `an invalid template, field or call is reported, and nothing is drawn`() throws {
    let plain = try home.run("doc", "create").output.split(separator: " ").last.map { String($0.dropLast(2)) } ?? ""
    let path = home.path + "/x.pdf"
    try home.run("doc", "sheet", plain, path, "--deck", "S").fails("has no {prompt}, {answer} or {FIELD}")
    #expect(try home.run("doc", "add-text", plain, "{promt}").status == 0)
    let unknown = try home.run("doc", "sheet", plain, path, "--deck", "S")
    #expect(unknown.errors.contains("{promt}: no card has such a field (did you mean \"prompt\"?)"), "\(unknown)")
    #expect(try home.run("doc", "sheet", template, path, "--query", "x").status == 2)
    #expect(try home.run("doc", "list", "--json").lines.count == 2)
  }
}
