// The history of whoever is signed in. Invariant: nothing typed while one user is signed in is found by another.

import Authentication
import Files
import ToggleSettings
import Workspace

extension History {
  /// Where the lines go that are typed now: the user's file, or nowhere while nobody is signed in or none are to be
  /// kept.
  private static func wantedPlace(_ session: Session) -> HistoryPlace {
    let size = session.gate.needsAuthentication || session.options.isDryRun ? 0 : session.preferences?.historySize ?? 0
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

  /// Changes to another history when the user or a setting has changed.
  static func use(in session: Session) {
    // Without a prompt nothing is opened for it: the settings would be read at each start.
    guard let lineReader = session.input.lineReader else { return }
    let wanted = wantedPlace(session)
    if wanted == session.input.historyPlace { return }
    let isSameUser = wanted.session == session.input.historyPlace?.session
    let lines = lineReader.history.entries
    let fresh = make(for: session)
    // Turned off, the session's own lines can still be found.
    if isSameUser, session.input.historyPlace?.path == nil { for line in lines { fresh.add(line) } }
    lineReader.history = fresh
  }
}

/// Which history is in use.
struct HistoryPlace: Equatable {
  let path: String?
  let size: Int
  let session: Int
}
