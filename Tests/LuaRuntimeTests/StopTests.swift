// Stops: nothing in Lua can catch one, whatever is on the stack, and the state works afterwards.

import LuaRuntime
import Problems
import Testing

/// An object whose release requests a stop.
private final class Stopping: BoundObject {
  deinit { interruptLua() }
}

@Suite struct StopTests {
  @Test(arguments: [
    "probes.stop() while true do end", "while true do pcall(probes.stop) end",
    "while true do pcall(function() while true do pcall(probes.stop) end end) end",
    "while true do xpcall(probes.stop, function() while true do end end) end",
    "local co = coroutine.create(function() while true do probes.stop() end end) while true do coroutine.resume(co) end",
    "while true do pcall(coroutine.wrap(function() probes.stop() while true do end end)) end",
    "local co = coroutine.create(function() local c <close> = setmetatable({}, {__close = function() while true do end end}) coroutine.yield() end) coroutine.resume(co) probes.stop() coroutine.close(co)",
    "for i = 1, 1000 do local t = setmetatable({}, {__index = function() probes.stop() while true do end end}) return t.x end",
    "table.sort({3, 2, 1}, function(a, b) probes.stop() while true do end end)",
    "string.gsub('abc', '.', function() probes.stop() while true do end end)",
    "local c <close> = setmetatable({}, {__close = function() while true do end end}) probes.stop()",
    "p:call(function() while true do pcall(p.call, p, function() probes.stop() while true do end end) end end)",
    "error(setmetatable({}, {__tostring = function() probes.stop() while true do end end}))",
    "load(function() probes.stop() while true do end end)", "os.exit(3)", "pcall(os.exit, 3)",
    "coroutine.wrap(function() pcall(os.exit, 3) end)() while true do end",
  ])
  func `a stop ends the code, and the next line works`(code: String) throws {
    let census = Census()
    let state = try probeState(census)
    try run("p = probes.create('p')", in: state)
    let error = try failure(code, in: state)
    if code.contains("__tostring") {
      #expect(error != nil)
    } else {
      #expect(error?.stopReason == (code.contains("os.exit") ? .exit(3) : .interrupt), "\(String(describing: error))")
    }
    try run(
      """
      local sum = 0
      for i = 1, 100000 do sum = sum + i end
      assert(sum == 5000050000 and debug.gethook() == nil)
      assert(select(2, pcall(error, "x")) == "x")
      """, in: state)
    state.close()
    #expect(census.living == 0)
  }

  @Test func `a coroutine suspended while another one was stopped continues`() throws {
    let state = try probeState(Census())
    defer { state.close() }
    try run("co = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) assert(co() == 1)", in: state)
    #expect(try failure("probes.stop() while true do end", in: state)?.stopReason == .interrupt)
    try run("assert(co() == 2 and co() == 3)", in: state)
  }

  @Test func `a stop while a state is closed does not reach the finalizers that compare texts`() throws {
    let state = try probeState(Census())
    state.register(BoundType<Stopping>("stopping", "Stops.", summary: { _ in "stopping" }) { _ in })
    // Finalizers run in the reverse order of the objects' creation.
    try run("kept = setmetatable({}, {__gc = function() local a, b = 'a', 'b' return a < b end})", in: state)
    try state.setGlobal("first", Stopping())
    state.close()
    #expect(state.isClosed)
  }

  @Test func `a failure outside a call of Lua reads as its message`() throws {
    #expect("\(LuaFailure.message("no"))" == "no")
    #expect("\(LuaFailure.argument(2, "string expected"))" == "bad argument #2 (string expected)")
    #expect("\(LuaFailure.argument(-1, "string expected"))" == "string expected")
    let state = try probeState(Census())
    defer { state.close() }
    let code = try state.load("return nil, 'no \\xff'", name: "test")
    let found = try code.call([], results: 2) { LuaRuntime.failure(at: -1, on: $0) }
    #expect(found?.code == "failed" && found?.message == "no \u{FFFD}")
  }

  @Test func `memory beyond the limit is refused, cannot be caught, and is released`() throws {
    let state = try probeState(Census(), memoryLimit: 4 << 20)
    defer { state.close() }
    let code = "while true do pcall(function() local t = {} for i = 1, math.huge do t[i] = {} end end) end"
    #expect(try failure(code, in: state)?.stopReason == .memory)
    #expect(try failure("local s = ('x'):rep(1000) while true do s = s .. s end", in: state)?.stopReason == .memory)
    try run("collectgarbage()", in: state)
    #expect(state.memoryUsed < 1 << 20)
  }

