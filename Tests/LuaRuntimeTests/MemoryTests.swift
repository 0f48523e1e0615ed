// The Swift heap memory that Lua code uses: charged before it is allocated, returned at the end of the call or by the
// collector.

import CLua
import Glibc
import Testing

@testable import LuaRuntime

/// The resident memory of this process, in bytes.
private func resident() -> Int {
  guard let file = fopen("/proc/self/statm", "r") else { return 0 }
  defer { fclose(file) }
  var (total, pages) = (0, 0)
  withUnsafeMutablePointer(to: &total) { total in
    withUnsafeMutablePointer(to: &pages) { pages in withVaList([total, pages]) { _ = vfscanf(file, "%ld %ld", $0) } }
  }
  return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
}

private final class Kept {
  var charges: [MemoryCharge] = []
  var pushed = 0
  var living = 0
}

/// Counts how often it was pushed.
private struct Counted: LuaRepresentable {
  let kept: Kept
  func push(on stack: borrowing LuaStack) -> Int32 {
    kept.pushed += 1
    stack.push(String(repeating: "y", count: 100))
    return 1
  }
  var luaValue: LuaValue { .none }
}

private final class Held {
  let kept: Kept
  init(_ kept: Kept) {
    self.kept = kept
    kept.living += 1
  }
  deinit { kept.living -= 1 }
}

private func memoryState(_ kept: Kept, limit: Int? = 64 << 20) throws -> LuaState {
  let state = try LuaState(memoryLimit: limit, libraries: limit == nil ? .full : .sandboxed)
  try state.register(
    BoundModule("host", "Takes and keeps.") { module in
      module.function("copy", returns: .any, "Copies a value.") { stack in
        _ = try stack.value(1)
        return true
      }
      module.function("texts", returns: .any, "Copies a list of texts.") { stack in
        try stack.table(1).elements { try $0.text(-1) }.count
      }
      module.function("keep", returns: .any, "Keeps a text.") { stack in
        _ = try stack.text(1)
        kept.charges.append(try stack.memory.retainCharge())
        return LuaNothing()
      }
      module.function("list", returns: .any, "A long list.") { stack in
        [Counted](repeating: Counted(kept: kept), count: try stack.integer(1))
      }
      module.function("closure", returns: .any, "A function that holds something.") { _ in
        let held = Held(kept)
        return LuaFunction("held") { _ in held.kept.living }
      }
      module.function("take", returns: .any, "Charges so much.") { stack in
        try stack.memory.charge(stack.integer(1))
        return true
      }
    })
  return state
}

@Suite(.serialized) struct MemoryTests {
  @Test(arguments: [
    "local s = ('x'):rep(3e7) local t = {} for i = 1, 2000 do t[i] = s end pcall(host.copy, t)",
    "local s = ('x'):rep(3e7) local t = {} for i = 1, 2000 do t[i] = s end pcall(host.texts, t)",
    "local s = ('x'):rep(1e6) local t = {} for i = 1, 2000 do t[i] = s end pcall(host.texts, t)",
    "local t = {} for i = 1, 1e6 do t[i] = 'x' end local u = {} for i = 1, 1000 do u[i] = t end pcall(host.copy, u)",
    "local t = {} for i = 1, 2e6 do t[i] = 'x' end pcall(host.texts, t)",
    "local s = ('x'):rep(1e6) while true do pcall(host.keep, s) end",
    "local t = {} for i = 1, 1e7 do t[i] = host.closure() end",
    "for i = 1, 100 do pcall(host.list, 1e7) end",
  ])
  func `a host call that exceeds the limit stops the state before the memory is allocated`(code: String) throws {
    let kept = Kept()
    let state = try memoryState(kept)
    defer { state.close() }
    let before = resident()
    let error = try failure(code + " survived = true", in: state)
    #expect(error?.stopReason == .memory)
    #expect(resident() - before < 128 << 20)
    kept.charges = []
    #expect(try run("return survived == nil and #('x'):rep(1e7)", in: state).json == "10000000")
  }

