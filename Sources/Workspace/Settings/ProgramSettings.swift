// The program's own settings, by theme: name, kind, default, title and help stand where the value is read. Invariant: a
// setting that plugins must not read is declared secret, one that they must not change is declared guarded.

import Lexicon
import Problems
import Text
import ToggleSettings
import WordGames

/// A setting of the program: a property that reads its value from the settings of the user. It has the full name as
/// its projected value.
///
///     @ProgramSetting("display.rows", 1...100_000, title: "...", help: "...") public var rows = 100
///     preferences.display.rows    // 100
///     preferences.display.$rows   // "display.rows"
@propertyWrapper public final class ProgramSetting<Setting> {
  fileprivate let declaration: SettingDeclaration
  private let convert: (SettingValue) -> Setting?
  private let standard: Setting
  fileprivate var tree: SettingsTree?

  public var wrappedValue: Setting { tree?[declaration.name].flatMap(convert) ?? standard }
  public var projectedValue: String { declaration.name }

  fileprivate init(
    _ declaration: SettingDeclaration, _ standard: Setting, _ convert: @escaping (SettingValue) -> Setting?
  ) { (self.declaration, self.standard, self.convert) = (declaration, standard, convert) }

  /// - Parameter source: the source of its default, if that is not always the same.
  convenience init(
    wrappedValue: Bool, _ name: String, title: String, help: String, guarded: Bool = false,
    source: SettingSource = .standard
  ) where Setting == Bool {
    var declaration = SettingDeclaration(
      name, .toggle(default: wrappedValue), title: title, help: help, guarded: guarded)
    declaration.defaultSource = source
    self.init(declaration, wrappedValue) { if case .flag(let flag) = $0 { flag } else { nil } }
  }

  convenience init(
    wrappedValue: Int, _ name: String, _ range: ClosedRange<Int>, title: String, help: String, guarded: Bool = false
  ) where Setting == Int {
    let range = NumberRange(min: Double(range.lowerBound), max: Double(range.upperBound), whole: true)
    self.init(
      SettingDeclaration(
        name, .number(range, default: Double(wrappedValue)), title: title, help: help, guarded: guarded), wrappedValue
    ) { if case .number(let number) = $0 { Int(exactly: number) } else { nil } }
  }

  /// - Parameter options: what can be chosen; nil for any text.
  convenience init(
    wrappedValue: String, _ name: String, _ options: [String]? = nil, title: String, help: String,
    secret: Bool = false, guarded: Bool = false
  ) where Setting == String {
    let kind = options.map { SettingKind.choice($0, default: wrappedValue) } ?? .text(default: wrappedValue)
    self.init(
      SettingDeclaration(name, kind, title: title, help: help, secret: secret, guarded: guarded), wrappedValue
    ) { if case .text(let text) = $0 { text } else { nil } }
  }
}

extension ProgramSetting where Setting == [String] {
  /// A text that is read as a list of words.
  convenience init(wrappedValue: [String], _ name: String, title: String, help: String, guarded: Bool = false) {
    self.init(
      SettingDeclaration(
        name, .text(default: wrappedValue.joined(separator: " ")), title: title, help: help, guarded: guarded),
      wrappedValue
    ) { if case .text(let text) = $0 { text.split(whereSeparator: \.isWhitespace).map(String.init) } else { nil } }
  }
}

private protocol DeclaredSetting: AnyObject {
  var declaration: SettingDeclaration { get }
  var tree: SettingsTree? { get set }
}

extension ProgramSetting: DeclaredSetting {}

/// The settings that Deckhand declares at start, as owner `.program`.
public struct ProgramSettings {
  public let games: GameSettings
  public let sound = SoundSettings()
  public let accessibility: AccessibilitySettings
  public let study = StudySettings()
  public let texts: TextSettings
  public let words = WordSettings()
  public let display = DisplaySettings()
  public let backups = BackupSettings()
  public let serving = ServingSettings()
  public let agents = AgentSettings()
  public let session = SessionSettings()

