// The study session of the shell that runs alongside `serve`, as a remote control uses it: reading, turning and
// answering its card.
// Invariant: nothing is studied in this process; if the shell cannot do it, or no shell runs, the answer is the one
// that Anki gives when no review is active.

import Decks
import Problems
import Templates
import Values
import Wire
import Workspace

enum StudyActions {
  static let all: [Action] = [
    .reading("guiReviewActive") { call in .boolean(call.studied() != nil) },
    .reading("guiCurrentCard", currentCard),
    .reading("guiStartCardTimer") { call in .boolean(call.isDone(.startTimer)) },
    .reading("guiShowQuestion") { call in .boolean(call.isDone(.showQuestion)) },
    .reading("guiShowAnswer") { call in .boolean(call.isDone(.showAnswer)) },
    .reading("guiPlayAudio") { call in .boolean(call.isDone(.playSounds)) },
    .reading("guiDeckReview") { call in
      guard let deck = try call.knownDeck(named: call.params["name"].text()) else { return .boolean(false) }
      switch call.askShell(.review, text: try deck.record().name) {
      case .done(let isDone): return .boolean(isDone)
      case nil: throw ActionFailure.noShell
      default: throw ActionFailure.busyShell
      }
    },
    .acting("guiAnswerCard") { call in
      .boolean(call.isDone(.answer, number: try call.params["ease"].integer()))
    },
    .acting("guiUndo") { call in
      // If no shell undoes its last step, undo the last step of the cards here.
      if call.isDone(.undo) { return .boolean(true) }
      do {
        try call.workspace.care.undo()
      } catch let problem as any Problem where problem.report.code == .failure(.nothingToUndo) {
        // As in the add-on, that is not an error.
      }
      return .boolean(true)
    },
  ]

  private static func currentCard(_ call: ActionCall) throws -> Value {
    guard let study = call.studied(), let card = try call.card(study.card) else {
      throw ActionFailure("Gui review is not currently active.")
    }
    let type = try card.note().type().record()
    let ordinal = type.isCloze ? 0 : try card.record().ordinal
    let template = type.cards.indices.contains(ordinal) ? type.cards[ordinal].name : ""
    let more: [(String, Value)] = [
      ("buttons", .list(study.choices.map { .integer($0.number) })),
      ("nextReviews", .list(study.choices.map { .text($0.interval.map(interval) ?? "") })),
      ("template", .text(template)),
    ]
    return .record(try CardActions.shown(card, NoteReader(), call) + more)
  }

  /// Formats an interval as short as on Anki's buttons: `<10m`, `4d`, `1.2mo`.
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
  /// The state of the shell's study session.
  fileprivate func studied() -> StudyState? {
    if case .studied(let study)? = askShell(.study) { return study }
    return nil
  }

  /// Sends a request to the shell and returns whether it was done.
  func isDone(_ kind: ShellRequest.Kind, number: Int = 0, text: String = "") -> Bool {
    askShell(kind, number: number, text: text) == .done(true)
  }
}
