// Time limits through nested states, pauses, the timer's clean-up, `require`, and the content of a sandboxed
// environment.

import CLua
import Glibc
import Problems
import TestSupport

@testable import LuaRuntime

private func elapsed(_ body: () throws -> Void) rethrows -> Double {
  let start = dh_milliseconds()
  try body()
  return dh_milliseconds() - start
}

private func dh_milliseconds() -> Double { monotonicSeconds() * 1000 }

/// A user's state with a function `plugin(code)` that runs code in a plugin's state, which can call back
/// `person(code)`.
private final class Nest {
  let person: LuaState
  let plugin: LuaState
  var endings: [StopReason?] = []

  init(pluginSeconds: Double) throws {
    person = try LuaState()
    plugin = try LuaState(memoryLimit: 16 << 20, libraries: .sandboxed)
    plugin.timeLimit = pluginSeconds
    try person.setGlobal("plugin", LuaFunction("plugin") { [unowned self] in try self.run($0, in: self.plugin) })
    try plugin.setGlobal("person", LuaFunction("person") { [unowned self] in try self.run($0, in: self.person) })
    try plugin.setGlobal(
      "wait",
      LuaFunction("wait") { stack in
        let until = dh_milliseconds() + (try stack.number(1) * 1000)
        CallPause.waitingForUser { while dh_milliseconds() < until {} }
        return LuaNothing()
      })
    try plugin.setGlobal(
      "interrupt",
      LuaFunction("interrupt") { stack in
        interruptLua()
        return LuaNothing()
      })
  }

  private func run(_ stack: borrowing LuaStack, in state: LuaState) throws -> LuaValue {
    do {
      return try state.load(try stack.text(1), name: "inner").call()
    } catch let error as LuaError {
      endings.append(error.stopReason)
      throw error
    }
  }

  func close() {
    plugin.close()
    person.close()
  }
}

@Suite struct LimitTests {
  @Test(arguments: ["coroutine.close(co)", "coroutine.resume(co)"])
  func `the timer stops code that continues after a coroutine has ended`(end: String) throws {
    let state = try LuaState(libraries: .sandboxed)
    defer { state.close() }
    state.timeLimit = 0.1
    let code = "local co = coroutine.create(coroutine.yield) coroutine.resume(co) \(end) while true do end"
    let run = try state.load(code, name: "clock")
    let error = try #require(throws: LuaError.self) { try run.call([], results: 0) { _ in } }
    #expect(error.stopReason == .deadline)
  }

  @Test func `a plugin's limit stops the plugin and what it called, and its caller continues`() throws {
    let nest = try Nest(pluginSeconds: 0.05)
    defer { nest.close() }
    let start = processorSeconds()
    do {
      try run(
        """
        local ok, message = pcall(plugin, [[ pcall(person, "while true do pcall(function() while true do end end) end") ]])
        assert(not ok and message:find("time limit"), message)
        assert(debug.gethook() == nil)
        after = true
        """, in: nest.person)
    }
    #expect(nest.endings == [.deadline, .deadline])
    #expect(processorSeconds() - start < 2)
    #expect(try run("return after", in: nest.person).json == "true")
    #expect(try run("return 1", in: nest.plugin).isInteger(1))
  }

  @Test func `Ctrl-C stops every state of the chain`() throws {
    let nest = try Nest(pluginSeconds: 5)
    defer { nest.close() }
    let error = try failure(
      "pcall(plugin, [[ pcall(person, 'pcall(plugin, \"interrupt() while true do end\") while true do end') ]]) after = 1",
      in: nest.person)
    #expect(error?.stopReason == .interrupt)
    #expect(nest.endings == [.interrupt, .interrupt, .interrupt])
    #expect(try run("return after", in: nest.person).isNone)
    #expect(!nest.plugin.isStopping && !nest.person.isStopping)
  }

  @Test func `an inner limit that expires leaves the outer call its own time`() throws {
    let nest = try Nest(pluginSeconds: 10)
    defer { nest.close() }
    nest.person.timeLimit = 0.05
    #expect(try failure("pcall(person, 'while true do end') return 'on'", in: nest.plugin) == nil)
    #expect(nest.endings == [.deadline])
  }

