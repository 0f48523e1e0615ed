// Why a step cannot be undone or redone. Invariant: when one of these is thrown, nothing was changed.

public import Problems
import Text

public enum UndoError: Problem, Equatable {
  case nothingToUndo
  case nothingToRedo
  case noStep(Int)
  /// The step is already undone, or it is not undone and so cannot be redone.
  case notNow(String, isUndone: Bool)
  /// The step changed more than is stored for undoing.
  case tooLarge(String)
  /// Other steps have changed the same rows since.
  case changedSince(String, by: [String])
  /// The rows are not as the step left them.
  case differs(String, what: String)
  /// A unit of work that has changed something is active.
  case inUnit
  case unreadable(String)

  public var report: ProblemReport {
    switch self {
    case .nothingToUndo: ProblemReport(.nothingToUndo, "Nothing to do", "there is nothing to undo")
    case .nothingToRedo: ProblemReport(.nothingToRedo, "Nothing to do", "there is nothing to redo")
    case .noStep(let id):
      ProblemReport(.notFound, "No such step", "there is no step \(id); `undo --list` shows the steps")
    case .notNow(let name, let isUndone):
      ProblemReport(
        .cannotUndo, "Cannot be undone",
        UndoStep.quoted(name) + (isUndone ? " is already undone; `redo` does it again" : " is not undone"))
    case .tooLarge(let name):
      ProblemReport(
        .cannotUndo, "Cannot be undone",
        "\(UndoStep.quoted(name)) changed more than undo can store; nothing was changed")
    case .changedSince(let name, let others):
      ProblemReport(
        .undoConflict, "Changed since",
        "\(UndoStep.quoted(name)) cannot be undone or redone because of later changes: "
          + others.map { UndoStep.quoted($0) }.joined(separator: ", ") + "; undo those first; nothing was changed")
    case .differs(let name, let what):
      ProblemReport(
        .undoConflict, "Changed since",
        "\(UndoStep.quoted(name)) cannot be undone or redone: \(printable(what)); nothing was changed")
    case .inUnit:
      ProblemReport(
        .cannotUndo, "Not within other changes",
        "undo, redo and reading at a step are not possible within other changes; do it before the first of them")
    case .unreadable(let name):
      ProblemReport(
        .cannotUndo, "Cannot be undone",
        "the undo data of \(UndoStep.quoted(name)) cannot be read; nothing was changed")
    }
  }
}

extension UndoStep {
  /// Returns a step's name as messages quote it: in single quotes, because the name itself may quote a card.
  public static func quoted(_ name: String) -> String { "'\(printable(name))'" }
}
