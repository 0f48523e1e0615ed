// Encodes Lua values into a frame. Invariants: access is raw, so no code of a script runs; each table is written once,
// and later occurrences, even inside itself, refer to it by its number; the state is charged for the frame before it
// is written.

import CLua
import Wire

/// A frame with Lua values, being written.
struct CrossingEncoder {
  private let crossing: LuaCrossing
  let L: OpaquePointer
  var writer: WireWriter
  /// The tables that were written: their numbers by address.
  private var seen: [UnsafeRawPointer: Int] = [:]
  /// Bytes that the state was charged and that nothing has been written for yet.
  private var charged = 0

  /// The maximum nesting of tables: deeper than any reader looks.
  static let deepest = 100

  init(_ kind: FrameKind, _ L: OpaquePointer, _ crossing: LuaCrossing) {
    (self.crossing, self.L) = (crossing, L)
    writer = WireWriter(kind)
  }

  /// Writes the values from `first` to the top of the stack, preceded by their count.
  mutating func values(from first: Int32) throws {
    let count = max(0, lua_gettop(L) - first + 1)
    writer.word(Int(count))
    var index = first
    while index < first + count {
      try value(index, depth: 0)
      index += 1
    }
  }

  private mutating func charge(_ bytes: Int) throws {
    guard writer.count + bytes <= crossing.longestFrame else { throw crossing.tooLarge }
    charged -= bytes
    guard charged < 0 else { return }
    let wanted = max(bytes, CrossingCost.step)
    guard dh_charge(L, wanted) != 0 else { throw LuaFailure.memory }
    charged = wanted - bytes
  }

  mutating func value(_ index: Int32, depth: Int) throws {
    // The longest value without a content of its own.
    try charge(9)
    switch lua_type(L, index) {
    case LUA_TNIL, LUA_TNONE: tag(.null)
    case LUA_TBOOLEAN: tag(lua_toboolean(L, index) != 0 ? .yes : .no)
    case LUA_TNUMBER:
      if lua_isinteger(L, index) != 0 {
        tag(.integer)
        writer.integer(Int(lua_tointegerx(L, index, nil)))
      } else {
        tag(.number)
        writer.number(lua_tonumberx(L, index, nil))
      }
    case LUA_TSTRING: try bytes(index)
    case LUA_TTABLE: try table(lua_absindex(L, index), depth: depth)
    case LUA_TFUNCTION: try function(index)
    case LUA_TUSERDATA: try object(index)
    case LUA_TTHREAD: tag(.coroutine)
    default: tag(.nothing)
    }
  }

  private mutating func tag(_ tag: ValueTag) { writer.byte(tag.rawValue) }

  private mutating func tag(_ handed: CrossingReference) {
    tag(handed.tag)
    writer.word(handed.id)
  }

  private mutating func bytes(_ index: Int32) throws {
    var length = 0
    guard let start = dh_string(L, index, &length) else { return tag(.nothing) }
    try charge(length)
    tag(.bytes)
    writer.data(UnsafeRawBufferPointer(start: start, count: length))
  }

  private mutating func function(_ index: Int32) throws {
    guard LuaStack(L).memory.hasRoom(CrossingCost.reference) else { throw LuaFailure.memory }
    let handed = crossing.hand(functionAt: index, on: L)
    tag(handed)
    guard case .ownFunction = handed.tag else { return }
    try charge(handed.name.utf8.count)
    writer.text(handed.name)
  }

  private mutating func object(_ index: Int32) throws {
    guard LuaStack(L).memory.hasRoom(CrossingCost.reference) else { throw LuaFailure.memory }
    guard let handed = try crossing.hand(objectAt: index, on: L) else { return tag(.nothing) }
    tag(handed)
    guard case .ownObject = handed.tag else { return }
    try charge(12)
    writer.word(handed.type)
    writer.integer(handed.cost)
  }

  private mutating func table(_ index: Int32, depth: Int) throws {
    guard depth < Self.deepest, let address = lua_topointer(L, index), lua_checkstack(L, 12) != 0 else {
      return tag(.nothing)
    }
    if let place = seen[address] {
      tag(.seenTable)
      writer.word(place)
      // The reader needs a list of the frame's tables only if a table occurs more than once.
      return writer.markSeenTables()
    }
    // Its header, and its place in a growing dictionary.
    try charge(CrossingCost.table)
    seen[address] = seen.count
    let top = lua_gettop(L)
    defer { lua_settop(L, top) }
    if let advice = dh_frozen_advice(L, index) {
      guard dh_push_frozen_content(L, index) != 0 else { return tag(.nothing) }
      return try content(lua_gettop(L), .frozen, advice: String(cString: advice), depth: depth)
    }
    guard lua_getmetatable(L, index) != 0 else { return try content(index, .plain, depth: depth) }
    dh_push_ref(L, crossing.state.problemMetatableSlot(on: L))
    let isProblem = lua_rawequal(L, -1, -2) != 0
    dh_pop(L, 1)
    if isProblem { return try content(index, .problem, depth: depth) }
    try content(index, .withMetatable, depth: depth)
    try metatable(top + 1, depth: depth)
  }

  private mutating func content(_ index: Int32, _ kind: TableKind, advice: String? = nil, depth: Int) throws {
    let border = Int(clamping: lua_rawlen(L, index))
    // If the keys are far apart, all of them are written as pairs.
    let length = border <= crossing.longestFrame - writer.count ? border : 0
    tag(.table)
    writer.word(length)
    let place = writer.count
    writer.word(0)
    writer.byte(kind.rawValue)
    if let advice {
      try charge(advice.utf8.count)
      writer.text(advice)
    }
    let top = lua_gettop(L)
    for position in 0..<length {
      lua_rawgeti(L, index, Int64(position + 1))
      try value(top + 1, depth: depth + 1)
      lua_settop(L, top)
    }
    writer.setWord(try pairs(index, besides: length, depth: depth), at: place)
  }

  /// Writes the pairs whose keys are not in 1...length; returns how many. Nothing is added, so `lua_next` never raises.
  private mutating func pairs(_ index: Int32, besides length: Int, depth: Int) throws -> Int {
    let top = lua_gettop(L)
    var count = 0
    lua_pushnil(L)
    while lua_next(L, index) != 0 {
      if lua_isinteger(L, top + 1) == 0 || !(1...max(1, length)).contains(Int(lua_tointegerx(L, top + 1, nil)))
        || length == 0
      {
        try value(top + 1, depth: depth + 1)
        try value(top + 2, depth: depth + 1)
        count += 1
      }
      lua_settop(L, top + 1)
    }
    return count
  }

  /// Writes the fields of a metatable that matter to a reader of the table.
  private mutating func metatable(_ index: Int32, depth: Int) throws {
    let top = lua_gettop(L)
    for event in crossingEvents {
      lua_pushstring(L, event)
      lua_rawget(L, index)
      try value(top + 1, depth: depth + 1)
      lua_settop(L, top)
    }
  }
}

/// The fields of a metatable that are transferred.
let crossingEvents = ["__index", "__len", "__call", "__name", "__tostring"]

/// The reference in a frame to a function, object or table: one that was handed over, or one that is handed back.
struct CrossingReference {
  var tag: ValueTag
  var id: Int
  /// The name of a host function in errors.
  var name = "function"
  /// The type number of an object that is handed over.
  var type = 0
  var cost = 0
}
