// An account's file `credentials`: its name and the hash of its password, in a few lines with a checksum.
// Invariant: a file that was truncated or changed in any byte is rejected before anything in it is used.

import CSodium
import Text

/// The content of the file. It has one fact per line, in this order:
///     deckhand-credentials 1
///     name ana
///     password $argon2id$v=19$m=65536,t=2,p=1$...$...
///     sum 32 hexadecimal digits of BLAKE2b over the lines before
struct Credentials: Equatable {
  var name: String
  var hash: PasswordHash

  static let version = 1
  static let largest = 4096
  private static let head = "deckhand-credentials"

  var bytes: [UInt8] {
    let lines = Array("\(Credentials.head) \(Credentials.version)\nname \(name)\npassword \(hash.text)\n".utf8)
    return lines + Array("sum \(Credentials.sum(lines))\n".utf8)
  }
}

extension Credentials {
  /// Parses the file's bytes. `path` is for the messages.
  init(bytes: [UInt8], path: String) throws(AuthenticationError) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .damaged(path: path, reason: "it is not text")
    }
    let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { String(Substring($0)) }
    if let version = Credentials.fact(lines.first, Credentials.head), version != "\(Credentials.version)" {
      guard let number = Int(version), number > Credentials.version else {
        throw .damaged(path: path, reason: "its version is not a number")
      }
      throw .newer(path: path, version: "credentials \(number)")
    }
    guard lines.count == 5, lines[4].isEmpty, let sum = Credentials.fact(lines[3], "sum"),
      let name = Credentials.fact(lines[1], "name"), let hash = Credentials.fact(lines[2], "password"),
      Credentials.fact(lines[0], Credentials.head) != nil
    else { throw .damaged(path: path, reason: "it is truncated or was changed") }
    let summed = Array((lines[0...2].joined(separator: "\n") + "\n").utf8)
    guard sum == Credentials.sum(summed) else { throw .damaged(path: path, reason: "it is truncated or was changed") }
    self.init(name: name, hash: try PasswordHash(text: hash, path: path))
  }

  private static func fact(_ line: String?, _ key: String) -> String? {
    guard let line, line.utf8.starts(with: (key + " ").utf8) else { return nil }
    return String(decoding: line.utf8.dropFirst(key.utf8.count + 1), as: UTF8.self)
  }

  private static func sum(_ bytes: [UInt8]) -> String {
    var digest = [UInt8](repeating: 0, count: 16)
    crypto_generichash(&digest, 16, bytes, UInt64(bytes.count), nil, 0)
    return hexadecimal(digest)
  }
}
