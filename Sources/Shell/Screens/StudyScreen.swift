// A study session at the terminal: shows the prompt side, then the answer on Enter, then asks how well it was known;
// shows the clock of a sprint or the progress of reviews, and a result at the end. Invariant: only the card that is
// shown can be answered, and only after its answer was shown.

import Authentication
import Bindings
import Commands
import Decks
import Files
import Memory
import Problems
import Storage
import Text
import Values
import Workspace

struct StudyScore {
  var right = 0
  var wrong = 0
  /// The number of cards not studied.
  var remaining = 0

  static func + (one: StudyScore, other: StudyScore) -> StudyScore {
    StudyScore(
      right: one.right + other.right, wrong: one.wrong + other.wrong, remaining: one.remaining + other.remaining)
  }

  var result: CommandResult { CommandResult(.record(["right": right, "wrong": wrong, "remaining": remaining])) }
}

extension StudyScore {
  init(_ progress: any StudyProgress) {
    self.init(right: progress.right, wrong: progress.wrong, remaining: progress.remaining)
  }
}

final class StudyScreen {
  let session: Session
  let study: SessionHandle
  let name: String
  let goal: DeckGoals.Current?
  let keys: KeyReader
  let screen: Screen
  var view = StudyView()
  private var wasPausedBySuspend = false
  var hasLeft = false
  /// Whether sounds are not played by themselves any more.
  private var playsNothing = false
  /// The reasons why cards are asked as usual that were told.
  private var toldReasons: Set<String> = []
  /// Measures the time without a key press, starting before the first card is drawn.
  var idle: IdleClock
  /// Whether nobody is signed in any more, so that the session is inaccessible.
  private(set) var isLockedOut = false

  init(_ session: Session, _ study: SessionHandle, name: String) throws {
    (self.session, self.study, self.name) = (session, study, name)
    goal = try study.options.mode == .sprint ? nil : study.deck.goals.current()
    (idle, keys) = (IdleClock(now: session.environment.clocks.reading().boot), session.keyReader())
    screen = Screen(session.console.terminal) { [console = session.console] text in console.write(text) }
  }

  var terminal: Terminal { session.console.terminal }
  var redraws: Bool { terminal.canRedraw && terminal.hasKeyboard }
  var isSprint: Bool { study.options.mode == .sprint }

  /// - Returns: the score; nil once nobody is signed in.
  func run() throws -> StudyScore? {
    (keys.willSuspend, keys.didResume) = (pauseQuietly, resumeQuietly)
    defer { (keys.willSuspend, keys.didResume) = ({}, {}) }
    // Output that is not redrawn has no line of keys.
    if terminal.hasKeyboard, terminal.hasScreen, !redraws {
      session.console.show(.lines(["Enter shows the answer; ? shows the other keys."]))
    }
    if let goal, !redraws { session.console.show(.lines([GoalWords(terminal).line(goal)])) }
    try keys.whileReadingKeys { repeat { try runLoop() } while try wantsAgain() }
    if isLockedOut { return nil }
    return StudyScore(try study.progress())
  }

  private func runLoop() throws {
    try showPrompt()
    try draw()
    while try !study.progress().isOver {
      let event = try keys.next(timeout: timeUntilChange())
      if try locks(event) { continue }
      if isLockedOut { return }
      switch event {
      case .tick: if redraws, !terminal.reducesMotion { try draw() }
      case .resized, .key(.control("l")):
        view.picture = nil
        try draw(isCleared: true)
      case .resumed: if redraws { screen.redraw(try lines()) } else { try draw() }
      case .interrupted where !terminal.hasKeyboard:
        try leave()
        throw ShellError.interruptedAmidAnswers
      case .interrupted, .endOfInput: return try leave()
      case .key(let key) where view.isCovered: try handle(key)
      case .key(.escape): return try leave()
      case .key(.character("q")) where !view.isTyping, .line("q") where !view.isTyping,
        .line("quit") where !view.isTyping:
        return try leave()
      case .key(let key): try handle(key)
      case .line(let line): try handle(line)
      case .pasted(let text):
        guard view.isTyping, !view.isCovered, try study.progress().isActive else { continue }
        view.typed += text
        echo(printable(text, limit: .max))
        if redraws { try draw() }
      }
      if session.state.leaving != nil { return try leave() }
    }
    try finish()
  }

  /// Milliseconds until the screen changes without input: the clock advances, or the time of a sprint runs out.
  private func timeUntilChange() throws -> Int? {
    guard isSprint, terminal.hasKeyboard, try study.progress().isActive else { return untilLock }
    let untilChange = redraws && !terminal.reducesMotion ? 200 : Int((try study.timeRemaining() ?? 0) * 1000) + 10
    return min(untilChange, untilLock ?? untilChange)
  }

  /// Milliseconds until the screen locks; nil for never.
  var untilLock: Int? { IdleLock(session: session).untilLock(idle) }

