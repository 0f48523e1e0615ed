// The transfers of `sync`: rows both ways, a full download, or a full upload, then media. Invariant: what would be
// replaced is shown first, and replaced only after the user typed the confirmation; the result for the cards is shown
// before anything can fail for the media.

import Bindings
import Commands
import Exchange
import Sync
import Text
import Values
import Workspace

extension SyncCommand {
  /// - Parameter preview: the preview of the first sync; nil for later ones.
  static func sync(_ preview: SyncPreview?, _ workspace: Workspace, _ session: Session) throws -> CommandResult {
    do {
      let report = try SyncProgress.shown(workspace, session) { progress in
        try workspace.sync.run(preview) { cards in
          progress.finish()
          let question =
            "The server no longer has \(session.counted(cards, "card")) of this account, which will be removed here "
            + "too; a backup is made first. Continue?"
          return try session.canAsk && session.confirm(question)
        } progress: {
          progress.show($0)
        }
      }
      return result(report, session)
    } catch SyncError.wouldRemove where session.canAsk { return .unchanged() }
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
        ? "Nothing is new here or at \(address)." : "Synced with \(address): \(parts.joined(separator: ", "))."
    ]
    lines += shown(report.findings)
    if let path = report.setAsidePath {
      let count = report.setAside.count
      let fate = count == 1 ? "fits its note type: it was saved" : "fit their note types: they were saved"
      lines.append("\(session.counted(count, "note")) of this account no longer \(fate) to \(path).")
    }
    if let backup = report.backup { lines.append("What was here before was saved to \(backup).") }
    return CommandResult(
      .record(
        joining: report.link.map(fields) ?? [:], fields(of: report),
        ["set_aside": report.setAsidePath, "backup": report.backup]), .lines(lines))
  }

  static func fields(of report: SyncReport) -> SyncFields {
    [
      "received": report.received, "sent": report.sent, "removed_here": report.removedHere,
      "removed_there": report.removedThere, "findings": report.findings,
    ]
  }

  /// The first ten findings, and the number of the others.
  static func shown(_ findings: [String]) -> [String] {
    findings.prefix(10).map { "  \($0)" } + (findings.count > 10 ? ["  and \(findings.count - 10) more"] : [])
  }

  /// The first sync, or a full one that replaces one side.
  static func fetch(
    _ isFull: Bool, _ invocation: Invocation, _ workspace: Workspace, _ session: Session
  ) throws -> CommandResult {
    let preview = try SyncProgress.shown(workspace, session) { progress in
      try workspace.sync.previewServer { progress.show(.fetching($0)) }
    }
    let pulled = preview.pulled
    if !pulled.meta.message.isEmpty {
      session.console.message("the server says: \(printable(pulled.meta.message, limit: 500))")
    }
    let wantsJSON = invocation.wantsJSON(in: session)
    if invocation.optionalText("--full") == "upload" { return try upload(preview, invocation, workspace, session) }
    if !wantsJSON { session.show(CommandResult(.null, .table(table(pulled, session))), asJSON: false) }
    guard try confirmsImport(preview, isFull, invocation, session) else { return .unchanged() }
    if !isFull, preview.cardsHere > 0 { return try sync(preview, workspace, session) }
    let (report, backup) = try SyncProgress.shown(workspace, session) { progress in
      try workspace.sync.replaceLocal(preview) { progress.show(.taking($0, of: $1)) }
    }
    return result(preview.link, report, backup, session)
  }

  private static func upload(
    _ preview: SyncPreview, _ invocation: Invocation, _ workspace: Workspace, _ session: Session
  ) throws -> CommandResult {
    try workspace.sync.requireUpload(preview)
    let there = preview.pulled.staged.counts[.cards] ?? 0
    let refusal = SyncError.replacesServer(there: there, here: preview.cardsHere)
    if let given = invocation.optionalInteger("--replace") {
      if given != there { throw refusal }
    } else if there > 0 || session.canAsk {
      guard session.canAsk else { throw refusal }
      let question =
        "\(session.counted(there, "card")) on the server will be replaced by the "
        + "\(session.counted(preview.cardsHere, "card")) here; every other device then has to download all of them. "
        + "Type both numbers to continue: "
      let typed = try session.ask(question)?.split(separator: " ").map { Int($0) }
      guard typed == [there, preview.cardsHere] else { return .unchanged() }
    }
    let report = try SyncProgress.shown(workspace, session) { _ in try workspace.sync.upload(preview) }
    let address = report.link.map { printable($0.address) } ?? ""
    var lines = ["\(address) now has what is here: \(session.counted(preview.cardsHere, "card"))."]
    if let backup = report.backup { lines.append("What it had was saved to \(backup).") }
    return CommandResult(
      .record(
        joining: report.link.map(fields) ?? [:], ["sent": report.sent, "replaced": there, "backup": report.backup]),
      .lines(lines))
  }

  private static func table(_ pulled: PulledCollection, _ session: Session) -> TableText {
    let (staged, head) = (pulled.staged, pulled.staged.head)
    let counts = [
      ("Decks", head.decks.count), ("Note types", head.types.count), ("Notes", staged.counts[.notes] ?? 0),
      ("Cards", staged.counts[.cards] ?? 0), ("Answers", staged.counts[.revlog] ?? 0),
    ]
    return TableText(["", .number("On the server")], rows: counts.map { [$0, session.grouped($1)] })
  }

  /// Asks whether to take over the server's data. Where cards would be lost, the user has to type their number.
  private static func confirmsImport(
    _ preview: SyncPreview, _ isFull: Bool, _ invocation: Invocation, _ session: Session
  ) throws -> Bool {
    let cards = preview.cardsHere
    if cards == 0 { return try session.confirm("Import it?") }
    if !isFull {
      return try session.confirm(
        "Merge it with the \(session.counted(cards, "card")) here, on both sides? A backup is made first.")
    }
    if let given = invocation.optionalInteger("--replace") {
      if given == cards { return true }
      throw SyncError.cardsHere(cards: cards)
    }
    guard session.canAsk else { throw SyncError.cardsHere(cards: cards) }
    let unsent = unsentWords(preview.unsent, session)
    let lost = unsent.isEmpty ? "" : " Only here: \(unsent)."
    let question = "\(session.counted(cards, "card")) here will be replaced.\(lost) Type their number to continue: "
    return try session.ask(question).flatMap { Int($0.trimmed) } == cards
  }

  private static func result(
    _ link: SyncLink, _ report: PullReport, _ backup: String?, _ session: Session
  ) -> CommandResult {
    let parts = [
      session.counted(report.decks, "deck"), session.counted(report.notes, "note"),
      session.counted(report.cards, "card"), session.counted(report.answers, "answer"),
    ]
    var lines = ["Fetched \(parts.joined(separator: ", ")) from \(link.address)."]
    if report.unstorable > 0 {
      lines.append(
        "\(session.counted(report.unstorable, "note or card", "notes and cards")) cannot be used here and are "
          + "stored as they came.")
    }
    lines += shown(report.findings)
    if let backup { lines.append("What was here before was saved to \(backup).") }
    return CommandResult(
      .record(
        joining: fields(link),
        [
          "decks": report.decks, "notes": report.notes, "cards": report.cards, "answers": report.answers,
          "kept_as_received": report.unstorable, "backup": backup,
        ]), .lines(lines))
  }
}

