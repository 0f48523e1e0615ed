// The program with little memory left, here 1 GiB of address space: what takes too much is one error, and the next line
// works. Nothing ends the program.

import Glibc
import TestSupport

@Suite struct AddressSpaceTests {
  private let home = Home()

  /// Runs the program with 1 GiB of address space.
  private func run(_ arguments: String...) throws -> Run {
    try home.sh("ulimit -v 1048576; exec \"$@\"", arguments)
  }

  /// A text without full stops.
  private func oneSentence(words: Int) throws {
    try home.write((0..<words).map { "w\($0)x" }.joined(separator: " "), to: "one.txt")
  }

  @Test(arguments: ["shell.print(all)", "return all", "error(all)"])
  func `tables of coroutines from a plugin stop at its limit`(_ end: String) throws {
    try home.plugin(
      "wide", permissions: #"["shell"]"#, manifest: #""commands": ["wide"]"#,
      """
      shell.command{name = "wide", summary = "x", run = function()
        local co, all = coroutine.create(function() end), {}
        for a = 1, 62 do
          local x = {}
          all[a] = x
          for b = 1, 62 do
            local y = {}
            x[b] = y
            for c = 1, 15 do
              local z = {}
              y[c] = z
              for d = 1, 62 do z[d] = co end
            end
          end
        end
        \(end)
      end}
      """)
    try home.enable("wide")
    let run = try run("-e", "print(pcall(shell.run, 'wide')) print(6 * 7)")
    #expect(run.status == 0 && run.lines.last == "42", "\(run)")
    #expect(run.lines.first?.contains("stopped at 64 MiB") == true, "\(run)")
  }

  @Test func `a text of a plugin stops at its limits`() throws {
    try oneSentence(words: 500_000)
    try home.plugin(
      "reader", permissions: #"["shell", "texts", "files.read:\#(home.path)"]"#, manifest: #""commands": ["reader"]"#,
      """
      shell.command{name = "reader", summary = "x", run = function()
        return texts.open("\(home.path)/one.txt", {language = "english"}):words{}
      end}
      """)
    try home.enable("reader")
    let run = try run("-e", "print(pcall(shell.run, 'reader')) print(6 * 7)")
    #expect(run.status == 0 && run.lines.last == "42", "\(run)")
    #expect(run.lines.first?.contains("stopped a") == true, "\(run)")
  }

  @Test func `one long sentence is divided, and each word comes with its part of it`() throws {
    try oneSentence(words: 100_000)
    let code = """
      local text = texts.open("\(home.path)/one.txt", {language = "english"})
      print(#text:words{}, utf8.len(text:words{limit = 1}[1].sentence), #text:sentences{unknown_at_most = 1000})
      """
    let run = try run("-e", code)
    #expect(run.output == "1000\t2001\t100\n", "\(run)")
  }

  @Test(arguments: [
    "local s = ('x'):rep(900000) for i = 1, 1e9 do card{prompt = 'p' .. i .. s, answer = 'a'} end",
    "local t = {} for i = 1, 150 do t[i] = ('t'):rep(180) .. i end "
      + "for i = 1, 1e9 do card{prompt = 'p' .. i, answer = 'a', tags = t} end",
    "local f = {} for i = 1, 150 do f['f' .. i] = ('t'):rep(180) end "
      + "for i = 1, 1e9 do card{type = 'x', fields = f} end",
    "local all = {} for i = 1, 1e9 do all[i] = ('x'):rep(100000) .. i end",
    "local s = ('x'):rep(900000) for i = 1, 1e9 do pcall(card, {prompt = 'p' .. i .. s, answer = 'a'}) end",
  ]) func `a source that makes cards without end stops at its limit`(_ code: String) throws {
    try home.write(code, to: "deck/a.lua")
    try home.write("a,b\n", to: "other.csv")
    for words in [["build", home.path + "/deck"], ["deck", "diff", home.path + "/deck", home.path + "/other.csv"]] {
      let line = words.joined(separator: " ")
      let run = try run("-e", "print(shell.run('\(line)')) print(6 * 7)")
      #expect(run.status == 0 && run.lines.last == "42", "\(run)")
      #expect(run.lines.first?.contains("a.lua: stopped: the memory limit has passed (512 MiB") == true, "\(run)")
    }
    #expect(try home.run("--json", "deck", "list").output.isEmpty)
  }

  @Test(arguments: [
    "local all = {} for i = 1, 1e9 do all[i] = ('x'):rep(100000) .. i end",
    "local t = {} for i = 1, 1e9 do t[i] = i end",
    "local t = {} for i = 1, 1e9 do t[i] = decks end",
  ]) func `what a person's own code takes too much of is an error, and the next line works`(_ code: String) throws {
    let run = try run("-e", "print(pcall(function() \(code) end)) print(6 * 7)")
    #expect(run.status == 0 && run.lines == ["false\tnot enough memory", "42"], "\(run)")
  }
}
