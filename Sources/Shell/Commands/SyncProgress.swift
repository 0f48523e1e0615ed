// The progress line of a sync. Invariant: it is redrawn while the server is silent, and removed when the sync ends or
// asks a question.

import Bindings
import Sync
import Workspace

final class SyncProgress {
  private let session: Session
  private var label = ""
  private var bar: (any ProgressReporting)?
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
