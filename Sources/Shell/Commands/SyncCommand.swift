// `sync`: the link with a sync server, syncing with it both ways, and fetching all that it has.
// Invariant: what would be replaced is shown before, and replaced only where that was typed; a password comes from the
// terminal or a file.

import Authentication
import Bindings
import Commands
import Exchange
import Files
import Problems
import Sync
import Text
import Values
import Workspace

enum SyncCommand {
  private static let actions = ["login", "logout", "status"]

  static var command: BuiltIn {
    BuiltIn(
      "sync", theme: AccountCommands.accountTheme, access: .atTerminal,
      effect: .depends { invocation in
        switch invocation.optionalText("ACTION") {
        case "status": .reads
        case "login", "logout": .acts
        default: .changes
        }
      },
      summary: "Syncs your cards with a sync server of Anki's.",
      details: """
        `sync login URL` links the account with the server that you run (Anki's own, or one like it); `sync` then \
        takes in what is new there and sends what is new here, both or neither; `sync status` tells what is new on \
        either side; `sync logout` ends the link, and the cards stay. The first sync shows what the server has and \
        asks. Of a card that both changed the later change is kept, and what was deleted anywhere is deleted. One \
        sync is one step of undo here. `sync --full download` replaces what is here by what the server has, after \
        the number of cards was typed, and keeps it as a backup. Pictures and sounds follow. `set sync.at_end on` \
        syncs as the shell ends. AnkiWeb's terms allow Anki's own programs alone.
        """,
      arguments: [
        Argument("ACTION", .choice(actions), isOptional: true, help: "left out, it syncs"),
        Argument("URL", isOptional: true, help: "of the server, for login: http://192.168.1.5:8080"),
      ],
      options: [
        Option("--user", "NAME", help: "who you are on the server, for login"),
        Option(
          "--server-password-file", "FILE", .file,
          help: "read the server's password from FILE; - is a line of standard input"),
        Option("--full", choice: ["download"], help: "replace what is here by what the server has"),
        Option("--replace", "N", .positive, help: "with --full: the number of cards here, instead of typing it"),
      ], example: "sync status"
    ) { invocation, session in
      try AccountCommands.requireNoScript(session)
      let workspace = try session.workspace()
      switch invocation.optionalText("ACTION") {
      case "login": return try login(invocation, workspace, session)
      case "logout": return try logout(workspace)
      case "status": return try status(workspace, session)
      default:
        let isFull = invocation.optionalText("--full") != nil
        let isFirst = try workspace.syncLink()?.meta == nil
        let result =
          isFull || isFirst
          ? try fetch(isFull, invocation, workspace, session) : try sync(nil, workspace, session)
        return try MediaSync.follow(
          result, workspace, session, asJSON: invocation.wantsJSON || session.options.wantsJSON)
      }
    }
  }

  // MARK: The link

  private static func login(
    _ invocation: Invocation, _ workspace: Workspace, _ session: Session
  ) throws -> CommandResult {
    guard let url = invocation.optionalText("URL") else {
      throw CommandError.missingArgument(command: "sync", "URL", usage: "sync login URL")
    }
    let place = try SyncPlace(url)
    if place.isExposed {
      session.console.message(
        "warning: \(printable(place.address)) is not encrypted and not of this network: whoever is on the way can read "
          + "the password and the cards; https is safe")
    }
    let signIn = SignIn(session)
    guard let user = try invocation.optionalText("--user") ?? session.ask("User on \(printable(place.host)): "),
      !user.trimmed.isEmpty
    else { throw SignInError.noName }
    let link = try signIn.answeringLeft {
      let password =
        if let file = invocation.optionalText("--server-password-file") { try signIn.password(in: file) } else {
          try signIn.readPassword("Password of \(printable(user)) on \(printable(place.host)): ")
        }
      return try workspace.linkSync(place, user: user.trimmed, password: password)
    }
    return CommandResult(
      .record(fields(link)),
      line:
        "Linked with \(printable(link.address)) as \(quoted(link.user)). `sync` shows what is there before it takes "
        + "anything over.")
  }

  private static func logout(_ workspace: Workspace) throws -> CommandResult {
    let link = try workspace.unlinkSync()
    return CommandResult(
      .record(fields(link)), line: "The link with \(printable(link.address)) is ended; the cards stay.")
  }

