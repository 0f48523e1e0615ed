// Lets another program control a study session, like a remote control. Invariant: requests do what keys do, and are
// refused when the key would do nothing; what the user is typing or viewing is left only for the requested action; no
// request puts off the idle lock, which counts keys alone.

import Authentication
import Commands
import Decks
import Files
import Memory
import Text
import Wire
import Workspace

/// The requests of `serve` to a study at the terminal.
struct StudyRequests {
  private let screen: StudyScreen

  init(_ screen: StudyScreen) { self.screen = screen }

  private var session: Session { screen.session }
  private var study: SessionHandle { screen.study }

  /// Answers the waiting request.
  /// - Returns: whether the study was left for it.
  func handle() throws -> Bool {
    guard let request = session.requests.request else { return false }
    switch request.kind {
    case .study:
      session.requests.answer(.studied(try state()))
      return false
    case .review: return try leave(for: request.text)
    case .list: try showCount(request)
    case .showCard, .showNote: session.requests.answer(.done(false))
    case .editNote:
      let isThis = try study.card()?.note().id.rawValue == Int64(request.number)
      session.requests.answer(.done(isThis))
      if isThis { try screen.edit() }
    case .answer: try answer(request)
    default: session.requests.answer(.done(try lead(request)))
    }
    try screen.draw()
    return false
  }

  /// Handles a request that arrives while the page of a leech is shown.
  /// - Returns: whether the page closes; the request then waits for the next screen.
  func endPage() throws -> Bool {
    guard session.requests.request?.kind == .study else { return true }
    session.requests.answer(.studied(try state()))
    return false
  }

  private func state() throws -> StudyState? {
    guard let card = try study.card() else { return nil }
    let known = try study.choices()
    let choices: [StudyState.Choice] =
      known.isEmpty
      ? (screen.isSprint ? [1, 2] : [1, 2, 3, 4]).map { StudyState.Choice($0, nil) }
      : known.map { StudyState.Choice(Int($0.rating.rawValue), $0.interval) }
    return StudyState(card: Int(card.id.rawValue), choices: choices)
  }

  /// Does what nearly every key does first: resumes a paused study, and closes whatever covers the card.
  private func beginActing() throws {
    if try !study.isActive() { try study.resume() }
    if screen.view.isCovered {
      (screen.view.isHelpShown, screen.view.asksFlag, screen.view.scroll) = (false, false, screen.view.scrollBefore)
    }
    screen.view.notice = ""
  }

  /// Answers the card, if its answer is shown and the number is a valid key now. The undo step is named after the
  /// requesting program.
  private func answer(_ request: ShellRequest) throws {
    try beginActing()
    let outer = session.data.origin
    session.data.origin = request.origin
    defer { session.data.origin = outer }
    guard screen.view.isAnswerShown, (1...4).contains(request.number),
      let rating = screen.rating(of: .character(Character("\(request.number)"))),
      try screen.answer(rating, didAnswer: { session.requests.answer(.done(true)) })
    else { return session.requests.answer(.done(false)) }
  }

  /// Does what a key does.
  private func lead(_ request: ShellRequest) throws -> Bool {
    try beginActing()
    switch request.kind {
    case .showQuestion: try screen.showPrompt()
    case .showAnswer: try screen.showAnswer()
    case .startTimer: screen.view.shownSince = session.console.elapsed()
    case .playSounds: try screen.replay()
    // When this study has nothing to undo, `serve` undoes the step before it.
    case .undo: return try screen.undo()
    default: return false
    }
    return true
  }

  /// Leaves the study so that the prompt can start the other one, if there is a prompt.
  private func leave(for deck: String) throws -> Bool {
    if study.options.moreDecks.isEmpty, try study.deck.record().name == deck {
      session.requests.answer(.done(true))
      return false
    }
    guard session.state.isAtPrompt, session.input.lineReader != nil else {
      session.requests.refuse()
      return false
    }
    // The request stays unanswered until the prompt runs it.
    try screen.leave()
    return true
  }

  /// Reports the search result in one line, since a list would hide the card.
  private func showCount(_ request: ShellRequest) throws {
    let found = try session.workspace().cards.numbers(anki: request.text)
    session.requests.answer(.done(true))
    screen.view.notice = "\(request.origin): \(session.counted(found.count, "card")) (\(request.text))"
    if !screen.redraws { session.console.show(.lines([printable(screen.view.notice, limit: 400)])) }
  }
}
