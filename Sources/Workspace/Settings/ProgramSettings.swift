// The declarations of the program's own settings: name, kind, default, title, help.
// Invariant: a setting that plugins must not read is declared secret, one that they must not change is declared
// guarded.

import ToggleSettings
import WordGames

/// Names of settings that the user's answers change.
public enum ServeSettings {
  public static let origins = ProgramSettings.Name.serveOrigins.rawValue
}

/// The settings that Deckhand declares at start, as owner `.program`.
public enum ProgramSettings {
  /// Every setting of the program by its full name; `Preferences` resolves each once.
  enum Name: String, CaseIterable {
    case gameLanguage = "game.language"
    case gameLength = "game.length"
    case gameWords = "game.words"
    case gameFoldAccents = "game.fold_accents"
    case soundRight = "sound.right"
    case soundWrong = "sound.wrong"
    case soundTime = "sound.time"
    case screenReader = "accessibility.screen_reader"
    case differentiate = "accessibility.differentiate_without_color"
    case reduceMotion = "accessibility.reduce_motion"
    case studySeconds = "study.seconds"
    case studyLimit = "study.limit"
    case showIntervals = "study.show_intervals"
    case forgiveAccents = "study.forgive_accents"
    case showFields = "study.show_fields"
    case color = "display.color"
    case unicode = "display.unicode"
    case pager = "display.pager"
    case rows = "display.rows"
    case hints = "prompt.hints"
    case historyKeep = "history.keep"
    case historySize = "history.size"
    case idleMinutes = "auth.idle_minutes"
    case mediaPlayer = "media.player"
    case mediaSpeech = "media.speech"
    case syncAtEnd = "sync.at_end"
    case serveOrigins = "serve.origins"
    case serveKey = "serve.key"
    case knownDays = "text.known_days"
    case dictionaries = "text.dictionaries"
    case backupDaily = "backup.daily"
    case backupWeekly = "backup.weekly"
    case backupMonthly = "backup.monthly"

    /// The last part of the name, which names a switch within its group.
    var part: String { rawValue.split(separator: ".").last.map(String.init) ?? rawValue }
  }

  /// Returns the declarations. `languages` are those with a word list, the first one the default; if there are none,
  /// English is the only one. `noColor` is whether NO_COLOR is set; then signs distinguish right from wrong by
  /// default.
  static func declarations(languages: [String], noColor: Bool) -> [SettingDeclaration] {
    game(languages.isEmpty ? ["english"] : languages) + sound + accessibility(noColor) + study + texts + display
      + prompt
      + backup + serve + rest
  }

  /// Whether a name denotes only settings of the program that no plugin may change.
  public static func isGuarded(_ name: String) -> Bool {
    let meant = declarations(languages: [], noColor: false).filter { $0.name == name || $0.name.hasPrefix(name + ".") }
    return !meant.isEmpty && meant.allSatisfy(\.isGuarded)
  }

  /// Whether the value of a program setting is never shown.
  static func isSecret(_ name: String) -> Bool {
    declarations(languages: [], noColor: false).contains { $0.name == name && $0.isSecret }
  }

  private static func game(_ languages: [String]) -> [SettingDeclaration] {
    [
      SettingDeclaration(
        Name.gameLanguage.rawValue,
        .choice(languages, default: languages.contains("english") ? "english" : languages[0]),
        title: "Language of word games", help: "The language that word games are played in."),
      SettingDeclaration(
        Name.gameLength.rawValue,
        .number(NumberRange(min: 4, max: 15, whole: true), default: Double(Game.defaultLength)),
        title: "Letters of a base word", help: "How many letters the base word of a game has, unless its mode says so."),
      SettingDeclaration(
        Name.gameWords.rawValue, .choice(["common", "all"], default: "common"), title: "Words that games are about",
        help: "Which words a game chooses and looks for: common ones, where it is known which are, or all of the list. "
          + "A guess may be any word of the list."),
      SettingDeclaration(
        Name.gameFoldAccents.rawValue, .toggle(), title: "Accents do not count in games",
        help: "Whether à stands for a in word games. A letter of its own, as ñ, never stands for another."),
    ]
  }

  private static let sound: [SettingDeclaration] = [
    SettingDeclaration(
      "sound",
      .group([
        SettingDeclaration(
          Name.soundRight.part, .toggle(), title: "Bell after a right answer",
          help: "The bell after a right answer or an accepted word."),
        SettingDeclaration(
          Name.soundWrong.part, .toggle(), title: "Bell after a wrong answer",
          help: "The bell after a wrong answer or a refused word."),
        SettingDeclaration(
          Name.soundTime.part, .toggle(), title: "Bell when time is up",
          help: "The bell when the time of a sprint is over."),
      ]),
      title: "When the bell rings", help: "When the bell of the terminal rings.")
  ]

  private static func accessibility(_ noColor: Bool) -> [SettingDeclaration] {
    var differentiate = SettingDeclaration(
      Name.differentiate.rawValue, .toggle(default: noColor), title: "Signs and words beside colours",
      help: "Right and wrong are told by ✓ and ✗ and by words, not by colour alone.")
    if noColor { differentiate.defaultSource = .environment(variable: "NO_COLOR") }
    return [
      SettingDeclaration(
        Name.screenReader.rawValue, .toggle(), title: "Plain lines for a screen reader",
        help: "Plain lines in reading order: no redrawing, no boxes, no spinner."),
      differentiate,
      SettingDeclaration(
        Name.reduceMotion.rawValue, .toggle(), title: "Nothing moves by itself",
        help: "Nothing on the screen moves by itself: a clock and a progress bar show at their end."),
    ]
  }

