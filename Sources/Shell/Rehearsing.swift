// A rehearsed command: it runs in a unit of work that is taken back, and what it would have changed is shown.
// Invariant: whatever it ends with, nothing of it is kept.

import Commands
import Storage
import Text
import Values
import Workspace

struct RehearsalRun {
  let session: Session
  private static let shown = 5

  init(_ session: Session) { self.session = session }

  /// Runs a command that changes data as a unit that is taken back.
  func run(asJSON: Bool, _ body: () throws -> CommandResult) throws -> CommandResult {
    let workspace = try session.workspace()
    try workspace.beginUnit()
    let changes: [PendingChanges]
    do {
      let result = try body()
      // What it says of itself (refused rows) is of use, but for people only.
      if !asJSON, case .lines(let lines) = result.display {
        for line in lines { session.console.note("dry run: " + line) }
      }
      // A sign-out within it has closed the data already.
      changes = workspace.isInUnit ? try workspace.pendingChanges(limit: asJSON ? nil : Self.shown) : []
    } catch {
      if workspace.isInUnit { try workspace.rollbackUnit() }
      throw error
    }
    if workspace.isInUnit { try workspace.rollbackUnit() }
    return CommandResult(.list(changes.flatMap(\.records)), .lines(lines(changes)))
  }

  static let nothingWasChanged = "Nothing was changed (--dry-run)."

  /// `Would add 1,204 cards: el perro, el gato, …`
  func lines(_ changes: [PendingChanges]) -> [String] {
    if changes.isEmpty { return ["Nothing would change."] }
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
