// A preview of a value for display: bounded in depth, breadth and text, with cycles marked. Invariant: tables are
// read raw; the only script code that runs is `__tostring`, in a protected call, and only for values that are shown
// by their text.

import CLua
import Problems

/// A value prepared for display.
public indirect enum LuaPreview {
  /// nil, true, 12, function: 0x5581...
  case word(String)
  /// A string: its first bytes, and its total length.
  case text([UInt8], total: Int)
  /// A value with its own text: the summary of a bound object, or a table with `__tostring`.
  case summary(String)
  case table(LuaTablePreview)
  /// A table that is already being shown at an outer level.
  case cycle
  /// A table that is too deep to show, with its count.
  case folded(count: Int)
}

public struct LuaTablePreview {
  public var elements: [LuaPreview] = []
  public var elementCount = 0
  /// The first of the other pairs, sorted by key.
  public var fields: [(key: LuaPreview, value: LuaPreview)] = []
  public var fieldCount = 0
}

extension LuaPreview {
  /// Prepares the value at an index for display.
  /// - Throws: `LuaError` if a `__tostring` was stopped.
  public init(_ index: Int, on stack: borrowing LuaStack) throws {
    var maker = PreviewMaker(stack.L)
    self = try maker.preview(lua_absindex(stack.L, Int32(index)), depth: 0)
  }
}

private struct PreviewMaker {
  /// The maximum nesting of tables.
  private static let depthLimit = 6
  /// The maximum number of elements, and of fields, of one table.
  private static let breadthLimit = 100
  /// The maximum number of bytes of one text.
  private static let textLimit = 4_000

  let L: OpaquePointer
  /// The tables that are being shown, outermost first.
  private var open: [UnsafeRawPointer] = []
  /// How many more values are shown.
  private var left = 2_000

  init(_ state: OpaquePointer) { L = state }

  mutating func preview(_ index: Int32, depth: Int) throws -> LuaPreview {
    left -= 1
    guard lua_checkstack(L, 12) != 0 else { return .word("…") }
    switch lua_type(L, index) {
    case LUA_TNIL, LUA_TNONE: return .word("nil")
    case LUA_TBOOLEAN: return .word(lua_toboolean(L, index) != 0 ? "true" : "false")
    case LUA_TSTRING: return text(index)
    case LUA_TTABLE: return try tableOrText(index, depth)
    case LUA_TUSERDATA: return .summary(try tostring(index))
    default: return .word(try tostring(index))
    }
  }

  private func text(_ index: Int32) -> LuaPreview {
    var length = 0
    guard let start = dh_string(L, index, &length) else { return .word("nil") }
    return .text([UInt8](UnsafeRawBufferPointer(start: start, count: min(length, Self.textLimit))), total: length)
  }

  /// Returns the text that `tostring` gives; if that fails, the value's type, with the problem if the error was one.
  private func tostring(_ index: Int32) throws -> String {
    let top = lua_gettop(L)
    defer { lua_settop(L, top) }
    let status = dh_tostring_protected(L, index)
    if status >= DH_STATUS_STOPPED { throw LuaState.of(L).takeError(on: L, status: status) }
    guard status == LUA_OK, case .text(let bytes, let total) = text(-1) else {
      let problem = status == LUA_OK ? nil : PlainProblem(at: -1, on: LuaStack(L))
      return "\(String(cString: dh_value_name(L, index))) (\(problem?.message ?? "its __tostring fails"))"
    }
    return String(decoding: bytes, as: UTF8.self) + (total > bytes.count ? "…" : "")
  }

  private mutating func tableOrText(_ index: Int32, _ depth: Int) throws -> LuaPreview {
    if dh_push_frozen_content(L, index) != 0 {
      defer { dh_pop(L, 1) }
      return try table(lua_gettop(L), depth)
    }
    if luaL_getmetafield(L, index, "__tostring") != LUA_TNIL {
      dh_pop(L, 1)
      return .summary(try tostring(index))
    }
    return try table(index, depth)
  }

