// A Lua value that Swift holds: a callback or an error value. Invariant: its registry slot is released exactly once,
// and a reference into a closed state gives an error instead of a value.

public import CLua

/// A value in the registry of its state. It keeps the Swift object of the state alive, but not the Lua state.
public final class LuaReference {
  public let state: LuaState
  @usableFromInline let slot: Int32

  /// Pops the value on top of the stack and holds it.
  init(popping L: OpaquePointer, of state: LuaState) {
    self.state = state
    slot = dh_ref(L)
    dh_keep(L, Self.cost)
  }

  deinit {
    guard !state.isFreed else { return }
    dh_unref(state.main, slot)
    dh_release(state.main, Self.cost)
  }

  /// The bytes that a reference and the closure that holds it are charged.
  private static let cost = 512

  func push(on L: OpaquePointer) {
    if state.isFreed {
      lua_pushnil(L)
    } else {
      dh_push_ref(L, slot)
    }
  }

  /// Calls the value with the arguments and passes the results, on top of the stack, to `read`.
  /// - Throws: `LuaError` when the code fails or is stopped, and what `read` throws.
  public func call<R>(
    _ arguments: [any LuaRepresentable] = [], results: Int = 1, _ read: (borrowing LuaStack) throws -> R
  ) throws -> R {
    let use = try state.beginCall(slot, slots: arguments.count + results)
    let stack = LuaStack(use.L)
    defer { state.endCall(use) }
    return try stack.memory.reporting {
      var count: Int32 = 0
      for argument in arguments { count += try argument.push(on: stack) }
      try finish(use.L, count, results)
      return try read(stack)
    }
  }

  /// The same with arguments of known types, for frequent calls.
  @inlinable public func call<First: LuaRepresentable, each Argument: LuaRepresentable, R>(
    with first: First, _ arguments: repeat each Argument, results: Int = 1, read: (borrowing LuaStack) throws -> R
  ) throws -> R {
    let use = try state.beginCall(slot, slots: results)
    let stack = LuaStack(use.L)
    defer { state.endCall(use) }
    return try stack.memory.reporting {
      var count = try first.push(on: stack)
      for argument in repeat each arguments { count += try argument.push(on: stack) }
      try finish(use.L, count, results)
      return try read(stack)
    }
  }

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

  @inlinable func finish(_ L: OpaquePointer, _ count: Int32, _ results: Int) throws {
    let status = dh_finish_call(L, count, Int32(truncatingIfNeeded: results))
    guard status == LUA_OK else { throw state.takeError(on: L, status: status) }
  }

  /// Returns the value as plain data; `.none` if the state is closed.
  /// - Parameter payer: the state that is charged for the copy; the value's own when nil.
  public func copied(for payer: LuaState? = nil) -> LuaValue {
    guard !state.isClosed else { return .none }
    do { return try copy(for: payer ?? state, isWhole: false) } catch {
      // The stack is full, or the copy needs more memory than the payer may use: there is no value to return.
      return .none
    }
  }

  /// Returns the value as plain data; a value with too many parts is refused instead of truncated.
  public func copiedWhole() throws -> LuaValue { try copy(for: state, isWhole: true) }

  private func copy(for payer: LuaState, isWhole: Bool) throws -> LuaValue {
    try state.withStack { stack in
      stack.push(self)
      let copier = LuaCopier(stack.L, payer: payer.main)
      if let distant = state.distant, let table = stack.objectOrNil(-1, DistantTable.self) {
        return try distant.withContent(of: table) { try copier.copy(lua_gettop($0.L), depth: 64, isWhole: isWhole) }
      }
      return try copier.copy(lua_gettop(stack.L), depth: 64, isWhole: isWhole)
    }
  }

  /// Calls the value and returns a copy of its first result.
  public func call(_ arguments: [any LuaRepresentable] = []) throws -> LuaValue {
    try call(arguments) { try $0.value(-1) }
  }
}

/// The items of the array or of the iterator at an index.
public struct LuaItems: ~Copyable {
  private let L: OpaquePointer
  private let index: Int

  public init(at index: Int, on stack: borrowing LuaStack) { (L, self.index) = (stack.L, index) }

  /// Calls `body` with each item on top of the stack. An iterator is called without arguments, as `for ... in` calls
  /// one that holds its own state, up to its first nil.
  /// - Throws: the error of the script's code, the stop that ended it, what `body` throws, and `LuaFailure.argument`
  ///   for an array without one of its elements.
  public func forEach(_ body: (borrowing LuaStack) throws -> Void) throws {
    let stack = LuaStack(L)
    try stack.reserve(LuaStack.flatValue)
    if stack.kind(index) == .table, !stack.isCallable(index) {
      return try stack.table(index).forEachElement { _, stack in
        if stack.state.isStopping { throw LuaFailure.message("stopped") }
        try stack.memory.releasingCharges { try body(stack) }
      }
    }
    let top = lua_gettop(L)
    defer { lua_settop(L, top) }
    while true {
      lua_pushvalue(L, Int32(index))
      let status = dh_call_protected(L, 0, 1)
      guard status == LUA_OK else { throw stack.state.takeError(on: L, status: status) }
      if stack.isNoneOrNil(-1) { return }
      try stack.memory.releasingCharges { try body(stack) }
      lua_settop(L, top)
    }
  }
}
