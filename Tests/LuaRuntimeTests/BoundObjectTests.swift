// Bound objects under attack: every kind of failure, forged and closed objects, wrong arguments, re-entrancy.

import LuaRuntime
import Problems
import Testing

@Suite struct BoundObjectTests {
  private let census = Census()

  @Test func `a hundred thousand failures of every kind leak nothing and crash nothing`() throws {
    let state = try probeState(census)
    try run(
      """
      local probe = probes.create("p")
      local function nested(depth)
        return probe:call(function()
          if depth > 1 then return nested(depth - 1) end
          error("from the depth")
        end)
      end
      local ways = {
        function() probe:fail() end,
        function() probe:take("x") end,
        function() assert(probe:refuse()) end,
        function() probe:throw_problem() end,
        function() probe:call(function() error("callback") end) end,
        function() probe:call(function() error(nil) end) end,
        function() probe:call(coroutine.yield) end,
        function() nested(5) end,
        function() return probe.nothing end,
        function() probe.size = 3 end,
        function() local other = probes.create("o") ; debug.getmetatable(other).__gc(other) ; return other.name end,
      }
      for i = 1, 100000 do
        local ok = pcall(ways[i % #ways + 1])
        assert(not ok, i)
      end
      """, in: state)
    try run("collectgarbage() collectgarbage()", in: state)
    #expect(census.living <= 1)
    state.close()
    #expect(census.living == 0)
  }

  @Test func `releasing an object twice is harmless, and a released object reports it`() throws {
    let state = try probeState(census)
    try run("p = probes.create('x'); local g = debug.getmetatable(p).__gc; g(p); g(p)", in: state)
    #expect(census.living == 0)
    #expect(try failure("return #p", in: state)?.message.contains("probe is closed") == true)
    #expect(try failure("return p.name", in: state)?.message.contains("probe is closed") == true)
    #expect(try failure("p.name = 'y'", in: state)?.message.contains("probe is closed") == true)
    #expect(try failure("p:fail()", in: state)?.message.contains("probe is closed") == true)
    #expect(try run("return tostring(p)", in: state).text == "probe (closed)")
    state.close()
  }

  @Test func `an object that is released while one of its methods runs lives until the method ends`() throws {
    let state = try probeState(census)
    defer { state.close() }
    try state.setGlobal("living", LuaFunction("living") { _ in census.living })
    try run("p = probes.create('x')", in: state)
    let within = try run(
      """
      return p:read(setmetatable({}, {__index = function(_, name)
        if name == 'tags' then return debug.getmetatable(p).__gc(p) end
        return living()
      end}))
      """, in: state)
    #expect(within.text == "1")
    #expect(census.living == 0)
  }

  @Test(arguments: [
    ("p.take(io.stdout, 1)", "bad argument #1 to 'take' (probe expected, got FILE*)"),
    ("p.take({}, 1)", "bad argument #1 to 'take' (probe expected, got table)"),
    ("p.take()", "bad argument #1 to 'take' (probe expected, got no value)"),
    ("p:take()", "bad argument #1 to 'take' (integer expected, got no value)"),
    ("p:take({})", "bad argument #1 to 'take' (integer expected, got table)"),
    ("probes.create(nil)", "bad argument #1 to 'create' (string expected, got nil)"),
    ("probes.create('\\xff\\xfe')", "bad argument #1 to 'create' (text in UTF-8 expected, got other bytes)"),
    ("local f = probes.create; pcall(f); return f()", "bad argument #1 to 'create' (string expected, got no value)"),
    ("p:fail()", "test:1: p failed"),
    ("return p.nmae", "probe has no field 'nmae' (did you mean 'name'?)"),
    ("p.nmae = 1", "probe has no field 'nmae' (did you mean 'name'?)"),
    ("p.size = 1", "probe.size cannot be assigned"),
    ("p.name = {}", "bad value for probe.name (string expected, got table)"),
    ("return probes.craete", "probes has no field 'craete' (did you mean 'create'?)"),
    ("return p[1]", "probe has fields by name, not by number"),
    ("for _ in ipairs(p) do end", "test:1: probe has fields by name, not by number"),
    ("table.insert(p.tags, 'c')", "test:1: use probe:tag()"),
    ("p:read(1)", "bad argument #1 to 'read' (a table with prompt expected, got number)"),
    ("p:read{}", "bad argument #1 to 'read' (field 'prompt': string expected, got nil)"),
    ("p:read{prompt = 'a', tags = {1, {}}}", "element 2: string expected, got table"),
    ("p:read{prompt = 'a', tags = setmetatable({x = true}, {})}", "list expected, got a table with the field 'x'"),
    ("p:read{promt = 'a'}", "unknown field 'promt' (did you mean 'prompt'?)"),
    ("setmetatable({}, getmetatable(p))", "bad argument #2 to 'setmetatable'"),
    ("debug.setmetatable(1, debug.getmetatable(p))", "the metatable of a bound type is only for its objects"),
    ("debug.setmetatable(p, {})", "the metatable of a bound object cannot be changed"),
    ("debug.setupvalue(p.take, 1, p)", "a function of the host cannot be changed"),
    ("p:call(function() debug.setlocal(2, 1, nil) end)", "the values of a function of the host cannot be changed"),
  ])
  func `wrong arguments are reported in Lua's own style`(code: String, message: String) throws {
    let state = try probeState(Census())
    defer { state.close() }
    try run("p = probes.create('p')", in: state)
    let text = try failure(code, in: state)?.description ?? "no error"
    #expect(text.contains(message), "\(text)")
  }

