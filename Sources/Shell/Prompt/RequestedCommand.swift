// Runs what another program requests while a line is typed, as if the command had been typed. Invariant: the output
// names the requesting program; the command is not saved in the history.

import Commands
import Decks
import Text
import Values
import Wire
import Workspace

struct RequestedCommand {
  private let session: Session

  init(_ session: Session) { self.session = session }

  /// Whether the request runs as a command at the prompt.
  static func isPromptFor(_ request: ShellRequest) -> Bool {
    switch request.kind {
    case .review, .list, .showCard, .showNote, .editNote, .undo: true
    case .study, .showQuestion, .showAnswer, .answer, .startTimer, .playSounds: false
    }
  }

  /// The reply to a request about the current study when there is none.
  static func answerWithoutStudy(to request: ShellRequest) -> ShellReply {
    request.kind == .study ? .studied(nil) : .done(false)
  }

  /// Runs the request and answers it; commands that may keep the screen for long are answered before they run.
  func run(_ request: ShellRequest) {
    do {
      switch request.kind {
      case .list: try list(request)
      case .undo:
        runLine(["undo"], request)
        session.requests.answer(.done(true))
      default:
        guard let words = try words(for: request) else { return session.requests.answer(.done(false)) }
        session.requests.answer(.done(true))
        runLine(words, request)
      }
    } catch {
      session.requests.answer(.done(false))
      session.report(error)
    }
  }

  /// The command's words; nil when the requested object does not exist.
  private func words(for request: ShellRequest) throws -> [String]? {
    let workspace = try session.workspace()
    switch request.kind {
    case .review: return ["study", "--", request.text]
    case .showCard:
      return try workspace.cards.numbered(Int64(request.number)).map { ["card", "show", "--", try $0.place()] }
    case .showNote, .editNote:
      guard let note = try workspace.notes.numbered(Int64(request.number)) else { return nil }
      return ["note", request.kind == .editNote ? "edit" : "show", "--", try note.record().guid]
    default: return nil
    }
  }

  private func runLine(_ words: [String], _ request: ShellRequest) {
    let shown = ShellWords.line(of: words.filter { $0 != "--" })
    session.console.note("\(request.origin): \(shown)")
    _ = Runner(session).runCommand(words)
  }

  /// Lists the cards that a search in Anki's query language finds, as `card list` shows them.
  private func list(_ request: ShellRequest) throws {
    let workspace = try session.workspace()
    let found = try workspace.cards.numbers(anki: request.text)
    session.requests.answer(.done(true))
    session.console.note("\(request.origin): \(session.counted(found.count, "card")) (\(request.text))")
    let limit = session.console.terminal.rowLimit ?? 200
    let cards = try found.prefix(limit).compactMap { try workspace.cards.numbered($0) }
    let columns: [CardProperty] = [.position, .deck, .prompt, .answer, .tags, .state, .guid]
    session.console.show(.table(try CardListCommand.table(cards, columns, whenEmpty: "No card was found.", session)))
    if found.count > cards.count { session.console.show(["… \(session.grouped(found.count - cards.count)) more"]) }
  }
}
