// A problem that is returned often, with its texts stored as Lua strings. Invariant: the pushed value reads like the
// problem it was made from, except for the one detail that varies.

import CLua
public import Problems

/// A problem with one detail, ready to be pushed on the stacks of one state.
public final class PreparedProblem {
  private let texts: LuaReference
  private let slot: Int32
  private let metatable: Int32

  /// - Parameter detail: the name of the detail whose value is supplied at each push.
  public init(_ problem: any Problem, detail: String, on stack: borrowing LuaStack) {
    stack.pushTable(array: 7, fields: 0)
    let report = problem.report
    let texts = ["code", report.code.rawValue, "title", report.title, "message", report.message, detail]
    for (offset, text) in texts.enumerated() {
      stack.push(text)
      lua_rawseti(stack.L, -2, Int64(offset + 1))
    }
    self.texts = LuaReference(popping: stack.L, of: stack.state)
    slot = self.texts.slot
    metatable = stack.state.problemMetatableSlot(on: stack.L)
  }

  /// Pushes nil and the problem; the value of the detail is at an index of the stack.
  public func pushRefusal(detail index: Int, on stack: borrowing LuaStack) -> LuaPushed {
    let index = lua_absindex(stack.L, Int32(index))
    stack.pushNil()
    dh_push_prepared(stack.L, slot, 3, index, metatable)
    return LuaPushed(2)
  }
}
