// The settings of the program itself, as data: name, kind, default, title, help. No logic stands here.
// Invariant: a name that was released stays, or is named in `formerly` of what took its place.

import ToggleSettings
import WordGames

/// What Deckhand declares at its start, as owner `.program`.
enum ProgramSettings {
  /// Every setting of the program by its full name; `Preferences` resolves each once.
  enum Name: String, CaseIterable {
    case gameLanguage = "game.language"
    case gameLength = "game.length"
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
    case color = "display.color"
    case unicode = "display.unicode"
    case rows = "display.rows"
    case historyKeep = "history.keep"
    case historySize = "history.size"
    case idleMinutes = "auth.idle_minutes"
    case mediaPlayer = "media.player"
    case backupDaily = "backup.daily"
    case backupWeekly = "backup.weekly"
    case backupMonthly = "backup.monthly"

    /// The last part, as a switch is named within its group.
    var part: String { rawValue.split(separator: ".").last.map(String.init) ?? rawValue }
  }

  /// `languages` are those with a word list, the first one the default; without any, English stands alone.
  /// `noColor` is whether NO_COLOR is set: then right and wrong are distinguished by a sign from the start.
  static func declarations(languages: [SettingOption], noColor: Bool) -> [SettingDeclaration] {
    game(languages.isEmpty ? ["english"] : languages) + sound + accessibility(noColor) + study + display + backup + rest
  }

  private static func game(_ languages: [SettingOption]) -> [SettingDeclaration] {
    [
      SettingDeclaration(
        Name.gameLanguage.rawValue,
        .choice(languages, default: languages.first { $0.name == "english" }?.name ?? languages[0].name),
        title: "Language", help: "The language that word games are played in."),
      SettingDeclaration(
        Name.gameLength.rawValue,
        .number(NumberRange(min: 4, max: 15, whole: true), default: Double(Game.defaultLength)),
        title: "Length", help: "How many letters the base word of a game has."),
      SettingDeclaration(
        Name.gameFoldAccents.rawValue, .toggle(), title: "Fold accents",
        help: "Whether à stands for a in word games. A letter of its own, as ñ, never stands for another."),
    ]
  }

  private static let sound: [SettingDeclaration] = [
    SettingDeclaration(
      "sound",
      .group([
        SettingDeclaration(
          Name.soundRight.part, .toggle(), title: "Right", help: "The bell after a right answer or an accepted word."),
        SettingDeclaration(
          Name.soundWrong.part, .toggle(), title: "Wrong", help: "The bell after a wrong answer or a refused word."),
        SettingDeclaration(
          Name.soundTime.part, .toggle(), title: "Time", help: "The bell when the time of a sprint is over."),
      ]),
      title: "Sound", help: "When the bell of the terminal rings.")
  ]

  private static func accessibility(_ noColor: Bool) -> [SettingDeclaration] {
    [
      SettingDeclaration(
        Name.screenReader.rawValue, .toggle(), title: "Screen reader",
        help: "Plain lines in reading order: no redrawing, no boxes, no spinner."),
      SettingDeclaration(
        Name.differentiate.rawValue, .toggle(default: noColor), title: "Differentiate without color",
        help: "Right and wrong are told by ✓ and ✗ and by words, not by colour alone."),
      SettingDeclaration(
        Name.reduceMotion.rawValue, .toggle(), title: "Reduce motion",
        help: "Nothing on the screen moves by itself: a clock and a progress bar show at their end."),
    ]
  }

  private static let study: [SettingDeclaration] = [
    SettingDeclaration(
      Name.studySeconds.rawValue, .number(NumberRange(min: 10, max: 3600, whole: true), default: 100),
      title: "Seconds", help: "How long a sprint lasts, in seconds."),
    SettingDeclaration(
      Name.studyLimit.rawValue, .number(NumberRange(min: 0, max: 10_000, whole: true), default: 0),
      title: "Limit", help: "How many cards a session shows at most; 0 shows all that are due."),
    SettingDeclaration(
      Name.showIntervals.rawValue, .toggle(default: true), title: "Show intervals",
      help: "Whether the four answers say when the card would come back."),
    SettingDeclaration(
      Name.forgiveAccents.rawValue, .toggle(), title: "Forgive accents",
      help: "Whether a missing or wrong accent is no mistake in an answer that is typed."),
  ]

  private static let display: [SettingDeclaration] = [
    SettingDeclaration(
      Name.color.rawValue, .choice(["auto", "always", "never"], default: "auto"), title: "Color",
      help: "Whether output has colours: auto has them on a terminal that can, unless NO_COLOR is set."),
    SettingDeclaration(
      Name.unicode.rawValue, .toggle(default: true), title: "Unicode",
      help: "Whether lines and bars are drawn with characters beyond ASCII."),
    SettingDeclaration(
      Name.rows.rawValue, .number(NumberRange(min: 1, max: 100_000, whole: true), default: 100),
      title: "Rows", help: "How many entries of a long list or table are shown before a count stands for the rest."),
  ]

  private static let backup: [SettingDeclaration] = [
    SettingDeclaration(
      Name.backupDaily.rawValue, .number(NumberRange(min: 0, max: 1_000, whole: true), default: 7),
      title: "Daily", help: "Of how many days the backup stays that is made before a day's first change; 0 makes none."),
    SettingDeclaration(
      Name.backupWeekly.rawValue, .number(NumberRange(min: 0, max: 1_000, whole: true), default: 4),
      title: "Weekly", help: "Of how many weeks the newest of these backups stays."),
    SettingDeclaration(
      Name.backupMonthly.rawValue, .number(NumberRange(min: 0, max: 1_000, whole: true), default: 12),
      title: "Monthly", help: "Of how many months the newest of these backups stays."),
  ]

  private static let rest: [SettingDeclaration] = [
    SettingDeclaration(
      Name.historyKeep.rawValue, .toggle(default: true), title: "Keep",
      help: "Whether the prompt's lines are kept for the next session."),
    SettingDeclaration(
      Name.historySize.rawValue, .number(NumberRange(min: 0, max: 1_000_000, whole: true), default: 10_000),
      title: "Size", help: "How many lines the history keeps.", depends: Name.historyKeep.rawValue),
    SettingDeclaration(
      Name.idleMinutes.rawValue, .number(NumberRange(min: 0, max: 1_440, whole: true), default: 15),
      title: "Idle minutes", help: "After how many minutes without a key the account is locked; 0 never locks it."),
    SettingDeclaration(
      Name.mediaPlayer.rawValue, .text(TextRule(), default: ""), title: "Player",
      help: "The program that plays the sounds of cards, with its arguments: mpv --no-video. The files follow them."),
  ]
}
