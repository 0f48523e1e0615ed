// A sprint at the terminal: the prompt side, Enter shows the answer, right or wrong, the clock, and a result at the end.
// Invariant: only the top card can be answered, and only after its answer was shown.

import Bindings
import Commands
import Decks
import Wording
import Workspace

extension Shell {
  func studyCommand() -> Command {
    Command(
      "study", theme: "Studying", summary: "Studies a deck.",
      details: """
        A sprint is a race against the clock: Enter shows the answer, then r or w says whether you were right. A wrong card \
        comes back under the others. It changes no schedule.
        """,
      arguments: [Argument("DECK", .deck, isOptional: true, help: "the deck; may be left out when there is only one")],
      options: [
        Option("--sprint", help: "a race against the clock"),
        Option("--seconds", "N", .integer(1...86_400), help: "how long a sprint lasts: 100 when left out"),
        Option("--limit", "N", .positive, help: "at most so many cards"),
        Option("--query", "QUERY", .query, help: "only the cards that it finds"),
      ], example: "study Spanish --sprint --seconds 60"
    ) { [unowned self] invocation in
      let deck = try deckToStudy(invocation.optionalText("DECK"))
      let session = try deck.sprint(
        seconds: Double(invocation.optionalInteger("--seconds") ?? 100), limit: invocation.optionalInteger("--limit"),
        query: invocation.optionalText("--query"))
      guard try session.card() != nil else {
        throw Common.problem("empty", "Nothing to study", "\(quoted(try deck.record().name)) has no cards to study")
      }
      let screen = SprintScreen(self, session, name: try deck.record().name)
      return try screen.run()
    }
  }

  /// The deck of that name, or the only one there is.
  private func deckToStudy(_ name: String?) throws -> DeckHandle {
    if let name { return try workspace().openDeck(name) }
    let decks = try workspace().decks()
    if decks.count == 1 { return decks[0] }
    throw Common.problem(
      "missing_argument", "Which deck?",
      decks.isEmpty ? "there is no deck yet; `deck create NAME` makes one" : "say which deck: `study DECK`")
  }
}

private final class SprintScreen {
  private let shell: Shell
  private let session: SprintHandle
  private let name: String
  private let keys: KeyReader
  private let screen: Screen
  private var isAnswerShown = false
  private var wasPausedBySuspend = false

  init(_ shell: Shell, _ session: SprintHandle, name: String) {
    self.shell = shell
    self.session = session
    self.name = name
    keys = KeyReader(lines: shell.plainReader)
    screen = Screen(shell.console.terminal) { [console = shell.console] text in console.write(text) }
  }

  private var terminal: Terminal { shell.console.terminal }
  private var redraws: Bool { terminal.canRedraw && terminal.hasKeyboard }

  func run() throws -> CommandResult {
    keys.willSuspend = { [unowned self] in pauseQuietly() }
    keys.didResume = { [unowned self] in resumeQuietly() }
    try keys.whileReadingKeys {
      repeat { try race() } while try wantsAgain()
    }
    return CommandResult(
      .record([
        ("right", .integer(try session.right())), ("wrong", .integer(try session.wrong())),
        ("remaining", .integer(try session.remaining())), ("seconds", .number(session.seconds)),
      ]))
  }

  // MARK: One race

  private func race() throws {
    isAnswerShown = false
    draw()
    while try !session.isOver() {
      switch try keys.next(timeout: redraws ? 200 : nil) {
      case .tick: drawAgain()
      case .resized: redrawAll()
      case .resumed: redraw()
      case .interrupted, .endOfInput, .key(.character("q")), .line("q"), .line("quit"), .key(.escape):
        return try leave()
      case .terminated(let signal):
        shell.leaving = 128 + signal
        return try leave()
      case .key(let key): try take(key)
      case .line(let line): try take(line)
      }
    }
    try finish()
  }

  private func take(_ line: String) throws {
    switch line.trimmed.lowercased() {
    case "right", "yes": try take(.character("r"))
    case "wrong", "no": try take(.character("w"))
    case "pause": try take(.character("p"))
    case "undo": try take(.character("u"))
    default: shell.console.show([hint])
    }
  }

  private func take(_ key: Key) throws {
    let isPaused = try !session.isActive()
    switch key {
    case .character("p"): try isPaused ? session.resume() : session.pause()
    case _ where isPaused: try session.resume()
    case .enter, .character(" "):
      guard !isAnswerShown else { break }
      isAnswerShown = true
    case .character("r"), .character("2"), .right: try answer(true)
    case .character("w"), .character("1"), .left: try answer(false)
    case .character("u"), .backspace: try undo()
    default: break
    }
    draw()
  }

