// The part of a query that SQLite can evaluate.
// Invariant: the condition is true for every card that the query matches; if it is exact, it is false for every other
// card. No text of a user becomes part of a statement, only numbers.

import Memory

struct QuerySQL {
  private struct Part {
    let text: String
    let isExact: Bool
  }

  /// A condition on a row of `cards`; nil if SQLite can evaluate no part of the query.
  let condition: String?
  /// Whether the condition is equivalent to the query.
  let isExact: Bool

  /// Longer queries are evaluated card by card, because SQLite limits the depth of conditions.
  private static let most = 100

  init(_ query: CardQuery, at moment: StudyMoment) {
    guard query.root.conditions.count <= Self.most, let part = Self.part(query.root, moment) else {
      (condition, isExact) = (nil, false)
      return
    }
    (condition, isExact) = (part.text, part.isExact)
  }

  private static func part(_ node: CardQuery.Node, _ moment: StudyMoment) -> Part? {
    switch node {
    case .all(let nodes):
      let parts = nodes.map { part($0, moment) }
      let known = parts.compactMap(\.self)
      if nodes.isEmpty { return Part(text: "1", isExact: true) }
      if known.isEmpty { return nil }
      return Part(
        text: known.map { "(\($0.text))" }.joined(separator: " AND "),
        isExact: known.count == nodes.count && known.allSatisfy(\.isExact))
    case .any(let nodes):
      let known = nodes.compactMap { part($0, moment) }
      guard known.count == nodes.count else { return nil }
      return Part(text: known.map { "(\($0.text))" }.joined(separator: " OR "), isExact: known.allSatisfy(\.isExact))
    case .not(let node):
      guard let part = part(node, moment), part.isExact else { return nil }
      // NULL counts as false, so its negation is true.
      return Part(text: "(\(part.text)) IS NOT 1", isExact: true)
    case .condition(let condition): return part(condition, moment)
    }
  }

  /// The condition on a row of `cards` that is equivalent to one of a query; nil if there is none.
  static func condition(_ condition: CardQuery.Condition, _ moment: StudyMoment) -> String? {
    part(condition, moment).flatMap { $0.isExact ? $0.text : nil }
  }

  private static func part(_ condition: CardQuery.Condition, _ moment: StudyMoment) -> Part? {
    switch condition {
    case .isIn(let status): return Part(text: status.sql(MomentSQL(moment)), isExact: true)
    case .property(let property, let comparison, let number): return part(property, comparison, number)
    case .added(let days): return Part(text: "created >= \(moment.start(ofLast: days))", isExact: true)
    case .edited(let days): return Part(text: "mod >= \(moment.start(ofLast: days))", isExact: true)
    case .flag(let flag): return Part(text: "flag = \(flag)", isExact: true)
    case .rated(let days, let rating):
      let (low, high) = (rating?.rawValue ?? 1, rating?.rawValue ?? 4)
      return Part(
        text: """
          id IN (SELECT card FROM reviews WHERE at >= \(moment.start(ofLast: days)) AND at < \(moment.endOfToday)
            AND rating BETWEEN \(low) AND \(high))
          """, isExact: true)
    case .isAmong(let group): return Part(text: group.condition, isExact: true)
    case .tag: return Part(text: "(SELECT tags FROM notes WHERE notes.id = note) <> ''", isExact: false)
    default: return nil
    }
  }

  private static func part(_ property: CardProperty, _ comparison: CardQuery.Comparison, _ number: Double) -> Part? {
    property.queryColumn.map { Part(text: "\(columnName($0)) \(comparison.rawValue) \(number)", isExact: true) }
  }
}
