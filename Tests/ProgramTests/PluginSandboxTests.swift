// Plugins through the built program. What a plugin can see, and that two plugins share nothing.

import Glibc
import TestSupport
import Testing

@Suite struct PluginSandboxTests {
  /// Prints each path from the globals to a value, including tables, metatables and string methods.
  private static let walk = """
    local seen, lines = {}, {}
    local function walk(value, path)
      lines[#lines + 1] = path .. " " .. type(value)
      if type(value) ~= "table" or seen[value] then return end
      seen[value] = true
      local keys = {}
      for key in pairs(value) do keys[#keys + 1] = key end
      table.sort(keys)
      for _, key in ipairs(keys) do walk(value[key], path .. "." .. key) end
      local metatable = getmetatable(value)
      if metatable ~= nil then walk(metatable, path .. "(meta)") end
    end
    walk(_G, "_G")
    for _, value in ipairs { "", 1, true, print, coroutine.create(print) } do
      lines[#lines + 1] = "meta of " .. type(value) .. " " .. type(getmetatable(value))
    end
    for name in ("byte char dump find format gmatch gsub len lower match pack packsize rep reverse sub unpack upper")
      :gmatch("%a+") do
      if (""):len() == 0 and ("")[name] ~= string[name] then lines[#lines + 1] = "method " .. name end
    end
    table.sort(lines)
    print(table.concat(lines, "\\n"))
    """

  @Test func `a plugin without grants reaches exactly these names`() throws {
    let home = try Home()
    try home.plugin("walker", manifest: #""load": "startup""#, Self.walk)
    let seen = try home.run("plugin", "enable", "walker", "--grant").lines.filter { !$0.hasPrefix("Enabled") }
    let expected = Self.functions.split { $0.isWhitespace }.map { "_G.\($0) function" } + Self.others
    #expect(seen.sorted() == expected.sorted(), "\(seen.joined(separator: "\n"))")
  }

  @Test func `two plugins share nothing, and the host has its own globals`() throws {
    let home = try Home()
    try home.plugin(
      "poison", permissions: #"["shell"]"#, manifest: #""load": "startup""#,
      """
      string.len = function() return 42 end
      mine = "secret"
      table.insert = nil
      shell.print = nil
      print(pcall(setmetatable, getmetatable(""), {}))
      """)
    try home.plugin(
      "victim", permissions: #"["shell"]"#, manifest: #""load": "startup""#,
      #"print(("abc"):len(), mine, type(table.insert), type(shell.print))"#)
    try home.enable("poison")
    #expect(try home.run("plugin", "enable", "victim", "--grant").lines.contains("3\tnil\tfunction\tfunction"))
    #expect(try home.run("-e", #"print(("abc"):len(), mine, type(table.insert))"#).lines.last == "3\tnil\tfunction")
  }

  @Test func `require finds the plugin's own files and nothing else`() throws {
    let home = try Home()
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
    let home = try Home()
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

  private static let functions = """
    assert collectgarbage coroutine.close coroutine.create coroutine.isyieldable coroutine.resume coroutine.running
    coroutine.status coroutine.wrap coroutine.yield deckhand.files.lines deckhand.files.read deckhand.files.write
    error getmetatable ipairs load math.abs math.acos math.asin math.atan math.ceil math.cos math.deg math.exp
    math.floor math.fmod math.log math.max math.min math.modf math.rad math.random math.randomseed math.sin
    math.sqrt math.tan math.tointeger math.type math.ult next os.clock os.date os.time pairs pcall print rawequal
    rawget rawlen rawset require select setmetatable string.byte string.char string.find string.format string.gmatch
    string.gsub string.len string.lower string.match string.pack string.packsize string.rep string.reverse
    string.sub string.unpack string.upper table.concat table.insert table.move table.pack table.remove table.sort
    table.unpack tonumber tostring type utf8.char utf8.codepoint utf8.codes utf8.len utf8.offset xpcall
    """
  private static let others = [
    "_G table", "_G._G table", "_G._VERSION string", "_G.coroutine table", "_G.deckhand table",
    "_G.deckhand(meta) string", "_G.deckhand.files table", "_G.deckhand.files(meta) string", "_G.files table",
    "_G.math table", "_G.math.huge number", "_G.math.maxinteger number", "_G.math.mininteger number",
    "_G.math.pi number", "_G.os table", "_G.string table", "_G.table table", "_G.utf8 table",
    "_G.utf8.charpattern string", "meta of boolean nil", "meta of function nil", "meta of number nil",
    "meta of string boolean", "meta of thread nil",
  ]
}
