// Reads a table that a script passes: options, records, lists, and frozen proxies. Invariant: metamethods run only in
// protected calls, and every error names the argument and the field that it is about.

import CLua
import Problems
import Text

/// A table on the stack of a host call. Valid only during that call.
public struct LuaTable: ~Copyable {
  @usableFromInline let L: OpaquePointer
  @usableFromInline let index: Int32
  /// The number of the argument that errors name.
  public let argument: Int
  /// A plain table is read raw; that remains correct if it gets a metatable later.
  private let hasMetatable: Bool

  init(_ state: OpaquePointer, index: Int, argument: Int) {
    L = state
    self.index = lua_absindex(state, Int32(index))
    self.argument = argument
    hasMetatable = lua_getmetatable(state, self.index) != 0
    if hasMetatable { dh_pop(state, 1) }
  }

  /// Returns the error of a table with something wrong in it.
  public func wrong(_ message: String) -> LuaFailure { .argument(argument, message) }

  /// Pops the key on top of the stack and pushes `t[key]`.
  private func get() throws {
    if !hasMetatable {
      lua_rawget(L, index)
    } else if case let status = dh_get_protected(L, index), status != LUA_OK {
      throw LuaState.of(L).takeError(on: L, status: status)
    }
  }

  /// Reads one field; the stack is balanced whatever `body` does.
  private func withField<R>(_ name: String, _ body: (borrowing LuaStack) throws -> R) throws -> R {
    let stack = LuaStack(L)
    let top = lua_gettop(L)
    defer { lua_settop(L, top) }
    stack.push(name)
    try get()
    do { return try body(stack) } catch LuaFailure.argument(_, let message) {
      throw wrong("field '\(name)': \(message)")
    }
  }

  public func has(_ name: String) throws -> Bool { try withField(name) { !$0.isNoneOrNil(-1) } }
  public func text(_ name: String) throws -> String { try withField(name) { try $0.text(-1) } }
  public func bytes(_ name: String) throws -> [UInt8] { try withField(name) { try $0.copiedBytes(-1) } }
  public func optionalText(_ name: String) throws -> String? { try withField(name) { try $0.optionalText(-1) } }

  public func optionalBoolean(_ name: String) throws -> Bool? { try optional(name) { try $0.boolean(-1) } }

  public func optionalInteger(_ name: String, in range: ClosedRange<Int> = Int.min...Int.max) throws -> Int? {
    try optional(name) { try $0.integer(-1, in: range) }
  }

  public func optionalNumber(_ name: String, in range: ClosedRange<Double>? = nil) throws -> Double? {
    try optional(name) { try $0.number(-1, in: range) }
  }

  public func optionalFunction(_ name: String) throws -> LuaReference? { try optional(name) { try $0.function(-1) } }

  public func optionalObject<T: BoundObject>(_ name: String, _ type: T.Type) throws -> T? {
    try optional(name) { try $0.object(-1, type) }
  }

  private func optional<R>(_ name: String, _ body: (borrowing LuaStack) throws -> R) throws -> R? {
    try withField(name) { $0.isNoneOrNil(-1) ? nil : try body($0) }
  }

  public func value(_ name: String) throws -> LuaValue { try withField(name) { try $0.value(-1) } }

  /// Returns a field that is a list of texts; nil when the field is missing.
  /// - Parameter most: the maximum number of texts.
  public func optionalTexts(_ name: String, atMost most: Int = .max) throws -> [String]? {
    try optional(name) { stack in
      guard stack.kind(-1) == .table else { throw stack.expected("list of strings", at: -1) }
      let list = LuaTable(stack.L, index: -1, argument: argument)
      let count = try list.count()
      guard count <= most else { throw wrong("at most \(most) \(name) expected, got \(count)") }
      return try list.elements { try $0.text(-1) }
    }
  }

  /// Reads a field that is a table with `body`; nil when the field is missing.
  public func optionalTable<R>(_ name: String, _ body: (borrowing LuaTable) throws -> R) throws -> R? {
    try optional(name) { stack in
      guard stack.kind(-1) == .table else { throw stack.expected("table", at: -1) }
      return try body(LuaTable(stack.L, index: -1, argument: argument))
    }
  }

  public func count() throws -> Int {
    if !hasMetatable { return Int(clamping: lua_rawlen(L, index)) }
    var length: Int64 = 0
    let status = dh_length_protected(L, index, &length)
    guard status == LUA_OK else { throw LuaState.of(L).takeError(on: L, status: status) }
    return max(0, Int(length))
  }

