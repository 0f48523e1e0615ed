// Messages from a plugin's process to the shell: the process runs untrusted code, so a hole in Lua lets it send
// anything. An input is a list of frames, each preceded by its length in two bytes. Invariant: the shell answers or
// ends the conversation, and then releases every object it passed.

import FuzzDriver
import LuaRuntime

/// A process that sends the frames of the input, and then ends.
private final class ToldChannel: DistantChannel {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  func send(_ frame: [UInt8]) throws {}

  func receive(_ waiting: () throws -> Void) throws -> [UInt8] {
    guard rest.count > 1 else { throw DistantFailure.ended("has said all") }
    let count = min(Int(rest.removeFirst()) | Int(rest.removeFirst()) << 8, rest.count)
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  func makeRoom(by body: @escaping (Int) -> Void) {}
  func requestStop(_ value: Int32) {}
  func end() { rest = [] }
}

private final class Thing: BoundObject {
  static nonisolated(unsafe) var living = 0
  var text = "thing"

  init() { Thing.living += 1 }
  deinit { Thing.living -= 1 }

  static var type: BoundType<Thing> {
    BoundType<Thing>("thing", "A thing.", summary: { $0.text }) { type in
      type.field("text", .string, "Its text.", get: { $0.text }, set: { $0.text = try $1.text(3) })
      type.field("words", .list(.string), "Two.") { _ in Frozen(["a", "b"], advice: "use thing:call()") }
      type.method("call", ["f": .function], returns: .any, "Calls back.") { thing, stack in
        try stack.function(2).call([thing])
      }
    }
  }
}

/// One of each kind of host function: functions that read tables, iterators and functions, and one that keeps a
/// function.
private final class Things {
  var kept: LuaReference?

  var module: BoundModule {
    BoundModule("things", "Things.") { module in
      module.function("make", returns: .object("thing"), "A new one.") { _ in Thing() }
      module.function("copy", ["value": .any], returns: .any, "The value, copied.") { try $0.value(1) }
      module.function("keep", ["f": .function], returns: .nothing, "Keeps it.") { [unowned self] stack in
        kept = try stack.function(1)
        return LuaNothing()
      }
      module.function("sum", ["items": .any], returns: .integer, "Of the fields `n`.") { stack in
        var sum = 0
        try LuaItems(at: 1, on: stack).forEach { sum &+= try $0.table(-1).optionalInteger("n") ?? 0 }
        return sum
      }
      module.function("counter", returns: .function, "An iterator of 1 and 2.") { _ in
        var count = 0
        return LuaFunction("counter") { _ in
          count += 1
          return count <= 2 ? Optional(count) : nil
        }
      }
    }
  }
}

func isolation() -> FuzzTarget {
  FuzzTarget("isolation") { bytes in
    let living = Thing.living
    do {
      let state = try LuaState(memoryLimit: 8 << 20, libraries: .sandboxed, seed: 1)
      state.timeLimit = 1
      defer { state.close() }
      state.register(Thing.type)
      let things = Things()
      try state.register(things.module)
      let code = DistantCode(state, ToldChannel(bytes), longestFrame: 1 << 20)
      defer { code.close() }
      try talk(to: code, state, things)
    } catch is DistantFailure {
      hold(false, "a failure of the process is told as an error of the call")
    } catch {}
    hold(Thing.living == living, "\(Thing.living - living) objects stay")
  }
}

/// A table of the plugin's, as an argument.
private struct Pushed: LuaRepresentable {
  let reference: LuaReference
  var luaValue: LuaValue { .none }

  func push(on stack: borrowing LuaStack) -> Int32 {
    stack.push(reference)
    return 1
  }
}

/// Uses the plugin as the shell does.
private func talk(to code: DistantCode, _ state: LuaState, _ things: Things) throws {
  try code.sendModules()
  try code.setRequire { _ in (Array("return 1".utf8), "part.lua") }
  try code.setGlobal("plugin", "fuzz")
  let start = try code.load(Array("...".utf8), name: "init.lua")
  let table = try state.makeTable(.none)
  _ = try start.call([Thing()])
  _ = try things.kept?.call(with: Thing(), 2, "x", results: 2) { try $0.value(-1) }
  _ = table.copied()
  _ = try start.call([Pushed(reference: table)])
}
