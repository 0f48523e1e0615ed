// Keys and signatures in the format of minisign, a tool for signing packages. Invariant: a signature is valid only if
// both signatures in it are valid: the one over the file, and the one over that and the trusted comment.
// https://jedisct1.github.io/minisign/#signature-format

import CSodium
import Text

/// A public key of minisign.
///
///     MinisignKey("RWRK8N9dH8dv1oFazzp7jP1JvRruBSYaYgdZrGn3MfCIGu668uw5cDXe")?.id   // "D66FC71F5DDFF04A"
public struct MinisignKey: Hashable, Sendable, CustomStringConvertible {
  private let bytes: [UInt8]

  /// Parses a key, or the `.pub` file that contains it. Nil for anything else.
  public init?(_ text: String) {
    var lines = text.split(whereSeparator: \.isNewline).map { String($0).trimmed }.filter { !$0.isEmpty }
    if lines.first?.hasPrefix(Self.comment) == true { lines.removeFirst() }
    guard lines.count == 1, let bytes = Text.bytes(ofBase64: lines[0]), bytes.count == Self.length,
      bytes.starts(with: "Ed".utf8)
    else { return nil }
    self.bytes = bytes
  }

  fileprivate static let comment = "untrusted comment:"
  private static let length = 2 + 8 + Int(crypto_sign_PUBLICKEYBYTES)

  /// 56 letters that begin with `RW`.
  public var description: String { base64(bytes) }
  /// The number by which a signature refers to the key: 16 hexadecimal digits.
  public var id: String { keyID(bytes[2..<10]) }

  /// Whether the signature was made with this key: RFC 8032, Ed25519.
  fileprivate func verifies(_ signature: [UInt8], over message: [UInt8]) -> Bool {
    let key = Array(bytes[10...])
    return crypto_sign_verify_detached(signature, message, UInt64(message.count), key) == 0
  }
}

/// A signature of minisign: the content of `FILE.minisig`.
///
///     let signature = try #require(MinisignSignature(bytes))
///     signature.isMade(by: key, over: file)
public struct MinisignSignature: Sendable {
  /// The id of the key that signed.
  public let keyID: String
  private let isPrehashed: Bool
  private let signature: [UInt8]
  private let trustedComment: [UInt8]
  private let global: [UInt8]

  /// Nil if the bytes are not a signature.
  public init?(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    // minisign on Windows ends lines with CR LF.
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map(String.init)
    let head = "trusted comment: "
    guard lines.count == 4 || lines.count == 5 && lines[4].isEmpty, lines[0].hasPrefix(MinisignKey.comment),
      lines[2].hasPrefix(head), let first = Text.bytes(ofBase64: lines[1]),
      let global = Text.bytes(ofBase64: lines[3]), first.count == 2 + 8 + Self.length, global.count == Self.length,
      first[0] == UInt8(ascii: "E"), [UInt8(ascii: "d"), UInt8(ascii: "D")].contains(first[1])
    else { return nil }
    isPrehashed = first[1] == UInt8(ascii: "D")
    keyID = Authentication.keyID(first[2..<10])
    signature = Array(first[10...])
    trustedComment = Array(lines[2].utf8.dropFirst(head.utf8.count))
    self.global = global
  }

  private static let length = Int(crypto_sign_BYTES)

  /// Whether the key signed exactly this file.
  public func isMade(by key: MinisignKey, over file: [UInt8]) -> Bool {
    guard key.id == keyID else { return false }
    return key.verifies(signature, over: isPrehashed ? hashed(file) : file)
      && key.verifies(global, over: signature + trustedComment)
  }

  /// BLAKE2b of 512 bits.
  private func hashed(_ file: [UInt8]) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: 64)
    crypto_generichash(&hash, hash.count, file, UInt64(file.count), nil, 0)
    return hash
  }
}

/// The number of a key as minisign writes it: the highest byte first, in capitals.
private func keyID(_ bytes: ArraySlice<UInt8>) -> String { hexadecimal(Array(bytes.reversed())).uppercased() }
