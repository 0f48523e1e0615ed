// Several shells with the same data at once: nothing is lost, and each sees what the others set.

import Glibc
import TestSupport

@Suite struct SeveralShellsTests {
  private let home = Home()

  private func shell(_ home: Home, _ lines: [String]) throws -> Child {
    let child = try home.start(["--quiet"])
    child.feed(lines.joined(separator: "\n") + "\n")
    return child
  }

  @Test func `four shells that add, edit, study and import at once lose nothing`() throws {
    try home.lua(
      """
      local edited, studied = decks.create("Edited"), decks.create("Studied")
      for i = 1, 30 do edited:add{prompt = "p" .. i, answer = "a", guid = "edit" .. 100 + i} end
      for i = 1, 30 do studied:add{prompt = "s" .. i, answer = "a"} end
      decks.create("Added")
      """
    ).succeeds()
    let rows = try home.write((1...20).map { "i\($0),x\n" }.joined(), to: "rows.csv")
    let children = try [
      shell(home, (1...30).map { "card add Added n\($0) x" }),
      shell(home, (1...30).map { "card edit edit\(100 + $0) --answer new" }),
      shell(home, ["s = decks.open('Studied'):study{}"] + (1...15).map { _ in "_ = assert(s:answer('easy'))" }),
      shell(home, (1...10).map { "deck import Imported\($0) \(rows)" }),
    ]
    for child in children {
      let run = try child.finish(input: "")
      #expect(run.status == 0 && run.errors.isEmpty, "\(run)")
    }
    try home.lua(
      """
      local edited, imported, studied = 0, 0, 0
      for card in decks.open("Edited"):cards() do if card.answer == "new" then edited = edited + 1 end end
      for card in decks.open("Studied"):cards() do studied = studied + card.reps end
      for i = 1, 10 do imported = imported + #decks.open("Imported" .. i) end
      print(#decks.open("Added"), edited, studied, imported)
      """
    ).prints("30\t30\t15\t200\n")
    #expect(try home.run("doctor", "cards").status == 0)
  }

  @Test func `concurrent edits of one document are all made, and leave no stray copies`() throws {
    try home.run("doc", "create")
    let document = try home.lua("print(documents.list()[1].id)").lines[0]
    try home.run("doc", "add-text", document, "first")
    let children = try (1...20).map { number in
      let words =
        number.isMultiple(of: 2)
        ? ["set", document, "1", "x=\(number)", "rotation=\(number)"] : ["add-text", document, "text \(number)"]
      return try home.start(["doc"] + words)
    }
    for child in children {
      let run = try child.finish(input: "")
      #expect(run.status == 0 && run.errors.isEmpty, "\(run)")
    }
    #expect(try home.lua("print(#documents.list())").output == "1\n")
    let shown = try home.run("doc", "show", document).output
    #expect((1...20).filter { !$0.isMultiple(of: 2) }.allSatisfy { shown.contains("text \($0)") }, "\(shown)")
  }

  @Test func `concurrent grants are all saved`() throws {
    let plugins = (1...20).map { "p\($0)" }
    for name in plugins { try home.plugin(name, permissions: #"["words"]"#, "") }
    let children = try plugins.map {
      try home.start(["plugin", "enable", $0, "--grant"])
    }
    for child in children { #expect(try child.finish(input: "").status == 0) }
    let on = try home.run("plugin", "list", "--json").lines.filter { $0.contains("\"granted\": [\"words\"]") }
    #expect(on.count == 20, "\(on)")
  }

  @Test func `a setting made in one shell is seen by another at its next line`() throws {
    try home.run("set", "study.limit", "5")
    let (first, second) = (try home.terminal(), try home.terminal())
    for terminal in [first, second] {
      #expect(terminal.shows("> "))
      terminal.type("set study.limit\r")
      #expect(terminal.shows("study.limit: 5"))
    }
    first.type("set study.limit 7\r")
    #expect(first.shows("study.limit is 7 now"))
    second.type("set study.limit\r")
    #expect(second.shows("study.limit: 7"))
  }

  @Test func `a plugin that is disabled in one shell is off in another at its next line`() throws {
    try home.plugin(
      "greets", permissions: #"["shell"]"#, manifest: #""commands": ["greet"]"#,
      #"shell.command{name="greet", run=function() return "hello" end}"#)
    try home.enable("greets")
    let terminal = try home.terminal()
    #expect(terminal.shows("> ", seconds: 30))
    terminal.type("greet\r")
    #expect(terminal.shows("hello", seconds: 30))
    #expect(try home.run("plugin", "disable", "greets").status == 0)
    terminal.type("greet\r")
    #expect(terminal.shows("neither a command nor a Lua name", seconds: 30))
  }

  @Test func `the data can be changed while the pager shows the past`() throws {
    try home.lua("d = decks.create('Spanish') for i = 1, 60 do d:add{prompt = 'p' .. i, answer = 'a'} end")
    let pipe = home.path + "/go"
    #expect(mkfifo(pipe, 0o600) == 0)
    let terminal = try home.terminal(["--at", "1", "card", "list"], ["PAGER=echo PAGED; cat \(pipe)"])
    terminal.wait(for: "PAGED")
    try home.run("card", "add", "Spanish", "late", "a").succeeds()
    // Opening it for writing blocks until the pager has opened it for reading.
    close(open(pipe, O_WRONLY))
    #expect(terminal.ended() == 0)
  }

  @Test func `a shell whose account was removed by another one signs out and leaves nothing behind`() throws {
    let password = try home.write("a long password\n", to: "password")
    try home.run("account", "add", "ana", "--new-password-file", password)
    let terminal = try home.terminal("--password-file", password)
    #expect(terminal.shows("> ", seconds: 30))
    #expect(try home.run("--password-file", password, "account", "remove", "ana").status == 0)
    terminal.type("backup\r")
    #expect(terminal.shows("no account is called", seconds: 30))
    #expect(terminal.ended(after: "exit\r") == 0)
    try home.run("account", "remove", "ana").fails("there is no account; `account add")
    try home.run("account", "add", "ana", "--new-password-file", password).succeeds()
  }

  @Test func `a refused password of the first account closes nothing`() throws {
    let weak = try home.write("short\n", to: "weak")
    chmod(weak, 0o600)
    let run = try home.run(input: "d = decks.create('Mine')\naccount add ana --new-password-file \(weak)\nd.name\n")
    #expect(run.errors.contains("at least 8 bytes") && run.output.contains("\"Mine\""), "\(run)")
  }

  @Test func `an account added while a script runs loses none of the script's work`() throws {
    try home.run("deck", "create", "Spanish")
    let pipe = home.path + "/go"
    #expect(mkfifo(pipe, 0o600) == 0)
    let script = try home.write("decks.create('Late') for line in io.lines('\(pipe)') do end", to: "late.lua")
    let child = try home.start(["run", script])
    // Opening it for writing blocks until the script has opened it for reading.
    let gate = open(pipe, O_WRONLY)
    let password = try home.write("a long password\n", to: "password")
    let added = try home.run("account", "add", "ana", "--new-password-file", password)
    close(gate)
    let run = try child.finish(input: "")
    if added.status == 0 {
      #expect(run.status == 77, "\(run)")
      #expect(names(in: home.path + "/data").contains("accounts") && access(home.path + "/data/local", F_OK) != 0)
      let decks = try home.run("--password-file", password, "deck", "list", "--json")
      #expect(decks.lines.count == 1 && decks.output.contains("Spanish"), "\(decks)")
    } else {
      #expect(run.status == 0, "\(run)")
    }
  }
}
