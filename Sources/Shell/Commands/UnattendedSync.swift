// A sync without questions: for `serve`, scripts and the end of a session.
// Invariant: nothing is done that would need a question; the error names the command that asks it.

import Authentication
import Bindings
import Commands
import Files
import LuaRuntime
import Sync
import Text
import Values
import Workspace

enum UnattendedSync {
  /// How many seconds the end of a session waits for a server that does not answer.
  private static let timeout = 5

  /// Syncs rows, then media.
  /// - Throws: what `sync` throws; `SyncError.firstSync` when the first sync, which shows what the server has, was not
  ///   made yet.
  @discardableResult
  static func run(_ workspace: Workspace, _ session: Session) throws -> Value {
    let report = try SyncProgress.shown(workspace, session) { progress in
      try workspace.sync.run(consent: { _ in false }, progress: { progress.show($0) })
    }
    let media = try MediaSync.run(workspace, session)
    return .record(SyncCommand.fields(of: report) + MediaSync.fields(of: media))
  }

  /// Syncs for a script, which is one unit of work: its changes so far are committed, and the rest becomes a new unit.
  static func fromLua(_ session: Session) throws -> Value {
    try session.host.requireSignIn()
    let workspace = try session.workspace()
    if workspace.isInOperation { throw SyncError.inScript }
    if session.rehearsal.isOn { throw WorkspaceError.rehearsal("sync") }
    let isInUnit = workspace.isInUnit
    defer { if isInUnit { restartUnit(workspace, session) } }
    if isInUnit { try workspace.commitUnit() }
    return try run(workspace, session)
  }

  /// Begins a new unit of work after one was committed for a sync.
  private static func restartUnit(_ workspace: Workspace, _ session: Session) {
    guard workspace.isOpen, !workspace.isInUnit else { return }
    do { try workspace.beginUnit() } catch { session.report(error) }
  }

  /// Syncs as the shell ends if `sync.at_end` is on; an unreachable server delays the end only briefly.
  static func atEnd(_ session: Session) {
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

extension Session {
  /// The last action of an interactive session.
  package func syncAtEnd() { UnattendedSync.atEnd(self) }
}