  @Test func `the time limit is paused while a plugin waits for the user`() throws {
    let nest = try Nest(pluginSeconds: 0.5)
    defer { nest.close() }
    #expect(try failure("for i = 1, 50000 do end wait(0.8) for i = 1, 50000 do end", in: nest.plugin) == nil)
    #expect(try failure("wait(0.6) while true do end", in: nest.plugin)?.stopReason == .deadline)
  }

  @Test(arguments: [
    // Nothing more is lent after a fifth of a second; a failed request lends nothing.
    ("for i = 1, 1e9 do lend(0.05) end", 0.2, 8), ("for i = 1, 1e9 do pcall(lend, 0.05, true) end", 10, 4),
    ("lend(0.05) lend(0.05) while true do end", 10, 2), ("lend(1e9)", 0.2, 1),
  ])
  func `work on lent time ends with the loan, in total over a call`(code: String, most: Double, works: Int) throws {
    let nest = try Nest(pluginSeconds: 0.1)
    defer { nest.close() }
    var count = 0
    try nest.plugin.setGlobal(
      "lend",
      LuaFunction("lend") { stack in
        let until = dh_milliseconds() + (try stack.number(1) * 1000)
        let fails = !stack.isNoneOrNil(2)
        count += 1
        try CallPause.pausingLimits(atMost: most) {
          while dh_milliseconds() < until, !Interrupts.areRequested {}
          if fails { throw LuaFailure.message("failed") }
        }
        return LuaNothing()
      })
    #expect(try failure(code, in: nest.plugin)?.stopReason == .deadline)
    // A busy machine makes fewer calls.
    #expect((1...works).contains(count), "\(count)")
  }

  @Test func `a restarting limit applies to each piece of work`() throws {
    let state = try LuaState()
    defer { state.close() }
    state.timeLimit = 1
    try state.setGlobal(
      "again",
      LuaFunction("again") { stack in
        CallPause.restartLimit()
        return LuaNothing()
      })
    let code = "local stop = os.clock() + 1.3 while os.clock() < stop do again() end"
    #expect(try failure(code, in: state) == nil)
    #expect(try failure("again() while true do end", in: state)?.stopReason == .deadline)
  }

  @Test func `a limit over host work stops what it calls, and a call that ends in time returns`() throws {
    let state = try LuaState()
    defer { state.close() }
    let endless = try state.load("while true do end", name: "endless")
    var budget = CallBudget(seconds: 0.03)
    #expect(throws: LuaError.self) { try state.withBudget(&budget) { try endless.call() } }
    #expect(budget.isSpent)
    budget = CallBudget(seconds: 5)
    #expect(try state.withBudget(&budget) { try state.load("return 3", name: "short").call() }.isInteger(3))
    #expect(!budget.isSpent)
    budget = CallBudget(seconds: 0.03)
    let polled = try elapsed { try state.withBudget(&budget) { while !state.isStopping {} } }
    #expect(polled >= 25)
    #expect(try run("return debug.gethook() == nil", in: state).json == "true")
  }

  @Test func `a long format of os.date has the same result as a short one`() throws {
    let state = try LuaState()
    defer { state.close() }
    try run(
      """
      local long = ("x"):rep(1024)
      assert(os.date(long .. "*t", 0) == long .. "*t")
      assert(os.date(long .. "!%H", 0) == long .. "!" .. os.date("%H", 0))
      assert(os.date("!" .. long .. "%H", 0) == long .. "00")
      local _, told = pcall(function() return (os.date(long .. "%", 0)) end)
      assert(told:find("bad argument #1 to 'date' (invalid conversion specifier '%')", 1, true), told)
      """, in: state)
  }

  @Test func `the timer disarms itself, and leaves no hook`() throws {
    let state = try LuaState()
    defer { state.close() }
    state.timeLimit = 1
    try run("for i = 1, 10 do end", in: state)
    let until = dh_milliseconds() + 200
    while dh_is_ticking() != 0, dh_milliseconds() < until {}
    #expect(dh_is_ticking() == 0)
    #expect(lua_gethookmask(state.main) == 0)
  }

