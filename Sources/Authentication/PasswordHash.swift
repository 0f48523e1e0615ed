// Argon2id by libsodium, the PHC string in which a hash is stored, and the account's file `credentials` that holds it.
// Invariants: no hash is computed before its string was parsed completely and its cost is within the limits; a file
// that was truncated or changed in any byte is rejected before anything in it is used.

import CSodium
import Glibc
import Text

/// The cost of checking a password, for an attacker and for the owner alike.
///
///     HashCost(memory: 65_536, passes: 2)   // 64 MiB, read and written twice
public struct HashCost: Equatable, Sendable {
  /// KiB of memory.
  public var memory: Int
  /// Passes over it.
  public var passes: Int

  public init(memory: Int, passes: Int) { (self.memory, self.passes) = (memory, passes) }

  /// What libsodium recommends for a sign-in: 64 MiB, 2 passes; about 65 ms.
  public static let interactive = HashCost(memory: 65_536, passes: 2)

  /// The most that a stored hash may require: libsodium's SENSITIVE, 1 GiB and 4 passes, some seconds.
  static let most = HashCost(memory: 1_048_576, passes: 4)
  /// The least that libsodium accepts.
  static let least = HashCost(memory: 8, passes: 1)
}

/// A password's hash: `$argon2id$v=19$m=65536,t=2,p=1$salt$hash`, the salt and hash in base64 without padding.
struct PasswordHash: Equatable {
  let text: String
  let cost: HashCost

  private static let saltLength = 22
  private static let hashLength = 43

  /// Hashes a normalized password with its own salt.
  init(_ password: borrowing Secret, cost: HashCost) throws(AuthenticationError) {
    var buffer = [CChar](repeating: 0, count: crypto_pwhash_argon2id_strbytes())
    let result = try password.withBytes { (bytes) throws(AuthenticationError) in
      guard let passphrase = bytes.bindMemory(to: CChar.self).baseAddress else { throw .empty }
      return crypto_pwhash_argon2id_str(
        &buffer, passphrase, UInt64(bytes.count), UInt64(cost.passes), cost.memory * 1024)
    }
    guard result == 0 else { throw .outOfMemory }
    text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    self.cost = cost
  }

  /// Parses a stored hash. `path` is for the messages.
  init(text: String, path: String) throws(AuthenticationError) {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    let damaged = AuthenticationError.damaged(path: path, reason: "its password is not an Argon2id hash")
    guard parts.count == 6, parts[0].isEmpty, parts[1].hasPrefix("argon2") else { throw damaged }
    guard parts[1] == "argon2id", parts[2] == "v=19" else {
      throw .newer(path: path, version: "\(parts[1].prefix(16)) \(parts[2].prefix(16))")
    }
    let numbers = parts[3].split(separator: ",", omittingEmptySubsequences: false)
    guard numbers.count == 3, let memory = PasswordHash.number(numbers[0], after: "m="),
      let passes = PasswordHash.number(numbers[1], after: "t="),
      let lanes = PasswordHash.number(numbers[2], after: "p="),
      memory >= HashCost.least.memory, passes >= HashCost.least.passes,
      PasswordHash.decoded(parts[4], PasswordHash.saltLength) != nil,
      PasswordHash.decoded(parts[5], PasswordHash.hashLength) != nil
    else { throw damaged }
    guard lanes == 1, memory <= HashCost.most.memory, passes <= HashCost.most.passes else {
      throw .tooCostly(path: path, memory: memory, passes: passes)
    }
    self.text = text
    cost = HashCost(memory: memory, passes: passes)
  }

  /// A hash that matches no password and costs the same to check: for names without an account.
  static func unmatchable(cost: HashCost, random: (Int) -> [UInt8]) -> PasswordHash {
    let salt = base64(random(saltLength * 3 / 4), isPadded: false)
    let hash = base64(random(hashLength * 3 / 4), isPadded: false)
    return PasswordHash(cost: cost, salt: salt, hash: hash)
  }

  private init(cost: HashCost, salt: String, hash: String) {
    text = "$argon2id$v=19$m=\(cost.memory),t=\(cost.passes),p=1$\(salt)$\(hash)"
    self.cost = cost
  }

  /// Whether the normalized password matches. Takes the time that the cost implies, right or wrong. libsodium's own
  /// check also reports a mismatch if there was no memory to try the password, so the hash is computed here.
  func matches(_ password: borrowing Secret) throws(AuthenticationError) -> Bool {
    let parts = text.split(separator: "$")
    guard let salt = PasswordHash.decoded(parts[3], PasswordHash.saltLength),
      let wanted = PasswordHash.decoded(parts[4], PasswordHash.hashLength)
    else { return false }
    let made = try Secret(capacity: wanted.count) { (buffer) throws(AuthenticationError) in
      try password.deriveKey(into: buffer, salt: salt, cost: cost)
      return buffer.count
    }
    return made.withBytes { sodium_memcmp($0.baseAddress, wanted, wanted.count) == 0 }
  }

  /// Decodes base64 without padding; the number of characters determines the number of bytes.
  private static func decoded(_ text: Substring, _ length: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: length * 3 / 4)
    var count = 0
    let result = sodium_base642bin(
      &bytes, bytes.count, String(text), text.utf8.count, nil, &count, nil,
      Int32(sodium_base64_VARIANT_ORIGINAL_NO_PADDING))
    return result == 0 && count == bytes.count ? bytes : nil
  }

  /// Parses a plain decimal number without a sign or a leading zero, of at most ten digits.
  private static func number(_ text: Substring, after name: String) -> Int? {
    guard text.hasPrefix(name) else { return nil }
    let digits = text.dropFirst(name.count)
    guard (1...10).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      digits.first != "0"
    else { return nil }
    return Int(digits)
  }
}

extension Secret {
  /// Fills a buffer with the key that Argon2id derives from a password: RFC 9106.
  func deriveKey(
    into buffer: UnsafeMutableRawBufferPointer, salt: [UInt8], cost: HashCost
  ) throws(AuthenticationError) {
    let result = try withBytes { (bytes) throws(AuthenticationError) in
      guard let passphrase = bytes.bindMemory(to: CChar.self).baseAddress,
        let start = buffer.bindMemory(to: UInt8.self).baseAddress
      else { throw .empty }
      return crypto_pwhash_argon2id(
        start, UInt64(buffer.count), passphrase, UInt64(bytes.count), salt, UInt64(cost.passes), cost.memory << 10,
        crypto_pwhash_argon2id_alg_argon2id13())
    }
    if result != 0 { throw .outOfMemory }
  }
}

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
      Credentials.fact(lines[0], Credentials.head) != nil,
      sum == Credentials.sum(Array((lines[0...2].joined(separator: "\n") + "\n").utf8))
    else { throw .damaged(path: path, reason: "it is truncated or was changed") }
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
