// What a command does to what is kept, as it declares it: `--dry-run` goes by this.
// Invariant: every command declares its effect; what one that Lua added does beyond the data asks the rehearsal itself.

/// What a command does to what is stored.
///
///     .depends { $0.optionalText("VALUE") == nil ? .reads : .changes }
public enum CommandEffect {
  /// It only reads, or changes nothing that outlives the session.
  case reads
  /// It changes cards, documents, games or settings, by operations that a unit of work can take back.
  case changes
  /// It changes accounts, or what only the program knows: no unit of work takes that back, and a rehearsal refuses it.
  case acts
  /// It makes a unit of work of its own, which a rehearsal takes back.
  case makesUnit
  /// It asks the rehearsal before it does anything, and then only tells what it would do.
  case announces
  /// What was asked for decides (`set` shows, `set NAME VALUE` changes).
  case depends((Invocation) -> CommandEffect)
}

extension Command {
  /// The effect of one use.
  public func effect(of invocation: Invocation) -> CommandEffect {
    if case .depends(let decide) = effect { return decide(invocation) }
    return effect
  }

  /// Whether a rehearsal runs it in a unit of work that it takes back.
  public func isRehearsedByUnit(_ invocation: Invocation) -> Bool {
    if case .changes = effect(of: invocation) { return true }
    return false
  }

  /// Refuses in a rehearsal what could not be taken back.
  /// - Parameter isRehearsed: whether this is a rehearsal at all.
  /// - Throws: `.notRehearsed`.
  public func checkRehearsal(of invocation: Invocation, isRehearsed: Bool) throws(CommandError) {
    guard isRehearsed else { return }
    switch effect(of: invocation) {
    case .reads, .makesUnit, .announces, .changes: return
    case .acts, .depends: throw .notRehearsed(command: name)
    }
  }
}
