// The rows that a step inserted into one table.
// Invariant: spans are disjoint and in the order in which the rows were inserted, so a part of the step is rolled back
// by truncating the list; a lookup takes logarithmic or constant time, whatever that order is.

import Text

typealias RowSpan = ClosedRange<Int64>

/// The rows that a step inserted into one table: row ids, or keys for a table without row ids.
struct NewRows {
  private(set) var spans: [RowSpan] = []
  private(set) var keys: [[UInt8]] = []
  private var known: Set<[UInt8]> = []
  /// How many row ids the spans contain.
  private var spanned = 0
  /// Every row id of the spans; set once a row was inserted below an earlier one: the next row id may already be there.
  private(set) var rows: RowBits?

  struct Mark {
    fileprivate let spans: Int
    fileprivate let last: RowSpan?
    fileprivate let keys: Int
    fileprivate let spanned: Int
  }

  var mark: Mark { Mark(spans: spans.count, last: spans.last, keys: keys.count, spanned: spanned) }

  var count: Int { spanned + keys.count }
  var isEmpty: Bool { spans.isEmpty && keys.isEmpty }

  var end: Int64? { spans.last?.upperBound }

  func holds(_ row: Int64) -> Bool {
    guard let last = spans.last else { return false }
    if last.contains(row) { return true }
    if let rows { return rows.contains(row) }
    if row > last.upperBound { return false }
    let low = spans.indices.bisected { spans[$0].upperBound < row }
    return low < spans.count && spans[low].contains(row)
  }

  mutating func extend(to row: Int64) {
    let span = spans[spans.count - 1]
    guard row > span.upperBound else { return }
    rows?.insert(span.upperBound + 1...row)
    spanned += Int(clamping: row - span.upperBound)
    spans[spans.count - 1] = span.lowerBound...row
  }

  mutating func add(_ row: Int64) {
    if let last = spans.last {
      if row == last.upperBound &+ 1, rows?.contains(row) != true { return extend(to: row) }
      if row <= last.upperBound || rows != nil {
        if holds(row) { return }
        if rows == nil { rows = RowBits(spans) }
      }
    }
    rows?.insert(row...row)
    spanned += 1
    spans.append(row...row)
  }

  func holds(key: [UInt8]) -> Bool { known.contains(key) }

  mutating func add(key: [UInt8]) { if known.insert(key).inserted { keys.append(key) } }

  mutating func rewind(to mark: Mark) {
    // If a part was rolled back, the rows may already be before the mark.
    guard spans.count >= mark.spans, keys.count >= mark.keys, spanned >= mark.spanned else { return }
    for span in spans[mark.spans...] { rows?.remove(span) }
    spans.removeLast(spans.count - mark.spans)
    if let last = mark.last, let now = spans.last, now.upperBound > last.upperBound {
      rows?.remove(last.upperBound + 1...now.upperBound)
      spans[spans.count - 1] = last
    }
    spanned = mark.spanned
    for key in keys[mark.keys...] { known.remove(key) }
    keys.removeLast(keys.count - mark.keys)
  }
}

/// A set of row ids as bits, 64 to a word, so that nearby ids share a word.
struct RowBits {
  private var words: [Int64: UInt64] = [:]

  init(_ spans: [RowSpan]) { for span in spans { insert(span) } }

  func contains(_ row: Int64) -> Bool {
    guard let word = words[row >> 6] else { return false }
    return word >> UInt64(row & 63) & 1 != 0
  }

  mutating func insert(_ span: RowSpan) { forEachWord(span) { words, place, bits in words[place, default: 0] |= bits } }

  mutating func remove(_ span: RowSpan) {
    forEachWord(span) { words, place, bits in
      guard let rest = words[place].map({ $0 & ~bits }) else { return }
      words[place] = rest == 0 ? nil : rest
    }
  }

  private mutating func forEachWord(_ span: RowSpan, _ body: (inout [Int64: UInt64], Int64, UInt64) -> Void) {
    for place in (span.lowerBound >> 6)...(span.upperBound >> 6) {
      let first = place == span.lowerBound >> 6 ? UInt64(span.lowerBound & 63) : 0
      let last = place == span.upperBound >> 6 ? UInt64(span.upperBound & 63) : 63
      body(&words, place, UInt64.max >> (63 - last) & (UInt64.max << first))
    }
  }
}
