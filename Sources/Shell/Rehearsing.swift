// Runs a command in a dry run: as a unit of work that is rolled back, followed by a list of what it would have changed.
// Invariant: whatever the result, no change is kept.

import Commands
import Storage
import Text
import Values
import Workspace

struct RehearsalRun {
  let session: Session
  private static let shown = 5

  init(_ session: Session) { self.session = session }

  /// Runs a command that changes data as a unit of work, and rolls it back.
  func run(asJSON: Bool, _ body: () throws -> CommandResult) throws -> CommandResult {
    let workspace = try session.workspace()
    let announced = session.rehearsal.announcedCount
    try workspace.beginUnit()
    let changes: [PendingChanges]
    do {
      let result = try body()
      // The command's own output (refused rows) is useful, but only for people.
      if !asJSON, case .lines(let lines) = result.display {
        for line in lines { session.console.note("dry run: " + line) }
      }
      // A sign-out within the command has already closed the data.
      changes = workspace.isInUnit ? try workspace.pendingChanges(limit: asJSON ? nil : Self.shown) : []
    } catch {
      if workspace.isInUnit { try workspace.rollbackUnit() }
      throw error
    }
    if workspace.isInUnit { try workspace.rollbackUnit() }
    return CommandResult(.list(changes.flatMap(\.records)), .lines(lines(changes, since: announced)))
  }

  static let nothingWasChanged = "Nothing was changed (--dry-run)."

  /// One line per kind of change: `Would add 1,204 cards: el perro, el gato, …`
  /// - Parameter announced: how many effects outside the unit of work had been announced before it.
  func lines(_ changes: [PendingChanges], since announced: Int) -> [String] {
    if changes.isEmpty, session.rehearsal.announcedCount == announced { return ["Nothing would change."] }
    return changes.map { change in
      var line = "Would \(verb(change)) \(session.counted(change.count, change.noun, plural(change.noun)))"
      let names = change.names.prefix(Self.shown).map { printable($0, limit: 40) }
      if !names.isEmpty { line += ": " + names.joined(separator: ", ") + (change.count > names.count ? ", …" : "") }
      return line
    } + [Self.nothingWasChanged]
  }

  private func verb(_ change: PendingChanges) -> String {
    switch change.kind {
    case .added: "add"
    case .changed: "change"
    case .removed: "remove"
    }
  }

  private func plural(_ noun: String) -> String? { noun.hasPrefix("row of ") ? "rows" + noun.dropFirst(3) : nil }
}
