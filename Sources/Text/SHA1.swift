// SHA-1 (FIPS 180-4), by which Anki names media files and finds equal notes. It is not used for security.

/// Returns the 20 bytes of SHA-1.
///
///     hexadecimal(Array("abc".utf8).withUnsafeBytes(sha1))   // a9993e364706816aba3e25717850c26c9cd0d89d
public func sha1(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
  var state = SHA1()
  let whole = bytes.count & ~63
  for block in stride(from: 0, to: whole, by: 64) { state.mix(bytes, at: block) }
  // The last blocks: what is left, a one bit, zeros, and the length in bits.
  withUnsafeTemporaryAllocation(byteCount: 128, alignment: 8) { rest in
    let end = bytes.count - whole < 56 ? 64 : 128
    rest.initializeMemory(as: UInt8.self, repeating: 0)
    rest.copyBytes(from: bytes[whole...])
    rest[bytes.count - whole] = 0x80
    rest.storeBytes(of: UInt64(bytes.count * 8).bigEndian, toByteOffset: end - 8, as: UInt64.self)
    for block in stride(from: 0, to: end, by: 64) { state.mix(UnsafeRawBufferPointer(rest), at: block) }
  }
  let (a, b, c, d, e) = state.words
  return withUnsafeBytes(of: (a.bigEndian, b.bigEndian, c.bigEndian, d.bigEndian, e.bigEndian), Array.init)
}

private struct SHA1 {
  private(set) var words: (UInt32, UInt32, UInt32, UInt32, UInt32) = (
    0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0
  )

  /// Takes a block of 64 bytes.
  mutating func mix(_ bytes: UnsafeRawBufferPointer, at start: Int) {
    var (a, b, c, d, e) = words
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 80) { schedule in
      for step in 0..<16 {
        schedule[step] = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: start + 4 * step, as: UInt32.self))
      }
      for step in 16..<80 {
        schedule[step] = rotated(
          schedule[step - 3] ^ schedule[step - 8] ^ schedule[step - 14] ^ schedule[step - 16], by: 1)
      }
      @inline(__always) func mix(_ steps: Range<Int>, _ constant: UInt32, _ mixed: () -> UInt32) {
        for step in steps {
          let next = rotated(a, by: 5) &+ mixed() &+ e &+ constant &+ schedule[step]
          (a, b, c, d, e) = (next, a, rotated(b, by: 30), c, d)
        }
      }
      mix(0..<20, 0x5A82_7999) { (b & c) | (~b & d) }
      mix(20..<40, 0x6ED9_EBA1) { b ^ c ^ d }
      mix(40..<60, 0x8F1B_BCDC) { (b & c) | (b & d) | (c & d) }
      mix(60..<80, 0xCA62_C1D6) { b ^ c ^ d }
    }
    words = (words.0 &+ a, words.1 &+ b, words.2 &+ c, words.3 &+ d, words.4 &+ e)
  }

  @inline(__always) private func rotated(_ word: UInt32, by count: UInt32) -> UInt32 {
    word << count | word >> (32 - count)
  }
}
