// What the file of a signing key says, and its secret half under a password.
// Invariant: a file that was cut or changed is refused; a sealed secret opens with its password only, and whatever was
// changed in it does not open at all.

import CSodium
import Text

/// The file's facts, one a line:
///     deckhand-signing-key 1
///     public 64 hexadecimal digits
///     plain 64 hexadecimal digits        or, once or twice while a password changes:
///     sealed m=65536,t=2 SALT NONCE BOX  each in hexadecimal digits
struct StoredKey {
  enum Part {
    case plain([UInt8])
    case sealed(SealedSeed)
  }

  let key: SignerKey
  let parts: [Part]

  static let seedLength = Int(crypto_sign_SEEDBYTES)
  static let largest = 4096
  private static let head = "deckhand-signing-key 1"

  init(key: SignerKey, parts: [Part]) { (self.key, self.parts) = (key, parts) }

  var isPlain: Bool {
    parts.contains { if case .plain = $0 { true } else { false } }
  }

  /// - Throws: `required` where it is under a password.
  func plainSeed() throws(AuthenticationError) -> Secret {
    for case .plain(let bytes) in parts { return try Secret(bytes: bytes) }
    throw .required
  }

  var bytes: [UInt8] {
    let lines =
      [StoredKey.head, "public \(key.text)"]
      + parts.map { part in
        switch part {
        case .plain(let seed): "plain \(hexadecimal(seed))"
        case .sealed(let sealed): "sealed \(sealed.text)"
        }
      }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  init(bytes: [UInt8], path: String) throws(AuthenticationError) {
    let damaged = AuthenticationError.damaged(path: path, reason: "it is no signing key, or it was changed")
    guard let text = String(validating: bytes, as: UTF8.self) else { throw damaged }
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard lines.popLast() == "", (3...4).contains(lines.count), lines[0] == StoredKey.head else { throw damaged }
    guard lines[1].hasPrefix("public "), let key = SignerKey(hexadecimal: String(lines[1].dropFirst(7))) else {
      throw damaged
    }
    self.key = key
    parts = try lines.dropFirst(2).map { (line) throws(AuthenticationError) in
      if line.hasPrefix("plain "), let seed = Text.bytes(ofHexadecimal: String(line.dropFirst(6))),
        seed.count == StoredKey.seedLength
      {
        return .plain(seed)
      }
      guard line.hasPrefix("sealed "), let sealed = SealedSeed(String(line.dropFirst(7))) else { throw damaged }
      return .sealed(sealed)
    }
  }
}

/// A seed under a password: XSalsa20-Poly1305 with a key that Argon2id makes of the password.
struct SealedSeed {
  private let cost: HashCost
  private let salt: [UInt8]
  private let nonce: [UInt8]
  private let box: [UInt8]

  init(_ seed: borrowing Secret, _ password: borrowing Secret, cost: HashCost) throws(AuthenticationError) {
    self.cost = cost
    var salt = [UInt8](repeating: 0, count: Int(crypto_pwhash_argon2id_SALTBYTES))
    var nonce = [UInt8](repeating: 0, count: Int(crypto_secretbox_NONCEBYTES))
    randombytes_buf(&salt, salt.count)
    randombytes_buf(&nonce, nonce.count)
    let key = try SealedSeed.key(of: password, salt, cost)
    var box = [UInt8](repeating: 0, count: seed.count + Int(crypto_secretbox_MACBYTES))
    let result = key.withPointer { key in
      seed.withPointer { crypto_secretbox_easy(&box, $0, UInt64(StoredKey.seedLength), nonce, key) }
    }
    guard result == 0 else { throw .outOfMemory }
    (self.salt, self.nonce, self.box) = (salt, nonce, box)
  }

  var text: String {
    "m=\(cost.memory),t=\(cost.passes) \(hexadecimal(salt)) \(hexadecimal(nonce)) \(hexadecimal(box))"
  }

  /// Nil for what is not the text of a sealed seed, or asks for more than a password may cost.
  init?(_ text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard words.count == 4, let cost = SealedSeed.cost(words[0]) else { return nil }
    let parts = words.dropFirst().compactMap { Text.bytes(ofHexadecimal: $0) }
    guard parts.count == 3, parts[0].count == Int(crypto_pwhash_argon2id_SALTBYTES),
      parts[1].count == Int(crypto_secretbox_NONCEBYTES),
      parts[2].count == StoredKey.seedLength + Int(crypto_secretbox_MACBYTES)
    else { return nil }
    (self.cost, salt, nonce, box) = (cost, parts[0], parts[1], parts[2])
  }

  private static func cost(_ text: String) -> HashCost? {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false)
    guard numbers.count == 2, numbers[0].hasPrefix("m="), numbers[1].hasPrefix("t="),
      let memory = Int(numbers[0].dropFirst(2)), let passes = Int(numbers[1].dropFirst(2)),
      (HashCost.least.memory...HashCost.most.memory).contains(memory),
      (HashCost.least.passes...HashCost.most.passes).contains(passes)
    else { return nil }
    return HashCost(memory: memory, passes: passes)
  }

  /// The seed; nil when this is not the password, or the text was changed.
  func opened(_ password: borrowing Secret) throws(AuthenticationError) -> Secret? {
    let key = try SealedSeed.key(of: password, salt, cost)
    var isOpen = false
    let seed = try Secret(capacity: StoredKey.seedLength) { start in
      isOpen = key.withPointer { crypto_secretbox_open_easy(start, box, UInt64(box.count), nonce, $0) } == 0
      return 0
    }
    if isOpen { return seed }
    return nil
  }

  private static func key(
    of password: borrowing Secret, _ salt: [UInt8], _ cost: HashCost
  ) throws(AuthenticationError) -> Secret {
    try Secret(capacity: Int(crypto_secretbox_KEYBYTES)) { (buffer) throws(AuthenticationError) in
      try password.deriveKey(into: buffer, salt: salt, cost: cost)
      return buffer.count
    }
  }
}