enum MediaSync {
  /// Shows the result of a sync, then syncs the media; does nothing more when the user declined the sync.
  static func follow(
    _ result: CommandResult, _ workspace: Workspace, _ session: Session, asJSON: Bool
  ) throws -> CommandResult {
    if case .value(.null) = result.answer { return result }
    session.show(result, asJSON: asJSON)
    return shown(try run(workspace, session), session)
  }

  static func run(_ workspace: Workspace, _ session: Session) throws -> SyncReport {
    try SyncProgress.shown(workspace, session) { progress in try workspace.sync.runMedia { progress.show($0) } }
  }

  private static func shown(_ report: SyncReport, _ session: Session) -> CommandResult {
    let parts = [
      (report.received, "received"), (report.sent, "sent"), (report.removedHere, "removed here"),
      (report.removedThere, "removed there"),
    ].filter { $0.0 > 0 }.map { count, what in "\(session.counted(count, "media file")) \(what)" }
    var lines = parts.isEmpty ? [] : ["Media: \(parts.joined(separator: ", "))."]
    lines += SyncCommand.shown(report.findings)
    return CommandResult(.record(fields(of: report)), .lines(lines))
  }

  static func fields(of report: SyncReport) -> SyncFields {
    [
      "media_received": report.received, "media_sent": report.sent, "media_removed_here": report.removedHere,
      "media_removed_there": report.removedThere, "media_findings": report.findings,
    ]
  }
}

/// Fields of an answer, of which a sync puts several parts together.
typealias SyncFields = KeyValuePairs<String, (any FieldValue)?>

extension Value {
  static func record(joining parts: SyncFields...) -> Value {
    .record(parts.flatMap { $0.map { ($0, $1?.fieldValue ?? .null) } })
  }
}

final class SyncProgress {
  private let session: Session
  private var label = ""
  private var bar: ProgressLine?
  private var (done, all): (Int, Int?) = (0, nil)

  private init(_ session: Session) { self.session = session }

  /// Shows the progress line while `work` communicates with the server.
  static func shown<Result>(
    _ workspace: Workspace, _ session: Session, _ work: (SyncProgress) throws -> Result
  ) rethrows -> Result {
    let progress = SyncProgress(session)
    progress.show("Asking the server", 0, nil)
    workspace.sync.whileWaiting = { progress.draw() }
    defer {
      workspace.sync.whileWaiting = nil
      progress.finish()
    }
    return try work(progress)
  }

  func show(_ stage: SyncStage) {
    switch stage {
    case .fetching(let rows): show("Fetching", rows, nil)
    case .taking(let rows, let all): show("Importing", rows, all)
    case .sending(let rows): show("Sending", rows, nil)
    }
  }

  func show(_ stage: MediaStage) {
    switch stage {
    case .fetching(let done, let all), .sending(let done, let all): show("Media", done, all)
    }
  }

  private func show(_ label: String, _ done: Int, _ all: Int?) {
    if label != self.label { finish() }
    bar = bar ?? session.console.progress(label, total: all)
    (self.label, self.done, self.all) = (label, done, all)
    draw()
  }

  private func draw() { bar?.update(done, of: all) }

  func finish() {
    bar?.finish()
    bar = nil
  }
}
