// The settings of one user, or of nobody before a sign-in: the tree with the program's own settings declared, the
// layers from outside laid, and each of the program's settings resolved once. Invariant: reading one of them here is a
// load from an array.

import Files
import Glibc
public import Lexicon
public import Problems
import Text
public import ToggleSettings

/// Where settings come from beside the account, handed in by the program and read when settings are first asked for.
///
///     let given = ["game.length=9"].compactMap(LayeredSetting.commandLine)
///     let sources = SettingSources(systemFile: "/etc/deckhand/settings.json", commandLine: given)
public struct SettingSources {
  /// The file of whoever looks after the machine; it may be missing. Nil for none.
  public var systemFile: String?
  /// The environment's variables whose names begin with `DECKHAND_SET_`.
  public var variables: () -> [String: String]
  /// What followed each `--set`.
  public var commandLine: [LayeredSetting]
  /// Whether NO_COLOR is set.
  public var noColor: Bool

  public init(
    systemFile: String? = nil, variables: @escaping () -> [String: String] = { [:] },
    commandLine: [LayeredSetting] = [], noColor: Bool = false
  ) {
    self.systemFile = systemFile
    self.variables = variables
    self.commandLine = commandLine
    self.noColor = noColor
  }
}

/// The tree of settings, and the program's own settings as plain fields.
///
///     let preferences = try workspace.preferences()
///     preferences.gameLength   // 9
public final class Preferences {
  public let tree = SettingsTree()
  /// What was carried over, left aside or could not be read, one line each; for the user.
  public private(set) var notices: [String] = []
  /// Why the system file could not be read; then every setting is locked.
  public private(set) var systemFailure: (any Problem)?
  /// What is stored, or `--set` or anything else from outside asked for, and does not fit.
  public private(set) var refusals: [SettingsNotice] = []
  private let keys: Keys

  /// The program's own settings, resolved.
  private struct Keys {
    let language, words, color, player, speech, origins, serveKey, dictionaries: SettingKey<String>
    let length, seconds, limit, knownDays, rows, historySize, idleMinutes, daily, weekly, monthly: SettingKey<Int>
    let foldAccents, right, wrong, time, screenReader, differentiate, reduceMotion: SettingKey<Bool>
    let intervals, unicode, historyKeep, forgiveAccents, showFields, hints, pager, atEnd: SettingKey<Bool>

    init(_ tree: SettingsTree) throws(SettingsError) {
      func flag(_ name: ProgramSettings.Name) throws(SettingsError) -> SettingKey<Bool> {
        try tree.keys.flag(name.rawValue)
      }
      func whole(_ name: ProgramSettings.Name) throws(SettingsError) -> SettingKey<Int> {
        try tree.keys.whole(name.rawValue)
      }
      language = try tree.keys.text(ProgramSettings.Name.gameLanguage.rawValue)
      words = try tree.keys.text(ProgramSettings.Name.gameWords.rawValue)
      color = try tree.keys.text(ProgramSettings.Name.color.rawValue)
      player = try tree.keys.text(ProgramSettings.Name.mediaPlayer.rawValue)
      speech = try tree.keys.text(ProgramSettings.Name.mediaSpeech.rawValue)
      origins = try tree.keys.text(ProgramSettings.Name.serveOrigins.rawValue)
      serveKey = try tree.keys.text(ProgramSettings.Name.serveKey.rawValue)
      (length, seconds, limit) = (try whole(.gameLength), try whole(.studySeconds), try whole(.studyLimit))
      knownDays = try whole(.knownDays)
      dictionaries = try tree.keys.text(ProgramSettings.Name.dictionaries.rawValue)
      (rows, historySize, idleMinutes) = (try whole(.rows), try whole(.historySize), try whole(.idleMinutes))
      (foldAccents, right, wrong) = (try flag(.gameFoldAccents), try flag(.soundRight), try flag(.soundWrong))
      (time, screenReader, differentiate) = (try flag(.soundTime), try flag(.screenReader), try flag(.differentiate))
      (reduceMotion, intervals, unicode) = (try flag(.reduceMotion), try flag(.showIntervals), try flag(.unicode))
      (historyKeep, forgiveAccents) = (try flag(.historyKeep), try flag(.forgiveAccents))
      showFields = try flag(.showFields)
      (hints, pager, atEnd) = (try flag(.hints), try flag(.pager), try flag(.syncAtEnd))
      (daily, weekly, monthly) = (try whole(.backupDaily), try whole(.backupWeekly), try whole(.backupMonthly))
    }
  }

  /// - Parameter languages: those with a word list here.
  public init(_ sources: SettingSources, languages: [Language]) throws(SettingsError) {
    let names = languages.map(\.name)
    try tree.declare(ProgramSettings.declarations(languages: names, noColor: sources.noColor), by: .program)
    keys = try Keys(tree)
    tree.report = { [unowned self] notice in notices.append(notice.message) }
    if let path = sources.systemFile { note(tree.setSystem(systemSettings(path))) }
    note(tree.setLayer(.environment, LayeredSetting.environment(sources.variables())))
    note(tree.setLayer(.commandLine, sources.commandLine))
  }

