// How a failure travels between Lua and Swift: as a thrown Swift value, never as a jump. Invariant: a `LuaError`
// holds no Lua value; the state that raised it stores its last few error values by key.

public import Problems

/// Why running Lua code was stopped from outside.
public enum StopReason: Equatable, Sendable {
  case interrupt
  case deadline
  case memory
  /// `os.exit` with its status, 0 to 255.
  case exit(Int)
}

/// An error that may carry the traceback of the Lua code that raised it.
public protocol TracedError: Error {
  var trace: String? { get }
}

public struct LuaError: TracedError, CustomStringConvertible {
  public enum Kind: Equatable, Sendable {
    /// The text does not compile; `isIncomplete` means that more text could make it valid.
    case syntax(isIncomplete: Bool)
    case runtime
    case stopped(StopReason)
  }

  public let kind: Kind
  /// The error message, with the position that Lua put before it.
  public let message: String
  /// `file:line:` of the nearest Lua code if the message does not already contain it, otherwise empty.
  public private(set) var position = ""
  /// The stack traceback, if the state records one.
  public private(set) var trace: String?
  public private(set) var problem: PlainProblem?
  /// The key under which the state that raised the error stores the error value.
  private(set) var value: ErrorValueKey?
}

extension LuaError {
  /// Makes an ordinary error of another program's code, with the problem's message; the problem is its value in Lua.
  public init(reporting problem: any Problem, trace: String? = nil) {
    let problem = PlainProblem(problem.report)
    self.init(kind: .runtime, message: problem.report.message, trace: trace, problem: problem)
  }

  public var stopReason: StopReason? {
    if case .stopped(let reason) = kind { return reason }
    return nil
  }

  public var isIncomplete: Bool {
    if case .syntax(let isIncomplete) = kind { return isIncomplete }
    return false
  }

  /// The position and message, as they are shown to a user.
  public var description: String {
    position.isEmpty || message.hasPrefix(position) ? message : "\(position) \(message)"
  }
}

struct ErrorValueKey: Equatable, Sendable {
  let state: ObjectIdentifier
  let number: Int
}

/// An error that a bound function throws for wrong use; ordinary failures are `Problem`s.
public enum LuaFailure: Error, Equatable, CustomStringConvertible {
  /// The argument number and what is wrong with it: "bad argument #1 to 'create' (string expected, got nil)".
  case argument(Int, String)
  /// A message; the position of the caller is put before it.
  case message(String)
  /// The state may not have the memory that the call needs, or is being stopped. The call must not continue after it.
  case memory

  /// The message, without the name of the function whose argument it is about. An index from the top of the stack is
  /// that of a result, not of an argument.
  public var description: String {
    switch self {
    case .argument(let number, let message): number > 0 ? "bad argument #\(number) (\(message))" : message
    case .message(let message): message
    case .memory: "not enough memory"
    }
  }
}