  @Test func `a call returns the memory it used, and retained objects stay charged until they are released`() throws {
    let kept = Kept()
    let state = try memoryState(kept)
    defer { state.close() }
    try run(
      "text = ('x'):rep(1e6) list = {text, text, text} host.copy(list) host.texts(list) collectgarbage('count')",
      in: state)
    let before = state.memoryUsed
    for _ in 0..<50 { try run("host.copy(list) host.texts(list)", in: state) }
    #expect(state.memoryUsed - before < 1 << 20)
    try run("host.keep(text)", in: state)
    #expect(state.memoryUsed - before > 1_000_000)
    kept.charges = []
    #expect(state.memoryUsed - before < 1 << 20)
  }

  @Test func `memory left over from small values is returned before large ones are created`() throws {
    let state = try memoryState(Kept())
    defer { state.close() }
    let before = resident()
    try run(
      """
      for round = 1, 3 do
        local small = {}
        for i = 1, 500000 do small[i] = {} end
        small = nil
        local large = {}
        for i = 1, 20 do large[i] = ("x"):rep(2000000 + i) end
        assert(#large[20] == 2000020)
      end
      """, in: state)
    #expect(resident() - before < 80 << 20)
    #expect(try run("local t = {} for i = 1, 1e5 do t[i] = {i} end return t[777][1]", in: state).isInteger(777))
  }

  @Test func `a result that does not fit is truncated, and the call ends`() throws {
    let kept = Kept()
    let state = try memoryState(kept, limit: 8 << 20)
    defer { state.close() }
    #expect(try failure("host.list(1e6)", in: state)?.stopReason == .memory)
    #expect(kept.pushed < 200_000)
  }

  @Test func `the collector releases functions that the host created`() throws {
    let kept = Kept()
    let state = try memoryState(kept, limit: nil)
    defer { state.close() }
    try run("for i = 1, 20000 do f = host.closure() end", in: state)
    #expect(kept.living < 10_000)
    #expect(try run("return f()", in: state).json == String(kept.living))
    let used = state.memoryUsed
    try run("for i = 1, 100000 do f = host.closure() end f = nil collectgarbage() collectgarbage()", in: state)
    #expect(kept.living == 0)
    #expect(state.memoryUsed - used < 1 << 20)
  }

  @Test func `a released function returns nothing`() throws {
    let kept = Kept()
    let state = try memoryState(kept, limit: nil)
    try run(
      """
      f = host.closure()
      guard = setmetatable({}, { __gc = function() result = f() end })
      for _, value in pairs(debug.getregistry()) do
        local meta = type(value) == "table" and rawget(value, "__gc")
        if meta then pcall(meta, 1) pcall(meta, io.stdout) pcall(meta, value) end
      end
      assert(f() == 1)
      """, in: state)
    state.close()
    #expect(kept.living == 0)
  }

  @Test func `the user's own state refuses more memory than the machine has, with an ordinary error`() throws {
    let state = try memoryState(Kept(), limit: nil)
    defer { state.close() }
    #expect(
      try run("local ok, why = pcall(host.take, 1 << 50) return not ok and why", in: state).text?
        .contains("not enough memory") == true)
    #expect(
      try run("local ok, why = pcall(host.keep, ('x'):rep(3e7)) return not ok and why", in: state).text?
        .contains("text of at most 1 MiB expected, got 28 MiB") == true)
    #expect(try run("return host.take(1e8)", in: state).json == "true")
  }

  @Test func `results that are read after a call stop it at the limit`() throws {
    let state = try memoryState(Kept())
    defer { state.close() }
    let error = try failure("local s = ('x'):rep(3e7) local t = {} for i = 1, 2000 do t[i] = s end return t", in: state)
    #expect(error?.stopReason == .memory)
  }
}
