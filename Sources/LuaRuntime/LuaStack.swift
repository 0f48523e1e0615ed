// A view of the Lua stack for the duration of one host call: the arguments of a bound function, and the place for its
// results. Invariant: it uses only Lua functions that cannot raise, or protected ones; it cannot be copied, so
// nothing can hold it. At the start of the call there is room for DH_ROOM values; code that nests, or pushes any
// number of values, calls `reserve`.

public import CLua
import Text

/// The stack of the running coroutine. Arguments of a bound function are at 1, 2, ...; self is 1 in a method.
public struct LuaStack: ~Copyable {
  @usableFromInline let L: OpaquePointer

  @usableFromInline init(_ state: OpaquePointer) { L = state }

  /// The Lua state itself, for C code that works on it; Swift must not call anything on it that can raise.
  public var pointer: OpaquePointer { L }

  public var state: LuaState { LuaState.of(L) }

  /// The number of arguments.
  public var count: Int { Int(lua_gettop(L)) }

  // MARK: Pushing

  @inlinable public func pushNil() { lua_pushnil(L) }
  @inlinable public func push(_ value: Bool) { lua_pushboolean(L, value ? 1 : 0) }
  @inlinable public func push(_ value: Int) { lua_pushinteger(L, Int64(value)) }
  @inlinable public func push(_ value: Double) { lua_pushnumber(L, value) }

  @inlinable public func push(_ text: String) {
    var text = text
    text.withUTF8 { push(bytes: $0) }
  }

  @inlinable public func push(bytes: [UInt8]) { bytes.withUnsafeBufferPointer { push(bytes: $0) } }

  @inlinable public func push(bytes: UnsafeBufferPointer<UInt8>) {
    guard let base = bytes.baseAddress, bytes.count < Self.largeText || memory.hasRoom(bytes.count) else {
      lua_pushlstring(L, "", 0)
      return
    }
    base.withMemoryRebound(to: CChar.self, capacity: bytes.count) { _ = lua_pushlstring(L, $0, bytes.count) }
  }

  public func push(object: any BoundObject) { state.push(object: object, on: L) }
  public func push(_ reference: LuaReference) { reference.push(on: L) }
  public func pushTable(array: Int, fields: Int) {
    let hasRoom = array + fields < 1024 || memory.hasRoom((array + fields) * 32)
    dh_new_table(L, hasRoom ? Int32(clamping: array) : 0, hasRoom ? Int32(clamping: fields) : 0)
  }

  /// The number of stack slots that one value without nested values may need while it is pushed.
  @usableFromInline static var flatValue: Int { 16 }

  /// Ensures that `slots` more values fit on the stack; Lua's own limit is a million in total.
  /// - Throws: `LuaError`, "stack overflow".
  public func reserve(_ slots: Int) throws(LuaError) {
    guard lua_checkstack(L, Int32(clamping: slots)) != 0 else { throw state.stackIsFull }
  }

  // MARK: Reading

  @inlinable public func isNoneOrNil(_ index: Int) -> Bool { lua_type(L, Int32(index)) <= 0 }
  public func kind(_ index: Int) -> LuaKind { LuaKind(rawValue: lua_type(L, Int32(index))) ?? .none }
  /// Whether the value counts as true: anything except nil and false.
  public func isTruthy(_ index: Int) -> Bool { lua_toboolean(L, Int32(index)) != 0 }

  /// The name of the value in an error message: "nil", "no value", "deck".
  public func typeName(_ index: Int) -> String { String(cString: dh_value_name(L, Int32(index))) }

  /// Returns the error that argument `index` should have been something else.
  public func expected(_ what: String, at index: Int) -> LuaFailure {
    .argument(index, "\(what) expected, got \(typeName(index))")
  }

