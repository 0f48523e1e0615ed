// The idle lock. Invariant: a key counts as soon as it is pressed, even in a line that is never finished.

import Authentication
import Files
import Problems
import Text
import Workspace

/// Measures how long no key was pressed at the prompt.
struct IdleWatch {
  private var clock: IdleClock
  private var keys: Int

  /// - Parameters:
  ///   - keys: the number of keys pressed so far.
  ///   - now: milliseconds since the machine started, including sleep.
  init(keys: Int, now: Int64) {
    clock = IdleClock(now: now)
    self.keys = keys
  }

  /// Whether no key was pressed for the given number of minutes; 0 means never.
  mutating func isOver(keys: Int, minutes: Int, now: Int64) -> Bool {
    if keys != self.keys {
      self.keys = keys
      clock.touch(now: now)
    }
    return clock.isOver(minutes: minutes, now: now)
  }
}

/// Locks the session when no key was pressed for too long.
struct IdleLock {
  let session: Session

  init(_ session: Session) { self.session = session }

  /// Makes the prompt watch for the idle lock while a user is signed in.
  func watch() { session.input.lineReader?.tick = tick() }

  /// Returns a callback for the line reader that says whether it is time to lock; the time counts from now.
  func tick() -> () -> Bool {
    session.input.isIdle = false
    guard session.auth.user != nil else { return { false } }
    var watch = IdleWatch(keys: LineReader.keyCount, now: session.environment.clocks.reading().boot)
    return { [session] in
      session.input.isIdle = watch.isOver(
        keys: LineReader.keyCount, minutes: session.preferences?.session.idleMinutes ?? 0,
        now: session.environment.clocks.reading().boot)
      return session.input.isIdle
    }
  }

  private var notice: String {
    "Locked after \(session.counted(session.preferences?.session.idleMinutes ?? 0, "minute")) without a key press."
  }

  /// Signs out, and asks for the password again.
  func lock() {
    session.input.isIdle = false
    let notice = notice
    do {
      try session.signOut()
      session.console.write("\n")
      session.console.note(notice)
      SignIn(session).askAgain()
    } catch {
      session.report(error)
      session.state.leaving = session.state.leaving ?? ExitStatus.failed
    }
  }

  /// Milliseconds until a screen locks; nil when it does not, because of the setting or because nobody is signed in.
  func untilLock(_ idle: IdleClock) -> Int? {
    guard session.auth.user != nil, session.console.terminal.hasKeyboard,
      let minutes = session.preferences?.session.idleMinutes
    else { return nil }
    return idle.remaining(minutes: minutes, now: session.environment.clocks.reading().boot).map { Int($0) }
  }

  /// Clears the terminal, since somebody else may be looking at it now, and asks for the password.
  func unlockCovered() -> Bool {
    session.console.write(Terminal.clearing)
    return unlock()
  }

  /// Covers a screen, releases its keys, and asks for the password.
  func unlock(_ screen: Screen, _ keys: KeyReader) throws -> Bool {
    keys.end()
    screen.cover()
    guard unlock() else { return false }
    try keys.begin()
    return true
  }

  /// Asks for the password before a screen continues. What is open stays open, and nothing runs until the right
  /// password is entered.
  /// - Returns: false when the user left instead; then nobody is signed in.
  func unlock() -> Bool {
    session.input.isIdle = false
    session.console.note(notice)
    switch SignIn(session).askForPassword() {
    case nil: return true
    case let status?:
      do {
        try session.signOut()
      } catch {
        session.report(error)
      }
      session.state.leaving = session.state.leaving ?? status
      return false
    }
  }
}
