// Values from text: how each kind is parsed, what it expects, and what completion offers.
// Invariant: an admitted value fits the kind; for a value that the kind itself shows, `admit` returns that value again.

import Text

extension SettingKind {
  /// The expected values in a message: `on or off`, `english, spanish or italian`, `a whole number from 7 to 9`.
  public var expectation: String {
    switch self {
    case .group, .toggle: return "on or off"
    case .choice(let options, _):
      let names = Array(options.prefix(12))
      if options.count > names.count { return names.joined(separator: ", ") + " or another of its options" }
      return names.count < 2
        ? names.joined() : names.dropLast().joined(separator: ", ") + " or \(names[names.count - 1])"
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

  /// The option nearest to a mistyped one.
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
