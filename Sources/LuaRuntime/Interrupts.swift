// Handles Ctrl-C, SIGTERM and SIGHUP while Lua or a long command runs. Invariant: while `holding` runs, these signals
// belong to this room, except where something inside it takes them over (the line editor, a screen).

import CLua
import Glibc

/// SIGINT as a request to stop the running code. Only one thread at a time can hold it.
public enum Interrupts {
  /// Runs `body`. Meanwhile Ctrl-C stops Lua code on this thread, and native code that polls `wereRequested`.
  public static func holding<R>(_ body: () throws -> R) rethrows -> R {
    dh_take_interrupts()
    defer { dh_release_interrupts() }
    return try body()
  }

  /// Whether a Ctrl-C has arrived since the last `clear`.
  public static var wereRequested: Bool { dh_was_interrupted() != 0 }

  /// Removes the handlers with which the Swift runtime would print a crash at the terminal, and ask questions.
  public static func removeCrashHandlers() {
    for number in [SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV, SIGQUIT] { signal(number, SIG_DFL) }
  }

  public static func clear() { dh_clear_interrupt() }

  /// Whether native work should end: a Ctrl-C arrived, or the call has exceeded its limit. Cheap enough to poll.
  public static var areRequested: Bool { dh_must_end() != 0 }

  /// Stops all running Lua code, as for a Ctrl-C that other code read from the terminal; nothing in Lua can catch it.
  public static func request() { dh_interrupt() }

  /// Raises the signals again that came during `holding` inside something else that handles them: the line editor.
  public static func reraise() {
    guard wereRequested else { return }
    clear()
    let ending = endingSignal
    endingSignal = nil
    raise(ending ?? SIGINT)
  }

  /// The signal that asked the program to end; nil if none did.
  public static var endingSignal: Int32? {
    get { dh_ending_signal() == 0 ? nil : dh_ending_signal() }
    set { dh_note_ending_signal(newValue ?? 0) }
  }
}
