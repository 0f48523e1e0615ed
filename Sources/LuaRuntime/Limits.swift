// How long calls into a state may take, and where a plugin's `require` looks. Invariant: a limit stops the call that it
// is set for and all that was called from it, through every state, and nothing around it.

import CLua

extension LuaState {
  /// Seconds that each call into this state may take, all that it calls included; nil for no limit. What passes it ends
  /// with a `LuaError` whose `stopReason` is `.deadline`, and nothing in Lua can catch that.
  public var timeLimit: Double? {
    get {
      guard !isFreed, case let nanoseconds = dh_time_limit(main), nanoseconds > 0 else { return nil }
      return Double(nanoseconds) / 1e9
    }
    set { if !isFreed { dh_set_time_limit(main, newValue.map(nanoseconds) ?? 0) } }
  }

  /// Gives a plugin its `require`: a module is loaded once, from the text that `find` gives for its name; what `find`
  /// throws is the error of the call.
  /// - Parameter find: the text (never bytecode) and what messages call it.
  public func setRequire(_ find: @escaping (String) throws -> (source: [UInt8], chunkName: String)) throws {
    try setRequire(by: HostFunction(finding: find))
  }

  func setRequire(by finder: HostFunction) throws {
    try withStack { stack in
      dh_push_globals(stack.L)
      stack.push("require")
      dh_push_require(stack.L, keep(finder, type: nil))
      lua_rawset(stack.L, -3)
    }
  }

  /// Runs `body` within what is left of a budget, and takes from it the time that was used; waiting for the user is
  /// free.
  public func withBudget<R>(_ budget: inout CallBudget, _ body: () throws -> R) throws -> R {
    let (L, top, charged) = try beginUse()
    defer { endUse(L, top: top, charged: charged) }
    var entry = dh_entry()
    let start = dh_now()
    return try withUnsafeMutablePointer(to: &entry) { entry in
      let status = dh_begin_limit(main, entry, budget.left)
      guard status == LUA_OK else { throw refusal(status) }
      defer {
        // The deadline is set by the first tick of the clock and grows by the time that the user took.
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
  /// The function by which `require` finds a module.
  convenience init(finding find: @escaping (String) throws -> (source: [UInt8], chunkName: String)) {
    self.init("require", failsSoftly: false) { stack, _ in
      let module = try find(try stack.text(1))
      stack.push(bytes: module.source)
      stack.push(module.chunkName)
      return 2
    }
  }
}

/// Time that does not count against the limits of the calls under way. Calls that begin meanwhile have limits of their
/// own.
public enum CallPause {
  /// Seconds that one call into Lua may have on loan in all.
  public static let longestLoan = 10.0

  /// Waits for the user: the limits stand still. Only around the wait itself, which nothing in Lua can make short and
  /// repeat.
  public static func waitingForUser<R, E: Error>(_ wait: () throws(E) -> R) throws(E) -> R {
    let paused = dh_pause_limits(DH_FREE)
    defer { dh_resume_limits(paused, 1) }
    return try wait()
  }

  /// Does what the program has to do once for all who ask, such as compiling a word list: up to `longestLoan` over all
  /// such work of a call does not count. What fails does, as it can be asked for again and again.
  public static func lendingTime<R>(atMost seconds: Double = longestLoan, _ work: () throws -> R) rethrows -> R {
    var isDone: Int32 = 0
    let paused = dh_pause_limits(nanoseconds(seconds))
    defer { dh_resume_limits(paused, isDone) }
    let result = try work()
    isDone = 1
    return result
  }

  /// Gives the call that runs all of its time again: for a loop in Lua over pieces of work that have a limit each.
  public static func startAgain() { dh_restart_limit() }
}

/// Time that several calls share.
public struct CallBudget {
  fileprivate var left: Int64

  public init(seconds: Double) { left = nanoseconds(seconds) }

  public var isSpent: Bool { left <= 0 }
}

/// Whole nanoseconds, at least 1; what is no number or beyond 290 years counts as that.
private func nanoseconds(_ seconds: Double) -> Int64 {
  let most = 9.0e18
  let wanted = seconds * 1e9
  return wanted.isFinite ? max(1, Int64(min(wanted, most))) : Int64(most)
}
