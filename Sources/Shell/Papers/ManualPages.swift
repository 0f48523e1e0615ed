// `completions`, `man`, `docs`: files for packages, system shells and readers; and the manual pages, for man(1). All
// are generated from Deckhand's own descriptions. Invariant: no text is taken for a roff request, whatever it contains.

import CTerminal
import Commands
import Files
import LuaRuntime
import Problems
import Text
import Values
import Workspace

struct ManualPages {
  private let commands: [Command]
  private let themes: [String]
  private let program: ProgramIdentity

  init(_ session: Session) {
    commands = session.registry.commands.filter { $0.owner == .program }
    (themes, program) = (session.registry.themeOrder, session.options.program)
  }

  /// One page about the program, and one for each command.
  var files: [(name: String, text: String)] {
    [("deckhand.1", whole)] + commands.map { ("\(pageName($0)).1", page(of: $0)) }
  }

  private func pageName(_ command: Command) -> String { (["deckhand"] + command.path).joined(separator: "-") }

  private func page(of command: Command) -> String {
    var page = RoffPage(pageName(command), version: program.version, summary: command.summary)
    page.section("SYNOPSIS")
    for line in command.usageLines { page.usage("deckhand", line) }
    page.section("DESCRIPTION")
    page.paragraphs(command.summary + "\n" + command.details)
    page.list("ARGUMENTS", command.arguments.map { ($0.usage, $0.help) })
    page.list("OPTIONS", (command.options + [.json]).map { ($0.heading, $0.help) })
    if !command.text.answer.isEmpty {
      page.section("ANSWER WITH --json")
      page.paragraphs(command.text.answer + "\nA name in it is a Lua type; `deckhand help NAME` lists its fields.")
    }
    page.section("EXAMPLE")
    page.example("deckhand " + command.example)
    page.section("SEE ALSO")
    let siblings = commands.filter { $0.path.count == 2 && $0.path[0] == command.path[0] && $0.name != command.name }
    page.references([("deckhand", 1)] + siblings.map { (pageName($0), 1) })
    return page.text
  }

  private var whole: String {
    var page = RoffPage(
      "deckhand", version: program.version, summary: "scriptable shell for learning and teaching words")
    page.section("SYNOPSIS")
    for line in ["[OPTION]...", "[OPTION]... COMMAND [ARG]...", "[OPTION]... run FILE.lua [ARG]...", "-e CODE"] {
      page.usage("deckhand", line)
    }
    page.section("DESCRIPTION")
    page.paragraphs(Self.description)
    page.list("OPTIONS", program.command.options.map { ($0.heading, $0.help) })
    page.section("COMMANDS")
    for theme in themes {
      page.subsection(theme)
      for command in commands where command.theme == theme { page.item(command.name, command.summary) }
    }
    page.list("EXIT STATUS", Self.statuses)
    page.list("ENVIRONMENT", Self.variables)
    page.list("FILES", Self.files)
    page.section("SEE ALSO")
    page.references(commands.map { (pageName($0), 1) } + [("lua5.4", 1), ("readline", 3)])
    return page.text
  }

  private static let description = """
    Deckhand stores decks of cards and schedules their study with FSRS-6, composes card documents from texts and \
    pictures, plays word games and looks up words. Without a command it starts a prompt, where a line is a command if \
    its first word names one, and Lua 5.4 otherwise. With a command it runs the command and exits; a script runs as \
    one unit of work, which is stored as a whole or not at all.
    At the prompt `help` lists the commands and topics, `help tour` shows around, and Tab completes.
    """

  private static let statuses = [
    ("\(ExitStatus.done)", "done"), ("\(ExitStatus.failed)", "a command or a script failed"),
    ("\(ExitStatus.usage)", "wrong usage: an unknown command or option, or a missing argument"),
    ("\(ExitStatus.signIn)", "a sign-in was needed, but not given, denied or locked"),
    ("\(ExitStatus.interrupted)", "it was interrupted"),
  ]

  private static let variables = [
    ("DECKHAND_DATA", "where everything is kept"), ("DECKHAND_USER", "who signs in"),
    ("DECKHAND_SET_NAME", "a setting, for example DECKHAND_SET_GAME_LANGUAGE"),
    ("EDITOR, PAGER", "the programs that edit and show texts"), ("NO_COLOR", "no colours if it is not empty"),
    ("XDG_DATA_HOME, XDG_CONFIG_HOME, XDG_CACHE_HOME", "the folders that contain its own folders"),
  ]

  private static let files = [
    ("~/.local/share/deckhand", "decks, documents, accounts, plugins, backups"),
    ("~/.config/deckhand/init.lua", "runs at each start"), ("~/.cache/deckhand", "compiled word lists"),
    ("/etc/deckhand/settings.json", "settings for all users of the machine"),
    ("~/.inputrc", "key bindings, as for readline"),
  ]
}

/// A page in the macros of man(7).
private struct RoffPage {
  private var lines: [String]

  init(_ name: String, version: String, summary: String) {
    let short = summary.hasSuffix(".") ? String(summary.dropLast()) : summary
    lines = [
      // `.TH` sets the adjustment that the string AD names; older macros have none and take `.ad`.
      ".\\\" Made by `deckhand man`.", ".ds AD l",
      ".TH \"\(name.uppercased())\" 1 \"\" \"Deckhand \(version)\" \"Deckhand\"",
      ".ad l", ".nh", ".SH NAME", "\(Self.escaped(name)) \\- \(Self.escaped(short))",
    ]
  }

