// `deck diff`, `deck merge`, `deck conflicts`, `card history` and `--at` through the built program.

import TestSupport

@Suite struct CompareTests {
  private let home = Home()

  init() throws {
    try home.write("## el gato\n\nthe cat\n\n## el perro\n\nthe dog\n\n## el sol\n\nthe sun\n", to: "words.md")
    #expect(try home.run("deck", "import", "Spanish", home.path + "/words.md").status == 0)
  }

  private func file(_ name: String) -> String { home.path + "/" + name }

  private func guid(_ prompt: String) throws -> String {
    try home.lua("print(decks.open('Spanish'):find('\"\(prompt)\"')[1].guid)").lines.first ?? ""
  }

  @Test(arguments: ["apkg", "jsonl", "json", "csv"])
  func `a deck and the file it was exported to are equal`(_ ending: String) throws {
    try home.run("card", "add", "Spanish", "--cloze", "Madrid está en {{c1::España}}")
    try home.run("card", "tag", "Spanish:2", "--add", "animal")
    try home.run("card", "suspend", "Spanish:3")
    if ending == "csv" {
      try home.run("card", "remove", "Spanish:4")
    } else {
      try home.run("card", "add", "Spanish::Verbs", "ser", "to be")
      try home.run("card", "add", "Spanish::Verbs", "ir", "to go")
      try home.run("deck", "options", "Spanish", "new_per_day=7")
      try home.run("study", "Spanish", "--limit", "1", input: "\n3\n")
    }
    let options = ending == "csv" ? [] : ["--with-schedule"]
    #expect(try home.run(["deck", "export", "Spanish", file("a." + ending)] + options).status == 0)
    let run = try home.run("deck", "diff", "Spanish", file("a." + ending))
    #expect(run.status == 0 && run.output.isEmpty, "\(run)")
  }

