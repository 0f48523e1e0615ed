// Decodes Lua values from a frame onto a stack. Invariant: whatever the bytes are, nothing traps and no more values
// are made than the bytes could represent; invalid input is a `CrossingError`.

import CLua

/// A frame with Lua values, being read.
struct CrossingDecoder {
  private let crossing: LuaCrossing
  private let L: OpaquePointer
  var reader: CrossingReader
  /// The stack index of the list of this frame's tables; 0 if no table occurs twice, so the list is not needed.
  private var list: Int32 = 0
  private var tables: Int64 = 0

  /// - Parameter reader: positioned after the frame kind.
  init(_ reader: CrossingReader, _ L: OpaquePointer, _ crossing: LuaCrossing) throws(CrossingError) {
    (self.crossing, self.L, self.reader) = (crossing, L, reader)
    list = try self.reader.byte() == 0 ? 0 : -1
  }

  /// Pushes the values that follow and returns their count.
  mutating func values() throws -> Int32 {
    let count = try reader.count()
    return try values(count)
  }

  /// Pushes `count` values.
  mutating func values(_ count: Int) throws -> Int32 {
    try LuaStack(L).reserve(count + 24)
    if list != 0 {
      dh_new_table(L, 0, 0)
      list = lua_gettop(L)
    }
    for position in 0..<count {
      if position & 63 == 63 { try LuaStack(L).memory.requireRoom() }
      try value(depth: 0)
    }
    if list != 0 {
      dh_remove(L, list)
      list = -1
    }
    return Int32(count)
  }

  private mutating func value(depth: Int) throws {
    guard let tag = ValueTag(rawValue: try reader.byte()) else { throw CrossingError() }
    let stack = LuaStack(L)
    switch tag {
    case .null: stack.pushNil()
    case .no: stack.push(false)
    case .yes: stack.push(true)
    case .integer: stack.push(try reader.integer())
    case .number: stack.push(try reader.number())
    case .bytes: stack.push(bytes: try reader.data())
    case .table: try table(depth: depth)
    case .seenTable:
      let place = try reader.word()
      guard list > 0, place < Int(tables) else { throw CrossingError() }
      lua_rawgeti(L, list, Int64(place) + 1)
    case .ownFunction:
      let id = try reader.word()
      crossing.pushDistant(function: id, named: try reader.text(), on: L)
    case .ownObject:
      let id = try reader.word()
      let type = try reader.word()
      try crossing.pushDistant(object: id, type: type, cost: try reader.integer(), on: L)
    case .ownTable: try crossing.pushDistant(table: try reader.word(), on: L)
    case .yourFunction: try crossing.pushShared(.function, try reader.word(), on: L)
    case .yourObject: try crossing.pushShared(.object, try reader.word(), on: L)
    case .yourTable: try crossing.pushShared(.table, try reader.word(), on: L)
    case .coroutine: lua_newthread(L)
    case .nothing: dh_new_table(L, 0, 0)
    }
  }

  private mutating func table(depth: Int) throws {
    let (length, pairs) = (try reader.count(), try reader.count())
    guard let kind = TableKind(rawValue: try reader.byte()), depth <= CrossingEncoder.deepest else {
      throw CrossingError()
    }
    let advice = kind == .frozen ? try reader.text() : nil
    let stack = LuaStack(L)
    try stack.reserve(16)
    stack.pushTable(array: length, fields: pairs)
    let (table, place) = (lua_gettop(L), tables)
    tables += 1
    note(table, at: place)
    for position in 0..<length {
      if position & 63 == 63 { try stack.memory.requireRoom() }
      try value(depth: depth + 1)
      lua_rawseti(L, table, Int64(position + 1))
    }
    for position in 0..<pairs {
      if position & 63 == 63 { try stack.memory.requireRoom() }
      try pair(of: table, depth: depth)
    }
    switch kind {
    case .plain: break
    case .frozen:
      stack.top.freeze(advice: advice ?? "")
      note(table, at: place)
    case .problem:
      dh_push_ref(L, crossing.state.problemMetatableSlot(on: L))
      lua_setmetatable(L, table)
    case .withMetatable: try metatable(of: table, depth: depth)
    }
  }

  private func note(_ table: Int32, at place: Int64) {
    guard list > 0 else { return }
    lua_pushvalue(L, table)
    lua_rawseti(L, list, place + 1)
  }

  private mutating func pair(of table: Int32, depth: Int) throws {
    try value(depth: depth + 1)
    // A table cannot have nil or NaN as a key.
    guard lua_type(L, -1) != LUA_TNIL, lua_rawequal(L, -1, -1) != 0 else { throw CrossingError() }
    try value(depth: depth + 1)
    lua_rawset(L, table)
  }

  private mutating func metatable(of table: Int32, depth: Int) throws {
    dh_new_table(L, 0, Int32(crossingEvents.count))
    for event in crossingEvents {
      lua_pushstring(L, event)
      try value(depth: depth + 1)
      lua_rawset(L, -3)
    }
    lua_setmetatable(L, table)
  }
}
