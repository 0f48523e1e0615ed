// Coroutines that a stop ended, and those that were only resumed at the wrong moment: each behaves like a dead one or
// continues.

import LuaRuntime
import Testing

@Suite struct CoroutineTests {
  /// Code that stops and leaves `co` (and `wrapped`, if it makes one) killed.
  private static let killings = [
    "co = coroutine.create(function() probes.stop() while true do end end) coroutine.resume(co)",
    "co = coroutine.create(function() pcall(probes.stop) while true do pcall(error) end end) while true do coroutine.resume(co) end",
    "wrapped = coroutine.wrap(function() co = coroutine.running() probes.stop() while true do end end) wrapped()",
    "wrapped = coroutine.wrap(function() co = coroutine.running() probes.stop() while true do end end) for x in wrapped do end",
    "co = coroutine.create(function() inner = coroutine.create(function() probes.stop() while true do end end) coroutine.resume(inner) end) coroutine.resume(co)",
    "co = coroutine.create(function() local c <close> = setmetatable({}, {__close = function() ran = true while true do end end}) probes.stop() while true do end end) coroutine.resume(co)",
    "co = coroutine.create(function() local c <close> = setmetatable({}, {__close = function() probes.stop() while true do end end}) coroutine.yield() end) coroutine.resume(co) coroutine.close(co)",
    "wrapped = coroutine.wrap(function() co = coroutine.running() local c <close> = setmetatable({}, {__close = function() probes.stop() while true do end end}) error('x') end) wrapped()",
    "co = coroutine.create(function() table.sort({3, 2, 1}, function() probes.stop() while true do end end) end) coroutine.resume(co)",
    "co = coroutine.create(function() p:call(function() probes.stop() while true do end end) end) coroutine.resume(co)",
    "co = coroutine.create(function() os.exit(1) end) coroutine.resume(co)",
  ]

  /// Applies every function that takes a thread to killed coroutines.
  private static let questions = """
    for _ = 1, 3 do
      for _, killed in ipairs { co, inner or co } do
        local ok, message = coroutine.resume(killed, 1, 2)
        assert(not ok and message == "cannot resume dead coroutine", message)
        assert(coroutine.status(killed) == "dead")
        coroutine.isyieldable(killed)
        coroutine.close(killed)
        debug.traceback(killed)
        debug.traceback(killed, "m", 0)
        debug.getinfo(killed, 0)
        pcall(debug.getlocal, killed, 0, 1)
        pcall(debug.setlocal, killed, 0, 1, 1)
        debug.gethook(killed)
        debug.sethook(killed, function() end, "crl", 1)
        debug.sethook(killed)
        assert(not pcall(debug.setmetatable, killed) or debug.getmetatable(killed) == nil)
        tostring(killed)
        if not ran then collectgarbage() end
      end
      if wrapped then
        assert(not pcall(wrapped))
        assert(not pcall(function() for x in wrapped do end end))
        assert(select(2, pcall(wrapped)):find("cannot resume dead coroutine"))
      end
    end
    assert(not ran)
    co, inner, wrapped = nil
    collectgarbage()
    local again = coroutine.wrap(function(a) local b = coroutine.yield(a + 1) return b * 2 end)
    assert(again(1) == 2 and again(4) == 8)
    assert(debug.gethook() == nil)
    """

  @Test(arguments: killings)
  func `a coroutine ended by a stop behaves like a dead one in every function`(code: String) throws {
    let state = try probeState(Census())
    defer { state.close() }
    try run("p = probes.create('p')", in: state)
    #expect(try failure(code, in: state)?.stopReason == (code.contains("os.exit") ? .exit(1) : .interrupt))
    try run(Self.questions, in: state)
  }

  @Test(arguments: [
    "co = coroutine.create(function() while true do end end) coroutine.resume(co)",
    "wrapped = coroutine.wrap(function() co = coroutine.running() while true do end end) for x in wrapped do end",
    "co = coroutine.create(function() local t = {} while true do t[#t + 1] = ('x'):rep(1000) .. #t end end) coroutine.resume(co)",
    "co = coroutine.create(function() local s = 'x' while true do s = s .. s end end) coroutine.resume(co)",
    "co = coroutine.create(function() coroutine.wrap(function() while true do end end)() end) coroutine.resume(co)",
  ])
  func `in a plugin a limit reached in a coroutine ends it for good`(code: String) throws {
    let state = try LuaState(memoryLimit: 8 << 20, libraries: .sandboxed)
    defer { state.close() }
    state.timeLimit = 0.05
    #expect(try failure(code, in: state)?.stopReason != nil)
    for _ in 1...3 {
      try run(
        """
        local ok, message = coroutine.resume(co)
        assert(not ok and message == "cannot resume dead coroutine" and coroutine.status(co) == "dead", message)
        assert(coroutine.close(co) == false)
        if wrapped then assert(not pcall(wrapped)) end
        """, in: state)
    }
  }

  @Test(arguments: [
    "while true do coroutine.resume(coroutine.running()) end",
    "local me = coroutine.running() coroutine.wrap(function() while true do coroutine.resume(me) end end)()",
    "local a a = coroutine.create(function() while true do coroutine.resume(a) end end) coroutine.resume(a)",
    "local a a = coroutine.create(function() coroutine.wrap(function() while true do coroutine.resume(a) pcall(coroutine.close, a) end end)() end) coroutine.resume(a)",
    "local a = coroutine.wrap(function() while true do end end) while true do pcall(a) end",
    "local function f() return pcall(coroutine.wrap(f)) end while true do f() end",
    "while true do coroutine.resume(coroutine.create(function() error('x') end)) end",
    "while true do local co = coroutine.wrap(function() local c <close> = setmetatable({}, {__close = function() error('y') end}) error('x') end) pcall(co) end",
  ])
  func `a running coroutine does not count as killed when another use of it is refused`(code: String) throws {
    for memory in [nil, 8 << 20] {
      let state = try LuaState(memoryLimit: memory, libraries: memory == nil ? .full : .sandboxed)
      defer { state.close() }
      state.timeLimit = 0.05
      for _ in 1...5 { #expect(try failure(code, in: state)?.stopReason == .deadline) }
      try run(
        "assert(coroutine.status(coroutine.running()) == 'running' and coroutine.wrap(function() return 1 end)() == 1)",
        in: state)
    }
  }

  @Test func `dead and normal coroutines are distinguished as in Lua`() throws {
    let state = try LuaState()
    defer { state.close() }
    try run(
      """
      local function refused(co, ...) local ok, message = coroutine.resume(co, ...) assert(not ok) return message end
      local done = coroutine.create(function() return 1 end)
      assert(select(2, coroutine.resume(done)) == 1 and refused(done, 1, 2) == "cannot resume dead coroutine")
      local failed = coroutine.create(function() error("x", 0) end)
      assert(refused(failed) == "x" and refused(failed) == "cannot resume dead coroutine")
      assert(refused(coroutine.running()) == "cannot resume non-suspended coroutine")
      local outer outer = coroutine.create(function()
        return coroutine.wrap(function() return refused(outer), coroutine.status(outer) end)()
      end)
      local _, message, status = coroutine.resume(outer)
      assert(message == "cannot resume non-suspended coroutine" and status == "normal")
      local closed = coroutine.create(function() coroutine.yield() end)
      coroutine.resume(closed) assert(coroutine.close(closed) and refused(closed) == "cannot resume dead coroutine")
      """, in: state)
  }
}
