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
