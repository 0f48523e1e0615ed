// AnkiConnect actions on Anki's windows, of which there are none: what one would show is described at the terminal, and
// no card is under review.
// Invariant: an action returns what the add-on returns while no review is active and no browser is open; only `guiUndo`
// changes anything.

import Decks
import Problems
import Templates
import Text
import Values
import Workspace

enum WindowActions {
  static let all: [Action] =
    needingWindow.map { name in .reading(name) { _ in .boolean(false) } } + [
      .reading("guiBrowse", browse),
      .reading("guiEditNote") { call in
        let note = try call.note(call.params["note"].integer())
        call.host.log("Another program shows a note: \(try shown(note))")
        return .null
      },
      .reading("guiSelectedNotes") { _ in .list([]) },
      .reading("guiAddCards", addCards),
      .reading("guiCurrentCard") { _ in throw ActionFailure("Gui review is not currently active.") },
      .reading("guiDeckReview") { call in
        guard try call.knownDeck(named: call.params["name"].text()) != nil else { return .boolean(false) }
        throw ActionFailure("serve has no window for a review: study with `deckhand study` in a terminal")
      },
      .acting("guiUndo") { call in
        do {
          try call.workspace.care.undo()
        } catch let problem as any Problem where problem.report.code == .failure(.nothingToUndo) {
          // As in the add-on, that is not an error.
        }
        return .boolean(true)
      },
      .reading("guiDeckOverview") { call in
        guard let deck = try call.knownDeck(named: call.params["name"].text()) else { return .boolean(false) }
        let counts = try deck.studyCounts()
        let words = "\(counted(counts.due, "card")) due, \(grouped(counts.new)) new"
        call.host.log("Another program shows the deck \(printable(try deck.record().name, limit: 200)): \(words)")
        return .boolean(true)
      },
      .reading("guiDeckBrowser") { _ in .null },
      .reading("guiImportFile") { call in
        let path = try call.params["path"].isGiven ? call.params["path"].text() : "FILE"
        call.host.log("Another program asks for an import: `deck import DECK \(printable(path, limit: 300))`")
        return .null
      },
      .reading("guiExitAnki") { call in
        call.host.log("Another program asks `serve` to end: press Ctrl-C to end it.")
        return .null
      },
      .reading("guiCheckDatabase") { call in
        let problems = try call.workspace.care.integrityProblems()
        let words = problems.first.map { "\(printable($0, limit: 200)); see `doctor`" } ?? "no problems were found"
        call.host.log("Another program checked the database: \(words)")
        return .boolean(true)
      },
    ]

  /// The actions that return false where there is no review and no browser.
  private static let needingWindow = [
    "guiReviewActive", "guiStartCardTimer", "guiShowQuestion", "guiShowAnswer", "guiPlayAudio", "guiAnswerCard",
    "guiSelectNote", "guiSelectCard",
  ]

  private static func shown(_ note: NoteHandle) throws -> String {
    printable(try note.cards().first?.record().prompt ?? "", limit: 60)
  }

  private static func browse(_ call: ActionCall) throws -> Value {
    guard call.params["query"].isGiven else { return .list([]) }
    let query = try call.params["query"].text()
    let found = try call.workspace.cards.numbers(anki: query)
    let prompts = try found.prefix(3).compactMap { try call.workspace.cards.numbered($0)?.record().prompt }
    let shown = prompts.map { printable($0, limit: 60) }.joined(separator: ", ")
    let more = found.count > prompts.count ? ", …" : ""
    let what = shown.isEmpty ? "" : ": \(shown)\(more)"
    call.host.log("Another program shows \(counted(found.count, "card")) (\(printable(query, limit: 200)))\(what)")
    return CardActions.numbers(found)
  }

  /// Shows the offered note. It has no id yet, as in Anki while the window for adding is open.
  private static func addCards(_ call: ActionCall) throws -> Value {
    let note = call.params["note"]
    guard note.isGiven else { return .integer(0) }
    let deck = try note["deckName"].text()
    _ = try call.deck(named: deck)
    let type = try call.noteType(named: note["modelName"].text()).record()
    let first = note["fields"][type.fields.first ?? ""].value?.text ?? ""
    call.host.log(
      "Another program offers a note for \(printable(deck, limit: 200)); nothing was added: \(printable(first, limit: 60))"
    )
    return .integer(0)
  }
}
