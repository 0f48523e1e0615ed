// What can go wrong with settings, as facts, and the words for each.
// Invariant: every message names the setting or the value, and says what was expected or what to do.

public import Problems
import Text

/// A setting that could not be declared, read or changed.
public enum SettingsError: Problem {
  case unknownSetting(String, suggestion: String?)
  /// The name is that of a section: it holds settings and is none.
  case section(String, holds: [String])
  case badValue(String, given: String, expected: String, suggestion: String?)
  /// Something above the account forces another value for this run.
  case locked(String, value: SettingValue, by: SettingSource)
  case notASwitch(String, kind: String)
  case wrongKind(String, kind: String, wanted: String)
  case badName(String)
  case exists(String, owner: Owner)
  case badDeclaration(String, String)
  /// The names in the order they depend on one another, the first one again at the end.
  case dependencyCycle([String])
  case tooMany(limit: Int)
  case tooDeep(String, limit: Int)
  /// The change was valid and was undone, because it could not be kept.
  case notKept(any Error)
  /// A system file of settings that can't be read as one.
  case badFile(path: String, line: Int, column: Int, reason: String)
  /// A system file whose JSON is sound and says something else than settings, at a JSON pointer.
  case badEntry(path: String, pointer: String, expected: String)
}

extension SettingsError {
  public var code: String {
    switch self {
    case .unknownSetting, .section: "unknown_setting"
    case .badValue: "bad_value"
    case .locked: "locked"
    case .notASwitch: "not_a_switch"
    case .wrongKind: "wrong_kind"
    case .badName: "bad_name"
    case .exists: "exists"
    case .badDeclaration: "bad_declaration"
    case .dependencyCycle: "dependency_cycle"
    case .tooMany, .tooDeep: "too_many"
    case .notKept(let error): (error as? any Problem)?.code ?? "not_kept"
    case .badFile, .badEntry: "bad_file"
    }
  }

  public var title: String {
    switch self {
    case .unknownSetting, .section: "No such setting"
    case .badValue: "This value does not fit"
    case .locked: "This setting is forced"
    case .notASwitch: "Not a switch"
    case .wrongKind: "Another kind of setting"
    case .badName: "Not a name for a setting"
    case .exists: "This setting is there already"
    case .badDeclaration: "Not a setting"
    case .dependencyCycle: "Settings that depend on themselves"
    case .tooMany, .tooDeep: "Too many settings"
    case .notKept: "The setting could not be kept"
    case .badFile, .badEntry: "Not a file of settings"
    }
  }

  public var message: String {
    switch self {
    case .unknownSetting(let name, let near):
      "no setting is called \(quoted(name))" + (near.map { " (did you mean \"\($0)\"?)" } ?? "")
    case .section(let name, let holds): "\(quoted(name)) is no setting by itself; in it are \(someOf(holds))"
    case .badValue(let name, let given, let expected, let near):
      "\(name): \(expected) is expected, not \(quoted(given))" + (near.map { " (did you mean \"\($0)\"?)" } ?? "")
    case .locked(let name, let value, let source):
      "\(name) is \(printable(value.text)) by \(source.description); \(source.mend)"
    case .notASwitch(let name, let kind):
      "\(name) is a \(kind), and only switches and groups can be toggled; `set \(name) VALUE` changes it"
    case .wrongKind(let name, let kind, let wanted): "\(name) is a \(kind), and was asked for as \(wanted)"
    case .badName(let name):
      "\(quoted(name)) can't be the name of a setting: letters, digits, _ and -, at most 64 bytes between dots"
    case .exists(let name, let owner): "the setting \(quoted(name)) is there already, declared by \(owner.description)"
    case .badDeclaration(let name, let reason): "the setting \(quoted(name)) can't be declared: \(reason)"
    case .dependencyCycle(let names):
      "these settings would depend on themselves: " + names.map { printable($0) }.joined(separator: ", which needs ")
    case .tooMany(let limit): "there are more than \(grouped(limit)) settings"
    case .tooDeep(let name, let limit): "\(quoted(name)) would stand or depend more than \(limit) levels deep"
    case .notKept(let error): "the setting was not changed, because it could not be kept: \(error)"
    case .badFile(let path, let line, let column, let reason): "\(printable(path)):\(line):\(column): \(reason)"
    case .badEntry(let path, let pointer, let expected):
      "\(printable(path)): \(pointer.isEmpty ? "" : "\(printable(pointer)): ")\(expected) is expected"
    }
  }

  public var details: [(name: String, value: ProblemDetail)] {
    switch self {
    case .unknownSetting(let name, let near):
      [("name", .text(name))] + (near.map { [("suggestion", .text($0))] } ?? [])
    case .badValue(let name, let given, let expected, let near):
      [("name", .text(name)), ("value", .text(given)), ("expected", .text(expected))]
        + (near.map { [("suggestion", .text($0))] } ?? [])
    case .locked(let name, let value, _): [("name", .text(name)), ("value", .text(value.text))]
    case .section(let name, _), .notASwitch(let name, _), .wrongKind(let name, _, _), .badName(let name),
      .exists(let name, _), .badDeclaration(let name, _), .tooDeep(let name, _):
      [("name", .text(name))]
    case .badFile(let path, let line, let column, _):
      [("path", .text(path)), ("line", .integer(line)), ("column", .integer(column))]
    case .badEntry(let path, let pointer, _): [("path", .text(path)), ("pointer", .text(pointer))]
    case .dependencyCycle, .tooMany: []
    case .notKept(let error): (error as? any Problem)?.details ?? []
    }
  }
}

/// Something that happened to a setting beside what was asked for: told, never an error.
public enum SettingsNotice: Equatable, Sendable {
  /// A kept value was carried over to what the declaration now admits.
  case migrated(String, from: String, to: SettingValue)
  /// A kept value does not fit the declaration any more; the default holds, and the value stays kept.
  case fellBack(String, kept: String, expected: String, to: SettingValue)
  /// A value of the system file, the environment or the command line does not fit and is left aside.
  case refused(String, given: String, expected: String, source: SettingSource)
  /// Two settings answer to this variable of the environment, so it sets neither.
  case ambiguous(variable: String, names: [String])
  /// Observers kept setting settings in answer to one another; what was still waiting was dropped.
  case loopCut([String])
  /// What an observer asked for failed when its turn came.
  case observerFailed(String)

  public var message: String {
    switch self {
    case .migrated(let name, let from, let to): "\(name): the kept value \(quoted(from)) is now \(quoted(to.text))"
    case .fellBack(let name, let kept, let expected, let to):
      "\(name): the kept value \(quoted(kept)) does not fit any more (\(expected) is expected); it is \(quoted(to.text)) now"
    case .refused(let name, let given, let expected, let source):
      "\(name): \(expected) is expected, not \(quoted(given)), by \(source.description); it is left aside"
    case .ambiguous(let variable, let names):
      "\(variable) could mean \(names.joined(separator: " or ")), so it sets neither"
    case .loopCut(let names):
      "settings kept changing one another (\(someOf(names))); the loop was cut"
    case .observerFailed(let message): "a setting that an observer wanted to change was not: \(message)"
    }
  }
}

/// A list cut after a few: `a, b, c, d, e and 3 more`.
private func someOf(_ names: [String], limit: Int = 5) -> String {
  let shown = names.prefix(limit).map { printable($0) }.joined(separator: ", ")
  return names.count > limit ? "\(shown) and \(grouped(names.count - limit)) more" : shown
}
