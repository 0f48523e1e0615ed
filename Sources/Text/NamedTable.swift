// What plugins, scripts and the user add to the program under a name: modes of games, exercises.
// Invariant: a name has one owner, which alone removes it; what a plugin offers is loaded when its name is first used.

public import Problems

/// Why a name cannot be given to something, or nothing has it.
public enum NameProblem: Problem, Equatable {
  case taken(kind: String, name: String, owner: Owner)
  /// `reason` says which plugin has it, and why the plugin cannot be used; nil if none has it.
  case unknown(ProblemCode.Failure, kind: String, name: String, names: [String], reason: String?)

  public var report: ProblemReport {
    switch self {
    case .taken(let kind, let name, let owner):
      ProblemReport(
        .exists, "The \(kind) already exists",
        "\(kind) \(quoted(name)) already exists"
          + (owner == .program ? ", built in" : ", of \(owner.plugin?.description ?? owner.description)"))
    case .unknown(let code, let kind, let name, let names, let reason):
      ProblemReport(
        code, "Unknown \(kind)",
        "no \(kind) is called \(quoted(name))"
          + (reason.map { ": " + $0 }
            ?? didYouMean(name, among: names) + "; there are \(names.map { printable($0) }.joined(separator: ", "))"),
        ["suggestion": suggestion(for: name, among: names)])
    }
  }
}

/// Things by name, in the order in which they were added.
///
///     let modes = NamedTable<Mode>("mode", .unknownMode)
///     try modes.add(sixes, "sixes", summary: sixes.summary, owner: .user)
///     try modes.named("hangman")   // loads the plugin that offers it
public final class NamedTable<Thing> {
  public let kind: String
  private let unknown: ProblemCode.Failure
  public private(set) var entries: [(name: String, summary: String, thing: Thing, owner: Owner)]
  /// Called before something is removed or replaced.
  private let willRemove: (Thing) -> Void
  /// The names that plugins offer, loaded or not, with the plugins' summaries.
  public var offered: () -> [(name: String, summary: String)] = { [] }
  /// Loads the plugin that offers a name; nil loads those of all names, and only reports a failure.
  public var load: (_ name: String?) throws -> Void = { _ in }
  /// Returns which plugin has a name that is not offered, and why the plugin cannot be used.
  public var reasonForMissing: (String) -> String? = { _ in nil }

  /// - Parameters:
  ///   - unknown: the code of the problem of a name that nothing has.
  ///   - own: what the program has.
  public init(
    _ kind: String, _ unknown: ProblemCode.Failure, own: [(name: String, summary: String, thing: Thing)] = [],
    willRemove: @escaping (Thing) -> Void = { _ in }
  ) {
    (self.kind, self.unknown, self.willRemove) = (kind, unknown, willRemove)
    entries = own.map { ($0.name, $0.summary, $0.thing, .program) }
  }

  /// All names that can be used, each with what it is.
  public var names: [(name: String, summary: String)] {
    entries.map { ($0.name, $0.summary) } + offered().filter { owner(of: $0.name) == nil }
  }

  public func owner(of name: String) -> Owner? { entries.first { $0.name == name }?.owner }

  /// Adds something; the user's own things replace each other.
  /// - Throws: `.taken`.
  public func add(_ thing: Thing, _ name: String, summary: String, owner: Owner) throws(NameProblem) {
    let added = (name, summary, thing, owner)
    guard let place = entries.firstIndex(where: { $0.name == name }) else { return entries.append(added) }
    let taken = entries[place]
    guard owner == .user, taken.owner == .user else { throw .taken(kind: kind, name: name, owner: taken.owner) }
    willRemove(taken.thing)
    entries[place] = added
  }

  /// Removes everything of an owner; what the program has stays.
  public func remove(owner: Owner) {
    guard owner != .program else { return }
    for entry in entries where entry.owner == owner { willRemove(entry.thing) }
    entries.removeAll { $0.owner == owner }
  }

  /// Returns what has a name, or is offered under it.
  /// - Throws: `.unknown`, and the error of loading its plugin.
  public func named(_ name: String) throws -> Thing {
    if owner(of: name) == nil { try load(name) }
    if let entry = entries.first(where: { $0.name == name }) { return entry.thing }
    throw NameProblem.unknown(
      unknown, kind: kind, name: name, names: names.map(\.name), reason: reasonForMissing(name))
  }
}
