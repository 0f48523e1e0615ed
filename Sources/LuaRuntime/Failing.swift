// From Swift errors to Lua errors and back. Invariant: what a bound function throws is on the stack as one value when
// its frame ends, and an error value of one state never reaches another.

import CLua
public import Problems

extension LuaStack {
  /// Pushes what an error means to Lua; answers a count of results, or a `dh_failure`.
  func fail(_ error: any Error, softly: Bool) -> Int32 {
    // The arguments are needed no more; without them there is room.
    if lua_checkstack(L, Int32(Self.flatValue)) == 0 { lua_settop(L, 0) }
    switch error {
    case LuaFailure.argument(let number, let message):
      push(message)
      return DH_FAIL_ARGUMENT.rawValue - Int32(clamping: number)
    case LuaFailure.message(let message):
      push(message)
      return DH_FAIL_MESSAGE.rawValue
    case LuaFailure.memory:
      // A state with a limit is stopped by it, whatever the call answers.
      push("not enough memory: this call would take too much")
      return DH_FAIL_MESSAGE.rawValue
    case let error as LuaError: return fail(error)
    case let problem as any Problem: return fail(problem, softly: softly)
    default:
      push(String(describing: error))
      return DH_FAIL_MESSAGE.rawValue
    }
  }

  /// An error of Lua code that Swift called: the same value goes on, unless it belongs to another state.
  private func fail(_ error: LuaError) -> Int32 {
    if let key = error.value, let value = state.errorValue(key) {
      push(value)
    } else if let problem = error.problem {
      push(problem)
    } else {
      push(error.description)
    }
    return DH_FAIL_VALUE.rawValue
  }

  private func fail(_ problem: any Problem, softly: Bool) -> Int32 {
    if softly { pushNil() }
    push(problem)
    return softly ? 2 : DH_FAIL_VALUE.rawValue
  }

  /// Pushes a problem as the table that scripts read: code, title, message, its details, and a text.
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

  /// The problem in a table with `code`, `title` and `message`, read raw; nil for any other value.
  public func problem(at index: Int) -> PlainProblem? {
    guard isTable(index), let code = rawText("code", of: index), let message = rawText("message", of: index) else {
      return nil
    }
    return PlainProblem(
      code: code, title: rawText("title", of: index) ?? message, message: message,
      hasRetryTime: hasField("retry_after", of: index))
  }

  private func rawText(_ name: String, of index: Int) -> String? {
    pushRaw(name, of: index)
    defer { dh_pop(L, 1) }
    guard isText(-1) else { return nil }
    return excerpt(-1)
  }

  private func hasField(_ name: String, of index: Int) -> Bool {
    pushRaw(name, of: index)
    defer { dh_pop(L, 1) }
    return !isNoneOrNil(-1)
  }

  private func pushRaw(_ name: String, of index: Int) {
    let table = lua_absindex(L, Int32(index))
    push(name)
    lua_rawget(L, table)
  }
}

/// A Swift function handed to Lua as a value.
public struct LuaFunction: LuaRepresentable {
  private let function: HostFunction
  private let cost: Int

  /// - Parameter cost: bytes that it weighs with what it holds; the collector gives it back with the Lua function.
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