  @Test func `calls through many states fail before the native stack overflows`() throws {
    var states: [LuaState] = []
    defer { for state in states { state.close() } }
    for _ in 0..<60 { states.append(try LuaState(memoryLimit: 64 << 20, libraries: .sandboxed)) }
    for (offset, state) in states.enumerated() {
      let next = states[(offset + 1) % states.count]
      try state.setGlobal(
        "next_state",
        LuaFunction("next_state") { _ in
          try next.load("return go()", name: "go").call()
        })
      try run(
        """
        local function deep(n) if n == 0 then return next_state() end return (("x"):gsub("x", function() return deep(n - 1) end)) end
        function go() return deep(150) end
        """, in: state)
    }
    let error = try failure("return go()", in: states[0])
    #expect(error?.message.contains("stack overflow") == true, "\(String(describing: error?.message.prefix(200)))")
  }

  @Test func `a plugin requires what its finder returns, once, and no cycle hangs`() throws {
    let state = try LuaState(memoryLimit: 8 << 20, libraries: .sandboxed)
    defer { state.close() }
    var asked: [String] = []
    let texts = [
      "a": "return {name = ..., b = require 'b'}", "b": "count = (count or 0) + 1", "c": "return require 'c'",
      "bad": "x = =",
    ]
    try state.setRequire { name in
      asked.append(name)
      guard let text = texts[name] else { throw LuaFailure.message("no file \(name).lua in the plugin's folder") }
      return (Array(text.utf8), "\(name).lua")
    }
    try run(
      "local a = require 'a' assert(a.name == 'a' and a.b == true and require 'a' == a and require 'b' and count == 1)",
      in: state)
    #expect(asked == ["a", "b"])
    #expect(try failure("require 'c'", in: state)?.message.contains("requires itself") == true)
    #expect(try failure("require 'bad'", in: state)?.message.contains("'bad': bad.lua:1:") == true)
    #expect(try failure("require 'none'", in: state)?.message.contains("no file none.lua") == true)
    #expect(try failure("require '\\27Lua'", in: state) != nil)
  }

  @Test func `random numbers repeat with the seed, also after reseeding`() throws {
    func numbers(_ seed: UInt64?, _ libraries: LuaState.Libraries) throws -> String? {
      let state = try LuaState(libraries: libraries, seed: seed)
      defer { state.close() }
      return try run("local a = math.random(0) math.randomseed() return a .. ' ' .. math.random(0)", in: state).text
    }
    #expect(try numbers(1, .sandboxed) == numbers(1, .full))
    #expect(try numbers(1, .full) != numbers(2, .full))
  }

  @Test func `plain code keeps its meaning in a sandbox`() throws {
    let state = try LuaState(memoryLimit: 64 << 20, libraries: .sandboxed)
    defer { state.close() }
    try run(
      """
      local C = {} C.__index = C
      function C.new(n) return setmetatable({n = n}, C) end
      local o = C.new(3)
      function C:double() return self.n * 2 end
      C.__eq = function(a, b) return a.n == b.n end
      C.__add = function(a, b) return C.new(a.n + b.n) end
      assert(o:double() == 6 and getmetatable(o) == C and o ~= C.new(4))
      local p = C.new(3)
      assert(o == p and (o + p).n == 6)
      C.__eq = nil
      assert(C.new(3) ~= C.new(3))
      local callable = setmetatable({}, {__call = setmetatable({}, {__call = function(_, _, x) return x + 1 end})})
      assert(callable(1) == 2)
      local weak = setmetatable({}, {__mode = "k"}) weak[o] = 1 assert(weak[o] == 1)
      assert(not pcall(setmetatable, setmetatable({}, {__metatable = 1}), {}))
      assert(getmetatable(setmetatable({}, {__metatable = 1})) == 1)
      local t = {} assert(tostring(t) == tostring(t) and tostring(t) ~= tostring({}))
      assert(tostring(t):match("^table: %d+$") and string.format("%5s|%p", t, "x"))
      assert(tostring(setmetatable({}, {__name = "thing"})):match("^thing: %d+$"))
      local f = assert(load("x = 1 return x")) assert(f() == 1 and x == 1)
      assert(load("return y", "c", "t", {y = 5})() == 5)
      assert(select(2, load("return 1", "c", "b")):find("attempt to load a text chunk"))
      function string.trim(s) return s:match("^%s*(.-)%s*$") end
      assert((" a "):trim() == "a" and ("%d"):rep(3, ","):format(1, 2, 3) == "1,2,3")
      local s <close> = setmetatable({}, {__close = function() closed = true end})
      """, in: state)
    #expect(try run("return closed", in: state).json == "true")
  }
}
