// A bound type for these tests: it fails in every way, counts its live instances, and calls back.

import CLua
import LuaRuntime
import Problems

/// Requests all Lua code running on this thread to stop, as the Ctrl-C handler does, but without its interrupt count,
/// which belongs to the process and would stop the tests running in parallel.
func interruptLua() { dh_stop_through(nil, Int32(DH_STOP_INTERRUPT.rawValue)) }

/// The number of live probes of one test.
final class Census {
  var living = 0
}

struct ProbeProblem: Problem {
  var report: ProblemReport {
    ProblemReport(.notFound, "Not found", "no probe is called \"x\"", ["suggestion": "y", "line": 3])
  }
}

final class Probe: BoundObject {
  let census: Census
  var name: String
  var inner: Probe?

  init(_ name: String, _ census: Census) {
    self.name = name
    self.census = census
    census.living += 1
  }

  deinit { census.living -= 1 }
}

/// Returns a state with the type `probe` and the module `probes`.
func probeState(_ census: Census, memoryLimit: Int? = nil) throws -> LuaState {
  let state = try LuaState(memoryLimit: memoryLimit)
  state.register(probeType())
  try state.register(
    BoundModule("probes", "Probes for the tests.") { module in
      module.function("create", ["name": .string], returns: .object("probe"), "A new probe.") { stack in
        Probe(try stack.text(1), census)
      }
      module.function("find", ["name": .string], returns: .object("probe").orProblem, "Never there.") {
        stack throws -> Bool in
        _ = try stack.text(1)
        throw ProbeProblem()
      }
      module.function("stop", returns: .nothing, "As Ctrl-C would.") { stack in
        interruptLua()
        return LuaNothing()
      }
      module.field("version", .integer, "Computed at each read.") { 7 }
    })
  return state
}

private func probeType() -> BoundType<Probe> {
  BoundType<Probe>("probe", "A thing to test with.", summary: { "probe \"\($0.name)\"" }) { type in
    type.field("name", .string, "Its name.", get: { $0.name }, set: { $0.name = try $1.text(3) })
    type.field("size", .integer, "Bytes of its name.", get: { $0.name.utf8.count })
    type.field("tags", .list(.string), "Two tags.") { _ in Frozen(["a", "b"], advice: "use probe:tag()") }
    type.method("contains", ["text": .string], returns: .boolean, "Bytes in place.") { probe, stack in
      let bytes = try stack.bytes(2)
      return bytes.count == probe.name.utf8.count && bytes.elementsEqual(probe.name.utf8)
    }
    type.method("take", ["n": .integer], returns: .integer, "1 to 5.") { _, stack in
      try stack.integer(2, in: 1...5)
    }
    type.method("real", ["x": .number], returns: .number, "Finite.") { _, stack in try stack.number(2) }
    type.method("fail", returns: .nothing, "Raises.") { probe, _ throws -> LuaNothing in
      throw LuaFailure.message("\(probe.name) failed")
    }
    type.method("refuse", returns: .nothing.orProblem, "nil, problem.") { _, _ throws -> LuaNothing in
      throw ProbeProblem()
    }
    type.method("throw_problem", returns: .nothing, "Raises a problem.") { _, _ throws -> LuaNothing in
      throw ProbeProblem()
    }
    type.method("call", ["f": .function], returns: .any, "Calls back.") { probe, stack in
      let local = Probe("on the Swift stack", probe.census)
      defer { local.name = "done" }
      return try stack.function(2).call([probe])
    }
    type.method("read", ["t": .table], returns: .string, "Reads a table.") { _, stack in
      let table = try stack.table(2, "a table with prompt")
      try table.allowOnly(["prompt", "tags"])
      let tags = try table.optionalTexts("tags") ?? []
      return ([try table.text("prompt")] + tags).joined(separator: ",")
    }
    type.method("echo", ["v": .any], returns: .any, "Copies.") { _, stack in try stack.value(2) }
    type.operation("__len") { probe, _ in probe.name.utf8.count }
  }
}

/// Runs code and returns its first result as plain data.
@discardableResult
func run(_ code: String, in state: LuaState) throws -> LuaValue {
  try state.load(code, name: "test").call()
}

/// Runs code that must fail, and returns the error.
func failure(_ code: String, in state: LuaState) throws -> LuaError? {
  do {
    _ = try run(code, in: state)
    return nil
  } catch let error as LuaError {
    return error
  }
}
