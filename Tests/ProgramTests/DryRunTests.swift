// `--dry-run`: no stored data changes, whatever is typed.

import Glibc
import TestSupport

@Suite struct DryRunTests {
  private let home = Home()

  /// The commands that have no dry run: they say so, and do nothing.
  private static let refused: Set<String> = [
    "serve", "mcp", "account add", "account remove", "alias", "passwd", "plugin check", "plugin reload", "plugin test",
  ]

  /// Returns a home with some of everything, and the names that the examples of the commands use.
  private func filledHome() throws -> Home {
    let home = Home()
    try home.lua(
      """
      for _, name in ipairs{"Spanish", "Old"} do
        local deck = decks.create(name)
        for i = 1, 8 do deck:add{prompt = "p" .. i, answer = "a" .. i} end
      end
      documents.create{background = {1, 1, 1}}:add_text{text = "el perro"}
      settings.set("game.language", "english")
      """
    ).succeeds()
    return home
  }

  /// All stored data, as the program prints it and as files.
  private func storedData(_ home: Home) throws -> [String: [UInt8]] {
    var all = storedFiles(in: home.path + "/data")
    for words in [
      ["deck", "list"], ["card", "list"], ["doc", "list"], ["set"], ["plugin", "list"], ["play", "--scores"],
    ] {
      all[words.joined(separator: " ")] = Array(try home.run(words + ["--json"]).output.utf8)
    }
    return all
  }

  /// Every command, by the names that help lists, with its example.
  private func commands(_ home: Home) throws -> [(name: String, example: String)] {
    let firsts = try home.run("help", "all").lines.filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
      .compactMap { $0.split(separator: " ").first.map(String.init) }
    let names = try firsts.flatMap { first -> [String] in
      let usage = try home.run("help", first).lines.filter { !$0.hasPrefix(" ") }
      let inGroup = usage.compactMap { line -> String? in
        let words = line.split(separator: " ")
        guard words.count > 1, words[0] == first[...], words[1].first?.isLetter == true,
          words[1].allSatisfy({ $0.isLowercase || $0 == "-" })
        else { return nil }
        return words[0] + " " + words[1]
      }
      return inGroup.isEmpty || first == "play" ? [first] : inGroup
    }
    return try names.map { name in
      let help = try home.run(["help"] + name.split(separator: " ").map(String.init)).lines
      let heading = try #require(help.firstIndex(of: "Example"), "\(name): \(help)")
      return (name, String(help[heading + 1].dropFirst(2)))
    }
  }

