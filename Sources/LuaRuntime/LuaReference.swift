// A Lua value that Swift keeps: a callback, an error value. Invariant: it is given back to the registry exactly once, and a
// reference into a closed state answers with an error instead of a value.

import CLua

/// A value in the registry of its state. It keeps the state's Swift object, not the state, alive.
public final class LuaReference {
  public let state: LuaState
  private let slot: Int32

  /// Takes the value on top of the stack.
  init(popping L: OpaquePointer, of state: LuaState) {
    self.state = state
    slot = dh_ref(L)
  }

  deinit { if !state.isClosed { dh_unref(state.main, slot) } }

  func push(on L: OpaquePointer) {
    if state.isClosed {
      lua_pushnil(L)
    } else {
      dh_push_ref(L, slot)
    }
  }

  /// Calls the value with the arguments and hands the results, on top of the stack, to `read`.
  /// - Throws: `LuaError` when the code fails or is stopped, and what `read` throws.
  public func call<R>(
    _ arguments: [any LuaRepresentable] = [], results: Int = 1, _ read: (borrowing LuaStack) throws -> R
  ) throws -> R {
    let L = try state.running()
    let top = lua_gettop(L)
    defer { lua_settop(L, top) }
    guard lua_checkstack(L, Int32(clamping: arguments.count + results + 8)) != 0 else { throw state.stackIsFull }
    let stack = LuaStack(L)
    push(on: L)
    var count: Int32 = 0
    for argument in arguments { count += argument.push(on: stack) }
    let status = dh_call_protected(L, count, Int32(clamping: results))
    guard status == LUA_OK else { throw state.takeError(on: L, status: status) }
    return try read(stack)
  }

  /// Calls the value and copies its first result.
  public func call(_ arguments: [any LuaRepresentable] = []) throws -> LuaValue {
    try call(arguments) { $0.value(-1) }
  }
}