  private mutating func table(_ index: Int32, _ depth: Int) throws -> LuaPreview {
    guard let address = lua_topointer(L, index) else { return .word("table") }
    if open.contains(address) { return .cycle }
    let keys = keys(of: index)
    if depth >= Self.depthLimit || left <= 0 { return .folded(count: keys.elements + keys.others.count + keys.more) }
    open.append(address)
    defer { open.removeLast() }
    var made = LuaTablePreview()
    made.elementCount = keys.elements
    made.fieldCount = keys.others.count + keys.more
    for position in 0..<min(keys.elements, Self.breadthLimit) where left > 0 {
      lua_rawgeti(L, index, Int64(position + 1))
      defer { dh_pop(L, 1) }
      made.elements.append(try preview(lua_gettop(L), depth: depth + 1))
    }
    for key in keys.others.prefix(Self.breadthLimit) where left > 0 {
      if let pair = try field(index, key, depth) { made.fields.append(pair) }
    }
    return .table(made)
  }

  private mutating func field(
    _ index: Int32, _ key: Key, _ depth: Int
  ) throws -> (key: LuaPreview, value: LuaPreview)? {
    if case .opaque(let word) = key.value {
      guard let kept = key.kept else { return (.word("[\(word)]"), .word("…")) }
      kept.push(on: L)
    } else {
      _ = try key.value.push(on: LuaStack(L))
    }
    defer { dh_pop(L, 2) }
    lua_pushvalue(L, -1)
    lua_rawget(L, index)
    return (try preview(lua_gettop(L) - 1, depth: Self.depthLimit), try preview(lua_gettop(L), depth: depth + 1))
  }

  /// A key; one that is no text, number or boolean is the name of its type, and held if its value is shown.
  private typealias Key = (value: LuaValue, kept: LuaReference?)

  /// Numbers first, then texts, then the rest.
  private static func rank(_ key: Key) -> (Int, Double, [UInt8]) {
    switch key.value {
    case .integer(let number): (0, Double(number), [])
    case .number(let number): (0, number, [])
    case .bytes(let bytes): (1, 0, bytes)
    case .boolean(let flag): (2, flag ? 1 : 0, [])
    case .opaque(let word): (3, 0, Array(word.utf8))
    default: (3, 0, [])
    }
  }

  /// Returns how many elements 1...n there are, the other keys sorted, and how many further keys were not examined.
  private func keys(of index: Int32) -> (elements: Int, others: [Key], more: Int) {
    // This is a border of the table, and a table can have several; no memory holds more than this limit.
    let elements = min(Int(clamping: lua_rawlen(L, index)), 1 << 40)
    var others: [Key] = []
    var (kept, more) = (0, 0)
    lua_pushnil(L)
    while dh_next_raw(L, index) == 1 {
      dh_pop(L, 1)
      let key = key(at: lua_gettop(L), isKept: kept < Self.breadthLimit)
      if case .integer(let number) = key.value, (1...max(1, elements)).contains(number), elements > 0 { continue }
      if case .opaque = key.value { kept += 1 }
      if others.count < 10_000 { others.append(key) } else { more += 1 }
    }
    others.sort { one, other in
      let (a, b) = (Self.rank(one), Self.rank(other))
      return (a.0, a.1) != (b.0, b.1) ? (a.0, a.1) < (b.0, b.1) : a.2.lexicographicallyPrecedes(b.2)
    }
    return (elements, others, more)
  }

  /// - Parameter isKept: whether a key that is no text, number or boolean is held, so that its value can be shown.
  private func key(at index: Int32, isKept: Bool) -> Key {
    switch lua_type(L, index) {
    case LUA_TSTRING:
      // Whole, as the value is looked up by it.
      var length = 0
      guard let start = dh_string(L, index, &length) else { break }
      return (.bytes([UInt8](UnsafeRawBufferPointer(start: start, count: length))), nil)
    case LUA_TNUMBER:
      if lua_isinteger(L, index) != 0 { return (.integer(Int(lua_tointegerx(L, index, nil))), nil) }
      return (.number(lua_tonumberx(L, index, nil)), nil)
    case LUA_TBOOLEAN: return (.boolean(lua_toboolean(L, index) != 0), nil)
    default: break
    }
    let word = String(cString: dh_value_name(L, index))
    return (.opaque(word), isKept ? LuaStack(L).reference(Int(index)) : nil)
  }
}
