// Which words can be formed from given letters. Few letters: the hash of every subset is looked up in the bitmap, then
// in the anagram table. Many letters, and blanks: every word that is not too long is tried. Invariant: each word is
// found once, under the one subset whose hash is that of its letters.

extension Lexicon {
  /// Returns the number of words that can be formed from `letters` (normal form; `?` is a blank).
  public func countFormable(from letters: String, minLength: Int = 2) -> Int {
    var letters = letters
    return letters.withUTF8 { formableOffsets($0, minLength: minLength, sorted: false).count }
  }

  /// Returns the words that can be formed from `letters`, longest first, then by code point.
  public func formableWords(from letters: String, minLength: Int = 2) -> ListedWords {
    var letters = letters
    return ListedWords(lexicon: self, offsets: letters.withUTF8 { formableOffsets($0, minLength: minLength) })
  }

  /// Returns the words that use all of `letters` (normal form; `?` is a blank).
  public func listAnagrams(of letters: String) -> ListedWords {
    var letters = letters
    let offsets = letters.withUTF8 { bytes in
      let bag = LetterBag(bytes, alphabet: compiled.alphabet)
      return bag.isWhole ? FormableSearch(lexicon: self).offsets(bag, minLength: bag.total) : []
    }
    return ListedWords(lexicon: self, offsets: offsets)
  }

  private func formableOffsets(_ letters: UnsafeBufferPointer<UInt8>, minLength: Int, sorted: Bool = true) -> [UInt32] {
    let bag = LetterBag(letters, alphabet: compiled.alphabet)
    return FormableSearch(lexicon: self).offsets(bag, minLength: minLength, sorted: sorted)
  }
}

/// A search of one list for the words that can be formed from some letters.
private struct FormableSearch {
  let lexicon: Lexicon
  /// With more subsets of the letters than this, trying every word is faster.
  private static let subsetLimit = 1 << 14

  /// Returns the offsets of the words; if `sorted`, they ascend, which is the order of the words.
  func offsets(_ bag: LetterBag, minLength: Int, sorted: Bool = true) -> [UInt32] {
    guard bag.total > 0, minLength <= bag.total else { return [] }
    if bag.blanks == 0, let subsets = bag.subsetCount(limit: Self.subsetLimit) {
      var offsets = offsetsBySubsets(bag, subsets: subsets, minLength: minLength)
      if sorted { sortAscending(&offsets) }
      return offsets
    }
    return offsetsByTrying(bag, minLength: minLength)
  }

  /// Looks up all subsets in several passes, each a short loop over all of them, so that memory accesses overlap.
  private func offsetsBySubsets(_ bag: LetterBag, subsets: Int, minLength: Int) -> [UInt32] {
    var offsets = withUnsafeTemporaryAllocation(of: UInt64.self, capacity: subsets) { memory in
      guard let hashes = memory.baseAddress else { return [UInt32]() }
      fillSubsets(of: bag, hashes)
      return lexicon.anagrams.offsets(of: UnsafeMutableBufferPointer(start: hashes, count: keepLikely(hashes, subsets)))
    }
    if minLength > 2 { dropShorter(than: minLength, from: &offsets) }
    return offsets
  }

  private func fillSubsets(of bag: LetterBag, _ hashes: UnsafeMutablePointer<UInt64>) {
    hashes[0] = 0
    var filled = 1
    for code in bag.distinct {
      let value = lexicon.compiled.alphabet.letterHashes[Int(code)]
      let (before, added) = (filled, filled * Int(bag.counts[Int(code)]))
      for index in 0..<added { hashes[before &+ index] = hashes[index] &+ value }
      filled += added
    }
  }

  /// Moves the hashes that the bitmap contains to the front; returns their number.
  private func keepLikely(_ hashes: UnsafeMutablePointer<UInt64>, _ count: Int) -> Int {
    var kept = 0
    for index in 0..<count {
      let hash = hashes[index]
      hashes[kept] = hash
      kept &+= lexicon.anagrams.likelihood(of: hash)
    }
    return kept
  }

  private func dropShorter(than length: Int, from offsets: inout [UInt32]) {
    // Longer words come first: words that are too short begin at the first word of a shorter block.
    guard let block = lexicon.blocks.first(where: { $0.length < length }) else { return }
    let end = lexicon.offset(ofIndex: block.indices.lowerBound)
    offsets.removeAll { $0 >= end }
  }

