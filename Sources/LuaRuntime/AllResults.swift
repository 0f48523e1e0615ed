// Calls a Lua value and reads all of its results, as the prompt does. Invariant: as with `LuaReference.call`, the
// stack is balanced however the call ends.

import CLua

extension LuaReference {
  /// Calls the value without arguments and passes all results to `read`, with the index of the first and their count.
  /// - Throws: `LuaError` when the code fails or is stopped, and what `read` throws.
  public func callForAll<R>(_ read: (borrowing LuaStack, _ first: Int, _ count: Int) throws -> R) throws -> R {
    let (L, top, charged) = try state.beginUse()
    defer { state.endUse(L, top: top, charged: charged) }
    push(on: L)
    let status = dh_call_protected(L, 0, LUA_MULTRET)
    guard status == LUA_OK else { throw state.takeError(on: L, status: status) }
    let stack = LuaStack(L)
    try stack.reserve(Int(DH_ROOM))
    return try stack.memory.reporting { try read(stack, Int(top) + 1, Int(lua_gettop(L) - top)) }
  }
}
