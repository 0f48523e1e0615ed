// git with Scripts/git-deckhand, through the built program.

import Glibc
import TestSupport

@Suite struct GitTests {
  private let home = Home()

  init() throws {
    makeFolder(home.path + "/repo")
    _ = try git("init", "-q", "-b", "main")
    _ = try git("config", "user.name", "ana")
    _ = try git("config", "user.email", "ana@example.org")
    try script("setup").succeeds()
  }

  private var environment: [String] {
    home.environment + ["DECKHAND=" + builtProgram("deckhand"), "GIT_CONFIG_NOSYSTEM=1", "TMPDIR=" + home.path]
  }

  private func git(_ words: String...) throws -> Run {
    try Child(["/usr/bin/git", "-C", home.path + "/repo"] + words, environment: environment).finish(input: "")
  }

  private func script(_ words: String...) throws -> Run {
    let line =
      "cd '\(home.path)/repo' && exec '\(sourceRoot() + "/Scripts/git-deckhand")' \(words.joined(separator: " "))"
    return try Child(["/bin/sh", "-c", line], environment: environment).finish(input: "")
  }

  private func commit(_ files: [String: String], _ message: String) throws {
    for (name, text) in files { try home.write(text, to: "repo/" + name) }
    _ = try git("add", "-A")
    _ = try git("commit", "-qm", message)
  }

  /// Commits a file, and a change of it on each of two branches.
  private func branches(_ name: String, _ base: String, theirs: (String, String), ours: (String, String)) throws {
    try commit([name: base], "base")
    _ = try git("checkout", "-qb", "theirs")
    try commit([name: base.replacing(theirs.0, with: theirs.1)], "theirs")
    _ = try git("checkout", "-q", "main")
    try commit([name: base.replacing(ours.0, with: ours.1)], "ours")
  }

  private static let formats = [
    (
      "words.csv", "prompt,answer,guid,tags\ngato,cat,a,x\nperro,dog,b,x\n", "cat,a,x", "tomcat,a,x", "a,x\n", "a,x y\n"
    ),
    (
      "words.jsonl", "{\"prompt\":\"gato\",\"answer\":\"cat\",\"guid\":\"a\"}\n", "\"cat\"", "\"tomcat\"", "\"gato\"",
      "\"el gato\""
    ),
    ("words.md", "# Words\n\n## gato <!-- id: a -->\n\ncat\n", "cat\n", "tomcat\n", "## gato", "## el gato"),
  ]

