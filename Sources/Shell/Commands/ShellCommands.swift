// The shell's own commands: help, run, history, alias, version, check, quit. Invariant: help is made from the descriptions of
// commands and bound types, never written here.

import Commands
import Files
import Glibc
import LuaRuntime
import PluginHost
import Problems
import Text
import Values
import Workspace

extension Shell {
  func shellCommands() -> [Command] {
    [help(), runFile(), history(), alias(), luaTypes(), version(), check(), quit()]
  }

  private static let theme = "The shell"

  private func help() -> Command {
    Command(
      "help", theme: Self.theme, effect: .reads,
      summary: "Explains a command, a Lua function or a type; lists all without a name.",
      arguments: [
        Argument(
          "NAME", .command, isOptional: true, isRepeating: true, help: "a command, or Lua's decks.create, deck:add")
      ],
      example: "help deck import", complete: { [unowned self] word, _ in helpNames.filter { $0.hasPrefix(word) } }
    ) { [unowned self] invocation in
      let words = invocation.list("NAME")
      let lines = try helpLines(words)
      return CommandResult(.text(lines.joined(separator: "\n")), .lines(lines))
    }
  }

  private func helpLines(_ words: [String]) throws -> [String] {
    let width = min(100, console.terminal.width)
    guard let name = words.first else {
      return try registry.helpText(width: width) + [
        "", "`help NAME` explains one of them with an example; `help tour` shows around; `help decks` is the Lua side.",
      ]
    }
    if words == ["tour"] { return tour }
    // Words that are a command and a module (`play`, `decks`) mean the command first; a dotted name is always Lua's.
    if words.count == 1, let lines = luaHelp(name, width: width), !registry.isKnown(name) { return lines }
    do {
      try plugins.prepareCommand(words)
      return try registry.helpText(for: words, width: width)
    } catch CommandError.unknownCommand(let name, _) {
      let near = suggestion(for: name, among: registry.firstWords + helpNames)
      throw CommandError.unknownCommand(name, suggestion: near)
    }
  }

  private var tour: [String] {
    [
      "A short tour. Type the lines behind > yourself.", "",
      "  > deck create Spanish                        a deck",
      "  > card add Spanish \"el perro\" \"the dog\"      a card",
      "  > study Spanish --sprint                     a race against the clock",
      "  > play --language spanish                    make words from a word",
      "  > deck import Spanish words.tsv              many cards from a file", "",
      "Any line that is no command is Lua:", "", "  > #decks.open(\"Spanish\")",
      "  > for card in decks.open(\"Spanish\"):cards() do print(card.prompt) end",
      "  > words.lexicon(\"english\"):match(\"c?t*\")", "",
      "Tab completes commands, names and Lua. `help decks` lists what Lua offers. Ctrl-C stops, Ctrl-D leaves.",
    ]
  }

  private func runFile() -> Command {
    Command(
      "run", theme: Self.theme, effect: .makesUnit, summary: "Runs a Lua script as one unit of work.",
      details: "When the script fails, everything stays as it was. `arg` holds the arguments.",
      arguments: [
        Argument("FILE", .file, help: "the script; - is standard input"),
        Argument("ARG", .verbatim, isOptional: true, help: "its arguments"),
      ], example: "run make_deck.lua corpus.txt"
    ) { [unowned self] invocation in
      let script = try script(at: expandedPath(invocation.text("FILE")), invocation.list("ARG"))
      let isWithin = isInScript
      let status = runScripts([script])
      if isWithin, status != ExitStatus.done {
        throw ShellError.scriptFailed(script.name, status: status)
      }
      // The script has told what went wrong.
      if status != ExitStatus.done { leaving = lineReader == nil ? status : leaving }
      return CommandResult()
    }
  }

  private func history() -> Command {
    Command(
      "history", theme: Self.theme, effect: .reads, summary: "Lists the lines typed before.",
      arguments: [Argument("WORD", isOptional: true, help: "only lines with this in it")], example: "history deck"
    ) { [unowned self] invocation in
      let history = lineReader?.history ?? History(path: historyPath)
      let lines = history.lines(containing: invocation.optionalText("WORD") ?? "")
      return CommandResult(.list(lines.map { .text($0) }), .lines(lines))
    }
  }

  private func alias() -> Command {
    Command(
      "alias", theme: Self.theme, effect: .depends { $0.optionalText("NAME") == nil ? .reads : .acts },
      summary: "Gives the beginning of a line a name of its own, or lists such names.",
      details: "It lasts for this session; put shell.alias(\"name\", \"text\") into init.lua to keep it.",
      arguments: [
        Argument("NAME", isOptional: true, help: "the name"),
        Argument("TEXT", isOptional: true, help: "what it stands for"),
      ], example: "alias sp \"study Spanish --sprint\""
    ) { [unowned self] invocation in
      if let name = invocation.optionalText("NAME") {
        guard let text = invocation.optionalText("TEXT") else {
          guard registry.removeAlias(name) else {
            throw LookupError.noAlias(name)
          }
          return CommandResult(.null, line: "\(name) is no alias any more.")
        }
        try registry.setAlias(name, words: ShellWords.split(text, home: environment.folders.home))
        return CommandResult(.null, line: "\(name) stands for \(text)")
      }
      let rows = registry.aliases.map { [$0.name, $0.words.map { ShellWords.quote($0) }.joined(separator: " ")] }
      return CommandResult(
        .list(rows.map { .record([("name", .text($0[0])), ("text", .text($0[1]))]) }),
        .table(TableText([.init("Name"), .init("Stands for")], rows: rows, whenEmpty: "No aliases.")))
    }
  }

  private func version() -> Command {
    Command("version", theme: Self.theme, effect: .reads, summary: "Tells the version.", example: "version") {
      [unowned self] _ in
      CommandResult(.text(setup.version), line: "Deckhand \(setup.version)")
    }
  }

  private func check() -> Command {
    Command(
      "check", theme: Self.theme, effect: .reads, summary: "Looks whether the stored data is sound.", example: "check"
    ) { [unowned self] _ in
      let problems = try workspace().integrityProblems()
      guard problems.isEmpty else {
        throw ShellError.damagedData(problems)
      }
      return CommandResult(.boolean(true), line: "All is well.")
    }
  }

  private func quit() -> Command {
    Command("quit", theme: Self.theme, effect: .reads, summary: "Leaves the shell; so does Ctrl-D.", example: "quit") {
      [unowned self] _ in
      leaving = ExitStatus.done
      return CommandResult()
    }
  }
}
