// The command line: options of the program, then a command with its own words. The options are described like those of
// a command, so parsing, help and suggestions come from the description. Invariant: an unknown option, or one without
// its value, is a usage error (status 2) before anything runs.

import Commands
import Files
import Problems
import Shell
import Text
import ToggleSettings
import Workspace

struct ProgramOptions {
  enum Action: Equatable {
    case prompt
    /// A command with its words, or a script with its arguments; the shell's commands decide which it is.
    case words([String])
    case version
    case help
  }

  let action: Action
  private let given: Invocation

  static func wrong(_ message: String) -> PlainProblem {
    PlainProblem(ProblemReport(.usage(.badValue), "Not a usable value", message))
  }

  init(_ words: [String]) throws(PlainProblem) {
    do {
      let description = Self.description
      let (given, rest) = try description.leadingOptions(of: Self.optionsFirst(words, description))
      self.given = given
      action =
        given.flag("--help")
        ? .help : given.flag("--version") ? .version : rest.isEmpty ? .prompt : .words(Array(rest))
    } catch {
      throw error.reworded(Self.words(error))
    }
    try check()
  }

  /// Moves the program's options before the command: `play --seed 3` becomes `--seed 3 play`.
  private static func optionsFirst(_ words: [String], _ description: Command) throws(CommandError) -> [String] {
    let options = description.options.filter { !leadingOnly.contains($0.name) }
    func isOption(_ word: String) -> Bool { options.contains { word == $0.name || word.hasPrefix($0.name + "=") } }
    // The built-in commands are described only if there is an option to move: describing them at each start takes time.
    guard words.contains(where: isOption) else { return words }
    let (_, line) = try description.leadingOptions(of: words)
    guard words.dropLast(line.count).last != "--", line.contains(where: isOption),
      let command = BuiltInCommands.command(of: line)
    else { return words }
    let (taken, rest) = command.withdrawing(options, from: line.dropFirst(command.path.count))
    // If the last option has no value, that is an error: the command's name is not its value.
    _ = try description.leadingOptions(of: taken)
    return words.dropLast(line.count) + taken + command.path + rest
  }

  /// Options that mean something else after a command, or only make sense before it.
  private static let leadingOnly = ["-e", "--interactive", "--json", "--version", "--help"]

  var code: [String] { given.list("-e") }
  var isInteractive: Bool { given.flag("--interactive") }
  var data: String? { given.optionalText("--data") }
  var isQuiet: Bool { given.flag("--quiet") }
  var wantsJSON: Bool { given.wantsJSON }
  var color: Terminal.ColorChoice { given.optionalText("--color").flatMap { .init(rawValue: $0) } ?? .auto }
  var seed: UInt64? { given.optionalInteger("--seed").map { UInt64(bitPattern: Int64($0)) } }
  var identity: ProgramIdentity { ProgramIdentity(version: version, command: Self.description) }

  func shellOptions(_ environment: Environment) -> ShellOptions {
    let value = environment.variables.value
    var options = ShellOptions(identity)
    (options.wantsJSON, options.isDryRun) = (wantsJSON, given.flag("--dry-run"))
    options.step = given.optionalInteger("--at")
    (options.wantsTrace, options.usesPlugins) = (given.flag("--trace"), !given.flag("--no-plugins"))
    options.usesStartScript = !given.flag("--no-init")
    options.isColorGiven = given.optionalText("--color") != nil
    options.signIn.user = given.optionalText("--user") ?? value("DECKHAND_USER").flatMap { $0.isEmpty ? nil : $0 }
    options.signIn.isUserRequired = given.optionalText("--user") != nil
    options.signIn.passwordFile = given.optionalText("--password-file")
    options.settings = SettingSources(
      systemFile: "/etc/deckhand/settings.json", variables: { environment.variables.beginning("DECKHAND_SET_") },
      commandLine: given.list("--set").compactMap { LayeredSetting.commandLine($0) },
      noColor: value("NO_COLOR")?.isEmpty == false)
    return options
  }

  private func check() throws(PlainProblem) {
    if given.list("--data").contains("") { throw Self.wrong("--data: a folder expected") }
    for setting in given.list("--set") where LayeredSetting.commandLine(setting) == nil {
      throw Self.wrong("--set: NAME=VALUE expected, got \(quoted(setting))")
    }
    if !given.list("--at").isEmpty, action == .prompt || !code.isEmpty {
      throw Self.wrong("--at: a command that only reads expected after it, as in `deckhand --at 41 deck list`")
    }
  }

  private static func words(_ error: CommandError) -> String {
    switch error {
    case .unknownOption(_, let name, let near):
      let hint = near.map { " (did you mean \(quoted($0))?)" } ?? ""
      return "unknown option \(quoted(name))\(hint); `deckhand --help` lists them"
    case .missingValue(_, let option, _): return "\(option) needs a value"
    case .badValue(_, let name, let value, let expected): return "\(name): \(expected) expected, got \(quoted(value))"
    case .unwantedValue(_, let option): return "\(option) takes no value"
    default: return error.message
    }
  }

  private static var description: Command {
    Command(
      path: ["deckhand"],
      CommandText(theme: "", summary: "deckhand: a scriptable shell for people who learn and teach words"),
      access: .open, effect: .reads,
      options: [
        Option("-e", "CODE", isRepeating: true, help: "run Lua code; repeatable, in order"),
        Option("--interactive", short: "i", help: "start the shell afterwards"),
        value("--data", "DIR", .folder, "where everything is kept ($DECKHAND_DATA, else $XDG_DATA_HOME/deckhand)"),
        value("--user", "NAME", .account, "who signs in ($DECKHAND_USER, else the only account)"),
        value("--password-file", "FILE", .file, "read the password from FILE; - is a line of standard input"),
        value("--set", "NAME=VALUE", .setting, "a setting for this run; repeatable"),
        Option("--dry-run", help: "show what would change, change nothing"),
        value("--at", "STEP", .integer(0...Int.max), "read everything as it was after a step of `undo --list`"),
        value("--seed", "N", .anyInteger, "make random choices in games, scripts and documents repeatable"),
        Option("--json", help: "commands answer in JSON, one value a line"),
        Option("--no-plugins", help: "start without plugins"), Option("--no-init", help: "start without init.lua"),
        value("--color", "WHEN", .choice(["auto", "always", "never"]), "auto, always or never"),
        Option("--trace", help: "show where an error in Lua came from"),
        Option("--quiet", help: "no greeting, no progress, no notes"), Option("--version", help: "show the version"),
        Option("--help", short: "h", help: "show this text"),
      ], action: .builtIn)
  }

  /// An option with a value; if it is repeated, the last one counts.
  private static func value(_ name: String, _ valueName: String, _ kind: ValueKind, _ help: String) -> Option {
    Option(name, valueName, kind, isRepeating: true, help: help)
  }

  static var help: String {
    """
    \(description.summary)

    deckhand                        start the shell
    deckhand COMMAND [ARG...]       run one command and exit; `deckhand help` lists them
    deckhand run FILE.lua [ARG...]  run a Lua script as one unit of work; - is standard input
    deckhand -e CODE                run Lua code (repeatable, in order)

    \(description.optionLines(width: 100).joined(separator: "\n"))

    Exit status: 0 done, 1 failed, 2 wrong usage, 77 sign-in needed, 130 interrupted.
    """
  }
}
