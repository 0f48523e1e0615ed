// Card fields formatted for lists, according to their descriptions. Invariant: a value looks the same in a page, in a
// pipe and alone.

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
    default: .init(title, isMain: self == .prompt || self == .answer)
    }
  }

  private var title: String {
    let words = rawValue.replacing(text: "_", with: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }

  /// Formats a value of the field for the user; empty for a missing value.
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

  /// Formats the card's value of the field for the user.
  func text(of card: CardHandle, _ session: Session) throws -> String {
    let own = try self == .state || self == .due ? ownText(of: card.record(), at: session.studyMoment) : nil
    return try own ?? text(card.value(of: self), session)
  }

  /// The text of a field that depends on more than its value: "buried" for a card that is buried but not suspended, and
  /// the day on which `study` shows a learnt card, also if it was answered in another time zone. nil for anything else.
  func ownText(of card: some CardColumns, at moment: StudyMoment) -> String? {
    switch self {
    case .state: return !card.isSuspended && card.isBuried(at: moment) ? "buried" : card.stateName
    case .due:
      guard card.state == .review, let due = card.schedule.due else { return nil }
      return StudyMoment.date(ofDay: moment.dueDay(of: due))
    default: return nil
    }
  }

  /// Parses the columns of a list as the user types them: `prompt,answer,due`.
  static func columns(_ text: String) throws -> [CardProperty] {
    try text.split(separator: ",").map { try named(String($0).trimmed, among: shown) }
  }

  static func named(_ name: String, among properties: [CardProperty]) throws -> CardProperty {
    if let known = properties.first(where: { $0.rawValue == name.lowercased() }) { return known }
    let names = properties.map(\.rawValue)
    throw ShellError.notColumn(name, suggestion: suggestion(for: name, among: names), columns: names)
  }
}
