// Who signed something: an Ed25519 public key, and its fingerprint, by which people compare keys.
// Invariant: a key is 32 bytes; two keys have one fingerprint only where SHA-256 fails.

import CSodium
import Text

/// The public key of somebody who signs.
///
///     let key = try #require(SignerKey(hexadecimal: text))
///     key.fingerprint.description   // "90ab cdef ..."
public struct SignerKey: Hashable, Sendable {
  public let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Nil when the text is not the 64 hexadecimal digits of a key.
  public init?(hexadecimal text: String) {
    guard let bytes = Text.bytes(ofHexadecimal: text), bytes.count == Int(crypto_sign_PUBLICKEYBYTES) else {
      return nil
    }
    self.bytes = bytes
  }

  public var text: String { hexadecimal(bytes) }

  public var fingerprint: Fingerprint { Fingerprint(of: self) }

  /// Whether the signature was made with this key over exactly these bytes: RFC 8032, Ed25519.
  public func verifies(_ signature: [UInt8], over message: [UInt8]) -> Bool {
    guard signature.count == Int(crypto_sign_BYTES) else { return false }
    return crypto_sign_verify_detached(signature, message, UInt64(message.count), bytes) == 0
  }
}

/// The first 160 bits of the SHA-256 of a public key, in ten groups of four hexadecimal digits.
public struct Fingerprint: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The digits without blanks, as they are stored.
  public let text: String
  static let digits = 40

  init(of key: SignerKey) { text = String(hexadecimal(sha256(key.bytes)).prefix(Fingerprint.digits)) }

  /// Reads what people type or copy: blanks, colons and capitals do not matter. Nil when it is no fingerprint.
  public init?(_ text: String) {
    let digits = text.lowercased().filter { $0 != " " && $0 != ":" }
    guard digits.utf8.count == Fingerprint.digits, Text.bytes(ofHexadecimal: digits) != nil else { return nil }
    self.text = digits
  }

  public var description: String {
    stride(from: 0, to: Fingerprint.digits, by: 4).map { String(text.dropFirst($0).prefix(4)) }.joined(separator: " ")
  }

  public static func < (first: Fingerprint, second: Fingerprint) -> Bool { first.text < second.text }
}
