// Every function that Lua can call, with its worst arguments, under limits: the program returns at once, measured in
// processor time, and takes no more memory than it may. Invariant: a function or a writable field without an entry in
// Worst/init.lua fails the test.

import Glibc
import TestSupport

@Suite(.serialized) struct WorstArgumentTests {
  /// Seconds that the plugin may use, and that the program may use beyond that until the prompt is back.
  private static let limit = 0.1
  #if DEBUG
    // In a debug build loops over a megabyte take about five times as long, and a shared core is half as fast.
    private static let allowance = 0.9
  #else
    private static let allowance = 0.2
  #endif

  /// Mebibytes that the plugin may use, and bytes that the program may use for it.
  private static let (memory, peak) = (1024, 1536 << 20)

  /// What a plugin cannot reach, and what no plugin has of its own.
  private static let beyond = ["auth.", "plugins."]

  @Test func `every call with the worst arguments ends in time`() throws {
    let home = Home()
    try makeFiles(home)
    let listed = try entries(home)
    let known = Set(listed.map(\.name))
    let unknown = try interface(home).filter { !known.contains($0) }
    #expect(unknown == [], "these have no entry in Worst/init.lua")
    let terminal = try home.prompt()
    // The word list is compiled once.
    #expect(try home.run("word", "check", "x").status < 2)
    run("word check x", in: terminal)
    for (name, count) in listed {
      for number in 1..<(count + 1) {
        var times: [Double] = []
        // Caches may be cold: the best of three runs counts.
        while times.count < 3, times.last.map({ $0 > Self.limit + Self.allowance }) ?? true {
          times.append(run("worst \(name) \(number)", in: terminal))
        }
        let peak = terminal.peakMemory
        #expect(peak < Self.peak, "worst \(name) \(number): \(peak >> 20) MiB")
        #expect(times.min() ?? 9 < Self.limit + Self.allowance, "worst \(name) \(number): \(times)")
        // If the program hangs, it answers none of the following calls.
        try #require(times.min() ?? 9 < 5, "worst \(name) \(number) hangs")
      }
    }
    terminal.type("6 * 7\r", showing: "42\r\n")
  }

  /// Runs a line; returns the processor seconds until the prompt was back.
  @discardableResult private func run(_ line: String, in terminal: PseudoTerminal) -> Double {
    terminal.type(line)
    terminal.wait(for: line.split(separator: " ").last.map(String.init) ?? line)
    let start = terminal.processorSeconds
    terminal.type("\r")
    // Wait past readline's own request for bracketed paste.
    terminal.wait(for: "[?2004h> ")
    return terminal.processorSeconds - start
  }

  private func entries(_ home: Home) throws -> [(name: String, count: Int)] {
    var run = try home.run("worst-list")
    // On a busy machine it may take longer to load the plugin than a plugin may.
    for _ in 0..<20 where run.status != 0 { run = try home.run("worst-list") }
    #expect(run.status == 0, "\(run.errors)")
    return run.lines.compactMap { line in
      let parts = line.split(separator: " ")
      return parts.count == 2 ? Int(parts[1]).map { (String(parts[0]), $0) } : nil
    }
  }

  /// The functions and writable fields of the API, from the files written for editors.
  private func interface(_ home: Home) throws -> [String] {
    let files = try home.run("lua-types", home.path + "/types").lines
    #expect(!files.isEmpty)
    var names: [String] = []
    var type = ""
    let listing = try Child(["/bin/sh", "-c", "cat \(home.path)/types/*.lua"], environment: []).finish(input: "")
    for line in listing.lines {
      let words = line.split(separator: " ").map(String.init)
      if words.first == "---@class" { type = words.count > 1 ? words[1] : "" }
      if words.first == "function", words.count > 1 { names.append(String(words[1].prefix { $0 != "(" })) }
      let isField = words.first == "---@field" && words.count > 2
      if isField, !line.contains("(read only)"), !type.hasSuffix("_module"), type != "problem" {
        names.append("\(type).\(words[1])=")
      }
    }
    #expect(names.count > 100)
    return names.filter { name in !Self.beyond.contains { name.hasPrefix($0) } }
  }

  private func makeFiles(_ home: Home) throws {
    let code = text(of: sourceRoot() + "/Tests/ProgramTests/Worst/init.lua")
    let rights = [
      "decks.read", "decks.write", "documents.read", "documents.write", "words", "games", "settings", "shell",
      "shell.run", "texts", "files.read:\(home.path)", "files.write:\(home.path)",
    ]
    try home.plugin(
      "worst", permissions: "[\(rights.map { "\"\($0)\"" }.joined(separator: ", "))]",
      manifest: #""commands": ["worst", "worst-list"]"#, "local FOLDER = \"\(home.path)\"\n" + code)
    #expect(mkfifo(home.path + "/pipe.csv", 0o600) == 0 && mkfifo(home.path + "/pipe.png", 0o600) == 0)
    let make = """
      local function put(name, text) assert(files.write("\(home.path)/" .. name, text)) end
      put("huge.csv", "prompt,answer\\n" .. ("one,two\\n"):rep(2000000))
      put("quote.csv", 'prompt,answer\\n"' .. ("x"):rep(15000000))
      put("deep.json", ("["):rep(5000000))
      put("marks.json", '[{"' .. ("\\u{301}\\u{316}"):rep(200000) .. '": 1, "' .. ("\\u{316}\\u{301}"):rep(200000) .. '": 2}]')
      local list = {}
      for i = 1, 300000 do list[i] = "w" .. i % 26 .. ("abcdefghij"):sub(i % 10 + 1) .. i end
      put("words.txt", table.concat(list, "\\n"))
      put("one.txt", table.concat(list, " ", 1, 50000))
      local n = 0
      decks.create("Big"):add_all(function()
        n = n + 1
        if n <= 20000 then return {prompt = "the prompt number " .. n, answer = "an answer aaab" .. n, tags = {"t" .. n % 9}} end
      end)
      local long = decks.create("Long")
      for i = 1, 10 do long:add{prompt = ("aaaa"):rep(240000) .. i, answer = ("xyz"):rep(300000)} end
      """
    #expect(try home.lua(make).status == 0)
    #expect(try home.run("plugin", "enable", "worst", "--grant").status == 0)
    #expect(
      try home.run("plugin", "limit", "worst", "--seconds", "\(Self.limit)", "--memory", "\(Self.memory)").status == 0)
  }
}
