// Fast paths: when they are taken, and that the general path handles everything they do not.

import LuaRuntime
import Testing

/// A gate that the test opens and closes; it counts the calls of each path.
private final class Door: LuaGate {
  var isOpen = true
  var (fast, general) = (0, 0)
}

/// A value with a length that is its own gate.
private final class Box: BoundObject, LuaGate {
  var isOpen = true
}

private let longest = 100

private func doorState(_ door: Door) throws -> LuaState {
  let state = try LuaState()
  try state.register(
    BoundModule("door", "A door.", context: door) { module in
      module.function(
        "length", ["text": .string], returns: .integer, "The bytes of a text, or what is wrong with it."
      ) { stack in
        door.general += 1
        guard door.isOpen else { throw LuaFailure.message("the door is closed") }
        return try stack.bytes(1).count
      }
      module.fastPath("length") { L, _, context in
        guard let call = FastCall(L, openedBy: context, as: Door.self), let context,
          let bytes = call.stack.bytesInPlace(1, limit: longest)
        else { return FastCall.declined }
        borrowed(context, as: Door.self) { $0.fast += 1 }
        return call.answer(bytes.count)
      }
    })
  state.register(
    BoundType<Box>("box", "A box.", summary: { _ in "box" }) { type in
      type.method("same", ["text": .string], returns: .string, "The text.") { box, stack in
        guard box.isOpen else { throw LuaFailure.message("the box is closed") }
        return try stack.text(2)
      }
      type.fastPath("same") { L, object, _ in
        guard let call = FastCall(L, openedBy: object, as: Box.self), call.stack.bytesInPlace(2, limit: longest) != nil
        else { return FastCall.declined }
        return call.answer(argument: 2)
      }
    })
  return state
}

private func number(_ code: String, in state: LuaState) throws -> Int? {
  guard case .integer(let number) = try run(code, in: state) else { return nil }
  return number
}

@Suite struct FastPathTests {
  @Test func `calls that the fast path does not handle go to the general path, with its errors`() throws {
    let door = Door()
    let state = try doorState(door)
    defer { state.close() }
    #expect(try number("return door.length('paper') + door.length(123)", in: state) == 8)
    #expect((door.fast, door.general) == (2, 0))
    #expect(try number("return door.length(('x'):rep(101))", in: state) == 101)
    #expect((door.fast, door.general) == (2, 1))
    let message = try failure("door.length({})", in: state)?.message
    #expect(message?.contains("bad argument #1 to 'length' (string expected, got table)") == true)
    #expect(try failure("door.length()", in: state)?.message.contains("got no value") == true)
  }

  @Test func `no fast path is taken while the gate is closed`() throws {
    let door = Door()
    let state = try doorState(door)
    defer { state.close() }
    try run("length = door.length assert(length('paper') == 5)", in: state)
    door.isOpen = false
    #expect(try failure("length('paper')", in: state)?.message.contains("the door is closed") == true)
    door.isOpen = true
    #expect(try number("return length('paper')", in: state) == 5)
    #expect((door.fast, door.general) == (2, 1))
  }

  @Test func `a fast method checks self like any method`() throws {
    let state = try doorState(Door())
    defer { state.close() }
    let box = Box()
    try state.setGlobal("box", box)
    #expect(try run("return box:same('paper')", in: state).text == "paper")
    for other in ["{}", "io.stdout", "nil", "'x'", "debug.upvalueid(function() return box end, 1)", "door"] {
      let message = try failure("box.same(\(other), 'paper')", in: state)?.message
      #expect(message?.contains("box expected, got") == true, "\(other): \(message ?? "no error")")
    }
    box.isOpen = false
    #expect(try failure("box:same('paper')", in: state)?.message.contains("the box is closed") == true)
    box.isOpen = true
    try run("debug.getmetatable(box).__gc(box)", in: state)
    #expect(try failure("box:same('paper')", in: state)?.message.contains("box is closed") == true)
  }

  @Test func `a fast path is stopped and limited like any host function`() throws {
    let state = try doorState(Door())
    state.timeLimit = 0.05
    #expect(try failure("while true do pcall(door.length, 'paper') end", in: state)?.stopReason == .deadline)
    state.close()
  }
}
