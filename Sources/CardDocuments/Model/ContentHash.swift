// The SHA-256 of bytes: the name of an image, and how a file that changed elsewhere is distinguished from one that did
// not.
// Invariant: the text is 64 lower case hexadecimal digits, so it can hold no path.

import Text

/// The SHA-256 of an image, which names its file.
///
///     ContentHash(of: picture.png).description   // 64 hexadecimal digits
public struct ContentHash: Hashable, Sendable, CustomStringConvertible {
  /// 64 lower case hexadecimal digits.
  public let description: String

  /// The hash of some bytes.
  public init(of bytes: [UInt8]) {
    description = hexadecimal(sha256(bytes))
  }

  /// Nil for anything but 64 lower case hexadecimal digits.
  public init?(_ text: String) {
    let digits = text.utf8
    guard digits.count == 64, digits.allSatisfy({ isHexDigit($0) && !(65...70).contains($0) }) else { return nil }
    description = text
  }
}
