// Reads the words after a command's name into its arguments and options by name. Invariant: parsing and completion both
// read a line with this, so the parser accepts what Tab offers; an invocation is complete, each value of its kind.

public import Problems
import Text

/// A value, and whether the user typed it; false for a value from the words of a plugin's alias.
typealias GivenValue = (text: String, isTyped: Bool)

struct WordScanner {
  let command: Command
  private(set) var positionals: [GivenValue] = []
  private(set) var given: [(option: Option, value: GivenValue?)] = []
  /// The option whose value is the next word.
  private(set) var pending: Option?
  /// True after `--` or at an argument that takes words verbatim: no further word is an option.
  private(set) var takesOnlyValues = false
  private(set) var wantsHelp = false

  init(_ command: Command) {
    self.command = command
    closeOptionsIfVerbatim()
  }

  mutating func take(_ word: String, isTyped: Bool = true) throws(CommandError) {
    if let option = pending {
      let isOther = word == "--" || command.allOptions.contains { $0.name == word }
      guard !isOther else { throw missingValue(option) }
      pending = nil
      try add(option, (word, isTyped))
    } else if takesOnlyValues || !isOption(word) {
      positionals.append((word, isTyped))
      closeOptionsIfVerbatim()
    } else if word == "--" {
      takesOnlyValues = true
    } else if word.hasPrefix("--") {
      try takeLong(word, isTyped)
    } else {
      try takeShort(word, isTyped)
    }
  }

  /// Takes the options at the beginning of the words, but no word of the last `kept`.
  /// - Returns: whether `--` ended them.
  mutating func takeOptions(_ words: inout ArraySlice<String>, keeping kept: Int = 0) throws(CommandError) -> Bool {
    while words.count > kept, let word = words.first, pending != nil || isOption(word) {
      words.removeFirst()
      if pending == nil, word == "--" { return true }
      try take(word)
    }
    return false
  }

  /// Throws if the last option still needs its value.
  func finish() throws(CommandError) { if let option = pending { throw missingValue(option) } }

  func isOption(_ word: String) -> Bool {
    guard word.hasPrefix("-"), word != "-" else { return false }
    if word.hasPrefix("--") { return true }
    if command.argument(at: positionals.count)?.kind == .query { return false }
    let isNumber = word.dropFirst().unicodeScalars.first.map { ("0"..."9").contains($0) || $0 == "." } ?? false
    return !isNumber
      || word.dropFirst().first.map { letter in command.options.contains { $0.isNamed(letter) } } ?? false
  }

  private mutating func closeOptionsIfVerbatim() {
    if command.argument(at: positionals.count)?.kind == .verbatim { takesOnlyValues = true }
  }

  private mutating func takeLong(_ word: String, _ isTyped: Bool) throws(CommandError) {
    let parts = word.split(at: "=", maxSplits: 1).map(String.init)
    guard let option = command.allOptions.first(where: { $0.name == parts[0] }) else { throw unknown(parts[0]) }
    if !option.takesValue {
      guard parts.count == 1 else { throw .unwantedValue(command: command.name, option: option.name) }
      return try add(option, nil)
    }
    guard parts.count == 2 else { return pending = option }
    try add(option, (parts[1], isTyped))
  }

  /// `-x`, `-x VALUE`, `-xVALUE`, and combined flags such as `-xy`.
  private mutating func takeShort(_ word: String, _ isTyped: Bool) throws(CommandError) {
    var letters = word.dropFirst()
    while let letter = letters.popFirst() {
      guard let option = command.options.first(where: { $0.isNamed(letter) }) else { throw unknown(word) }
      if option.takesValue {
        guard !letters.isEmpty else { return pending = option }
        return try add(option, (String(letters), isTyped))
      }
      try add(option, nil)
    }
  }

  private mutating func add(_ option: Option, _ value: GivenValue?) throws(CommandError) {
    if option.name == Option.wantsHelp.name { wantsHelp = true }
    if option.takesValue, !option.isRepeating, given.contains(where: { $0.option.name == option.name }) {
      throw .repeatedOption(command: command.name, option: option.name)
    }
    given.append((option, value))
  }

