// One invocation of a command: its arguments and options by name, checked against the description.
// Invariant: everything that the description requires is present, and every value is of its kind; a command only reads
// it.

public import Problems

/// One invocation of a command.
///
///     invocation.text("DECK")               // "Spanish"
///     invocation.optionalInteger("--limit")   // nil when it was left out
///     invocation.flag("--reversed")
public struct Invocation {
  public let command: Command
  public let wantsJSON: Bool
  /// The plugin whose alias the words began with; the command runs with its rights.
  public internal(set) var aliasOwner: Owner?
  private let values: [String: [GivenValue]]
  private let flags: Set<String>

  init(_ command: Command, values: [String: [GivenValue]], flags: Set<String>) {
    (self.command, self.values, self.flags) = (command, values, flags)
    wantsJSON = flags.contains(Option.json.name)
  }

  /// The value of an argument that the command requires.
  public func text(_ name: String) -> String { optionalText(name) ?? "" }

  /// The value of an argument (`DECK`) or an option (`--deck`); nil if it was left out.
  public func optionalText(_ name: String) -> String? { list(name).last }

  /// All values of a repeating argument or option, in the order given.
  public func list(_ name: String) -> [String] {
    assert(isDeclared(name), "\(command.name) does not declare \(name)")
    return values[name]?.map(\.text) ?? []
  }

  public func optionalInteger(_ name: String) -> Int? { optionalText(name).flatMap { Int($0) } }

  public func optionalNumber(_ name: String) -> Double? { optionalText(name).flatMap { Double($0) } }

  public func flag(_ name: String) -> Bool {
    assert(isDeclared(name), "\(command.name) does not declare \(name)")
    return flags.contains(name)
  }

  /// Whether an argument or an option was given.
  public func has(_ name: String) -> Bool {
    assert(isDeclared(name), "\(command.name) does not declare \(name)")
    return flags.contains(name) || values[name] != nil
  }

  /// - Throws: `CommandError.clash` if more than one of these arguments and options was given.
  public func allowOne(of names: [String]) throws(CommandError) {
    let given = names.filter(has)
    if given.count > 1 { throw .clash(command: command.name, given[0], given[1]) }
  }

  /// - Throws: `CommandError.clash` if one of `others` was given together with an argument or option that excludes it.
  public func refuse(_ others: [String], beside name: String) throws(CommandError) {
    guard has(name), let other = others.first(where: has) else { return }
    throw .clash(command: command.name, name, other)
  }

  /// - Throws: `CommandError.idleOption` if an option was given without the one, or one of those, that it depends on.
  public func require(_ others: String..., beside name: String) throws(CommandError) {
    guard has(name), !others.contains(where: has) else { return }
    throw .idleOption(command: command.name, name, beside: others.joined(separator: " or "))
  }

  /// The error for an argument that is missing, but needed with what was given.
  public func missing(_ name: String) -> CommandError {
    .missingArgument(command: command.name, name, usage: command.usageText)
  }

  /// The words of a query argument, joined: one quoted argument means what the same query means in Lua. Nil if there
  /// are none.
  public func query(_ name: String) -> String? {
    let words = list(name)
    return words.isEmpty ? nil : words.joined(separator: " ")
  }

  /// The files that the user typed for arguments and options that declare the given access.
  public func files(for access: FileAccess) -> [String] {
    let takers =
      command.arguments.filter { $0.kind == .file && $0.access.contains(access) }.map(\.name)
      + command.options.filter { $0.takesValue && $0.kind == .file && $0.access.contains(access) }.map(\.name)
    return takers.flatMap { values[$0] ?? [] }.filter(\.isTyped).map(\.text)
  }

  private func isDeclared(_ name: String) -> Bool {
    command.arguments.contains { $0.name == name } || command.allOptions.contains { $0.name == name }
  }
}
