// Inspects values without running any code of a script; completion and the printing of values use it. Invariant:
// access is raw; metamethods never run.

import CLua

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
