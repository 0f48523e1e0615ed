// A study session at the terminal: the prompt side, Enter shows the answer, then how well it was known; the clock of a
// race, the progress of reviews, and a result at the end. Invariant: only the card that is shown can be answered, and
// only after its answer was shown.

import Authentication
import Bindings
import CardDocuments
import Commands
import Decks
import Files
import Text
import Values
import Workspace

final class StudyScreen {
  private let session: Session
  private let study: SessionHandle
  private let name: String
  private let keys: KeyReader
  private let screen: Screen
  private var view = CardView()
  private var wasPausedBySuspend = false
  private var hasLeft = false
  /// The picture of the card that is shown: drawn once, though the clock redraws the screen.
  private var drawn: (card: CardHandle, lines: [String])?
  /// How long no key was pressed.
  private lazy var idle = IdleClock(now: session.environment.clocks.reading().boot)
  /// Nobody is signed in any more: the session cannot be asked.
  private var isLockedOut = false

  init(_ session: Session, _ study: SessionHandle, name: String) {
    self.session = session
    self.study = study
    self.name = name
    keys = KeyReader(lines: session.input.plainReader)
    screen = Screen(session.console.terminal) { [console = session.console] text in console.write(text) }
  }

  private var terminal: Terminal { session.console.terminal }
  private var redraws: Bool { terminal.canRedraw && terminal.hasKeyboard }
  private func grouped(_ number: Int) -> String { terminal.grouped(number) }
  private func counted(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
    terminal.counted(number, singular, plural)
  }
  private var isSprint: Bool { study.options.mode == .sprint }

  func run() throws -> CommandResult {
    keys.willSuspend = { [self] in pauseQuietly() }
    keys.didResume = { [self] in resumeQuietly() }
    defer { (keys.willSuspend, keys.didResume) = ({}, {}) }
    try keys.whileReadingKeys {
      repeat { try runLoop() } while try wantsAgain()
    }
    if isLockedOut { return CommandResult() }
    return CommandResult(
      .record([
        ("right", .integer(try study.right())), ("wrong", .integer(try study.wrong())),
        ("remaining", .integer(try study.remaining())),
      ]))
  }

  // MARK: The run loop

  private func runLoop() throws {
    showPrompt()
    try draw()
    while try !study.isOver() {
      let event = try keys.next(timeout: timeUntilChange())
      if try locks(event) { continue }
      if isLockedOut { return }
      switch event {
      case .tick: if redraws, !terminal.reducesMotion { try draw() }
      case .resized: screen.redrawAll(try lines())
      case .resumed: screen.redraw(try lines())
      case .interrupted, .endOfInput, .key(.character("q")), .line("q"), .line("quit"), .key(.escape):
        return try leave()
      case .terminated(let signal):
        session.leave(by: signal)
        return try leave()
      case .key(let key): try take(key)
      case .line(let line): try take(line)
      }
    }
    try finish()
  }

  /// Milliseconds until something happens by itself: the clock moves, or the time of a race is out.
  private func timeUntilChange() throws -> Int? {
    let untilLock = IdleLock(session).untilLock(idle)
    guard isSprint, terminal.hasKeyboard, try study.isActive() else { return untilLock }
    let untilChange = redraws && !terminal.reducesMotion ? 200 : Int((try study.timeRemaining() ?? 0) * 1000) + 10
    return min(untilChange, untilLock ?? untilChange)
  }

  // MARK: The idle lock

  /// Locks when no key was pressed for too long: the clock stands, the card is covered, and all goes on after the
  /// password.
  /// - Returns: whether it was locked and goes on.
  private func locks(_ event: KeyEvent) throws -> Bool {
    guard IdleLock(session).untilLock(idle) == 0 else {
      switch event {
      case .key, .line: idle.touch(now: session.environment.clocks.reading().boot)
      default: break
      }
      return false
    }
    pauseQuietly()
    keys.end()
    drawn = nil
    screen.cover()
    isLockedOut = !IdleLock(session).unlock()
    hasLeft = hasLeft || isLockedOut
    guard !isLockedOut else { return false }
    idle.touch(now: session.environment.clocks.reading().boot)
    try keys.begin()
    resumeQuietly()
    screen.redrawAll(try study.isOver() ? [] : lines())
    return true
  }

  private func showPrompt() {
    view.isAnswerShown = false
    view.scroll = 0
    view.shownSince = session.console.elapsed()
  }

  /// Where there is no terminal, words do what keys do.
  private func take(_ line: String) throws {
    let word = line.trimmed.lowercased()
    if view.isAnswerShown, ["right", "wrong", "again", "hard", "good", "easy"].contains(word) {
      try answer(try Rating(named: word))
      return try draw()
    }
    switch word {
    case "pause": try take(.character("p"))
    case "undo": try take(.character("u"))
    default: session.console.show([hint])
    }
  }

