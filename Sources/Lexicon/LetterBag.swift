// The letters that a user may form words from, as codes of a list's alphabet with their counts.
// Invariant: `counts` has an element for every code of the alphabet; code 0 (no letter of the list) is never counted.

struct LetterBag {
  private(set) var counts: [UInt8]
  /// The codes that occur.
  private(set) var distinct: [UInt16] = []
  /// The number of blanks, `?`, each of which stands for any letter.
  private(set) var blanks = 0
  /// The number of letters of the list and of blanks together: no word is longer.
  private(set) var total = 0
  /// Whether every letter is in the list's alphabet.
  private(set) var isWhole = true

  init(_ letters: UnsafeBufferPointer<UInt8>, alphabet: Alphabet) {
    counts = [UInt8](repeating: 0, count: alphabet.count + 1)
    distinct.reserveCapacity(16)
    if letters.allSatisfy({ $0 < 0x80 }) {
      for byte in letters { add(alphabet.simple[Int(byte)], isBlank: byte == UInt8(ascii: "?")) }
    } else {
      forEachLetter(in: letters) { letter in
        add(alphabet.code(of: letter), isBlank: letter.count == 1 && letter.first == UInt8(ascii: "?"))
      }
    }
  }

  private mutating func add(_ code: UInt16, isBlank: Bool) {
    guard isBlank || code != 0 else { return isWhole = false }
    total += 1
    if isBlank { return blanks += 1 }
    if counts[Int(code)] == 0 { distinct.append(code) }
    // No word has more than 64 letters, so a higher count makes no difference.
    if counts[Int(code)] < UInt8(WordPolicy.lengths.upperBound) { counts[Int(code)] += 1 }
  }

  /// Returns the number of different sets of letters that can be taken, or nil if it exceeds `limit`.
  func subsetCount(limit: Int) -> Int? {
    var product = 1
    for code in distinct {
      product *= Int(counts[Int(code)]) + 1
      if product > limit { return nil }
    }
    return product
  }

  /// Calls `body` with a copy of the counts, by code, which it may change.
  func withCounts(_ body: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: counts.count) { copy in
      _ = copy.initialize(from: counts)
      body(copy)
    }
  }
}