  @Test(arguments: formats)
  func `git shows and merges two edits of one line`(
    _ name: String, _ base: String, _ first: String, _ second: String, _ third: String, _ fourth: String
  ) throws {
    try branches(name, base, theirs: (first, second), ours: (third, fourth))
    let shown = try git("diff", "main", "theirs")
    #expect(shown.output.contains("diff --deckhand a/\(name)") && shown.output.contains("+answer: tomcat"), "\(shown)")
    let log = try git("log", "-p", "-1", "theirs")
    #expect(log.output.contains("+answer: tomcat"), "\(log)")
    try git("merge", "-q", "--no-edit", "theirs").succeeds()
    let text = try git("show", "HEAD:" + name).output
    let wanted = base.replacing(first, with: second).replacing(third, with: fourth)
    #expect(
      text == (name.hasSuffix("jsonl") ? wanted.replacing(":\"el gato\"", with: ":\"el gato\"") : wanted), "\(text)")
  }

  @Test func `a file name that begins with a dash, or would control the terminal, is shown as a name`() throws {
    let name = "-x\u{1B}\\c.csv"
    try commit([name: "prompt,answer\ngato,cat\n"], "base")
    try home.write("prompt,answer\ngato,tomcat\n", to: "repo/" + name)
    let shown = try git("diff")
    #expect(shown.output.hasPrefix("diff --deckhand a/-x?\\c.csv b/-x?\\c.csv\n"), "\(shown)")
    #expect(shown.output.contains("+answer: tomcat"), "\(shown)")
  }

  @Test func `without DECKHAND the program is found by PATH`() throws {
    try commit(["words.csv": "prompt,answer\ngato,cat\n"], "base")
    try home.write("prompt,answer\ngato,tomcat\n", to: "repo/words.csv")
    let environment =
      environment.filter { !$0.hasPrefix("DECKHAND=") && !$0.hasPrefix("PATH=") }
      + ["PATH=\(folder(of: builtProgram("deckhand"))):/usr/bin:/bin"]
    let shown = try Child(["/usr/bin/git", "-C", home.path + "/repo", "diff"], environment: environment)
      .finish(input: "")
    #expect(shown.output.contains("+answer: tomcat"), "\(shown)")
  }

  @Test func `setting up again adds nothing, and keeps a last line without its end`() throws {
    try home.write("*.txt text", to: "repo/.gitattributes")
    for _ in 1...2 { #expect(try script("setup").status == 0) }
    let attributes = text(of: home.path + "/repo/.gitattributes").split(separator: "\n")
    #expect(attributes.count == 6 && attributes.first == "*.txt text", "\(attributes)")
  }

  @Test func `removing takes away what setting up added, and keeps other lines`() throws {
    #expect(try script("remove").status == 0)
    #expect(try git("config", "merge.deckhand.driver").status == 1)
    #expect(access(home.path + "/repo/.gitattributes", F_OK) != 0)
    try home.write("*.txt text\n", to: "repo/.gitattributes")
    for word in ["setup", "remove"] { #expect(try script(word).status == 0) }
    #expect(text(of: home.path + "/repo/.gitattributes") == "*.txt text\n")
  }

  @Test func `two changes to one cell stop the merge, and the file keeps both`() throws {
    let base = "prompt,answer,guid\ngato,cat,a\n"
    try branches("words.csv", base, theirs: ("cat", "kitty"), ours: ("cat", "tomcat"))
    let merged = try git("merge", "-q", "--no-edit", "theirs")
    #expect(merged.status == 1, "\(merged)")
    let text = text(of: home.path + "/repo/words.csv")
    #expect(text.contains("tomcat") && text.contains("kitty") && !text.contains("<<<<"), "\(text)")
    try git("diff", "--ours").succeeds("* Unmerged path words.csv\n")
  }

  @Test func `without the program tables are merged as text`() throws {
    let base = "prompt,answer\ngato,cat\nperro,dog\nsol,sun\nluna,moon\n"
    try branches("words.csv", base, theirs: ("moon", "the moon"), ours: ("cat", "tomcat"))
    let words = ["/usr/bin/git", "-C", home.path + "/repo", "merge", "-q", "--no-edit", "theirs"]
    let environment = environment.filter { !$0.hasPrefix("DECKHAND=") } + ["DECKHAND=/nonexistent/deckhand"]
    try Child(words, environment: environment).finish(input: "").succeeds()
    let wanted = base.replacing("moon", with: "the moon").replacing("cat", with: "tomcat")
    #expect(try git("show", "HEAD:words.csv").output == wanted)
  }

  @Test func `packages merge in git too`() throws {
    let other = Home()
    try other.write("prompt,answer,guid\ngato,cat,a\nsol,sun,b\n", to: "w.csv")
    try other.run("deck", "import", "W", other.path + "/w.csv")
    func package(_ position: String, _ answer: String?) throws {
      if let answer { try other.run("card", "edit", "W:" + position, "--answer", answer) }
      try other.run("deck", "export", "W", home.path + "/repo/w.apkg")
      if answer != nil { try other.run("undo") }
    }
    try package("1", nil)
    try commit([:], "base")
    _ = try git("checkout", "-qb", "theirs")
    try package("1", "tomcat")
    try commit([:], "theirs")
    _ = try git("checkout", "-q", "main")
    try package("2", "the sun")
    try commit([:], "ours")
    try git("merge", "-q", "--no-edit", "theirs").succeeds()
    try other.run("deck", "import", "Both", home.path + "/repo/w.apkg")
    let clean = Home()
    try clean.run("deck", "import", "Both", home.path + "/repo/w.apkg")
    #expect(
      try clean.run("-e", "for c in decks.open('Both'):cards() do print(c.answer) end").lines == ["tomcat", "the sun"])
  }

  @Test func `a deck of CrowdAnki is shown and merged note by note`() throws {
    let deck = """
      {"__type__": "Deck", "name": "x", "children": [], "kept": true, "note_models": [{"name": "C", "flds":
      [{"name": "Land"}, {"name": "City"}], "tmpls": [{"name": "1", "qfmt": "{{Land}}", "afmt": "{{City}}"}],
      "crowdanki_uuid": "c"}], "notes": [{"guid": "g", "fields": ["Norway", "Oslo"], "note_model_uuid": "c"}]}
      """
    try branches("deck.json", deck, theirs: ("Oslo", "Kristiania"), ours: ("Norway", "Norge"))
    #expect(try git("diff", "main", "theirs").output.contains("+City: Kristiania"))
    #expect(try git("merge", "-q", "--no-edit", "theirs").status == 0)
    let both = try git("show", "HEAD:deck.json").output
    for word in ["\"Norge\",\n", "Kristiania", "\"kept\": true"] { #expect(both.contains(word), "\(both)") }
  }

  @Test func `Markdown without cards is shown and merged as text`() throws {
    let base = "# Read me\n\none\n\ntwo\n\nthree\n\nfour\n"
    try branches("README.md", base, theirs: ("four", "FOUR"), ours: ("one", "ONE"))
    #expect(try git("diff", "main", "theirs").output.contains("+answer: FOUR"))
    try git("merge", "-q", "--no-edit", "theirs").succeeds()
    #expect(
      try git("show", "HEAD:README.md").output
        == base.replacing("four", with: "FOUR").replacing("one", with: "ONE"))
  }
}
