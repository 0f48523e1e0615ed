// Why a step cannot be undone or redone. Invariant: when one of these is thrown nothing was changed.

public import Problems
import Text

public enum UndoError: Problem, Equatable {
  case nothingToUndo
  case nothingToRedo
  case noStep(Int)
  /// The step is undone, or was never.
  case notNow(String, isUndone: Bool)
  /// It changed more than is stored for undoing.
  case tooLarge(String)
  /// What it changed was changed again by other steps.
  case changedSince(String, by: [String])
  /// What it changed is not as the step left it.
  case differs(String, what: String)
  /// A unit of work that has changed something is under way.
  case inUnit
  case unreadable(String)

  public var code: String {
    switch self {
    case .nothingToUndo: "nothing_to_undo"
    case .nothingToRedo: "nothing_to_redo"
    case .noStep: "not_found"
    case .notNow, .inUnit, .tooLarge, .unreadable: "cannot_undo"
    case .changedSince, .differs: "undo_conflict"
    }
  }

  public var title: String {
    switch self {
    case .nothingToUndo, .nothingToRedo: "Nothing to do"
    case .noStep: "No such step"
    case .notNow, .inUnit, .tooLarge, .unreadable: "Cannot be undone"
    case .changedSince, .differs: "Changed since"
    }
  }

  public var message: String {
    switch self {
    case .nothingToUndo: "there is nothing to undo"
    case .nothingToRedo: "there is nothing to redo"
    case .noStep(let id): "there is no step \(id); `undo --list` shows the steps"
    case .notNow(let name, let isUndone):
      isUndone ? "\(quoted(name)) is undone already; `redo` does it again" : "\(quoted(name)) is not undone"
    case .tooLarge(let name): "\(quoted(name)) changed more than is kept for undoing; nothing was changed"
    case .changedSince(let name, let others):
      "\(quoted(name)) no longer fits, because of what was done since: \(others.map { quoted($0) }.joined(separator: ", "))"
        + "; undo that first; nothing was changed"
    case .differs(let name, let what):
      "\(quoted(name)) no longer fits: \(printable(what)); nothing was changed"
    case .inUnit: "undoing is a step of its own: it cannot be done among other changes"
    case .unreadable(let name): "what is kept of \(quoted(name)) cannot be read; nothing was changed"
    }
  }
}
