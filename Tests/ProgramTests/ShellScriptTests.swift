// Shell scripts: files of commands.

import TestSupport

@Suite struct ShellScriptTests {
  private let home = Home()

  @Test func `the word lua forces Lua at the prompt, and is not a command`() throws {
    try Home().run("lua", "-e", "print(1)").fails("no command is called \"lua\"", status: 2)
  }

  @Test func `a file of commands is one transaction and stops at the first failure, with its position`() throws {
    let good = try home.write("# decks\n\ndeck create A\n  deck create \"B C\"\n", to: "good.dh")
    let bad = try home.write("deck create D\ndeck shw D\ndeck create E\n", to: "bad.dh")
    #expect(try home.run("run", good).status == 0)
    let run = try home.run("run", bad).fails("bad.dh:2: deck: no command is called \"shw\"", status: 2)
    #expect(run.errors.hasSuffix("What the lines before it did was undone.\n"), "\(run)")
    #expect(try home.lua("print(#decks.list())").output == "2\n")
    #expect(try home.run("run", "nowhere.dh").status == 1)
    // An editor on another system uses other line endings.
    let other = try home.write("# decks\r\n\r\ndeck create F\r\ndeck shw F\r\n", to: "other.dh")
    #expect(try home.run("run", other).errors.contains("other.dh:4: deck: no command is called \"shw\""))
    #expect(try home.run("run", home.write("\u{FEFF}deck show F\n", to: "marked.dh")).errors.contains("called \"F\""))
  }

  @Test func `the script of a session repeats what its lines did`() throws {
    let terminal = try home.terminal("--no-init")
    terminal.wait(for: "?2004h")
    for line in [
      "1 + 1 -- two", "return 40 + 2", "local x = 7", "x = (x or 0) + 1", "deck create A > \(home.path)/out", "whoami",
      "history --lua \(home.path)/session.lua",
    ] {
      terminal.type(line + "\r", showing: "?2004h")
    }
    #expect(terminal.ended(after: "\u{04}") == 0)
    let other = Home()
    try other.run("-e", "dofile('\(home.path)/session.lua') print(x)").prints("2\n42\n1\n")
    #expect(try other.run("deck", "show", "A").status == 0)
  }

  @Test func `the script of a session has no line of another account`() throws {
    let accounts = try Accounts()
    try accounts.addBen()
    let script = accounts.home.path + "/session.lua"
    let login = "login ben --password-file \(accounts.password)"
    try accounts.ana(input: "secret = 'of ana'\nlogout\n\(login)\nversion\nhistory --lua \(script)\n")
    let lines = text(of: script)
    #expect(lines.contains("version") && !lines.contains("of ana"), "\(lines)")
  }
}