  private func offsetsByTrying(_ bag: LetterBag, minLength: Int) -> [UInt32] {
    var found: [UInt32] = []
    bag.withCounts { counts in
      withUnsafeTemporaryAllocation(of: UInt16.self, capacity: WordPolicy.maxBytes + 1) { used in
        for block in lexicon.blocks where block.length <= bag.total && block.length >= minLength {
          addFormable(of: block, counts, blanks: bag.blanks, used: used, to: &found)
        }
      }
    }
    return found
  }

  private func addFormable(
    of block: Block, _ counts: UnsafeMutableBufferPointer<UInt8>, blanks: Int,
    used: UnsafeMutableBufferPointer<UInt16>, to found: inout [UInt32]
  ) {
    var offset = lexicon.offset(ofIndex: block.indices.lowerBound)
    for _ in block.indices {
      guard lexicon.compiled.bounds.contains(offset) else { break }
      if canForm(offset, with: counts, blanks: blanks, used: used) { found.append(offset) }
      offset += 1 + UInt32(lexicon.heap[Int(offset)])
    }
  }

  /// Returns whether the word at an offset can be formed from the letters of `counts` and the blanks. `counts` is
  /// unchanged afterwards; `used` is scratch memory for a word's letters.
  @inline(__always) private func canForm(
    _ offset: UInt32, with counts: UnsafeMutableBufferPointer<UInt8>, blanks: Int,
    used: UnsafeMutableBufferPointer<UInt16>
  ) -> Bool {
    var usedCount = 0
    var blanksLeft = blanks
    forEachCode(of: lexicon.bytes(at: offset)) { code in
      let left = counts[Int(code)]
      if left > 0 {
        counts[Int(code)] = left &- 1
        used[usedCount] = code
        usedCount &+= 1
      } else {
        blanksLeft &-= 1
      }
      return blanksLeft >= 0
    }
    for index in 0..<usedCount { counts[Int(used[index])] &+= 1 }
    return blanksLeft >= 0
  }

  /// Calls `body` with the code of each letter until it returns false; a letter without a code is 0.
  @inline(__always) private func forEachCode(of word: UnsafeBufferPointer<UInt8>, _ body: (UInt16) -> Bool) {
    let alphabet = lexicon.compiled.alphabet
    for index in 0..<word.count {
      let byte = word[index]
      guard byte < 0x80, !alphabet.hasMarks else {
        for code in alphabet.codes(of: word[index...]) where !body(code) { return }
        return
      }
      guard body(alphabet.simple[Int(byte)]) else { return }
    }
  }
}

/// Sorts offsets with a radix sort, seven bits at a time, the lowest first; sorts few of them by comparison.
func sortAscending(_ offsets: inout [UInt32]) {
  guard offsets.count > 24, let lowest = offsets.min(), let highest = offsets.max() else { return offsets.sort() }
  withUnsafeTemporaryAllocation(of: UInt32.self, capacity: offsets.count) { spare in
    offsets.withUnsafeMutableBufferPointer { offsets in
      var (from, to) = (offsets, spare)
      var shift: UInt32 = 0
      while shift < 32, (highest - lowest) >> shift > 0 {
        distribute(from, to, lowest, shift)
        swap(&from, &to)
        shift += 7
      }
      if from.baseAddress != offsets.baseAddress { _ = offsets.update(from: from) }
    }
  }
}

/// Copies numbers in the (stable) order of seven bits, from `shift` on, of their difference from `lowest`.
private func distribute(
  _ from: UnsafeMutableBufferPointer<UInt32>, _ to: UnsafeMutableBufferPointer<UInt32>, _ lowest: UInt32,
  _ shift: UInt32
) {
  withUnsafeTemporaryAllocation(of: Int32.self, capacity: 128) { places in
    places.initialize(repeating: 0)
    for value in from { places[Int((value &- lowest) &>> shift & 127)] &+= 1 }
    var next: Int32 = 0
    for digit in 0..<128 {
      let count = places[digit]
      places[digit] = next
      next &+= count
    }
    for value in from {
      let digit = Int((value &- lowest) &>> shift & 127)
      to[Int(places[digit])] = value
      places[digit] &+= 1
    }
  }
}
