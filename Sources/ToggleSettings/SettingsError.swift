// The errors of settings, as facts, and the message for each.
// Invariant: every message names the setting or the value, and says what was expected or what to do.

public import Problems
import Text

/// The reason why a setting could not be declared, read or changed.
///
///     do { try tree.set("game.length", to: .number(99), by: .user) } catch {
///       error.message   // "game.length: a whole number from 4 to 15 is expected, not "99""
///     }
public enum SettingsError: Problem {
  case unknownSetting(String, suggestion: String?)
  /// The name is that of a section, which holds settings but is not one.
  case section(String, holds: [String])
  case badValue(String, given: String, expected: String, suggestion: String?)
  /// The declaration's own check refused the value, for the given reason.
  case refused(String, reason: String)
  case checkFailed(String, any Error)
  case changedWhileChecked
  /// A plugin tried to change a setting that no plugin may change, or to read one that no plugin may read.
  case guarded(String), secret(String)
  /// A plugin tried to declare a name among the program's own, which all begin with `prefix`.
  case reserved(String, prefix: String)
  /// A layer above the account forces another value for this run.
  case locked(String, value: SettingValue, by: SettingSource)
  case notASwitch(String, kind: String)
  case badName(String)
  case exists(String, owner: Owner)
  case badDeclaration(String, String)
  case tooMany(limit: Int)
  case tooDeep(String, limit: Int)
  /// The change was valid and was undone, because it could not be stored.
  case notKept(any Error)
  /// A system file of settings that cannot be parsed.
  case badFile(path: String, line: Int, column: Int, reason: String)
  /// A system file with valid JSON that does not describe settings, at a JSON pointer.
  case badEntry(path: String, pointer: String, expected: String)

  public var report: ProblemReport {
    switch self {
    case .unknownSetting(let name, let near):
      ProblemReport(
        .unknownSetting, "No such setting", "no setting is called \(quoted(name))\(didYouMean(near))",
        ["name": name, "suggestion": near])
    case .section(let name, let holds):
      ProblemReport(
        .unknownSetting, "No such setting", "\(quoted(name)) is a section, not a setting; it contains \(someOf(holds))",
        ["name": name])
    case .badValue(let name, let given, let expected, let near):
      ProblemReport(
        .badValue, "Invalid value", "\(name): \(expected) is expected, not \(quoted(given))\(didYouMean(near))",
        ["name": name, "value": given, "expected": expected, "suggestion": near])
    case .refused(let name, let reason): ProblemReport(.badValue, "Invalid value", "\(name): \(reason)", ["name": name])
    case .checkFailed(let name, let error):
      ProblemReport(
        (error as? any Problem)?.report.code ?? .failure(.badValue), "The value was not checked",
        "\(name) was not changed, because its check failed: \(error)", ["name": name])
    case .changedWhileChecked:
      ProblemReport(
        .badValue, "Not while a value is checked", "no setting can be declared or changed while a value is checked")
    case .guarded(let name):
      ProblemReport(.notGranted, "Not granted", "\(name) is yours alone: plugins cannot change it", ["name": name])
    case .secret(let name):
      ProblemReport(.notGranted, "Not granted", "\(name) is secret: plugins cannot read it", ["name": name])
    case .locked(let name, let value, let source):
      ProblemReport(
        .locked, "This setting is forced",
        "\(name) is set to \(printable(value.text)) by \(source.description); \(source.remedy)",
        ["name": name, "value": value.text])
    case .notASwitch(let name, let kind):
      ProblemReport(
        .notASwitch, "Not a switch",
        "\(name) is a \(kind), and only switches and groups can be toggled; `set \(name) VALUE` changes it",
        ["name": name])
    case .badName, .reserved, .exists, .badDeclaration, .tooMany, .tooDeep: declarationReport
    case .notKept(let error as any Problem): .notKept(error.report.code, error, error.details)
    case .notKept(let error): .notKept(.failure(.notKept), error, [])
    case .badFile(let path, let line, let column, let reason):
      ProblemReport(
        .badFile, "Not a settings file", "\(printable(path)):\(line):\(column): \(reason)",
        ["path": path, "line": line, "column": column])
    case .badEntry(let path, let pointer, let expected):
      ProblemReport(
        .badFile, "Not a settings file",
        "\(printable(path)): \(pointer.isEmpty ? "" : "\(printable(pointer)): ")\(expected) is expected",
        ["path": path, "pointer": pointer])
    }
  }

  private var declarationReport: ProblemReport {
    switch self {
    case .badName(let name):
      ProblemReport(
        .badName, "Not a name for a setting",
        "\(quoted(name)) cannot be the name of a setting: letters, digits, _ and -, at most 64 bytes between dots",
        ["name": name])
    case .reserved(let name, let prefix):
      ProblemReport(
        .badName, "Not a name for a plugin's setting",
        "\(quoted(name)) cannot be the name of a plugin's setting: names in \(quoted(prefix)) are reserved for "
          + "Deckhand", ["name": name])
    case .exists(let name, let owner):
      ProblemReport(
        .exists, "This setting already exists",
        "the setting \(quoted(name)) already exists, declared by \(owner.description)", ["name": name])
    case .badDeclaration(let name, let reason):
      ProblemReport(
        .badDeclaration, "Not a setting", "the setting \(quoted(name)) cannot be declared: \(reason)", ["name": name])
    case .tooDeep(let name, let limit):
      ProblemReport(
        .tooMany, "Too many settings", "\(quoted(name)) would be more than \(limit) levels deep", ["name": name])
    case .tooMany(let limit):
      ProblemReport(.tooMany, "Too many settings", "there are more than \(grouped(limit)) settings")
    default: report
    }
  }
}

extension ProblemReport {
  /// Includes the details of the error that prevented the setting from being stored.
  fileprivate static func notKept(_ code: ProblemCode, _ error: any Error, _ details: [Detail]) -> ProblemReport {
    ProblemReport(
      code: code, title: "The setting could not be stored",
      message: "the setting was not changed, because it could not be stored: \(error)", details: details)
  }
}

/// Something that happened to a setting in addition to what was requested: it is reported, but is not an error.
///
///     for notice in try tree.declare(declarations, by: .program) { print(notice.message) }
public enum SettingsNotice: Equatable, Sendable {
  /// A stored value no longer fits the declaration; the default applies, and the value stays stored.
  case fellBack(String, kept: String, reason: String, to: SettingValue)
  /// A value of the system file, the environment or the command line does not fit and is ignored.
  case refused(String, reason: String, source: SettingSource)
  /// Several settings match this environment variable; it sets the one that was declared first.
  case ambiguous(variable: String, names: [String], sets: String)
  /// Observers kept changing settings in response to one another; the events that were still pending were dropped.
  case loopCut([String])

  public var message: String {
    switch self {
    case .fellBack(let name, let kept, let reason, let to):
      "\(name): the stored value \(quoted(kept)) is no longer valid (\(reason)); it is now \(quoted(to.text))"
    case .refused(let name, let reason, let source):
      "\(name): \(reason) (from \(source.description)); this value is ignored"
    case .ambiguous(let variable, let names, let setting):
      "\(variable) could mean \(names.joined(separator: " or ")), so it sets only \(setting), which was there first"
    case .loopCut(let names): "settings kept changing one another (\(someOf(names))); the loop was stopped"
    }
  }
}

/// A list truncated after five names: `a, b, c, d, e and 3 more`.
private func someOf(_ names: [String]) -> String {
  let shown = names.prefix(5).map { printable($0) }.joined(separator: ", ")
  return names.count > 5 ? "\(shown) and \(grouped(names.count - 5)) more" : shown
}
