// The layout of a compiled list: a header of fixed fields, then sections, all little-endian, each section on a multiple
// of 64. Invariant: a reader trusts nothing but the bounds that it has checked itself; see `CompiledIndex`.
//
//     heap      8 zeros, then for each word its number of bytes and its bytes: longest words first, then by code point;
//               `guardBytes` zeros at the end. A word is identified by its offset in the heap, so sorting offsets sorts
//               words.
//     table     open addressing by `WordHash.of`, in lines of 16 slots that fill from their first on: a slot is 0, or
//               the low bits of the hash above the offset of the word.
//     anagrams  the words again, by the sum of `WordHash.letter` over their letters: 64 bits for each, bucket after
//               bucket; 4 zeros at the end.
//     buckets   the first slot in `anagrams` of each bucket; one more for the end of the last.
//     bitmap    one bit for each value of the low bits of such a sum, set if some word has it: checked before the
//               buckets.
//     samples   the offset of every 16th word.
//     blocks    for each length in letters, 0...64: index of its first word, number of words, start of its planes.
//     planes    for each length, each position, each bit of a letter's code: one bit for each word, in 64-bit integers.
//     letters   the letters of the list in code point order, each preceded by its number of bytes; codes count from 1.
//     name      the language, for a user who looks into the file.

enum IndexLayout {
  static let magic: UInt64 = 0x0A1A_5845_4C4B_4344  // "DCKLEX", then two bytes that a text transfer would spoil
  /// Increases when sections, hashes, codes of letters or the normal form change, so that lists are compiled again.
  static let version: UInt32 = 4
  static let headerBytes = 512
  /// More than the longest word: reads after a checked offset stay inside the heap.
  static let guardBytes = 264
  /// Zeros before the first word, so that the eight bytes before the end of any word can be read.
  static let headBytes = 8
  static let sampleStep = 16
  static let blockFields = 3
  static let blockCount = WordPolicy.lengths.upperBound + 1

  enum Field: Int {
    case magic = 0, version = 8, policy = 12, totalBytes = 16, checksum = 24
    case sourceBytes = 32, sourceTime = 40, sourceHash = 48
    case wordCount = 56, letterCount = 60, offsetBits = 64, bitmapBits = 68, planeCount = 72
    case dropCounts = 96
    case sections = 192
  }

  enum Section: Int, CaseIterable {
    case heap, table, anagrams, buckets, bitmap, samples, blocks, planes, letters, name
  }

  static func aligned(_ size: Int) -> Int { (size + 63) & ~63 }
}
