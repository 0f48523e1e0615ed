// Scripting the shell: the stand-alone Lua, files of commands.

import Glibc
import TestSupport
import Testing

@Suite struct ShellScriptTests {
  @Test(arguments: [
    (["-e", "print(1 + 1)"], "2\n", Int32(0)), (["-v"], "Lua 5.4.4  Copyright (C) 1994-2022 Lua.org, PUC-Rio\n", 0),
    (["-lm=math", "-e", "print(m.max(1, 2))"], "2\n", 0), (["-e", "error('x')"], "", 1), (["-x"], "", 1),
    (["-e"], "", 1),
    (["-e", "os.exit(7)"], "", 7), (["-", "a", "b"], "", 0), (["-W", "-e", "warn('x')"], "", 0),
    (["-e", "print(decks)"], "nil\n", 0),
  ])
  func `lua is Debian's lua5_4`(words: [String], output: String, status: Int32) throws {
    let home = try Home()
    let run = try home.run(["lua"] + words)
    #expect(run.output == output && run.status == status, "\(run)")
  }

  @Test func `lua hands a script its arguments and its prompts their lines`() throws {
    let home = try Home()
    let path = try home.write("print(#arg, arg[0] ~= nil, arg[-1], ...)", to: "a.lua")
    #expect(try home.run("lua", path, "x", "y").output == "2\ttrue\tlua\tx\ty\n")
    #expect(try home.run(["lua", "-i"], input: "a = 1\n=a + 1\n").output.contains("\n2\n"))
    #expect(try home.run(["lua", "nowhere.lua"]).errors.hasPrefix("lua: cannot open nowhere.lua"))
  }

  @Test func `a file of commands is one unit of work and stops at the first failure with its place`() throws {
    let home = try Home()
    let good = try home.write("# decks\n\ndeck create A\n  deck create \"B C\"\n", to: "good.dh")
    let bad = try home.write("deck create D\ndeck shw D\ndeck create E\n", to: "bad.dh")
    #expect(try home.run("run", good).status == 0)
    let run = try home.run("run", bad)
    #expect(run.status == 2 && run.errors.contains("bad.dh:2: deck: no command is called \"shw\""), "\(run)")
    #expect(try home.run("-e", "print(#decks.list())").output == "2\n")
    #expect(try home.run("run", "nowhere.dh").status == 1)
  }
}
