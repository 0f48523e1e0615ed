// The two hashes of a compiled list: of a word's bytes (membership) and of a set of letters (anagrams). Invariant: both
// are fixed, because compiled files depend on them: a change needs a new `IndexLayout.version`.

/// Up to 16 bytes as two integers: the first eight bytes and the last eight; if there are fewer than eight, each has
/// the whole text. For two texts of one length, both integers are equal only if the texts are.
struct Lanes: Equatable {
  let first: UInt64
  let last: UInt64

  /// The lanes of an empty text.
  init() { (first, last) = (0, 0) }

  /// Reads `count` bytes, 1...16 of them, and no byte beyond.
  @inline(__always) init(_ bytes: UnsafeRawPointer, _ count: Int) {
    if count >= 8 {
      first = bytes.loadUnaligned(as: UInt64.self)
      last = bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
    } else if count >= 4 {
      let end = UInt64(bytes.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
      first = UInt64(bytes.loadUnaligned(as: UInt32.self)) | end &<< UInt64(truncatingIfNeeded: (count &- 4) &* 8)
      last = first
    } else {
      // One to three bytes: the first, the middle one, the last.
      let (middle, end) = (count >> 1, count &- 1)
      first =
        UInt64(bytes.load(as: UInt8.self))
        | UInt64(bytes.load(fromByteOffset: middle, as: UInt8.self)) &<< UInt64(truncatingIfNeeded: middle &* 8)
        | UInt64(bytes.load(fromByteOffset: end, as: UInt8.self)) &<< UInt64(truncatingIfNeeded: end &* 8)
      last = first
    }
  }

  /// Returns whether the text, of `count` bytes, consists of small ASCII letters only.
  @inline(__always) func areSmallLetters(_ count: Int) -> Bool {
    let spare = UInt64(truncatingIfNeeded: max(0, 8 &- count) &* 8)
    // Bytes beyond the text are replaced with `a`.
    let padding: UInt64 = spare == 0 ? 0 : 0x6161_6161_6161_6161 &<< (64 &- spare)
    return Self.areSmallLetters(first | padding) && Self.areSmallLetters(last | padding)
  }

  /// Returns whether the bytes of the text, `count` of them, are all among the 32 from 0x60 on.
  @inline(__always) func areInOneCase(_ count: Int) -> Bool {
    let spare = UInt64(truncatingIfNeeded: max(0, 8 &- count) &* 8)
    // Bytes beyond the text are replaced with the first of these.
    let padding: UInt64 = spare == 0 ? 0 : 0x6060_6060_6060_6060 &<< (64 &- spare)
    let mask: UInt64 = 0xE0E0_E0E0_E0E0_E0E0
    return (first | padding) & mask == 0x6060_6060_6060_6060 && (last | padding) & mask == 0x6060_6060_6060_6060
  }

  @inline(__always) private static func areSmallLetters(_ eight: UInt64) -> Bool {
    let high: UInt64 = 0x8080_8080_8080_8080
    let atLeastA = eight &+ 0x1F1F_1F1F_1F1F_1F1F
    let beyondZ = eight &+ 0x0505_0505_0505_0505
    return eight & high == 0 && atLeastA & high == high && beyondZ & high == 0
  }
}

/// Compares a text of up to 16 bytes with words in a heap, where the eight bytes before and after a word can be read.
struct LaneMatch {
  private let lanes: Lanes
  private let count: Int
  private let mask: UInt64
  private let shift: UInt64

  @inline(__always) init(_ lanes: Lanes, _ count: Int) {
    (self.lanes, self.count) = (lanes, count)
    let spare = UInt64(truncatingIfNeeded: max(0, 8 &- count) &* 8)
    mask = ~0 &>> spare
    shift = spare
  }

  /// Returns 0 if the entry, a number of bytes and then that many bytes, is the text.
  @inline(__always) func difference(_ entry: UnsafePointer<UInt8>) -> UInt64 {
    let word = UnsafeRawPointer(entry + 1)
    let first = word.loadUnaligned(as: UInt64.self) & mask ^ lanes.first
    let last = (word + (count &- 8)).loadUnaligned(as: UInt64.self) &>> shift ^ lanes.last
    return first | last | UInt64(truncatingIfNeeded: Int(entry[0]) ^ count)
  }
}

enum WordHash {
  private static let first: UInt64 = 0x9E37_79B9_7F4A_7C15
  private static let second: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let third: UInt64 = 0xD6E8_FEB8_6659_FD93

  /// Returns the 128-bit product of two numbers, with its halves combined by XOR.
  @inline(__always) static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }

  /// Returns the hash of `count` bytes (at least 1) and of `count`; up to 16 bytes take one multiplication.
  @inline(__always) static func of(_ bytes: UnsafeRawPointer, _ count: Int) -> UInt64 {
    if count <= 16 { return of(Lanes(bytes, count), count) }
    return ofLong(bytes, count)
  }

  @inline(__always) static func of(_ lanes: Lanes, _ count: Int) -> UInt64 {
    fold(lanes.first ^ first, lanes.last ^ (second &+ UInt64(truncatingIfNeeded: count)))
  }

  private static func ofLong(_ bytes: UnsafeRawPointer, _ count: Int) -> UInt64 {
    var state = first &+ UInt64(truncatingIfNeeded: count)
    var offset = 0
    while offset + 16 <= count {
      let lanes = Lanes(bytes + offset, 16)
      state = fold(lanes.first ^ state, lanes.last ^ second)
      offset += 16
    }
    let end = Lanes(bytes + (count - 16), 16)
    return fold(end.first ^ state, end.last ^ third)
  }

  /// Returns what a letter of this code contributes to the hash of a set of letters, which is the sum over its letters.
  /// Two different sets have the same sum with a probability of 1 in 2^64.
  static func letter(_ code: Int) -> UInt64 {
    let mixed = fold(UInt64(truncatingIfNeeded: code) &* first &+ third, second)
    return fold(mixed ^ first, third ^ mixed) | 1
  }
}
