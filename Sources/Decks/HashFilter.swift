// Which hashes a table may hold, so that most that are new need not be looked for.
// Invariant: what was inserted is always possible; memory is a megabyte, whatever is inserted.

import Storage

/// A filter of Bloom's with three bits for each hash, all in one word, so that it costs one access to memory. Sources:
/// B. H. Bloom, "Space/time trade-offs in hash coding with allowable errors", Communications of the ACM 13 (1970);
/// F. Putze, P. Sanders, J. Singler, "Cache-, hash- and space-efficient Bloom filters", ACM JEA 14 (2009). Beside a
/// million hashes it takes one in thirty for possible that is new.
///
///     var filter = try HashFilter(db, "SELECT content FROM cards") { UInt64(bitPattern: $0.integer(0)) }
struct HashFilter {
  private static let wordBits: UInt64 = 17
  /// Of more rows none is made: reading them takes longer than what it spares.
  private static let mostRows = 10_000
  private var words: [UInt64] = Array(repeating: 0, count: 1 << Int(HashFilter.wordBits))

  /// - Parameters:
  ///   - query: whose rows are inserted.
  ///   - hash: of a row.
  /// - Returns: nil where there are many rows.
  init?(
    _ db: Database, _ query: String, _ arguments: StatementArguments = [], _ hash: (Row) throws -> UInt64
  ) throws {
    var count = 0
    try db.forEachRow(query + " LIMIT \(HashFilter.mostRows + 1)", arguments) {
      insert(try hash($0))
      count += 1
    }
    if count > HashFilter.mostRows { return nil }
  }

  private func place(_ hash: UInt64) -> (word: Int, bits: UInt64) {
    // The multiplier of Fibonacci hashing: D. Knuth, The Art of Computer Programming, volume 3, section 6.4.
    let mixed = hash &* 0x9E37_79B9_7F4A_7C15
    let rest = mixed >> (64 - HashFilter.wordBits - 18)
    let bits = 1 << (rest & 63) | 1 << (rest >> 6 & 63) | 1 << (rest >> 12 & 63) as UInt64
    return (Int(mixed >> (64 - HashFilter.wordBits)), bits)
  }

  mutating func insert(_ hash: UInt64) {
    let (word, bits) = place(hash)
    words[word] |= bits
  }

  func mayHold(_ hash: UInt64) -> Bool {
    let (word, bits) = place(hash)
    return words[word] & bits == bits
  }
}
