// The maximum cost of calls between Lua and Swift, compared with plain C on the same Lua state.

import BenchmarkReferences
import Glibc
import LuaBenchReference
import LuaRuntime

/// The object whose property is read.
private final class Thing: BoundObject {
  let size = 5
  let text = Array("paper".utf8)
}

/// A method of a type that also has fields, a property read, and a Lua function called from Swift.
func callFigures() throws -> [Figure?] {
  let state = try LuaState()
  defer { state.close() }
  state.register(
    BoundType<Thing>("thing", "A thing.", summary: { _ in "thing" }) { type in
      type.field("size", .integer, "Its size.") { $0.size }
      type.method("contains", ["text": .string], returns: .boolean, "Whether it is the text.") {
        thing, stack in
        let bytes = try stack.bytes(2)
        guard let start = bytes.baseAddress, bytes.count == thing.text.count else { return false }
        return memcmp(start, thing.text, bytes.count) == 0
      }
    })
  try state.setGlobal("thing", Thing())
  try state.withStack { reference_open($0.pointer) }
  return [try method(state), try property(state), try callback(state)]
}

private func method(_ state: LuaState) throws -> Figure? {
  try compare(
    "a bound method against C with luaL_checkudata, both of a type with fields", wanted: 1.1, "thing:contains('paper')",
    state)
}

private func property(_ state: LuaState) throws -> Figure? {
  try compare("a property against a C function as __index", wanted: 1.2, "thing.size", state)
}

/// Measures an expression on `thing`, and the same on the reference's userdata.
private func compare(_ title: String, wanted: Double, _ expression: String, _ state: LuaState) throws -> Figure? {
  let count = sized(1_000_000)
  func loop(_ name: String) throws -> LuaReference {
    try state.load("local thing = \(name) for i = 1, \(count) do local _ = \(expression) end", name: "bench")
  }
  let (ours, theirs) = (try loop("thing"), try loop("reference"))
  func seconds(_ run: LuaReference) throws -> Double {
    let start = now()
    try run.call([], results: 0) { _ in }
    return now() - start
  }
  return try compare(
    title, wanted: wanted, rounds: 31, scale: 1e9 / Double(count), unit: "ns", ours: { try seconds(ours) },
    reference: { try seconds(theirs) })
}

private func callback(_ state: LuaState) throws -> Figure? {
  let count = sized(500_000)
  let function = try state.load("return function(x) return x end", name: "bench").call { try $0.function(-1) }
  return try compare(
    "a Lua function called from Swift against lua_pcallk in C", wanted: 2, rounds: 31, scale: 1e9 / Double(count),
    unit: "ns"
  ) {
    let start = now()
    for number in 0..<count { _ = try function.call(with: number) { try $0.integer(-1) } }
    return now() - start
  } reference: {
    try state.withStack { stack in
      stack.push(function)
      let start = now()
      _ = reference_calls(stack.pointer, Int32(count))
      return now() - start
    }
  }
}

/// Plain Lua in Deckhand compared with Debian's `lua5.4`: the same code in both programs, each from start to exit. A
/// round is long enough to make the programs' start-up negligible.
enum PlainLuaFigures {
  /// Each code snippet loops `n` times; `n` is a local variable.
  private static let codes: [(title: String, wanted: Double, count: Int, code: String)] = [
    (
      "calls", 1.05, 1000,
      "local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end for i = 1, n do fib(20) end"
    ),
    ("loops", 1.05, 100_000_000, "local x = 0 for i = 1, n do x = x + i % 7 end"),
    ("closures", 1.05, 6_000_000, "for i = 1, n do local function f() return i end f() end"),
    ("tables", 1.05, 400_000, "for i = 1, n do local t = {} for j = 1, 20 do t[j] = j end t.a, t.b = 1, 2 end"),
    (
      "sort", 1.05, 100_000,
      "local s = 42 for r = 1, 4 do local t = {} for i = 1, n do s = (s * 1103515245 + 12345) % 2147483648 t[i] = s end "
        + "table.sort(t) end"
    ),
    ("pcall", 1.05, 8_000_000, "local function f(x) return x end for i = 1, n do pcall(f, i) end"),
    ("xpcall", 1.2, 5_000_000, "local function f(x) return x end for i = 1, n do xpcall(f, print, i) end"),
    (
      "coroutines", 1.2, 5_000_000,
      "local co = coroutine.wrap(function() while true do coroutine.yield(1) end end) for i = 1, n do co() end"
    ),
  ]

  static func all() -> [Figure?] {
    codes.map { title, wanted, count, code in
      let code = "local n = \(sized(count)) \(code)"
      let words = ["--data", "/tmp/deckhand-bench/none", "--no-plugins", "--no-init", "-e", code]
      return compare(
        "plain Lua against lua5.4: \(title)", wanted: wanted, rounds: 9, scale: 1e3, unit: "ms",
        ours: { seconds(ofRunning: deckhand, words) }, reference: { seconds(ofRunning: "lua5.4", ["-e", code]) })
    }
  }
}
