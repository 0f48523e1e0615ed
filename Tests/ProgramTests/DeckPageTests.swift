// A deck exported as a web page, and its answers imported again, through the built program.

import TestSupport

@Suite struct DeckPageTests {
  private let home = Home()
  private var page: String { home.path + "/spanish.html" }

  init() throws {
    try home.lua(
      """
      local d = decks.create('Spanish')
      for i = 3, 1, -1 do d:add{prompt = 'el perro ' .. i, answer = 'the dog ' .. i, guid = 'dog' .. i} end
      """)
  }

  /// The first line of an answers file, as the page writes it.
  private func head() throws -> String {
    try home.run("deck", "page", "Spanish", page)
    let options = text(of: page).split(separator: "{&quot;deck&quot;: &quot;").dropFirst().first ?? ""
    return "{\"deck\":\"\(options.prefix { $0 != "&" })\",\"version\":1}\n"
  }

  @Test func `a page is written, and reported as text or as JSON`() throws {
    let run = try home.run("deck", "page", "Spanish", page)
    #expect(run.status == 0 && run.errors.isEmpty, "\(run)")
    #expect(run.output.hasPrefix("Wrote \"Spanish\" as a page to \(page): 3 cards, "), "\(run)")
    #expect(text(of: page).contains("<summary dir=\"auto\">el perro 1</summary><div dir=\"auto\""))
    let json = try home.run("--json", "deck", "page", "Spanish", page).output
    #expect(json.hasPrefix("{\"cards\": 3, \"bytes\": ") && json.contains("\"media_left_out\": 0"), "\(json)")
  }

  @Test func `a page has the deck's name, documents as pictures, and what a home screen icon needs`() throws {
    let made = try home.lua(
      "local d = documents.create{} d:add_text{text = 'hola'} d:save() decks.open('Spanish'):card(1).document = d")
    #expect(made.status == 0, "\(made)")
    try home.run("deck", "rename", "Spanish", "Mis <perros>")
    try home.run("deck", "page", "Mis <perros>", page).succeeds("3 cards, 1 document, ")
    let html = text(of: page)
    for part in [
      "<title>Mis &lt;perros&gt;</title>", "<h1>Mis &lt;perros&gt;</h1>", "content=\"Mis &lt;perros&gt;\"",
      "<link rel=\"manifest\" href=\"data:application/manifest+json;base64,", "manifest-src data:;",
      "mobile-web-app-capable", "the dog 1<img alt=\"", "with the text &quot;hola&quot;",
      "src=\"data:image/png;base64,iVBOR",
    ] {
      #expect(html.contains(part), "\(part)")
    }
    try home.lua("documents.list()[1]:remove() decks.list()[1]:card(2).document = nil")
    try home.run("--json", "deck", "page", "Mis <perros>", page).succeeds("\"documents\": 0, \"documents_left_out\": ")
  }

  @Test func `a write error is reported, and a dry run writes nothing`() throws {
    #expect(try home.run("deck", "page", "Spanish", home.path + "/none/x.html").status == 1)
    #expect(try home.run("deck", "page", "French", page).errors.contains("no deck is called \"French\""))
    let run = try home.run("--dry-run", "deck", "page", "Spanish", page)
    #expect(run.errors == "dry run: would write a page of less than 1 MB to \(page)\n", "\(run)")
    #expect(text(of: page).isEmpty)
  }

  @Test func `answers are imported once, as one undo step`() throws {
    let file = try home.write(
      try head() + "{\"guid\":\"dog1\",\"at\":1700000000,\"rating\":3,\"seconds\":2}\n"
        + "{\"guid\":\"dog2\",\"at\":1700000100.25,\"rating\":4,\"seconds\":2}\n"
        + "{\"guid\":\"gone\",\"at\":1700000200,\"rating\":1,\"seconds\":2}\n", to: "phone.txt")
    let first = try home.run("deck", "import", "Spanish", file, "--format", "answers")
    #expect(first.output == "Imported 2 answers into \"Spanish\"; 1 for cards that are not in the deck.\n", "\(first)")
    #expect(try home.run("undo", "--list").output.contains("importing 2 answers into Spanish"))
    #expect(try home.lua("print(decks.open('Spanish'):card(2).state)").output == "review\n")
    let again = try home.run("deck", "import", "Spanish", "-", "--format", "answers", input: text(of: file))
    #expect(
      again.output.hasPrefix("Imported 0 answers into \"Spanish\"; 2 skipped (already there), 1 for cards"), "\(again)")
    #expect(
      try home.run("undo").output.contains("importing 2 answers into Spanish"),
      "the second import is no step of its own")
    #expect(try home.lua("print(decks.open('Spanish'):card(2).state)").output == "new\n")
  }
}
