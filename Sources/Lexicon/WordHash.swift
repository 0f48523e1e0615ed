// The two hashes of a compiled list: of a word's bytes (membership) and of a set of letters (anagrams).
// Invariant: both are fixed, since compiled files hold tables that were made with them; a change asks for a new `ImageLayout.version`.

enum WordHash {
  private static let first: UInt64 = 0x9E37_79B9_7F4A_7C15
  private static let second: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let third: UInt64 = 0xD6E8_FEB8_6659_FD93

  /// The 128-bit product of two numbers, its halves folded into one.
  @inline(__always)
  static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }

  @inline(__always)
  private static func eight(_ bytes: UnsafeRawPointer, _ offset: Int) -> UInt64 {
    bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
  }

  /// The hash of `count` bytes. Up to 16 bytes are one multiplication; every byte counts, and so does the number of them.
  @inline(__always)
  static func of(_ bytes: UnsafeRawPointer, _ count: Int) -> UInt64 {
    if count >= 8 {
      if count <= 16 {
        return fold(eight(bytes, 0) ^ first, eight(bytes, count - 8) ^ second &+ UInt64(truncatingIfNeeded: count))
      }
      return ofLong(bytes, count)
    }
    var low: UInt64 = 0
    var high: UInt64 = 0
    if count >= 4 {
      low = UInt64(bytes.loadUnaligned(fromByteOffset: 0, as: UInt32.self))
      high = UInt64(bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
    } else if count > 0 {
      low = UInt64(bytes.load(as: UInt8.self)) << 8 | UInt64(bytes.load(fromByteOffset: count - 1, as: UInt8.self))
      high = UInt64(bytes.load(fromByteOffset: count >> 1, as: UInt8.self))
    }
    return fold((high << 32 | low) ^ first, second &+ UInt64(truncatingIfNeeded: count))
  }

  private static func ofLong(_ bytes: UnsafeRawPointer, _ count: Int) -> UInt64 {
    var state = first &+ UInt64(truncatingIfNeeded: count)
    var offset = 0
    while offset + 16 <= count {
      state = fold(eight(bytes, offset) ^ state, eight(bytes, offset + 8) ^ second)
      offset += 16
    }
    return fold(eight(bytes, count - 16) ^ state, eight(bytes, count - 8) ^ third)
  }

  /// What a letter of this code adds to the hash of a set of letters, which is the sum over its letters.
  static func letter(_ code: Int) -> UInt64 {
    let mixed = fold(UInt64(truncatingIfNeeded: code) &* first &+ third, second)
    return fold(mixed ^ first, third ^ mixed) | 1
  }
}
