// The rows of a table that a step has touched, for comparison with those of another step.
// Invariant: spans are sorted and disjoint, so two steps are compared in one pass over both.

import Text

struct TouchedRows {
  private var spans: [RowSpan] = []
  private var keys: Set<[UInt8]> = []

  /// Returns the touched rows by the name of the table.
  /// - Parameter known: the tables as they are now.
  static func all(of step: UndoneRows, _ known: [UndoTable]) throws -> [String: TouchedRows] {
    var found = step.tables.map { TouchedRows(spans: $0.spans, keys: Set($0.keys.map { Array(step.head[$0]) })) }
    let keyed = step.tables.map { table in known.first { $0.name == table.name && $0.isKeyed } }
    try step.forEachChunk { raw, events in
      for event in events {
        if let table = keyed[event.table] {
          found[event.table].keys.insert(try table.key(of: event, raw))
        } else {
          found[event.table].add(event.row)
        }
      }
    }
    for index in found.indices { found[index].order() }
    return Dictionary(firstOf: zip(step.tables.map(\.name), found))
  }

  private mutating func add(_ row: Int64) {
    if let last = spans.last {
      if last.holds(row) { return }
      if row == last.high &+ 1 { return spans[spans.count - 1].high = row }
      if row == last.low &- 1 { return spans[spans.count - 1].low = row }
    }
    spans.append(RowSpan(low: row, high: row))
  }

  private mutating func order() {
    spans.sort { $0.low < $1.low }
    var merged: [RowSpan] = []
    for span in spans {
      if let last = merged.last, span.low <= last.high {
        merged[merged.count - 1].high = max(last.high, span.high)
      } else {
        merged.append(span)
      }
    }
    spans = merged
  }

  func meets(_ other: TouchedRows) -> Bool {
    if !keys.isDisjoint(with: other.keys) { return true }
    var (mine, theirs) = (0, 0)
    while mine < spans.count, theirs < other.spans.count {
      let (a, b) = (spans[mine], other.spans[theirs])
      if a.low <= b.high, b.low <= a.high { return true }
      if a.high < b.high { mine += 1 } else { theirs += 1 }
    }
    return false
  }
}
