// What the conditions of a query need besides a card's row, read once per query; and the part of a query that SQLite
// can evaluate. Invariant: the condition is true for every card that the query matches; if it is exact, it is false for
// every other card. No text of a user becomes part of a statement, only numbers.

import Memory
import Storage
import Templates
import Text

final class QueryFacts {
  private let moment: StudyMoment
  private var cards: [(condition: CardQuery.Condition, ids: Set<Int64>)] = []
  private var decks: [Int64: [UInt8]] = [:]
  private var memories: CardMemories?
  /// What predicts the cards that FSRS-6 does not predict alone.
  private var entries: [CardID: CardMemories.Entry] = [:]
  /// The type of each card's note; the names of the types.
  private var noteTypes: [Int64: Int64] = [:]
  private var typeNames: [Int64: [UInt8]] = [:]
  private var folded: [UInt8] = []

  /// - Throws: `badQuery` for a field that no card has.
  init(_ db: Database, _ query: CardQuery, at moment: StudyMoment) throws {
    self.moment = moment
    for condition in query.root.conditions { try prepare(db, condition, query) }
  }

  private func prepare(_ db: Database, _ condition: CardQuery.Condition, _ query: CardQuery) throws {
    switch condition {
    case .rated, .isAmong:
      guard let exact = QuerySQL.condition(condition, moment) else { return }
      try add(db, condition, "SELECT id FROM cards WHERE \(exact)", [])
    case .introduced(let days):
      let sql = """
        SELECT card FROM reviews WHERE \(LoggedReview.isAnswer) AND at > 0
        GROUP BY card HAVING min(at) >= ? AND min(at) < ?
        """
      try add(db, condition, sql, [moment.start(ofLast: days), moment.endOfToday])
    case .duplicates:
      // Another card of their deck has their prompt too, in whatever normal form.
      let sql = """
        SELECT id, deck, prompt FROM card_rows WHERE (deck, content >> 32) IN
          (SELECT deck, content >> 32 FROM cards GROUP BY deck, content >> 32 HAVING count(*) > 1)
        """
      var alike: [[String]: [Int64]] = [:]
      try db.forEachRow(sql) { row in
        alike[["\(row.integer(1))", row.text(2).composed], default: []].append(row.integer(0))
      }
      cards.append((condition, Set(alike.values.filter { $0.count > 1 }.joined())))
    case .currentDeck:
      let sql = """
        SELECT cards.id FROM cards JOIN decks ON decks.id = deck
        JOIN (SELECT name_key AS current FROM decks WHERE studied IS NOT NULL ORDER BY studied DESC, id LIMIT 1)
        WHERE name_key = current OR name_key >= current || '::' AND name_key < current || ':;'
        """
      try add(db, condition, sql, [])
    case .deck where decks.isEmpty:
      for deck in try DeckTable.list(db) { decks[deck.id.rawValue] = Folding.fold(deck.name) }
    case .property(.retrievability, _, _) where memories == nil:
      let options = try DeckTable.allOptions(db, at: moment)
      let read = CardMemories(options)
      (memories, entries) = (read, try read.all(db, in: Array(options.keys)))
    case .noteType where noteTypes.isEmpty:
      for type in try NoteTypeTable.list(db) { typeNames[type.id.rawValue] = Folding.fold(type.name) }
      let sql = "SELECT cards.id, notes.type FROM cards JOIN notes ON notes.id = cards.note"
      try db.forEachRow(sql) { noteTypes[$0.integer(0)] = $0.integer(1) }
    case .field(let name, let pattern, let column):
      let isOfNotes = try readNoteFields(db, condition, name, pattern)
      if !isOfNotes, column > 0 { try checkField(db, name, column, query) }
    default: break
    }
  }

  /// Finds the cards of notes that have a field with a matching text.
  /// - Returns: whether a note type has a field with that name.
  private func readNoteFields(
    _ db: Database, _ condition: CardQuery.Condition, _ name: String, _ pattern: TextPattern
  ) throws -> Bool {
    var places: [Int64: Int] = [:]
    let fields = """
      SELECT note_types.id, each.key, each.value ->> 'name'
      FROM note_types, json_each(note_types.json, '$.flds') AS each WHERE json_valid(note_types.json)
      """
    try db.forEachRow(fields) { if $0.text(2).lowercased() == name { places[$0.integer(0)] = $0.count(1) } }
    if places.isEmpty { return false }
    var ids: Set<Int64> = []
    let sql = "SELECT cards.id, notes.type, notes.fields FROM cards JOIN notes ON notes.id = cards.note"
    try db.forEachRow(sql) { row in
      guard let place = places[row.integer(1)] else { return }
      let texts = row.bytes(2).split(separator: 0x1F, omittingEmptySubsequences: false)
      guard place < texts.count else { return }
      fold(TextBytes(rebasing: texts[place]))
      if folded.withUnsafeBufferPointer({ pattern.matches($0) }) { ids.insert(row.integer(0)) }
    }
    cards.append((condition, ids))
    return true
  }

  /// Folds a field as plain text if it is plain text, else as HTML.
  private func fold(_ field: TextBytes) {
    folded.removeAll(keepingCapacity: true)
    if field.contains(UInt8(ascii: "&")), var text = FieldHTML.plain(String(decoding: field, as: UTF8.self)) {
      text.withUTF8 { Folding.fold($0, into: &folded) }
    } else {
      Folding.fold(field, into: &folded)
    }
  }

