// The lines that were typed, for arrow keys, Ctrl-R and the command `history`.
// Invariant: no line is in it twice, none starts with a blank, and no secret is ever in it or in its file.

import Text

package final class History {
  /// At most this many lines are kept, the newest.
  package let limit: Int
  /// Oldest first.
  package private(set) var entries: [String]
  /// Those that failed when they ran last.
  private var failed: Set<String> = []
  private let file: HistoryFile?
  private let warn: (String) -> Void
  private var hasWarned = false

  /// - Parameters:
  ///   - path: nil keeps the history of this session only.
  ///   - warn: told at most once that the file cannot be used, in one line.
  package init(path: String?, limit: Int = 10_000, warn: @escaping (String) -> Void = { _ in }) {
    self.limit = max(1, limit)
    self.warn = warn
    file = path.map { HistoryFile(path: $0, limit: max(1, limit)) }
    entries = []
    guard let file else { return }
    let loaded = file.load()
    (entries, failed) = (loaded.entries, loaded.failed)
    if let trouble = loaded.trouble { tell(trouble) }
  }

  package struct Change: Equatable {
    /// The index from 0 of the equal line that went.
    package let removed: Int?
  }

  /// Adds a line as the newest; an equal one that was there before goes. Nil when the line is not kept: it is secret,
  /// blank, begins with a blank, or is too long.
  @discardableResult package func add(_ line: String, isSecret: Bool = false) -> Change? {
    guard !isSecret, Self.isKept(line) else { return nil }
    let removed = entries.lastIndex(of: line)
    if let removed { entries.remove(at: removed) }
    entries.append(line)
    if entries.count > limit { entries.removeFirst(entries.count - limit) }
    if removed != entries.count - 1 {
      failed.remove(line)
      if let file, let trouble = file.append(line) { tell(trouble) }
    }
    return Change(removed: removed)
  }

  /// Notes of a line that was added whether it failed.
  package func note(_ line: String, hasFailed: Bool) {
    guard failed.contains(line) != hasFailed, entries.contains(line) else { return }
    if hasFailed { failed.insert(line) } else { failed.remove(line) }
    if let file, let trouble = file.append(line, hasFailed: hasFailed) { tell(trouble) }
  }

  /// Whether a line failed when it ran last.
  package func hasFailed(_ line: String) -> Bool { failed.contains(line) }

  /// The lines that hold the word, case aside, oldest first; all of them without one.
  package func lines(containing word: String = "") -> [String] {
    if word.isEmpty { return entries }
    let wanted = word.lowercased()
    return entries.filter { $0.lowercased().contains(text: wanted) }
  }

  private static func isKept(_ line: String) -> Bool {
    guard let first = line.unicodeScalars.first else { return false }
    return !first.properties.isWhitespace && line.utf8.count <= HistoryFile.longestEntry && !line.utf8.contains(0)
  }

  private func tell(_ trouble: String) {
    if !hasWarned { warn(trouble) }
    hasWarned = true
  }
}
