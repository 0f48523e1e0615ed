// The folded texts of all cards behind each other, so that a word is looked for in one pass over memory.
// Invariant: a row is found by what its card says at the moment of the last `refresh`; rows of removed cards stay,
// their ids are in no deck.

import CSearch
import Storage
import Templates

/// Which rows of an index something holds for.
struct SearchRowSet {
  var holds: [Bool]
  /// Whether it holds for exactly these; else for some of them.
  var isExact = true

  var count: Int { holds.count { $0 } }
}

/// The texts of an account's cards, in the order in which they came.
///
///     try index.refresh(db) { false }
///     let ids = index.rows(of: query.root).map(index.ids)
final class SearchIndex {
  /// Prompt, answer and tags.
  static let cellsPerRow = 3
  /// Bytes of texts at most; more are searched in the database.
  static let mostBytes = 128 << 20

  var state = SearchLog.State()
  /// The card of each row.
  private(set) var cards: [Int64] = []
  /// Where each cell ends. A zero byte follows it.
  private(set) var ends: [UInt32] = []
  private(set) var texts: [UInt8] = []
  /// Rows whose card has other texts now, in a row behind them.
  private var stale: Set<Int> = []
  /// The rows behind those that are in the order of their cards' ids.
  private var unordered: [Int64: Int] = [:]
  private var orderedCount = 0
  /// Whether there was more text than is kept: it is not read again and again.
  private var isTooLarge = false
  /// Rows read from the database since the index was made, loaded or saved.
  var readCount = 0

  // MARK: Reading

  /// Reads what came or was changed since the last time.
  /// - Returns: false where there is too much text.
  /// - Throws: `interrupted`; the index is empty then.
  func refresh(_ db: Database, isInterrupted: () -> Bool) throws -> Bool {
    if isTooLarge { return false }
    let now = try SearchLog.state(db)
    if now == state { return true }
    do {
      if let changed = try SearchLog.changes(db, from: state, to: now) {
        for card in Set(changed) where card <= state.lastCard {
          try read(db, "WHERE id = ?", card, isInterrupted)
        }
      } else {
        removeAll()
      }
      try read(db, "WHERE id > ? ORDER BY id", state.lastCard, isInterrupted)
      state = now
    } catch {
      removeAll()
      throw error
    }
    isTooLarge = texts.count > Self.mostBytes
    if isTooLarge { removeAll() }
    return !isTooLarge
  }

  /// Bytes of texts that are worked on between two looks at whether to stop.
  private static let judgedBetweenLooks = 1 << 18

  private func removeAll() {
    state = SearchLog.State()
    replace(cards: [], ends: [], texts: [])
  }

  private func read(_ db: Database, _ condition: String, _ card: Int64, _ isInterrupted: () -> Bool) throws {
    let sql = "SELECT id, prompt, answer, tags FROM card_rows \(condition)"
    var lookedAt = texts.count
    try db.forEachRow(sql, while: { texts.count <= Self.mostBytes }, [card]) { row in
      let card = row.integer(0)
      if card <= state.lastCard, let old = self.row(of: card) { stale.insert(old) }
      if card <= state.lastCard || !unordered.isEmpty {
        unordered[card] = cards.count
      } else {
        orderedCount += 1
      }
      cards.append(card)
      for column: Int32 in 1...3 {
        Folding.fold(row.bytes(column), into: &texts)
        ends.append(UInt32(clamping: texts.count))
        texts.append(0)
      }
      readCount += 1
      if readCount % 256 == 0 || texts.count - lookedAt > Self.judgedBetweenLooks {
        lookedAt = texts.count
        try Self.goOn(unless: isInterrupted())
      }
    }
  }

  private static func goOn(unless isInterrupted: Bool) throws(DeckError) {
    if isInterrupted { throw .interrupted }
  }

  private func row(of card: Int64) -> Int? {
    if let row = unordered[card] { return row }
    var (low, high) = (0, orderedCount)
    while low < high {
      let middle = (low + high) / 2
      if cards[middle] < card { low = middle + 1 } else { high = middle }
    }
    return low < orderedCount && cards[low] == card ? low : nil
  }

  /// Leaves out rows that were put aside, and brings the others into the order of their cards' ids.
  func tidy() {
    if unordered.isEmpty { return }
    var fresh: (cards: [Int64], ends: [UInt32], texts: [UInt8]) = ([], [], [])
    for row in cards.indices.filter({ !stale.contains($0) }).sorted(by: { cards[$0] < cards[$1] }) {
      fresh.cards.append(cards[row])
      for cell in row * Self.cellsPerRow..<(row + 1) * Self.cellsPerRow {
        fresh.texts += texts[(cell == 0 ? 0 : Int(ends[cell - 1]) + 1)...Int(ends[cell])]
        fresh.ends.append(UInt32(clamping: fresh.texts.count - 1))
      }
    }
    replace(cards: fresh.cards, ends: fresh.ends, texts: fresh.texts)
  }

