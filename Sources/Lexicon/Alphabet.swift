// The letters of one list, numbered: the code of a letter is its position in code point order, from 1.
// Invariant: no letter has code 0; a letter is a scalar with the marks that follow it; ς and σ have one code.

import Text

final class Alphabet {
  /// The letters as UTF-8, code 1 first.
  let letters: [[UInt8]]
  /// What each code contributes to the hash of a set of letters; index 0 is unused.
  let letterHashes: [UInt64]
  /// The code of each scalar below U+0800 that is a letter by itself; 0 for other scalars.
  let simple: [UInt16]
  /// The codes of all other letters.
  private let others: [[UInt8]: UInt16]

  /// Whether some letter is a scalar with marks, so that words must be read letter by letter.
  let hasMarks: Bool

  var count: Int { letters.count }
  /// The number of bits of a code.
  var planeCount: Int { Int.bitWidth - letters.count.leadingZeroBitCount }

  init(letters: [[UInt8]]) {
    self.letters = letters
    hasMarks = letters.contains { letter in letter.count { $0 & 0xC0 != 0x80 } > 1 }
    letterHashes = [0] + letters.indices.map { WordHash.letter($0 + 1) }
    var simple = [UInt16](repeating: 0, count: 0x800)
    var others: [[UInt8]: UInt16] = [:]
    for (index, letter) in letters.enumerated() {
      let code = UInt16(truncatingIfNeeded: index + 1)
      guard let value = Self.simpleScalar(letter) else {
        others[letter] = code
        continue
      }
      simple[value] = code
    }
    let sigma = max(simple[0x3C2], simple[0x3C3])
    (simple[0x3C2], simple[0x3C3]) = (sigma, sigma)
    (self.simple, self.others) = (simple, others)
  }

  /// Creates the alphabet of arranged words.
  convenience init(of words: WordCollection) {
    var seen: Set<[UInt8]> = []
    var seenSimple = words.heap.withUnsafeBufferPointer(Self.simpleScalars) ?? []
    if seenSimple.isEmpty {
      seenSimple = [Bool](repeating: false, count: 0x800)
      for entry in words.entries {
        let bytes = words.heap[Int(entry.offset)..<Int(entry.offset) + Int(entry.bytes)]
        forEachLetter(in: bytes) { letter in
          if let value = Self.simpleScalar(letter) { seenSimple[value] = true } else { seen.insert(Array(letter)) }
        }
      }
    }
    for value in 0..<0x800 where seenSimple[value] {
      if let scalar = Unicode.Scalar(UInt32(value)) { seen.insert(Array(String(scalar).utf8)) }
    }
    let sorted = seen.sorted { $0.lexicographicallyPrecedes($1) }
    self.init(letters: Array(sorted.prefix(Int(UInt16.max))))
  }

  /// Returns which scalars below U+0800 occur in consecutive words; nil if a scalar is above that or is a mark.
  private static func simpleScalars(_ heap: UnsafeBufferPointer<UInt8>) -> [Bool]? {
    var seen = [Bool](repeating: false, count: 0x800)
    let isSimple = seen.withUnsafeMutableBufferPointer { seen in
      forEachShortScalar(in: heap) { value in
        seen[value] = true
        return true
      }
    }
    let hasMark = seen.indices.contains { value in seen[value] && Unicode.Scalar(UInt32(value))?.isMark ?? true }
    return isSimple && !hasMark ? seen : nil
  }

  /// Decodes the letters of a compiled list; nil if the bytes are not such a section.
  convenience init?(encoded: UnsafeRawBufferPointer, count: Int) {
    var letters: [[UInt8]] = []
    var index = 0
    while letters.count < count {
      guard index < encoded.count else { return nil }
      let end = index + 1 + Int(encoded[index])
      guard end <= encoded.count, end > index + 1 else { return nil }
      letters.append(Array(encoded[(index + 1)..<end]))
      index = end
    }
    self.init(letters: letters)
  }

  var encoded: [UInt8] { letters.flatMap { [UInt8(truncatingIfNeeded: $0.count)] + $0 } }

  /// Returns the codes of a word's letters; 0 for a letter that no word of the list has.
  func codes(of word: some BidirectionalCollection<UInt8>) -> [UInt16] {
    var codes: [UInt16] = []
    codes.reserveCapacity(word.count)
    forEachLetter(in: word) { codes.append(code(of: $0)) }
    return codes
  }

  /// Writes the codes of a word's letters into memory with room for one code per byte; returns their number.
  func read(_ word: UnsafeBufferPointer<UInt8>, into codes: UnsafeMutableBufferPointer<UInt16>) -> Int {
    guard !hasMarks else { return readWhole(word, into: codes) }
    return simple.withUnsafeBufferPointer { simple in
      var count = 0
      let isRead = forEachShortScalar(in: word) { value in
        codes[count] = simple[value]
        count += 1
        return true
      }
      return isRead ? count : readWhole(word, into: codes)
    }
  }

  private func readWhole(_ word: UnsafeBufferPointer<UInt8>, into target: UnsafeMutableBufferPointer<UInt16>) -> Int {
    let found = codes(of: word)
    for (index, code) in found.enumerated() { target[index] = code }
    return found.count
  }

  func code(of letter: some BidirectionalCollection<UInt8>) -> UInt16 {
    if let value = Self.simpleScalar(letter) { return simple[value] }
    return others[Array(letter)] ?? 0
  }

  /// Returns the value of a letter that is one scalar below U+0800.
  private static func simpleScalar(_ letter: some BidirectionalCollection<UInt8>) -> Int? {
    guard let first = letter.first else { return nil }
    if letter.count == 1 { return first < 0x80 ? Int(first) : nil }
    guard letter.count == 2, first >= 0xC2, first < 0xE0, let second = letter.last else { return nil }
    return Int(first & 0x1F) << 6 | Int(second & 0x3F)
  }
}

/// Calls `body` with the value of each scalar of a text, until it returns false.
/// - Returns: false if it did, or at a scalar above U+07FF or what is not UTF-8.
@inline(__always) func forEachShortScalar(in text: UnsafeBufferPointer<UInt8>, _ body: (Int) -> Bool) -> Bool {
  var index = 0
  while index < text.count {
    var value = Int(text[index])
    index += 1
    if value >= 0x80 {
      guard value >= 0xC2, value < 0xE0, index < text.count, text[index] & 0xC0 == 0x80 else { return false }
      value = (value & 0x1F) << 6 | Int(text[index] & 0x3F)
      index += 1
    }
    if !body(value) { return false }
  }
  return true
}

/// Calls `body` with the bytes of each letter of a UTF-8 word: a scalar with the marks that follow it.
func forEachLetter<Bytes: BidirectionalCollection<UInt8>>(in word: Bytes, _ body: (Bytes.SubSequence) -> Void) {
  var start = word.startIndex
  var index = start
  while index != word.endIndex {
    var next = word.index(after: index)
    while next != word.endIndex, word[next] & 0xC0 == 0x80 { next = word.index(after: next) }
    if index != start, !isMark(word[index..<next]) {
      body(word[start..<index])
      start = index
    }
    index = next
  }
  if start != word.endIndex { body(word[start...]) }
}

private func isMark(_ scalar: some BidirectionalCollection<UInt8>) -> Bool {
  guard let first = scalar.first, first >= 0xCC else { return false }
  return String(decoding: scalar, as: UTF8.self).unicodeScalars.first?.isMark ?? false
}
