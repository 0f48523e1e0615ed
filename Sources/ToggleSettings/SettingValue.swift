// What a setting holds, and how it is shown and kept: one small type for switches, choices, numbers, texts and paths.
// Invariant: a number is finite; what `text` shows, the kind that shows it reads back as the same value.

/// The value of a setting. A choice, a text and a path are all text: their kind says what text they admit.
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
}

/// What a group of switches shows: checked, empty, or mixed.
public enum SettingState: String, Equatable, Sendable {
  case on, off, mixed
}

/// Who declares or sets a setting.
public enum SettingOwner: Equatable, Hashable, Sendable {
  case program
  case initFile
  case plugin(String)
  case script(String)
  case person

  /// As a message names it: `the program`, `init.lua`, `plugin quiz`, `script deck.lua`, `you`.
  public var description: String {
    switch self {
    case .program: "the program"
    case .initFile: "init.lua"
    case .plugin(let name): "plugin \(name)"
    case .script(let name): "script \(name)"
    case .person: "you"
    }
  }

  /// As the account's data keep it; `init(kept:)` reads it.
  public var kept: String {
    switch self {
    case .program: "program"
    case .initFile: "init"
    case .plugin(let name): "plugin:\(name)"
    case .script(let name): "script:\(name)"
    case .person: "person"
    }
  }

  /// Reads what `kept` wrote. Nil when it is no owner's form.
  public init?(kept: String) {
    if kept.hasPrefix("plugin:") {
      self = .plugin(String(kept.dropFirst(7)))
    } else if kept.hasPrefix("script:") {
      self = .script(String(kept.dropFirst(7)))
    } else {
      switch kept {
      case "program": self = .program
      case "init": self = .initFile
      case "person": self = .person
      default: return nil
      }
    }
  }
}

/// What the account keeps under one name. It outlives the declaration, so that a plugin that comes back finds its values.
public enum KeptValue: Equatable, Sendable {
  case value(SettingValue)
  /// Of a group: the names of its switches that were on when it was last mixed, relative to the group.
  case lastMixed([String])
}

/// A kept value and who set it.
public struct KeptSetting: Equatable, Sendable {
  public var value: KeptValue
  public var setBy: SettingOwner

  public init(_ value: KeptValue, setBy: SettingOwner) {
    self.value = value
    self.setBy = setBy
  }
}

/// A number without a needless `.0`.
func shown(_ number: Double) -> String {
  if let whole = Int(exactly: number), whole.magnitude < 1 << 53 { return String(whole) }
  return "\(number)"
}
