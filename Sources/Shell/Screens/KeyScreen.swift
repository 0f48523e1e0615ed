// A screen that single keys work on until one of them ends it: a picker, an editor. Invariant: Escape, Ctrl-C, Ctrl-D,
// a signal and the idle lock leave it without an answer; the terminal is as it was afterwards.

/// What a key has done to a screen.
enum KeyOutcome<Answer> {
  case goesOn
  case ends(Answer?)
}

struct KeyScreen {
  let session: Session

  init(_ session: Session) { self.session = session }

  /// Shows the lines again after each key.
  /// - Parameter take: is given each key, and each line where there is no keyboard.
  /// - Returns: what ended it; nil when the user left.
  func run<Answer>(
    showing lines: () -> [String], _ take: (KeyEvent) throws -> KeyOutcome<Answer>
  ) throws -> Answer? {
    let keys = KeyReader(lines: session.input.plainReader)
    keys.requests = session.requests
    let screen = Screen(session.console.terminal) { [console = session.console] text in console.write(text) }
    let tick = IdleLock(session).tick()
    defer { screen.clear() }
    return try keys.whileReadingKeys {
      while true {
        screen.show(lines())
        let event = try keys.next(timeout: 1000)
        switch event {
        case .tick, .requested: if tick() { return nil }
        case .resized: screen.redrawAll(lines())
        case .resumed: screen.redraw(lines())
        case .interrupted, .endOfInput, .key(.escape): return nil
        case .terminated(let signal):
          session.leave(by: signal)
          return nil
        case .key, .line: if case .ends(let answer) = try take(event) { return answer }
        }
      }
    }
  }
}
