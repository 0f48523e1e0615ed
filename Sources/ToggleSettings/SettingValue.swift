// The value of a setting, and how it is shown and stored: one small type for switches, choices, numbers, texts and
// paths.
// Invariant: a number is finite; the kind of a setting parses the `text` of its value back to the same value.

public import Problems
import Text
public import Values

/// The value of a setting. A choice, a text and a path are all text: their kind determines which text they admit.
///
///     SettingValue.flag(true).text    // "on"
///     SettingValue.number(100).text   // "100"
public enum SettingValue: Equatable, Hashable, Sendable {
  case flag(Bool)
  case number(Double)
  case text(String)

  /// The form in which `set` shows and parses it: `on`, `off`, `100`, `2.5`, `english`.
  public var text: String {
    switch self {
    case .flag(let on): on ? "on" : "off"
    case .number(let number): shown(number)
    case .text(let text): text
    }
  }

  /// Texts are compared by their bytes: two paths that look alike may be two files.
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
  /// Creates a value from plain data; nil for data that no setting holds.
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

  /// The value in Lua and `--json`: a number without a fraction is an integer.
  public var value: Value {
    switch self {
    case .flag(let flag): .boolean(flag)
    case .number(let number): Int(exactly: number).map { .integer($0) } ?? .number(number)
    case .text(let text): .text(text)
    }
  }
}

/// The state that a switch or a group of switches shows: on, off, or mixed.
///
///     try tree.state("pizza")   // .mixed: some of its switches are on
public enum SettingState: String, Equatable, Sendable { case on, off, mixed }

/// The value that the account stores under one name, whether or not a plugin declares it at present.
///
///     tree.kept["pizza"]?.value   // .lastMixed(["basil"]): what was on before all were turned off
public enum StoredValue: Equatable, Sendable {
  case value(SettingValue)
  /// For a group: the names, relative to the group, of its switches that were on when it was last mixed.
  case lastMixed([String])

  public var text: String {
    switch self {
    case .value(let value): value.text
    case .lastMixed(let names): names.joined(separator: ", ")
    }
  }
}

/// A stored value, and who set it.
///
///     StoredSetting(.value(.number(9)), setBy: .user)
public struct StoredSetting: Equatable, Sendable {
  public var value: StoredValue
  public var setBy: Owner

  public init(_ value: StoredValue, setBy: Owner) { (self.value, self.setBy) = (value, setBy) }
}

/// Formats a number without a needless `.0`.
func shown(_ number: Double) -> String {
  if let whole = Int(exactly: number), whole.magnitude < 1 << 53 { return String(whole) }
  return "\(number)"
}
