// All commands, built in or of plugins: lookup, parsing and listing.
// Invariant: names are unique, and every command has a description that parsing, help and completion can read.
// The program's own commands are described when a command is first looked up: a Lua script needs none when it starts.

public import Problems
import Text

/// Commands that share their first word.
public struct CommandGroup {
  public let name: String
  public let summary: String
  /// Sorted by name.
  public let commands: [Command]
}

public final class CommandRegistry {
  public enum Match {
    /// `rest` are the words after the command's name.
    case command(Command, rest: [String])
    case group(CommandGroup)
  }

  /// By first word, then by second word ("" for a plain command).
  private var table: [String: [String: Command]] {
    describeOwn()
    return described
  }
  private var described: [String: [String: Command]] = [:]
  /// Returns the commands of the program itself; nil once they were described.
  private var own: (() -> [Command])?
  /// Commands of plugins, to be added after the program's own.
  private var announced: [(commands: [Command], fail: (CommandError) -> Void)] = []
  /// The summaries that help shows for groups, by name.
  public var summaries: [String: String] = [:]
  private var aliasWords: [String: [String]] = [:]
  /// Words that a line may begin with and that no plugin may use: those that end the shell, and Lua's globals.
  public var reservedWords: Set<String> = []
  /// The themes in the order in which `help` lists them; themes not named here follow by name.
  public var themeOrder: [String] = []
  /// Other names of one word of the program's own commands, with their names in lists.
  public var otherNames: [String: String] = [:]
  /// Returns which plugin has a command that is not known, and why the plugin cannot be used.
  public var reasonForMissing: (String) -> String? = { _ in nil }

  /// - Parameter own: returns the program's own commands, which must have unique names and valid descriptions; called
  ///   when a command is first looked up.
  public init(own: (() -> [Command])? = nil) { self.own = own }

  private func describeOwn() {
    guard let own else { return }
    self.own = nil
    for command in own() { described[command.path[0], default: [:]][command.secondWord] = command }
    for (other, name) in otherNames {
      let words = name.split(separator: " ").map(String.init)
      described[other] = words.count < 2 ? described[name] : described[words[0]]?[words[1]].map { ["": $0] }
    }
    let later = announced
    announced = []
    for (commands, fail) in later {
      do throws(CommandError) { try announce(commands, fail: fail) } catch { fail(error) }
    }
  }

  /// Adds the commands of a plugin: at once, or together with the program's own commands if no command was looked up
  /// yet. It stops at the first command that cannot be added.
  /// - Parameter fail: called with the error when commands that were added later fail.
  /// - Throws: the error when they fail at once.
  public func announce(_ commands: [Command], fail: @escaping (CommandError) -> Void) throws(CommandError) {
    if own != nil { return announced.append((commands, fail)) }
    for command in commands { try add(command) }
  }

  public var commands: [Command] {
    table.filter { otherNames[$0.key] == nil }.sorted { $0.key < $1.key }.flatMap { _, commands in
      commands.sorted { $0.key < $1.key }.map(\.value)
    }
  }

  /// All first words that name something: plain commands, groups and aliases.
  public var firstWords: [String] { Array(Set(table.keys).union(aliasWords.keys)).sorted() }

  /// The command with a name of one word, or the one that such an alias stands for.
  public func command(named name: String) -> Command? { command(of: [name]) }

  public func command(of words: [String]) -> Command? {
    do {
      guard case .command(let command, _) = try lookup(words) else { return nil }
      return command
    } catch {
      // An alias that leads nowhere names no command.
      return nil
    }
  }

  func commands(of firstWord: String) -> [Command] { table[firstWord].map { Array($0.values) } ?? [] }
  public func isKnown(_ firstWord: String) -> Bool { table[firstWord] != nil || aliasWords[firstWord] != nil }

  /// Adds a command. A user may redefine their own command; a plugin may not.
  /// - Throws: `.badName`, `.badDescription`, or `.duplicate` naming both owners. Nothing is added or replaced then.
  public func add(_ command: Command) throws(CommandError) {
    try command.checkDescription()
    let second = command.secondWord
    let here = table[command.path[0]] ?? [:]
    // A plain command and a group with the same first word would make a line ambiguous.
    let other = here[second] ?? here[""] ?? (second.isEmpty ? here.values.first : nil)
    let redefines = command.owner == .user && other?.owner == .user && other?.path == command.path
    if let other, !redefines { throw .duplicate(command.name, owner: command.owner, other: other.owner) }
    if command.owner.plugin != nil {
      if aliasWords[command.path[0]] != nil { throw .aliasTaken(command.path[0], owner: command.owner, other: .user) }
      if reservedWords.contains(command.path[0]) { throw .reserved(command.name, owner: command.owner) }
    }
    described[command.path[0], default: [:]][second] = command
    removeAlias(command.path[0])
  }

  /// Removes a command if the given owner added it.
  public func remove(_ path: [String], owner: Owner) {
    guard let first = path.first, case let second = path.count == 2 ? path[1] : "" else { return }
    guard table[first]?[second]?.owner == owner else { return }
    described[first]?[second] = nil
    if described[first]?.isEmpty == true { described[first] = nil }
  }

