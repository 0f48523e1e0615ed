// A nearly full Lua stack: every host call then returns or raises an error, and writes nothing past the end.

import LuaRuntime
import Problems
import Testing

@Suite struct FullStackTests {
  /// `at_each(slots, f)` calls `f` with the stack filled up to each of the last `slots` slots that a call can still
  /// reach.
  static let filling = """
    local big = {}
    for i = 1, 1000000 do big[i] = false end
    local function at(n, f)
      local function filled(...) f() return nil end
      return pcall(filled, table.unpack(big, 1, n))
    end
    local low, high = 1, 1000000
    while low < high do
      local middle = (low + high + 1) // 2
      if pcall(at, middle, function() end) and at(middle, function() end) then low = middle else high = middle - 1 end
    end
    function at_each(slots, f) for n = low - slots, low do at(n, f) end end
    """

  @Test func `a host call on a nearly full stack returns or raises an error`() throws {
    let state = try probeState(Census())
    defer { state.close() }
    try run("p = probes.create('p') deep = {} for i = 1, 60 do deep = {deep, x = i} end", in: state)
    try state.setGlobal(
      "results", LuaFunction("results") { _ in LuaResults(1, [2, 3], "x", [[1]], true, 2.5, "y", 7) })
    try state.setGlobal("nest", LuaFunction("nest") { _ in [[[[[["x"]]]]]] })
    try run(Self.filling, in: state)
    let answers = try run(
      """
      local calls = {
        echo = function() return p:echo(deep) end, list = function() return p:echo({1, {2, {3}}}) end,
        find = function() return probes.find("x") end, create = function() return probes.create("q") end,
        call = function() return p:call(function() return deep end) end, read = function() return p:read({prompt = "x"}) end,
        name = function() return p.name end, set = function() p.name = "r" end, tags = function() return p.tags[1] end,
        length = function() return #p end, fails = function() return p:fail() end, problem = function() return p:throw_problem() end,
        refuse = function() return p:refuse() end, argument = function() return p:take("x") end, text = function() return tostring(p) end,
        results = function() return results() end, nest = function() return nest() end, unknown = function() return p.nothing end,
        wrong = function() return probes.create() end, version = function() return probes.version end,
        resume = function() return coroutine.wrap(function() return p:echo(deep) end)() end,
        pairs = function() for _ in pairs(p.tags) do end end, sort = function() table.sort({3, 2, 1}) end,
        gsub = function() return (("abc"):gsub("(.)(.)", "%2%1")) end, format = function() return ("%s %d"):format({}, 3) end,
        concat = function() return table.concat({1, 2, 3}, ",") end, load = function() return load("return 1")() end,
        xpcall = function() return xpcall(error, debug.traceback) end,
      }
      local good, bad = 0, 0
      at_each(400, function()
        for _, call in pairs(calls) do
          if pcall(call) then good = good + 1 else bad = bad + 1 end
        end
      end)
      return {good, bad}
      """, in: state)
    guard case .list(let counts) = answers, case .integer(let good) = counts[0], case .integer(let bad) = counts[1]
    else { return #expect(Bool(false)) }
    #expect(good > 1000 && bad > 1000, "\(good) \(bad)")
    try run("assert(p:echo(deep)[1][1].x == 58)", in: state)
  }

  @Test func `the host's own calls report that the stack is full`() throws {
    let state = try probeState(Census())
    defer { state.close() }
    try run(Self.filling, in: state)
    var (full, done) = (0, 0)
    try state.setGlobal(
      "host",
      LuaFunction("host") { stack in
        do {
          try stack.state.setGlobal("deep", LuaValue.list([.list([.list([.integer(1)])])]))
          _ = try stack.state.load("return ...", name: "x").call([[[1]], "x", LuaValue.table([(.integer(1), .none)])])
          _ = try stack.state.globalNames()
          done += 1
        } catch let error as LuaError where error.message.contains("stack overflow") {
          full += 1
        }
        return LuaNothing()
      })
    try run("at_each(300, function() pcall(host) end)", in: state)
    #expect(done > 50 && full > 0, "\(done) \(full)")
  }
}
