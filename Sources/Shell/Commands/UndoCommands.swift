// `undo` and `redo`. Invariant: they name what they did; a step that no longer applies is left as it is, and the
// message gives the reason.

import Bindings
import Commands
import Storage
import Text
import Values
import Workspace

enum UndoCommands {
  static var all: [BuiltIn] { [undo, redo] }

  private static var undo: BuiltIn {
    BuiltIn(
      "undo", effect: .depends { $0.flag("--list") ? .reads : .announces },
      summary: "Undoes the last change, or the step with a given number.", answer: "{step, name, at, changes, undone}",
      details: """
        Each change is a step, in this shell or another one; everything that a script did is one step. A step that is not \
        the last can be undone too, unless what it changed was changed again since. At least 100 steps are stored, or 256 \
        MB. Settings and games are not steps: `set --reset` restores the default of a setting.
        """,
      arguments: [Argument("N", .positive, isOptional: true, help: "the number of a step, as `undo --list` shows it")],
      options: [Option("--list", help: "list the steps, the newest first")], usage: ["undo [N]", "undo --list"],
      complete: { _, _, session in completions(session) }
    ) { invocation, session in
      try invocation.refuse(["N"], beside: "--list")
      if invocation.flag("--list") { return try list(session) }
      let workspace = try session.workspace()
      let number = invocation.optionalInteger("N")
      let next = try workspace.care.nextStep(number, again: false)
      guard session.rehearsal.mayActOutside("undo \(next.name)") else { return CommandResult(record(next)) }
      let step = try session.console.showing("Undoing") { try workspace.care.undo(number, progress: $0) }
      return CommandResult(record(step, isUndone: true), line: "Undone: \(named(step, session))")
    }
  }

  private static var redo: BuiltIn {
    BuiltIn(
      "redo", effect: .announces, summary: "Redoes the step that was undone last.",
      answer: "{step, name, at, changes, undone}", details: "What was undone before a new change cannot be redone."
    ) { _, session in
      let workspace = try session.workspace()
      let next = try workspace.care.nextStep(nil, again: true)
      guard session.rehearsal.mayActOutside("redo \(next.name)") else { return CommandResult(record(next)) }
      let step = try session.console.showing("Redoing") { try workspace.care.redo(progress: $0) }
      return CommandResult(record(step, isUndone: false), line: "Redone: \(named(step, session))")
    }
  }

  /// The step's name and, unless it happened just now, its time.
  private static func named(_ step: UndoStep, _ session: Session) -> String {
    let when = session.since(step.at)
    return printable(step.name, limit: 500) + (when == Session.justNow ? "" : ", \(when)")
  }

  private static func list(_ session: Session) throws -> CommandResult {
    let steps = try session.workspace().care.steps()
    var table = TableText(
      [.init("Step", .right), .init("When"), .init("What")],
      whenEmpty: "There is nothing to undo yet.")
    for step in steps {
      // Placed before the name, because a narrow terminal truncates the end of the line.
      let state = step.isUndone ? "(undone) " : step.isTooLarge ? "(too large to undo) " : ""
      table.add([String(step.id), session.since(step.at), state + step.name])
    }
    return CommandResult(.list(steps.map { record($0) }), .table(table))
  }

  private static func record(_ step: UndoStep, isUndone: Bool? = nil) -> Value {
    .record([
      "step": step.id, "name": step.name, "at": step.at, "changes": step.count, "undone": isUndone ?? step.isUndone,
    ])
  }

  /// Completions: the numbers of steps that can be undone.
  private static func completions(_ session: Session) -> [Offer] {
    do {
      return try session.workspace().care.steps(limit: 100).filter { !$0.isUndone }.map {
        Offer(String($0.id), help: printable($0.name, limit: 60))
      }
    } catch {
      // Completion offers nothing when the command itself will fail.
      return []
    }
  }
}
