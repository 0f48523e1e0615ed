// What a command does to what is kept, as it declares it: `--dry-run` goes by this.
// Invariant: every command declares its effect; one that is described by a plugin is taken to act.

/// What a command does to what is stored.
///
///     .depends { $0.optionalText("VALUE") == nil ? .reads : .changes }
public enum CommandEffect {
  /// It only reads, or changes nothing that outlives the session.
  case reads
  /// It changes cards, documents, games or settings, by operations that a unit of work can take back.
  case changes
  /// It writes files, changes accounts or plugins, or runs code that may do anything: no unit of work takes that back.
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

  /// Refuses in a rehearsal what could not be taken back.
  /// - Parameters:
  ///   - isRehearsed: whether this is a rehearsal at all.
  ///   - isInUnit: a unit of work is under way, which the rehearsal takes back.
  /// - Throws: `.notRehearsed`.
  public func checkRehearsal(of invocation: Invocation, isRehearsed: Bool, isInUnit: Bool) throws(CommandError) {
    guard isRehearsed else { return }
    switch effect(of: invocation) {
    case .reads, .makesUnit, .announces: return
    case .changes where isInUnit: return
    case .changes, .acts, .depends: throw .notRehearsed(command: name)
    }
  }
}