  /// - Parameters:
  ///   - languages: those with a word list, the first one the default; if there are none, English is the only one.
  ///   - noColor: whether NO_COLOR is set; then signs distinguish right from wrong by default.
  init(languages: [String], noColor: Bool) {
    games = GameSettings(languages.isEmpty ? ["english"] : languages)
    texts = TextSettings(languages)
    accessibility = AccessibilitySettings(noColor)
  }

  private var settings: [any DeclaredSetting] {
    Mirror(reflecting: self).children.flatMap { theme in
      Mirror(reflecting: theme.value).children.flatMap { child in
        (child.value as? any DeclaredSetting).map { [$0] } ?? child.value as? [any DeclaredSetting] ?? []
      }
    }
  }

  private static func declarations(of settings: [any DeclaredSetting]) -> [SettingDeclaration] {
    var declarations = settings.map(\.declaration)
    // The bells are a group with a master switch.
    let isBell = { (declaration: SettingDeclaration) in declaration.name.hasPrefix("sound.") }
    let bells = declarations.filter(isBell).map { bell in
      var child = bell
      child.name.removeFirst("sound.".count)
      return child
    }
    let place = declarations.firstIndex(where: isBell) ?? 0
    declarations.removeAll(where: isBell)
    declarations.insert(
      SettingDeclaration(
        "sound", .group(bells), title: "When the bell rings", help: "When the bell of the terminal rings."), at: place)
    return declarations
  }

  /// Declares the settings in a tree, and reads them from it from now on.
  func declare(in tree: SettingsTree) throws(SettingsError) {
    let settings = settings
    try tree.declare(Self.declarations(of: settings), by: .program)
    for setting in settings { setting.tree = tree }
  }

  private static let standard = declarations(of: ProgramSettings(languages: [], noColor: false).settings)

  /// Whether a name denotes only settings of the program that no plugin may change.
  public static func isGuarded(_ name: String) -> Bool {
    let meant = standard.filter { $0.name == name || $0.name.hasPrefix(name + ".") }
    return !meant.isEmpty && meant.allSatisfy(\.isGuarded)
  }

  /// Whether the value of a program setting is never shown.
  static func isSecret(_ name: String) -> Bool { standard.contains { $0.name == name && $0.isSecret } }
}

public struct GameSettings {
  @ProgramSetting<String> public var language: String
  @ProgramSetting(
    "game.length", 4...15, title: "Letters of a base word",
    help: "How many letters the base word of a game has, unless its mode sets the length.")
  public var length = Game.defaultLength
  @ProgramSetting(
    "game.words", ["common", "all"], title: "Words used in games",
    help:
      "Which words a game chooses and looks for: common ones, if it is known which are, or all of the list. A guess "
      + "may be any word of the list.")
  public var words = "common"
  @ProgramSetting(
    "game.fold_accents", title: "Accents do not count in games",
    help: "Whether à counts as a in word games. A letter in its own right, such as ñ, never counts as another.")
  public var foldsAccents = false

  fileprivate init(_ languages: [String]) {
    _language = ProgramSetting(
      wrappedValue: languages.contains("english") ? "english" : languages[0], "game.language", languages,
      title: "Language of word games", help: "The language that word games are played in.")
  }
}

public struct SoundSettings {
  @ProgramSetting(
    "sound.right", title: "Bell after a right answer", help: "The bell after a right answer or an accepted word.")
  public var ringsWhenRight = false
  @ProgramSetting(
    "sound.wrong", title: "Bell after a wrong answer", help: "The bell after a wrong answer or a refused word.")
  public var ringsWhenWrong = false
  @ProgramSetting("sound.time", title: "Bell when time is up", help: "The bell when the time of a sprint is over.")
  public var ringsAtTime = false
}

public struct AccessibilitySettings {
  @ProgramSetting(
    "accessibility.screen_reader", title: "Plain lines for a screen reader",
    help: "Plain lines in reading order: no redrawing, no boxes, no spinner.")
  public var usesScreenReader = false
  @ProgramSetting<Bool> public var differentiatesWithoutColor: Bool
  @ProgramSetting(
    "accessibility.reduce_motion", title: "Nothing moves by itself",
    help: "Nothing on the screen moves by itself: a clock and a progress bar are shown only when they finish.")
  public var reducesMotion = false

