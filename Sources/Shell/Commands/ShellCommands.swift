// The shell's own commands: help, run, history, alias, version, quit, undo, redo. Invariant: help is generated from the
// descriptions of commands and bound types, never written here; undo names what it did.

import Bindings
import Commands
import Files
import Glibc
import LuaRuntime
import PluginHost
import Problems
import Storage
import Text
import Values
import Workspace

enum ShellCommands {
  static var all: [BuiltIn] { [help, runFile, history, alias, PluginWork.luaTypes, version, quit] + PaperCommands.all }

  private static let help = BuiltIn(
    "help", access: .open,
    summary: "Explains a command, a topic, a Lua function, a setting or an error code; lists them all without a name.",
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
    if let word = invocation.optionalText("--keyword") { return found(word, session) }
    let tour = Tour(session: session)
    if invocation.list("NAME") == [HelpTopic.tourName], tour.isPossible, !invocation.wantsJSON,
      !session.options.wantsJSON
    {
      try tour.run()
      return CommandResult()
    }
    let lines = try helpLines(invocation.list("NAME"), session)
    return CommandResult(.text(lines.joined(separator: "\n")), .page(.init(.lines(lines))))
  }

  static func helpLines(_ words: [String], _ session: Session) throws -> [String] {
    if !words.isEmpty, words != [allCommands] { return try HelpIndex(session: session).lines(of: words) }
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
    return ["First steps"] + helpTable(first, width: width) + ["", "By theme"]
      + helpTable(themes.map { ($0.theme, $0.words.joined(separator: ", ")) }, width: width)
  }

  private static func found(_ word: String, _ session: Session) -> CommandResult {
    CommandResult(
      listing: HelpIndex(session: session).entries(about: word), [.name("Name"), "Kind", .words("What it is")],
      whenEmpty: "Nothing was found for \(quoted(word))."
    ) {
      ["name": $0.name, "kind": $0.kind.rawValue, "summary": $0.summary, "example": $0.example, "answer": $0.answer]
    } row: {
      [$0.name, $0.kind.rawValue, $0.summary]
    }
  }

  private static let runFile = BuiltIn(
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
    let status =
      try path.hasSuffix(".dh")
      ? ScriptRunner(session).run(commandsIn: path)
      : ScriptRunner(session).run([ScriptRunner.script(at: path, invocation.list("ARG"))])
    if isWithin, status != ExitStatus.done { throw ShellError.scriptFailed(path, status: status) }
    // The script has already reported its errors.
    return CommandResult(status: status)
  }

  private static let history = BuiltIn(
    "history", effect: .depends { $0.optionalText("--lua") == nil ? .reads : .announces },
    summary: "Lists the lines typed before, or writes those of this session to a script.", answer: "text... or text",
    arguments: [Argument("WORD", isOptional: true, help: "only lines that contain this")],
    options: [
      Option("--lua", "FILE", .file, access: .write, help: "write what was typed in this session as a Lua script")
    ], example: "history deck"
  ) { invocation, session in
    if let path = invocation.optionalText("--lua") {
      let (path, lines) = (session.environment.folders.expanded(path), session.input.typedLines.count)
      let count = session.counted(lines, "line")
      guard session.rehearsal.mayActOutside("write \(count) to \(path)") else { return CommandResult() }
      try AtomicFile.write(path, Array(SessionScript(session: session).text.utf8), .exported())
      return CommandResult(.text(path), line: "Wrote \(count) to \(path).")
    }
    let (path, stored) = (session.data.historyPath, session.preferences?.session.historySize ?? 0)
    let history =
      session.input.lineReader?.history ?? (stored > 0 ? History(path: path, limit: stored) : History(path: path))
    let lines = history.lines(containing: invocation.optionalText("WORD") ?? "")
    return CommandResult(.list(lines.map { .text($0) }), .lines(lines.isEmpty ? ["No lines."] : lines))
  }

