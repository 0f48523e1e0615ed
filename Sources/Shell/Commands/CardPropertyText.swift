// A card's fields as lists show them, by their descriptions. Invariant: a value is shown the same in a page, in a pipe
// and alone.

import Commands
import Decks
import Text
import Values
import Workspace

extension CardProperty {
  var heading: TableText.Column {
    switch description.kind {
    case .integer where self == .position: .init("#", .right)
    case .integer, .number: .init(title, .right)
    default: .init(title)
    }
  }

  private var title: String {
    let words = rawValue.replacing(text: "_", with: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }

  /// A value of the field as a person reads it; empty for what a card does not have.
  func text(_ value: Value, _ session: Session) -> String {
    switch value {
    case .null, .boolean(false): ""
    case .boolean(true): "yes"
    case .list(let items): items.map { $0.text ?? $0.json }.joined(separator: " ")
    case .integer(let number) where self == .position: session.grouped(number)
    case .number(let number) where description.kind == .moment: session.date(number.value)
    case .number(let number): Value.measure((number.value * 100).rounded() / 100).json
    case .text(let text): text
    case .integer, .record: value.json
    }
  }

  /// What a card has of the field as a person reads it.
  func text(of card: CardHandle, _ session: Session) throws -> String {
    self == .state ? Self.stateText(try card.record(), session) : text(try card.value(of: self), session)
  }

  /// What keeps a card from being studied, else where it is in its schedule.
  static func stateText(_ card: some CardColumns, _ session: Session) -> String {
    !card.isSuspended && card.isBuried(at: session.studyMoment) ? "buried" : card.stateName
  }

  /// The columns of a list as they are typed: `prompt,answer,due`.
  static func columns(_ text: String) throws -> [CardProperty] {
    try text.split(separator: ",").map { try named(String($0).trimmed, among: shown) }
  }

  static func named(_ name: String, among properties: [CardProperty]) throws -> CardProperty {
    if let known = properties.first(where: { $0.rawValue == name.lowercased() }) { return known }
    let names = properties.map(\.rawValue)
    throw ShellError.notColumn(name, suggestion: suggestion(for: name, among: names), columns: names)
  }
}
