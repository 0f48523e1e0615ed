// Finds the entries of a dictionary by their headwords.
// Invariant: headwords that differ only in capitals (and accents, if those are folded) have the same key; entries with
// one key are in the order of the file; a headword that is too long is passed over.

import Text

/// Offsets of entries, sorted by a hash of their key.
struct HeadwordTable {
  private var entries: [(hash: UInt32, offset: UInt32)] = []
  private let form: HeadwordForm

  /// - Parameter offsets: where each record begins, below 2^32.
  init(_ offsets: [UInt32], _ form: HeadwordForm, headword: (Int) throws -> ArraySlice<UInt8>) rethrows {
    self.form = form
    entries.reserveCapacity(offsets.count)
    for offset in offsets {
      let word = try headword(Int(offset))
      if word.count <= DictionaryIndexWriter.longestHeadword { entries.append((form.hash(word), offset)) }
    }
    entries.sort { ($0.hash, $0.offset) < ($1.hash, $1.offset) }
  }

  /// Returns the offsets of the entries whose headwords have the same key as the word.
  func offsets(of word: ArraySlice<UInt8>, headword: (Int) -> ArraySlice<UInt8>) -> [Int] {
    let (key, hash) = (form.key(word), form.hash(word))
    let start = entries.indices.bisected { entries[$0].hash < hash }
    return entries[start...].prefix { $0.hash == hash }.map { Int($0.offset) }.filter { form.key(headword($0)) == key }
  }
}

struct HeadwordForm: Hashable {
  let language: Language
  let foldsAccents: Bool
  /// Whether words that differ in capitals are different.
  var keepsCapitals = false

  func key(_ word: ArraySlice<UInt8>) -> [UInt8] {
    if keepsCapitals { return Array(String(decoding: word, as: UTF8.self).composed.utf8) }
    var key: [UInt8] = []
    let isPlain = word.withUnsafeBufferPointer { bytes in
      withNormalizedPlain(bytes, language.letterCase) { key = Array($0) }
    }
    if isPlain { return key }
    return Array(normalize(String(decoding: word, as: UTF8.self), language: language, foldAccents: foldsAccents).utf8)
  }

  func hash(_ word: ArraySlice<UInt8>) -> UInt32 {
    UInt32(truncatingIfNeeded: key(word).withUnsafeBytes { damageDigest($0, seed: 0) })
  }
}
