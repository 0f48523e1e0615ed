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
    #expect(seen == Self.reachable.split(separator: "\n").map(String.init), "\(seen.joined(separator: "\n"))")
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

  private static let reachable = """
    _G table
    _G._G table
    _G._VERSION string
    _G.assert function
    _G.collectgarbage function
    _G.coroutine table
    _G.coroutine.close function
    _G.coroutine.create function
    _G.coroutine.isyieldable function
    _G.coroutine.resume function
    _G.coroutine.running function
    _G.coroutine.status function
    _G.coroutine.wrap function
    _G.coroutine.yield function
    _G.deckhand table
    _G.deckhand(meta) string
    _G.deckhand.files table
    _G.deckhand.files(meta) string
    _G.deckhand.files.lines function
    _G.deckhand.files.read function
    _G.deckhand.files.write function
    _G.error function
    _G.files table
    _G.getmetatable function
    _G.ipairs function
    _G.load function
    _G.math table
    _G.math.abs function
    _G.math.acos function
    _G.math.asin function
    _G.math.atan function
    _G.math.ceil function
    _G.math.cos function
    _G.math.deg function
    _G.math.exp function
    _G.math.floor function
    _G.math.fmod function
    _G.math.huge number
    _G.math.log function
    _G.math.max function
    _G.math.maxinteger number
    _G.math.min function
    _G.math.mininteger number
    _G.math.modf function
    _G.math.pi number
    _G.math.rad function
    _G.math.random function
    _G.math.randomseed function
    _G.math.sin function
    _G.math.sqrt function
    _G.math.tan function
    _G.math.tointeger function
    _G.math.type function
    _G.math.ult function
    _G.next function
    _G.os table
    _G.os.clock function
    _G.os.date function
    _G.os.time function
    _G.pairs function
    _G.pcall function
    _G.print function
    _G.rawequal function
    _G.rawget function
    _G.rawlen function
    _G.rawset function
    _G.require function
    _G.select function
    _G.setmetatable function
    _G.string table
    _G.string.byte function
    _G.string.char function
    _G.string.find function
    _G.string.format function
    _G.string.gmatch function
    _G.string.gsub function
    _G.string.len function
    _G.string.lower function
    _G.string.match function
    _G.string.pack function
    _G.string.packsize function
    _G.string.rep function
    _G.string.reverse function
    _G.string.sub function
    _G.string.unpack function
    _G.string.upper function
    _G.table table
    _G.table.concat function
    _G.table.insert function
    _G.table.move function
    _G.table.pack function
    _G.table.remove function
    _G.table.sort function
    _G.table.unpack function
    _G.tonumber function
    _G.tostring function
    _G.type function
    _G.utf8 table
    _G.utf8.char function
    _G.utf8.charpattern string
    _G.utf8.codepoint function
    _G.utf8.codes function
    _G.utf8.len function
    _G.utf8.offset function
    _G.xpcall function
    meta of boolean nil
    meta of function nil
    meta of number nil
    meta of string boolean
    meta of thread nil
    """
}