  /// Takes over rows that are in the order of their cards' ids.
  func replace(cards: [Int64], ends: [UInt32], texts: [UInt8]) {
    (self.cards, self.ends, self.texts) = (cards, ends, texts)
    (stale, unordered, orderedCount, readCount) = ([], [:], cards.count, 0)
  }

  // MARK: Searching

  /// The rows that part of a query allows; nil where texts and tags say nothing.
  /// - Parameter isInterrupted: asked before each pass over the texts, and within.
  /// - Throws: `interrupted`.
  func rows(of node: CardQuery.Node, _ isInterrupted: () -> Bool) throws -> SearchRowSet? {
    try Self.goOn(unless: isInterrupted())
    switch node {
    case .all(let nodes):
      let parts = try nodes.map { try rows(of: $0, isInterrupted) }
      guard var set = parts.compactMap(\.self).first else { return nil }
      for part in parts.compactMap(\.self).dropFirst() { set.form(with: part) { $0 && $1 } }
      if parts.contains(where: { $0 == nil }) { set.isExact = false }
      return set
    case .any(let nodes):
      let parts = try nodes.compactMap { try rows(of: $0, isInterrupted) }
      guard parts.count == nodes.count, var set = parts.first else { return nil }
      for part in parts.dropFirst() { set.form(with: part) { $0 || $1 } }
      return set
    case .not(let node):
      guard var set = try rows(of: node, isInterrupted), set.isExact else { return nil }
      for row in set.holds.indices { set.holds[row].toggle() }
      return set
    case .condition(.text(let pattern)):
      return try rows(holding: pattern, in: 0...1, isInterrupted) { pattern.matches($0) }
    case .condition(.prompt(let pattern)):
      return try rows(holding: pattern, in: 0...0, isInterrupted) { pattern.matches($0) }
    case .condition(.answer(let pattern)):
      return try rows(holding: pattern, in: 1...1, isInterrupted) { pattern.matches($0) }
    case .condition(.tag(let pattern)):
      return try rows(holding: pattern, in: 2...2, isInterrupted) { FoldedColumn.hasTag(pattern, in: $0) }
    default: return nil
    }
  }

  /// The cards of rows, each once.
  func cards(of set: SearchRowSet) -> [Int64] {
    var found: [Int64] = []
    for row in cards.indices where set.holds[row] && !stale.contains(row) { found.append(cards[row]) }
    return found
  }

  /// Looks for the longest piece of a pattern everywhere, and judges the cells that have it.
  private func rows(
    holding pattern: TextPattern, in columns: ClosedRange<Int>, _ isInterrupted: () -> Bool,
    _ matches: (UnsafeBufferPointer<UInt8>) -> Bool
  ) throws -> SearchRowSet? {
    guard let piece = pattern.pieces.max(by: { $0.count < $1.count }), !piece.isEmpty else { return nil }
    var set = SearchRowSet(holds: Array(repeating: false, count: cards.count))
    try texts.withUnsafeBufferPointer { texts in
      try ends.withUnsafeBufferPointer { ends in
        guard let base = texts.baseAddress else { return }
        var (place, cell, judged) = (0, 0, 0)
        while place < texts.count,
          let hit = memmem(base + place, texts.count - place, piece, piece.count)
        {
          place = UnsafeRawPointer(hit) - UnsafeRawPointer(base)
          while ends[cell] < place { cell += 1 }
          let start = cell == 0 ? 0 : Int(ends[cell - 1]) + 1
          let end = Int(ends[cell])
          judged += end - start + 64
          if judged > Self.judgedBetweenLooks {
            judged = 0
            try Self.goOn(unless: isInterrupted())
          }
          let (row, column) = cell.quotientAndRemainder(dividingBy: Self.cellsPerRow)
          if columns.contains(column), matches(UnsafeBufferPointer(rebasing: texts[start..<end])) {
            set.holds[row] = true
            // The rest of the row can say nothing else.
            cell = row * Self.cellsPerRow + Self.cellsPerRow - 1
          }
          place = Int(ends[cell]) + 1
        }
      }
    }
    return set
  }
}

extension SearchRowSet {
  fileprivate mutating func form(with other: SearchRowSet, _ join: (Bool, Bool) -> Bool) {
    for row in holds.indices { holds[row] = join(holds[row], other.holds[row]) }
    isExact = isExact && other.isExact
  }
}
