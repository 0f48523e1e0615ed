// Selects the history of the signed-in user. Invariant: lines typed while one user is signed in are never visible to
// another.

import Authentication
import Files
import ToggleSettings
import Workspace

extension History {
  /// The history for lines typed now: the user's file, or none while nobody is signed in or when no lines are to be
  /// kept.
  private static func wantedPlace(_ session: Session) -> HistoryPlace {
    let size =
      session.auth.needsAuthentication || session.options.isDryRun ? 0 : session.preferences?.session.historySize ?? 0
    guard size > 0, let path = session.data.historyPath else {
      return HistoryPlace(path: nil, size: 1_000, session: session.state.signOuts)
    }
    return HistoryPlace(path: path, size: size, session: session.state.signOuts)
  }

  static func make(for session: Session) -> History {
    let place = wantedPlace(session)
    session.input.historyPlace = place
    if let path = place.path {
      do {
        try makePrivateFolder(String(path.dropLast("/history".count)))
      } catch {
        session.report(error)
      }
    }
    return History(path: place.path, limit: place.size) { [console = session.console] in console.message($0) }
  }

  /// Switches to another history when the user or a setting has changed.
  static func use(in session: Session) {
    // Without a prompt no history is opened: that would read the settings at each start.
    guard let lineReader = session.input.lineReader else { return }
    let wanted = wantedPlace(session)
    if wanted == session.input.historyPlace { return }
    let isSameUser = wanted.session == session.input.historyPlace?.session
    let lines = lineReader.history.entries
    let fresh = make(for: session)
    // When saving is turned off, the session's own lines remain in the history.
    if isSameUser, session.input.historyPlace?.path == nil { for line in lines { fresh.add(line) } }
    lineReader.history = fresh
  }
}

/// Identifies the history in use.
struct HistoryPlace: Equatable {
  let path: String?
  let size: Int
  let session: Int
}
