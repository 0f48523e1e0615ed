// How a session at the terminal ends, and the page about a card that has become a leech. Invariant: the page is shown
// before the next card, even after the last one.

import Commands
import Decks
import Memory
import Text
import Workspace

extension StudyScreen {
  func leave() throws {
    if isSprint, try study.progress().isActive { try study.pause() }
    screen.clear()
    if view.isTyping, !view.typed.isEmpty { echo("\n") }
    session.console.show(.lines([try result(start: "Stopped.")]))
    hasLeft = true
  }

  func finish() throws {
    screen.clear()
    let isDone = try study.progress().remaining == 0
    if !isDone, session.preferences?.sound.ringsAtTime == true { session.console.ring() }
    session.console.show(.lines([try result(start: isDone ? "Done." : "Time.")]))
    try study.finishIfOver()
  }

  private func result(start: String) throws -> String {
    let progress = try study.progress()
    let left = progress.remaining
    let usual = try study.askedAsUsual()
    // When nothing is left now, a card in learning may come later.
    let next = try left == 0 ? study.nextDue().map { " The next card comes \(session.until($0))." } : nil
    let tail =
      (left == 0 ? next ?? "" : " \(terminal.counted(left, "card was", "cards were")) left.")
      + (usual.isEmpty ? "" : " \(usual).")
    let counts = "\(start) \(terminal.grouped(progress.right)) right, \(terminal.grouped(progress.wrong)) wrong"
    guard let time = try study.timeRemaining() else { return counts + "." + tail }
    let used = study.options.seconds - time
    return "\(counts) in \(terminal.counted(Int(used.rounded()), "second")).\(tail)"
  }

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
      case .key(.character("q")), .key(.escape), .interrupted, .endOfInput: return false
      default: continue
      }
    }
  }

  func showLeech(_ card: CardHandle) throws {
    let page = LeechPage(terminal: terminal, lines: try LeechPage.lines(card, terminal, session))
    guard redraws else { return session.console.show(.lines(page.lines)) }
    while true {
      screen.show(page.drawn)
      let event = try keys.next(timeout: untilLock)
      if try locks(event) { continue }
      if isLockedOut { return }
      switch event {
      case .tick, .pasted: continue
      case .resized, .key(.control("l")): screen.redrawAll(page.drawn)
      case .resumed: screen.redraw(page.drawn)
      default: return
      }
    }
  }
}

private struct LeechPage {
  private static let mostAnswers = 12
  let terminal: Terminal
  let lines: [String]

  /// The lines as drawn in place of the card.
  var drawn: [String] {
    let room = max(1, terminal.height - 3)
    let width = ScreenParts.width(on: terminal) - 4
    let all = lines.flatMap { $0.lines(within: width, indent: "  ", breaksWords: false) }
    return all.prefix(room).map { $0.isEmpty ? "" : "   " + $0 } + [
      "", "   " + terminal.styled("any key  continue", .dim),
    ]
  }

  static func lines(_ card: CardHandle, _ terminal: Terminal, _ session: Session) throws -> [String] {
    let record = try card.record()
    let prompt = LeechCommand.firstLine(record.prompt)
    let (times, mark) = (terminal.counted(record.lapses, "time"), record.isSuspended ? " and suspended" : "")
    var lines = ["\(quoted(prompt)) is a leech: forgotten \(times), now tagged leech\(mark).", ""]
    let help = try session.workspace().leeches.help(with: card)
    let aids = help.map { LeechCommand.aids($0) } ?? []
    let answers = try card.answers().filter { $0.rating > 0 }
    let shown = answers.suffix(min(mostAnswers, max(3, terminal.height - 9 - aids.count)))
    let earlier = answers.count - shown.count
    if earlier > 0 { lines.append(terminal.counted(earlier, "earlier answer")) }
    let names = shown.map { Rating(rawValue: Int64($0.rating))?.name ?? "" }
    let width = names.map(\.count).max() ?? 0
    for (answer, name) in zip(shown, names) {
      lines.append("\(session.date(answer.at))  \(name.filled(to: width))  back in \(span(answer.interval))")
    }
    let name = printable(ShellWords.quote(try card.place()))
    let rest = record.isSuspended ? "and resume it (`card resume \(name)`)" : "or suspend it (`card suspend \(name)`)"
    if let test = help?.test, test.answers > 0 {
      lines.append("The memory model expected \(rounded(test.expected, 2)) lapses.")
    }
    return lines + ["", "Rewrite it (`card edit \(name)`), \(rest)."] + aids
  }
}
