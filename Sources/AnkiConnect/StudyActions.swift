// A study that a client leads: it begins one, sees the card, turns it and answers, as a remote control does in Anki.
// Invariant: there is at most one, and none where nothing began it; a card is answered only once its answer was shown.

import Decks
import Files
import Memory
import Templates
import Values
import Workspace

/// The study under way.
final class LedStudy {
  private var session: SessionHandle?
  private(set) var isAnswerShown = false
  private var shownAt = 0.0

  /// The session, as long as it has a card and its data is open.
  func current(_ workspace: Workspace) throws -> (session: SessionHandle, card: CardHandle)? {
    guard let session, session.workspace === workspace, let card = try session.card() else { return nil }
    return (session, card)
  }

  func begin(_ deck: DeckHandle) throws {
    session = try deck.study(SessionHandle.Options(deck.workspace.preferences()))
    turn(deck.workspace, isAnswerShown: false)
  }

  func turn(_ workspace: Workspace, isAnswerShown: Bool) {
    self.isAnswerShown = isAnswerShown
    if !isAnswerShown { restartClock(workspace) }
  }

  func restartClock(_ workspace: Workspace) { shownAt = workspace.environment.clocks.elapsed() }

  func answer(_ rating: Rating, _ session: SessionHandle) throws {
    try session.answer(rating, seconds: max(0, session.workspace.environment.clocks.elapsed() - shownAt))
    turn(session.workspace, isAnswerShown: false)
  }
}

enum StudyActions {
  static let all: [Action] = [
    .reading("guiReviewActive") { call in .boolean(try call.studied() != nil) },
    .reading("guiCurrentCard", currentCard),
    .reading("guiStartCardTimer") { call in
      guard try call.studied() != nil else { return .boolean(false) }
      call.memory.study.restartClock(call.workspace)
      return .boolean(true)
    },
    .reading("guiShowQuestion") { call in .boolean(try turn(call, isAnswerShown: false)) },
    .reading("guiShowAnswer") { call in .boolean(try turn(call, isAnswerShown: true)) },
    // What it names has no player here: `serve` is heard by nobody.
    .reading("guiPlayAudio") { call in .boolean(try call.studied() != nil) },
    .reading("guiDeckReview") { call in
      guard let deck = try call.knownDeck(named: call.params["name"].text()) else { return .boolean(false) }
      try call.memory.study.begin(deck)
      return .boolean(true)
    },
    .acting("guiAnswerCard") { call in
      let ease = try call.params["ease"].integer()
      guard let (session, _) = try call.studied(), call.memory.study.isAnswerShown,
        let rating = Rating(rawValue: Int64(ease))
      else { return .boolean(false) }
      try call.memory.study.answer(rating, session)
      return .boolean(true)
    },
    .acting("guiUndo") { call in
      if let (session, _) = try call.studied() {
        do {
          try session.undo()
          call.memory.study.turn(call.workspace, isAnswerShown: false)
          return .boolean(true)
        } catch DeckError.nothingToUndo {
          // The study has done nothing yet: the step before it is meant.
        }
      }
      if try !call.workspace.care.steps(limit: 1).isEmpty { try call.workspace.care.undo() }
      return .boolean(true)
    },
  ]

  private static func turn(_ call: ActionCall, isAnswerShown: Bool) throws -> Bool {
    guard try call.studied() != nil else { return false }
    call.memory.study.turn(call.workspace, isAnswerShown: isAnswerShown)
    return true
  }

  private static func currentCard(_ call: ActionCall) throws -> Value {
    guard let (session, card) = try call.studied() else {
      throw ActionFailure("Gui review is not currently active.")
    }
    let choices = try session.choices()
    let type = try card.note().type().record()
    let ordinal = type.isCloze ? 0 : try card.record().ordinal
    let template = type.cards.indices.contains(ordinal) ? type.cards[ordinal].name : ""
    let more: [(String, Value)] = [
      ("buttons", .list(choices.map { .integer(Int($0.rating.rawValue)) })),
      ("nextReviews", .list(choices.map { .text(interval($0.interval)) })), ("template", .text(template)),
    ]
    return .record(try CardActions.shown(card, NoteReader(call.workspace), call) + more)
  }

  /// Short, as on Anki's buttons: `<10m`, `4d`, `1.2mo`.
  private static func interval(_ seconds: Double) -> String {
    func tenths(_ value: Double) -> String { Value.measure((value * 10).rounded() / 10).json }
    let days = seconds / 86_400
    if seconds < 3600 { return "<\(max(1, Int((seconds / 60).rounded())))m" }
    if days < 1 { return "<\(Int((seconds / 3600).rounded()))h" }
    if days < 30 { return "\(Int(days.rounded()))d" }
    return days < 365 ? "\(tenths(days / 30))mo" : "\(tenths(days / 365))y"
  }
}

extension ActionCall {
  /// The study under way and its card.
  func studied() throws -> (session: SessionHandle, card: CardHandle)? { try memory.study.current(workspace) }
}