  private func answer(_ isRight: Bool) throws {
    guard isAnswerShown else { return }
    let card = try session.card()
    do {
      let result = try session.answer(isRight: isRight)
      isAnswerShown = false
      if let card { try shell.events.emit(.cardAnswered, [card, result.isRight ? "right" : "wrong"]) }
    } catch DeckError.over {
      // The time ran out between the look at the clock and the answer; the loop ends the race.
      return
    }
  }

  private func undo() throws {
    do {
      try session.undo()
      isAnswerShown = false
    } catch DeckError.nothingToUndo {
      return
    }
  }

  /// Ctrl-Z stops the clock; it goes on with the program.
  private func pauseQuietly() {
    do {
      wasPausedBySuspend = try session.isActive()
      if wasPausedBySuspend { try session.pause() }
    } catch {
      shell.report(error)
    }
  }

  private func resumeQuietly() {
    do {
      if wasPausedBySuspend { try session.resume() }
    } catch {
      shell.report(error)
    }
  }

  // MARK: The end

  private func leave() throws {
    if try session.isActive() { try session.pause() }
    screen.clear()
    shell.console.show([try result(start: "Left.")])
    hasLeft = true
  }

  private var hasLeft = false

  private func finish() throws {
    screen.clear()
    let start = try session.remaining() == 0 ? "Done." : "Time."
    shell.console.show([try result(start: start)])
    try shell.events.emit(.sessionFinished, [try session.right(), try session.wrong()])
  }

  private func result(start: String) throws -> String {
    let used = session.seconds - (try session.timeRemaining())
    let left = try session.remaining()
    let tail = left == 0 ? "" : " \(counted(left, "card was", "cards were")) left."
    return "\(start) \(grouped(try session.right())) right, \(grouped(try session.wrong())) wrong in "
      + "\(counted(Int(used.rounded()), "second")).\(tail)"
  }

  private func wantsAgain() throws -> Bool {
    guard !hasLeft, terminal.hasKeyboard, terminal.hasScreen, shell.leaving == nil else { return false }
    shell.console.show(["   Enter  again    q  done"])
    while true {
      switch try keys.next() {
      case .key(.enter):
        try session.restart()
        return true
      case .terminated(let signal):
        shell.leaving = 128 + signal
        return false
      case .key(.character("q")), .key(.escape), .interrupted, .endOfInput: return false
      default: continue
      }
    }
  }

  // MARK: Drawing

  private func draw() {
    do {
      guard try session.card() != nil else { return }
      if redraws { return screen.show(try lines()) }
      shell.console.show([try plainLine()])
    } catch {
      shell.report(error)
    }
  }

  /// The clock goes on; where nothing can be drawn again it stays silent.
  private func drawAgain() { if redraws { draw() } }

  private func redraw() {
    do {
      screen.redraw(try lines())
    } catch {
      shell.report(error)
    }
  }

  private func redrawAll() {
    do {
      screen.redrawAll(try lines())
    } catch {
      shell.report(error)
    }
  }

  private func lines() throws -> [String] {
    guard let record = try session.card()?.record() else { return [] }
    let isPaused = try !session.isActive()
    let prompt = isPaused ? "(paused)" : shown(record.prompt)
    var lines = [try header(), "", "        " + terminal.styled(prompt, .bold)]
    if isAnswerShown && !isPaused {
      let rule = String(repeating: terminal.usesUnicode ? "─" : "-", count: max(3, min(40, prompt.displayWidth)))
      lines += ["        " + rule, "        " + shown(record.answer)]
    } else {
      lines += ["", ""]
    }
    return lines + ["", "   " + terminal.styled(hint, .dim)]
  }

  private var hint: String {
    do {
      if try !session.isActive() { return "any key  go on" }
    } catch {
      return ""
    }
    return isAnswerShown
      ? "w wrong    r right    u undo   p pause   q quit" : "Enter  show the answer    u undo   p pause   q quit"
  }

  private func header() throws -> String {
    let seconds = Int(try session.timeRemaining().rounded(.up))
    let clock = "\(seconds / 60):" + (seconds % 60 < 10 ? "0" : "") + String(seconds % 60)
    let (right, wrong) = terminal.usesUnicode ? ("✓", "✗") : ("right", "wrong")
    let score = "\(right) \(grouped(try session.right()))  \(wrong) \(grouped(try session.wrong()))"
    let facts = "\(counted(try session.remaining(), "card")) · \(score) · \(clock)"
    let room = min(terminal.width, 78) - facts.displayWidth
    return terminal.styled(printable(name).cut(to: max(4, room - 2)).filled(to: max(4, room)), .bold) + facts
  }

  /// Without a terminal: the prompt, then the answer and the question, one line each.
  private func plainLine() throws -> String {
    guard let record = try session.card()?.record() else { return "" }
    return isAnswerShown ? "\(shown(record.answer)). Right or wrong?" : "\(shown(record.prompt))."
  }

  private func shown(_ text: String) -> String {
    printable(text.split(separator: "\n").joined(separator: " / "), limit: 500)
  }
}