  @Test(arguments: [
    ("error('x', 0)", "x"), ("error()", "nil"), ("error({})", "(error object is a table value)"),
    ("error(print)", "(error object is a function value)"),
    ("error(setmetatable({}, {__tostring = function() error('y') end}))", "(error object is a table value)"),
    ("error(setmetatable({}, {__tostring = function() return {} end}))", "(error object is a table value)"),
    ("error(setmetatable({}, {__tostring = function() return 'mine' end}))", "mine"), ("error(5)", "5"),
    ("local x = nil; x.y = 1", "attempt to index a nil value (local 'x')"),
    ("return #5", "attempt to get length of a number value"),
    ("local function f() return f() + 1 end f()", "stack overflow"),
    ("return ('x'):rep(1e10)", "resulting string too large"),
  ])
  func `an error with any value is reported in words`(code: String, message: String) throws {
    let state = try probeState(Census())
    defer { state.close() }
    let text = try failure(code, in: state)?.message ?? "no error"
    #expect(text.contains(message), "\(text)")
  }

  @Test func `calls nested through Swift fail before the native stack overflows`() throws {
    let state = try probeState(Census())
    defer { state.close() }
    try run(
      """
      local p = probes.create("p")
      local depth = 0
      local function down() depth = depth + 1; return p:call(down) end
      local ok, message = pcall(down)
      assert(not ok and message:find("stack overflow"), message)
      assert(depth > 20, depth)
      """, in: state)
  }

  @Test func `a traceback is included if requested`() throws {
    let state = try probeState(Census())
    defer { state.close() }
    #expect(try failure("error('x')", in: state)?.trace == nil)
    state.isTracing = true
    let trace = try failure("local function inner() error('x') end inner()", in: state)?.trace
    #expect(trace?.contains("test:1: in upvalue 'inner'") == true || trace?.contains("in local 'inner'") == true)
  }

  @Test func `an error in a callback has the traceback and the position of the callback`() throws {
    let state = try probeState(Census())
    defer { state.close() }
    state.isTracing = true
    let callback = "local p = probes.create('p')\nlocal function inner() error({}) end\n"
    let error = try failure(callback + "p:call(inner)", in: state)
    #expect(error?.trace?.contains("test:2: in function") == true, "\(error?.trace ?? "no trace")")
    #expect(error?.position == "test:2:")
    for caught in ["pcall(p.call, p, inner)", "coroutine.resume(coroutine.create(p.call), p, inner)"] {
      let later = try failure(callback + caught + "\nerror({})", in: state)
      #expect(later?.position == "test:4:", "\(caught)")
      #expect(later?.trace?.contains("test:2:") == false, "\(caught)")
    }
  }

  @Test(arguments: [
    ("for i = 1, 3 do", true), ("x = (", true), ("x = 'abc", false), ("x = = 1", false), ("x = [[abc", true),
    ("x = 'abc\\", true), ("return", false),
  ])
  func `an incomplete chunk is distinguished from a wrong one`(code: String, incomplete: Bool) throws {
    let state = try probeState(Census())
    defer { state.close() }
    #expect((try failure(code, in: state)?.isIncomplete ?? false) == incomplete)
  }

  @Test func `bytecode is refused by the host, and a closed state returns an error`() throws {
    let state = try probeState(Census())
    let dumped = try run("return string.dump(function() end)", in: state)
    guard case .bytes(let bytes) = dumped else { return #expect(Bool(false)) }
    #expect(throws: LuaError.self) { try state.load(bytes, name: "binary") }
    let kept = try state.load("return 1", name: "kept")
    state.close()
    #expect(throws: LuaError.self) { try kept.call() }
  }

  @Test func `inspecting and copying values runs no code of the script`() throws {
    let state = try probeState(Census())
    defer { state.close() }
    try run(
      """
      evil = setmetatable({a = 1}, {__index = function() BOOM = 1 end, __pairs = function() BOOM = 1 end,
        __len = function() BOOM = 1 end})
      cycle = {} ; cycle.self = cycle
      """, in: state)
    guard case .table(let keys)? = try state.inspect(path: ["evil"]) else { return #expect(Bool(false)) }
    #expect(keys.map(\.name) == ["a"])
    #expect(try state.inspect(path: ["evil", "b", "c"]) == nil)
    // The stack does not grow with the path.
    #expect(try state.inspect(path: Array(repeating: "_G", count: 100_000)) != nil)
    _ = try run("return evil", in: state)
    _ = try run("return cycle", in: state)
    _ = try run("return _G", in: state)
    #expect(try run("return BOOM", in: state).isNone)
  }
}