  private func take(_ key: Key) throws {
    let isPaused = try !study.isActive()
    // It is a part of the screen, which goes with the next key.
    view.isHelpShown = key == .character("?") && !view.isHelpShown
    switch key {
    case .character("?"): if !redraws { return session.console.show(help) }
    case .character("p"): try isPaused ? study.resume() : study.pause()
    case _ where isPaused: try study.resume()
    case .enter, .character(" "): try showAnswer()
    case .up, .down, .pageUp, .pageDown, .home, .end: try scroll(key)
    case .character("u"), .backspace: try undo()
    case .character("e"): try edit()
    default: if view.isAnswerShown, let rating = rating(of: key) { try answer(rating) }
    }
    try draw()
  }

  private func rating(of key: Key) -> Rating? {
    switch (key, isSprint) {
    case (.character("r"), _), (.right, _): .good
    case (.character("w"), _), (.left, _), (.character("1"), _): .again
    case (.character("2"), true): .good
    case (.character("2"), false): .hard
    case (.character("3"), false): .good
    case (.character("4"), false): .easy
    default: nil
    }
  }

  private func answer(_ rating: Rating) throws {
    do {
      let result = try study.answer(rating, seconds: min(600, session.console.elapsed() - view.shownSince))
      let rings = result.isRight ? session.preferences?.ringsWhenRight : session.preferences?.ringsWhenWrong
      if rings == true { session.console.ring() }
      showPrompt()
    } catch DeckError.over {
      // The time ran out between the look at the clock and the answer; the loop ends the race.
      return
    }
  }

  private func undo() throws {
    do {
      try study.undo()
      showPrompt()
    } catch DeckError.nothingToUndo {
      return
    }
  }

  /// Opens the card in the user's editor; a race's clock stands meanwhile.
  private func edit() throws {
    guard let card = try study.card() else { return }
    pauseQuietly()
    keys.end()
    do {
      try session.editInEditor(card)
    } catch {
      session.report(error, origin: "edit")
    }
    try keys.begin()
    resumeQuietly()
    screen.keep()
  }

  /// Ctrl-Z stops the clock; it goes on with the program.
  private func pauseQuietly() {
    do {
      wasPausedBySuspend = try study.isActive()
      if wasPausedBySuspend { try study.pause() }
    } catch {
      session.report(error)
    }
  }

  private func resumeQuietly() {
    do {
      if wasPausedBySuspend { try study.resume() }
    } catch {
      session.report(error)
    }
  }

  // MARK: The end

  private func leave() throws {
    if isSprint, try study.isActive() { try study.pause() }
    screen.clear()
    session.console.show([try result(start: "Left.")])
    hasLeft = true
  }

  private func finish() throws {
    screen.clear()
    let start = try study.remaining() == 0 ? "Done." : "Time."
    if start == "Time.", session.preferences?.ringsAtTime == true { session.console.ring() }
    session.console.show([try result(start: start)])
    try study.finishIfOver()
  }

  private func result(start: String) throws -> String {
    let left = try study.remaining()
    let tail = left == 0 ? "" : " \(counted(left, "card was", "cards were")) left."
    let counts = "\(start) \(grouped(try study.right())) right, \(grouped(try study.wrong())) wrong"
    guard let time = try study.timeRemaining() else { return counts + "." + tail }
    let used = study.options.seconds - time
    return "\(counts) in \(counted(Int(used.rounded()), "second")).\(tail)"
  }

