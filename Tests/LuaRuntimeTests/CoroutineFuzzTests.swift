// Random programs of coroutines, stops, closings and host calls: each ends, in time and without harm, and the state
// works afterwards.

import Glibc
import LuaRuntime
import TestSupport

/// Generates programs over a few slots that hold coroutines, wrapped or not, and the code that runs in them.
private struct ProgramMaker {
  var generator: TestGenerator
  let isSandboxed: Bool

  private mutating func pick(_ choices: [String]) -> String { choices.randomElement(using: &generator) ?? "" }
  private mutating func slot() -> String { "c[\(Int.random(in: 1...4, using: &generator))]" }

  mutating func block(_ depth: Int) -> String {
    (0..<Int.random(in: 1...4, using: &generator)).map { _ in statement(depth) }.joined(separator: " ")
  }

  private mutating func function(_ depth: Int) -> String { "function(...) \(block(depth - 1)) end" }

  private mutating func statement(_ depth: Int) -> String {
    if depth <= 0 { return leaf() }
    switch Int.random(in: 0..<14, using: &generator) {
    case 0: return "\(slot()) = coroutine.create(\(function(depth)))"
    case 1: return "\(slot()) = coroutine.wrap(\(function(depth)))"
    case 2: return "pcall(\(function(depth)))"
    case 3: return "xpcall(\(function(depth)), \(function(depth)))"
    case 4: return "do local x <close> = setmetatable({}, {__close = \(function(depth))}) \(block(depth - 1)) end"
    case 5: return "table.sort({3, 1, 2}, \(function(depth)))"
    case 6:
      return "(('ab'):gsub('.', \(function(depth))))"
        .replacing("((", with: "local _ = ((")
    case 7: return "back(\(function(depth)))"
    case 8: return "for i = 1, 3 do \(block(depth - 1)) end"
    case 9: return "pcall(load, \(function(depth)))"
    case 10:
      return
        "local m = setmetatable({}, {__index = \(function(depth)), __len = \(function(depth))}) local _ = m.x, pcall(function() return #m end)"
    default: return leaf()
    }
  }

  private mutating func leaf() -> String {
    let (one, other) = (slot(), slot())
    let common = [
      "use(\(one))", "use(\(one))", "use(\(one), \(other), 1, 2)", "close(\(one))", "coroutine.yield(1, 2)",
      "pcall(coroutine.yield)",
      "\(one) = coroutine.running()", "coroutine.resume(coroutine.running())", "status(\(one))", "\(one) = \(other)",
      "for _ in pairs(c) do use(\(one)) end", "pcall(function() for _ in \(one) do use(\(other)) end end)", "error({})",
      "error('x')", "while true do use(\(one)) end", "while true do end", "stop()", "back(\(one))", "closer(\(one))",
      "local t = {} for i = 1, 1e5 do t[i] = {} end", "\(one) = nil", "coroutine.wrap(coroutine.yield)()",
      "keep = ('x'):rep(1e5)",
    ]
    let own = [
      "collectgarbage()", "debug.traceback(type(\(one)) == 'thread' and \(one) or 'x')",
      "pcall(debug.sethook, \(one), print)", "pcall(debug.getinfo, \(one), 0)", "pcall(debug.getlocal, \(one), 0, 1)",
      "pcall(os.exit, 0)", "pcall(debug.setlocal, \(one), 1, 1, 1)",
      "setmetatable({}, {__gc = function() pcall(coroutine.resume, \(one)) end})",
    ]
    return pick(isSandboxed ? common : common + own)
  }
}

@Suite struct CoroutineFuzzTests {
  private static let prelude = """
    c = {}
    function use(x, ...)
      if type(x) == "thread" then return coroutine.resume(x, ...) elseif type(x) == "function" then return pcall(x, ...) end
    end
    function close(x) if type(x) == "thread" then return pcall(coroutine.close, x) end end
    function status(x) if type(x) == "thread" then coroutine.isyieldable(x) return coroutine.status(x) end end
    """

  private func state(isSandboxed: Bool) throws -> LuaState {
    let state = try LuaState(
      memoryLimit: isSandboxed ? 4 << 20 : 64 << 20, libraries: isSandboxed ? .sandboxed : .full, seed: 1)
    try state.setGlobal(
      "stop",
      LuaFunction("stop") { stack in
        interruptLua()
        return LuaNothing()
      })
    try state.setGlobal(
      "back",
      LuaFunction("back") { stack in
        if stack.kind(1) == .function { return try stack.function(1).call() }
        return try stack.value(1)
      })
    try state.setGlobal(
      "closer",
      LuaFunction("closer") { stack in
        if stack.kind(1) == .table || stack.kind(1) == .function { stack.state.close() }
        return LuaNothing()
      })
    try run(Self.prelude, in: state)
    return state
  }

  @Test func `random programs of coroutines and stops end, and the state goes on`() throws {
    let wanted = getenv("FUZZ_RUNS").flatMap { Int(String(cString: $0)) } ?? 60
    let first = getenv("FUZZ_SEED").flatMap { UInt64(String(cString: $0)) } ?? 1
    for seed in first..<(first + UInt64(wanted)) {
      let isSandboxed = seed % 2 == 0
      var maker = ProgramMaker(generator: TestGenerator(seed), isSandboxed: isSandboxed)
      var current = try state(isSandboxed: isSandboxed)
      for _ in 0..<6 {
        if current.isClosed { current = try state(isSandboxed: isSandboxed) }
        current.timeLimit = 0.02
        let code = maker.block(4)
        if getenv("FUZZ_SHOW") != nil { print("seed \(seed): \(code)") }
        _ = try? current.load(code, name: "fuzz").call([], results: 0) { _ in }
        guard !current.isClosed else { continue }
        current.timeLimit = 5
        // A remaining finalizer may still request a stop: then the line after it must work.
        let next = "assert(coroutine.wrap(function() return 1 end)() == 1) local s = 0 for i = 1, 1000 do s = s + i end"
        var after = try failure(next, in: current)
        for _ in 0..<5 where after?.stopReason != nil { after = try failure(next, in: current) }
        #expect(after == nil || current.isClosed, "seed \(seed): \(String(describing: after)) after \(code)")
      }
      current.close()
    }
  }
}
