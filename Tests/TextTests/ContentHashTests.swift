// The content hash: collections store it, so its values are fixed.

import Testing
import Text

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