  /// A race can be run again.
  private func wantsAgain() throws -> Bool {
    guard isSprint, !hasLeft, terminal.hasKeyboard, terminal.hasScreen, session.state.leaving == nil else {
      return false
    }
    let question = "   Enter  again    q  done"
    session.console.show([question])
    while true {
      let event = try keys.next(timeout: IdleLock(session).untilLock(idle))
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

  // MARK: Drawing

  private func draw() throws {
    guard try study.card() != nil else { return }
    if redraws { screen.show(try lines()) } else { session.console.show([try plainLine()]) }
  }

  private func lines() throws -> [String] { try layout()?.lines() ?? [] }

  private func layout() throws -> StudyLayout? {
    guard let card = try study.card() else { return nil }
    let record = try card.record()
    let isPaused = try !study.isActive()
    let isAnswered = view.isAnswerShown && !isPaused
    return StudyLayout(
      terminal: terminal, name: name, facts: try isSprint ? sprintFacts() : reviewFacts(),
      prompt: isPaused ? "(paused)" : record.prompt, answer: isAnswered ? record.answer : nil,
      picture: isAnswered ? try picture(of: card) : [], choices: try shownChoices(isPaused), scroll: view.scroll)
  }

  private func shownChoices(_ isPaused: Bool) throws -> String {
    if view.isHelpShown { return help.joined(separator: "   ") }
    return isPaused ? "any key  go on" : try choices()
  }

  /// Moves the texts by some lines, or by pages.
  private func scroll(_ key: Key) throws {
    guard let layout = try layout() else { return }
    switch key {
    case .up: view.scroll -= 1
    case .down: view.scroll += 1
    case .pageUp: view.scroll -= layout.page
    case .pageDown: view.scroll += layout.page
    case .home: view.scroll = 0
    default: view.scroll = layout.deepest
    }
    view.scroll = min(max(0, view.scroll), layout.deepest)
  }

  private func showAnswer() throws {
    if view.isAnswerShown { return }
    view.isAnswerShown = true
    view.scroll = redraws ? try layout()?.answerStart ?? 0 : 0
  }

  /// What else can be pressed, besides what the screen shows anyway.
  private var help: [String] { [hint, view.isAnswerShown ? "e edit the card   p pause" : "e edit the card"] }

  /// The document that the card shows, as `doc show` draws it; in words where the terminal shows no pictures.
  private func picture(of card: CardHandle) throws -> [String] {
    guard let document = try card.document()?.document() else { return [] }
    if let drawn, drawn.card === card { return drawn.lines }
    var lines = try DocumentPicture(session, besides: 11).lines(of: document)
    if lines.isEmpty { lines = wrapped(document.content.summary, width: 70).map { "        " + $0 } }
    drawn = (card, [""] + lines)
    return [""] + lines
  }

  /// What can be pressed now, in a review with when the card would come back.
  private func choices() throws -> String {
    guard view.isAnswerShown, !isSprint else { return hint }
    let ratings = try study.choices().map { choice in
      "\(choice.rating.rawValue) \(choice.rating.name)" + (showsIntervals ? " " + span(choice.interval) : "")
    }
    return ratings.joined(separator: "    ") + "        u undo   e edit   ? more"
  }

  private var showsIntervals: Bool { session.preferences?.showsIntervals ?? true }

  private var hint: String {
    if !view.isAnswerShown { return "Enter  show the answer    u undo   p pause   q quit" }
    return isSprint
      ? "w wrong    r right    u undo   p pause   q quit" : "again, hard, good or easy?    u undo   q quit"
  }

  /// A length of time as a button shows it: `10 min`, `5 d`, `1.2 y`.
  private func span(_ seconds: Double) -> String {
    switch seconds {
    case ..<3600: "\(max(1, Int((seconds / 60).rounded()))) min"
    case ..<86_400: "\(Int((seconds / 3600).rounded())) h"
    case ..<(365 * 86_400): "\(Int((seconds / 86_400).rounded())) d"
    default: "\((seconds / 31_557_600 * 10).rounded() / 10) y"
    }
  }

  private func sprintFacts() throws -> [String] {
    let seconds = Int((try study.timeRemaining() ?? 0).rounded(.up))
    let clock = "\(seconds / 60):" + (seconds % 60 < 10 ? "0" : "") + String(seconds % 60)
    let (right, wrong) = terminal.usesUnicode ? ("✓", "✗") : ("right", "wrong")
    let words = terminal.differentiatesWithoutColor && terminal.usesUnicode ? (" right", " wrong") : ("", "")
    let score =
      "\(right) \(grouped(try study.right()))\(words.0)  \(wrong) \(grouped(try study.wrong()))\(words.1)"
    return ["\(counted(try study.remaining(), "card")) · \(score) · \(clock)", "\(score) · \(clock)", clock]
  }

  private func reviewFacts() throws -> [String] {
    let counts = try study.counts()
    let answered = try study.right() + study.wrong()
    let part = Double(answered) / Double(max(1, answered + (try study.remaining())))
    let width = 14
    let filled = Int((part * Double(width)).rounded(.down))
    let (full, empty) = terminal.usesUnicode ? ("▓", "░") : ("#", ".")
    let bar = String(repeating: full, count: filled) + String(repeating: empty, count: width - filled)
    let waiting = "\(grouped(counts.due)) due · \(grouped(counts.new)) new"
    let percent = "\(Int(part * 100)) %"
    return ["\(waiting) · \(bar) \(percent)", "\(waiting) · \(percent)", waiting, percent]
  }

  /// Without a terminal: the prompt, then the answer and the question, one line each.
  private func plainLine() throws -> String {
    guard let record = try study.card()?.record() else { return "" }
    let question = isSprint ? "Right or wrong?" : "Again, hard, good, or easy?"
    if view.isAnswerShown { return "\(shown(record.answer)). \(question)" }
    guard terminal.usesScreenReader else { return "\(shown(record.prompt))." }
    let answered = try study.right() + (isSprint ? 0 : study.wrong())
    return "Card \(grouped(answered + 1)) of \(grouped(answered + (try study.remaining()))). \(shown(record.prompt))."
  }

  private func shown(_ text: String) -> String {
    printable(text.split(separator: "\n").joined(separator: " / "), limit: .max)
  }
}
