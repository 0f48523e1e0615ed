// Batch work on real data: decks from word lists, transactions, processes killed half way.

import Glibc
import TestSupport

@Suite struct BatchTests {
  private let home = Home()

  @Test func `a script whose word list is truncated while it runs saves nothing and says so`() throws {
    let environment = home.environment(with: ["XDG_CACHE_HOME=\(home.path)/cache"])
    func run(_ words: String...) throws -> Run {
      try Child(home.words(words), environment: environment).finish(input: "")
    }
    let list = home.path + "/cache/deckhand/english.words"
    func script(_ size: Int) -> String {
      """
      decks.create("D") local list = words.lexicon("english")
      os.execute("test \(size) = 0 || truncate -s \(size) '\(list)'")
      for _, word in ipairs{"house", "tree", "zebra"} do local _ = list:contains(word) end print("alive")
      """
    }
    #expect(try run("word", "check", "house", "--language", "english").status == 0)
    let cut = try run("-e", script(5000))
    #expect(cut.status == 1 && cut.output == "alive\n" && cut.errors.contains("cannot be trusted"), "\(cut)")
    #expect(try run("-e", "#decks.list()").output == "0\n")
    let whole = try run("-e", script(0))
    #expect(whole.status == 0 && whole.errors.isEmpty, "\(whole)")
    #expect(try run("word", "check", "house", "--language", "english").output.contains("yes"))
  }

  private func script(_ name: String) -> String { sourceRoot() + "/Scripts/decks/" + name }

  /// Each Debian has its own list.
  @Test func `the list of a million words that the guide names has about a million`() throws {
    let guide = text(of: sourceRoot() + "/Sources/deckhand/Documentation.docc/Corpora.md")
    #expect(guide.contains("`word_list.lua spanish` takes 1,000 of the list's million words"))
    let count = try Home().run("-e", "#words.lexicon('spanish')").output.trimmingLineEnd
    #expect((900_000...1_100_000).contains(Int(count) ?? 0), "\(count)")
  }

  @Test func `the exit status decides whether a script's work is saved`() throws {
    #expect(try home.lua("decks.create('Kept') os.exit(0)").status == 0)
    #expect(try home.lua("decks.create('Lost') os.exit(3)").status == 3)
    #expect(try home.run("-e", "decks.create('One')", "-e", "error('x')").status == 1)
    #expect(try home.run("-", input: "decks.create('Two') error('x')").status == 1)
    let dry = try home.run("--dry-run", "-e", "decks.create('Dry')")
    #expect(dry.status == 0 && dry.errors.contains("Would add 1 deck: Dry"))
    #expect(try home.lua("for _, deck in ipairs(decks.list()) do print(deck.name) end").output == "Kept\n")
  }

  @Test func `a process killed while adding leaves all or nothing`() throws {
    try home.run("deck", "create", "Big")
    let code = """
      local i = 0
      decks.open("Big"):add_all(function()
        i = i + 1
        if i % 10000 == 0 then io.stdout:write(i, "\\n") io.stdout:flush() end
        if i <= 100000 then return {prompt = "prompt " .. i, answer = "answer " .. i} end
      end)
      """
    for progress in ["", "10000\n", "50000\n", "100000\n"] {
      let child = try home.start(["-e", code])
      var said = ""
      while !said.hasSuffix(progress) {
        let bytes = child.next(milliseconds: 60_000)
        try #require(!bytes.isEmpty, "\(said)")
        said += String(decoding: bytes, as: UTF8.self)
      }
      child.kill(SIGKILL)
      _ = child.wait()
      let count = try home.lua("print(#decks.open('Big'))").output
      #expect(["0\n", "100000\n"].contains(count), "\(count)")
      #expect(try home.run("doctor", "cards").output.hasPrefix("All is well.\n"))
      if count != "0\n" { break }
    }
  }

  @Test func `shell.print shows tables as the prompt does: cycles, functions and __tostring`() throws {
    let code = "c = {f = print} c.c = c %(c) %(setmetatable({}, {__tostring = function() return 'T' end})) %(print)"
    let printed = try home.lua(code.replacing("%", with: "shell.print")).output
    #expect(printed.hasPrefix("{c = {…cycle…}, f = function: ") && printed.contains("}\nT\nfunction: "), "\(printed)")
    let keyed = try home.lua("shell.print({[decks.create('D')] = 7, [{1}] = 8, [1.5] = 9}) os.exit(1)").output
    #expect(keyed == "{[1.5] = 9, [deck \"D\" (0 cards)] = 7, [{… 1 …}] = 8}\n", "\(keyed)")
    let long = try home.lua("shell.print({[('k'):rep(5000)] = 7})").output
    #expect(long.hasSuffix("\" … 1,000 more bytes] = 7,\n}\n"), "\(long.suffix(40))")
  }

  @Test func `a long text is printed whole, and so is a table of any size`() throws {
    let cut = try home.lua(#"shell.print(("é"):rep(200000))"#)
    #expect(cut.lines.count == 2 && cut.lines.last == "… 334,464 bytes more; `print` writes all of it")
    #expect(try home.lua(#"shell.print(("a"):rep(5000))"#).output == String(repeating: "a", count: 5000) + "\n")
    let table = """
      t = {1, 2, 3, 4, 5, [9] = 9, [math.maxinteger] = 1, x = 1} for i = 3, 62 do t[1 << i] = i end
      v = t for i = 1, 6 do v = {v} end
      """
    let shown = try home.run(["-i", "-e", table], input: "#t\nv\nt\nprint('alive')\n")
    #expect(shown.status == 0 && shown.lines.first == "9223372036854775807", "\(shown)")
    #expect(shown.lines.last == "alive", "\(shown)")
  }

  @Test func `files reads - from standard input and writes it to standard output`() throws {
    try home.lua("print(1) files.write('-', files.read('-')) print(3)", input: "two\n").prints("1\ntwo\n3\n")
  }

  @Test func `a removed object is printed as what it was, marked as removed`() throws {
    let removed = "card = decks.create('D'):add{prompt = 'a', answer = 'b'} card:remove()"
    let run = try Home().run("-e", removed, "-e", "card", "-e", "print(card)")
    #expect(run.lines == Array(repeating: "card (the card has been removed)", count: 2), "\(run)")
  }

  @Test func `removing a document whose element was moved does not undo the rest of the script`() throws {
    try home.lua(
      """
      decks.create("kept")
      local document = documents.create {}
      document:add_text {text = "a"}.x = 5
      document:remove()
      """
    ).succeeds()
    #expect(try home.run("deck", "list").output.contains("kept"))
  }

  @Test func `a list where names are expected is refused`() throws {
    let run = try Home().run(
      "-e",
      """
      local deck = decks.create("d")
      print(pcall(settings.update, {true}))
      print(pcall(deck.add, deck, {prompt = "a", answer = "b", fields = {"x"}}))
      print(pcall(decks.create, ("x"):rep(10001)))
      """)
    #expect(run.lines.count == 3 && run.lines.allSatisfy { $0.hasPrefix("false") }, "\(run)")
    #expect(run.lines.prefix(2).allSatisfy { $0.contains("a table of names and values expected") }, "\(run)")
    #expect(run.lines.last?.contains("text of at most 10,000 bytes expected, got 10,001 bytes") == true, "\(run)")
  }
}

extension String {
  var trimmingLineEnd: String { hasSuffix("\n") ? String(dropLast()) : self }
}
