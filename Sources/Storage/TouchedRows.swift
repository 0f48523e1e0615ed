// The rows of a table that a step has touched, for comparison with those of another step.
// Invariant: spans are sorted and disjoint, so two steps are compared in one pass over both.

import Text

struct TouchedRows {
  private var spans: [RowSpan]
  private var keys: Set<[UInt8]>

  static func all(of step: UndoneRows) throws -> [String: TouchedRows] {
    var found = step.tables.map { TouchedRows(spans: $0.spans, keys: Set($0.keys)) }
    try step.forEachChunk { events in
      for event in events {
        if let table = step.tables[event.table].known, table.isKeyed {
          found[event.table].keys.insert(try table.key(of: event))
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
      if last.contains(row) { return }
      if row == last.upperBound &+ 1 { return spans[spans.count - 1] = last.lowerBound...row }
      if row == last.lowerBound &- 1 { return spans[spans.count - 1] = row...last.upperBound }
    }
    spans.append(row...row)
  }

  private mutating func order() {
    spans.sort { $0.lowerBound < $1.lowerBound }
    var merged: [RowSpan] = []
    for span in spans {
      if let last = merged.last, span.lowerBound <= last.upperBound {
        merged[merged.count - 1] = last.lowerBound...max(last.upperBound, span.upperBound)
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
      if spans[mine].overlaps(other.spans[theirs]) { return true }
      if spans[mine].upperBound < other.spans[theirs].upperBound { mine += 1 } else { theirs += 1 }
    }
    return false
  }
}
