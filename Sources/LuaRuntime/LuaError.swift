// How a failure travels between Lua and Swift: as a value that Swift throws, never as a jump. Invariant: a `LuaError`
// holds no Lua value; the state that raised it keeps its last few error values and knows them by key.

public import Problems

/// Why running Lua code was stopped from outside.
public enum StopReason: Equatable, Sendable {
  case interrupt
  case deadline
  case memory
  /// `os.exit` with its status, 0 to 255.
  case exit(Int)
}

/// What a protected call of Lua code ended with.
public struct LuaError: Error, CustomStringConvertible {
  public enum Kind: Equatable, Sendable {
    /// The text does not compile; `isIncomplete` when more text could still mend it.
    case syntax(isIncomplete: Bool)
    case runtime
    case stopped(StopReason)
  }

  public let kind: Kind
  /// The error in words, with the position that Lua put before it.
  public let message: String
  /// `file:line:` of the nearest Lua code when the message does not say it already, else empty.
  public let position: String
  /// The stack traceback, where the state traces.
  public let trace: String?
  /// The problem, where the error value was one.
  public let problem: PlainProblem?
  /// Where the state that raised it keeps the error value.
  let value: ErrorValueKey?

  init(
    kind: Kind, message: String, position: String = "", trace: String? = nil, problem: PlainProblem? = nil,
    value: ErrorValueKey? = nil
  ) {
    self.kind = kind
    self.message = message
    self.position = position
    self.trace = trace
    self.problem = problem
    self.value = value
  }

  public var stopReason: StopReason? {
    if case .stopped(let reason) = kind { return reason }
    return nil
  }

  public var isIncomplete: Bool {
    if case .syntax(let isIncomplete) = kind { return isIncomplete }
    return false
  }

  /// Position and message, as they are shown to a user.
  public var description: String {
    position.isEmpty || message.hasPrefix(position) ? message : "\(position) \(message)"
  }
}

/// Names an error value that a state keeps.
struct ErrorValueKey: Equatable, Sendable {
  let state: ObjectIdentifier
  let number: Int
}

/// What a bound function throws for a wrong use; ordinary failures are `Problem`s.
public enum LuaFailure: Error, Equatable {
  /// Argument number and what is wrong with it: "bad argument #1 to 'create' (string expected, got nil)".
  case argument(Int, String)
  /// A message that gets the position of the caller before it.
  case message(String)
  /// The state may not have the memory that the call wants, or is to stop. Nothing may go on after it.
  case memory
}
