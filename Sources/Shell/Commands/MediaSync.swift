// The second half of a sync: pictures and sounds. Invariant: the result for the cards is shown before anything can fail
// here.

import Bindings
import Commands
import Sync
import Text
import Values
import Workspace

enum MediaSync {
  /// Shows the result of a sync, then syncs the media; does nothing more when the user declined the sync.
  static func follow(_ result: CommandResult, _ workspace: Workspace, _ session: Session, asJSON: Bool) throws
    -> CommandResult
  {
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

  static func fields(of report: SyncReport) -> [(String, Value)] {
    [
      ("media_received", .integer(report.received)), ("media_sent", .integer(report.sent)),
      ("media_removed_here", .integer(report.removedHere)), ("media_removed_there", .integer(report.removedThere)),
      ("media_findings", .list(report.findings.map { .text($0) })),
    ]
  }
}
