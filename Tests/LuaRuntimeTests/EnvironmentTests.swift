// The content of a plugin's environment: everything reachable from its globals, through tables, metatables, upvalues
// and string methods, compared with an exact list. A new name in the list is a decision, not an accident.

import CLua
import Problems
import Testing

@testable import LuaRuntime

/// Walks everything that is reachable, with raw access, and records each path once with its kind.
private struct Walk {
  let L: OpaquePointer
  var seen: Set<UnsafeRawPointer> = []
  var found: [String] = []

  init(_ state: OpaquePointer) { L = state }

  /// Visits the value on top of the stack and pops it.
  mutating func visit(_ path: String) {
    defer { dh_pop(L, 1) }
    let kind = lua_type(L, -1)
    let isKnown = lua_topointer(L, -1).map { kind != LUA_TSTRING && !seen.insert($0).inserted } ?? false
    found.append("\(path): \(isKnown ? "again" : String(cString: dh_type_word(L, -1)))")
    guard !isKnown, lua_checkstack(L, 8) != 0 else { return }
    if kind != LUA_TSTRING, lua_getmetatable(L, -1) != 0 { visit(path + "@") }
    if kind == LUA_TTABLE { visitPairs(path) }
    if kind == LUA_TFUNCTION { visitUpvalues(path) }
    if kind == LUA_TTHREAD || kind == LUA_TUSERDATA { return }
  }

  private mutating func visitPairs(_ path: String) {
    let table = lua_gettop(L)
    var keys: [String] = []
    lua_pushnil(L)
    while lua_next(L, table) != 0 {
      dh_pop(L, 1)
      if lua_type(L, -1) == LUA_TSTRING, let name = LuaStack(L).excerpt(-1) {
        keys.append(name)
      } else {
        keys.append("?")
      }
    }
    for key in keys.sorted() {
      LuaStack(L).push(key)
      lua_rawget(L, table)
      visit(path.isEmpty ? key : "\(path).\(key)")
    }
  }

  private mutating func visitUpvalues(_ path: String) {
    var number: Int32 = 1
    while lua_getupvalue(L, -1, number) != nil {
      visit("\(path)^\(number)")
      number += 1
    }
  }
}

private func reachable(_ state: LuaState) -> [String] {
  var walk = Walk(state.main)
  dh_push_globals(state.main)
  walk.visit("")
  lua_pushstring(state.main, "")
  if lua_getmetatable(state.main, -1) != 0 { walk.visit("<string>") }
  dh_pop(state.main, 1)
  return walk.found
}

private let functions = """
  assert collectgarbage error getmetatable ipairs load next pairs pcall print rawequal rawget rawlen rawset select setmetatable
  tonumber tostring type xpcall
  coroutine.close coroutine.create coroutine.isyieldable coroutine.resume coroutine.running coroutine.status coroutine.wrap
  coroutine.yield
  math.abs math.acos math.asin math.atan math.ceil math.cos math.deg math.exp math.floor math.fmod math.log math.max math.min
  math.modf math.rad math.random math.randomseed math.sin math.sqrt math.tan math.tointeger math.type math.ult
  os.clock os.date os.time
  string.byte string.char string.find string.format string.gmatch string.gsub string.len string.lower string.match string.pack
  string.packsize string.rep string.reverse string.sub string.unpack string.upper
  table.concat table.insert table.move table.pack table.remove table.sort table.unpack
  utf8.char utf8.codepoint utf8.codes utf8.len utf8.offset
  <string>.__add <string>.__div <string>.__idiv <string>.__mod <string>.__mul <string>.__pow <string>.__sub <string>.__unm
  """
private let others = [
  ": table", "_G: again", "_VERSION: string", "coroutine: table", "math: table", "math.huge: number",
  "math.maxinteger: number", "math.mininteger: number", "math.pi: number", "math.random^1: userdata",
  "math.randomseed^1: again", "os: table", "string: table", "table: table", "utf8: table", "utf8.charpattern: string",
  "<string>: table", "<string>.__index: again", "<string>.__metatable: boolean",
]

@Suite struct EnvironmentTests {
  @Test func `a plugin reaches exactly what is listed`() throws {
    let state = try LuaState(memoryLimit: 64 << 20, libraries: .sandboxed, seed: 1)
    defer { state.close() }
    let expected = functions.split { $0 == " " || $0 == "\n" }.map { "\($0): function" } + others
    let found = reachable(state)
    #expect(Set(found).subtracting(expected).sorted() == [])
    #expect(Set(expected).subtracting(found).sorted() == [])
  }

  @Test func `what a plugin does changes nothing for another`() throws {
    let first = try LuaState(memoryLimit: 64 << 20, libraries: .sandboxed)
    let second = try LuaState(memoryLimit: 64 << 20, libraries: .sandboxed)
    defer {
      first.close()
      second.close()
    }
    let before = reachable(second)
    try run(
      """
      local pairs, type, everything = pairs, type, _G
      for name, library in pairs(everything) do
        if type(library) == "table" and name ~= "_G" then for key in pairs(library) do library[key] = nil end end
        if name ~= "rawset" and name ~= "pairs" then everything[name] = nil end
      end
      """, in: first)
    #expect(reachable(second) == before)
    #expect(try run("return ('x'):rep(3) .. math.type(1) .. #table.pack(1)", in: second).text == "xxxinteger1")
  }

  @Test(arguments: [
    "return getmetatable('').__index", "getmetatable('').x = 1", "return io.open", "return debug.getregistry",
    "return package.loaded", "require 'os'", "os.exit()", "os.getenv('HOME')", "os.execute('true')", "os.remove('x')",
    "dofile('/etc/passwd')", "loadfile('/etc/passwd')", "return string.dump(print)", "warn('@on')",
    "load('\\27LuaT', 'x', 'b')()", "load('\\27Lua', 'x')()", "load(function() return nil end, 'x', 'b')()",
    "collectgarbage('stop')", "setmetatable({}, {__gc = print})", "setmetatable({}, {__gc = false})",
    "setmetatable({}, {__concat = print})", "setmetatable('', {})", "return coroutine.running().x",
  ])
  func `what a plugin must not have fails`(code: String) throws {
    let state = try LuaState(memoryLimit: 64 << 20, libraries: .sandboxed)
    defer { state.close() }
    #expect(try failure(code, in: state) != nil)
  }

  @Test func `the metatable of a problem cannot be reached by a plugin`() throws {
    let state = try LuaState(memoryLimit: 64 << 20, libraries: .sandboxed)
    defer { state.close() }
    try state.setGlobal("refuse", LuaFunction("refuse", fails: true) { stack -> Bool in throw ProbeProblem() })
    try run(
      """
      local nothing, problem = refuse()
      assert(nothing == nil and problem.code == "not_found" and getmetatable(problem) == "problem")
      assert(not pcall(setmetatable, problem, {}))
      """, in: state)
  }
}
