// A SHA-256 of bytes. It names an image, and it distinguishes a file that was changed elsewhere from an unchanged one.
// Invariant: the text is 64 lower case hexadecimal digits, so it cannot hold a path.

import Text

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
