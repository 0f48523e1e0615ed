// Decodes Lua values from a frame onto a stack. Invariants: whatever the bytes are, nothing traps; invalid input is a
// `WireError`; room for each value is found before the value is made, whatever it is and wherever it stands.

import CLua
import Wire

/// A frame with Lua values, being read.
struct CrossingDecoder {
  private let crossing: LuaCrossing
  private let L: OpaquePointer
  var reader: WireReader
  /// The stack index of the list of this frame's tables; 0 if no table occurs twice, so the list is not needed.
  private var list: Int32 = 0
  private var tables: Int64 = 0
  /// Bytes that the state was found to have room for and that no value has taken yet; one count for the whole frame.
  private var room = 0

  /// - Parameter reader: positioned after the frame kind.
  init(_ reader: WireReader, _ L: OpaquePointer, _ crossing: LuaCrossing) throws(WireError) {
    (self.crossing, self.L, self.reader) = (crossing, L, reader)
    list = try self.reader.byte() == 0 ? 0 : -1
  }

  /// Pushes the values that follow and returns their count.
  mutating func values() throws -> Int32 {
    let count = try reader.count()
    return try values(count)
  }

  mutating func values(_ count: Int) throws -> Int32 {
    // A stack that is long already does not grow.
    if count > 1024 { try takeRoom(CrossingCost.slot * count) }
    try LuaStack(L).reserve(count + 24)
    if list != 0 {
      dh_new_table(L, 0, 0)
      list = lua_gettop(L)
    }
    for _ in 0..<count { try value(depth: 0) }
    if list != 0 {
      dh_remove(L, list)
      list = -1
    }
    return Int32(count)
  }

  /// Takes bytes from the room that was found, after finding more if that is too little.
  private mutating func takeRoom(_ bytes: Int) throws(LuaFailure) {
    room -= bytes
    guard room < 0 else { return }
    let wanted = max(bytes, CrossingCost.step)
    guard LuaStack(L).memory.hasRoom(wanted) else { throw .memory }
    room = wanted - bytes
  }

  private mutating func value(depth: Int) throws {
    guard let tag = ValueTag(rawValue: try reader.byte()) else { throw WireError() }
    let stack = LuaStack(L)
    switch tag {
    case .null: stack.pushNil()
    case .no: stack.push(false)
    case .yes: stack.push(true)
    case .integer: stack.push(try reader.integer())
    case .number: stack.push(try reader.number())
    case .bytes:
      let bytes = try reader.data()
      try takeRoom(CrossingCost.text + bytes.count)
      stack.push(bytes: bytes)
    case .table: try table(depth: depth)
    case .seenTable:
      let place = try reader.word()
      guard list > 0, place < Int(tables) else { throw WireError() }
      lua_rawgeti(L, list, Int64(place) + 1)
    case .ownFunction:
      let (id, name) = (try reader.word(), try reader.data())
      // The name is stored twice.
      try takeRoom(CrossingCost.reference + 2 * name.count)
      crossing.pushDistant(function: id, named: String(decoding: name, as: UTF8.self), on: L)
    case .ownObject:
      try takeRoom(CrossingCost.reference)
      let id = try reader.word()
      let type = try reader.word()
      try crossing.pushDistant(object: id, type: type, cost: try reader.integer(), on: L)
    case .ownTable:
      try takeRoom(CrossingCost.reference)
      try crossing.pushDistant(table: try reader.word(), on: L)
    case .yourFunction: try crossing.pushShared(.function, try reader.word(), on: L)
    case .yourObject:
      try takeRoom(CrossingCost.reference)
      try crossing.pushShared(.object, try reader.word(), on: L)
    case .yourTable: try crossing.pushShared(.table, try reader.word(), on: L)
    case .coroutine: dh_push_dead_coroutine(L)
    case .nothing:
      try takeRoom(CrossingCost.table)
      dh_new_table(L, 0, 0)
    }
  }

  private mutating func table(depth: Int) throws {
    let (length, pairs) = (try reader.count(), try reader.count())
    guard let kind = TableKind(rawValue: try reader.byte()), depth <= CrossingEncoder.deepest else { throw WireError() }
    let advice = kind == .frozen ? try reader.data() : nil
    try takeRoom(
      CrossingCost.table + CrossingCost.slot * length + CrossingCost.pair * pairs
        + (kind == .plain ? 0 : CrossingCost.metatable) + 2 * (advice?.count ?? 0))
    let stack = LuaStack(L)
    try stack.reserve(16)
    stack.pushTable(array: length, fields: pairs)
    let (table, place) = (lua_gettop(L), tables)
    tables += 1
    note(table, at: place)
    for position in 0..<length {
      try value(depth: depth + 1)
      lua_rawseti(L, table, Int64(position + 1))
    }
    for _ in 0..<pairs { try pair(of: table, depth: depth) }
    switch kind {
    case .plain: break
    case .frozen:
      stack.top.freeze(advice: advice.map { String(decoding: $0, as: UTF8.self) } ?? "")
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
    guard lua_type(L, -1) != LUA_TNIL, lua_rawequal(L, -1, -1) != 0 else { throw WireError() }
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

/// The most bytes that the parts of a frame take in a state or on their way to it, without their contents.
enum CrossingCost {
  /// Room is looked for in steps of this size.
  static let step = 16 << 10
  /// A slot of a stack or of a list.
  static let slot = 16
  /// A pair of a table, whose size is a power of two.
  static let pair = 80
  static let text = 32
  /// A table, its entry in the list of the frame's tables, and its place in a growing table.
  static let table = 128
  /// What a frozen table or a metatable adds.
  static let metatable = 1024
  /// A function, an object or a table of the other side, and what refers to it.
  static let reference = 512
}
