// Finds the entries of a dictionary by their headwords.
// Invariant: headwords that differ only in capitals (and accents, if those are folded) have the same key; entries with
// one key are in the order of the file; a headword that is too long is passed over.

import Text

/// Offsets of entries by a hash of their key, with open addressing.
struct HeadwordTable {
  private var slots: [UInt32]
  private let mask: Int
  private let form: HeadwordForm

  /// - Parameter offsets: where each record begins, below 2^31.
  init(_ offsets: [UInt32], _ form: HeadwordForm, headword: (Int) throws -> ArraySlice<UInt8>) rethrows {
    var size = 16
    while size < offsets.count * 2 { size *= 2 }
    slots = [UInt32](repeating: .max, count: size)
    mask = size - 1
    self.form = form
    // Inserts in the order of hashes, so that each entry of a headword starts its search for a free slot at the
    // previous one.
    var keys: [(hash: Int, offset: UInt32)] = []
    keys.reserveCapacity(offsets.count)
    for offset in offsets {
      let word = try headword(Int(offset))
      if word.count <= DictionaryIndexWriter.longestHeadword { keys.append((form.hash(word), offset)) }
    }
    keys.sort { ($0.hash, $0.offset) < ($1.hash, $1.offset) }
    var (last, slot) = (-1, 0)
    for (hash, offset) in keys {
      if hash != last { (last, slot) = (hash, hash & mask) }
      while slots[slot] != .max { slot = (slot + 1) & mask }
      slots[slot] = offset
    }
  }

  /// Returns the offsets of the entries whose headwords have the same key as the word.
  func offsets(of word: ArraySlice<UInt8>, headword: (Int) -> ArraySlice<UInt8>) -> [Int] {
    let key = form.key(word)
    var slot = form.hash(word) & mask
    var found: [Int] = []
    while slots[slot] != .max {
      let offset = Int(slots[slot])
      if form.key(headword(offset)) == key { found.append(offset) }
      slot = (slot + 1) & mask
    }
    return found.sorted()
  }
}

/// The form in which headwords are compared.
struct HeadwordForm: Hashable {
  let language: Language
  let foldsAccents: Bool

  func key(_ word: ArraySlice<UInt8>) -> [UInt8] {
    var key: [UInt8] = []
    let isPlain = word.withUnsafeBufferPointer { bytes in
      withNormalizedPlain(bytes, language.letterCase) { key = Array($0) }
    }
    if isPlain { return key }
    return Array(normalize(String(decoding: word, as: UTF8.self), language: language, foldAccents: foldsAccents).utf8)
  }

  func hash(_ word: ArraySlice<UInt8>) -> Int {
    let value = key(word).withUnsafeBytes { damageDigest($0, seed: 0) }
    return Int(truncatingIfNeeded: value & 0x7FFF_FFFF)
  }
}