  /// Locks the screen when no key was pressed for too long: the clock stops, and the card is covered meanwhile.
  /// - Returns: whether it was locked and unlocked again.
  func locks(_ event: KeyEvent) throws -> Bool {
    guard IdleLock(session: session).untilLock(idle) == 0 else {
      switch event {
      case .key, .line, .pasted: idle.touch(now: session.environment.clocks.reading().boot)
      default: break
      }
      return false
    }
    pauseQuietly()
    view.picture = nil
    isLockedOut = try !IdleLock(session: session).unlock(screen, keys)
    hasLeft = hasLeft || isLockedOut
    guard !isLockedOut else { return false }
    idle.touch(now: session.environment.clocks.reading().boot)
    resumeQuietly()
    if try study.progress().isOver { screen.redrawAll([]) } else { try draw(isCleared: true) }
    return true
  }

  func showPrompt() throws {
    let picture = view.picture
    view = StudyView()
    (view.picture, view.shownSince) = (picture, session.console.elapsed())
    view.notice = try unmadeNotice
    view.question = try study.question()
    if let reason = try study.reasonAsUsual(), toldReasons.insert(reason).inserted {
      view.notice = "This card is asked as usual: \(reason)."
    }
    try autoplay()
  }

  /// Without a keyboard, words do what keys do.
  private func handle(_ line: String) throws {
    if try !study.progress().isActive {
      try study.resume()
      return try draw()
    }
    if view.isTyping || !view.isAnswerShown && view.question?.options.isEmpty == false {
      view.typed = line
      try showAnswer()
      return try draw()
    }
    let word = line.trimmed.lowercased()
    if view.isAnswerShown, ["right", "wrong", "again", "hard", "good", "easy"].contains(word) {
      try answer(try Rating(named: word))
      return try draw()
    }
    guard ["pause", "undo", "suspend", "bury"].contains(word) else { return session.console.show([hint]) }
    try handle(.character(word[word.startIndex]))
  }

  private func handle(_ key: Key) throws {
    view.notice = ""
    if view.isCovered {
      let isScroll = [.up, .down, .pageUp, .pageDown, .home, .end].contains(key)
      if view.isHelpShown, isScroll, try scroll(key) { return try draw() }
      if view.asksFlag { try flag(key) }
      (view.isHelpShown, view.asksFlag, view.scroll) = (false, false, view.scrollBefore)
      return try draw()
    }
    let isPaused = try !study.progress().isActive
    if view.isTyping, !isPaused, try type(key) {
      // What is typed is redrawn, or was echoed.
      if redraws || view.isAnswerShown || key == .tab { try draw() }
      return
    }
    switch key {
    case .character("?"):
      if !redraws { return session.console.show(help) }
      (view.isHelpShown, view.scrollBefore, view.scroll) = (true, view.scroll, 0)
    case .character("p"): try isPaused ? study.resume() : study.pause()
    case _ where isPaused: try study.resume()
    case .enter, .character(" "):
      let proposed = view.proposed
      let means = proposed != nil || terminal.hasKeyboard && session.preferences?.study.spaceAnswers == true
      try view.isAnswerShown && means ? answer(proposed ?? .good) : showAnswer()
    case .character("h"): view.toggleHint()
    case .character(let digit) where !view.isAnswerShown && digit.isNumber && view.question?.options.isEmpty == false:
      view.typed = String(digit)
      try showAnswer()
    case .up, .down, .pageUp, .pageDown, .home, .end: _ = try scroll(key)
    case .character("u"), .backspace: try undo()
    case .character("e"): try edit()
    case .character("m") where canBeBared: (view.isBare, view.picture) = (!view.isBare, nil)
    case .character(let letter) where !isSprint && "sbfr".contains(letter): try act(letter)
    default: if view.isAnswerShown, let rating = rating(of: key) { try answer(rating) }
    }
    try draw()
  }

  /// Handles a key while an answer is being typed; Enter shows the answer beside it.
  private func type(_ key: Key) throws -> Bool {
    switch key {
    case .character(let letter):
      view.typed.append(letter)
      echo(printable(String(letter)))
      // In a pipe, a single letter on a line is the whole answer.
      if !terminal.hasKeyboard { try showAnswer() }
    case .backspace: if !view.typed.isEmpty { echo(erasing(String(view.typed.removeLast()))) }
    case .control("u"):
      echo(erasing(view.typed))
      view.typed = ""
    case .tab: view.toggleHint()
    case .control("r"): try replay()
    case .enter:
      echo("\n")
      try showAnswer()
    default: return false
    }
    return true
  }

  /// Writes what is typed, where the screen is not redrawn.
  func echo(_ text: String) { if !redraws, terminal.hasKeyboard { session.console.write(text) } }

