// One command as data: its name, what it takes, what help says of it, and what runs it.
// Invariant: parsing, help, usage lines and completion are all made from this description; none of them is written twice.

public import Problems
import Text

/// What is done with a file that an argument or an option names.
public enum FileAccess: String, Sendable, CaseIterable {
  case read, write
}

public struct Argument: Sendable {
  /// As help shows it, in capitals: `DECK`.
  public let name: String
  public let kind: ValueKind
  public let isOptional: Bool
  public let isRepeating: Bool
  public let help: String

  /// What a plugin's command may do with a file that is named here, for the length of the call; nil for nothing.
  public let access: FileAccess?

  public init(
    _ name: String, _ kind: ValueKind = .text, isOptional: Bool = false, isRepeating: Bool = false,
    access: FileAccess? = nil, help: String = ""
  ) {
    self.name = name
    self.kind = kind
    self.access = access
    self.isOptional = isOptional
    self.isRepeating = isRepeating
    self.help = help
  }

  /// Whether it takes every word that is left.
  var takesRest: Bool { isRepeating || kind == .query || kind == .verbatim }
}

public struct Option: Sendable {
  /// With its dashes: `--deck`.
  public let name: String
  /// How help names its value; nil when the option is a flag.
  public let valueName: String?
  public let kind: ValueKind
  public let isRepeating: Bool
  public let short: Character?
  /// As an argument's.
  public let access: FileAccess?
  public let help: String

  /// A flag.
  public init(_ name: String, short: Character? = nil, help: String = "") {
    (self.name, self.short, self.help) = (name, short, help)
    (valueName, kind, isRepeating, access) = (nil, .text, false, nil)
  }

  /// An option with a value.
  public init(
    _ name: String, _ valueName: String, _ kind: ValueKind = .text, isRepeating: Bool = false, short: Character? = nil,
    access: FileAccess? = nil, help: String = ""
  ) {
    (self.name, self.short, self.help, self.access) = (name, short, help, access)
    (self.valueName, self.kind, self.isRepeating) = (valueName, kind, isRepeating)
  }

  /// An option whose value is one of a few words.
  public init(_ name: String, choice: [String], short: Character? = nil, help: String = "") {
    self.init(name, choice.joined(separator: "|"), .choice(choice), short: short, help: help)
  }

  public var takesValue: Bool { valueName != nil }

  /// Every command has these; they stand last in its help.
  public static let json = Option("--json", help: "answer in JSON, one value a line")
  public static let wantsHelp = Option("--help", help: "show this text")
}

/// The words that a plugin's alias stands for. It is a command of that plugin, and reaches only what the plugin itself may run.
public struct ShortForm {
  public let words: [String]
  /// Whether the plugin may run a command.
  public let mayRun: (Command) -> Bool

  public init(_ words: [String], mayRun: @escaping (Command) -> Bool) { (self.words, self.mayRun) = (words, mayRun) }
}

public final class Command {
  /// `["deck", "create"]`; a plain command has one part.
  public let path: [String]
  /// The heading under which `help` lists it.
  public let theme: String
  /// What it does to what is kept.
  public let effect: CommandEffect
  /// One line, a sentence with its full stop.
  public let summary: String
  public let details: String
  public let arguments: [Argument]
  public let options: [Option]
  /// Usage lines in place of the one that is made from the description: for a command of several forms.
  public let usage: [String]
  /// A line that could be typed.
  public let example: String
  /// Who added it.
  public let owner: Owner
  /// Whether it only stands for a command whose plugin is not loaded yet.
  public let isAnnounced: Bool
  /// Names for the argument under the cursor, from the word so far and the words before it (without the command's own). What
  /// does not begin with the word is dropped; nothing at all falls back to the argument's kind.
  public let complete: ((_ word: String, _ before: [String]) -> [String])?
  /// What it stands for, when it is a short form that a plugin added.
  public let shortForm: ShortForm?
  public let run: (Invocation) throws -> CommandResult

  public convenience init(
    _ path: String..., theme: String, effect: CommandEffect, summary: String, details: String = "",
    arguments: [Argument] = [],
    options: [Option] = [], usage: [String] = [], example: String = "", owner: Owner = .program,
    complete: ((_ word: String, _ before: [String]) -> [String])? = nil,
    run: @escaping (Invocation) throws -> CommandResult
  ) {
    self.init(
      path: path, theme: theme, effect: effect, summary: summary, details: details, arguments: arguments,
      options: options,
      usage: usage,
      example: example, owner: owner, complete: complete, run: run)
  }

  /// - Parameter isAnnounced: it only stands for a command whose plugin is not loaded yet.
  public init(
    path: [String], theme: String, effect: CommandEffect, summary: String, details: String = "",
    arguments: [Argument] = [],
    options: [Option] = [], usage: [String] = [], example: String = "", owner: Owner = .program,
    isAnnounced: Bool = false, shortForm: ShortForm? = nil,
    complete: ((_ word: String, _ before: [String]) -> [String])? = nil,
    run: @escaping (Invocation) throws -> CommandResult
  ) {
    (self.isAnnounced, self.effect) = (isAnnounced, effect)
    self.shortForm = shortForm
    (self.path, self.theme, self.summary, self.details) = (path, theme, summary, details)
    (self.arguments, self.options, self.usage, self.example) = (arguments, options, usage, example)
    (self.owner, self.complete, self.run) = (owner, complete, run)
  }

  /// The name as it is typed: `deck create`.
  public var name: String { path.joined(separator: " ") }

  /// What it takes beside what every command takes.
  var allOptions: [Option] { options + [.json, .wantsHelp] }

  /// The argument that the value at `index` (from 0) goes to while a line is read from its left.
  func argument(at index: Int) -> Argument? {
    if index < arguments.count { return arguments[index] }
    return arguments.last.flatMap { $0.takesRest ? $0 : nil }
  }
}
