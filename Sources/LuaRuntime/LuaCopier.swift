// Copies a Lua value into plain data. Invariants: access is raw, so no code of a script runs; depth and count are
// bounded, and each part is charged before it is copied.

import CLua
import Text

struct LuaCopier {
  let L: OpaquePointer
  /// The main stack of the state that the copy is charged to.
  private let payer: OpaquePointer
  private var open: [UnsafeRawPointer] = []
  private var left = Self.most
  /// The maximum number of values in a copy.
  private static let most = 1_000_000

  init(_ state: OpaquePointer, payer: OpaquePointer? = nil) {
    L = state
    self.payer = payer ?? state
  }

  /// - Parameter isWhole: whether a value with too many parts is refused instead of truncated.
  func copy(_ index: Int32, depth: Int, isWhole: Bool = false) throws(LuaFailure) -> LuaValue {
    var copier = self
    let copy = try copier.value(at: index, depth: depth)
    if isWhole, copier.left <= 0 { throw .message("it has more than \(grouped(Self.most)) values") }
    return copy
  }

  private func charge(_ bytes: Int) throws(LuaFailure) { guard dh_charge(payer, bytes) != 0 else { throw .memory } }

  private mutating func value(at index: Int32, depth: Int) throws(LuaFailure) -> LuaValue {
    switch lua_type(L, index) {
    case LUA_TNIL, LUA_TNONE: return .none
    case LUA_TBOOLEAN: return .boolean(lua_toboolean(L, index) != 0)
    case LUA_TNUMBER:
      return lua_isinteger(L, index) != 0
        ? .integer(Int(lua_tointegerx(L, index, nil))) : .number(lua_tonumberx(L, index, nil))
    case LUA_TSTRING: return .bytes(try bytes(at: index))
    case LUA_TTABLE: return try table(at: index, depth: depth)
    case LUA_TUSERDATA: return object(at: index)
    default: return .opaque(String(cString: dh_type_word(L, index)))
    }
  }

  private func bytes(at index: Int32) throws(LuaFailure) -> [UInt8] {
    var length = 0
    guard let start = dh_string(L, index, &length) else { return [] }
    try charge((length + CopyWeight.header) * CopyWeight.times)
    return [UInt8](UnsafeRawBufferPointer(start: start, count: length))
  }

  private func object(at index: Int32) -> LuaValue {
    LuaState.of(L).object(on: L, at: index).map { .object($0) } ?? .opaque(String(cString: dh_value_name(L, index)))
  }

  private mutating func table(at index: Int32, depth: Int) throws(LuaFailure) -> LuaValue {
    guard depth > 0, let address = lua_topointer(L, index), !open.contains(address), lua_checkstack(L, 8) != 0 else {
      return .opaque("table")
    }
    open.append(address)
    defer { open.removeLast() }
    if dh_push_frozen_content(L, index) != 0 {
      defer { dh_pop(L, 1) }
      return try table(at: lua_gettop(L), depth: depth)
    }
    return try pairs(at: index, depth: depth)
  }

  private mutating func pairs(at index: Int32, depth: Int) throws(LuaFailure) -> LuaValue {
    let length = Int(clamping: lua_rawlen(L, index))
    var found: [(key: LuaValue, value: LuaValue)] = []
    let bottom = lua_gettop(L)
    // Restores the stack if something below throws.
    defer { lua_settop(L, bottom) }
    lua_pushnil(L)
    while dh_next_raw(L, index) == 1 {
      left -= 1
      guard left > 0 else { return .opaque("table") }
      try charge(2 * CopyWeight.value)
      let top = lua_gettop(L)
      let key = try value(at: top - 1, depth: 0)
      found.append((key, try value(at: top, depth: depth - 1)))
      dh_pop(L, 1)
    }
    return asList(found, length: length) ?? .table(found)
  }

  /// Returns the pairs as a list if their keys are exactly 1...length.
  private func asList(_ pairs: [(key: LuaValue, value: LuaValue)], length: Int) -> LuaValue? {
    guard pairs.count == length, length > 0 else { return nil }
    var elements = [LuaValue](repeating: .none, count: length)
    for (key, value) in pairs {
      guard case .integer(let position) = key, (1...length).contains(position) else { return nil }
      elements[position - 1] = value
    }
    return .list(elements)
  }
}

/// What can be known about a value without running code.
public enum LuaInspection {
  /// A table and its text keys, each with whether its value is a function.
  case table(keys: [(name: String, isFunction: Bool)])
  case object(TypeDescription, any BoundObject)
  case text
  case other(String)

  static func along(_ path: [String], from stack: borrowing LuaStack) throws -> LuaInspection? {
    dh_push_globals(stack.L)
    for (place, name) in path.enumerated() {
      if let object = stack.state.object(on: stack.L, at: -1) { return try of(object, path[place...], stack.state) }
      guard stack.kind(-1) == .table else { return nil }
      stack.push(name)
      lua_rawget(stack.L, -2)
      // Only the value stays on the stack, however long the path is.
      dh_remove(stack.L, -2)
      if stack.isNoneOrNil(-1) { return nil }
    }
    return of(stack)
  }

  /// Inspects the value on top of the stack.
  static func of(_ stack: borrowing LuaStack) -> LuaInspection {
    if let object = stack.state.object(on: stack.L, at: -1), let type = stack.state.description(of: object) {
      return .object(type, object)
    }
    if stack.kind(-1) == .text { return .text }
    guard stack.kind(-1) == .table else { return .other(stack.typeName(-1)) }
    return .table(keys: LuaCopier(stack.L).keysWithKind(at: -1))
  }

  /// Follows a path of fields from a bound object. The host reads the fields: no code of a script runs.
  private static func of(
    _ object: any BoundObject, _ path: ArraySlice<String>, _ state: LuaState
  ) throws -> LuaInspection? {
    guard let type = state.description(of: object) else { return nil }
    guard let name = path.first else { return .object(type, object) }
    guard let field = type.fields.first(where: { $0.name == name }) else { return nil }
    switch try field.read(object) {
    case .object(let inner): return try of(inner, path.dropFirst(), state)
    case .bytes where path.count == 1: return .text
    default: return nil
    }
  }
}

extension LuaCopier {
  /// Returns the text keys of a table, sorted; at most 10,000 keys are examined.
  func keysWithKind(at index: Int32) -> [(name: String, isFunction: Bool)] {
    let L = self.L
    let table = lua_absindex(L, index)
    guard lua_checkstack(L, 8) != 0 else { return [] }
    var found: [(name: String, isFunction: Bool)] = []
    var left = 10_000
    lua_pushnil(L)
    while dh_next_raw(L, table) == 1 {
      let stack = LuaStack(L)
      if let name = stack.excerpt(-2, limit: 256) { found.append((name, stack.kind(-1) == .function)) }
      dh_pop(L, 1)
      left -= 1
      if left == 0 {
        dh_pop(L, 1)
        break
      }
    }
    return found.sorted { $0.name < $1.name }
  }
}
