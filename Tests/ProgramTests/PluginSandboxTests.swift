// Plugins through the built program. What a plugin can see, and that two plugins share nothing.

import Glibc
import TestSupport

@Suite struct PluginSandboxTests {
  private let home = Home()

  /// What the libraries of Lua hold is walked by EnvironmentTests.
  @Test func `a plugin without grants reaches exactly these names beside Lua's libraries`() throws {
    try home.plugin(
      "walker", manifest: #""load": "startup""#,
      """
      local names = {}
      for name in pairs(_G) do names[#names + 1] = name end
      for _, owner in ipairs { "deckhand", "files" } do
        for name in pairs(_G[owner]) do names[#names + 1] = owner .. "." .. name end
      end
      print(table.concat(names, " "))
      """)
    let seen = try home.run("plugin", "enable", "walker", "--grant").lines.filter { !$0.hasPrefix("Enabled") }
    let expected = """
      _G _VERSION assert collectgarbage coroutine deckhand deckhand.files error files files.lines files.read files.write
      getmetatable ipairs load math next os pairs pcall print rawequal rawget rawlen rawset require select setmetatable
      string table tonumber tostring type utf8 xpcall
      """
    let names = seen.flatMap { $0.split(separator: " ") }
    #expect(names.sorted() == expected.split(whereSeparator: \.isWhitespace), "\(names)")
  }

  @Test func `require finds the plugin's own files and nothing else`() throws {
    try home.plugin(
      "parts", manifest: #""load": "startup""#,
      """
      print(require("part").value, require("deep.er"), require("part") == require("part"))
      for _, name in ipairs { "out", "io", "debug", "package", "../parts/part", "/etc/passwd", "deep..er", "linked.er", "" } do
        print(name, pcall(require, name) and "found" or "refused")
      end
      """)
    let folder = home.path + "/data/plugins/parts"
    #expect(makeFolder(folder + "/deep"))
    _ = try home.write("return {value = 7}", to: "data/plugins/parts/part.lua")
    _ = try home.write("return 'deep'", to: "data/plugins/parts/deep/er.lua")
    let outside = try home.write("return 'outside'", to: "out.lua")
    #expect(symlink(outside, folder + "/out.lua") == 0)
    #expect(makeFolder(home.path + "/er"))
    _ = try home.write("return 1", to: "er/er.lua")
    #expect(symlink(home.path + "/er", folder + "/linked") == 0)
    let environment = home.environment + ["LUA_PATH=\(home.path)/?.lua;;", "LUA_INIT=print('init')"]
    let child = try Child(home.words(["plugin", "enable", "parts", "--grant"]), environment: environment)
    let lines = try child.finish(input: "").lines
    #expect(lines.first == "7\tdeep\ttrue")
    #expect(lines.count { $0.hasSuffix("\trefused") } == 9)
    #expect(!lines.contains { $0.hasSuffix("found") || $0 == "init" })
  }

  @Test func `a module written for plain Lua finds Lua's libraries by require, in the plugin's own safe versions`()
    throws
  {
    try home.plugin(
      "portable", manifest: #""load": "startup""#,
      """
      for _, name in ipairs { "_G", "coroutine", "math", "os", "string", "table", "utf8" } do
        print(name, require(name) == _G[name], select("#", require(name)))
      end
      print(require("string").dump, require("os").execute, package, require("wrap").twice("ab"))
      """)
    _ = try home.write(
      """
      local string, table = require "string", require "table"
      return { twice = function(text) return table.concat({ string.upper(text), text }, "-") end }
      """, to: "data/plugins/portable/wrap.lua")
    let lines = try home.run("plugin", "enable", "portable", "--grant").lines
    #expect(lines.prefix(7).allSatisfy { $0.hasSuffix("\ttrue\t1") }, "\(lines)")
    #expect(lines.dropFirst(7).first == "nil\tnil\tnil\tAB-ab", "\(lines)")
  }
}
