// The lines that the user typed, for arrow keys, Ctrl-R and the command `history`. Invariant: no line occurs twice or
// starts with whitespace; no secret ever gets into the history, and no line of one user is visible to another.

import Authentication
import Files
import Text
import ToggleSettings
import Workspace

package final class History {
  /// The maximum number of lines; the newest are kept.
  package let limit: Int
  /// The lines, oldest first.
  package private(set) var entries: [String]
  private var failed: Set<String> = []
  private let file: HistoryFile?
  private let warn: (String) -> Void
  private var hasWarned = false

  /// - Parameters:
  ///   - path: the history file; nil keeps the history of this session only.
  ///   - warn: called at most once, with one line, when the file cannot be used.
  package init(path: String?, limit: Int = 10_000, warn: @escaping (String) -> Void = { _ in }) {
    (self.limit, self.warn) = (max(1, limit), warn)
    file = path.map { HistoryFile(path: $0, limit: max(1, limit)) }
    entries = []
    guard let file else { return }
    let loaded = file.load()
    (entries, failed) = (loaded.entries, loaded.failed)
    if let trouble = loaded.trouble { warnOnce(trouble) }
  }

  package struct Change: Equatable {
    /// The former index, from 0, of the equal line that was removed.
    package let removed: Int?
  }

  /// Adds a line as the newest and removes an equal older one. Returns nil when the line is not kept: it is secret or
  /// empty, begins with whitespace, contains a NUL, or is too long.
  @discardableResult package func add(_ line: String, isSecret: Bool = false) -> Change? {
    guard !isSecret, let first = line.unicodeScalars.first, !first.properties.isWhitespace,
      line.utf8.count <= HistoryFile.longestEntry, !line.utf8.contains(0)
    else { return nil }
    let removed = entries.lastIndex(of: line)
    if let removed { entries.remove(at: removed) }
    entries.append(line)
    if entries.count > limit { entries.removeFirst(entries.count - limit) }
    if removed != entries.count - 1 {
      failed.remove(line)
      if let file, let trouble = file.append(line) { warnOnce(trouble) }
    }
    return Change(removed: removed)
  }

  /// Records whether a remembered line failed; a line that failed is no longer suggested.
  package func note(_ line: String, hasFailed: Bool) {
    guard failed.contains(line) != hasFailed, entries.contains(line) else { return }
    if hasFailed { failed.insert(line) } else { failed.remove(line) }
    if let file, let trouble = file.append(line, hasFailed: hasFailed) { warnOnce(trouble) }
  }

  package func hasFailed(_ line: String) -> Bool { failed.contains(line) }

  /// The lines that contain the word, case-insensitively, oldest first; all lines for an empty word.
  package func lines(containing word: String = "") -> [String] {
    if word.isEmpty { return entries }
    let wanted = word.lowercased()
    return entries.filter { $0.lowercased().contains(text: wanted) }
  }

  private func warnOnce(_ trouble: String) {
    if !hasWarned { warn(trouble) }
    hasWarned = true
  }

  /// The history for lines typed now: the user's file, or none while nobody is signed in or no line is kept.
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
      do { try makePrivateFolder(String(path.dropLast("/history".count))) } catch { session.report(error) }
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

struct HistoryPlace: Equatable {
  let path: String?
  let size: Int
  let session: Int
}
