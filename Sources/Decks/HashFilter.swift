// A set of hashes that a table may contain, which makes most lookups of new ones unnecessary.
// Invariant: `mayHold` is true for everything that was inserted; memory is one megabyte, whatever is inserted.

import Storage

/// A Bloom filter with three bits per hash, all in one word, so that a lookup reads memory once. Sources: B. H.
/// Bloom, "Space/time trade-offs in hash coding with allowable errors", Communications of the ACM 13 (1970); F.
/// Putze, P. Sanders, J. Singler, "Cache-, hash- and space-efficient Bloom filters", ACM JEA 14 (2009). With a
/// million hashes, one in thirty new ones is a false positive.
///
///     var filter = try HashFilter(db, "SELECT content FROM cards") { UInt64(bitPattern: $0.integer(0)) }
struct HashFilter {
  private static let wordBits: UInt64 = 17
  /// With more rows than this no filter is made: reading them takes longer than it saves.
  private static let rowLimit = 10_000
  private var words: [UInt64] = Array(repeating: 0, count: 1 << Int(HashFilter.wordBits))

  /// - Parameters:
  ///   - query: the rows to insert.
  ///   - hash: returns the hash of a row.
  /// - Returns: nil if there are too many rows.
  init?(_ db: Database, _ query: String, _ arguments: StatementArguments = [], _ hash: (Row) throws -> UInt64) throws {
    var count = 0
    try db.forEachRow(query + " LIMIT \(HashFilter.rowLimit + 1)", arguments) {
      insert(try hash($0))
      count += 1
    }
    if count > HashFilter.rowLimit { return nil }
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