  public func removeAll(owner: Owner) {
    announced.removeAll { $0.commands.first?.owner == owner }
    for (first, commands) in described {
      let kept = commands.filter { $0.value.owner != owner }
      described[first] = kept.isEmpty ? nil : kept
    }
  }

  /// A plugin's alias, which is a command itself.
  func pluginAlias(named name: String) -> Command? { table[name]?[""].flatMap { $0.pluginAlias == nil ? nil : $0 } }

  public func group(_ name: String) -> CommandGroup? {
    guard let commands = table[name], commands[""] == nil else { return nil }
    return CommandGroup(
      name: name, summary: summaries[name] ?? "", commands: commands.sorted { $0.key < $1.key }.map(\.value))
  }

  /// The command or the group that the words name, with aliases replaced.
  public func lookup(_ words: [String]) throws(CommandError) -> Match { try match(expanded(words)) }

  private func match(_ expanded: ExpandedWords) throws(CommandError) -> Match {
    let words = expanded.words
    guard let first = words.first else { throw .noCommand }
    if let command = table[first]?[""] {
      try expanded.checkRights(to: command)
      return .command(command, rest: Array(words.dropFirst()))
    }
    guard let group = group(first) else {
      throw .unknownCommand(first, suggestion: nearCommand(to: first), reason: reasonForMissing(first))
    }
    guard words.count > 1, !words[1].hasPrefix("-") else { return .group(group) }
    if let command = table[first]?[words[1]] {
      try expanded.checkRights(to: command)
      return .command(command, rest: Array(words.dropFirst(2)))
    }
    throw .unknownSubcommand(group: first, words[1], suggestion: nearCommand(to: words[1], in: group))
  }

  /// Parses the words into a command and its arguments. `--help` anywhere asks for the command `help`.
  /// - Parameter typed: how many of the words, counted from the last, the user typed.
  public func parse(words: [String], typed: Int = .max) throws(CommandError) -> (Command, Invocation) {
    let expanded = try expanded(words, typed: typed)
    switch try match(expanded) {
    case .group(let group):
      if words.contains(Option.wantsHelp.name), let help = try helpInvocation(for: [group.name]) { return help }
      throw .missingSubcommand(group: group.name, group.commands.map { $0.path[1] })
    case .command(let command, let rest):
      var scanner = WordScanner(command)
      for (index, word) in rest.enumerated() {
        try scanner.take(word, isTyped: rest.count - index <= expanded.typed)
        if scanner.wantsHelp, let help = try helpInvocation(for: command.path) { return help }
      }
      try scanner.finish()
      var invocation = try scanner.invocation()
      invocation.aliasOwner = expanded.pluginAliases.first?.owner
      return (command, invocation)
    }
  }

  private func helpInvocation(for path: [String]) throws(CommandError) -> (Command, Invocation)? {
    guard let help = table["help"]?[""] else { return nil }
    var scanner = WordScanner(help)
    let takesMany = help.arguments.first?.takesRest ?? false
    for word in takesMany ? path : [path.joined(separator: " ")] { try scanner.take(word) }
    return (help, try scanner.invocation())
  }

  public var aliases: [(name: String, words: [String])] {
    aliasWords.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  static func summary(ofAlias words: [String]) -> String { "Short for `\(ShellWords.line(of: words))`." }

  /// Makes the words replace the name at the beginning of a line.
  /// - Throws: `.badName`, `.duplicate` if a command has the name, `.reserved` for the word that makes a line Lua.
  public func setAlias(_ name: String, words: [String]) throws(CommandError) {
    guard Command.isUsable(name: name), !words.isEmpty else { throw .badName(name) }
    if name == luaWord { throw .reserved(name, owner: .user) }
    if let other = table[name]?.values.first { throw .duplicate(name, owner: .user, other: other.owner) }
    aliasWords[name] = words
  }

  /// Adds a plugin's alias, which is a command of that plugin; it replaces one that the plugin added before.
  /// - Throws: `.badName`, `.duplicate`, or `.aliasRefused` if the plugin may not run the command.
  public func addPluginAlias(
    _ name: String, _ words: [String], owner: Owner, mayRun: @escaping (Command) -> Bool
  ) throws(CommandError) {
    guard let first = words.first else { throw .badName(name) }
    let command = Command(
      // The command that it stands for is run in its place, with that command's effect.
      path: [name], CommandText(theme: "Plugins", summary: Self.summary(ofAlias: words)), access: .open, effect: .reads,
      arguments: [Argument("ARG", .verbatim, isOptional: true, isRepeating: true)], owner: owner,
      action: .pluginAlias(PluginAlias(words: words, mayRun: mayRun)))
    // A command that does not exist yet is checked when it is run.
    if let here = table[first] {
      let named = here[""] ?? words.dropFirst().first.flatMap { here[$0] }
      let reached = named.map { [$0] } ?? Array(here.values)
      if !reached.contains(where: mayRun) { throw .aliasRefused(name, owner: owner, command: named?.name ?? first) }
    }
    if table[name]?[""]?.pluginAlias != nil { remove([name], owner: owner) }
    try add(command)
  }

  /// Removes an alias; returns whether there was one.
  @discardableResult public func removeAlias(_ name: String) -> Bool { aliasWords.removeValue(forKey: name) != nil }

  /// The words with aliases replaced, those of the user and those of plugins.
  func expanded(_ words: [String], typed: Int = .max) throws(CommandError) -> ExpandedWords {
    var expanded = ExpandedWords(words: words, typed: min(typed, words.count))
    var seen: Set<String> = []
    while let first = expanded.words.first {
      let short = table[first]?[""]
      guard let replacement = aliasWords[first] ?? short?.pluginAlias?.words else { break }
      guard seen.insert(first).inserted else { throw .aliasLoop(first) }
      expanded.replaceFirst(by: replacement, of: short)
    }
    return expanded
  }
}

/// The words of a line while its aliases are replaced.
struct ExpandedWords {
  var words: [String]
  /// How many words at the end the user typed.
  var typed: Int
  var pluginAliases: [Command] = []

