// A view of the Lua stack for the length of one host call: the arguments of a bound function, and where results go.
// Invariant: it uses only functions of Lua that cannot raise, or protected ones; it cannot be copied, so nothing keeps
// it. Room for DH_ROOM values was there when the call began; what nests, or pushes any number of values, calls
// `reserve`.

public import CLua
import Text

/// The stack of the running coroutine. Arguments of a bound function are at 1, 2, ...; self is 1 in a method.
public struct LuaStack: ~Copyable {
  @usableFromInline let L: OpaquePointer

  @usableFromInline init(_ state: OpaquePointer) { L = state }

  /// The Lua state itself, for C code that works on it; nothing that can raise may be called on it from Swift.
  public var pointer: OpaquePointer { L }

  /// The state this stack belongs to.
  public var state: LuaState { LuaState.of(L) }

  /// How many arguments there are.
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

  /// What one value that holds no others may take while it is pushed.
  @usableFromInline static var flatValue: Int { 16 }

  /// Makes sure that `slots` more values fit; Lua's own limit is a million in all.
  /// - Throws: `LuaError`, "stack overflow".
  public func reserve(_ slots: Int) throws(LuaError) {
    guard lua_checkstack(L, Int32(clamping: slots)) != 0 else { throw state.stackIsFull }
  }

  // MARK: Reading

  @inlinable public func isNoneOrNil(_ index: Int) -> Bool { lua_type(L, Int32(index)) <= 0 }
  public func kind(_ index: Int) -> LuaKind { LuaKind(rawValue: lua_type(L, Int32(index))) ?? .none }
  /// Whether the value counts as true: anything but nil and false.
  public func isTruthy(_ index: Int) -> Bool { lua_toboolean(L, Int32(index)) != 0 }

  /// What the value is called in an error: "nil", "no value", "deck".
  public func typeName(_ index: Int) -> String { String(cString: dh_value_name(L, Int32(index))) }

  /// The error that argument `index` should have been something else.
  public func expected(_ what: String, at index: Int) -> LuaFailure {
    .argument(index, "\(what) expected, got \(typeName(index))")
  }

