// The folded texts of all cards in one array, so that a search is a single pass over memory. Invariant: a row matches
// by what its card showed at the last `refresh`. Rows of removed cards stay, but their ids are in no deck.

import CSearch
import Storage
import Text

/// The rows of an index for which a condition is true.
struct SearchRowSet {
  var holds: [Bool]
  /// Whether the condition is true for exactly these rows; otherwise it is true for some of them.
  var isExact = true

  var count: Int { holds.count { $0 } }

  fileprivate mutating func form(with other: SearchRowSet, _ join: (Bool, Bool) -> Bool) {
    for row in holds.indices { holds[row] = join(holds[row], other.holds[row]) }
    isExact = isExact && other.isExact
  }
}

/// The texts of an account's cards, in the order in which they were read.
final class SearchIndex {
  /// Prompt, answer and tags.
  static let cellsPerRow = 3
  /// The most bytes of texts; larger accounts are searched in the database.
  static let byteLimit = 128 << 20

  var state = SearchLog.State()
  private(set) var cards: [Int64] = []
  /// The end of each cell. A zero byte follows it.
  private(set) var ends: [UInt32] = []
  private(set) var texts: [UInt8] = []
  /// Rows whose card has other texts now, in a later row.
  private var stale: Set<Int> = []
  /// The rows of cards that come after the ordered rows.
  private var unordered: [Int64: Int] = [:]
  private var orderedCount = 0
  /// The highest id of any row's card.
  private var highest = Int64.min
  /// Whether there is more text than the limit; then it is not read again.
  private var isTooLarge = false
  /// The number of rows read from the database since the index was made, loaded or saved.
  var readCount = 0

  // MARK: Reading

  /// Reads the cards that are new or have changed since the last time.
  /// - Returns: false if there is too much text.
  /// - Throws: `interrupted`; the index is then empty.
  func refresh(_ db: Database, isInterrupted: () -> Bool) throws -> Bool {
    if isTooLarge { return false }
    let now = try SearchLog.state(db)
    if now == state { return true }
    do {
      if let changed = try SearchLog.changes(db, from: state, to: now) {
        for card in Set(changed) where card <= state.lastCard { try read(db, "WHERE id = ?", card, isInterrupted) }
      } else {
        removeAll()
      }
      try read(db, "WHERE id > ? ORDER BY id", state.lastCard, isInterrupted)
      state = now
    } catch {
      removeAll()
      throw error
    }
    isTooLarge = texts.count > Self.byteLimit
    if isTooLarge { removeAll() }
    return !isTooLarge
  }

  /// The bytes of texts that are processed between two checks for an interrupt.
  private static let bytesBetweenPolls = 1 << 18

  private func removeAll() {
    state = SearchLog.State()
    replace(cards: [], ends: [], texts: [])
  }

  private func read(_ db: Database, _ condition: String, _ card: Int64, _ isInterrupted: () -> Bool) throws {
    let sql = "SELECT id, prompt, answer, tags FROM card_rows \(condition)"
    var polledAt = texts.count
    try db.forEachRow(sql, while: { texts.count <= Self.byteLimit }, [card]) { row in
      let card = row.integer(0)
      // Also a card above `state.lastCard`, which another process has added since, or which got another id.
      if card <= highest, let old = self.row(of: card) { stale.insert(old) }
      if card <= highest || !unordered.isEmpty {
        unordered[card] = cards.count
      } else {
        orderedCount += 1
      }
      highest = max(highest, card)
      cards.append(card)
      for column: Int32 in 1...3 {
        Folding.fold(row.bytes(column), into: &texts)
        ends.append(UInt32(clamping: texts.count))
        texts.append(0)
      }
      readCount += 1
      if readCount % 256 == 0 || texts.count - polledAt > Self.bytesBetweenPolls {
        polledAt = texts.count
        try Self.stop(if: isInterrupted())
      }
    }
  }

  private static func stop(if isInterrupted: Bool) throws(DeckError) {
    if isInterrupted { throw .interrupted }
  }

  private func row(of card: Int64) -> Int? {
    if let row = unordered[card] { return row }
    let low = (0..<orderedCount).bisected { cards[$0] < card }
    return low < orderedCount && cards[low] == card ? low : nil
  }

  /// Removes stale rows, and sorts the others by the ids of their cards.
  func compact() {
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

  /// Replaces all rows by rows that are sorted by the ids of their cards.
  func replace(cards: [Int64], ends: [UInt32], texts: [UInt8]) {
    (self.cards, self.ends, self.texts) = (cards, ends, texts)
    (stale, unordered, orderedCount, readCount) = ([], [:], cards.count, 0)
    highest = cards.last ?? .min
  }

  // MARK: Searching

  /// Returns the rows that may match a part of a query; nil if texts and tags do not restrict them.
  /// - Parameter isInterrupted: polled before and during each pass over the texts.
  /// - Throws: `interrupted`.
  func rows(of node: CardQuery.Node, _ isInterrupted: () -> Bool) throws -> SearchRowSet? {
    try Self.stop(if: isInterrupted())
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

  /// The cards of the rows, each once.
  func cards(of set: SearchRowSet) -> [Int64] {
    cards.indices.filter { set.holds[$0] && !stale.contains($0) }.map { cards[$0] }
  }

  /// Searches all texts for the longest piece of a pattern, and evaluates the cells that contain it.
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
        while place < texts.count, let hit = memmem(base + place, texts.count - place, piece, piece.count) {
          place = UnsafeRawPointer(hit) - UnsafeRawPointer(base)
          while ends[cell] < place { cell += 1 }
          let start = cell == 0 ? 0 : Int(ends[cell - 1]) + 1
          let end = Int(ends[cell])
          judged += end - start + 64
          if judged > Self.bytesBetweenPolls {
            judged = 0
            try Self.stop(if: isInterrupted())
          }
          let (row, column) = cell.quotientAndRemainder(dividingBy: Self.cellsPerRow)
          if columns.contains(column), matches(UnsafeBufferPointer(rebasing: texts[start..<end])) {
            set.holds[row] = true
            // Other cells of the row cannot change the result.
            cell = row * Self.cellsPerRow + Self.cellsPerRow - 1
          }
          place = Int(ends[cell]) + 1
        }
      }
    }
    return set
  }
}
