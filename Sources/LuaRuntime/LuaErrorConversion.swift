// Converts Swift errors to Lua errors and back. Invariant: the error that a bound function throws is on the stack as
// one value when the frame of the function ends, and an error value of one state never reaches another state.

import CLua
public import Problems
import Text

extension HostFunction {
  /// Pushes the Lua form of an error that the function threw; returns a count of results, or a `dh_failure`.
  func push(_ error: any Error, on stack: borrowing LuaStack) -> Int32 {
    // The arguments are no longer needed; dropping them makes room.
    if lua_checkstack(stack.L, Int32(LuaStack.flatValue)) == 0 { lua_settop(stack.L, 0) }
    switch error {
    case LuaFailure.argument(let number, let message):
      stack.push(message)
      return DH_FAIL_ARGUMENT.rawValue - Int32(clamping: number)
    case LuaFailure.message(let message): stack.push(message)
    // The memory limit stops a state that has one, whatever this call returns.
    case LuaFailure.memory: stack.push("not enough memory: this call would take too much")
    case let error as LuaError:
      push(value: error, on: stack)
      return DH_FAIL_VALUE.rawValue
    case let problem as any Problem:
      if failsSoftly { stack.pushNil() }
      stack.push(problem)
      return failsSoftly ? 2 : DH_FAIL_VALUE.rawValue
    default: stack.push(String(describing: error))
    }
    return DH_FAIL_MESSAGE.rawValue
  }

  /// Pushes the error of Lua code that Swift called: its original value and place, unless it belongs to another state.
  private func push(value error: LuaError, on stack: borrowing LuaStack) {
    if let key = error.value, let value = stack.state.errorValue(key) {
      stack.push(value)
      dh_tell_position(stack.L, error.position, error.trace)
    } else if let problem = error.problem {
      stack.push(problem)
    } else {
      stack.push(error.description)
    }
  }
}

extension LuaStack {
  /// Pushes a problem as the table that scripts read: code, title, message, the details, and a text form.
  public func push(_ problem: any Problem) {
    let report = problem.report
    let details = report.details
    var (code, title, message) = (report.code.rawValue, report.title, report.message)
    let metatable = state.problemMetatableSlot(on: L)
    code.withUTF8 { code in
      title.withUTF8 { title in
        message.withUTF8 { message in
          dh_push_problem(L, dh_text(code), dh_text(title), dh_text(message), Int32(clamping: details.count), metatable)
        }
      }
    }
    for detail in details {
      push(detail.name)
      switch detail.value {
      case .text(let text): push(text)
      case .integer(let number): push(number)
      case .number(let number): push(number)
      }
      lua_rawset(L, -3)
    }
  }
}

extension PlainProblem {
  /// Reads a problem from a table with `code`, `title` and `message`, by raw access; nil for any other value.
  public init?(at index: Int, on stack: borrowing LuaStack) {
    guard stack.kind(index) == .table, let code = rawText("code", of: index, on: stack),
      let message = rawText("message", of: index, on: stack)
    else { return nil }
    self.init(
      code: code, title: rawText("title", of: index, on: stack) ?? message, message: message,
      hasRetryTime: withRawField("retry_after", of: index, on: stack) { !$0.isNoneOrNil(-1) })
  }
}

/// Returns the failure that a function returns as its second result, after nil: a problem, which may have only a code
/// or only a message, another table, or a text. Nil for any other value.
public func failure(at index: Int, on stack: borrowing LuaStack) -> PlainProblem? {
  if let problem = PlainProblem(at: index, on: stack) { return problem }
  guard stack.kind(index) == .table else { return stack.excerpt(index).map { failure(saying: $0) } }
  if let code = rawText("code", of: index, on: stack) {
    return PlainProblem(code: code, title: code, message: "it failed with the code \(quoted(code))")
  }
  return failure(
    saying: rawText("message", of: index, on: stack) ?? "it failed with a table that has neither a code nor a message")
}

private func failure(saying message: String) -> PlainProblem {
  PlainProblem(ProblemReport(.failed, "It failed", message))
}

private func rawText(_ name: String, of index: Int, on stack: borrowing LuaStack) -> String? {
  withRawField(name, of: index, on: stack) { $0.kind(-1) == .text ? $0.excerpt(-1) : nil }
}

/// Pushes a field of a table, read raw, while `body` runs.
private func withRawField<R>(
  _ name: String, of index: Int, on stack: borrowing LuaStack, _ body: (borrowing LuaStack) -> R
) -> R {
  let table = lua_absindex(stack.L, Int32(index))
  stack.push(name)
  lua_rawget(stack.L, table)
  defer { dh_pop(stack.L, 1) }
  return body(stack)
}

/// A problem that is returned often, with its texts stored as Lua strings; only the value of one detail varies.
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

public struct LuaFunction: LuaRepresentable {
  private let function: HostFunction
  private let cost: Int

  /// - Parameter cost: bytes charged for the function and what it holds; released when the collector frees the Lua
  ///   function.
  public init<R: LuaRepresentable>(
    _ name: String, fails: Bool = false, cost: Int = 256, _ body: @escaping (borrowing LuaStack) throws -> R
  ) {
    self.cost = cost
    function = HostFunction(name, failsSoftly: fails) { stack, _ in try body(stack).push(on: stack) }
  }

  public func push(on stack: borrowing LuaStack) -> Int32 {
    stack.state.push(function, cost: cost, on: stack.L)
    return 1
  }
  public var luaValue: LuaValue { .opaque("function") }
}

extension dh_text {
  fileprivate init(_ bytes: UnsafeBufferPointer<UInt8>) {
    let start = UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
    self.init(bytes: start, length: bytes.count)
  }
}

extension LuaState {
  /// Returns the message for a field that a type or module does not have.
  func unknownField(of owner: String, named name: String, isWrite: Bool) -> String {
    let members = description(named: owner)?.memberNames ?? modules.first { $0.name == owner }?.memberNames ?? []
    if isWrite, members.contains(name) { return "\(owner).\(name) cannot be assigned" }
    return "\(owner) has no field '\(printable(name, limit: 60))'\(didYouMean(name, among: members, quote: "'"))"
  }
}

func runHostFunction(
  _ L: OpaquePointer?, _ object: UnsafeMutableRawPointer?, _ function: UnsafeMutableRawPointer?
) -> Int32 {
  guard let L, let function else { return 0 }
  return Unmanaged<HostFunction>.fromOpaque(function)._withUnsafeGuaranteedRef { $0.run(LuaStack(L), object) }
}

func releaseHostObject(_ object: UnsafeMutableRawPointer?) {
  if let object { Unmanaged<AnyObject>.fromOpaque(object).release() }
}

func wordUnknownField(_ L: OpaquePointer?, _ owner: UnsafePointer<CChar>?, _ key: Int32, _ isWriting: Int32) {
  guard let L, let owner else { return }
  let stack = LuaStack(L)
  let type = String(cString: owner)
  if let name = stack.excerpt(Int(key), limit: 256) {
    stack.push(stack.state.unknownField(of: type, named: name, isWrite: isWriting != 0))
  } else {
    let methods = stack.kind(Int(key)) == .number ? stack.state.description(named: type)?.methods : nil
    let part = methods?.first(where: \.returnsPart).map { " (did you mean \(type):\($0.name)\($0.example ?? "()")?)" }
    stack.push("\(type) has fields by name, not by \(stack.typeName(Int(key)))\(part ?? "")")
  }
}