  @Test func `each difference is a hunk per note and a line per field, and the status is 1`() throws {
    try home.run("deck", "export", "Spanish", file("a.apkg"))
    let cat = try guid("el gato")
    try home.run("card", "edit", "Spanish:1", "--answer", "the tomcat")
    try home.run("card", "tag", "Spanish:1", "--add", "animal")
    let run = try home.run("deck", "diff", file("a.apkg"), "Spanish")
    #expect(run.status == 1)
    #expect(
      run.lines == [
        "--- \(file("a.apkg"))", "+++ Spanish", "@@ changed note \(cat): el gato @@", "-Back: the cat",
        "+Back: the tomcat", "+tag: animal",
      ])
    let json = try home.run("--json", "deck", "diff", file("a.apkg"), "Spanish")
    #expect(
      json.output == #"{"kind": "note", "event": "changed", "key": "\#(cat)", "title": "el gato", "fields": "#
        + #"[{"name": "Back", "old": "the cat", "new": "the tomcat"}], "added_tags": ["animal"], "removed_tags": []}"#
        + "\n")
  }

  @Test func `long texts are compared quickly, and by content rather than by appearance`() throws {
    try home.lua(
      """
      local function lines(sign) local t = {} for i = 1, 6000 do t[i] = sign .. i end return table.concat(t, "\\n") end
      for name, sign in pairs{A = "a", B = "b"} do
        local deck = decks.create(name)
        deck:add{prompt = "long", answer = lines(sign), guid = "g1"}
        deck:add{prompt = "short", answer = "x\\n" .. (sign == "a" and "\\u{E9}" or "e\\u{301}") .. "\\n" .. sign, guid = "g2"}
      end
      """)
    let run = try home.run("deck", "diff", "A", "B")
    #expect(run.status == 1 && run.processorSeconds < 20, "\(run.errors)")
    #expect(run.lines.contains("-Back: a6000") && run.lines.contains("+Back: b1"))
    #expect(
      run.lines.count { $0.hasSuffix("\u{E9}") } == 2 && !run.lines.contains("-Back: x"), "\(run.lines.prefix(6))")
  }

  @Test func `a comparison that cannot be made ends with status 2`() throws {
    try home.run("deck", "diff", "Spanich", "Spanish")
      .fails("\"Spanich\" is neither a deck nor a file (did you mean \"Spanish\"?)", status: 2)
    for (name, text) in [("a.json", "7"), ("a.apkg", "no package")] {
      try home.write(text, to: name)
      let broken = try home.run("deck", "diff", file(name), "Spanish").fails(name, status: 2)
      #expect(!broken.errors.contains("imported"), "\(broken)")
    }
  }

  @Test func `learning progress is not compared`() throws {
    try home.run("deck", "export", "Spanish", file("a.apkg"))
    try home.run("study", "Spanish", "--limit", "1", input: "\n3\n")
    #expect(try home.run("deck", "diff", file("a.apkg"), "Spanish").status == 0)
  }

  @Test func `a table is compared by its first column or another one, with all its columns`() throws {
    try home.write("country,capital,ISO,note\nSpain,Madrid,ES,x\nItaly,Rome,IT,\n", to: "a.csv")
    try home.write("country,capital,ISO,note\nItalia,Rome,IT,\nSpain,Madrid,ES,y\n", to: "b.csv")
    let run = try home.run("deck", "diff", file("a.csv"), file("b.csv"), "--key", "ISO")
    #expect(
      run.lines.dropFirst(2) == [
        "@@ changed note IT: Italia, now first @@", "-country: Italy",
        "+country: Italia", "@@ changed note ES: Spain @@", "-note: x", "+note: y",
      ], "\(run)")
  }

  @Test(arguments: [("Spanish,English,Code", "code"), ("prompt,answer,Code", "Code"), ("guid,prompt,answer", "prompt")])
  func `beside a deck, the key is a field of its notes`(_ header: String, _ key: String) throws {
    try home.write(header + "\nel gato,cat,1\nel sol,sun,2\n", to: "a.csv")
    try home.write(header + "\ngato,cat,1\nel sol,sun,2\n", to: "b.csv")
    #expect(try home.run("deck", "import", "Words", file("a.csv")).status == 0)
    let (run, count) = (try home.run("deck", "diff", "Words", file("b.csv"), "--key", key), key == "prompt" ? 0 : 1)
    let changes = run.lines.filter { $0.hasPrefix("@@") }
    #expect(run.status == count && changes.count == count && changes.allSatisfy { $0.hasPrefix("@@ changed") })
    if key == "prompt" { return }
    try home.write("prompt,answer\ngato,cat\n", to: "c.csv")
    try home.run("deck", "diff", "Words", file("c.csv"), "--key", key).fails("no column called", status: 2)
  }

  @Test func `a conflict is stored with the deck, shown and resolved there`() throws {
    for (name, answer) in [("base", "cat"), ("ours", "tomcat"), ("theirs", "kitty")] {
      try home.write("prompt,answer,guid\ngato,\(answer),g1\nsol,sun,g2\n", to: name + ".csv")
    }
    let run = try home.run(
      "deck", "merge", file("base.csv"), file("ours.csv"), file("theirs.csv"), "--output", file("out.csv"))
    #expect(run.status == 1 && run.output.contains("1 conflict:\n  note gato: answer\n"), "\(run)")
    #expect(try home.run("deck", "import", "C", file("out.csv")).status == 0)
    let listed = try home.run("--json", "deck", "conflicts", "C")
    #expect(
      listed.output
        == #"{"kind": "note", "key": "g1", "field": "answer", "base": "cat", "ours": "tomcat", "theirs": "kitty"}"#
        + "\n", "\(listed)")
    let field = { try self.home.run("--json", "deck", "conflicts", "C", "--field", $0).lines.count }
    #expect(try field("answer") == 1 && field("nosuch") == 0)
    #expect(try home.run("deck", "conflicts", "C", "g2").output == "No conflicts.\n")
    for options in [[], ["--take", "ours"]] {
      try home.run(["deck", "conflicts", "C", "g3"] + options).fails("no card has a guid that begins with \"g3\"")
    }
    #expect(try home.run("deck", "conflicts", "C", "--take", "theirs").output.hasPrefix("Settled 1 conflict"))
    #expect(try home.lua("print(decks.open('C'):card(1).answer)").output == "kitty\n")
    #expect(try home.run("deck", "conflicts", "C").output == "No conflicts.\n")
    #expect(try home.run("undo").output.contains("settling 1 conflict"))
    #expect(try home.run("deck", "conflicts", "C").output.contains("kitty"))
  }

  @Test func `a merge that only moves notes says so`() throws {
    try home.run("deck", "export", "Spanish", file("base.csv"))
    try home.run("card", "move", "Spanish:3", "1")
    try home.run("deck", "export", "Spanish", file("theirs.csv"))
    try home.run("undo")
    let run = try home.run("deck", "merge", file("base.csv"), "Spanish", file("theirs.csv"))
    #expect(run.output == "Merged: 0 notes added, 0 changed, 0 removed.\nAlso: 1 note moved.\n", "\(run)")
  }

  @Test func `a deck at an undo step is what it was then`() throws {
    try home.run("card", "edit", "Spanish:1", "--answer", "the tomcat")
    try home.run("card", "remove", "Spanish:2")
    #expect(try home.run("--at", "1", "card", "list").output.contains("el perro"))
    #expect(try home.run("--at", "2", "-e", "1").status == 2)
    #expect(try home.run("--at", "1", "deck", "export", "Spanish", file("old.csv")).status == 0)
    #expect(try home.run("deck", "diff", "Spanish@1", file("old.csv")).status == 0)
    let hunks = try home.run("deck", "diff", "Spanish@1", "Spanish").lines.filter { $0.hasPrefix("@@") }
    #expect(hunks.map { $0.split(separator: " ")[1] }.sorted() == ["changed", "removed"], "\(hunks)")
    #expect(try home.lua("shell.at(1, function() return #decks.open('Spanish') end)").output == "3\n")
    #expect(try home.lua("#decks.open('Spanish')").output == "2\n")
    try home.run("--at", "1", "card", "remove", "Spanish:1").fails("--at reads the past", status: 2)
    try home.run("-e", "shell.at(1, function() decks.open('Spanish'):card(1):remove() end)").fails("read-only")
    let late = try home.lua("decks.create('D') print(select(2, shell.at(1, function() end))) os.exit(1)")
    #expect(late.output.contains("reading at a step are not possible within other changes"), "\(late)")
    #expect(try home.run("--at", "99", "card", "list").errors.contains("there is no step 99"))
    #expect(try home.run("undo", "--list").lines.count == 4)
  }

  @Test(arguments: [
    "assert(documents.create {})", "documents.list()[1].elements[1].x = 5",
    "documents.list()[1].background = {0, 0, 0}",
  ])
  func `a document can also be read, and only read, at an undo step`(change: String) throws {
    let home = Home()
    try home.lua("documents.create {}:add_text {text = 'a'}")
    try home.run("-e", "shell.at(1, function() \(change) end)").fails("read-only")
  }

  @Test func `the history of a card lists what changed, and in which undo step`() throws {
    try home.run("card", "edit", "Spanish:1", "--answer", "the tomcat")
    try home.run("card", "edit", "Spanish:2", "--answer", "the hound")
    try home.run("study", "Spanish", "--limit", "1", input: "\n3\n")
    let run = try home.run("card", "history", "Spanish:1")
    let lines = run.lines
    #expect(lines.count { $0.hasPrefix("step ") } == 3, "\(run)")
    #expect(lines.contains("  -Back: the cat") && lines.contains("  +Back: the tomcat"))
    #expect(run.output.contains("+card 1: learning, reps 1"))
    #expect(!run.output.contains("the hound"))
    #expect(try home.lua("print(decks.open('Spanish'):diff('Spanish@1')[1].event)").output == "changed\n")
  }
}
