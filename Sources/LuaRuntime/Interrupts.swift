// Ctrl-C, SIGTERM and SIGHUP while Lua or a long command runs. Invariant: while `holding` runs these signals belong to
// this room, but for what takes them in between (the line editor, a screen).

import CLua
import Glibc

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

  /// Takes off the handlers by which Swift would show a crash, and ask questions, at the user's terminal.
  public static func leaveCrashesToTheSystem() {
    for number in [SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV, SIGQUIT] { signal(number, SIG_DFL) }
  }

  public static func clear() { dh_clear_interrupt() }

  /// Whether native work is to end: a Ctrl-C came, or the call that it is done for has passed its limit. Cheap enough
  /// to poll.
  public static var areRequested: Bool { dh_must_end() != 0 }

  /// Ends all Lua code under way, as a Ctrl-C that somebody else read from the terminal: nothing in Lua catches it.
  public static func request() { dh_interrupt() }

  /// Gives signals that came while `holding` ran inside of something else that takes them (the line editor) to that.
  public static func passOn() {
    guard wereRequested else { return }
    clear()
    let ending = endingSignal
    endingSignal = nil
    raise(ending ?? SIGINT)
  }

  /// The signal that asked the program to end; nil while none did.
  public static var endingSignal: Int32? {
    get { dh_ending_signal() == 0 ? nil : dh_ending_signal() }
    set { dh_note_ending_signal(newValue ?? 0) }
  }
}