  var text: String { lines.map { $0 + "\n" }.joined() }
  mutating func section(_ title: String) { lines.append(".SH \"\(Self.escaped(title))\"") }
  mutating func subsection(_ title: String) { lines.append(".SS \"\(Self.escaped(title))\"") }

  mutating func usage(_ name: String, _ rest: String) {
    lines += [".PP", "\\fB\(Self.escaped(name))\\fR \(Self.escaped(rest))"]
  }

  /// Adds paragraphs; lines that begin with a space are kept literally.
  mutating func paragraphs(_ text: String) {
    for line in text.split(separator: "\n").map(String.init) {
      lines +=
        line.hasPrefix(" ") ? [".PP", ".nf", "    \(Self.escaped(line.trimmed))", ".fi"] : [".PP", Self.text(line)]
    }
  }

  mutating func item(_ name: String, _ help: String) {
    lines += [".TP", "\\fB\(Self.escaped(name))\\fR", Self.text(help.isEmpty ? "\\&" : help)]
  }

  mutating func list(_ title: String, _ rows: [(String, String)]) {
    if rows.isEmpty { return }
    section(title)
    for (name, help) in rows { item(name, help) }
  }

  mutating func example(_ line: String) { lines += [".PP", ".nf", "    \(Self.escaped(line))", ".fi"] }

  mutating func references(_ pages: [(String, Int)]) {
    for (index, page) in pages.enumerated() {
      lines.append(".BR \(Self.escaped(page.0)) (\(page.1))\(index == pages.count - 1 ? "" : ",")")
    }
  }

  /// Formats a text in which `...` is bold.
  private static func text(_ text: String) -> String {
    if text == "\\&" { return text }
    let parts = text.split(separator: "`", omittingEmptySubsequences: false).map { escaped(String($0)) }
    return parts.enumerated().map { $0 % 2 == 1 ? "\\fB\($1)\\fR" : $1 }.joined()
  }

  private static func escaped(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar -> String in
      switch scalar {
      case "\\": "\\e"
      case "-": "\\-"
      case "'": "\\(aq"
      case "`": "\\(ga"
      // A line may be broken after these.
      case "|", "/", ",": String(scalar) + "\\:"
      case "^": "\\(ha"
      case "~": "\\(ti"
      case "\"": "\\(dq"
      case _ where scalar.isASCII: String(scalar)
      default: "\\[u" + hexadecimal(scalar) + "]"
      }
    }.joined()
    return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
  }

  /// Formats the code with at least four digits, as groff(7) names a character.
  private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

extension ProgramIdentity {
  /// The output of `--version`: the program's own line first, then the libraries linked into it.
  package var versionLines: [String] {
    let libraries =
      [("Lua", LuaState.version), ("readline", String(cString: line_editor_version()))] + CareOperations.libraryVersions
    return ["Deckhand \(version)", libraries.map { "\($0) \($1)" }.joined(separator: ", ")]
  }
}

enum PaperCommands {
  static var all: [BuiltIn] { [completions, man, docs] }

  private static let folder = Argument("DIR", .folder, help: "the folder; it is created if it does not exist")

  private static let completions = BuiltIn(
    "completions", access: .open,
    summary: "Prints a few lines that let your system's shell complete deckhand's commands, names and files.",
    answer: "text",
    details: """
      The lines ask the program at each Tab, so they never become outdated. They do not ask for a password: before a \
      sign-in, decks and other data of an account are not offered.
      \(CompletionStub.allCases.map { "  \($0.hint)" }.joined(separator: "\n"))
      """, arguments: [Argument("SHELL", .choice(CompletionStub.allCases.map(\.rawValue)), help: "bash, zsh or fish")],
    example: "completions bash"
  ) { invocation, _ in
    let text = CompletionStub(rawValue: invocation.text("SHELL"))?.text ?? ""
    return CommandResult(.text(text), .lines(text.split(separator: "\n").map(String.init)))
  }

  private static let man = BuiltIn(
    "man", effect: .announces, summary: "Writes manual pages: one for each command, and one for the program.",
    answer: "text...", details: "Read them with man: `man -l DIR/deckhand-deck-import.1`.", arguments: [folder],
    example: "man pages"
  ) { invocation, session in try write(ManualPages(session).files, to: invocation, session) }

  private static let docs = BuiltIn(
    "docs", effect: .announces,
    summary: "Writes the reference as Markdown: commands, Lua, rules, settings, formats, events, problem codes.",
    answer: "text...", arguments: [folder], example: "docs reference"
  ) { invocation, session in try write(ReferencePages(session: session).files, to: invocation, session) }

  /// Writes files into the folder that the command names; a failure leaves no new file or folder.
  static func write(
    _ files: [(name: String, text: String)], to invocation: Invocation, _ session: Session
  ) throws -> CommandResult {
    let folder = session.environment.folders.expanded(invocation.text("DIR"))
    guard session.rehearsal.mayActOutside("write files to \(folder)") else { return CommandResult() }
    try removingOnFailure { created in
      try makeExportedFolder(folder, &created)
      for file in files {
        let path = folder + "/" + file.name
        let isNew = !fileExists(path)
        try AtomicFile.write(path, Array(file.text.utf8), .exported())
        if isNew { created.append(path) }
      }
    }
    return CommandResult(
      .list(files.map { .text(folder + "/" + $0.name) }),
      line: "Wrote \(session.counted(files.count, "file")) to \(printable(folder)).")
  }
}
