// A screen controlled by single keys until one of them ends it: a picker, an editor. Invariant: Ctrl-C, Ctrl-D, signals
// and, unless the screen takes it, Escape leave it without a result; the idle lock covers it until the password is
// entered; afterwards the terminal is as it was before.

import Authentication
import Files

/// The effect of a key on a screen.
enum KeyOutcome<Answer> {
  case continues
  case ends(Answer?)
}

struct KeyScreen {
  let session: Session

  init(_ session: Session) { self.session = session }

  /// Runs the screen, showing the lines again after each key.
  /// - Parameters:
  ///   - takesEscape: whether `handle` receives Escape now, instead of it leaving the screen.
  ///   - handle: receives each key and each paste, and each line when there is no keyboard.
  /// - Returns: the result; nil when the user left.
  func run<Answer>(
    showing lines: () -> [String], takesEscape: () -> Bool = { false },
    _ handle: (KeyEvent) throws -> KeyOutcome<Answer>
  ) throws -> Answer? {
    let keys = session.keyReader()
    let screen = Screen(session.console.terminal) { [console = session.console] text in console.write(text) }
    let (lock, clocks) = (IdleLock(session), session.environment.clocks)
    var idle = IdleClock(now: clocks.reading().boot)
    defer { screen.clear() }
    return try keys.whileReadingKeys {
      while true {
        screen.show(lines())
        // With the idle lock on, wakes at least once a second: a timeout does not advance while the machine sleeps,
        // but the idle clock does.
        let event = try keys.next(timeout: lock.untilLock(idle).map { min($0, 1000) })
        if lock.untilLock(idle) == 0 {
          guard try lock.unlock(screen, keys) else { return nil }
          screen.redrawAll(lines())
          idle.touch(now: clocks.reading().boot)
          continue
        }
        switch event {
        case .key, .line, .pasted: idle.touch(now: clocks.reading().boot)
        default: break
        }
        switch event {
        case .tick: continue
        case .resized, .key(.control("l")): screen.redrawAll(lines())
        case .resumed: screen.redraw(lines())
        case .interrupted, .endOfInput: return nil
        case .key(.escape) where !takesEscape(): return nil
        case .terminated(let signal):
          session.leave(by: signal)
          return nil
        case .key, .line, .pasted: if case .ends(let answer) = try handle(event) { return answer }
        }
      }
    }
  }
}

extension Session {
  /// A reader of the keys for a screen.
  func keyReader() -> KeyReader {
    KeyReader(lines: input.plainReader, marksPastes: !console.terminal.isDumb)
  }
}
