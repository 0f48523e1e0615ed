// `sync`: the link with a sync server, syncing both ways, and replacing one side by the other; and a sync without
// questions, for `serve`, scripts and the end of a session. Invariant: what would be replaced is shown first, and
// replaced only after a typed confirmation; an unattended sync fails where it would have to ask.

import Authentication
import Bindings
import Commands
import Exchange
import Files
import LuaRuntime
import Problems
import Sync
import Text
import Values
import Workspace

enum SyncCommand {
  private static let actions = ["login", "logout", "status"]

  static let command = BuiltIn(
    "sync", access: .atTerminal,
    effect: .depends { invocation in
      switch invocation.optionalText("ACTION") {
      case "status": .reads
      case "login", "logout": .acts
      default: .changes
      }
    }, summary: "Syncs your cards with an Anki sync server.",
    answer: "{address, user, FIELD}, then {media_received, FIELD} after a sync",
    details: """
      `sync login URL` links the account with the server that you run (Anki's own, or one like it); `sync` then \
      fetches what is new there and sends what is new here, both or neither; `sync status` shows what is new on either \
      side; `sync logout` ends the link, and the cards stay. The first sync shows what the server has and asks. If a \
      note or card changed on both sides, the later change and the later answer are used; what was deleted on either \
      side is deleted. One sync is one undo step here. `sync --full download` replaces what is here by what the server \
      has, after you type the number of cards, and saves what was here as a backup; `sync --full upload` does the \
      opposite if `sync` cannot send what is here, and saves what the server had as a package. Pictures and sounds \
      follow. `set sync.at_end on` syncs when the shell ends. AnkiWeb's terms allow only Anki's own programs.
      """,
    arguments: [
      Argument("ACTION", .choice(actions), isOptional: true, help: "when left out, it syncs"),
      Argument("URL", isOptional: true, help: "the server's address, for login: http://192.168.1.5:8080"),
    ],
    options: [
      Option("--user", "NAME", help: "your name on the server, for login"),
      Option(
        "--server-password-file", "FILE", .file,
        help: "read the server's password from FILE; - is a line of standard input"),
      Option(
        "--full", choice: ["download", "upload"], help: "replace the cards here by those on the server, or vice versa"),
      Option("--replace", "N", .positive, help: "with --full: the number of cards to replace, instead of typing it"),
    ], example: "sync status"
  ) { invocation, session in
    try AccountCommands.requireNoScript(session)
    let action = invocation.optionalText("ACTION")
    if let action, action != "login", let url = invocation.optionalText("URL") {
      throw CommandError.extraArgument(command: "sync \(action)", url, usage: "sync \(action)")
    }
    let workspace = try session.workspace()
    switch action {
    case "login": return try login(invocation, workspace, session)
    case "logout":
      let link = try workspace.sync.unlink()
      return CommandResult(.record(fields(link)), line: "Removed the link with \(link.address); the cards stay.")
    case "status": return try status(workspace, session)
    default:
      let isFull = invocation.optionalText("--full") != nil
      let isFirst = try workspace.sync.link()?.meta == nil
      let result =
        isFull || isFirst ? try fetch(isFull, invocation, workspace, session) : try sync(nil, workspace, session)
      return try MediaSync.follow(result, workspace, session, asJSON: invocation.wantsJSON(in: session))
    }
  }

  private static func login(
    _ invocation: Invocation, _ workspace: Workspace, _ session: Session
  ) throws -> CommandResult {
    guard let url = invocation.optionalText("URL") else {
      throw CommandError.missingArgument(command: "sync", "URL", usage: "sync login URL")
    }
    let place = try SyncPlace(url)
    if place.isExposed {
      session.console.message(
        "warning: the connection to \(place.address) is not encrypted and leaves this network: anyone on the way can "
          + "read the password and the cards; use https")
    }
    let signIn = SignIn(session)
    guard let user = try invocation.optionalText("--user") ?? session.ask("User on \(place.host): "),
      !user.trimmed.isEmpty
    else { throw CommandError.missingArgument(command: "sync", "--user NAME", usage: "sync login URL --user NAME") }
    let password =
      if let file = invocation.optionalText("--server-password-file") { try signIn.password(in: file) } else {
        try signIn.readPassword(
          "Password of \(printable(user)) on \(printable(place.host)): ", option: "--server-password-file")
      }
    let link = try SyncProgress.shown(workspace, session) { _ in
      try workspace.sync.link(with: place, user: user.trimmed, password: password)
    }
    return CommandResult(
      .record(fields(link)),
      line: "Linked with \(link.address) as \(quoted(link.user)). `sync` shows what the server has before it "
        + "imports anything.")
  }