  private func systemSettings(_ path: String) -> SettingsFile {
    do {
      let bytes = try FileText.bytes(path, limit: SettingsFile.largest, isInterrupted: isNeverInterrupted)
      return try SettingsFile.read(bytes, path: path)
    } catch let error as FileError where [ENOENT, ENOTDIR].contains(error.number) {
      return .missing
    } catch {
      systemFailure = error as? any Problem ?? FileError(path, .read, number: EIO)
      return .unreadable(path: path)
    }
  }

  /// That the system file is broken, and what that means; nil when all is well with it.
  public var systemWarning: String? {
    systemFailure.map {
      "the system file of settings is broken, so every setting has its default and is locked: \($0.message)"
    }
  }

  func note(_ more: [SettingsNotice]) {
    for notice in more {
      switch notice {
      case .refused, .fellBack: refusals.append(notice)
      default: break
      }
      notices.append(notice.message)
    }
  }

  /// The notices since the last call.
  public func takeNotices() -> [String] {
    defer { notices = [] }
    return notices
  }

  /// The names after `--set` that nobody has declared, with what may have been meant.
  public var unclaimed: [SettingsError] {
    tree.unclaimed(.commandLine).map {
      .unknownSetting($0.name, suggestion: suggestion(for: $0.name, among: tree.names))
    }
  }

  /// Those of them that are nearly the name of a setting in the same group.
  public var misspelt: [SettingsError] {
    unclaimed.filter { error in
      guard case .unknownSetting(let name, let suggestion?) = error else { return false }
      return name.prefix { $0 != "." } == suggestion.prefix { $0 != "." }
    }
  }

  // MARK: The program's own

  /// The name of the language of word games.
  public var gameLanguage: String { tree[keys.language] }
  /// Letters of a base word.
  public var gameLength: Int { tree[keys.length] }
  /// Whether games are about common words where it is known which are.
  var choosesCommonWords: Bool { tree[keys.words] == "common" }
  public var foldsAccents: Bool { tree[keys.foldAccents] }
  /// When the bell rings.
  public var ringsWhenRight: Bool { tree[keys.right] }
  public var ringsWhenWrong: Bool { tree[keys.wrong] }
  public var ringsAtTime: Bool { tree[keys.time] }
  public var usesScreenReader: Bool { tree[keys.screenReader] }
  public var differentiatesWithoutColor: Bool { tree[keys.differentiate] }
  public var reducesMotion: Bool { tree[keys.reduceMotion] }
  /// How long a sprint lasts.
  public var sprintSeconds: Int { tree[keys.seconds] }
  /// The most cards of a session; nil for no limit.
  public var studyLimit: Int? { tree[keys.limit] == 0 ? nil : tree[keys.limit] }
  /// How many days a card of a known word is remembered for at least.
  public var knownDays: Int { tree[keys.knownDays] }
  /// The dictionaries that are asked before all others.
  public var dictionaries: [String] { tree[keys.dictionaries].split(whereSeparator: \.isWhitespace).map(String.init) }
  public var showsIntervals: Bool { tree[keys.intervals] }
  /// Whether accents count in a typed answer.
  public var forgivesAccents: Bool { tree[keys.forgiveAccents] }
  /// Whether an answer shows the fields that no template names.
  public var showsFields: Bool { tree[keys.showFields] }
  /// `auto`, `always` or `never`.
  public var color: String { tree[keys.color] }
  /// The program that plays sounds, and its arguments; empty for none.
  public var mediaPlayer: String { tree[keys.player] }
  /// The program that speaks texts, and its arguments; empty for espeak-ng.
  var speechProgram: String { tree[keys.speech] }
  /// Whether the shell syncs as it ends.
  public var syncsAtEnd: Bool { tree[keys.atEnd] }
  /// The web pages that the user let in by `serve`.
  public var servedOrigins: [String] { tree[keys.origins].split(whereSeparator: \.isWhitespace).map(String.init) }
  /// What a program must give to `serve`; empty for nothing.
  public var serveKey: String { tree[keys.serveKey] }
  public var usesUnicode: Bool { tree[keys.unicode] }
  /// Whether what is longer than the screen goes through a pager.
  public var usesPager: Bool { tree[keys.pager] }
  /// Whether the prompt colours what is typed and suggests how to go on.
  public var showsHints: Bool { tree[keys.hints] }
  /// The most rows of a table on a screen.
  public var rows: Int { tree[keys.rows] }
  /// How many lines the history keeps; 0 when none are kept for the next session.
  public var historySize: Int { tree[keys.historyKeep] ? tree[keys.historySize] : 0 }
  /// Minutes without a key after which the account is locked; 0 for never.
  public var idleMinutes: Int { tree[keys.idleMinutes] }
  /// Whether a backup is made after the first change of a day.
  var backsUpDaily: Bool { tree[keys.daily] > 0 }
  /// Which of those backups stay.
  var backupRetention: BackupRetention {
    BackupRetention(daily: tree[keys.daily], weekly: tree[keys.weekly], monthly: tree[keys.monthly])
  }
}