  private static func fields(_ link: SyncLink) -> [(String, Value)] {
    [
      ("address", .text(link.address)), ("user", .text(link.user)),
      ("synced", link.synced.map { .number($0) } ?? .null),
    ]
  }

  // MARK: How things stand

  private static func status(_ workspace: Workspace, _ session: Session) throws -> CommandResult {
    let status = try workspace.syncStatus(asksServer: true)
    let unsent = status.unsent
    var value = fields(status.link)
    value.append(("has_news", status.hasNews.map { .boolean($0) } ?? .null))
    value.append(("unsent", .integer(unsent.total)))
    value.append(("problem", status.problem.map { .text($0.code) } ?? .null))
    var lines = ["Linked with \(printable(status.link.address)) as \(quoted(status.link.user))."]
    if let synced = status.link.synced {
      lines.append("Synced \(session.ago(synced)).")
    } else {
      lines.append("Nothing was synced yet; `sync` shows what is there.")
    }
    switch (status.problem, status.hasNews) {
    case (let problem?, _): lines.append("The server: \(problem.message).")
    case (nil, true?) where status.link.synced != nil: lines.append("The server has changes; `sync` takes them in.")
    case (nil, false?): lines.append("The server has nothing new.")
    default: break
    }
    let words = unsentWords(unsent, session)
    if !words.isEmpty, status.link.synced != nil { lines.append("Only here: \(words); `sync` sends them.") }
    return CommandResult(.record(value), .lines(lines))
  }

  private static func unsentWords(_ unsent: UnsentChanges, _ session: Session) -> String {
    let parts: [(Int, String)] = [
      (unsent.notes, "changed note"), (unsent.cards, "changed card"), (unsent.answers, "answer"),
      (unsent.types, "note type"), (unsent.decks, "deck"), (unsent.presets, "preset"), (unsent.removals, "removal"),
    ]
    return parts.filter { $0.0 > 0 }.map { session.counted($0.0, $0.1) }.joined(separator: ", ")
  }

  // MARK: Syncing

  /// - Parameter preview: of the first sync.
  private static func sync(
    _ preview: SyncPreview?, _ workspace: Workspace, _ session: Session
  ) throws -> CommandResult {
    let stages = SyncProgress(session)
    defer { stages.finish() }
    let report = try workspace.syncNow(preview) { question in
      stages.finish()
      guard session.canAsk, case .remove(let cards) = question else { return false }
      return try session.confirm(
        "\(session.counted(cards, "card")) here are not on the server any more and will be removed; a backup is made "
          + "before. Go on?")
    } progress: {
      stages.show($0)
    }
    stages.finish()
    return result(report, session)
  }

  private static func result(_ report: SyncReport, _ session: Session) -> CommandResult {
    let address = report.link.map { printable($0.address) } ?? ""
    let parts = [
      (report.received, "received", "row"), (report.sent, "sent", "row"), (report.removedHere, "removed here", "card"),
      (report.removedThere, "removed there", "card or note"),
    ].filter { $0.0 > 0 }.map { count, what, unit in
      let many = unit == "card or note" ? "cards and notes" : unit + "s"
      return "\(session.counted(count, unit, many)) \(what)"
    }
    var lines = [
      parts.isEmpty
        ? "Nothing is new, here and at \(address)." : "Synced with \(address): \(parts.joined(separator: ", "))."
    ]
    lines += report.findings.prefix(10).map { "  \(printable($0))" }
    if report.findings.count > 10 { lines.append("  and \(report.findings.count - 10) more") }
    if let backup = report.backup { lines.append("What was here is kept in \(printable(backup)).") }
    return CommandResult(
      .record(
        (report.link.map(fields) ?? []) + [
          ("received", .integer(report.received)), ("sent", .integer(report.sent)),
          ("removed_here", .integer(report.removedHere)), ("removed_there", .integer(report.removedThere)),
          ("findings", .list(report.findings.map { .text($0) })),
          ("backup", report.backup.map { .text($0) } ?? .null),
        ]), .lines(lines))
  }

  // MARK: Fetching

