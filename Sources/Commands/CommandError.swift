// The errors of a command line, and of adding a command. Invariant: each message says which command, which word and
// what was expected, and, where it helps, the usage or the nearest name.

public import Problems
import Text

/// An error in a command line, or in adding a command.
///
///     CommandError.unknownCommand("stduy", suggestion: "study").message
///     // no command is called "stduy"; did you mean "study"?
public enum CommandError: Problem, Equatable {
  case noCommand
  /// `reason` says which plugin has it, and why the plugin cannot be used; nil if none has it.
  case unknownCommand(String, suggestion: String?, reason: String? = nil)
  /// A name without help; the texts of `mentions` entries contain it.
  case unknownHelp(String, suggestion: String?, mentions: Int)
  case unknownSubcommand(group: String, String, suggestion: String?)
  case missingSubcommand(group: String, [String])
  case unknownOption(command: String, String, suggestion: String?)
  case missingArgument(command: String, String, usage: String)
  case missingValue(command: String, option: String, valueName: String)
  case unwantedValue(command: String, option: String)
  /// Two options that exclude each other.
  case clash(command: String, String, String)
  /// An option that has an effect only together with another one.
  case idleOption(command: String, String, beside: String)
  /// An option that may be given once, or a field in `FIELD=VALUE`.
  case repeatedOption(command: String, option: String)
  case extraArgument(command: String, String, usage: String)
  case badValue(command: String, name: String, value: String, expected: String)
  /// `column` counts characters from 1.
  case unterminatedQuote(Character, column: Int)
  case aliasLoop(String)
  /// With the owners of both commands.
  case duplicate(String, owner: Owner, other: Owner)
  /// An alias that conflicts with another owner's.
  case aliasTaken(String, owner: Owner, other: Owner)
  /// A word that the shell itself uses.
  case reserved(String, owner: Owner)
  /// A plugin's alias for a command that the plugin may not run.
  case aliasRefused(String, owner: Owner, command: String)
  case badName(String)
  case badDescription(command: String, String)
  /// A command that would change something, under `--dry-run`.
  case notRehearsed(command: String)

  public var report: ProblemReport {
    switch self {
    case .duplicate, .aliasTaken, .reserved, .aliasRefused, .badName, .badDescription: registrationReport
    case .noCommand: .usage(.missingCommand, "A command is missing", "a command is expected; `help` lists them")
    case .missingSubcommand(let group, let names):
      .usage(
        .missingCommand, "A command is missing",
        "\(group): one of these commands is expected: \(names.joined(separator: ", "))")
    case .unknownCommand(let name, _, let reason?):
      .usage(.unknownCommand, "No such command", "no command is called \(quoted(name)): \(reason)")
    case .unknownCommand(let name, let near, nil):
      .usage(
        .unknownCommand, "No such command", "no command is called \(quoted(name))", near, else: "; `help` lists them")
    case .unknownHelp(let name, let near, let mentions):
      .usage(
        .unknownCommand, "No such help", "there is no help on \(quoted(name))", near,
        else: mentions == 0
          ? "; `help` lists the commands" : "; `help -k \(ShellWords.quote(printable(name)))` lists mentions of it")
    case .unknownSubcommand(let group, let name, let near):
      .usage(
        .unknownCommand, "No such command", "\(group): no command is called \(quoted(name))", near,
        else: "; `help \(group)` lists them")
    case .unknownOption(let command, let option, let near):
      .usage(
        .unknownOption, "No such option", "\(command): no option is called \(quoted(option))", near,
        else: "; put -- before a value that begins with a dash")
    case .missingArgument(let command, let name, let usage):
      .usage(.missingArgument, "Something is missing", "\(command): \(name) is missing; usage: \(usage)")
    case .missingValue(let command, let option, let name):
      .usage(.missingArgument, "Something is missing", "\(command): \(option) needs a value: \(option) \(name)")
    case .extraArgument(let command, let word, let usage):
      .usage(
        .extraArgument, "Too many arguments", "\(command): \(quoted(word)) is one argument too many; usage: \(usage)")
    case .unwantedValue(let command, let option): .badValue("\(command): \(option) takes no value")
    case .clash(let command, let first, let second):
      .badValue("\(command): \(first) and \(second) cannot be given together")
    case .idleOption(let command, let option, let other):
      .badValue("\(command): \(option) needs \(other), which was not given")
    case .repeatedOption(let command, let option): .badValue("\(command): \(option) is given twice")
    case .badValue(let command, let name, let value, let expected):
      .badValue("\(command): \(name) must be \(expected), not \(quoted(value))")
    case .unterminatedQuote(let quote, let column):
      ProblemReport(
        .usage(.unterminatedQuote), "A quote is not closed",
        "the quote \(quote) that opens at column \(column) is not closed", ["column": column])
    case .aliasLoop(let name): .usage(.aliasLoop, "Alias loop", "the alias \(quoted(name)) leads back to itself")
    case .notRehearsed(let command):
      .usage(
        .dryRun, "Not in a dry run",
        "\(command) would change something that --dry-run cannot undo; nothing was changed. "
          + "Run it without --dry-run")
    }
  }

  private var registrationReport: ProblemReport {
    switch self {
    case .duplicate(let name, let owner, let other):
      .taken(name, by: owner, "\(Self.nameAndHas(other)) one of that name")
    case .aliasTaken(let name, let owner, let other):
      .taken(name, by: owner, "\(Self.nameAndHas(other)) an alias of that name")
    case .reserved(let name, let owner): .taken(name, by: owner, "the shell uses that word")
    case .aliasRefused(let name, let owner, let command):
      ProblemReport(
        .notGranted, "Not granted",
        "the alias \(quoted(name)) of \(Self.name(of: owner)) stands for \(quoted(command)), "
          + "which the plugin may not run")
    case .badName(let name):
      ProblemReport(
        .badName, "Not a usable name",
        "\(quoted(name)) cannot be the name of a command: use lowercase letters, digits, - and _, with a letter first, "
          + "and no keyword of Lua")
    case .badDescription(let command, let reason):
      ProblemReport(.badCommand, "Invalid command", "the command \(quoted(command)) cannot be added: \(reason)")
    default: report
    }
  }

  static func name(of owner: Owner) -> String {
    switch owner {
    case .program: "Deckhand"
    case .plugin(let name): "the plugin \(quoted(name.description))"
    case .user, .script: owner.description
    }
  }

  private static func nameAndHas(_ owner: Owner) -> String { name(of: owner) + (owner == .user ? " have" : " has") }
}

extension ProblemReport {
  /// - Parameter hint: the help that is added if no name is near.
  fileprivate static func usage(
    _ code: ProblemCode.Usage, _ title: String, _ message: String, _ suggestion: String? = nil, else hint: String = ""
  ) -> ProblemReport {
    let end = suggestion == nil ? hint : didYouMean(suggestion)
    return ProblemReport(.usage(code), title, message + end, ["suggestion": suggestion])
  }

  fileprivate static func badValue(_ message: String) -> ProblemReport {
    ProblemReport(.usage(.badValue), "Not a usable value", message)
  }

  fileprivate static func taken(_ name: String, by owner: Owner, _ reason: String) -> ProblemReport {
    ProblemReport(
      .exists, "The name is taken", "\(CommandError.name(of: owner)) cannot add the command \(quoted(name)): \(reason)")
  }
}
