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
        title: "Letters of a base word",
        help: "How many letters the base word of a game has, unless its mode sets the length."),
      SettingDeclaration(
        Name.gameWords.rawValue, .choice(["common", "all"], default: "common"), title: "Words used in games",
        help: "Which words a game chooses and looks for: common ones, if it is known which are, or all of the list. "
          + "A guess may be any word of the list."),
      SettingDeclaration(
        Name.gameFoldAccents.rawValue, .toggle(), title: "Accents do not count in games",
        help: "Whether à counts as a in word games. A letter in its own right, such as ñ, never counts as another."),
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
      Name.differentiate.rawValue, .toggle(default: noColor), title: "Signs and words in addition to colours",
      help: "Right and wrong are shown by ✓ and ✗ and by words, not by colour alone.")
    if noColor { differentiate.defaultSource = .environment(variable: "NO_COLOR") }
    return [
      SettingDeclaration(
        Name.screenReader.rawValue, .toggle(), title: "Plain lines for a screen reader",
        help: "Plain lines in reading order: no redrawing, no boxes, no spinner."),
      differentiate,
      SettingDeclaration(
        Name.reduceMotion.rawValue, .toggle(), title: "Nothing moves by itself",
        help: "Nothing on the screen moves by itself: a clock and a progress bar are shown only when they finish."),
    ]
  }

  private static let study: [SettingDeclaration] = [
    SettingDeclaration(
      Name.studySeconds.rawValue, .number(NumberRange(min: 10, max: 3600, whole: true), default: 100),
      title: "How long a sprint lasts", help: "How long a sprint lasts, in seconds."),
    SettingDeclaration(
      Name.studyLimit.rawValue, .number(NumberRange(min: 0, max: 10_000, whole: true), default: 0),
      title: "Maximum cards in a session", help: "How many cards a session shows at most; 0 shows all that are due."),
    SettingDeclaration(
      Name.showIntervals.rawValue, .toggle(default: true), title: "Answers show when a card returns",
      help: "Whether the four answers show when the card would come back."),
    SettingDeclaration(
      Name.forgiveAccents.rawValue, .toggle(), title: "Typed answers may have wrong accents",
      help: "Whether missing or wrong accents are accepted in a typed answer."),
    SettingDeclaration(
      Name.showFields.rawValue, .toggle(), title: "Answers show the other fields",
      help: "Whether fields that the card's templates do not use are shown below its answer, such as the other columns "
        + "of a table."),
  ]

  private static let texts: [SettingDeclaration] = [
    SettingDeclaration(
      Name.knownDays.rawValue, .number(NumberRange(min: 1, max: 3_650, whole: true), default: 21),
      title: "Days until a word is known",
      help: "For how many days a card must be remembered before texts count its word as known."),
    SettingDeclaration(
      Name.dictionaries.rawValue, .text(default: ""), title: "Dictionaries that are searched first",
      help: "Names of dictionaries, separated by spaces: they are searched before all others, in this order."),
  ]

  private static let display: [SettingDeclaration] = [
    SettingDeclaration(
      Name.color.rawValue, .choice(["auto", "always", "never"], default: "auto"), title: "When output has colours",
      help: "Whether output has colours: auto uses them on a terminal that supports them, unless NO_COLOR is set."),
    SettingDeclaration(
      Name.unicode.rawValue, .toggle(default: true), title: "Lines and bars in Unicode",
      help: "Whether lines and bars are drawn with Unicode characters instead of ASCII."),
    SettingDeclaration(
      Name.rows.rawValue, .number(NumberRange(min: 1, max: 100_000, whole: true), default: 100),
      title: "Maximum entries in a list",
      help: "How many entries of a long list or table are shown; the rest is only counted."),
    SettingDeclaration(
      Name.pager.rawValue, .toggle(default: true), title: "Long output goes to $PAGER",
      help: "Whether output longer than the screen is shown by the program in PAGER, or by less if it is not set."),
  ]

  private static let prompt: [SettingDeclaration] = [
    SettingDeclaration(
      Name.hints.rawValue, .toggle(default: true), title: "Colours and suggestions while you type",
      help: "Whether the prompt colours what you type and suggests completions from the history.")
  ]

  private static let backup: [SettingDeclaration] = [
    SettingDeclaration(
      Name.backupDaily.rawValue, .number(NumberRange(min: 0, max: 1_000, whole: true), default: 7),
      title: "Number of daily backups",
      help: "How many daily backups are kept; one is made after the first change of a day; 0 makes none."),
    SettingDeclaration(
      Name.backupWeekly.rawValue, .number(NumberRange(min: 0, max: 1_000, whole: true), default: 4),
      title: "Number of weekly backups",
      help: "For how many weeks the newest daily backup of the week is kept."),
    SettingDeclaration(
      Name.backupMonthly.rawValue, .number(NumberRange(min: 0, max: 1_000, whole: true), default: 12),
      title: "Number of monthly backups",
      help: "For how many months the newest daily backup of the month is kept."),
  ]

  private static let serve: [SettingDeclaration] = [
    SettingDeclaration(
      Name.syncAtEnd.rawValue, .toggle(), title: "Sync when the shell exits",
      help: "Whether the shell syncs when it exits, if the account is linked with a server.", guarded: true),
    SettingDeclaration(
      Name.serveOrigins.rawValue, .text(default: ""), title: "Web pages that may use serve",
      help: "Web pages, such as app://obsidian.md, separated by spaces, that may use `serve` in addition to "
        + "those of this machine and browser extensions.", guarded: true),
    SettingDeclaration(
      Name.serveKey.rawValue, .text(default: ""), title: "Key that programs give to serve",
      help: "The key that a program must give to `serve`; if it is empty, all programs of this machine may use it.",
      secret: true, guarded: true),
  ]

  private static let rest: [SettingDeclaration] = [
    SettingDeclaration(
      Name.historyKeep.rawValue, .toggle(default: true), title: "Lines are saved for the next session",
      help: "Whether the prompt's lines are saved for the next session."),
    SettingDeclaration(
      Name.historySize.rawValue, .number(NumberRange(min: 0, max: 1_000_000, whole: true), default: 10_000),
      title: "Maximum lines in the history",
      help: "How many lines the history stores while history.keep is on."),
    SettingDeclaration(
      Name.idleMinutes.rawValue, .number(NumberRange(min: 0, max: 1_440, whole: true), default: 15),
      title: "Minutes until the account is locked",
      help: "After how many minutes without a key press the account is locked; 0 never locks it.", guarded: true),
    SettingDeclaration(
      Name.mediaPlayer.rawValue, .text(default: ""), title: "Program that plays sounds",
      help: "The program that plays the sounds of cards, with its arguments: mpv --no-video. The files follow them.",
      guarded: true),
    SettingDeclaration(
      Name.mediaSpeech.rawValue, .text(default: ""), title: "Program that speaks texts",
      help: "The program that speaks texts, with its arguments: piper -m es.onnx -f {file}. It reads the text "
        + "on its standard input and writes a sound to {file}; {language} is es, de, ... If it is empty, espeak-ng is used.",
      guarded: true),
  ]
}
