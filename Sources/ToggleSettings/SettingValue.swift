// What a setting holds, and how it is shown and kept: one small type for switches, choices, numbers, texts and paths.
// Invariant: a number is finite; what `text` shows, the kind that shows it reads back as the same value.

public import Problems
import Text
public import Values

/// The value of a setting. A choice, a text and a path are all text: their kind says what text they admit.
///
///     SettingValue.flag(true).text    // "on"
///     SettingValue.number(100).text   // "100"
public enum SettingValue: Equatable, Hashable, Sendable {
  case flag(Bool)
  case number(Double)
  case text(String)

  /// As `set` shows it and reads it: `on`, `off`, `100`, `2.5`, `english`.
  public var text: String {
    switch self {
    case .flag(let on): on ? "on" : "off"
    case .number(let number): shown(number)
    case .text(let text): text
    }
  }

  /// Texts are told apart by their bytes: two paths that look alike may be two files.
  public static func == (first: SettingValue, second: SettingValue) -> Bool {
    switch (first, second) {
    case (.flag(let first), .flag(let second)): first == second
    case (.number(let first), .number(let second)): first == second
    case (.text(let first), .text(let second)): first.utf8.elementsEqual(second.utf8)
    default: false
    }
  }
}

extension SettingValue {
  /// The value of a plain one; nil for what no setting holds.
  init?(_ value: Value) {
    if let flag = value.boolean {
      self = .flag(flag)
    } else if let text = value.text {
      self = .text(text)
    } else if let number = value.double {
      self = .number(number)
    } else {
      return nil
    }
  }

  /// As Lua and `--json` see it: a number without a fraction is an integer.
  public var value: Value {
    switch self {
    case .flag(let flag): .boolean(flag)
    case .number(let number): Int(exactly: number).map { .integer($0) } ?? .number(number)
    case .text(let text): .text(text)
    }
  }
}

/// What a group of switches shows: checked, empty, or mixed.
///
///     try tree.state("pizza")   // .mixed: some of its switches are on
public enum SettingState: String, Equatable, Sendable {
  case on, off, mixed
}

/// What the account keeps under one name. It outlives the declaration, so that a plugin that comes back finds its
/// values.
///
///     tree.kept["pizza"]?.value   // .lastMixed(["basil"]): what was on before all were turned off
public enum KeptValue: Equatable, Sendable {
  case value(SettingValue)
  /// Of a group: the names of its switches that were on when it was last mixed, relative to the group.
  case lastMixed([String])

  /// What it shows.
  public var text: String {
    switch self {
    case .value(let value): value.text
    case .lastMixed(let names): names.joined(separator: ", ")
    }
  }
}

/// A kept value and who set it.
///
///     KeptSetting(.value(.number(9)), setBy: .user)
public struct KeptSetting: Equatable, Sendable {
  public var value: KeptValue
  public var setBy: Owner

  public init(_ value: KeptValue, setBy: Owner) {
    self.value = value
    self.setBy = setBy
  }
}

/// A number without a needless `.0`.
func shown(_ number: Double) -> String {
  if let whole = Int(exactly: number), whole.magnitude < 1 << 53 { return String(whole) }
  return "\(number)"
}
