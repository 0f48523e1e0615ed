// The letters a person may lay words with, as codes of a list's alphabet with how often each is there.
// Invariant: `counts` has a place for every code of the alphabet; code 0 (no letter of the list) is never counted.

struct LetterBag {
  /// How often each code is there, by code; index 0 is 0.
  private(set) var counts: [UInt8]
  /// The codes that are there, ascending.
  private(set) var distinct: [UInt16] = []
  /// The blanks, `?`, each standing for any letter.
  private(set) var blanks = 0
  /// Letters of the list and blanks together: no word is longer.
  private(set) var total = 0
  /// Whether every letter is one of the list's.
  private(set) var isWhole = true

  init(_ letters: UnsafeBufferPointer<UInt8>, alphabet: Alphabet) {
    counts = [UInt8](repeating: 0, count: alphabet.count + 1)
    var found: [UInt16] = []
    forEachLetter(in: letters) { letter in
      if letter.count == 1, letter.first == UInt8(ascii: "?") {
        blanks += 1
      } else {
        found.append(alphabet.code(of: letter))
      }
    }
    for code in found {
      guard code != 0 else {
        isWhole = false
        continue
      }
      if counts[Int(code)] == 0 { distinct.append(code) }
      // No word has more than 64 letters, so a higher count says nothing more.
      if counts[Int(code)] < UInt8(WordPolicy.lengths.upperBound) { counts[Int(code)] += 1 }
      total += 1
    }
    total += blanks
    distinct.sort()
  }

  /// The number of different sets of letters that can be taken, or nil beyond `limit`.
  func subsetCount(limit: Int) -> Int? {
    var product = 1
    for code in distinct {
      product *= Int(counts[Int(code)]) + 1
      if product > limit { return nil }
    }
    return product
  }
}
