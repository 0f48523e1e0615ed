// Results that are pushed while they are made, so that no intermediate value is needed. Invariant: the values are on
// top of the stack of the running call.

public import CLua

/// A number of results that are already on top of the stack.
public struct LuaPushed: LuaRepresentable {
  @usableFromInline let count: Int32

  @inlinable public init(_ count: Int) { self.count = Int32(truncatingIfNeeded: count) }

  @inlinable public func push(on stack: borrowing LuaStack) -> Int32 { count }
  public var luaValue: LuaValue { .none }
}

extension LuaTable {
  /// Pushes a list of what `body` pushes for each element, which is on top of the stack then.
  @inlinable public func pushMapped(_ body: (borrowing LuaStack) throws -> Void) throws -> LuaPushed {
    let stack = LuaStack(L)
    try stack.reserve(LuaStack.flatValue)
    let length = try count()
    stack.pushTable(array: min(length, 1 << 16), fields: 0)
    let result = lua_gettop(L)
    if isPlain {
      try mapPlain(length, into: result, stack, body)
    } else {
      try forEachElement { position, stack in
        try stack.memory.requireRoom()
        try body(stack)
        lua_rawseti(L, result, Int64(position))
      }
    }
    return LuaPushed(1)
  }

  /// Maps the elements of a table without a metatable, read raw.
  @inlinable func mapPlain(
    _ length: Int, into result: Int32, _ stack: borrowing LuaStack, _ body: (borrowing LuaStack) throws -> Void
  ) throws {
    if length == 0 { try refuseNames() }
    var position: Int64 = 1
    while position <= length, lua_rawgeti(L, index, position) != LUA_TNIL {
      if position & 7 == 0 { try stack.memory.requireRoom() }
      if position & 0xFF == 0, dh_is_stopping(L) != 0 { throw LuaFailure.message("stopped") }
      do { try body(stack) } catch LuaFailure.argument(_, let message) {
        throw LuaFailure.argument(argument, "element \(position): \(message)")
      }
      lua_rawseti(L, result, position)
      lua_settop(L, result)
      position += 1
    }
    lua_settop(L, result)
    guard position > length else { throw missing(Int(position)) }
  }

  @usableFromInline var isPlain: Bool {
    guard lua_getmetatable(L, index) != 0 else { return true }
    dh_pop(L, 1)
    return false
  }
}

extension LuaStack {
  /// Pushes an element of a plain table.
  @inlinable public func pushElement(_ position: Int, ofTableAt index: Int) {
    lua_rawgeti(L, Int32(truncatingIfNeeded: index), Int64(position))
  }
}

extension LuaPushed {
  /// Pushes a list of the objects that `next` returns, until it returns nil.
  /// - Throws: what `next` throws, and `LuaFailure.memory`.
  public static func objects<T: BoundObject>(
    of count: Int, on stack: borrowing LuaStack, _ next: () throws -> T?
  ) throws -> LuaPushed {
    try stack.reserve(LuaStack.flatValue)
    stack.pushTable(array: count, fields: 0)
    var position: Int64 = 0
    while let object = try next() {
      try stack.memory.requireRoom()
      position += 1
      stack.push(object: object)
      lua_rawseti(stack.L, -2, position)
    }
    return LuaPushed(1)
  }

  /// Pushes a list of what `make` returns for each element, which is pushed before the next one is made.
  /// - Throws: what `make` throws, and `LuaFailure.memory`, also when the running code was asked to stop.
  public static func list<Elements: Sequence>(
    of elements: Elements, on stack: borrowing LuaStack, _ make: (Elements.Element) throws -> LuaValue
  ) throws -> LuaPushed {
    try stack.reserve(LuaStack.flatValue)
    stack.pushTable(array: 0, fields: 0)
    var position = 0
    for element in elements {
      try stack.memory.requireRoom()
      position += 1
      try stack.top.setElement(position, make(element))
    }
    return LuaPushed(1)
  }

  /// Pushes a list of `count` byte strings; `fill` passes each, in order, to the closure that it receives. The list
  /// is truncated if the state has no room for more; the call then ends with that error.
  public static func list(
    of count: Int, on stack: borrowing LuaStack, _ fill: ((UnsafeBufferPointer<UInt8>) -> Void) throws -> Void
  ) rethrows -> LuaPushed {
    stack.pushTable(array: count, fields: 0)
    var position: Int64 = 0
    var isFull = false
    try fill { bytes in
      if position & 63 == 0, !isFull { isFull = !stack.memory.hasRoom() }
      if isFull { return }
      position += 1
      stack.push(bytes: bytes)
      lua_rawseti(stack.L, -2, position)
    }
    return LuaPushed(1)
  }
}