  /// The first sync, or one that replaces what is here.
  private static func fetch(
    _ isFull: Bool, _ invocation: Invocation, _ workspace: Workspace, _ session: Session
  ) throws -> CommandResult {
    let fetching = session.console.progress("Fetching", total: nil)
    defer { fetching.finish() }
    let preview = try workspace.lookAtServer { fetching.update($0, of: nil) }
    fetching.finish()
    let pulled = preview.pulled
    if !pulled.meta.message.isEmpty {
      session.console.message("the server says: \(printable(pulled.meta.message, limit: 500))")
    }
    let wantsJSON = invocation.wantsJSON || session.options.wantsJSON
    if !wantsJSON { session.show(CommandResult(.null, .table(table(pulled, session))), asJSON: false) }
    guard try mayTakeOver(preview, isFull, invocation, session) else {
      return CommandResult(.null, line: "Nothing was changed.")
    }
    if !isFull, preview.cardsHere > 0 { return try sync(preview, workspace, session) }
    let taking = session.console.progress("Taking over", total: nil)
    defer { taking.finish() }
    let (report, backup) = try workspace.takeOver(preview) { taking.update($0, of: $1) }
    taking.finish()
    return result(preview.link, report, backup, session)
  }

  private static func table(_ pulled: PulledCollection, _ session: Session) -> TableText {
    let (staged, head) = (pulled.staged, pulled.staged.head)
    var table = TableText([.init(""), .init("On the server", .right)])
    for (name, count) in [
      ("Decks", head.decks.count), ("Note types", head.types.count), ("Notes", staged.counts[.notes] ?? 0),
      ("Cards", staged.counts[.cards] ?? 0), ("Answers", staged.counts[.revlog] ?? 0),
    ] {
      table.add([name, session.grouped(count)])
    }
    return table
  }

  /// Where cards here would be lost, their number is typed: at the terminal, or with the command.
  private static func mayTakeOver(
    _ preview: SyncPreview, _ isFull: Bool, _ invocation: Invocation, _ session: Session
  ) throws -> Bool {
    let cards = preview.cardsHere
    if cards == 0 { return try session.confirm("Take it over?") }
    if !isFull {
      return try session.confirm(
        "Put it together with the \(session.counted(cards, "card")) here, on both sides? A backup is made before.")
    }
    if let given = invocation.optionalInteger("--replace") {
      if given == cards { return true }
      throw SyncError.cardsHere(cards: cards)
    }
    guard session.canAsk else { throw SyncError.cardsHere(cards: cards) }
    let unsent = unsentWords(preview.unsent, session)
    let lost = unsent.isEmpty ? "" : " Only here: \(unsent)."
    let question = "\(session.counted(cards, "card")) here will be replaced.\(lost) Type their number to go on: "
    return try session.ask(question).flatMap { Int($0.trimmed) } == cards
  }

  private static func result(
    _ link: SyncLink, _ report: PullReport, _ backup: String?, _ session: Session
  ) -> CommandResult {
    let parts = [
      session.counted(report.decks, "deck"), session.counted(report.notes, "note"),
      session.counted(report.cards, "card"), session.counted(report.answers, "answer"),
    ]
    var lines = ["Fetched \(parts.joined(separator: ", ")) from \(printable(link.address))."]
    if report.shadowed > 0 {
      lines.append(
        "\(session.counted(report.shadowed, "note or card", "notes and cards")) have no place here and are kept as "
          + "they came.")
    }
    lines += report.findings.prefix(10).map { "  \(printable($0))" }
    if let backup { lines.append("What was here is kept in \(printable(backup)).") }
    return CommandResult(
      .record(
        fields(link) + [
          ("decks", .integer(report.decks)), ("notes", .integer(report.notes)), ("cards", .integer(report.cards)),
          ("answers", .integer(report.answers)), ("kept_as_received", .integer(report.shadowed)),
          ("backup", backup.map { .text($0) } ?? .null),
        ]), .lines(lines))
  }
}

/// Shows where a sync is.
private final class SyncProgress {
  private let session: Session
  private var label = ""
  private var bar: (any ProgressReporting)?

  init(_ session: Session) { self.session = session }

  func show(_ stage: SyncStage) {
    switch stage {
    case .fetching(let rows): show("Fetching", rows, nil)
    case .taking(let rows, let all): show("Taking in", rows, all)
    case .sending(let rows): show("Sending", rows, nil)
    }
  }

  private func show(_ label: String, _ rows: Int, _ all: Int?) {
    if label != self.label { finish() }
    let bar = bar ?? session.console.progress(label, total: all)
    (self.label, self.bar) = (label, bar)
    bar.update(rows, of: all)
  }

  func finish() {
    bar?.finish()
    bar = nil
  }
}
