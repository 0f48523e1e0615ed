// Keys and signatures made by minisign 0.11, and any change to them.

import Authentication
import Testing

@Suite struct MinisignTests {
  private static let file = Array("hello\n".utf8)
  private static let keyText = "RWRK8N9dH8dv1oFazzp7jP1JvRruBSYaYgdZrGn3MfCIGu668uw5cDXe"
  private static let keyFile = "untrusted comment: minisign public key D66FC71F5DDFF04A\n\(keyText)\n"
  private static let prehashed = """
    untrusted comment: signature from minisign secret key
    RURK8N9dH8dv1rxY5/QI40oEYwCGxJZSt3U3hRgYLkhzmZuVcQRpTADoERNxxIkRAvCHmNiqMcU/3Cxj68Bu1bLHz+K2ZJHm1gs=
    trusted comment: a comment
    7UIv28u00TPzEf2vGcICUyS3x87soHYwtZs9KmCPCPvmhCZ3BNmg541vStnpGad4wplJB5Jp6f8X6s01M0KzCg==

    """
  private static let legacy = """
    untrusted comment: signature from minisign secret key
    RWRK8N9dH8dv1leSvwnlkbU4o+C3/nofPVZeVr1ts6O+aEYOrHzjXNyYgrTc+Rg8TvJtfHc7ddB42y3Bx2vD/au72RPy2AduCQs=
    trusted comment: old
    RnngO9BVQwTbPKaICQ7E6kJdezzo1acRoZP5jxp3tcd5ZFXfYRvrEgV1YAyRDAVz5oJfDouzkK2r1dWdfCR/Bg==

    """

  @Test func `a key is read from its text and from its file, and nothing else is accepted`() throws {
    let key = try #require(MinisignKey(Self.keyText))
    #expect(key.id == "D66FC71F5DDFF04A" && key.description == Self.keyText)
    #expect(MinisignKey(Self.keyFile) == key && MinisignKey("  \(Self.keyText)\r\n") == key)
    for text in [
      "", "RW", String(Self.keyText.dropLast()), Self.keyText + "\n" + Self.keyText, "x" + Self.keyText.dropFirst(),
    ] {
      #expect(MinisignKey(text) == nil, "\(text)")
    }
  }

  @Test(arguments: [prehashed, legacy])
  func `a signature verifies for the signed file, with its key only`(text: String) throws {
    let key = try #require(MinisignKey(Self.keyText))
    let signature = try #require(MinisignSignature(Array(text.utf8)))
    #expect(signature.keyID == key.id && signature.isMade(by: key, over: Self.file))
    let ofWindows = try #require(MinisignSignature(text.utf8.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }))
    #expect(ofWindows.isMade(by: key, over: Self.file))
    #expect(!signature.isMade(by: key, over: Self.file + [0x0A]) && !signature.isMade(by: key, over: []))
    let other = try #require(MinisignKey(Self.keyText.dropLast() + "A"))
    #expect(other.id == key.id && !signature.isMade(by: other, over: Self.file))
  }

  @Test(arguments: [prehashed, legacy])
  func `after any change except to its first comment a signature does not verify`(text: String) throws {
    let key = try #require(MinisignKey(Self.keyText))
    let bytes = Array(text.utf8)
    let start = try #require(bytes.firstIndex(of: 0x0A))
    for place in start..<bytes.count - 1 {
      var changed = bytes
      changed[place] ^= 1
      guard let read = MinisignSignature(changed) else { continue }
      #expect(!read.isMade(by: key, over: Self.file), "\(place)")
    }
    for length in 0..<bytes.count - 1 {
      let held = MinisignSignature(Array(bytes.prefix(length)))?.isMade(by: key, over: Self.file) ?? false
      #expect(!held, "\(length)")
    }
  }
}
