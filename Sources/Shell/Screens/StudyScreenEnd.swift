// How a session at the terminal ends: its result, when more cards come, and the choice of another sprint.

import Commands
import Decks
import Text
import Workspace

extension StudyScreen {
  func leave() throws {
    if isSprint, try study.isActive() { try study.pause() }
    screen.clear()
    if view.question != nil, !view.typed.isEmpty { echo("\n") }
    session.console.show(.lines([try result(start: "Stopped.")]))
    hasLeft = true
  }

  func finish() throws {
    screen.clear()
    let isDone = try study.remaining() == 0
    if !isDone, session.preferences?.sound.ringsAtTime == true { session.console.ring() }
    session.console.show(.lines([try result(start: isDone ? "Done." : "Time.")]))
    try study.finishIfOver()
  }

  private func result(start: String) throws -> String {
    let left = try study.remaining()
    let tail = left == 0 ? try next() : " \(terminal.counted(left, "card was", "cards were")) left."
    let counts =
      "\(start) \(terminal.grouped(try study.right())) right, \(terminal.grouped(try study.wrong())) wrong"
    guard let time = try study.timeRemaining() else { return counts + "." + tail }
    let used = study.options.seconds - time
    return "\(counts) in \(terminal.counted(Int(used.rounded()), "second")).\(tail)"
  }

  /// When the next card in learning comes.
  private func next() throws -> String {
    guard let due = try study.nextDue() else { return "" }
    return " The next card comes \(session.until(due))."
  }

  /// Asks whether to run a sprint again.
  func wantsAgain() throws -> Bool {
    guard isSprint, !hasLeft, terminal.hasKeyboard, terminal.hasScreen, session.state.leaving == nil else {
      return false
    }
    let question = "   Enter  again    q  done"
    session.console.show([question])
    while true {
      let event = try keys.next(timeout: untilLock)
      if try locks(event) {
        session.console.show([question])
        continue
      }
      if isLockedOut { return false }
      switch event {
      case .key(.enter):
        try study.restart()
        return true
      case .terminated(let signal):
        session.leave(by: signal)
        return false
      case .key(.character("q")), .key(.escape), .interrupted, .endOfInput: return false
      default: continue
      }
    }
  }
}