  static func fields(_ link: SyncLink) -> SyncFields {
    ["address": link.address, "user": link.user, "synced": link.synced]
  }

  private static func status(_ workspace: Workspace, _ session: Session) throws -> CommandResult {
    let status = try SyncProgress.shown(workspace, session) { _ in try workspace.sync.status(asksServer: true) }
    let unsent = status.unsent
    let news: SyncFields = [
      "has_news": status.hasNews, "unsent": unsent.total, "has_media_news": status.hasMediaNews,
      "unsent_media": status.media.unsent, "problem": status.problem?.code,
    ]
    var lines = ["Linked with \(status.link.address) as \(quoted(status.link.user))."]
    if let synced = status.link.synced {
      lines.append("Synced \(session.ago(synced)).")
    } else {
      lines.append("Nothing was synced yet; `sync` shows what the server has.")
    }
    switch (status.problem, status.hasNews) {
    case (let problem?, _): lines.append("The server: \(problem.message).")
    case (nil, true?) where status.link.synced != nil: lines.append("The server has changes; `sync` fetches them.")
    case (nil, false?) where status.hasMediaNews == true:
      lines.append("The server has other media files; `sync` fetches them.")
    case (nil, false?): lines.append("The server has nothing new.")
    default: break
    }
    let media = status.media.unsent
    let words = [unsentWords(unsent, session), media > 0 ? session.counted(media, "changed media file") : ""]
      .filter { !$0.isEmpty }.joined(separator: ", ")
    if !words.isEmpty, status.link.synced != nil { lines.append("Only here: \(words); `sync` sends them.") }
    return CommandResult(.record(joining: fields(status.link), news), .lines(lines))
  }

  static func unsentWords(_ unsent: SyncCounts, _ session: Session) -> String {
    let parts: [(Int, String)] = [
      (unsent.notes, "changed note"), (unsent.cards, "changed card"), (unsent.answers, "answer"),
      (unsent.types, "note type"), (unsent.decks, "deck"), (unsent.presets, "preset"), (unsent.removals, "removal"),
    ]
    return parts.filter { $0.0 > 0 }.map { session.counted($0.0, $0.1) }.joined(separator: ", ")
  }
}

package enum UnattendedSync {
  /// How many seconds the end of a session waits for a server that does not answer.
  private static let timeout = 5

  /// Syncs rows, then media.
  /// - Throws: what `sync` throws; `SyncError.firstSync` when the first sync, which shows what the server has, was not
  ///   made yet.
  @discardableResult static func run(_ workspace: Workspace, _ session: Session) throws -> Value {
    let report = try SyncProgress.shown(workspace, session) { progress in
      try workspace.sync.run(consent: { _ in false }, progress: { progress.show($0) })
    }
    let media = try MediaSync.run(workspace, session)
    return .record(joining: SyncCommand.fields(of: report), MediaSync.fields(of: media))
  }

  /// Syncs for a script, which is one unit of work: its changes so far are committed, and the rest becomes a new unit.
  static func fromLua(_ session: Session) throws -> Value {
    try session.host.requireSignIn()
    let workspace = try session.workspace()
    if workspace.isInOperation { throw SyncError.inScript }
    if session.rehearsal.isOn { throw WorkspaceError.rehearsal("sync") }
    let isInUnit = workspace.isInUnit
    defer {
      if isInUnit, workspace.isOpen, !workspace.isInUnit {
        do { try workspace.beginUnit() } catch { session.report(error) }
      }
    }
    if isInUnit { try workspace.commitUnit() }
    return try run(workspace, session)
  }

  /// Syncs as the shell ends if `sync.at_end` is on; an unreachable server delays the end only briefly.
  package static func atEnd(_ session: Session) {
    guard Interrupts.endingSignal == nil, !session.auth.needsAuthentication,
      session.preferences?.serving.syncsAtEnd == true
    else { return }
    Interrupts.clear()
    do {
      try Interrupts.holding {
        let workspace = try session.workspace()
        guard let link = try workspace.sync.link(), !session.rehearsal.isOn else { return }
        try SyncProgress.shown(workspace, session) { _ in try workspace.sync.reachServer(within: timeout) }
        try session.changing(from: "sync.at_end") { _ = try run(workspace, session) }
        session.console.note("Synced with \(link.address).")
      }
    } catch {
      session.report(error, origin: "sync at the end")
    }
  }
}
