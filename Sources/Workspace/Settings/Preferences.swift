// The settings of one user, or those before a sign-in: the tree with the program's own settings declared and the
// layers from outside the account added. Each of the program's settings is resolved once. Invariant: reading one of
// them here is a load from an array.

import Files
import Glibc
public import Lexicon
public import Problems
import Text
public import ToggleSettings

/// The sources of settings other than the account, set by the program and read when settings are first used.
///
///     let given = ["game.length=9"].compactMap(LayeredSetting.commandLine)
///     let sources = SettingSources(systemFile: "/etc/deckhand/settings.json", commandLine: given)
public struct SettingSources {
  /// The settings file of the system administrator; it may be missing. Nil for none.
  public var systemFile: String?
  /// The environment's variables whose names begin with `DECKHAND_SET_`.
  public var variables: () -> [String: String]
  /// The arguments of each `--set`.
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
///     preferences.idleMinutes   // 15
public final class Preferences {
  public let tree = SettingsTree()
  /// Messages for the user about settings that were carried over, ignored or could not be read, one line each.
  public private(set) var notices: [String] = []
  /// The reason why the system file could not be read; every setting is locked then.
  public private(set) var systemFailure: (any Problem)?
  /// Settings that are invalid, from storage, `--set` or any other source.
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

  /// - Parameter languages: the languages with a word list.
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

  /// A warning that the system file is broken, and its consequences; nil if there is no problem.
  public var systemWarning: String? {
    systemFailure.map {
      "the system settings file is broken, so every setting has its default value and is locked: \($0.message)"
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

  /// Returns the notices since the last call.
  public func takeNotices() -> [String] {
    defer { notices = [] }
    return notices
  }

  /// The names after `--set` that nobody has declared, with suggestions.
  public var unmatched: [SettingsError] {
    tree.unmatched(.commandLine).map {
      .unknownSetting($0.name, suggestion: suggestion(for: $0.name, among: tree.names))
    }
  }

  /// Those of the unclaimed names that resemble the name of a setting in the same group.
  public var misspelt: [SettingsError] {
    unmatched.filter { error in
      guard case .unknownSetting(let name, let suggestion?) = error else { return false }
      return name.prefix { $0 != "." } == suggestion.prefix { $0 != "." }
    }
  }

  // MARK: The program's own settings

  /// The name of the language of word games.
  var gameLanguage: String { tree[keys.language] }
  /// The number of letters of a base word.
  var gameLength: Int { tree[keys.length] }
  /// Whether games use common words if it is known which words are common.
  var choosesCommonWords: Bool { tree[keys.words] == "common" }
  public var foldsAccents: Bool { tree[keys.foldAccents] }
  /// Whether the bell rings after a right answer.
  public var ringsWhenRight: Bool { tree[keys.right] }
  public var ringsWhenWrong: Bool { tree[keys.wrong] }
  public var ringsAtTime: Bool { tree[keys.time] }
  public var usesScreenReader: Bool { tree[keys.screenReader] }
  public var differentiatesWithoutColor: Bool { tree[keys.differentiate] }
  public var reducesMotion: Bool { tree[keys.reduceMotion] }
  /// The duration of a sprint in seconds.
  var sprintSeconds: Int { tree[keys.seconds] }
  /// The most cards in a session; nil for no limit.
  var studyLimit: Int? { tree[keys.limit] == 0 ? nil : tree[keys.limit] }
  /// The number of days for which a card must at least be remembered to count its word as known.
  var knownDays: Int { tree[keys.knownDays] }
  /// The dictionaries that are consulted before all others.
  public var dictionaries: [String] { tree[keys.dictionaries].split(whereSeparator: \.isWhitespace).map(String.init) }
  public var showsIntervals: Bool { tree[keys.intervals] }
  /// Whether wrong accents are accepted in a typed answer.
  public var forgivesAccents: Bool { tree[keys.forgiveAccents] }
  /// Whether an answer shows the fields that no template names.
  public var showsFields: Bool { tree[keys.showFields] }
  /// `auto`, `always` or `never`.
  public var color: String { tree[keys.color] }
  /// The program that plays sounds, with its arguments; empty for none.
  var mediaPlayer: String { tree[keys.player] }
  /// The program that speaks texts, with its arguments; empty for espeak-ng.
  var speechProgram: String { tree[keys.speech] }
  /// Whether the shell syncs when it exits.
  public var syncsAtEnd: Bool { tree[keys.atEnd] }
  /// The web pages that the user allowed to use `serve`.
  public var servedOrigins: [String] { tree[keys.origins].split(whereSeparator: \.isWhitespace).map(String.init) }
  /// The key that a program must send to `serve`; empty if none is required.
  public var serveKey: String { tree[keys.serveKey] }
  public var usesUnicode: Bool { tree[keys.unicode] }
  /// Whether output that is longer than the screen is shown in a pager.
  public var usesPager: Bool { tree[keys.pager] }
  /// Whether the prompt colours the input and suggests completions.
  public var showsHints: Bool { tree[keys.hints] }
  /// The most rows of a table that are shown on a screen.
  public var rows: Int { tree[keys.rows] }
  /// The number of lines that the history stores; 0 if none are stored for the next session.
  public var historySize: Int { tree[keys.historyKeep] ? tree[keys.historySize] : 0 }
  /// The minutes without a key press after which the account is locked; 0 for never.
  public var idleMinutes: Int { tree[keys.idleMinutes] }
  /// Whether a backup is made after the first change of a day.
  var backsUpDaily: Bool { tree[keys.daily] > 0 }
  /// Which of those backups are retained.
  var backupRetention: BackupRetention {
    BackupRetention(daily: tree[keys.daily], weekly: tree[keys.weekly], monthly: tree[keys.monthly])
  }
}
