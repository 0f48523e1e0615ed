// The effect of a command on stored data, as it declares it; `--dry-run` depends on it.
// Invariant: every command declares its effect; a command from Lua that acts on anything beyond the stored data checks
// for a dry run itself.

/// The effect of a command on stored data.
///
///     .depends { $0.optionalText("VALUE") == nil ? .reads : .changes }
public enum CommandEffect {
  /// Only reads, or changes nothing that outlives the session.
  case reads
  /// Changes cards, documents, games or settings, by operations that a unit of work can roll back.
  case changes
  /// Changes accounts, or what only the program knows. No unit of work can roll that back, so a dry run refuses it.
  case acts
  /// Makes its own unit of work, which a dry run rolls back.
  case makesUnit
  /// Checks for a dry run before it does anything, and then only reports what it would do.
  case announces
  /// Depends on the arguments (`set` shows, `set NAME VALUE` changes).
  case depends((Invocation) -> CommandEffect)
}

extension Command {
  public func effect(of invocation: Invocation) -> CommandEffect {
    if case .depends(let decide) = effect { return decide(invocation) }
    return effect
  }

  /// Whether a dry run runs it in a unit of work that is rolled back.
  public func isRehearsedByUnit(_ invocation: Invocation) -> Bool {
    if case .changes = effect(of: invocation) { return true }
    return false
  }

  /// Refuses, in a dry run, what could not be rolled back.
  /// - Parameter isRehearsed: whether this is a dry run.
  /// - Throws: `.notRehearsed`.
  public func checkRehearsal(of invocation: Invocation, isRehearsed: Bool) throws(CommandError) {
    guard isRehearsed else { return }
    switch effect(of: invocation) {
    case .reads, .makesUnit, .announces, .changes: return
    case .acts, .depends: throw .notRehearsed(command: name)
    }
  }
}
