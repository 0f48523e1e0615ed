// Which hashes a table may hold, so that most that are new need not be looked for.
// Invariant: what was inserted is always possible; memory is a megabyte, whatever is inserted.

import GRDB

/// A filter of Bloom's with two bits for each hash. Source: B. H. Bloom, "Space/time trade-offs in hash coding with
/// allowable errors", Communications of the ACM 13 (1970). Beside a million hashes it takes one in twenty for possible
/// that is new.
///
///     var filter = try HashFilter(db, "SELECT content FROM cards") { UInt64(bitPattern: $0.integer(0)) }
struct HashFilter {
  private static let bits: UInt64 = 23
  /// Of more rows none is made: reading them takes longer than what it spares.
  private static let mostRows = 10_000
  private var words: [UInt64] = Array(repeating: 0, count: 1 << (HashFilter.bits - 6))

  /// - Parameters:
  ///   - query: whose rows are inserted.
  ///   - hash: of a row.
  /// - Returns: nil where there are many rows.
  init?(
    _ db: Database, _ query: String, _ arguments: StatementArguments = [], _ hash: (Columns) throws -> UInt64
  ) throws {
    var count = 0
    try db.forEachRow(query + " LIMIT \(HashFilter.mostRows + 1)", arguments) {
      insert(try hash($0))
      count += 1
    }
    if count > HashFilter.mostRows { return nil }
  }

  private func places(_ hash: UInt64) -> (UInt64, UInt64) {
    // The multiplier of Fibonacci hashing: D. Knuth, The Art of Computer Programming, volume 3, section 6.4.
    let mixed = hash &* 0x9E37_79B9_7F4A_7C15
    return (mixed >> (64 - HashFilter.bits), mixed >> (64 - 2 * HashFilter.bits) & (1 << HashFilter.bits - 1))
  }

  mutating func insert(_ hash: UInt64) {
    let (first, second) = places(hash)
    words[Int(first >> 6)] |= 1 << (first & 63)
    words[Int(second >> 6)] |= 1 << (second & 63)
  }

  func mayHold(_ hash: UInt64) -> Bool {
    let (first, second) = places(hash)
    return words[Int(first >> 6)] >> (first & 63) & 1 == 1 && words[Int(second >> 6)] >> (second & 63) & 1 == 1
  }
}
