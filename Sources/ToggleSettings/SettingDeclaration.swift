// Settings as data: what the program, init.lua and plugins declare, and the limits on declarations.
// Invariant: a declaration that passes `problem` has a default that its own kind admits.

import Problems
import Text

/// One setting, or a group of switches with its children.
///
///     let length = SettingKind.number(NumberRange(min: 4, max: 15, whole: true), default: 9)
///     SettingDeclaration("game.length", length, title: "Length")
public struct SettingDeclaration: Equatable, Sendable {
  /// At the top level, the full dotted name (`game.language`): the parts before the last are sections, which are made
  /// as needed. Inside a group, a single part (`basil`). Letters, digits, `_` and `-`.
  public var name: String
  /// A few words for `set`; if empty, the last part of the name is used.
  public var title: String
  /// A sentence for `set NAME` and `help`.
  public var help: String
  public var kind: SettingKind
  /// Shown as dots; only the plugin that declared it can read it or is notified of its changes.
  public var isSecret: Bool
  /// No plugin can change it, whatever it was granted.
  public var isGuarded: Bool
  /// The source of its default, if that is not always the same.
  public var defaultSource = SettingSource.standard

  public init(
    _ name: String, _ kind: SettingKind, title: String = "", help: String = "", secret: Bool = false,
    guarded: Bool = false
  ) {
    (self.name, self.kind, self.title, self.help, isSecret, isGuarded) = (name, kind, title, help, secret, guarded)
  }
}

/// The kind of a setting, with its default.
///
///     let kind = SettingKind.choice(["english", "spanish"], default: "english")
///     kind.word           // "choice"
///     kind.defaultValue   // .text("english")
public indirect enum SettingKind: Equatable, Sendable {
  /// Switches, and groups of them, under one master switch. At least one child; every child is a toggle or a group.
  case group([SettingDeclaration])
  case toggle(default: Bool = false)
  /// Exactly one of several options.
  case choice([String], default: String)
  case number(NumberRange, default: Double)
  case text(default: String)
  /// A path as text, which is completed as a file name. An empty path means none.
  case path(default: String)

  /// The name of the kind in messages and in `settings.value{kind=}`.
  public var word: String {
    switch self {
    case .group: "group"
    case .toggle: "switch"
    case .choice: "choice"
    case .number: "number"
    case .text: "text"
    case .path: "path"
    }
  }

  /// The value if nothing is set; nil for a group, whose value follows from its children.
  public var defaultValue: SettingValue? {
    switch self {
    case .group: nil
    case .toggle(let on): .flag(on)
    case .choice(_, let option): .text(option)
    case .number(_, let number): .number(number)
    case .text(let text), .path(let text): .text(text)
    }
  }
}

/// The numbers that a setting admits, including both ends.
///
///     NumberRange(min: 10, max: 3600, whole: true)   // "a whole number from 10 to 3600" is expected
public struct NumberRange: Equatable, Sendable {
  public var min: Double?
  public var max: Double?
  public var whole: Bool

  public init(min: Double? = nil, max: Double? = nil, whole: Bool = false) {
    (self.min, self.max, self.whole) = (min, max, whole)
  }

  func admits(_ number: Double) -> Bool {
    number.isFinite && number >= min ?? -.infinity && number <= max ?? .infinity
      && (!whole || Int(exactly: number) != nil)
  }

  /// `a whole number from 7 to 9`, `a number, at least 0`.
  var expectation: String {
    let noun = whole ? "a whole number" : "a number"
    return switch (min, max) {
    case (let low?, let high?): "\(noun) from \(shown(low)) to \(shown(high))"
    case (let low?, nil): "\(noun), at least \(shown(low))"
    case (nil, let high?): "\(noun), at most \(shown(high))"
    case (nil, nil): noun
    }
  }
}

/// The limits on a tree of settings.
public enum SettingBounds {
  public static let depth = 32
  static let nodes = 10_000
  static let options = 1_000
  static let partBytes = 64
  /// The most bytes of a text.
  static let textBytes = 4096

  /// Whether a text can be a value at all.
  static func admits(_ text: String) -> Bool { text.utf8.count <= textBytes && !text.utf8.contains(0) }
}

extension SettingDeclaration {
  /// The value as it is shown to a user and written to messages: dots for a secret.
  func shown(_ value: SettingValue) -> SettingValue { isSecret && !value.text.isEmpty ? .text("••••••") : value }

