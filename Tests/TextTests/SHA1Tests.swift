// SHA-1: the examples of FIPS 180-4, and every length around the end of a block.

import Testing
import Text

@Suite struct SHA1Tests {
  @Test(arguments: [
    ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
    (String(repeating: "a", count: 1_000_000), "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
  ])
  func `the SHA-1 of a text is that of the standard`(text: String, digest: String) {
    #expect(hexadecimal(Array(text.utf8).withUnsafeBytes(sha1)) == digest)
  }

  @Test func `padding is right for every length, at any address`() {
    var sum: [UInt8] = []
    for count in 0...200 {
      sum += [UInt8](repeating: 0x61, count: count + 1).withUnsafeBytes { sha1(.init(rebasing: $0[1...])) }
    }
    #expect(hexadecimal(sum.withUnsafeBytes(sha1)) == "f6f332e8f89c35ee3df74d34ef8fda777d9647b9")
  }
}

@Suite struct ContentHashTests {
  @Test(arguments: [
    ("", 0x0000_0000), ("a", 0x553D_2B44), ("perro", 0x9701_F266), ("árbol ab", 0x5366_2DF2),
    ("a longer text, of 8s", 0xFF3A_9EDD),
  ])
  func `the hash of a text is the one that collections store`(text: String, hash: UInt32) {
    var text = text
    #expect(text.withUTF8(contentHash) == hash)
  }
}