  @Test(arguments: [
    "math.maxinteger", "math.mininteger", "-1", "0", "2^53", "1e300", "0/0", "1/0", "-1/0", "'10'", "1.5", "6", "nil",
    "{}", "print",
  ])
  func `no number traps Swift`(argument: String) throws {
    let state = try probeState(Census())
    defer { state.close() }
    try run("p = probes.create('p')", in: state)
    #expect(try failure("p:take(\(argument))", in: state) != nil)
    #expect(try run("return p:take(5.0)", in: state).luaValue.isInteger(5))
    #expect(try failure("p:real(0/0)", in: state) != nil)
  }

  @Test func `an ordinary failure returns nil and a readable problem`() throws {
    let state = try probeState(Census())
    defer { state.close() }
    try run(
      """
      local found, problem = probes.find("x")
      assert(found == nil and problem.code == "not_found" and problem.title == "Not found")
      assert(problem.suggestion == "y" and problem.line == 3)
      assert(tostring(problem) == 'no probe is called "x"')
      """, in: state)
    let error = try failure("assert(probes.find('x'))", in: state)
    #expect(error?.problem?.code == "not_found")
    #expect(error?.description == "test:1: no probe is called \"x\"")
  }

  @Test func `an object has the same userdata while it lives`() throws {
    let state = try probeState(census)
    let probe = Probe("p", census)
    try state.setGlobal("a", probe)
    try state.setGlobal("b", probe)
    try run("assert(a == b and rawequal(a, b)); local t = {[a] = 1}; assert(t[b] == 1)", in: state)
    try run("a, b = nil, nil; collectgarbage(); collectgarbage()", in: state)
    try state.setGlobal("c", probe)
    #expect(try run("return c.name", in: state).text == "p")
    state.close()
    #expect(census.living == 1)
    #expect(probe.name == "p")
  }

  @Test func `metatables, tostring, length and frozen lists follow the contract`() throws {
    let state = try probeState(Census())
    defer { state.close() }
    try run(
      """
      local p = probes.create("four")
      assert(getmetatable(p) == "probe")
      assert(tostring(p) == 'probe "four"')
      assert(#p == 4 and p:contains("four") and not p:contains("fours"))
      local tags = p.tags
      assert(#tags == 2 and tags[1] == "a" and tags[3] == nil)
      local seen = {}
      for i, tag in ipairs(tags) do seen[i] = tag end
      for k, v in pairs(tags) do assert(seen[k] == v) end
      assert(p:read{prompt = "x", tags = tags} == "x,a,b")
      local ok, message = pcall(function() tags[1] = "z" end)
      assert(not ok and message:find("use probe:tag()", 1, true))
      assert(table.concat(p:echo({1, {x = {2}}})[2].x) == "2")
      assert(probes.version == 7)
      assert(next(tags) == nil and rawlen(tags) == 0)
      """, in: state)
  }

  @Test func `objects used by finalizers while the state closes report that they are closed`() throws {
    let state = try probeState(census)
    let log = Probe("log", census)
    try state.setGlobal("log", log)
    try run(
      """
      local p = probes.create("kept")
      for i = 1, 10 do
        setmetatable({}, {__gc = function()
          local ok, message = pcall(function() return p.name end)
          log.name = log.name .. (ok and "+" or "-")
        end})
      end
      keep = setmetatable({}, {__close = function() return p:call(function() end) end, __gc = function() p:fail() end})
      """, in: state)
    state.close()
    #expect(log.name.hasPrefix("log"))
    #expect(census.living == 1)
  }

  @Test func `a million objects stay within the memory limit`() throws {
    let state = try probeState(census, memoryLimit: 8 << 20)
    try run("for i = 1, 1000000 do local p = probes.create('x') end", in: state)
    #expect(census.living < 100_000)
    let error = try failure("local t = {} for i = 1, 1000000 do t[i] = probes.create('x') end", in: state)
    #expect(error?.stopReason == .memory)
    #expect(try run("return 1 + 1", in: state).luaValue.isInteger(2))
    state.close()
    #expect(census.living == 0)
  }
}

extension LuaValue {
  func isInteger(_ number: Int) -> Bool {
    if case .integer(let value) = self { return value == number }
    return false
  }
}

@Suite struct FieldlessTypeTests {
  final class Plain: BoundObject {}

  @Test func `a type without fields has its methods, and reports unknown members`() throws {
    let state = try LuaState()
    defer { state.close() }
    state.register(
      BoundType<Plain>("plain", "No fields.", summary: { _ in "plain" }) { type in
        type.method("answer", returns: .integer, "Forty-two.") { _, _ in 42 }
      })
    try state.setGlobal("p", Plain())
    #expect(try run("return p:answer()", in: state).isInteger(42))
    #expect(
      try failure("return p.anser", in: state)?.message.contains("plain has no field 'anser' (did you mean 'answer'?)")
        == true)
    #expect(try failure("p.answer = 1", in: state) != nil)
    #expect(try failure("p.answer({})", in: state)?.message.contains("plain expected, got table") == true)
    try run("local g = debug.getmetatable(p).__gc g(p)", in: state)
    #expect(try failure("p:answer()", in: state)?.message.contains("plain is closed") == true)
  }
}