  private func missingValue(_ option: Option) -> CommandError {
    .missingValue(command: command.name, option: option.name, valueName: option.valueName ?? "")
  }

  private func unknown(_ name: String) -> CommandError {
    let near = name.hasPrefix("--") ? suggestion(for: name, among: command.allOptions.map(\.name)) : nil
    return .unknownOption(command: command.name, name, suggestion: near)
  }

  /// Makes the invocation from the words taken, and checks that none is missing and each is of its kind.
  func invocation() throws(CommandError) -> Invocation {
    var values = try assigned()
    var flags: Set<String> = []
    for (option, value) in given {
      if let value { values[option.name, default: []].append(value) } else { flags.insert(option.name) }
    }
    for argument in command.arguments { try check(values[argument.name], argument.kind, name: argument.name) }
    for option in command.options { try check(values[option.name], option.kind, name: option.name) }
    return Invocation(command, values: values, flags: flags)
  }

  private func check(_ values: [GivenValue]?, _ kind: ValueKind, name: String) throws(CommandError) {
    for value in values?.map(\.text) ?? [] {
      guard let expected = kind.refusal(of: value) else { continue }
      throw .badValue(command: command.name, name: name, value: value, expected: expected)
    }
  }

  /// Assigns the values to arguments from left to right. A repeating argument leaves one for each after it.
  private func assigned() throws(CommandError) -> [String: [GivenValue]] {
    let arguments = command.arguments
    let repeating = arguments.firstIndex(where: \.takesRest)
    let behind = repeating.map { arguments.count - $0 - 1 } ?? 0
    let needed = arguments.count { !$0.isOptional }
    guard positionals.count >= needed else { throw missing() }
    var values: [String: [GivenValue]] = [:]
    var left = positionals[...]
    for (index, argument) in arguments.enumerated() where !left.isEmpty {
      let take = index == repeating ? max(0, left.count - behind) : 1
      if take > 0 { values[argument.name] = Array(left.prefix(take)) }
      left = left.dropFirst(take)
    }
    if let extra = left.first { throw .extraArgument(command: command.name, extra.text, usage: command.usageText) }
    return values
  }

  private func missing() -> CommandError {
    let required = command.arguments.filter { !$0.isOptional }
    let name = positionals.count < required.count ? required[positionals.count].name : ""
    return .missingArgument(command: command.name, name, usage: command.usageText)
  }
}

extension Command {
  /// Parses the options at the beginning of the words. `rest` begins with the first word that is not an option: a
  /// program's own options come before a command with its own words. `--` ends the options.
  public func leadingOptions(of words: [String]) throws(CommandError) -> (Invocation, rest: ArraySlice<String>) {
    var (scanner, rest) = (WordScanner(self), words[...])
    _ = try scanner.takeOptions(&rest)
    try scanner.finish()
    return (try scanner.invocation(), rest)
  }

  /// Extracts a program's own options from the words after a command, unless the command has an option of that name.
  /// - Parameter words: the words after the command's name.
  /// - Returns: the options with their values, and the other words in order.
  public func withdrawing(_ options: [Option], from words: ArraySlice<String>) -> (taken: [String], rest: [String]) {
    var (scanner, words, taken, rest) = (WordScanner(self), words, [String](), [String]())
    while let word = words.popFirst() {
      let name = String(word.split(at: "=", maxSplits: 1)[0])
      let isOwn = scanner.pending != nil || scanner.takesOnlyValues || allOptions.contains { $0.name == name }
      if !isOwn, let option = options.first(where: { $0.name == name }) {
        taken.append(word)
        if option.takesValue, name == word, let value = words.popFirst() { taken.append(value) }
        continue
      }
      rest.append(word)
      do throws(CommandError) { try scanner.take(word) } catch {
        // Wrong words are left to the command itself, which rejects them.
        return (taken, rest + words)
      }
    }
    return (taken, rest)
  }
}

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

  public func badValue(_ name: String, _ value: String, expected: String) -> CommandError {
    .badValue(command: command.name, name: name, value: value, expected: expected)
  }

  /// The words of a query argument, joined: quoted as one, it means the same as in Lua. Nil if there are none.
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
