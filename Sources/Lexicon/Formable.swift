// Which words can be laid with given letters. Small sets of letters: the hash of every subset is looked up in the bitmap, then
// in the table of anagrams. Long ones, and blanks: every word that is not too long is tried.
// Invariant: a word is found once, and only after its letters were counted against the given ones.

extension Lexicon {
  /// Beyond so many subsets of the letters, trying every word is faster.
  private static let subsetLimit = 1 << 14

  /// The words that can be laid with `letters` (normal form; `?` is a blank), longest first, then by code point.
  public func formable(from letters: String, minLength: Int = 2, maxResults: Int = .max) -> [String] {
    var words: [String] = []
    forEachFormable(from: letters, minLength: minLength) { bytes in
      guard words.count < maxResults else { return false }
      words.append(String(decoding: bytes, as: UTF8.self))
      return true
    }
    return words
  }

  /// The number of words that can be laid with `letters`.
  public func countFormable(from letters: String, minLength: Int = 2) -> Int {
    var letters = letters
    return letters.withUTF8 { formableOffsets($0, minLength: minLength).count }
  }

  /// Calls `body` with the UTF-8 of each word that can be laid with `letters`, in order, until it answers false.
  public func forEachFormable(
    from letters: String, minLength: Int = 2, _ body: (UnsafeBufferPointer<UInt8>) throws -> Bool
  ) rethrows {
    var letters = letters
    let offsets = letters.withUTF8 { formableOffsets($0, minLength: minLength) }
    for offset in offsets where try !body(bytes(at: offset)) { return }
  }

  /// The words that use all of `letters` (normal form; `?` is a blank).
  public func anagrams(of letters: String) -> [String] {
    var letters = letters
    let offsets = letters.withUTF8 { bytes in
      let bag = LetterBag(bytes, alphabet: image.alphabet)
      return bag.isWhole ? formableOffsets(bag, minLength: bag.total) : []
    }
    return offsets.map(word(at:))
  }

  private func formableOffsets(_ letters: UnsafeBufferPointer<UInt8>, minLength: Int) -> [UInt32] {
    formableOffsets(LetterBag(letters, alphabet: image.alphabet), minLength: minLength)
  }

  /// The offsets of the words, ascending, which is their order.
  private func formableOffsets(_ bag: LetterBag, minLength: Int) -> [UInt32] {
    guard bag.total > 0, minLength <= bag.total else { return [] }
    if bag.blanks == 0, let subsets = bag.subsetCount(limit: Self.subsetLimit) {
      return offsetsBySubsets(bag, subsets: subsets, minLength: minLength)
    }
    return offsetsByTrying(bag, minLength: minLength)
  }

  private func offsetsBySubsets(_ bag: LetterBag, subsets: Int, minLength: Int) -> [UInt32] {
    var found: [UInt32] = []
    var counts = bag.counts
    let mask = (1 as UInt64) << image.bitmapBits - 1
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: subsets) { hashes in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: subsets) { sizes in
        fillSubsets(of: bag, hashes, sizes)
        for index in 0..<subsets where Int(sizes[index]) >= minLength {
          let hash = hashes[index]
          let bit = hash & mask
          guard bitmap[Int(truncatingIfNeeded: bit >> 6)] >> (bit & 63) & 1 == 1 else { continue }
          anagrams.probe(hash) { offset in
            let fit = fit(of: offset, in: &counts, blanks: 0)
            if fit.isFormable, fit.hash == hash { found.append(offset) }
            return false
          }
        }
      }
    }
    found.sort()
    return found
  }

  /// The hash and the number of letters of every subset.
  private func fillSubsets(
    of bag: LetterBag, _ hashes: UnsafeMutableBufferPointer<UInt64>, _ sizes: UnsafeMutableBufferPointer<UInt8>
  ) {
    hashes[0] = 0
    sizes[0] = 0
    var filled = 1
    for code in bag.distinct {
      let value = image.alphabet.letterHashes[Int(code)]
      let before = filled
      for _ in 0..<bag.counts[Int(code)] {
        for _ in 0..<before {
          hashes[filled] = hashes[filled - before] &+ value
          sizes[filled] = sizes[filled - before] + 1
          filled += 1
        }
      }
    }
  }

  private func offsetsByTrying(_ bag: LetterBag, minLength: Int) -> [UInt32] {
    var found: [UInt32] = []
    var counts = bag.counts
    for block in blocks where block.length <= bag.total && block.length >= minLength {
      var offset = offset(ofIndex: block.indices.lowerBound)
      for _ in block.indices {
        guard offset < image.heapBytes else { break }
        if fit(of: offset, in: &counts, blanks: bag.blanks).isFormable { found.append(offset) }
        offset += 1 + UInt32(heap[Int(offset)])
      }
    }
    return found
  }

  /// Whether the word at an offset can be laid with the letters of `counts`, and the hash of its letters as far as they
  /// were looked at. `counts` is as before afterwards.
  private func fit(of offset: UInt32, in counts: inout [UInt8], blanks: Int) -> (isFormable: Bool, hash: UInt64) {
    let word = bytes(at: offset)
    let alphabet = image.alphabet
    return withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 256) { codes in
      var used = 0
      var blanksLeft = blanks
      var hash: UInt64 = 0
      var isFormable = true
      forEachCode(of: word, alphabet) { code in
        hash &+= alphabet.letterHashes[Int(code)]
        if code != 0, counts[Int(code)] > 0 {
          counts[Int(code)] -= 1
          codes[used] = code
          used += 1
        } else if blanksLeft > 0 {
          blanksLeft -= 1
        } else {
          isFormable = false
        }
        return isFormable
      }
      for code in codes[0..<used] { counts[Int(code)] += 1 }
      return (isFormable, hash)
    }
  }

  /// Calls `body` with the code of each letter until it answers false.
  @inline(__always)
  private func forEachCode(
    of word: UnsafeBufferPointer<UInt8>, _ alphabet: Alphabet, _ body: (UInt16) -> Bool
  ) {
    var index = 0
    while index < word.count {
      let byte = word[index]
      guard byte < 0x80 else {
        for code in alphabet.codes(of: word[index...]) where !body(code) { return }
        return
      }
      guard body(alphabet.simple[Int(byte)]) else { return }
      index += 1
    }
  }
}
