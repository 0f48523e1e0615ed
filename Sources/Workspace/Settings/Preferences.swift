// The settings of one user, or those before a sign-in: the tree with the program's own settings declared and the
// layers from outside the account added.
// Invariant: a value that is ignored is noted for the user.

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

@dynamicMemberLookup public final class Preferences {
  public let tree = SettingsTree()
  private let program: ProgramSettings
  /// Messages for the user about settings that were carried over, ignored or could not be read, one line each.
  public private(set) var notices: [String] = []
  /// The reason why the system file could not be read; every setting is locked then.
  public private(set) var systemFailure: (any Problem)?
  /// Settings that are invalid, from storage, `--set` or any other source.
  public private(set) var refusals: [SettingsNotice] = []

  /// The program's own settings of one theme.
  public subscript<Theme>(dynamicMember theme: KeyPath<ProgramSettings, Theme>) -> Theme { program[keyPath: theme] }

  /// - Parameter languages: the languages with a word list.
  public init(_ sources: SettingSources, languages: [Language]) throws(SettingsError) {
    program = ProgramSettings(languages: languages.map(\.name), noColor: sources.noColor)
    try program.declare(in: tree)
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
}
