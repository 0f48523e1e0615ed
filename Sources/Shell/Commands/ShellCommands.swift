// The shell's own commands: help, run, history, alias, version, quit. Invariant: help is generated from the
// descriptions of commands and bound types, never written here.

import Commands
import Files
import Glibc
import LuaRuntime
import PluginHost
import Problems
import Text
import Values
import Workspace

enum ShellCommands {
  static var all: [BuiltIn] {
    [help, runFile, history, alias, PluginWork.luaTypes, version, quit]
      + PaperCommands.all
  }

  private static var help: BuiltIn {
    BuiltIn(
      "help", access: .open,
      summary:
        "Explains a command, a topic, a Lua function, a setting or an error code; lists them all without a name.",
      answer: "text or {name, kind, summary, example, answer}...",
      details: """
        Without a name it shows the first steps, and all commands by theme; `all` lists every command, a theme lists its \
        commands, `developers` lists what is for those who write scripts. Topics are \
        \(HelpTopic.all.map(\.name).joined(separator: ", ")). -k finds everything that has a word in its name or text. \
        At a terminal `help tour` starts an interactive tour.
        """,
      arguments: [
        Argument(
          "NAME", .command, isOptional: true, isRepeating: true,
          help: "a command, a topic, Lua's decks.create or deck:add, game.length, not_found")
      ], options: [Option("--keyword", "WORD", short: "k", help: "list everything that mentions the word")],
      example: "help deck import"
    ) { invocation, session in
      if let word = invocation.optionalText("--keyword") { return try found(word, session) }
      let tour = Tour(session)
      if invocation.list("NAME") == [HelpTopic.tourName], tour.isPossible, !invocation.wantsJSON,
        !session.options.wantsJSON
      {
        try tour.run()
        return CommandResult()
      }
      let lines = try helpLines(invocation.list("NAME"), session)
      return CommandResult(.text(lines.joined(separator: "\n")), .page(.init(.lines(lines))))
    }
  }

  static func helpLines(_ words: [String], _ session: Session) throws -> [String] {
    if !words.isEmpty, words != [allCommands] { return try HelpIndex(session).lines(of: words) }
    let width = min(100, session.console.terminal.width)
    let registry = session.registry
    let isShort = words.isEmpty
    let commands = isShort ? firstHelp(registry, width: width) : try registry.helpText(width: width)
    let more = isShort ? "; `help \(allCommands)` lists every command, `help developers` those for scripts" : ""
    return commands + [""]
      + wrapped(
        "`help NAME` explains one of them with an example, `help -k WORD` searches\(more). Topics: "
          + HelpTopic.all.map(\.name).joined(separator: ", ") + ". `help decks` shows the Lua side.", width: width)
  }

  /// The argument of `help` that lists every command.
  static let allCommands = "all"

  /// The commands to start with, then the first words of all commands by theme.
  private static func firstHelp(_ registry: CommandRegistry, width: Int) -> [String] {
    let first = [
      ("deck create NAME", "creates a deck"), ("deck import DECK FILE", "imports cards from a file"),
      ("card add DECK PROMPT ANSWER", "adds a card"), ("study", "studies what is due"), ("play", "plays a word game"),
      ("undo", "undoes the last change"),
    ]
    let themes = registry.wordsByTheme.filter { $0.theme != BuiltIn.developers }
    return ["First steps"] + CommandRegistry.table(first, width: width) + ["", "By theme"]
      + CommandRegistry.table(themes.map { ($0.theme, $0.words.joined(separator: ", ")) }, width: width)
  }

  private static func found(_ word: String, _ session: Session) throws -> CommandResult {
    let entries = HelpIndex(session).entries(about: word)
    let rows = entries.map { [$0.name, $0.kind.rawValue, $0.summary] }
    return CommandResult(
      .list(
        entries.map { entry in
          .record([
            "name": entry.name, "kind": entry.kind.rawValue, "summary": entry.summary, "example": entry.example,
            "answer": entry.answer,
          ])
        }),
      .table(
        TableText(
          [.init("Name", isTyped: true), .init("Kind"), .init("What it is")], rows: rows,
          whenEmpty: "Nothing was found for \(quoted(word)).")))
  }

  private static var runFile: BuiltIn {
    BuiltIn(
      "run", access: .open, effect: .makesUnit,
      summary: "Runs a Lua script, or a file of commands, as one unit of work.", answer: "nothing",
      details: """
        If it fails, everything stays as it was. `arg` contains the arguments of a script. A file that ends in .dh has \
        one command per line; # begins a comment, and it stops at the first failure, with file and line.
        """,
      arguments: [
        Argument("FILE", .file, help: "the script or the file of commands; - is a script on standard input"),
        Argument("ARG", .verbatim, isOptional: true, isRepeating: true, help: "its arguments"),
      ], example: "run make_deck.lua corpus.txt"
    ) { invocation, session in
      let path = session.environment.folders.expanded(invocation.text("FILE"))
      let isWithin = session.state.isInScript || session.state.isAnswering
      let status: Int32
      if CommandFile.isCommandFile(path) {
        status = ScriptRunner(session).run(try CommandFile(session, path: path))
      } else {
        status = ScriptRunner(session).run([try ScriptRunner.script(at: path, invocation.list("ARG"))])
      }
      if isWithin, status != ExitStatus.done { throw ShellError.scriptFailed(path, status: status) }
      // The script has already reported its errors.
      var result = CommandResult()
      result.status = status
      return result
    }
  }

