// What can be wrong with a command line, or with a command that is to be added.
// Invariant: each message says which command, which word, what was expected, and where it helps the usage or the nearest name.

public import Problems
import Text

public enum CommandError: Problem, Equatable {
  case noCommand
  case unknownCommand(String, suggestion: String?)
  case unknownSubcommand(group: String, String, suggestion: String?)
  case missingSubcommand(group: String, [String])
  case unknownOption(command: String, String, suggestion: String?)
  case missingArgument(command: String, String, usage: String)
  case missingValue(command: String, option: String, valueName: String)
  case unwantedValue(command: String, option: String)
  case repeatedOption(command: String, option: String)
  case extraArgument(command: String, String, usage: String)
  case badValue(command: String, name: String, value: String, expected: String)
  /// `column` counts characters from 1.
  case unterminatedQuote(Character, column: Int)
  case aliasLoop(String)
  /// The owner of each.
  case duplicate(String, owner: Owner, other: Owner)
  /// An alias in the way of another owner's.
  case aliasTaken(String, owner: Owner, other: Owner)
  /// A word that the shell itself uses.
  case reserved(String, owner: Owner)
  /// A plugin's alias that leads to a command which the plugin may not run.
  case aliasRefused(String, owner: Owner, command: String)
  case badName(String)
  case badDescription(command: String, String)
  /// A command that would change something, under `--dry-run`.
  case notRehearsed(command: String)

  /// Whether the line itself is wrong, so that the program exits with status 2.
  public var isUsage: Bool {
    switch self {
    case .duplicate, .aliasTaken, .reserved, .aliasRefused, .badName, .badDescription: false
    default: true
    }
  }

  public var code: String {
    switch self {
    case .noCommand, .missingSubcommand: "missing_command"
    case .unknownCommand, .unknownSubcommand: "unknown_command"
    case .unknownOption: "unknown_option"
    case .missingArgument, .missingValue: "missing_argument"
    case .extraArgument: "extra_argument"
    case .unwantedValue, .repeatedOption, .badValue: "bad_value"
    case .unterminatedQuote: "unterminated_quote"
    case .aliasLoop: "alias_loop"
    case .duplicate, .aliasTaken, .reserved: "exists"
    case .aliasRefused: "not_granted"
    case .badName: "bad_name"
    case .badDescription: "bad_command"
    case .notRehearsed: "dry_run"
    }
  }

  public var title: String {
    switch self {
    case .noCommand, .missingSubcommand: "A command is missing"
    case .unknownCommand, .unknownSubcommand: "No such command"
    case .unknownOption: "No such option"
    case .missingArgument, .missingValue: "Something is missing"
    case .extraArgument: "Too many arguments"
    case .unwantedValue, .repeatedOption, .badValue: "Not a usable value"
    case .unterminatedQuote: "A quote is not closed"
    case .aliasLoop: "An alias that never ends"
    case .duplicate, .aliasTaken, .reserved: "The name is taken"
    case .aliasRefused: "Not granted"
    case .badName: "Not a usable name"
    case .badDescription: "A command that cannot be read"
    case .notRehearsed: "Not in a rehearsal"
    }
  }

  public var details: [(name: String, value: ProblemDetail)] {
    switch self {
    case .unknownCommand(_, let suggestion?), .unknownSubcommand(_, _, let suggestion?),
      .unknownOption(_, _, let suggestion?):
      [("suggestion", .text(suggestion))]
    case .unterminatedQuote(_, let column): [("column", .integer(column))]
    default: []
    }
  }
}

extension CommandError {
  public var message: String {
    switch self {
    case .noCommand: "a command is expected; `help` lists them"
    case .unknownCommand(let name, let suggestion):
      "no command is called \(quoted(name))" + (Self.hint(suggestion) ?? "; `help` lists them")
    case .unknownSubcommand(let group, let name, let suggestion):
      "\(group): no command is called \(quoted(name))" + (Self.hint(suggestion) ?? "; `help \(group)` lists them")
    case .missingSubcommand(let group, let names):
      "\(group): one of its commands is expected: \(names.joined(separator: ", "))"
    case .unknownOption(let command, let option, let suggestion):
      "\(command): no option is called \(quoted(option))"
        + (Self.hint(suggestion) ?? "; put -- before a value that begins with a dash")
    case .missingArgument(let command, let name, let usage): "\(command): \(name) is missing; usage: \(usage)"
    case .missingValue(let command, let option, let name): "\(command): \(option) needs a value: \(option) \(name)"
    case .unwantedValue(let command, let option): "\(command): \(option) takes no value"
    case .repeatedOption(let command, let option): "\(command): \(option) is given twice"
    case .extraArgument(let command, let word, let usage):
      "\(command): \(quoted(word)) is one argument too many; usage: \(usage)"
    case .badValue(let command, let name, let value, let expected):
      "\(command): \(name) must be \(expected), not \(quoted(value))"
    case .unterminatedQuote(let quote, let column): "the quote \(quote) that opens at column \(column) is not closed"
    case .aliasLoop(let name): "the alias \(quoted(name)) leads back to itself"
    case .duplicate(let name, let owner, let other):
      "\(Self.name(of: owner)) cannot add the command \(quoted(name)): \(Self.nameAndHas(other)) one of that name"
    case .aliasTaken(let name, let owner, let other):
      "\(Self.name(of: owner)) cannot add the command \(quoted(name)): \(Self.nameAndHas(other)) an alias of that name"
    case .reserved(let name, let owner):
      "\(Self.name(of: owner)) cannot add the command \(quoted(name)): the shell uses that word"
    case .aliasRefused(let name, let owner, let command):
      "the alias \(quoted(name)) of \(Self.name(of: owner)) stands for \(quoted(command)), which the plugin may not run"
    case .badName(let name):
      "\(quoted(name)) cannot name a command: lower-case letters, digits, - and _ are expected, a letter first, and no word of Lua"
    case .notRehearsed(let command):
      "\(command) would change something, and --dry-run cannot take that back; nothing was changed. "
        + "Leave --dry-run out to run it"
    case .badDescription(let command, let reason): "the command \(quoted(command)) cannot be added: \(reason)"
    }
  }

  private static func hint(_ suggestion: String?) -> String? { suggestion.map { " (did you mean \(quoted($0))?)" } }

  /// An owner at the beginning of a sentence.
  static func name(of owner: Owner) -> String {
    switch owner {
    case .program: "Deckhand"
    case .plugin(let name): "the plugin \(quoted(name.description))"
    case .user, .script, .remembered: owner.description
    }
  }

  private static func nameAndHas(_ owner: Owner) -> String { name(of: owner) + (owner == .user ? " have" : " has") }
}
