// The built-in commands as values, registered by theme. Invariant: each is described once; its help, completion and
// parsing come from that description, and its action is handed the session when it runs.
// Measured: parameters 12, as each field of a description has its label where it is written.

public import Commands
import Text

/// One of the program's own commands: its description and its action.
struct BuiltIn: Sendable {
  typealias Run = @Sendable (Invocation, Session) throws -> CommandResult
  typealias Completion = @Sendable (_ word: String, _ before: [String], _ session: Session) throws -> [Offer]

  private let description: @Sendable () -> Command
  /// Completions for the argument under the cursor; nil where the argument's kind determines them.
  let complete: Completion?
  let run: Run

  /// - Parameters:
  ///   - answer: the shape of the command's `--json` output, in the notation of `CommandText.answer`.
  ///   - example: a line that runs it; the command's name when left out.
  init(
    _ path: String..., access: CommandAccess = .signedIn, effect: CommandEffect = .reads, summary: String,
    answer: String, details: String = "", arguments: [Argument] = [], options: [Option] = [], usage: [String] = [],
    example: String? = nil, complete: Completion? = nil, run: @escaping Run
  ) {
    let theme = Self.themes.first { $0.words.contains(path[0]) }?.name ?? Self.shellTheme
    var text = CommandText(
      theme: theme, summary: summary, details: details, usage: usage, example: example ?? path.joined(separator: " "))
    text.answer = answer
    description = { [text] in
      Command(
        path: path, text, access: access, effect: effect, arguments: arguments, options: options,
        completion: complete == nil ? .byKind : .builtIn, action: .builtIn)
    }
    (self.complete, self.run) = (complete, run)
  }

  var command: Command { description() }

  /// Whether it shows only data that plugins do not extend: as the only command of a run, it does not wait for them.
  var needsNoPlugins: Bool {
    guard case .reads = command.effect else { return false }
    return command.name == "version" || ["Decks and cards", "Card documents", "Accounts"].contains(command.theme)
  }

  /// Whether standard output belongs to a protocol: plugins and init.lua, which may print, are not run before it.
  var ownsOutput: Bool { ["lsp", "mcp"].contains(command.name) }

  /// The theme of commands for authors of scripts and plugins; `help` leaves it out.
  static let developers = "For developers"
  private static let shellTheme = "The shell"

  /// The themes in the order of `help`, with the first words of their commands; all others are the shell's own.
  private static let themes: [(name: String, words: [String])] = [
    ("Decks and cards", ["build", "card", "deck", "media", "note", "notetype"]), ("Studying", ["study"]),
    ("Card documents", ["doc"]), ("Words and games", ["mine", "play", "text", "word"]),
    ("Settings", ["set", "toggle"]), ("Plugins", ["plugin"]),
    ("Accounts", ["account", "login", "logout", "passwd", "sync", "whoami"]), (shellTheme, []),
    (developers, ["completions", "docs", "lsp", "lua-types", "man", "map"]),
  ]

  static func describeGroups(to registry: CommandRegistry) {
    (registry.themeOrder, registry.otherNames) = (
      themes.map(\.name), ["exit": "quit", "import": "deck import"]
    )
    registry.summaries = [
      "deck": "Creates, lists, renames, removes, imports and exports decks.",
      "card": "Adds, finds, edits, moves, tags and removes cards.",
      "note": "Adds, shows and edits notes, from which one or several cards are made.",
      "notetype": "Lists, shows, creates and edits note types.",
      "media": "Lists, adds and removes the pictures and sounds of cards.",
      "doc": "Composes picture cards from texts and images, and draws them.",
      "word": "Looks up words by letters, by pattern or by meaning.",
      "text": "Shows what you know of texts: coverage, words, sentences.",
      "account": "Adds, lists and removes accounts.",
      "plugin": "Lists, installs, enables and packs plugins.",
    ]
  }

  static var all: [BuiltIn] {
    let themes: [[BuiltIn]] = [
      DeckCommands.all, [DeckCommands.orderCards], DeckFileCommands.all, CompareCommands.all,
      [DeckPageCommands.page, DeckPageCommands.sheet, DocumentEditCommands.page], DeckFigureCommands.all,
      CardCommands.all, NoteCommands.all, NoteTypeCommands.all, MediaCommands.all, [StudyCommands.command],
      DocumentCommands.all, WordCommands.all, TextCommands.all, [MineCommand.command], [PlayCommands.command],
      PluginCommands.all, SettingCommands.all, AccountCommands.all, ShellCommands.all, UndoCommands.all,
      CareCommands.all, [MapCommand.command, BuildCommand.command], [SyncCommand.command, ServeCommand.command],
      [LanguageServerCommand.command, AgentCommand.command],
    ]
    return themes.flatMap(\.self)
  }
}

/// The program's own commands by name; built on the first lookup.
final class BuiltInTable {
  private lazy var all = BuiltIn.all
  private lazy var byName = Dictionary(firstOf: all.map { ($0.command.name, $0) })

  subscript(name: String) -> BuiltIn? { byName[name] }

  func registry() -> CommandRegistry {
    let registry = CommandRegistry { self.all.map(\.command) }
    BuiltIn.describeGroups(to: registry)
    return registry
  }
}

/// The built-in commands, for code that reads a command line before there is a session.
public enum BuiltInCommands {
  public static func command(of words: ArraySlice<String>) -> Command? {
    BuiltIn.all.lazy.map(\.command).first { words.starts(with: $0.path) }
  }
}

extension Invocation {
  /// Whether the result is shown as JSON: the command or the program was given --json.
  func wantsJSON(in session: Session) -> Bool { wantsJSON || session.options.wantsJSON }
}

/// Splits `NAME=VALUE` at the first `=`; nil without one. The value may begin with a combining mark.
func assignment(_ word: String) -> (name: String, value: String)? {
  word.firstRange(ofText: "=").map { (String(word[..<$0.lowerBound]), String(word[$0.upperBound...])) }
}

/// Arguments and options that several commands take.
enum Common {
  static let deck = Argument("DECK", .deck, help: "a deck's name; A::B is a deck within A")
  static let language = Option("--language", "L", .language, help: "english, spanish, ...; `word languages` lists them")

  static let foldAccents = Option("--fold-accents", help: "à matches a; ñ remains a separate letter")
}