  /// Returns the elements 1...n, each read by `body` from the top of the stack.
  public func elements<R>(_ body: (borrowing LuaStack) throws -> R) throws -> [R] {
    var read: [R] = []
    try forEachElement { _, stack in
      // The array doubles its capacity when it grows.
      try stack.memory.charge(MemoryLayout<R>.stride * 3)
      read.append(try body(stack))
    }
    return read
  }

  /// Calls `body` with each 1-based position, and with its element on top of the stack.
  /// - Throws: `LuaFailure.argument` if an element of a plain table is nil; one with a metatable ends there.
  public func forEachElement(_ body: (Int, borrowing LuaStack) throws -> Void) throws {
    let stack = LuaStack(L)
    try stack.reserve(LuaStack.flatValue)
    let top = lua_gettop(L)
    defer { lua_settop(L, top) }
    let length = try count()
    guard length > 0 else { return try refuseNames() }
    for position in 1...length {
      if position & 0xFFF == 0, stack.state.isStopping { throw LuaFailure.message("stopped") }
      stack.push(position)
      try get()
      if stack.isNoneOrNil(-1) {
        if hasMetatable { return }
        throw missing(position)
      }
      do { try body(position, stack) } catch LuaFailure.argument(_, let message) {
        throw wrong("element \(position): \(message)")
      }
      lua_settop(L, top)
    }
  }

  /// Throws if the table has named fields and no elements, unless it has `__len` or is the result of `table.pack()`.
  @usableFromInline func refuseNames() throws(LuaFailure) {
    let stack = LuaStack(L)
    let top = lua_gettop(L)
    defer { lua_settop(L, top) }
    if luaL_getmetafield(L, index, "__len") != LUA_TNIL { return }
    lua_pushnil(L)
    guard dh_next_raw(L, index) == 1 else { return }
    guard let name = stack.excerpt(-2, limit: 256) else { throw missing(1) }
    if name != "n" { throw wrong("list expected, got a table with the field '\(printable(name))'") }
  }

  @usableFromInline func missing(_ position: Int) -> LuaFailure {
    .argument(argument, "list expected, got a table without element \(position)")
  }

  /// Returns the pairs, sorted by key.
  /// - Throws: `LuaFailure.argument` if a key is not text.
  public func namedValues() throws -> [(name: String, value: LuaValue)] {
    let copy = try LuaCopier(L).copy(index, depth: 64)
    guard case .table(let pairs) = copy,
      case let named = pairs.compactMap({ pair in
        pair.key.text.map { (name: $0, value: pair.value) }
      }), named.count == pairs.count
    else { throw wrong("a table of names and values expected") }
    return named.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// Passes three fields as bytes in place to `body`, for the hot path of adding cards. `body` runs only when the
  /// table is plain, holds only strings in these fields and has no other fields; otherwise the result is nil and the
  /// caller reads the table by the general path. The third field may be missing.
  public func withPlainBytes<R>(
    _ first: String, _ second: String, _ third: String,
    _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>?) throws -> R
  ) throws -> R? {
    guard !hasMetatable, lua_checkstack(L, 16) != 0 else { return nil }
    let stack = LuaStack(L)
    let top = lua_gettop(L)
    defer { lua_settop(L, top) }
    for name in [first, second, third] {
      stack.push(name)
      lua_rawget(L, index)
    }
    let expected = stack.isNoneOrNil(-1) ? 2 : 3
    guard stack.kind(-3) == .text, stack.kind(-2) == .text, expected == 2 || stack.kind(-1) == .text,
      fieldCount(upTo: 4) == expected
    else { return nil }
    return try body(stack.bytes(-3), stack.bytes(-2), expected == 3 ? stack.bytes(-1) : nil)
  }

  /// Counts the fields, up to a limit. Nothing is allocated meanwhile, so `lua_next` cannot raise.
  private func fieldCount(upTo limit: Int) -> Int {
    var count = 0
    lua_pushnil(L)
    while count < limit, lua_next(L, index) != 0 {
      dh_pop(L, 1)
      count += 1
    }
    if count == limit { dh_pop(L, 1) }
    return count
  }

  /// Throws if a field is not one of the known ones, with "did you mean".
  public func allowOnly(_ known: [String]) throws(LuaFailure) {
    let stack = LuaStack(L)
    let top = lua_gettop(L)
    defer { lua_settop(L, top) }
    lua_pushnil(L)
    while dh_next_raw(L, index) == 1 {
      dh_pop(L, 1)
      if dh_is_stopping(L) != 0 { throw .message("stopped") }
      guard let name = stack.excerpt(-1, limit: 256) else {
        throw wrong("a value without a field name; the fields are \(known.joined(separator: ", "))")
      }
      if known.contains(name) { continue }
      throw wrong("unknown field '\(printable(name))'\(didYouMean(name, among: known, quote: "'"))")
    }
  }
}