  fileprivate init(_ noColor: Bool) {
    _differentiatesWithoutColor = ProgramSetting(
      wrappedValue: noColor, "accessibility.differentiate_without_color",
      title: "Signs and words in addition to colours",
      help: "Right and wrong are shown by ✓ and ✗ and by words, not by colour alone.",
      source: noColor ? .environment(variable: "NO_COLOR") : .standard)
  }
}

public struct StudySettings {
  @ProgramSetting(
    "study.seconds", 10...3600, title: "How long a sprint lasts", help: "How long a sprint lasts, in seconds.")
  public var seconds = 100
  @ProgramSetting(
    "study.limit", 0...10_000, title: "Maximum cards in a session",
    help: "How many cards a session shows at most; 0 shows all that are due.")
  public var limit = 0
  @ProgramSetting(
    "study.show_intervals", title: "Answers show when a card returns",
    help: "Whether the four answers show when the card would come back.")
  public var showsIntervals = true
  @ProgramSetting(
    "study.forgive_accents", title: "Typed answers may have wrong accents",
    help: "Whether missing or wrong accents are accepted in a typed answer.")
  public var forgivesAccents = false
  @ProgramSetting(
    "study.show_fields", title: "Answers show the other fields",
    help:
      "Whether fields that the card's templates do not use are shown below its answer, such as the other columns of "
      + "a table.")
  public var showsFields = false

  @ProgramSetting(
    "study.autoplay", title: "Sounds play by themselves",
    help: "Whether the sounds of a side are played when it is shown, with the program in media.player.")
  public var autoplay = true
  @ProgramSetting(
    "study.space_answers", title: "Space and Enter answer good",
    help: "Whether Space and Enter, once the answer is shown, mean good; without it they only show the answer.")
  public var spaceAnswers = true

  /// The most cards in a session; nil for no limit.
  var most: Int? { limit == 0 ? nil : limit }
}

public struct TextSettings {
  /// The value of `language` for which each text is looked at.
  static let foundLanguage = "auto"

  @ProgramSetting<String> public var language: String
  @ProgramSetting(
    "text.known_days", 1...3_650, title: "Days until a word is known",
    help: "For how many days a card must be remembered before texts count its word as known.")
  public var knownDays = 21
  @ProgramSetting(
    "text.dictionaries", title: "Dictionaries that are searched first",
    help: "Names of dictionaries, separated by spaces: they are searched before all others, in this order.")
  public var dictionaries: [String] = []

  fileprivate init(_ languages: [String]) {
    let names = (languages + Language.known.map(\.name)).distinct(by: \.self)
    _language = ProgramSetting(
      wrappedValue: Self.foundLanguage, "text.language", [Self.foundLanguage] + names, title: "Language of texts",
      help:
        "The language that texts are read in, and that known words are of: auto finds it for each text. A text in "
        + "another language is asked about.")
  }
}

public struct WordSettings {
  private let analysers: [ProgramSetting<[String]>] = Language.known.distinct(by: \.baseCode).map { language in
    ProgramSetting(
      wrappedValue: [], "words.analyser.\(language.baseCode)", title: "Program that finds words: \(language.title)",
      help:
        "The program for the words of texts in \(language.title), with its arguments. It reads text on its standard "
        + "input and writes CoNLL-U; {language} is \(language.baseCode).", guarded: true)
  }

  /// The program for the words of a language, and its arguments; empty if none is set.
  func analyser(of language: Language) -> [String] {
    analysers.first { $0.projectedValue.hasSuffix("." + language.baseCode) }?.wrappedValue ?? []
  }
}

public struct DisplaySettings {
  @ProgramSetting(
    "display.color", ["auto", "always", "never"], title: "When output has colours",
    help: "Whether output has colours: auto uses them on a terminal that supports them, unless NO_COLOR is set.")
  public var color = "auto"
  @ProgramSetting(
    "display.unicode", title: "Lines and bars in Unicode",
    help: "Whether lines and bars are drawn with Unicode characters instead of ASCII.")
  public var usesUnicode = true
  @ProgramSetting(
    "display.rows", 1...100_000, title: "Maximum entries in a list",
    help: "How many entries of a long list or table are shown; the rest is only counted.")
  public var rows = 100
  @ProgramSetting(
    "display.pager", title: "Long output goes to $PAGER",
    help: "Whether output longer than the screen is shown by the program in PAGER, or by less if it is not set.")
  public var usesPager = true
  @ProgramSetting(
    "prompt.hints", title: "Colours and suggestions while you type",
    help: "Whether the prompt colours what you type and suggests completions from the history.")
  public var showsHints = true
}

