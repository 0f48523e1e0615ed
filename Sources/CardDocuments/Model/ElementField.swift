// The fields of an element by name: what `doc set` and the Lua fields read and write, with the checks of each.
// Invariant: a value that was set through here passes the checks of `problems()`.

import Text
import Values
import Wire

/// A value that a field accepts or returns.
public enum ElementValue: Equatable, Sendable {
  case number(Double)
  case text(String)
  case color(CardColor)
  case flag(Bool)
  /// No value: accepted by `frame`, `group` and `link`.
  case none
}

/// The fields of an element that can be read and set.
public enum ElementField: String, CaseIterable, Sendable {
  case x, y, width, height, rotation
  case frame, cropped, alt
  case text, wraps, size, align, grows, color, font
  case group, link, locked

  /// Whether a change of the field waits for a save. Changes of all other fields are saved at once.
  public var isPlacement: Bool {
    switch self {
    case .x, .y, .width, .height, .rotation: true
    default: false
    }
  }

  public func applies(to kind: ElementKind) -> Bool {
    switch self {
    case .frame, .cropped, .alt: kind == .image
    case .text, .wraps, .size, .align, .grows, .color, .font: kind == .text
    default: true
    }
  }

  /// What a field of numbers accepts.
  public var range: ClosedRange<Double>? {
    switch self {
    case .x, .y: -DocumentFormat.farthest...DocumentFormat.farthest
    case .width, .height: .leastNonzeroMagnitude...DocumentFormat.farthest
    case .rotation: -.greatestFiniteMagnitude ... .greatestFiniteMagnitude
    case .size: DocumentFormat.textSizes
    default: nil
    }
  }

  /// What the field accepts, for messages.
  var expectation: String {
    switch self {
    case .x, .y: "a number from -100000 to 100000"
    case .width, .height: "a number above 0, at most 100000"
    case .rotation: "a number of degrees"
    case .size: "a number of units from 5 to 2000"
    case .align: TextAlignment.choices
    case .frame: "a frame (\(Frame.allCases.map(\.rawValue).joined(separator: ", "))) or nothing"
    case .color: "#rrggbb, or three or four numbers from 0 to 1"
    case .text: "a text of at most 100000 bytes without NUL that is not blank"
    case .alt, .font: "a text of at most 100000 bytes without NUL"
    case .group, .link: "a text of at most 100000 bytes without NUL, or nothing"
    case .cropped, .wraps, .grows, .locked: "true or false"
    }
  }

  /// Parses a typed value: `120`, `heart`, `1,0,0`, `true`; for a frame, group or link, `none` or nothing is no value.
  public func value(typed text: String) throws(DocumentError) -> ElementValue {
    let value: ElementValue? =
      switch self {
      case .x, .y, .width, .height, .rotation, .size: Double(text.trimmed).map { .number($0) }
      case .color: CardColor(typed: text).map { .color($0) }
      case .cropped, .wraps, .grows, .locked:
        ["true": true, "yes": true, "on": true, "false": false, "no": false, "off": false][text.trimmed]
          .map { .flag($0) }
      case .frame, .group, .link: text.trimmed.isEmpty || text == "none" ? ElementValue.none : .text(text)
      case .text, .alt, .font, .align: .text(text)
      }
    guard let value else {
      throw .badValue(field: rawValue, expected: expectation, found: quoted(text), suggestion: nil)
    }
    return value
  }

  /// Checks a value and returns its JSON; nil means that the key is removed.
  func json(of value: ElementValue) throws(DocumentError) -> Value? {
    switch (self, value) {
    case (_, .number(let number)): if range?.contains(number) == true { return .measure(number) }
    case (.align, .text(let name)): if TextAlignment(named: name) != nil { return .text(name) }
    case (.frame, .text(let name)): if Frame(rawValue: name) != nil { return .text(name) }
    case (.text, .text(let text)): if isProper(text), !text.trimmed.isEmpty { return .text(text) }
    case (.alt, .text(let text)), (.font, .text(let text)): if isProper(text) { return .text(text) }
    case (.group, .text(let text)), (.link, .text(let text)): if isProper(text), !text.isEmpty { return .text(text) }
    case (.color, .color(let color)): return color.json
    case (.cropped, .flag(let flag)), (.wraps, .flag(let flag)), (.grows, .flag(let flag)), (.locked, .flag(let flag)):
      return .boolean(flag)
    case (.frame, .none), (.group, .none), (.link, .none): return nil
    default: break
    }
    throw .badValue(field: rawValue, expected: expectation, found: value.shown, suggestion: suggestion(for: value))
  }

  private func isProper(_ text: String) -> Bool {
    text.utf8.count <= DocumentFormat.maximumText && !text.utf8.contains(0)
  }

  private func suggestion(for value: ElementValue) -> String? {
    guard case .text(let name) = value else { return nil }
    switch self {
    case .frame: return Text.suggestion(for: name, among: Frame.allCases.map(\.rawValue))
    case .align: return Text.suggestion(for: name, among: TextAlignment.allCases.map { "\($0)" })
    default: return nil
    }
  }
}

extension TextAlignment {
  /// Parses an alignment as documents name it.
  init?(named name: String) {
    guard let found = Self.allCases.first(where: { "\($0)" == name }) else { return nil }
    self = found
  }

  /// The names that a document may use, for messages.
  static let choices = "center, left or right"
}

extension ElementValue {
  /// The value as it appears in a message.
  var shown: String {
    switch self {
    case .number(let number): number.isFinite ? Value.measure(number).json : "\(number)"
    case .text(let text): quoted(text)
    case .color(let color): color.parts.map { Value.measure($0).json }.joined(separator: ",")
    case .flag(let flag): flag ? "true" : "false"
    case .none: "nothing"
    }
  }
}

extension Element {
  /// The value of the field: `.none` if it is empty, nil if this kind of element does not have the field.
  public func value(of field: ElementField) -> ElementValue? {
    if let kind, !field.applies(to: kind) { return nil }
    return switch field {
    case .x: .number(x)
    case .y: .number(y)
    case .width: .number(width)
    case .height: .number(height)
    case .rotation: .number(rotation)
    case .frame: frame.map { .text($0.rawValue) } ?? ElementValue.none
    case .cropped: isCropped.map { .flag($0) }
    case .alt: alt.map { .text($0) }
    case .text: text.map { .text($0) }
    case .wraps: wraps.map { .flag($0) }
    case .size: size.map { .number($0) }
    case .align: align.map { .text($0) }
    case .grows: grows.map { .flag($0) }
    case .color: color.map { .color($0) }
    case .font: font.map { .text($0) }
    case .group: group.map { .text($0) } ?? ElementValue.none
    case .link: link.map { .text($0) } ?? ElementValue.none
    case .locked: .flag(isLocked)
    }
  }

  /// Sets a field; a number that it has already keeps its text.
  mutating func set(_ field: ElementField, to value: ElementValue) throws(DocumentError) {
    guard let kind, field.applies(to: kind) else {
      throw .noSuchField(field: field.rawValue, kind: json["kind"]?.text ?? "")
    }
    guard !isLocked || field == .locked else { throw .locked(element: id) }
    let json = try field.json(of: value)
    if let old = self.json[field.rawValue]?.double, json?.double == old { return }
    self.json[field.rawValue] = json
  }
}