  /// Returns the bytes of a string or of a number as text, in place: valid while the argument is on the stack.
  @inlinable public func bytes(_ index: Int) throws(LuaFailure) -> UnsafeBufferPointer<UInt8> {
    var length = 0
    // Null for anything except a string or a number.
    guard let start = lua_tolstring(L, Int32(truncatingIfNeeded: index), &length) else {
      throw expected("string", at: index)
    }
    return UnsafeBufferPointer(start: UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self), count: length)
  }

  /// Returns a string argument as text. Throws if the bytes are not UTF-8, if a run of combining marks is too long,
  /// or if the text is longer than `limit`.
  /// - Parameter limit: bytes; longer than any name or sentence by default. Arguments that may be longer are read as
  ///   bytes.
  public func text(_ index: Int, limit: Int = LuaStack.largeText) throws(LuaFailure) -> String {
    let bytes = try bytes(index)
    if bytes.count > 15 { try memory.chargeText(bytes.count, limit: limit, at: index) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .argument(index, "text in UTF-8 expected, got other bytes")
    }
    if hasTooManyMarks(text) { throw .argument(index, "text has more than \(longestMarkRun) combining marks in a row") }
    return text
  }

  /// Returns a copy of the bytes of a string argument.
  public func copiedBytes(_ index: Int, limit: Int = LuaStack.largeText) throws(LuaFailure) -> [UInt8] {
    let bytes = try bytes(index)
    if bytes.count > 15 { try memory.chargeText(bytes.count, limit: limit, at: index) }
    return Array(bytes)
  }

  /// The bytes of a text from which on room is checked before a copy; also the default limit of a text argument.
  public static let largeText = 1 << 20

  /// Returns the bytes, in place, of a string argument with at most `limit` bytes.
  public func bytes(_ index: Int, limit: Int) throws(LuaFailure) -> UnsafeBufferPointer<UInt8> {
    let bytes = try bytes(index)
    guard bytes.count <= limit else {
      throw .argument(index, "text of at most \(inWords(bytes: limit)) expected, got \(inWords(bytes: bytes.count))")
    }
    return bytes
  }

  public func optionalText(_ index: Int, limit: Int = LuaStack.largeText) throws(LuaFailure) -> String? {
    isNoneOrNil(index) ? nil : try text(index, limit: limit)
  }

  public func boolean(_ index: Int) throws(LuaFailure) -> Bool {
    guard lua_type(L, Int32(index)) == LUA_TBOOLEAN else { throw expected("boolean", at: index) }
    return lua_toboolean(L, Int32(index)) != 0
  }

  /// Returns an integer; nil for anything else, including floats.
  public func wholeNumber(_ index: Int) -> Int? {
    lua_isinteger(L, Int32(truncatingIfNeeded: index)) != 0 ? integerOrNil(index) : nil
  }

  func integerOrNil(_ index: Int) -> Int? {
    guard lua_type(L, Int32(index)) == LUA_TNUMBER else { return nil }
    var isExact: Int32 = 0
    let value = lua_tointegerx(L, Int32(index), &isExact)
    return isExact != 0 ? Int(value) : nil
  }

  /// Returns a whole number within a range; a float with an exact integer value is accepted.
  @inlinable public func integer(
    _ index: Int, in range: ClosedRange<Int> = Int.min...Int.max
  ) throws(LuaFailure) -> Int {
    if lua_isinteger(L, Int32(index)) != 0, case let value = Int(lua_tointegerx(L, Int32(index), nil)),
      range.contains(value)
    {
      return value
    }
    return try checkedInteger(index, range)
  }

  @usableFromInline func checkedInteger(_ index: Int, _ range: ClosedRange<Int>) throws(LuaFailure) -> Int {
    guard lua_type(L, Int32(index)) == LUA_TNUMBER else { throw expected("integer", at: index) }
    guard let value = integerOrNil(index) else { throw .argument(index, "number has no integer representation") }
    guard range.contains(value) else { throw .argument(index, "integer \(rangeInWords(range)) expected, got \(value)") }
    return value
  }

  /// Returns a finite number, within the range if one is given.
  public func number(_ index: Int, in range: ClosedRange<Double>? = nil) throws(LuaFailure) -> Double {
    guard lua_type(L, Int32(index)) == LUA_TNUMBER else { throw expected("number", at: index) }
    let value = lua_tonumberx(L, Int32(index), nil)
    guard value.isFinite else { throw .argument(index, "finite number expected, got \(value)") }
    if let range, !range.contains(value) {
      throw .argument(
        index,
        "number from \(inWords(range.lowerBound)) to \(inWords(range.upperBound)) expected, got \(inWords(value))")
    }
    return value
  }

  /// Returns a reference to a function, or to any other callable value.
  public func function(_ index: Int) throws(LuaFailure) -> LuaReference {
    guard kind(index) == .function || isCallable(index) else { throw expected("function", at: index) }
    return reference(index)
  }

  /// Whether a value is a function or has `__call`.
  public func isCallable(_ index: Int) -> Bool {
    if kind(index) == .function { return true }
    guard luaL_getmetafield(L, Int32(index), "__call") != LUA_TNIL else { return false }
    dh_pop(L, 1)
    return true
  }

  /// Stores the value in the registry until the reference is released.
  public func reference(_ index: Int) -> LuaReference {
    lua_pushvalue(L, Int32(index))
    return LuaReference(popping: L, of: state)
  }

  /// Returns a bound object of the class; throws an error that names the expected type.
  public func object<T: BoundObject>(_ index: Int, _ type: T.Type) throws(LuaFailure) -> T {
    if let object = objectOrNil(index, type) { return object }
    let name = state.name(of: type)
    throw typeName(index) == name ? .argument(index, "the \(name) is closed") : expected(name, at: index)
  }

  public func objectOrNil<T: BoundObject>(_ index: Int, _ type: T.Type) -> T? {
    guard let slot = state.slot(of: type), let raw = dh_to_object(L, Int32(index), slot.type) else { return nil }
    return Unmanaged<T>.fromOpaque(raw).takeUnretainedValue()
  }

  /// Returns a table argument, whose fields and elements can then be read.
  public func table(_ index: Int, _ what: String = "table") throws(LuaFailure) -> LuaTable {
    guard kind(index) == .table else { throw expected(what, at: index) }
    return LuaTable(L, index: index, argument: index)
  }

  /// Returns the table, whose fields must be among the known ones if there is a list; nil for none or nil.
  public func optionalTable(_ index: Int, allowing known: [String]? = nil) throws(LuaFailure) -> LuaTable? {
    if isNoneOrNil(index) { return nil }
    let found = try table(index)
    if let known { try found.allowOnly(known) }
    return found
  }

  /// Returns a copy of the value: tables to `depth` levels; cycles and functions become `.opaque`.
  /// - Throws: `LuaFailure.memory`.
  public func value(_ index: Int, depth: Int = 64) throws(LuaFailure) -> LuaValue {
    try LuaCopier(L).copy(lua_absindex(L, Int32(index)), depth: depth)
  }
}

