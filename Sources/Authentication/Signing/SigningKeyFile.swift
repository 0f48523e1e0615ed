// The user's own signing key: `signing_key` in the account's folder.
// Invariant: with an account the secret half is in the file only as sealed by the account's password, from the first
// time that it is used with one; it is the same key after a change of password, at whatever moment the process ends.

import CSodium
import Files
import Text

/// Makes a signing key, and signs with it.
///
///     let file = SigningKeyFile(folder: try access.folder(), random: environment.random.bytes)
///     let key = try file.make(password: nil)
///     key.verifies(try file.sign(bytes, password: nil), over: bytes)   // true
public struct SigningKeyFile {
  public let path: String
  private let cost: HashCost
  /// Hears of each step of writing; for tests that end the process there.
  private let reach: StepObserver

  public init(in access: AccountAccess, cost: HashCost = .interactive) throws(AuthenticationError) {
    self.init(folder: try access.folder(), cost: cost)
  }

  init(folder: String, cost: HashCost, reach: @escaping StepObserver = { _ in 0 }) {
    path = folder + "/signing_key"
    self.cost = cost
    self.reach = reach
  }

  /// The public half; nil when there is no key yet.
  public func key() throws(AuthenticationError) -> SignerKey? { try stored()?.key }

  /// Makes a key, sealed by the password where there is one.
  /// - Throws: `exists` when there is a key already.
  public func make(password: borrowing Secret?) throws(AuthenticationError) -> SignerKey {
    if PrivateFile.exists(path) { throw .keyExists(path: path) }
    var key = [UInt8](repeating: 0, count: Int(crypto_sign_PUBLICKEYBYTES))
    let seed = try Secret(capacity: StoredKey.seedLength) { start in
      randombytes_buf(start, StoredKey.seedLength)
      return 0
    }
    try SigningKeyFile.withSecretKey(seed, &key) { _ in }
    try PrivateFile.makeFolder(parentFolder(of: path))
    try write(StoredKey(key: SignerKey(key), parts: [try part(seed, password)]))
    return SignerKey(key)
  }

  /// Signs bytes: RFC 8032, Ed25519. A key that was made before there was an account is sealed by the password now.
  public func sign(_ message: [UInt8], password: borrowing Secret?) throws(AuthenticationError) -> [UInt8] {
    guard let stored = try stored() else { throw .noKey }
    let seed: Secret
    switch password {
    case .none: seed = try stored.plainSeed()
    case .some(let password): seed = try self.seed(of: stored, password)
    }
    if stored.isPlain || stored.parts.count > 1, case .sealed(let sealed) = try part(seed, password) {
      try write(StoredKey(key: stored.key, parts: [.sealed(sealed)]))
    }
    var signature = [UInt8](repeating: 0, count: Int(crypto_sign_BYTES))
    var key = [UInt8](repeating: 0, count: Int(crypto_sign_PUBLICKEYBYTES))
    try SigningKeyFile.withSecretKey(seed, &key) { secret in
      _ = crypto_sign_detached(&signature, nil, message, UInt64(message.count), secret)
    }
    guard key == stored.key.bytes else { throw .damaged(path: path, reason: "its two halves are not of one key") }
    return signature
  }

  /// Before the account's password changes: the key opens with the old one and with the new one.
  func prepareChange(from old: borrowing Secret, to new: borrowing Secret) throws(AuthenticationError) {
    guard let stored = try stored() else { return }
    let seed = try seed(of: stored, old)
    try write(StoredKey(key: stored.key, parts: [try sealed(seed, old), try sealed(seed, new)]))
  }

  /// After it has changed: only with the new one.
  func finishChange(to new: borrowing Secret) throws(AuthenticationError) {
    guard let stored = try stored() else { return }
    let seed = try seed(of: stored, new)
    try write(StoredKey(key: stored.key, parts: [try sealed(seed, new)]))
  }

  // MARK: The secret half

  private func part(_ seed: borrowing Secret, _ password: borrowing Secret?) throws(AuthenticationError)
    -> StoredKey.Part
  {
    switch password {
    case .some(let password): return try sealed(seed, password)
    case .none: return .plain(seed.withBytes { Array($0) })
    }
  }

  private func seed(of stored: StoredKey, _ password: borrowing Secret) throws(AuthenticationError) -> Secret {
    if stored.isPlain { return try stored.plainSeed() }
    let normal = try password.normalized()
    for case .sealed(let sealed) in stored.parts {
      if let seed = try sealed.opened(normal) { return seed }
    }
    throw .damaged(path: path, reason: "it does not open with the account's password")
  }

  private func sealed(_ seed: borrowing Secret, _ password: borrowing Secret) throws(AuthenticationError)
    -> StoredKey.Part
  {
    .sealed(try SealedSeed(seed, password.normalized(), cost: cost))
  }

  /// The 64 bytes that libsodium signs with, for the time of the call; `key` becomes the public half.
  private static func withSecretKey(
    _ seed: borrowing Secret, _ key: inout [UInt8], _ body: (UnsafePointer<UInt8>) -> Void
  ) throws(AuthenticationError) {
    let secret = try Secret(capacity: Int(crypto_sign_SECRETKEYBYTES)) { start in
      seed.withPointer { crypto_sign_seed_keypair(&key, start, $0) }
    }
    secret.withPointer(body)
  }

  // MARK: The file

  private func stored() throws(AuthenticationError) -> StoredKey? {
    guard PrivateFile.exists(path) else { return nil }
    return try StoredKey(bytes: PrivateFile.read(path, limit: StoredKey.largest), path: path)
  }

  private func write(_ stored: StoredKey) throws(AuthenticationError) {
    try PrivateFile.replace(path, with: stored.bytes, reach)
  }
}