  private static var history: BuiltIn {
    BuiltIn(
      "history", effect: .depends { $0.optionalText("--lua") == nil ? .reads : .announces },
      summary: "Lists the lines typed before, or writes those of this session to a script.", answer: "text... or text",
      arguments: [Argument("WORD", isOptional: true, help: "only lines that contain this")],
      options: [
        Option("--lua", "FILE", .file, access: .write, help: "write what was typed in this session as a Lua script")
      ], example: "history deck"
    ) { invocation, session in
      if let path = invocation.optionalText("--lua") {
        return try writeScript(session.environment.folders.expanded(path), session)
      }
      let (path, stored) = (session.data.historyPath, session.preferences?.session.historySize ?? 0)
      let history =
        session.input.lineReader?.history ?? (stored > 0 ? History(path: path, limit: stored) : History(path: path))
      let lines = history.lines(containing: invocation.optionalText("WORD") ?? "")
      return CommandResult(.list(lines.map { .text($0) }), .lines(lines.isEmpty ? ["No lines."] : lines))
    }
  }

  private static func writeScript(_ path: String, _ session: Session) throws -> CommandResult {
    let count = session.input.typedLines.count
    guard session.rehearsal.mayActOutside("write \(session.counted(count, "line")) to \(path)") else {
      return CommandResult()
    }
    try AtomicFile.write(path, Array(SessionScript(session).text.utf8), .exported())
    return CommandResult(.text(path), line: "Wrote \(session.counted(count, "line")) to \(path).")
  }

  private static var alias: BuiltIn {
    BuiltIn(
      "alias", effect: .depends { $0.optionalText("NAME") == nil ? .reads : .acts },
      summary: "Defines a short name for the beginning of a line, or lists such names.",
      answer: "{name, text}... or {name, text} or nothing",
      details: "It lasts for this session; put shell.alias(\"name\", \"text\") into init.lua to keep it. NAME alone "
        + "removes it.",
      arguments: [
        Argument("NAME", isOptional: true, help: "the name"),
        Argument("TEXT", isOptional: true, help: "what it stands for"),
      ], example: "alias sp \"study Spanish --sprint\""
    ) { invocation, session in
      if let name = invocation.optionalText("NAME") {
        guard let text = invocation.optionalText("TEXT") else {
          guard session.registry.removeAlias(name) else {
            throw LookupError.noAlias(name)
          }
          return CommandResult(.null, line: "\(name) is no longer an alias.")
        }
        let words = try aliasWords(text, session)
        try setAlias(name, words, session)
        return CommandResult(record(ofAlias: name, words), line: "\(name) stands for \(text)")
      }
      for alias in session.registry.aliases { warnIfHidden(alias.name, session) }
      let rows = session.registry.aliases.map { [$0.name, ShellWords.line(of: $0.words)] }
      return CommandResult(
        .list(session.registry.aliases.map { record(ofAlias: $0.name, $0.words) }),
        .table(TableText([.init("Name", isTyped: true), .init("Stands for")], rows: rows, whenEmpty: "No aliases.")))
    }
  }

  private static func record(ofAlias name: String, _ words: [String]) -> Value {
    .record(["name": name, "text": ShellWords.line(of: words)])
  }

  /// Splits the text of an alias into words.
  static func aliasWords(_ text: String, _ session: Session) throws -> [String] {
    let words = try ShellWords.split(text, home: session.environment.folders.home)
    if words.isEmpty {
      throw CommandError.badValue(command: "alias", name: "TEXT", value: text, expected: "a command and its words")
    }
    return words
  }

  /// Adds one of the user's aliases; while a plugin runs the command, one of that plugin's.
  static func setAlias(_ name: String, _ words: [String], _ session: Session) throws {
    let owner = session.scripting.settingOwner
    if owner.plugin != nil {
      return try session.registry.addPluginAlias(name, words, owner: owner) { !$0.access.isForCommandLineOnly }
    }
    try session.registry.setAlias(name, words: words)
    warnIfHidden(name, session)
  }

  /// Warns when a Lua variable hides the alias: a line that is only the name of a user's variable shows the variable,
  /// whatever else has that name.
  private static func warnIfHidden(_ name: String, _ session: Session) {
    guard session.scripting.isUserGlobal(name) else { return }
    session.console.note(
      "\(name) is a Lua variable too: a line with only \(name) shows the variable, and the alias runs only with words "
        + "after it; \(name) = nil removes the variable")
  }

  private static var version: BuiltIn {
    BuiltIn(
      "version", access: .open, summary: "Shows the version, and those of the libraries in it.", answer: "text"
    ) { _, session in
      CommandResult(.text(session.options.version), .lines(session.options.program.versionLines))
    }
  }

  private static var quit: BuiltIn {
    BuiltIn(
      "quit", access: .open, summary: "Leaves the shell; so do `exit` and Ctrl-D.", answer: "nothing"
    ) { _, session in
      session.state.leaving = ExitStatus.done
      return CommandResult()
    }
  }
}
