// Files of other programs through the bundled plugin that reads them: rows, lines that are left, and what was learnt,
// by the fixtures; and the rules of formats that plugins add.

import TestSupport
import Values

@Suite struct ArrivalTests {
  private let home = Home()

  private static let fixtures: [(name: String, expected: Value.Record)] = {
    do {
      let fixtures = try record(fixtureText("arrivals/expected.json")).fields
      return fixtures.map { ($0.name, $0.value.record ?? Value.Record()) }
    } catch {
      preconditionFailure("\(error)")
    }
  }()

  private static func record(_ json: String) throws -> Value.Record {
    let limits = JSONLimits(bytes: 1 << 20, depth: 16, values: 100_000, string: 1 << 16)
    return try #require(try JSONParser.parse(Array(json.utf8), limits: limits).record)
  }

  private func report(_ words: String...) throws -> Value.Record {
    let run = try home.run(["deck", "import", "D"] + words + ["--json"])
    return try Self.record(run.output.isEmpty ? "{}" : run.output)
  }

  /// The parts that are left, as `line to reason` or `part reason`.
  private func left(_ parts: [Value]) -> [String] {
    parts.map { part in
      if let list = part.list { return list.map { $0.text ?? $0.json }.joined(separator: " ") }
      let lines = ["line", "to"].map { part.record?[$0]?.json ?? "" }
      let place = part.record?["part"]?.text ?? lines.joined(separator: " ")
      return place + " " + (part.record?["reason"]?.text ?? "")
    }
  }

  @Test(arguments: fixtures.indices) func `each fixture is read as expected`(index: Int) throws {
    let (name, expected) = Self.fixtures[index]
    let report = try report(fixturePath("arrivals/" + name), "--format", expected["format"]?.text ?? "")
    #expect(left(report["left"]?.list ?? []) == left(expected["left"]?.list ?? []), "\(name): \(report)")
    let history = report["history"]?.record
    #expect(history?["answers"]?.integer ?? 0 == expected["reviews"]?.integer, "\(name): \(report)")
    // A part for a new card in a comment of Obsidian is no schedule.
    let schedules = (expected["schedules"]?.integer ?? 0) - (name == "obsidian.md" ? 1 : 0)
    #expect(history?["schedules"]?.integer ?? 0 == schedules, "\(name): \(report)")
    #expect(report["rejected_count"]?.integer == 0, "\(name): \(report)")
    guard let rows = expected["rows"]?.list else {
      let count = expected["rows"]?.integer ?? expected["notes"]?.integer
      #expect(report["rows"]?.integer == count, "\(name): \(report)")
      #expect(report["added"]?.integer == expected["cards"]?.integer ?? count, "\(name): \(report)")
      return
    }
    let lines = try fixtureText("arrivals/" + name).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let ofRows = rows.reduce(0) { sum, row in
      let ends = row.list?.compactMap(\.integer) ?? [1, 1]
      return sum + lines[(ends[0] - 1)..<ends[1]].count { !$0.allSatisfy(\.isWhitespace) }
    }
    #expect(report["rows"]?.integer == ofRows, "\(name): \(report)")
  }

  @Test func `a file that two formats could be is refused, and a strict import leaves nothing`() throws {
    let run = try home.run("deck", "import", "D", fixturePath("arrivals/obsidian.md"))
    #expect(run.status == 1 && run.errors.contains("obsidian.md could be md or obsidian; say which"), "\(run)")
    let strict = try home.run("deck", "import", "D", fixturePath("arrivals/pleco.txt"), "--format", "pleco", "--strict")
    #expect(strict.status == 1 && strict.errors.contains("pleco.txt:8: no headword"), "\(strict)")
    #expect(try home.run("deck", "list", "--json").output.isEmpty)
  }

  @Test(arguments: [
    ("mnemosyne.db", "La capital de España es [ciudad]. review"), ("anymemo.db", "la vela\n(barco) new"),
    ("mochi.mochi", "El timón gobierna el [...]. suspended"), ("supermemo.xml", "Capital de Italia review"),
  ])
  func `the ending and the beginning of a file say whose it is`(name: String, card: String) throws {
    #expect(try home.run("deck", "import", "D", fixturePath("arrivals/" + name)).status == 0)
    let found = try home.run("card", "list", "deck:D*", "--json").lines.map(Self.record)
    let cards = found.map { "\($0["prompt"]?.text ?? "") \($0["state"]?.text ?? "")" }
    #expect(cards.contains(card), "\(cards)")
  }

  /// Tries to import what chance makes of a file, and writes what is neither read whole nor refused.
  private static let trials = """
    local path, format, count = arg[1], arg[2], tonumber(arg[3])
    local bytes, deck = assert(io.open(path, "rb")):read("a"), decks.create("D")
    local function part(most)
      local from = math.random(#bytes)
      return bytes:sub(from, from + math.random(0, most))
    end
    math.randomseed(#bytes)
    for trial = 1, count do
      local text = {}
      for place = 1, math.random(8) do text[place] = part(60) end
      local from, to = math.random(#bytes), math.random(#bytes)
      local changed = trial % 2 == 0 and table.concat(text) or bytes:sub(1, from) .. part(9) .. bytes:sub(to)
      assert(io.open(path, "wb")):write(changed):close()
      local ok, report, problem = pcall(deck.import, deck, path, { format = format, dry_run = true })
      if ok and report then
        local known = report.blank + report.rows + report.used + report.left_count
        for _, left in ipairs(report.left) do
          if left.reason == "not_accounted" then print(trial, "line " .. left.line) end
        end
        if known ~= report.lines then print(trial, known, report.lines) end
      elseif ok and not problem then
        print(trial, "neither read nor refused")
      end
    end
    """