  private static let study: [SettingDeclaration] = [
    SettingDeclaration(
      Name.studySeconds.rawValue, .number(NumberRange(min: 10, max: 3600, whole: true), default: 100),
      title: "How long a sprint lasts", help: "How long a sprint lasts, in seconds."),
    SettingDeclaration(
      Name.studyLimit.rawValue, .number(NumberRange(min: 0, max: 10_000, whole: true), default: 0),
      title: "Most cards of a session", help: "How many cards a session shows at most; 0 shows all that are due."),
    SettingDeclaration(
      Name.showIntervals.rawValue, .toggle(default: true), title: "Answers say when a card returns",
      help: "Whether the four answers say when the card would come back."),
    SettingDeclaration(
      Name.forgiveAccents.rawValue, .toggle(), title: "Typed accents may be wrong",
      help: "Whether a missing or wrong accent is no mistake in an answer that is typed."),
    SettingDeclaration(
      Name.showFields.rawValue, .toggle(), title: "Answers show the other fields",
      help: "Whether fields that the card's templates do not name stand below its answer, as other columns of a table."),
  ]

  private static let texts: [SettingDeclaration] = [
    SettingDeclaration(
      Name.knownDays.rawValue, .number(NumberRange(min: 1, max: 3_650, whole: true), default: 21),
      title: "Days from which a word is known",
      help: "How many days a card must be remembered for until texts count its word as known."),
    SettingDeclaration(
      Name.dictionaries.rawValue, .text(default: ""), title: "Dictionaries that are asked first",
      help: "Names of dictionaries, separated by spaces: they are asked for meanings before all others, in this order."),
  ]

  private static let display: [SettingDeclaration] = [
    SettingDeclaration(
      Name.color.rawValue, .choice(["auto", "always", "never"], default: "auto"), title: "When output has colours",
      help: "Whether output has colours: auto has them on a terminal that can, unless NO_COLOR is set."),
    SettingDeclaration(
      Name.unicode.rawValue, .toggle(default: true), title: "Lines and bars beyond ASCII",
      help: "Whether lines and bars are drawn with characters beyond ASCII."),
    SettingDeclaration(
      Name.rows.rawValue, .number(NumberRange(min: 1, max: 100_000, whole: true), default: 100),
      title: "Most entries of a list",
      help: "How many entries of a long list or table are shown before a count stands for the rest."),
    SettingDeclaration(
      Name.pager.rawValue, .toggle(default: true), title: "Long output goes to $PAGER",
      help: "Whether what is longer than the screen is shown by the program that PAGER names, else by less."),
  ]

  private static let prompt: [SettingDeclaration] = [
    SettingDeclaration(
      Name.hints.rawValue, .toggle(default: true), title: "Colours and a suggestion as one types",
      help: "Whether the prompt colours what is typed and suggests how to go on, from the history.")
  ]

  private static let backup: [SettingDeclaration] = [
    SettingDeclaration(
      Name.backupDaily.rawValue, .number(NumberRange(min: 0, max: 1_000, whole: true), default: 7),
      title: "Days whose backup stays",
      help: "Of how many days the backup stays that is made before a day's first change; 0 makes none."),
    SettingDeclaration(
      Name.backupWeekly.rawValue, .number(NumberRange(min: 0, max: 1_000, whole: true), default: 4),
      title: "Weeks whose backup stays", help: "Of how many weeks the newest of these backups stays."),
    SettingDeclaration(
      Name.backupMonthly.rawValue, .number(NumberRange(min: 0, max: 1_000, whole: true), default: 12),
      title: "Months whose backup stays", help: "Of how many months the newest of these backups stays."),
  ]

  private static let serve: [SettingDeclaration] = [
    SettingDeclaration(
      Name.syncAtEnd.rawValue, .toggle(), title: "A sync as the shell ends",
      help: "Whether the shell syncs as it ends, where the account is linked with a server.", guarded: true),
    SettingDeclaration(
      Name.serveOrigins.rawValue, .text(default: ""), title: "Web pages that come in by serve",
      help: "Web pages, as app://obsidian.md, with blanks between them, that come in by `serve` beside those of this "
        + "machine and browser extensions.", guarded: true),
    SettingDeclaration(
      Name.serveKey.rawValue, .text(default: ""), title: "Key that programs give to serve",
      help: "The key that a program must give to `serve`; nothing lets in all programs of this machine.",
      secret: true, guarded: true),
  ]

  private static let rest: [SettingDeclaration] = [
    SettingDeclaration(
      Name.historyKeep.rawValue, .toggle(default: true), title: "Lines are kept for the next session",
      help: "Whether the prompt's lines are kept for the next session."),
    SettingDeclaration(
      Name.historySize.rawValue, .number(NumberRange(min: 0, max: 1_000_000, whole: true), default: 10_000),
      title: "Most lines of the history", help: "How many lines the history keeps while history.keep is on."),
    SettingDeclaration(
      Name.idleMinutes.rawValue, .number(NumberRange(min: 0, max: 1_440, whole: true), default: 15),
      title: "Minutes until it locks itself",
      help: "After how many minutes without a key the account is locked; 0 never locks it.", guarded: true),
    SettingDeclaration(
      Name.mediaPlayer.rawValue, .text(default: ""), title: "Program that plays sounds",
      help: "The program that plays the sounds of cards, with its arguments: mpv --no-video. The files follow them.",
      guarded: true),
    SettingDeclaration(
      Name.mediaSpeech.rawValue, .text(default: ""), title: "Program that speaks texts",
      help: "The program that makes sounds of texts, with its arguments: piper -m es.onnx -f {file}. It reads the text "
        + "on its standard input and writes a sound to {file}; {language} is es, de, ... Without one espeak-ng speaks.",
      guarded: true),
  ]
}