  @Test func `every command supports a dry run or says that it does not, and nothing is changed`() throws {
    let home = try filledHome()
    let before = try storedData(home)
    let files = storedFiles(in: home.path + "/data")
    let all = try commands(home) + [("play --list", "play --list")]
    #expect(all.count > 55)
    for (name, example) in all {
      let run = try home.run("--dry-run", "-e", "", "-i", input: example + "\n")
      let isRefused = run.errors.contains("that --dry-run cannot undo; nothing was changed")
      #expect(isRefused == Self.refused.contains(name), "\(name): \(run)")
      if isRefused { #expect(run.status == 2, "\(name)") }
      #expect(changes(files, storedFiles(in: home.path + "/data")).isEmpty, "\(name)")
    }
    #expect(try changes(before, storedData(home)) == [])
  }

  @Test(arguments: [
    ["alias", "x", "deck list"], ["plugin", "reload", "hangman"], ["plugin", "test", "hangman"],
  ])
  func `a command without a dry run ends with status 2 on the command line`(words: [String]) throws {
    let home = try filledHome()
    let before = try storedData(home)
    let run = try home.run(["--dry-run"] + words)
    #expect(run.status == 2 && run.output.isEmpty && run.errors.contains("--dry-run"), "\(run)")
    #expect(try changes(before, storedData(home)) == [])
  }

  @Test func `what would be added, changed and removed is counted and named`() throws {
    let home = try filledHome()
    let before = try storedData(home)
    #expect(
      try home.run("--dry-run", "card", "add", "Spanish", "el perro", "the dog").lines == [
        "Would add 1 card: el perro", "Nothing was changed (--dry-run).",
      ])
    #expect(
      try home.run("--dry-run", "deck", "remove", "Spanish").lines == [
        "Would remove 8 cards: p1, p2, p3, p4, p5, …", "Would remove 1 deck: Spanish",
        "Nothing was changed (--dry-run).",
      ])
    #expect(
      try home.run("--dry-run", "set", "game.language", "spanish").lines == [
        "Would change 1 setting: game.language", "Nothing was changed (--dry-run).",
      ])
    #expect(try home.run("--dry-run", "set", "study.limit", "7").lines.first == "Would add 1 setting: study.limit")
    #expect(try home.run("--dry-run", "card", "suspend", "Old:1").lines.first == "Would change 1 card: p8")
    #expect(try home.run("--dry-run", "doc", "create").output.hasPrefix("Would add 1 document: "))
    #expect(try home.run("--dry-run", "text", "known", "gato").lines.first == "Would add 1 listed word: gato")
    #expect(try home.run("--dry-run", "deck", "rename", "Old", "Old").lines.first == "Nothing would change.")
    let json = try home.run("--dry-run", "--json", "deck", "remove", "Spanish").lines
    #expect(json.count == 9 && json.allSatisfy { $0.hasPrefix("{\"change\": \"removed\", \"kind\": ") }, "\(json)")
    let edit = try home.run("--dry-run", "--json", "card", "edit", "Old:1", "--answer", "new").output
    #expect(edit.contains(#""before": {"answer": "a8"}, "after": {"answer": "new"}"#), "\(edit)")
    let words = try home.write("uno,one\ndos,\np1,a1\n", to: "words.csv")
    let rows = try home.run("--dry-run", "deck", "import", "Spanish", words)
    #expect(rows.lines.first == "Would add 1 card: uno" && rows.errors.contains("dry run: Imported 1 card"), "\(rows)")
    let file = home.path + "/x.csv"
    #expect(
      try home.run("--dry-run", "deck", "export", "Old", file).errors == "dry run: would write 8 cards to \(file)\n")
    let script = try home.run("--dry-run", "-e", "decks.create('New'):add{prompt = 'p', answer = 'a'}")
    #expect(
      script.errors == "Would add 1 card: p\nWould add 1 deck: New\nNothing was changed (--dry-run).\n", "\(script)")
    #expect(try changes(before, storedData(home)) == [] && text(of: file).isEmpty)
  }

  @Test func `an import of every format is tried from Lua, and changes nothing`() throws {
    let home = try filledHome()
    let before = try storedData(home)
    let code = """
      local source, target = decks.open("Old"), decks.open("Spanish")
      for i = 1, 3 do target:remove(1) end
      for _, format in ipairs{"json", "csv", "tsv", "apkg", "colpkg"} do
        local path = "\(home.path)/cards." .. format
        if source:export(path) then
          local told = assert(target:import(path, {dry_run = true}))
          local count, decks_before = #target, #decks.list()
          local done = assert(target:import(path, {dry_run = false}))
          print(format, told.added, count, done.added, decks_before)
          for i = 1, done.added do target:remove(1) end
        end
      end
      """
    let run = try home.lua(code + " error('taken back')")
    let rows = run.lines.map { $0.split(separator: "\t").map(String.init) }
    #expect(rows.count >= 3 && rows.map { $0[0] }.starts(with: ["json", "csv", "tsv"]), "\(run)")
    for row in rows { #expect(row[1] == row[3] && row[2] == "5" && row[4] == "2", "\(row)") }
    #expect(try changes(before, storedData(home)).filter { !$0.contains("/backups") } == [])
    // A dry run outside a script makes no undo step.
    let steps = try home.run("undo", "--list").output
    let alone = try home.run(
      "-e", "", "-i", input: "decks.open('Spanish'):import('\(home.path)/cards.csv', {dry_run = true}).added\n")
    #expect(alone.status == 0 && alone.output == "8\n", "\(alone)")
    #expect(try home.run("undo", "--list").output == steps)
  }

  @Test func `notes whose cards are counted are not counted again, however many there are`() throws {
    try home.lua(
      """
      local deck = decks.create("R")
      for n = 1, 20 do deck:add_note{type = "Basic (and reversed card)", fields = {Front = "f" .. n, Back = "b" .. n}} end
      """)
    let script = try home.write(
      """
      local seen = {}
      for card in decks.open("R"):cards() do
        local note = card.note
        if not seen[note.guid] then note.fields.Front = note.fields.Front .. "x" end
        seen[note.guid] = true
      end
      """, to: "r.lua")
    let errors = try home.run("--dry-run", "run", script).errors
    #expect(errors.hasPrefix("Would change 40 cards: ") && !errors.contains("note"), "\(errors)")
  }

  @Test func `in a script's dry run commands run within its transaction, and those that act outside only report`()
    throws
  {
    let home = try filledHome()
    let before = try storedData(home)
    let run = try home.run(
      "--dry-run", "-e",
      """
      assert(shell.run("deck remove Spanish"))
      assert(shell.run("doc create"))
      print(#decks.list(), #documents.list())
      for _, line in ipairs{"deck export Old \(home.path)/x.csv", "plugin disable hangman"} do shell.run(line) end
      print(select(2, shell.run("plugin reload hangman")).code)
      print(#decks.list(), files.write("\(home.path)/out.txt", "text"), documents.create{}:render("\(home.path)/x.svg"))
      """)
    #expect(run.output == "1\t2\ndry_run\n1\ttrue\ttrue\n", "\(run)")
    for what in ["write \(home.path)/out.txt, 4 bytes", "draw \(home.path)/x.svg"] {
      #expect(run.errors.contains("dry run: would \(what)\n"), "\(run.errors)")
    }
    #expect(run.errors.contains("would write 8 cards to ") && run.errors.contains("would disable the plugin hangman"))
    #expect(run.errors.contains("Would remove 1 deck: Spanish") && run.status == 0)
    #expect(try changes(before, storedData(home)) == [])
    for name in ["x.csv", "out.txt", "x.svg"] { #expect(access(home.path + "/" + name, F_OK) != 0) }
  }

  @Test func `lines of Lua at the prompt, observers and finalizers change nothing either`() throws {
    let home = try filledHome()
    let before = try storedData(home)
    let lines = [
      "decks.create('New')", "decks.open('Old'):card(1).prompt = 'changed'", "for i = 1, 2 do",
      "decks.create('D' .. i)", "end", "shell.on('exiting', function() decks.create('Late') end)",
      "setmetatable({}, {__gc = function() decks.create('Last') end}) documents.create{}",
      "shell.on('command', function() decks.create('Heard') end)", "version", "#decks.list()",
    ]
    let run = try home.run("--dry-run", input: lines.joined(separator: "\n") + "\n")
    #expect(run.output.hasSuffix("2\n"), "\(run)")
    #expect(try changes(before, storedData(home)) == [])
  }

  @Test func `work that was not done is not reported as done`() throws {
    try home.run("deck", "create", "A::B")
    try home.run("card", "add", "A::B", "uno", "one")
    let drawn = try home.run("--dry-run", "deck", "stats", "A", "--png", home.path + "/a.png")
    #expect(drawn.status == 0 && drawn.output.isEmpty && drawn.errors.contains("would write"), "\(drawn)")
    let text = try home.write("uno.", to: "a.txt")
    let shown = try home.run("--dry-run", "text", "show", text, "--png", home.path + "/a.svg")
    #expect(shown.status == 0 && shown.output.isEmpty && shown.errors.contains("would write"), "\(shown)")
    #expect(
      try home.run("--dry-run", "deck", "export", "A", home.path + "/a.csv").errors.contains("would write 1 card"))
    let code = "local a = decks.open('A') print(a:export('a.csv').cards, select(2, a:export('a.odt')).code)"
    #expect(try home.run("--dry-run", "-e", code).output == "1\tbad_format\n")
    #expect(try home.run("--dry-run", "deck", "export", "A", "a.odt").errors.contains("no format is called"))
  }

  @Test func `moves that are deferred to the end of a script are counted`() throws {
    try home.lua("documents.create{}:add_text{text = 'a'}")
    let run = try home.run("--dry-run", "-e", "documents.list()[1].elements[1].x = 9")
    #expect(run.errors.contains("Would change 1 document"), "\(run)")
  }

  @Test func `a script that runs a script is one transaction`() throws {
    let inner = try home.write("decks.create('Inner')", to: "inner.lua")
    let failing = try home.write("decks.create('Bad') error('no')", to: "failing.lua")
    #expect(try home.lua("decks.create('Outer') shell.run('run \(inner)') error('x')").status == 1)
    #expect(try home.lua("#decks.list()").output == "0\n")
    let run = try home.lua("decks.create('Outer') print(select(2, shell.run('run \(failing)')).code)")
    #expect(run.output == "script_failed\n", "\(run)")
    #expect(try home.run("--dry-run", "-e", "shell.run('run \(inner)') decks.create('After')").status == 0)
    #expect(!(try home.run("deck", "list").output.contains("After")))
  }
}

/// Returns the paths that were added, removed or changed.
private func changes(_ before: [String: [UInt8]], _ after: [String: [UInt8]]) -> [String] {
  Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
}

/// Every file below a folder with its bytes, except the database, whose header changes whenever it is opened.
/// `storedData` compares the content of the database.
private func storedFiles(in folder: String) -> [String: [UInt8]] {
  var found: [String: [UInt8]] = [:]
  for name in names(in: folder) where !name.hasPrefix("collection.sqlite") {
    let path = folder + "/" + name
    found[path] = contents(of: path) ?? []
    found.merge(storedFiles(in: path)) { $1 }
  }
  return found
}
