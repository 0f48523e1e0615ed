// Ctrl-C while Lua or a long command runs. Invariant: SIGINT belongs to this room exactly while `holding` runs.

import CLua

/// SIGINT as a request to stop what runs. One thread at a time holds it.
public enum Interrupts {
  /// Runs `body` with Ctrl-C stopping Lua code on this thread, and noted for native code that polls `wereRequested`.
  public static func holding<R>(_ body: () throws -> R) rethrows -> R {
    dh_take_interrupts()
    defer { dh_release_interrupts() }
    return try body()
  }

  /// Whether a Ctrl-C came since the last `clear`.
  public static var wereRequested: Bool { dh_was_interrupted() != 0 }

  public static func clear() { dh_clear_interrupt() }
}

extension LuaState {
  /// Asks what runs in this state to stop, as Ctrl-C does.
  public func requestInterrupt() {
    if !isFreed { dh_request_stop(main, Int32(DH_STOP_INTERRUPT.rawValue)) }
  }
}
