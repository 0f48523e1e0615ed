// Time limits of calls into a state, and where a plugin's `require` looks. Invariant: a limit stops the call that it
// is set for and everything called from it, through every state, and nothing outside it.

import CLua

extension LuaState {
  /// Seconds that each call into this state may take, including all that it calls; nil for no limit. A call that
  /// exceeds the limit ends with a `LuaError` whose `stopReason` is `.deadline`, and nothing in Lua can catch it.
  public var timeLimit: Double? {
    get {
      guard !isFreed, case let nanoseconds = dh_time_limit(main), nanoseconds > 0 else { return nil }
      return Double(nanoseconds) / 1e9
    }
    set { if !isFreed { dh_set_time_limit(main, newValue.map(nanoseconds) ?? 0) } }
  }

  /// Gives a plugin its `require`: a module is loaded once, from the text that `find` returns, or its error is thrown.
  /// - Parameter find: returns the text (never bytecode) and the chunk name that messages use.
  public func setRequire(_ find: @escaping (String) throws -> (source: [UInt8], chunkName: String)) throws {
    if let distant { return try distant.setRequire(find) }
    try setRequire(by: HostFunction(finding: find))
  }

  func setRequire(by finder: HostFunction) throws {
    try withStack { stack in
      dh_push_globals(stack.L)
      stack.push("require")
      dh_push_require(stack.L, store(finder, type: nil))
      lua_rawset(stack.L, -3)
    }
  }

  /// Runs `body` within the rest of a budget and subtracts the time it used; waiting for the user is free.
  public func withBudget<R>(_ budget: inout CallBudget, _ body: () throws -> R) throws -> R {
    let (L, top, charged) = try beginUse()
    defer { endUse(L, top: top, charged: charged) }
    var entry = dh_entry()
    let start = dh_now()
    return try withUnsafeMutablePointer(to: &entry) { entry in
      let status = dh_begin_limit(main, entry, budget.left)
      guard status == LUA_OK else { throw refusal(status) }
      defer {
        // The first tick of the clock sets the deadline, and time that the user takes extends it.
        let tick: Int64 = 5_000_000
        let now = dh_now()
        let deadline = entry.pointee.deadline
        budget.left = deadline == 0 ? budget.left - min(now - start, tick) : min(budget.left, deadline - now)
        _ = dh_end_limit(main, entry)
      }
      return try body()
    }
  }

  private func refusal(_ status: Int32) -> LuaError {
    status >= DH_STATUS_STOPPED ? stopError(status - Int32(DH_STATUS_STOPPED)) : stackIsFull
  }
}

extension HostFunction {
  /// Makes the function with which `require` finds a module.
  convenience init(finding find: @escaping (String) throws -> (source: [UInt8], chunkName: String)) {
    self.init("require", failsSoftly: false) { stack, _ in
      let module = try find(try stack.text(1))
      stack.push(bytes: module.source)
      stack.push(module.chunkName)
      return 2
    }
  }
}

/// Time that does not count against the limits of the running calls; calls that begin meanwhile have their own.
public enum CallPause {
  /// The total in seconds that one call into Lua may borrow.
  public static let longestPause = 10.0

  /// Waits for the user while the limits pause: only the wait itself, which nothing in Lua can shorten and repeat.
  public static func waitingForUser<R, E: Error>(_ wait: () throws(E) -> R) throws(E) -> R {
    let paused = dh_pause_limits(DH_FREE)
    defer { dh_resume_limits(paused, 1) }
    return try wait()
  }

  /// Does work that the program needs only once for all callers, such as compiling a word list. Up to `longestPause`
  /// seconds of it in one call do not count, unless it fails, as a script can request it repeatedly.
  public static func pausingLimits<R>(atMost seconds: Double = longestPause, _ work: () throws -> R) rethrows -> R {
    var isDone: Int32 = 0
    let paused = dh_pause_limits(nanoseconds(seconds))
    defer { dh_resume_limits(paused, isDone) }
    let result = try work()
    isDone = 1
    return result
  }

  /// Gives the running call its full time again, for a loop in Lua over pieces of work that each have a limit.
  public static func restartLimit() { dh_restart_limit() }
}

/// An amount of time that several calls share.
public struct CallBudget {
  fileprivate var left: Int64

  public init(seconds: Double) { left = nanoseconds(seconds) }

  public var isSpent: Bool { left <= 0 }

  public mutating func add(seconds: Double) { left += nanoseconds(seconds) }
}

/// Returns whole nanoseconds, at least 1; NaN, infinity and values beyond 290 years become about 290 years.
private func nanoseconds(_ seconds: Double) -> Int64 {
  let most = 9.0e18
  let wanted = seconds * 1e9
  return wanted.isFinite ? max(1, Int64(min(wanted, most))) : Int64(most)
}