  /// The bytes of a string argument, in place: valid while the argument stands on the stack. A number counts as its
  /// text.
  @inlinable public func bytes(_ index: Int) throws(LuaFailure) -> UnsafeBufferPointer<UInt8> {
    var length = 0
    // Null for anything but a string or a number.
    guard let start = lua_tolstring(L, Int32(truncatingIfNeeded: index), &length) else {
      throw expected("string", at: index)
    }
    return UnsafeBufferPointer(start: UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self), count: length)
  }

  /// A string argument as text; bytes that are not UTF-8 are refused, marks without end, and a text that is longer than
  /// any name or sentence.
  /// - Parameter limit: bytes; what may be longer is read as bytes.
  public func text(_ index: Int, limit: Int = LuaStack.largeText) throws(LuaFailure) -> String {
    let bytes = try bytes(index)
    if bytes.count > 15 { try memory.chargeText(bytes.count, limit: limit, at: index) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .argument(index, "text in UTF-8 expected, got other bytes")
    }
    if hasEndlessMarks(text) { throw .argument(index, "text has more than \(longestMarkRun) combining marks in a row") }
    return text
  }

  /// A string argument as bytes of its own.
  public func copiedBytes(_ index: Int, limit: Int = LuaStack.largeText) throws(LuaFailure) -> [UInt8] {
    let bytes = try bytes(index)
    if bytes.count > 15 { try memory.chargeText(bytes.count, limit: limit, at: index) }
    return Array(bytes)
  }

  /// Bytes of a text beyond which the host looks before it copies it.
  public static let largeText = 1 << 20

  /// The bytes of a string argument of bounded length, in place.
  public func bytes(_ index: Int, limit: Int) throws(LuaFailure) -> UnsafeBufferPointer<UInt8> {
    let bytes = try bytes(index)
    guard bytes.count <= limit else {
      throw .argument(index, "text of at most \(inWords(bytes: limit)) expected, got \(inWords(bytes: bytes.count))")
    }
    return bytes
  }

  public func optionalText(_ index: Int) throws(LuaFailure) -> String? {
    isNoneOrNil(index) ? nil : try text(index)
  }

  public func boolean(_ index: Int) throws(LuaFailure) -> Bool {
    guard lua_type(L, Int32(index)) == LUA_TBOOLEAN else { throw expected("boolean", at: index) }
    return lua_toboolean(L, Int32(index)) != 0
  }

  /// An integer; nil for anything else, floats with them.
  public func wholeNumber(_ index: Int) -> Int? {
    lua_isinteger(L, Int32(truncatingIfNeeded: index)) != 0 ? integerOrNil(index) : nil
  }

  func integerOrNil(_ index: Int) -> Int? {
    guard lua_type(L, Int32(index)) == LUA_TNUMBER else { return nil }
    var isExact: Int32 = 0
    let value = lua_tointegerx(L, Int32(index), &isExact)
    return isExact != 0 ? Int(value) : nil
  }

  /// A whole number within a range; a float with an exact whole value counts.
  @inlinable public func integer(
    _ index: Int, in range: ClosedRange<Int> = Int.min...Int.max
  ) throws(LuaFailure) -> Int {
    if lua_isinteger(L, Int32(index)) != 0, case let value = Int(lua_tointegerx(L, Int32(index), nil)),
      range.contains(value)
    {
      return value
    }
    return try integerByTheBook(index, range)
  }

  @usableFromInline func integerByTheBook(_ index: Int, _ range: ClosedRange<Int>) throws(LuaFailure) -> Int {
    guard lua_type(L, Int32(index)) == LUA_TNUMBER else { throw expected("integer", at: index) }
    guard let value = integerOrNil(index) else {
      throw .argument(index, "number has no integer representation")
    }
    guard range.contains(value) else {
      throw .argument(index, "integer \(rangeInWords(range)) expected, got \(value)")
    }
    return value
  }

  /// A number that is finite, and within the range if there is one.
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

  /// A function, or anything that can be called.
  public func function(_ index: Int) throws(LuaFailure) -> LuaReference {
    guard kind(index) == .function || isCallable(index) else { throw expected("function", at: index) }
    return reference(index)
  }

  /// Whether a value that is no function has `__call`.
  public func isCallable(_ index: Int) -> Bool {
    if kind(index) == .function { return true }
    guard luaL_getmetafield(L, Int32(index), "__call") != LUA_TNIL else { return false }
    dh_pop(L, 1)
    return true
  }

  /// The value kept in the registry until the reference goes.
  public func reference(_ index: Int) -> LuaReference {
    lua_pushvalue(L, Int32(index))
    return LuaReference(popping: L, of: state)
  }

  /// A bound object of the class, or an error that names what was expected.
  public func object<T: BoundObject>(_ index: Int, _ type: T.Type) throws(LuaFailure) -> T {
    if let object = objectOrNil(index, type) { return object }
    let name = state.name(of: type)
    throw typeName(index) == name ? .argument(index, "the \(name) is closed") : expected(name, at: index)
  }

  public func objectOrNil<T: BoundObject>(_ index: Int, _ type: T.Type) -> T? {
    guard let slot = state.slot(of: type), let raw = dh_to_object(L, Int32(index), slot.type) else { return nil }
    return Unmanaged<T>.fromOpaque(raw).takeUnretainedValue()
  }

  /// A table argument, for reading its fields and elements.
  public func table(_ index: Int, _ what: String = "table") throws(LuaFailure) -> LuaTable {
    guard kind(index) == .table else { throw expected(what, at: index) }
    return LuaTable(L, index: index, argument: index)
  }

  public func optionalTable(_ index: Int, _ what: String = "table") throws(LuaFailure) -> LuaTable? {
    if isNoneOrNil(index) { return nil }
    return try table(index, what)
  }

  /// The value copied: tables to `depth` levels, cycles and functions told as opaque.
  /// - Throws: `LuaFailure.memory`.
  public func value(_ index: Int, depth: Int = 64) throws(LuaFailure) -> LuaValue {
    try LuaCopier(L).copy(lua_absindex(L, Int32(index)), depth: depth)
  }
}

/// What kind of value is at an index, by Lua's own numbers.
///
///     guard stack.kind(2) == .table else { throw stack.expected("table", at: 2) }
public enum LuaKind: Int32, Sendable {
  /// No value is there.
  case none = -1
  case null, boolean, pointer, number, text, table, function, object, coroutine
}

/// The table on top of the stack while it is filled.
///
///     try stack.top.setField("name", name)
public struct TopTable: ~Copyable {
  fileprivate let L: OpaquePointer

  /// Sets element `index` of the table on top.
  public func setElement(_ index: Int, _ value: some LuaRepresentable) throws {
    if try value.push(on: LuaStack(L)) == 1 { lua_rawseti(L, -2, Int64(index)) }
  }

  /// Sets a field of the table on top. A key of nil or NaN is passed over: no table holds one.
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

/// "from 1 to 5", "of at least 1".
func rangeInWords(_ range: ClosedRange<Int>) -> String {
  if range.upperBound == Int.max { return "of at least \(range.lowerBound)" }
  if range.upperBound < range.lowerBound { return "within an empty range" }
  return "from \(range.lowerBound) to \(range.upperBound)"
}

/// A whole number without a fraction.
private func inWords(_ number: Double) -> String { Int(exactly: number).map(grouped) ?? "\(number)" }