  /// - Parameter alias: the plugin's alias; nil for one of the user's own.
  mutating func replaceFirst(by replacement: [String], of alias: Command?) {
    let wasTyped = typed == words.count
    words = replacement + words.dropFirst()
    if let alias {
      pluginAliases.append(alias)
      typed = min(typed, words.count - replacement.count)
    } else if wasTyped {
      typed = words.count
    }
  }

  /// - Throws: if a plugin's alias leads to a command that the plugin may not run.
  func checkRights(to command: Command) throws(CommandError) {
    for alias in pluginAliases where alias.pluginAlias?.mayRun(command) != true {
      throw .aliasRefused(alias.name, owner: alias.owner, command: command.name)
    }
  }
}

extension Command {
  /// Empty for a command of one word.
  fileprivate var secondWord: String { path.count == 2 ? path[1] : "" }

  /// Lowercase letters, digits, - and _, a letter first, at most 40 characters, and not a keyword of Lua.
  public static func isUsable(name: String) -> Bool {
    let scalars = name.unicodeScalars
    guard let first = scalars.first, ("a"..."z").contains(first), scalars.count <= 40 else { return false }
    return scalars.allSatisfy { ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "-" || $0 == "_" }
      && !luaKeywords.contains(name)
  }

  /// Rejects what parsing could not read: a plugin's description is input like any other.
  fileprivate func checkDescription() throws(CommandError) {
    guard (1...2).contains(path.count), path.allSatisfy(Self.isUsable(name:)) else { throw .badName(name) }
    let names = arguments.map(\.name) + allOptions.map(\.name)
    // There are only a few names for each of many commands, at each start, so comparing is faster than hashing.
    for (index, name) in names.enumerated() where names[..<index].contains(name) {
      throw .badDescription(command: self.name, "a name is used twice")
    }
    if arguments.contains(where: { $0.name.isEmpty || $0.name.hasPrefix("-") }) {
      throw .badDescription(command: name, "an argument needs a name that does not begin with a dash")
    }
    for option in options {
      guard option.name.hasPrefix("--"), Self.isUsable(name: String(option.name.dropFirst(2))) else {
        throw .badDescription(command: name, "\(quoted(option.name)) is not an option: -- and a name are expected")
      }
      guard option.short.map({ $0.isASCII && ($0.isLetter || $0.isNumber) }) ?? true else {
        throw .badDescription(
          command: name, "\(quoted(option.name)): its short form must be a letter from a to z or A to Z, or a digit")
      }
    }
    let letters = options.compactMap(\.short)
    for (index, letter) in letters.enumerated() where letters[..<index].contains(letter) {
      throw .badDescription(command: name, "the short form -\(letter) is used twice")
    }
    for (name, kind) in arguments.map({ ($0.name, $0.kind) }) + options.map({ ($0.name, $0.kind) }) {
      if case .choice(let words, _) = kind, words.isEmpty || words.contains("") {
        throw .badDescription(
          command: self.name, "\(quoted(name)): it needs at least one choice, and no choice may be empty")
      }
    }
    if arguments.count(where: \.takesRest) > 1 {
      throw .badDescription(command: name, "two arguments would take all remaining words")
    }
    let openEnded = arguments.dropLast().first { $0.kind == .query || $0.kind == .verbatim }
    if let openEnded { throw .badDescription(command: name, "\(openEnded.name) must come last") }
    if let first = arguments.firstIndex(where: \.isOptional), arguments[first...].contains(where: { !$0.isOptional }) {
      throw .badDescription(command: name, "an optional argument comes before a required one")
    }
    if let first = arguments.firstIndex(where: \.takesRest), arguments[(first + 1)...].contains(where: \.isOptional) {
      throw .badDescription(command: name, "an optional argument comes after one that repeats")
    }
  }
}

/// The keywords of Lua 5.4 (reference manual, section 3.1).
public let luaKeywords: Set<String> = [
  "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil", "not",
  "or", "repeat", "return", "then", "true", "until", "while",
]