  @Test(arguments: fixtures.indices) func `what chance makes of a file is read whole or not at all`(index: Int) throws {
    let (name, expected) = Self.fixtures[index]
    let path = try home.write(contents(of: fixturePath("arrivals/" + name)) ?? [], to: name)
    let script = try home.write(Self.trials, to: "trials.lua")
    // By hand: 11,000 of each.
    let run = try home.run("run", script, path, expected["format"]?.text ?? "", "110")
    #expect(run.status == 0 && run.output.isEmpty, "\(name): \(run)")
  }

  @Test func `cards of a format come back as they were written`() throws {
    #expect(try home.run("deck", "import", "D", fixturePath("arrivals/pleco.txt"), "--format", "pleco").status == 0)
    let path = home.path + "/out.txt"
    #expect(try home.run("deck", "export", "D", path, "--format", "pleco").status == 0)
    #expect(text(of: path).hasPrefix("方便面[方便麵]\tfang1bian4mian4\tnoun instant noodles\n"), "\(text(of: path))")
    let again = try home.run("deck", "import", "E", path, "--format", "pleco")
    #expect(again.status == 0 && again.output.hasPrefix("Imported 4 cards into \"E\"."), "\(again)")
  }

  /// A reader in the user's own state, of the format `own` with the ending `own`.
  private func reading(_ body: String, _ text: String = "one\ntwo\n\n") throws -> Run {
    _ = try home.write(text, to: "file.own")
    _ = try home.write(
      "assert(decks.format{name = 'own', ending = 'own', read = function(file, emit) \(body) end})",
      to: ".config/deckhand/init.lua")
    return try home.run("deck", "import", "D", home.path + "/file.own")
  }

  @Test(arguments: [
    ("emit{{line = 1, prompt = 'a', answer = 'b', colour = 1}}", "/colour: one of the keys line, to,"),
    (
      "pcall(emit, {{line = 9, left = 'x'}}) emit{{line = 1, prompt = 'a', answer = 'b'}}",
      "wrong item, /line: a whole number from 1 to 3 expected"
    ),
    ("return nil, 'the file is cut off'", "the file is cut off"), ("error('oh no')", "oh no"),
    (
      "local list = {} for i = 1, 100001 do list[i] = {line = 1, used = 'x'} end emit(list)",
      "a list of at most 100,000 items expected, got 100,001"
    ),
    ("emit{{line = 1, prompt = 'a', answer = 'b'}} error('too late')", "too late"),
  ])
  func `a wrong item, an error and a problem of a reader import nothing`(body: String, words: String) throws {
    try reading(body).fails(words)
    #expect(try home.run("deck", "list", "--json").output.isEmpty)
  }

  @Test func `rows of a note type are added together as they are one by one`() throws {
    let words = (0..<300).map { "字\($0 % 200)[字\($0 % 200)]\tzi4\tword \($0 % 200)" }
    let path = try home.write("// Words\n" + words.joined(separator: "\n") + "\n", to: "words.txt")
    for (deck, added) in [("D", 200), ("D", 0), ("E", 200)] {
      let run = try home.run("deck", "import", deck, path, "--format", "pleco", "--json")
      let skipped = 300 - added
      #expect(run.output.hasPrefix("{\"added\": \(added), \"updated\": 0, \"skipped\": \(skipped),"), "\(run)")
    }
    #expect(try home.run("card", "show", "D::Words:150").output.contains("word 149"))
    #expect(try home.run("doctor", "cards").output.hasPrefix("All is well.\n"))
  }

  @Test func `a folder is built with the formats that its description names, or not at all`() throws {
    let card = { (side: String, back: String) in "* Card :drill:\n\(side)\n** Answer\n\(back)\n" }
    let folder = home.path + "/spanish"
    func write(_ back: String, _ formats: String) throws {
      _ = try home.write(card("el gato", "the cat") + card("el perro", back), to: "spanish/animals.org")
      _ = try home.write("el pez::the fish\n", to: "spanish/fish.md")
      _ = try home.write("{\"name\": \"S\",\n\"formats\": {\(formats)}}", to: "spanish/deck.json")
    }
    func build(_ words: String..., cards: Int = 2, status: Int32 = 0) throws {
      let run = try home.run("build", folder)
      #expect(run.status == status && words.allSatisfy { (run.output + run.errors).contains($0) }, "\(run)")
      #expect(try home.run("card", "list", "deck:S", "--json").lines.count == cards)
    }
    try write("the dog", "\"org\": \"org\"")
    try build("Built \"S\": 2 added; 2 sources read")
    try write("the hound", "\"org\": \"org\"")
    try build("1 updated; 1 source read")
    try build("0 sources read, 2 unchanged")
    #expect(try home.run("plugin", "disable", "arrivals").status == 0)
    try build("deck.json:2:13: no format is called \"org\"; the plugin arrivals has it, but", status: 1)
    #expect(try home.run("plugin", "enable", "arrivals").status == 0)
    try write("the hound", "\"org\": \"orgg\"")
    try build("deck.json:2:13: no format is called \"orgg\" (did you mean \"org\"?)", status: 1)
    try write("the hound", "\"org\": \"csv\"")
    try build("\"csv\" is no format of a plugin for files that end with .org", status: 1)
    try write("the hound", "")
    try build("el gato")
    // The same file in another format is read again.
    try write("the hound", "\"org\": \"org\", \"md\": \"obsidian\"")
    try build("1 added", cards: 3)
  }

  @Test func `a line that a reader forgets is named`() throws {
    let run = try reading("emit{{line = 1, prompt = 'a', answer = file.text}}")
    #expect(run.status == 0 && run.output.contains("  line 2   not read; please report this as a fault"), "\(run)")
    #expect(try home.run("card", "show", "D:1").output.contains("two"))
  }
}
