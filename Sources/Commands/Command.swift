// One command as data: its name, what it takes, its help text, and what runs it. Invariant: parsing, help, usage lines
// and completion are all derived from this description; none of them is written twice.
// Measured: parameters 9, as each field of a description has its label where it is written.

public import Problems

/// The access that a command needs to a file that an argument or an option names.
public struct FileAccess: OptionSet, Sendable {
  public static let read = FileAccess(rawValue: 1)
  public static let write = FileAccess(rawValue: 2)

  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  public init?(named name: String) {
    guard let known = ["read": Self.read, "write": .write][name] else { return nil }
    self = known
  }
}

/// A positional argument of a command.
///
///     Argument("DECK", .deck, help: "a deck")
///     Argument("WORD", isRepeating: true, help: "words to look up")
public struct Argument: Sendable {
  /// The name in capitals, as help shows it: `DECK`.
  public let name: String
  public let kind: ValueKind
  public let isOptional: Bool
  public let isRepeating: Bool
  public let help: String

  /// The access that a plugin's command gets to a file that is named here, for the duration of the call.
  public let access: FileAccess

  public init(
    _ name: String, _ kind: ValueKind = .text, isOptional: Bool = false, isRepeating: Bool = false,
    access: FileAccess = [], help: String = ""
  ) {
    (self.name, self.kind, self.access, self.isOptional) = (name, kind, access, isOptional)
    (self.isRepeating, self.help) = (isRepeating, help)
  }

  var takesRest: Bool { isRepeating || kind == .query || kind == .verbatim }
}

/// An option of a command, given by its name at any position.
///
///     Option("--reversed", short: "r", help: "the other way round too")
///     Option("--limit", "N", .positive, help: "at most so many")
public struct Option: Sendable {
  /// The name with its dashes: `--deck`.
  public let name: String
  /// The name of its value in help; nil if the option is a flag.
  public let valueName: String?
  public let kind: ValueKind
  public let isRepeating: Bool
  public let short: Character?
  public let access: FileAccess
  public let help: String

  public init(
    _ name: String, _ valueName: String? = nil, _ kind: ValueKind = .text, isRepeating: Bool = false,
    short: Character? = nil, access: FileAccess = [], help: String = ""
  ) {
    (self.name, self.short, self.help, self.access) = (name, short, help, access)
    (self.valueName, self.kind, self.isRepeating) = (valueName, kind, isRepeating)
  }

  /// Creates an option whose value is one of a few words.
  public init(_ name: String, choice: [String], short: Character? = nil, help: String = "") {
    self.init(name, choice.joined(separator: "|"), .choice(choice), short: short, help: help)
  }

  public var takesValue: Bool { valueName != nil }

  /// Whether the letter after a single dash names the option: as its short form, or as its only name (`-e`).
  func isNamed(_ letter: Character) -> Bool { short == letter || name == "-\(letter)" }

  /// Every command has these; they come last in its help.
  public static let json = Option("--json", help: "answer in JSON, one value a line")
  public static let wantsHelp = Option("--help", help: "show this text")
}

public enum CommandAccess: Sendable {
  /// Anybody, even before a sign-in.
  case open
  /// Any signed-in user; anybody while there are no accounts.
  case signedIn
  /// Any signed-in user, but only on the command line: neither Lua nor a plugin's alias can run it.
  case atTerminal
  /// The same as `atTerminal`, but also before a sign-in.
  case atSignIn

  public var needsSignIn: Bool { self == .signedIn || self == .atTerminal }
  public var isForCommandLineOnly: Bool { self == .atTerminal || self == .atSignIn }
}

/// The help text of a command, apart from its arguments and options.
///
///     CommandText(theme: "Decks", summary: "Lists the decks.", example: "deck list")
public struct CommandText: Sendable {
  /// The heading under which `help` lists it.
  public var theme: String
  /// One line, a sentence with its full stop.
  public var summary: String
  public var details: String
  /// Usage lines that replace the generated one, for a command with several forms.
  public var usage: [String]
  public var example: String
  /// The shape of its answer with `--json`; empty for a command of a script or a plugin. Shapes are written as follows:
  ///
  ///     deck          an object with the fields of Lua's `deck`, as `help deck` lists them
  ///     {name, path?} an object with these fields; one with ? may be missing, one in capitals stands for several
  ///     text...       one value a line
  ///     text or {a}   either of them; `nothing` means that no line is printed
  public var answer = ""