/// The kind of the value at an index; the raw values are Lua's type numbers.
public enum LuaKind: Int32, Sendable {
  /// There is no value at the index.
  case none = -1
  case null, boolean, pointer, number, text, table, function, object, coroutine
}

public struct TopTable: ~Copyable {
  fileprivate let L: OpaquePointer

  /// Sets element `index` of the table on top of the stack.
  public func setElement(_ index: Int, _ value: some LuaRepresentable) throws {
    if try value.push(on: LuaStack(L)) == 1 { lua_rawseti(L, -2, Int64(index)) }
  }

  /// Sets a field of the table on top of the stack. A key of nil or NaN is skipped, as no table can have it.
  public func setField(_ key: some LuaRepresentable, _ value: some LuaRepresentable) throws {
    guard try key.push(on: LuaStack(L)) == 1 else { return }
    let isKey = lua_type(L, -1) != LUA_TNIL && lua_rawequal(L, -1, -1) != 0
    guard isKey, try value.push(on: LuaStack(L)) == 1 else {
      dh_pop(L, 1)
      return
    }
    lua_rawset(L, -3)
  }

  func freeze(advice: String) { dh_freeze(L, advice) }
}

extension LuaStack {
  public var top: TopTable { TopTable(L: L) }
}

/// Returns for example "from 1 to 5" or "of at least 1".
func rangeInWords(_ range: ClosedRange<Int>) -> String {
  if range.upperBound == Int.max { return "of at least \(range.lowerBound)" }
  if range.upperBound < range.lowerBound { return "within an empty range" }
  return "from \(range.lowerBound) to \(range.upperBound)"
}

/// Writes a whole number without a fraction.
private func inWords(_ number: Double) -> String { Int(exactly: number).map(grouped) ?? "\(number)" }
