// Measures calls between Lua and Swift, interleaved with the same in C; run it in a release build. `Scripts/bench`
// shows its table: nanoseconds of each, and the ratio of the best rounds.

import CLua
import Glibc
import LuaBenchReference
import LuaRuntime
import Problems

final class Thing: BoundObject {
  let text = Array("paper".utf8)
}

struct NotThere: Problem {
  var report: ProblemReport {
    ProblemReport(.notAWord, "This is not a valid word", "Use only real words", ["word": "papre"])
  }
}

func seconds() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
  return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}

func thingType() -> BoundType<Thing> {
  BoundType<Thing>("thing", "A thing to measure.", summary: { _ in "thing" }) { type in
    type.method("contains", ["text": .string], returns: .boolean, "Bytes in place.") { thing, stack in
      let bytes = try stack.bytes(2)
      guard bytes.count == thing.text.count, let given = bytes.baseAddress else { return false }
      return thing.text.withUnsafeBytes { own in own.baseAddress.map { memcmp($0, given, own.count) == 0 } ?? true }
    }
    type.method("throwing", ["text": .string], returns: .boolean.orProblem, "Throws.") {
      _, stack -> Bool in
      _ = try stack.bytes(2)
      throw NotThere()
    }
    type.method("read", ["options": .table], returns: .integer, "Reads three fields.") { _, stack in
      let table = try stack.table(2)
      return try table.text("prompt").utf8.count + table.text("answer").utf8.count + (table.optionalInteger("n") ?? 0)
    }
    type.field("size", .integer, "Its bytes.", get: { $0.text.count })
  }
}

let rounds = 15
let repeats = 500_000

/// Returns the best time of one step of each, in nanoseconds, over interleaved rounds.
func best(_ first: () throws -> Void, _ second: () throws -> Void) rethrows -> (Double, Double) {
  var bests = (Double.infinity, Double.infinity)
  for _ in 0..<rounds {
    let start = seconds()
    try first()
    let middle = seconds()
    try second()
    bests = (min(bests.0, middle - start), min(bests.1, seconds() - middle))
  }
  let unit = 1e9 / Double(repeats)
  return (bests.0 * unit, bests.1 * unit)
}

func line(_ name: String, _ ours: Double, _ theirs: Double) {
  let columns = [ours, theirs, ours / theirs].map { String(Double(Int($0 * 100)) / 100) }
  print("\(name): \(columns[0]) ns, in C \(columns[1]) ns, ratio \(columns[2])")
}

func measure() throws {
  let state = try LuaState()
  state.register(thingType())
  try state.setGlobal("thing", Thing())
  try state.setGlobal(
    "open_reference",
    LuaFunction("open_reference") { stack in
      reference_open(stack.pointer)
      return LuaNothing()
    })
  try state.load("open_reference()", name: "bench").call([], results: 0) { _ in }
  func loop(_ body: String) throws -> LuaReference {
    try state.load(
      "local thing, reference, f = thing, reference, function(x) return x end for i = 1, \(repeats) do \(body) end",
      name: "bench")
  }
  func compare(_ name: String, _ ours: String, _ theirs: String) throws {
    let (a, b, empty) = (try loop(ours), try loop(theirs), try loop(""))
    let times = try best({ _ = try a.call() }, { _ = try b.call() })
    let base = try best({ _ = try empty.call() }, {}).0
    line(name, times.0 - base, times.1 - base)
  }
  try compare("method(string) -> boolean", "thing:contains('paper')", "reference:contains('paper')")
  try compare("field", "local _ = thing.size", "local _ = reference.size")
  try compare("nil, problem", "thing:throwing('x')", "reference:contains('x')")
  try compare(
    "three fields of a table", "thing:read({prompt = 'a', answer = 'b', n = 1})",
    "local _ = {prompt = 'a', answer = 'b', n = 1}")
  try callbacks(state)
}

func callbacks(_ state: LuaState) throws {
  let function = try state.load("return function(x) return x end", name: "bench").call { try $0.function(-1) }
  let times = try best(
    {
      var sum = 0
      for i in 0..<repeats { sum &+= try function.call(with: i) { try $0.integer(-1) } }
    },
    {
      try state.withStack { stack in
        stack.push(function)
        _ = reference_calls(stack.pointer, Int32(repeats))
      }
    })
  line("callback from Swift", times.0, times.1)
  state.timeLimit = 2
  let limited = try best({ for i in 0..<repeats { _ = try function.call(with: i) { try $0.integer(-1) } } }, {})
  line("callback with a time limit", limited.0, times.1)
}

try measure()
