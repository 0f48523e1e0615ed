// Whether a card matches a query, evaluated on its row in place. Invariant: no String is made for a card; each text is
// folded once per card, however many conditions use it.

import Storage

extension CardQuery {
  /// The cards of some decks that match; the query is evaluated once, however many decks there are.
  func cards(_ db: Database, in decks: [DeckID], at moment: StudyMoment) throws -> Set<CardID> {
    let condition = "deck IN (\(decks.map { "\($0.rawValue)" }.joined(separator: ", ")))"
    // SQLite reads the index of ranks in this order; any other one would have to be sorted, with all texts.
    return Set(try CardTable.ids(db, among: condition, matching: self, at: moment, orderedBy: "deck, rank"))
  }
}

struct QueryMatcher {
  private let root: CardQuery.Node
  private let isInterrupted: () -> Bool
  /// The number of evaluated conditions and searched bytes, weighted, since the last check for an interrupt.
  private var work = 0
  private static let workBetweenPolls = 1 << 20
  /// A match of an expression may take a second.
  private static let workOfExpression = 1 << 16
  private let moment: StudyMoment
  private let facts: QueryFacts
  private var prompt = FoldedColumn(.prompt)
  private var answer = FoldedColumn(.answer)
  private var tags = FoldedColumn(.tags)

  /// - Throws: `badQuery` for a field that no card has.
  init(_ db: Database, _ query: CardQuery, at moment: StudyMoment) throws {
    facts = try QueryFacts(db, query, at: moment)
    root = query.root
    isInterrupted = query.isInterrupted
    self.moment = moment
  }

  /// - Throws: `interrupted`.
  mutating func matches(_ row: Row) throws(DeckError) -> Bool {
    prompt.isFolded = false
    answer.isFolded = false
    tags.isFolded = false
    return try holds(root, row)
  }

  private mutating func holds(_ node: CardQuery.Node, _ row: Row) throws(DeckError) -> Bool {
    switch node {
    case .all(let nodes):
      for node in nodes where try !holds(node, row) { return false }
      return true
    case .any(let nodes):
      for node in nodes where try holds(node, row) { return true }
      return false
    case .not(let node): return try !holds(node, row)
    case .condition(let condition):
      try poll()
      return try holds(condition, row)
    }
  }

  private mutating func poll() throws(DeckError) {
    work += 64 + prompt.count + answer.count
    guard work > Self.workBetweenPolls else { return }
    work = 0
    if isInterrupted() { throw .interrupted }
  }

  private mutating func holds(_ condition: CardQuery.Condition, _ row: Row) throws(DeckError) -> Bool {
    switch condition {
    case .text(let pattern): return prompt.matches(pattern, row) || answer.matches(pattern, row)
    case .prompt(let pattern): return prompt.matches(pattern, row)
    case .answer(let pattern): return answer.matches(pattern, row)
    case .tag(let pattern): return tags.hasTag(pattern, row)
    case .isIn(let status): return status.holds(columns(row), at: moment)
    case .property(let property, let comparison, let number):
      return value(property, row).map { comparison.holds($0, number) } ?? false
    case .added(let days): return row.number(.created) >= moment.start(ofLast: days)
    case .edited(let days): return row.number(.mod) >= moment.start(ofLast: days)
    case .flag(let flag): return row.integer(.flag) == Int64(flag)
    case .rated, .introduced, .duplicates, .isAmong, .currentDeck:
      return facts.cards(condition).contains(row.integer(.id))
    case .deck(let pattern): return facts.isDeck(row.integer(.deck), pattern)
    case .noteType(let pattern): return facts.isNoteType(ofCard: row.integer(.id), pattern)
    case .field(let name, let pattern, _):
      return facts.cards(condition).contains(row.integer(.id)) || facts.hasField(row, name, pattern)
    case .expression(let expression):
      work += Self.workOfExpression
      if try expression.matches(row.bytes(.prompt)) { return true }
      return try expression.matches(row.bytes(.answer))
    }
  }

  private func columns(_ row: Row) -> StatusColumns {
    StatusColumns(
      state: row.integer(.state), isSuspended: row.integer(.suspended) != 0, due: row.optionalNumber(.due),
      buriedUntil: row.optionalNumber(.buriedUntil), hasLeechTag: StatusColumns.isLeech(row.bytes(.tags)))
  }

