// The rows of a deck as searches evaluate them, in memory: folded texts and numbers. Invariant: they are as they were
// when they were read.

import Storage

/// The columns of a row that a query evaluates, in this order; the numbers are between the texts and the fields.
enum QueryColumn: Int32, CaseIterable {
  case id, prompt, answer, tags, created, suspended, state, due, stability, difficulty, reps, lapses, lastReview, deck
  case mod, flag, buriedUntil, interval, fields

  static let texts = [prompt, answer, tags]
  static let numbers = allCases[Int(created.rawValue)..<Int(fields.rawValue)]
}

/// A row as a query evaluates it.
protocol QueryRow {
  /// Whether its texts are already folded.
  var areTextsFolded: Bool { get }
  func integer(_ column: QueryColumn) -> Int64
  func number(_ column: QueryColumn) -> Double
  func optionalNumber(_ column: QueryColumn) -> Double?
  func optionalText(_ column: QueryColumn) -> String?
  func bytes(_ column: QueryColumn) -> UnsafeBufferPointer<UInt8>
}

extension Storage.Row: QueryRow {
  var areTextsFolded: Bool { false }
  func integer(_ column: QueryColumn) -> Int64 { integer(column.rawValue) }
  func number(_ column: QueryColumn) -> Double { number(column.rawValue) }
  func optionalNumber(_ column: QueryColumn) -> Double? { optionalNumber(column.rawValue) }
  func optionalText(_ column: QueryColumn) -> String? { optionalText(column.rawValue) }
  func bytes(_ column: QueryColumn) -> UnsafeBufferPointer<UInt8> { bytes(column.rawValue) }
}

extension CardQuery.Condition {
  /// Whether a cached row is enough to evaluate it: expressions need the original texts.
  var isOfCachedRow: Bool {
    switch self {
    case .expression, .field: false
    default: true
    }
  }
}

/// The rows of a deck, top first: the folded texts in one array, and the numbers of each row.
final class SearchRows {
  private let deck: Int64
  private(set) var ids: [CardID] = []
  /// The ends of the prompt, the answer and the tags of each row.
  private var ends: [Int32] = []
  private var texts: [UInt8] = []
  /// NaN stands for a missing value.
  private var numbers: [Double] = []

  init(_ deck: DeckID) { self.deck = deck.rawValue }

  var count: Int { ids.count }
  var byteCount: Int { texts.count }

  func append(_ row: Storage.Row) {
    ids.append(CardID(rawValue: row.integer(.id)))
    for column in QueryColumn.texts {
      Folding.fold(row.bytes(column), into: &texts)
      ends.append(Int32(clamping: texts.count))
    }
    for column in QueryColumn.numbers { numbers.append(row.optionalNumber(column) ?? .nan) }
  }

  /// The cards that match a query, with their positions.
  func found(_ matcher: inout QueryMatcher) throws -> (ids: [CardID], positions: [Int]) {
    try texts.withUnsafeBufferPointer { texts in
      try ends.withUnsafeBufferPointer { ends in
        try numbers.withUnsafeBufferPointer { try found(&matcher, Parts(texts: texts, ends: ends, numbers: $0)) }
      }
    }
  }

  private func found(_ matcher: inout QueryMatcher, _ parts: Parts) throws -> (ids: [CardID], positions: [Int]) {
    var (found, positions): ([CardID], [Int]) = ([], [])
    for place in ids.indices {
      guard try matcher.matches(Row(place: place, id: ids[place].rawValue, deck: deck, parts: parts)) else { continue }
      found.append(ids[place])
      positions.append(place + 1)
    }
    return (found, positions)
  }

  /// Pointers to the arrays, for the duration of one search.
  private struct Parts {
    let texts: UnsafeBufferPointer<UInt8>
    let ends: UnsafeBufferPointer<Int32>
    let numbers: UnsafeBufferPointer<Double>
  }

  private struct Row: QueryRow {
    let place: Int
    let id: Int64
    let deck: Int64
    let parts: Parts

    var areTextsFolded: Bool { true }

    private func value(_ column: QueryColumn) -> Double {
      parts.numbers[place * QueryColumn.numbers.count + Int(column.rawValue - QueryColumn.created.rawValue)]
    }

    func integer(_ column: QueryColumn) -> Int64 {
      switch column {
      case .id: return id
      // The column `deck` is also among the numbers, but only the integer is exact.
      case .deck: return deck
      default:
        let value = value(column)
        return value.magnitude < 9e15 ? Int64(value) : 0
      }
    }

    func number(_ column: QueryColumn) -> Double {
      let value = value(column)
      return value.isNaN ? 0 : value
    }

    func optionalNumber(_ column: QueryColumn) -> Double? {
      let value = value(column)
      return value.isNaN ? nil : value
    }

    func optionalText(_ column: QueryColumn) -> String? { nil }

    func bytes(_ column: QueryColumn) -> UnsafeBufferPointer<UInt8> {
      let end = place * QueryColumn.texts.count + Int(column.rawValue) - 1
      let start = end == 0 ? 0 : Int(parts.ends[end - 1])
      return UnsafeBufferPointer(rebasing: parts.texts[start..<Int(parts.ends[end])])
    }
  }
}