  public init(theme: String, summary: String, details: String = "", usage: [String] = [], example: String = "") {
    (self.theme, self.summary, self.details) = (theme, summary, details)
    (self.usage, self.example) = (usage, example)
  }
}

/// The words that a plugin's alias stands for. It is a command of that plugin, and can run only what the plugin may.
public struct PluginAlias {
  public let words: [String]
  public let mayRun: (Command) -> Bool
}

public enum CommandAction {
  /// A built-in command: the shell knows by its name what it does, and passes it the session when it runs.
  case builtIn
  case function((Invocation) throws -> CommandResult)
  /// A placeholder for a command whose plugin is not loaded yet.
  case announced
  /// An alias: the command that it stands for is run in its place.
  case pluginAlias(PluginAlias)
}

/// The source of the names that Tab offers for a command's arguments.
public enum ArgumentCompletion {
  /// The kind of the argument determines the names.
  case byKind
  /// The shell provides the names: see `CompletionSources.values`.
  case builtIn
  /// A function of the current word and the words before it (without the command's own).
  case function((_ word: String, _ before: [String]) -> [String])
}

/// A command as a value: its description and what runs it.
///
///     try registry.add(
///       Command(
///         path: ["deck", "list"], CommandText(theme: "Decks", summary: "Lists the decks."), access: .signedIn,
///         effect: .reads, action: .function { _ in CommandResult(.list([])) }))
public struct Command {
  /// `["deck", "create"]`; a plain command has one part.
  public let path: [String]
  public let owner: Owner
  public let access: CommandAccess
  public let effect: CommandEffect
  public let text: CommandText
  public let arguments: [Argument]
  public let options: [Option]
  /// Offers that do not begin with the word are dropped; if none is left, the argument's kind determines the offers.
  public let completion: ArgumentCompletion
  public let action: CommandAction

  public init(
    path: [String], _ text: CommandText, access: CommandAccess, effect: CommandEffect, arguments: [Argument] = [],
    options: [Option] = [], owner: Owner = .program, completion: ArgumentCompletion = .byKind, action: CommandAction
  ) {
    (self.path, self.text, self.access, self.effect) = (path, text, access, effect)
    (self.arguments, self.options, self.owner) = (arguments, options, owner)
    (self.completion, self.action) = (completion, action)
  }

  /// The name as it is typed: `deck create`.
  public var name: String { path.joined(separator: " ") }
  public var theme: String { text.theme }
  public var summary: String { text.summary }
  public var details: String { text.details }
  public var usage: [String] { text.usage }
  public var example: String { text.example }

  /// The words that it stands for, if it is an alias that a plugin added.
  public var pluginAlias: PluginAlias? {
    if case .pluginAlias(let form) = action { return form }
    return nil
  }

  var allOptions: [Option] { options + [.json, .wantsHelp] }
  public func takes(option name: String) -> Bool { allOptions.contains { $0.name == name } }

  /// The argument that gets the value at `index` (from 0) when a line is read from left to right.
  func argument(at index: Int) -> Argument? {
    if index < arguments.count { return arguments[index] }
    return arguments.last.flatMap { $0.takesRest ? $0 : nil }
  }

  public func effect(of invocation: Invocation) -> CommandEffect {
    if case .depends(let decide) = effect { return decide(invocation) }
    return effect
  }

  /// Refuses, in a dry run, what could not be rolled back.
  /// - Parameter isRehearsed: whether this is a dry run.
  public func checkRehearsal(of invocation: Invocation, isRehearsed: Bool) throws(CommandError) {
    guard isRehearsed else { return }
    switch effect(of: invocation) {
    case .reads, .makesUnit, .announces, .changes: return
    case .acts, .depends: throw .notRehearsed(command: name)
    }
  }
}

public enum CommandEffect: Sendable {
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
  case depends(@Sendable (Invocation) -> CommandEffect)
}