  /// The value of a property; nil if a new card does not have it yet.
  private func value(_ property: CardProperty, _ row: Row) -> Double? {
    if let column = property.queryColumn { return row.optionalNumber(column) }
    switch property {
    case .interval:
      let given = CardSchedule.interval(row.optionalNumber(.interval))
      // As in Anki, a card that was forgotten has the interval that it will get.
      if row.integer(.state) == CardState.relearning.rawValue {
        return Double(CardSchedule.lapsedInterval(given, stability: row.optionalNumber(.stability)))
      }
      guard row.integer(.state) == CardState.review.rawValue, let due = row.optionalNumber(.due) else { return nil }
      return Double(moment.interval(given, due: due, last: row.optionalNumber(.lastReview)))
    case .due:
      guard let due = row.optionalNumber(.due) else { return nil }
      let isLearnt = row.integer(.state) == CardState.review.rawValue
      return Double((isLearnt ? moment.dueDay(of: due) : moment.day(of: due)) - moment.today)
    case .retrievability:
      guard let stability = row.optionalNumber(.stability), let last = row.optionalNumber(.lastReview) else {
        return nil
      }
      return facts.recall(ofCard: row.integer(.id), deck: row.integer(.deck), stability: stability, last: last)
    default: return nil
    }
  }
}

/// A column's text in folded form, made when a condition first needs it.
struct FoldedColumn {
  private let column: QueryColumn
  private var folded: [UInt8] = []
  var isFolded = false
  /// The number of bytes of the last folded text.
  var count: Int { folded.count }

  init(_ column: QueryColumn) { self.column = column }

  mutating func matches(_ pattern: TextPattern, _ row: Row) -> Bool {
    fold(row)
    return folded.withUnsafeBufferPointer { pattern.matches($0) }
  }

  /// Tags are separated by spaces. A pattern matches a tag or one of its parents: `a` matches `a::b`.
  mutating func hasTag(_ pattern: TextPattern, _ row: Row) -> Bool {
    fold(row)
    return folded.withUnsafeBufferPointer { FoldedColumn.hasTag(pattern, in: $0) }
  }

  static func hasTag(_ pattern: TextPattern, in tags: UnsafeBufferPointer<UInt8>) -> Bool {
    tags.split(separator: UInt8(ascii: " ")).contains { tag in
      let tag = UnsafeBufferPointer(rebasing: tag)
      return pattern.matches(tag) || FoldedColumn.ends(ofParents: tag).contains { pattern.matches($0) }
    }
  }

  /// `a` and `a::b` for `a::b::c`.
  static func ends(ofParents tag: UnsafeBufferPointer<UInt8>) -> [UnsafeBufferPointer<UInt8>] {
    let colon = UInt8(ascii: ":")
    return tag.indices.dropFirst().filter { $0 + 1 < tag.count && tag[$0] == colon && tag[$0 + 1] == colon }.map {
      UnsafeBufferPointer(rebasing: tag[..<$0])
    }
  }

  private mutating func fold(_ row: Row) {
    if isFolded { return }
    folded.removeAll(keepingCapacity: true)
    Folding.fold(row.bytes(column), into: &folded)
    isFolded = true
  }
}

/// The columns of a row that a query evaluates, in this order.
enum QueryColumn: Int32, CaseIterable {
  case id, prompt, answer, tags, created, suspended, state, due, stability, difficulty, reps, lapses, lastReview, deck
  case mod, flag, buriedUntil, interval, fields

  /// The columns for a query. A text that none of its conditions reads is NULL: to make it would take most of the time.
  static func list(for query: CardQuery) -> String {
    let read = Set(query.root.conditions.flatMap(\.texts))
    return allCases.map { column in
      [.prompt, .answer, .tags, .fields].contains(column) && !read.contains(column) ? "NULL" : columnName(column)
    }.joined(separator: ", ")
  }
}

extension CardQuery.Condition {
  /// The texts of a row that the condition reads.
  fileprivate var texts: [QueryColumn] {
    switch self {
    case .text, .expression: [.prompt, .answer]
    case .prompt: [.prompt]
    case .answer: [.answer]
    case .tag, .isIn: [.tags]
    case .field: [.fields]
    default: []
    }
  }
}

extension Row {
  fileprivate func integer(_ column: QueryColumn) -> Int64 { integer(column.rawValue) }
  fileprivate func number(_ column: QueryColumn) -> Double { number(column.rawValue) }
  fileprivate func optionalNumber(_ column: QueryColumn) -> Double? { optionalNumber(column.rawValue) }
  func optionalText(_ column: QueryColumn) -> String? { optionalText(column.rawValue) }
  fileprivate func bytes(_ column: QueryColumn) -> TextBytes { bytes(column.rawValue) }
}
