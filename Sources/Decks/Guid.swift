// The name of a card that stays the same wherever the card goes.
// Invariant: one that is made is 11 letters and digits of 64 random bits, and never one that the deck holds already.
// Those of cards that come one after the other count on from there, so that an index of a million is written in order.

enum Guid {
  static let length = 11
  private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

  /// Writes 64 bits in base 62, the highest digit first; 62^11 is more than 2^64.
  static func write(_ bits: UInt64, into bytes: UnsafeMutableBufferPointer<UInt8>) {
    var rest = bits
    for index in bytes.indices.reversed() {
      bytes[index] = digits[Int(rest % 62)]
      rest /= 62
    }
  }

  /// A given one without spaces around it; nil when it is empty, so that one has to be made.
  static func cleaned(_ bytes: TextBytes) throws(DeckError) -> TextBytes? {
    let guid = try CardText.cleaned(bytes, "guid")
    if guid.count > 200 {
      throw .badGuid(guid: String(decoding: guid, as: UTF8.self), reason: "has at most 200 bytes")
    }
    for byte in guid where byte < 0x20 || byte == 0x7F {
      throw .badGuid(guid: String(decoding: guid, as: UTF8.self), reason: "holds no control characters")
    }
    return guid.isEmpty ? nil : guid
  }
}
