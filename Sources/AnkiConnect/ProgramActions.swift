// AnkiConnect actions on the program, on whole collections, and on Anki's windows, of which there are none: what one
// would show is described at the terminal, and no card is under review.
// Invariant: only the user can switch accounts; an action on a window returns what the add-on returns while no review
// is active and no browser is open; only `guiUndo` changes anything.

import Decks
import Exchange
import Files
import Problems
import Templates
import Text
import Values
import Workspace

enum ProgramActions {
  static let all: [Action] = [
    .reading("version") { _ in .integer(ActionServer.version) },
    .reading("apiReflect", reflect),
    .reading("sync") { call in
      try call.host.synchronize()
      return .null
    },
    .reading("getProfiles") { call in .list(try call.host.profiles().all.map { .text($0) }) },
    .reading("getActiveProfile") { call in .text(try call.host.profiles().active) },
    .reading("loadProfile", loadProfile),
    // Every request reads the stored data anyway.
    .reading("reloadCollection") { _ in .null },
    .reading("exportPackage", exportPackage),
    .changing("importPackage") { call in
      let path = try call.params["path"].text("a path")
      _ = try call.workspace.exchange.importCards(intoDeck: nil, from: [path], .plain, ImportOptions())
      return .boolean(true)
    },
  ]

  /// Returns the names of the known actions, limited to a list if one is given.
  private static func reflect(_ call: ActionCall) throws -> Value {
    guard let scopes = call.params["scopes"].value?.list else { throw ActionFailure("scopes has invalid value") }
    let given = call.params["actions"]
    guard !given.isGiven || given.value?.list != nil else { throw ActionFailure("actions has invalid value") }
    guard scopes.contains(.text("actions")) else { return .record([("scopes", .list([]))]) }
    let known = Set(Action.named.keys).union(Action.own)
    let names = given.value?.list?.compactMap(\.text).filter(known.contains) ?? known.sorted()
    return .record([("scopes", .list([.text("actions")])), ("actions", .list(names.map { .text($0) }))])
  }

  /// Another account needs its password, which a client does not have.
  private static func loadProfile(_ call: ActionCall) throws -> Value {
    let name = try call.params["name"].text()
    let profiles = try call.host.profiles()
    guard profiles.all.contains(name) else { return .boolean(false) }
    if name == profiles.active { return .boolean(true) }
    throw ActionFailure("sign in as \(name) where Deckhand runs, and start `serve` there")
  }

  /// Writes a new file in the folder of exports: no client chooses a path that is written to. Returns false for a deck
  /// that does not exist.
  private static func exportPackage(_ call: ActionCall) throws -> Value {
    guard let deck = try call.workspace.decks.named(call.params["deck"].text()) else { return .boolean(false) }
    var options = ExportOptions()
    (options.format, options.hasSchedule) = (.apkg, try call.flag("includeSched"))
    let path = try newExport(call.params["path"].text("a path"), in: call.workspace.exchange.ensureExports())
    _ = try deck.exportCards(to: path, .plain, options)
    return .boolean(true)
  }

  private static func newExport(_ given: String, in folder: String) throws -> String {
    let name = lastPart(of: given)
    guard given == name || given == folder + "/" + name, !name.isEmpty, !name.hasPrefix("."), printable(name) == name
    else {
      throw ActionFailure("packages are exported only into \(folder): give the name of a new file there")
    }
    guard try FileFacts.at(folder + "/" + name, followingLinks: false) == nil else {
      throw ActionFailure("\(folder)/\(name) already exists: give the name of a new file")
    }
    return folder + "/" + name
  }
}

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
        guard try call.workspace.decks.named(call.params["name"].text()) != nil else { return .boolean(false) }
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
        guard let deck = try call.workspace.decks.named(call.params["name"].text()) else { return .boolean(false) }
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
      "Another program offers a note for \(printable(deck, limit: 200)); nothing was added: "
        + "\(printable(first, limit: 60))"
    )
    return .integer(0)
  }
}