  /// Returns the problem of this declaration itself (not of its children), or nil. `name` is its full name.
  func problem(as name: String) -> SettingsError? {
    switch kind {
    case .group(let children): if children.isEmpty { return .badDeclaration(name, "a group needs at least one switch") }
    case .toggle: break
    case .choice(let options, let option): return choiceProblem(name, options, option)
    case .number(let range, let number):
      if range.min?.isNaN ?? false || range.max?.isNaN ?? false || range.min ?? -.infinity > range.max ?? .infinity {
        return .badDeclaration(name, "its range is empty")
      }
      if !range.admits(number) {
        return .badDeclaration(name, "its default is \(number), but \(range.expectation) is expected")
      }
    case .text(let text), .path(let text):
      if !SettingBounds.admits(text) {
        return .badDeclaration(name, "its default is \(quoted(text)), but \(kind.expectation) is expected")
      }
    }
    return nil
  }

  private func choiceProblem(_ name: String, _ options: [String], _ option: String) -> SettingsError? {
    if options.isEmpty { return .badDeclaration(name, "a choice needs at least one option") }
    if options.count > SettingBounds.options {
      return .badDeclaration(name, "a choice has at most \(grouped(SettingBounds.options)) options")
    }
    for text in options where text.isEmpty || !SettingBounds.admits(text) || text.trimmed != text {
      return .badDeclaration(name, "\(quoted(text)) cannot be an option")
    }
    if Set(options.map { $0.lowercased() }).count < options.count {
      return .badDeclaration(name, "it has an option twice, or two that differ only in case")
    }
    if !options.contains(option) {
      return .badDeclaration(name, "its default \(quoted(option)) is not one of its options")
    }
    return nil
  }
}

/// Whether `part` is valid between the dots of a name: letters, digits, `_` and `-`, beginning with a letter or digit.
func isNamePart(_ part: Substring) -> Bool {
  guard let first = part.unicodeScalars.first, part.utf8.count <= SettingBounds.partBytes else { return false }
  func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar.properties.numericType != nil
  }
  return isPlain(first)
    && part.unicodeScalars.allSatisfy {
      isPlain($0) || $0 == "_" || $0 == "-" || $0.properties.generalCategory == .nonspacingMark
    }
}

extension SettingKind {
  /// The expected values in a message: `on or off`, `english, spanish or italian`, `a whole number from 7 to 9`.
  public var expectation: String {
    switch self {
    case .group, .toggle: return "on or off"
    case .choice(let options, _):
      let names = Array(options.prefix(12))
      if options.count > names.count { return names.joined(separator: ", ") + " or another of its options" }
      return names.asChoice
    case .number(let range, _): return range.expectation
    case .text: return "text"
    case .path: return "a path"
    }
  }

  /// The words that completion offers for a value. For a path, the caller completes file names.
  public var candidates: [String] {
    switch self {
    case .group, .toggle: ["on", "off"]
    case .choice(let options, _): options
    case .number(let range, let number):
      [range.min, number, range.max].compactMap { $0 }.map(shown).reduce(into: []) { list, text in
        if list.last != text { list.append(text) }
      }
    case .text, .path: []
    }
  }

  /// Parses what a user typed. Nil if it does not fit.
  func value(from text: String) -> SettingValue? {
    let word = text.trimmed.lowercased()
    switch self {
    case .group, .toggle: return flag(word).map { .flag($0) }
    case .choice(let options, _): return options.first { $0.lowercased() == word }.map { .text($0) }
    case .number(let range, _): return decimal(word).flatMap { range.admits($0) ? .number($0) : nil }
    case .text, .path: return SettingBounds.admits(text) ? .text(text) : nil
    }
  }

  /// Returns the value if it is of this kind and fits. Nil otherwise; no value is converted to another kind.
  func admit(_ value: SettingValue) -> SettingValue? {
    switch (self, value) {
    case (.group, .flag), (.toggle, .flag): value
    case (.number(let range, _), .number(let number)): range.admits(number) ? value : nil
    // The option as it was declared: the same text may be written in another Unicode form.
    case (.choice(let options, _), .text(let text)): options.first { $0 == text }.map { .text($0) }
    case (.text, .text(let text)), (.path, .text(let text)): SettingBounds.admits(text) ? value : nil
    default: nil
    }
  }

  func suggestion(for text: String) -> String? {
    switch self {
    case .choice(let options, _): Text.suggestion(for: text.trimmed, among: options)
    default: nil
    }
  }
}

private func flag(_ word: String) -> Bool? {
  switch word {
  case "on", "true", "yes", "1": true
  case "off", "false", "no", "0": false
  default: nil
  }
}

/// Parses a decimal number as users write it: no hexadecimal, no `inf`, no `nan`.
private func decimal(_ word: String) -> Double? {
  guard word.utf8.count <= 64, word.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+-.e".utf8.contains($0) }) else {
    return nil
  }
  return Double(word).flatMap { $0.isFinite ? $0 : nil }
}
