// States that are closed while their code runs: nothing of them is used after it is freed, and nothing new starts.

import LuaRuntime
import Problems
import Testing

private final class Holder {
  var state: LuaState?
  init(_ state: LuaState) { self.state = state }
}

@Suite struct RetiringTests {
  /// Returns a state with the probes and a function `retire` that closes it from within.
  private func retiring(_ census: Census) throws -> LuaState {
    let state = try probeState(census, memoryLimit: 8 << 20)
    try state.setGlobal(
      "retire",
      LuaFunction("retire") { stack in
        stack.state.close()
        return 7
      })
    return state
  }

  @Test(arguments: [
    "local n = retire() return n", "return (coroutine.wrap(function() return retire() end)())",
    "return p:call(function() return p:call(function() return retire() end) end)",
    "local ok, message = pcall(error, retire()) assert(message == 7) return message",
    "local t = {3, 2, 1} table.sort(t, function(a, b) retire_once() return a < b end) return 7",
    "local c <close> = setmetatable({}, {__close = function() end}) return (retire())",
    "return (('x'):gsub('x', function() retire() return '7' end)) + 0",
  ])
  func `code that closes its own state runs to its end`(code: String) throws {
    let census = Census()
    let state = try retiring(census)
    try run(
      "p = probes.create('p') local done function retire_once() if not done then done = retire() end end", in: state)
    let kept = try state.load("return 1", name: "kept")
    let answer = try? run(code, in: state)
    #expect(answer?.isInteger(7) == true)
    #expect(state.isClosed && census.living == 0 && state.memoryUsed == 0)
    #expect(throws: LuaError.self) { try kept.call() }
    #expect(throws: LuaError.self) { try state.load("return 1", name: "more") }
    var budget = CallBudget(seconds: 1)
    #expect(throws: LuaError.self) { try state.withBudget(&budget) {} }
    #expect(kept.copied().isNone)
  }

  @Test(arguments: [
    "return probes.create('q')", "return p.name", "p.name = 'x'", "return p:contains('x')", "return probes.version",
    "return #p", "return p:call(print)", "return probes.find('x')",
  ])
  func `the host refuses all calls from code of a closed state`(code: String) throws {
    let census = Census()
    let state = try retiring(census)
    try run("p = probes.create('p')", in: state)
    let error = try failure("retire() \(code)", in: state)
    #expect(error?.message.contains("a Lua state that is closed") == true, "\(String(describing: error))")
    #expect(census.living == 0)
  }

  @Test func `a state closed in a call through another state is freed when that call has ended`() throws {
    let (outer, inner) = (try LuaState(), try LuaState())
    defer { outer.close() }
    let callback = Holder(inner)
    try inner.setGlobal("out", LuaFunction("out") { stack in try outer.load(try stack.text(1), name: "out").call() })
    try outer.setGlobal(
      "close",
      LuaFunction("close") { _ in
        callback.state?.close()
        return LuaNothing()
      })
    #expect(try failure("return out('close() error(1)')", in: inner)?.message.contains("1") == true)
    #expect(inner.memoryUsed == 0 && outer.memoryUsed > 0)
    callback.state = nil
  }

  @Test func `a closed state whose code loops still ends at its limit`() throws {
    let state = try retiring(Census())
    state.timeLimit = 0.05
    #expect(try failure("retire() while true do pcall(probes.create, 'x') end", in: state)?.stopReason == .deadline)
    #expect(state.memoryUsed == 0)
  }
}