  private func add(
    _ db: Database, _ condition: CardQuery.Condition, _ sql: String, _ arguments: StatementArguments
  ) throws {
    var ids: Set<Int64> = []
    try db.forEachRow(sql, arguments) { ids.insert($0.integer(0)) }
    cards.append((condition, ids))
  }

  /// Throws `badQuery` if no card has a field with that name: then it is most likely a mistyped condition.
  private func checkField(_ db: Database, _ name: String, _ column: Int, _ query: CardQuery) throws {
    var isKnown = false
    try db.forEachRow("SELECT fields FROM card_rows WHERE fields IS NOT NULL", while: { !isKnown }) { row in
      isKnown = try FieldText.list(row.optionalText(0)).contains { $0.name.lowercased() == name }
    }
    if isKnown { return }
    let fields = try NoteTypeTable.list(db).flatMap(\.fields)
    throw DeckError.badQuery(
      query: query.text, column: column,
      expected: "one of \(QueryParser.names.joined(separator: ", ")), or the name of a field, before the colon (or "
        + "quotes around the text)", near: suggestion(for: name, among: QueryParser.names + fields))
  }

  func cards(_ condition: CardQuery.Condition) -> Set<Int64> { cards.first { $0.condition == condition }?.ids ?? [] }

  /// The probability that a card is remembered now.
  func recall(ofCard card: Int64, deck: Int64, stability: Double, last: Double) -> Double {
    entries[CardID(rawValue: card)]?.recall(at: moment)
      ?? memories?.recall(in: DeckID(rawValue: deck), stability: stability, last: last, at: moment) ?? 0
  }

  /// Whether the pattern matches the name of a deck or of one that it is in.
  func isDeck(_ deck: Int64, _ pattern: TextPattern) -> Bool {
    (decks[deck] ?? []).withUnsafeBufferPointer { name in
      pattern.matches(name) || FoldedColumn.ends(ofParents: name).contains { pattern.matches($0) }
    }
  }

  func isNoteType(ofCard card: Int64, _ pattern: TextPattern) -> Bool {
    noteTypes[card].flatMap { typeNames[$0] }.map { $0.withUnsafeBufferPointer { pattern.matches($0) } } ?? false
  }

  func hasField(_ row: Row, _ name: String, _ pattern: TextPattern) -> Bool {
    guard let column = row.optionalText(.fields) else { return false }
    do {
      return try FieldText.list(column).contains { field in
        guard field.name.lowercased() == name else { return false }
        return Folding.fold(field.value.written).withUnsafeBufferPointer { pattern.matches($0) }
      }
    } catch {
      // A forged file may have something else in place of the fields: then no field matches.
      return false
    }
  }
}

extension CardQuery.Node {
  var conditions: [CardQuery.Condition] {
    switch self {
    case .all(let nodes), .any(let nodes): nodes.flatMap(\.conditions)
    case .not(let node): node.conditions
    case .condition(let condition): [condition]
    }
  }
}

struct QuerySQL {
  private typealias Part = (text: String, isExact: Bool)

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
      if nodes.isEmpty { return ("1", true) }
      if known.isEmpty { return nil }
      return (
        known.map { "(\($0.text))" }.joined(separator: " AND "),
        known.count == nodes.count && known.allSatisfy(\.isExact)
      )
    case .any(let nodes):
      let known = nodes.compactMap { part($0, moment) }
      guard known.count == nodes.count else { return nil }
      return (known.map { "(\($0.text))" }.joined(separator: " OR "), known.allSatisfy(\.isExact))
    case .not(let node):
      guard let part = part(node, moment), part.isExact else { return nil }
      // NULL counts as false, so its negation is true.
      return ("(\(part.text)) IS NOT 1", true)
    case .condition(let condition): return part(condition, moment)
    }
  }

  /// The condition on a row of `cards` that is equivalent to one of a query; nil if there is none.
  static func condition(_ condition: CardQuery.Condition, _ moment: StudyMoment) -> String? {
    part(condition, moment).flatMap { $0.isExact ? $0.text : nil }
  }

  private static func part(_ condition: CardQuery.Condition, _ moment: StudyMoment) -> Part? {
    switch condition {
    case .isIn(let status): return (status.sql(MomentSQL(moment)), true)
    case .property(let property, let comparison, let number):
      return property.queryColumn.map { ("\(columnName($0)) \(comparison.rawValue) \(number)", true) }
    case .added(let days): return ("created >= \(moment.start(ofLast: days))", true)
    case .edited(let days): return ("mod >= \(moment.start(ofLast: days))", true)
    case .flag(let flag): return ("flag = \(flag)", true)
    case .rated(let days, let rating):
      let (low, high) = (rating?.rawValue ?? 1, rating?.rawValue ?? 4)
      let sql = """
        id IN (SELECT card FROM reviews WHERE at >= \(moment.start(ofLast: days)) AND at < \(moment.endOfToday)
          AND rating BETWEEN \(low) AND \(high))
        """
      return (sql, true)
    case .isAmong(let column, let numbers):
      let condition = "\(column) IN (\(numbers.map(String.init).joined(separator: ",")))"
      let isOfNote = column == "type"
      return (isOfNote ? "note IN (SELECT id FROM notes WHERE \(condition))" : condition, true)
    case .tag: return ("(SELECT tags FROM notes WHERE notes.id = note) <> ''", false)
    default: return nil
    }
  }
}
