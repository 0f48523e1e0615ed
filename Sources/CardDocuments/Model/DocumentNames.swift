// The names of documents, UUIDs as in the original app, and of pictures, the SHA-256 of their bytes.
// Invariant: an id is 36 upper case hexadecimal digits and dashes, and a hash 64 lower case hexadecimal digits, so
// neither can hold a path.

import Text

/// The name of a document: a UUID.
///
///     DocumentID("6d924181-abfc-457a-a771-984e7f3805bd")?.description   // in upper case
///     DocumentID("../evil")   // nil
public struct DocumentID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// `6D924181-ABFC-457A-A771-984E7F3805BD`
  public let description: String

  /// Parses a UUID in upper or lower case; nil for anything else.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 36 else { return nil }
    for (index, byte) in bytes.enumerated() {
      let isDash = [8, 13, 18, 23].contains(index)
      guard isDash ? byte == UInt8(ascii: "-") : isHexDigit(byte) else { return nil }
    }
    description = text.uppercased()
  }

  /// Makes a UUID of sixteen bytes. The caller decides whether they are random or repeatable; missing bytes count as 0.
  public init(bytes: some Sequence<UInt8>) {
    var digits = bytes.prefix(16).map { hexadecimal([$0]).uppercased() }
    digits += Array(repeating: "00", count: 16 - digits.count)
    let cuts = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16]
    description = cuts.map { digits[$0].joined() }.joined(separator: "-")
  }

  public static func < (first: DocumentID, second: DocumentID) -> Bool { first.description < second.description }
}

private func isHexDigit(_ byte: UInt8) -> Bool { "0123456789abcdefABCDEF".utf8.contains(byte) }

/// The SHA-256 of an image, which names its file.
public struct ContentHash: Hashable, Sendable, CustomStringConvertible {
  /// 64 lower case hexadecimal digits.
  public let description: String

  /// Computes the hash of some bytes.
  public init(of bytes: [UInt8]) { description = hexadecimal(sha256(bytes)) }

  /// Nil for anything but 64 lower case hexadecimal digits.
  public init?(_ text: String) {
    let digits = text.utf8
    guard digits.count == 64, digits.allSatisfy({ isHexDigit($0) && !(65...70).contains($0) }) else { return nil }
    description = text
  }
}