  func rating(of key: Key) -> Rating? {
    switch (key, isSprint) {
    case (.character("r"), true), (.right, _): .good
    case (.character("w"), _), (.left, _), (.character("1"), _): .again
    case (.character("2"), true), (.character("3"), false): .good
    case (.character("2"), false): .hard
    case (.character("4"), false): .easy
    default: nil
    }
  }

  /// Handles the keys that only reviews have, besides those for answers.
  private func act(_ letter: Character) throws {
    switch letter {
    case "s": try hide("Suspended") { try study.suspend() }
    case "b": try hide("Buried until tomorrow") { try study.bury() }
    case "f":
      (view.asksFlag, view.scrollBefore) = (true, view.scroll)
      if !redraws { session.console.show(.lines([flagQuestion])) }
    default: try replay()
    }
  }

  /// Plays the sounds of the side that was just shown; a player that does not work is reported once.
  func autoplay() throws {
    let isExercise = view.question?.exercise != nil && !view.isAnswerShown
    guard terminal.hasKeyboard, !playsNothing, isExercise || session.preferences?.study.autoplay == true else { return }
    do { _ = try study.play(isAnswerShown: view.isAnswerShown, isAgain: false) } catch let problem as any Problem {
      (playsNothing, view.notice) = (true, problem.report.message)
    }
  }

  /// Plays again what is heard of the sides that are shown.
  func replay() throws {
    do {
      view.notice = try study.play(isAnswerShown: view.isAnswerShown, isAgain: true) ? "" : "This card has no sound."
    } catch let problem as any Problem { view.notice = problem.report.message }
    if !redraws, !view.notice.isEmpty { session.console.show(.lines([printable(view.notice, limit: 400)])) }
  }

  private func hide(_ word: String, _ body: () throws -> Void) throws {
    guard let prompt = try study.card()?.record().prompt else { return }
    try body()
    try showPrompt()
    view.notice = "\(word): \(LeechCommand.firstLine(prompt))"
    if !redraws { session.console.show([view.notice.asSentence]) }
  }

  /// Sets the flag that the digit names; any other key leaves the card as it is.
  private func flag(_ key: Key) throws {
    guard case .character(let digit) = key, let flag = digit.wholeNumberValue,
      CardHiding.flagNames.indices.contains(flag)
    else { return }
    try study.flag(flag)
    view.notice = flag == 0 ? "No flag." : "Flag \(flag), \(CardHiding.flagNames[flag])."
    if !redraws { session.console.show([view.notice]) }
  }

  /// How long the card has been shown; nil in a pipe, which does not show how long somebody thought.
  var secondsSoFar: Double? { terminal.hasKeyboard ? session.console.elapsed() - view.shownSince : nil }

  private func answer(_ rating: Rating) throws {
    do {
      let result = try study.answer(rating, seconds: secondsSoFar, mistyped: view.mistyped)
      let rings = result.isRight ? session.preferences?.sound.ringsWhenRight : session.preferences?.sound.ringsWhenWrong
      if rings == true { session.console.ring() }
      try showPrompt()
      if result.isLeech { try showLeech(result.card) }
    } catch DeckError.over {
      // The time ran out between checking the clock and the answer; the run loop ends the sprint.
    }
  }

  private func undo() throws {
    do {
      try study.undo()
      try showPrompt()
    } catch DeckError.nothingToUndo {
      // The key does nothing then.
    } catch let problem as UndoError {
      view.notice = problem.report.message
      if !redraws { session.console.show(.lines([printable(view.notice, limit: 400)])) }
    }
  }

  /// Opens the card's note in the user's editor; the clock of a sprint is paused meanwhile.
  func edit() throws {
    guard let card = try study.card() else { return }
    pauseQuietly()
    keys.end()
    screen.clear()
    do { _ = try NoteCommands.edit(card.note(), [], session) } catch let problem as any Problem where redraws {
      view.notice = problem.report.message
    } catch {
      session.report(error, origin: "edit")
    }
    try keys.begin()
    resumeQuietly()
    view.picture = nil
    // The edit's questions and answers may still be visible above.
    if redraws { screen.cover() }
    // The change may have removed the card.
    if try study.card() !== card { return try showPrompt() }
    view.drawn = nil
    if view.isAnswerShown, session.preferences?.study.showsFields == true { view.fields = try card.unnamedFields() }
  }

  /// Pauses the clock; Ctrl-Z does this until the program resumes.
  private func pauseQuietly() {
    do {
      wasPausedBySuspend = try study.progress().isActive
      if wasPausedBySuspend { try study.pause() }
    } catch {
      session.report(error)
    }
  }

  private func resumeQuietly() {
    do { if wasPausedBySuspend { try study.resume() } } catch { session.report(error) }
  }
}

/// Takes back a text that was echoed.
private func erasing(_ text: String) -> String {
  String(repeating: "\u{8} \u{8}", count: printable(text, limit: .max).displayWidth)
}