  private static let alias = BuiltIn(
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
        guard session.registry.removeAlias(name) else { throw LookupError.noAlias(name) }
        return CommandResult(.null, line: "\(name) is no longer an alias.")
      }
      let words = try aliasWords(text, session)
      try setAlias(name, words, session)
      return CommandResult(
        .record(["name": name, "text": ShellWords.line(of: words)]),
        line: "\(name) stands for \(text) until this session ends; shell.alias in init.lua keeps it.")
    }
    for alias in session.registry.aliases { warnIfHidden(alias.name, session) }
    let aliases = session.registry.aliases.map { (name: $0.name, text: ShellWords.line(of: $0.words)) }
    return CommandResult(listing: aliases, [.name("Name"), .words("Stands for")], whenEmpty: "No aliases.") {
      ["name": $0.name, "text": $0.text]
    } row: {
      [$0.name, $0.text]
    }
  }

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

  /// Warns when a Lua variable hides the alias: a line that is only a variable's name shows the variable.
  private static func warnIfHidden(_ name: String, _ session: Session) {
    guard session.scripting.isUserGlobal(name) else { return }
    session.console.note(
      "\(name) is a Lua variable too: a line with only \(name) shows the variable, and the alias runs only with words "
        + "after it; \(name) = nil removes the variable")
  }

  private static let version = BuiltIn(
    "version", access: .open, summary: "Shows the version, and those of the libraries in it.", answer: "text"
  ) { _, session in CommandResult(.text(session.options.version), .lines(session.options.program.versionLines)) }

  private static let quit = BuiltIn(
    "quit", access: .open, summary: "Leaves the shell; so do `exit` and Ctrl-D.", answer: "nothing"
  ) { _, session in
    session.state.leaving = ExitStatus.done
    return CommandResult()
  }
}

enum UndoCommands {
  static var all: [BuiltIn] { [undo, redo] }

  private static let undo = BuiltIn(
    "undo", effect: .depends { $0.flag("--list") ? .reads : .announces },
    summary: "Undoes the last change, or the step with a given number.", answer: "{step, name, at, changes, undone}",
    details: """
      Each change is a step, in this shell or another one; everything that a script did is one step. A step that is \
      not the last can be undone too, unless what it changed was changed again since. At least 100 steps are stored, \
      or 256 MB. A step that removes or changes too much to be stored says so and cannot be undone; one that adds too \
      much can be undone, but not redone. Settings and games are not steps: `set --reset` restores a setting's default.
      """,
    arguments: [Argument("N", .positive, isOptional: true, help: "the number of a step, as `undo --list` shows it")],
    options: [Option("--list", help: "list the steps, the newest first")], usage: ["undo [N]", "undo --list"],
    complete: { _, _, session in
      try session.workspace().care.steps(limit: 100).filter { !$0.isUndone }.map {
        Offer(String($0.id), help: printable($0.name, limit: 60))
      }
    }
  ) { invocation, session in
    try invocation.refuse(["N"], beside: "--list")
    if invocation.flag("--list") { return try list(session) }
    return try step(invocation.optionalInteger("N"), again: false, session)
  }

  private static let redo = BuiltIn(
    "redo", effect: .announces, summary: "Redoes the step that was undone last.",
    answer: "{step, name, at, changes, undone}", details: "What was undone before a new change cannot be redone."
  ) { _, session in try step(nil, again: true, session) }

  /// Undoes a step, the last one when no number is given; or does again what was undone last.
  private static func step(_ number: Int?, again: Bool, _ session: Session) throws -> CommandResult {
    let care = try session.workspace().care
    let next = try care.nextStep(number, again: again)
    guard session.rehearsal.mayActOutside("\(again ? "redo" : "undo") \(next.name)") else {
      return CommandResult(.record(fields(of: next)))
    }
    let step = try session.console.showing(again ? "Redoing" : "Undoing") {
      try again ? care.redo(progress: $0) : care.undo(number, progress: $0)
    }
    let when = session.since(step.at)
    let name =
      printable(step.name, limit: 500) + (when == Session.justNow ? "" : ", \(when)")
      + (step.isTooLarge ? "; it is too large to be redone" : "")
    return CommandResult(
      .record(fields(of: step, isUndone: !again)), line: "\(again ? "Redone" : "Undone"): \(name)")
  }

  private static func list(_ session: Session) throws -> CommandResult {
    CommandResult(
      listing: try session.workspace().care.steps(), [.number("Step"), .whole("When"), .words("What")],
      whenEmpty: "There is nothing to undo yet.", record: { fields(of: $0) }
    ) { step in
      // Placed before the name, because a narrow terminal truncates the end of the line.
      let state = step.isUndone ? "(undone) " : step.isTooLarge ? "(too large to undo) " : ""
      return [String(step.id), session.since(step.at), state + step.name]
    }
  }

  private static func fields(of step: UndoStep, isUndone: Bool? = nil) -> KeyValuePairs<String, (any FieldValue)?> {
    ["step": step.id, "name": step.name, "at": step.at, "changes": step.count, "undone": isUndone ?? step.isUndone]
  }
}
