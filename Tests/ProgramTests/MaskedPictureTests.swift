// Pictures with hidden areas through the built program: notes made by hand and from documents, and the page of a deck.

import TestSupport

@Suite struct MaskedPictureProgramTests {
  private let home = Home()

  private func prompts() throws -> [String] {
    try home.lua("for card in decks.open('D'):cards() do print(card.prompt .. ' = ' .. card.answer) end").lines
  }

  @Test func `a document becomes cards that ask for its texts, as one step`() throws {
    try home.run("deck", "create", "D")
    let made = try home.run("doc", "create").output
    let doc = try #require(made.split(separator: " ").last).dropLast(2)
    try home.run("doc", "add-text", String(doc), "el sol", "x=0", "y=-700", "width=650", "height=200")
    let occlude = ["doc", "occlude", String(doc), "--deck", "D"]
    #expect(try home.run(occlude.dropLast(2)).status == 2)
    #expect(try home.run(["--dry-run"] + occlude).status == 0)
    #expect(try prompts() == [])
    let name = "rwcard-\(doc.prefix(8)).png"
    let words = "Picture \(name), 1 area hidden; asked is area 1 at middle, top"
    try home.run(occlude).prints("Added the note \"\(words)\" with 1 card to \"D\".\n")
    #expect(try prompts() == ["\(words) = 1 el sol"])
    try home.run(occlude).fails("already")
    #expect(try home.run("undo").status == 0)
    #expect(try prompts() == [] && home.run("media", "list", "--json").output == "")
  }

  @Test func `a note made by hand is on the page with its masks, and never without them`() throws {
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='20'/>"
    #expect(try home.run("media", "add", home.write(svg, to: "casa.svg")).status == 0)
    try home.run("deck", "create", "D")
    let areas = [
      "1::image-occlusion:rect:left=.1:top=.1:width=.2:height=.2:oi=1", "2::image-occlusion:ellipse:left=.7",
    ]
    try home.run(
      "note", "add", "image occlusion", "--html", "--deck", "D", "Image=<img src=\"casa.svg\">", "Back Extra=el sol",
      "Occlusion=" + areas.map { "{{c\($0)}}" }.joined(separator: "<br>")
    ).succeeds()
    let start = "Picture casa.svg, 1 area hidden; asked is area "
    let end = "; 1 area cannot be read"
    #expect(try prompts().sorted() == [start + "1 at left, top\(end) = el sol", start + "2\(end) = el sol"])
    let path = home.path + "/d.html"
    #expect(try home.run("deck", "page", "D", path, "--json").output.hasPrefix("{\"cards\": 2, \"bytes\": "))
    let page = text(of: path)
    #expect(page.ranges(of: "<span class=\"masked\"><img class=\"masks\" alt=\"Picture casa.svg, ").count == 4)
    #expect(page.ranges(of: "<img alt=\"casa.svg\"").count == 4)
  }
}
