// The command line: options of the program, then a command with words of its own. Invariant: an option that is not known, or has
// no value, is a wrong use (status 2) before anything runs.

import Shell
import Text
import ToggleSettings

/// What the person asked for on the command line.
struct Arguments {
  enum Action: Equatable {
    case prompt
    /// A command with its words, or a script with its arguments: which of them, the shell's commands decide.
    case words([String])
    case version
    case help
  }

  var action = Action.prompt
  var code: [String] = []
  var isInteractive = false
  var data: String?
  var user: String?
  var passwordFile: String?
  var settings: [LayeredSetting] = []
  var isDryRun = false
  var seed: UInt64?
  var wantsJSON = false
  var usesPlugins = true
  var usesStartScript = true
  var color = Terminal.ColorChoice.auto
  var isColorGiven = false
  var wantsTrace = false
  var isQuiet = false

  /// Wrong use of the command line.
  struct Wrong: Error { let message: String }

  init(_ words: [String]) throws(Wrong) {
    var rest = words[...]
    while let word = rest.first, word.hasPrefix("-"), word != "-" {
      rest.removeFirst()
      if word == "--" { break }
      try take(word, &rest)
    }
    if !rest.isEmpty, action == .prompt { action = .words(Array(rest)) }
  }

  private mutating func take(_ word: String, _ rest: inout ArraySlice<String>) throws(Wrong) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let name = parts[0]
    if takeFlag(name) {
      if parts.count > 1 { throw Wrong(message: "\(name) takes no value") }
      return
    }
    guard Self.withValue.contains(name) else {
      let known = Self.withValue + Self.flags
      throw Wrong(
        message: "unknown option \(quoted(name))\(didYouMean(name, among: known)); `deckhand --help` lists them")
    }
    guard let value = parts.count > 1 ? parts[1] : rest.popFirst() else {
      throw Wrong(message: "\(name) needs a value")
    }
    try takeValue(name, value)
  }

  static let flags = [
    "-i", "--interactive", "--dry-run", "--json", "--no-plugins", "--no-init", "--trace", "--quiet", "--version",
    "--help",
    "-h",
  ]
  static let withValue = ["-e", "--data", "--user", "--password-file", "--set", "--seed", "--color"]

  private mutating func takeFlag(_ name: String) -> Bool {
    switch name {
    case "-i", "--interactive": isInteractive = true
    case "--dry-run": isDryRun = true
    case "--json": wantsJSON = true
    case "--no-plugins": usesPlugins = false
    case "--no-init": usesStartScript = false
    case "--trace": wantsTrace = true
    case "--quiet": isQuiet = true
    case "--version": action = .version
    case "--help", "-h": action = .help
    default: return false
    }
    return true
  }

  private mutating func takeValue(_ name: String, _ value: String) throws(Wrong) {
    switch name {
    case "-e": code.append(value)
    case "--data":
      guard !value.isEmpty else { throw Wrong(message: "--data: a folder expected") }
      data = value
    case "--user": user = value
    case "--password-file": passwordFile = value
    case "--set":
      guard let setting = LayeredSetting.commandLine(value) else {
        throw Wrong(message: "--set: NAME=VALUE expected, got \(quoted(value))")
      }
      settings.append(setting)
    case "--seed":
      guard let number = UInt64(value) ?? Int64(value).map({ UInt64(bitPattern: $0) }) else {
        throw Wrong(message: "--seed: a whole number expected, got \(quoted(value))")
      }
      seed = number
    default:
      guard let choice = Terminal.ColorChoice(rawValue: value) else {
        throw Wrong(message: "--color: auto, always or never expected, got \(quoted(value))")
      }
      color = choice
      isColorGiven = true
    }
  }

  static let help = """
    deckhand: a scriptable shell for people who learn and teach words

    deckhand                        start the shell
    deckhand COMMAND [ARG...]       run one command and exit; `deckhand help` lists them
    deckhand run FILE.lua [ARG...]  run a Lua script as one unit of work; - is standard input
    deckhand -e CODE                run Lua code (repeatable, in order)

      -i, --interactive       start the shell afterwards
      --data DIR              where everything is kept ($DECKHAND_DATA, else $XDG_DATA_HOME/deckhand)
      --user NAME             who signs in ($DECKHAND_USER, else the only account)
      --password-file FILE    read the password from FILE; - is a line of standard input
      --set NAME=VALUE        a setting for this run
      --dry-run               show what a script would change; commands that change are refused
      --seed N                random choices in games, scripts and documents repeat
      --json                  commands answer in JSON, one value a line
      --no-plugins, --no-init start without plugins, without init.lua
      --color=auto|always|never, --trace, --quiet, --version, --help

    Exit status: 0 done, 1 failed, 2 wrong usage, 77 sign-in needed, 130 interrupted.
    """
}