public struct BackupSettings {
  @ProgramSetting(
    "backup.daily", 0...1_000, title: "Number of daily backups",
    help: "How many daily backups are kept; one is made after the first change of a day; 0 makes none.")
  var daily = 7
  @ProgramSetting(
    "backup.weekly", 0...1_000, title: "Number of weekly backups",
    help: "For how many weeks the newest daily backup of the week is kept.")
  var weekly = 4
  @ProgramSetting(
    "backup.monthly", 0...1_000, title: "Number of monthly backups",
    help: "For how many months the newest daily backup of the month is kept.")
  var monthly = 12

  /// Which of the daily backups are retained.
  var retention: BackupRetention { BackupRetention(daily: daily, weekly: weekly, monthly: monthly) }
}

public struct ServingSettings {
  /// The port of `serve` if none is given: that of AnkiConnect.
  public static let port = 8765

  @ProgramSetting(
    "sync.at_end", title: "Sync when the shell exits",
    help: "Whether the shell syncs when it exits, if the account is linked with a server.", guarded: true)
  public var syncsAtEnd = false
  @ProgramSetting(
    "serve.origins", title: "Web pages that may use serve",
    help:
      "Web pages, such as app://obsidian.md, separated by spaces, that may use `serve` in addition to those of this "
      + "machine and browser extensions.", guarded: true)
  public var origins: [String] = []
  @ProgramSetting(
    "serve.key", title: "Key that programs give to serve",
    help: "The key that a program must give to `serve`; if it is empty, all programs of this machine may use it.",
    secret: true, guarded: true)
  public var key = ""
}

public struct AgentSettings {
  public enum Allowed: String, CaseIterable, Sendable { case read, apply, ask, write }

  @ProgramSetting(
    "mcp.allow", Allowed.allCases.map(\.rawValue), title: "What agents may do through mcp",
    help: "Agents may only read, carry out plans (apply), do so after your yes (ask), or change cards at once (write).",
    guarded: true)
  var allow = Allowed.apply.rawValue
  @ProgramSetting(
    "mcp.decks", title: "Decks that agents see through mcp",
    help: "Names of decks, quoted if they have spaces: agents see only these and the decks within them; empty: all.",
    guarded: true)
  public var decks = ""

  public var allowed: Allowed { Allowed(rawValue: allow) ?? .read }
}

public struct SessionSettings {
  @ProgramSetting(
    "history.keep", title: "Lines are saved for the next session",
    help: "Whether the prompt's lines are saved for the next session.")
  public var keepsHistory = true
  @ProgramSetting(
    "history.size", 0...1_000_000, title: "Maximum lines in the history",
    help: "How many lines the history stores while history.keep is on.")
  public var historyLines = 10_000
  @ProgramSetting(
    "auth.idle_minutes", 0...1_440, title: "Minutes until the account is locked",
    help: "After how many minutes without a key press the account is locked; 0 never locks it.", guarded: true)
  public var idleMinutes = 15
  @ProgramSetting(
    "media.player", title: "Program that plays sounds",
    help: "The program that plays the sounds of cards, with its arguments: mpv --no-video. The files follow them.",
    guarded: true)
  var mediaPlayer: [String] = []
  @ProgramSetting(
    "media.speech", title: "Program that speaks texts",
    help: "The program that speaks texts, with its arguments: piper -m es.onnx -f {file}. It reads the text on its "
      + "standard input and writes a sound to {file}; {language} is es, de, ... If it is empty, espeak-ng is used.",
    guarded: true)
  var speechProgram = ""

  /// The number of lines that the history stores; 0 if none are stored for the next session.
  public var historySize: Int { keepsHistory ? historyLines : 0 }
}
