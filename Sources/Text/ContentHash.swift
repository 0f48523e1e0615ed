// Hashes of a text's bytes, for hash tables and for the index of card contents.
// Invariant: the values never change, because collections store them.

internal import CSodium

/// The 32 bytes of SHA-256, FIPS 180-4.
public func sha256(_ bytes: [UInt8]) -> [UInt8] {
  var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
  // It cannot fail.
  crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
  return digest
}

/// SHA-256 of bytes that arrive in pieces.
///
///     var hashing = HashingSHA256()
///     while let piece = next() { hashing.add(piece) }
///     let digest = hashing.digest()   // as sha256 of all of them
public struct HashingSHA256 {
  private var state = crypto_hash_sha256_state()

  public init() { crypto_hash_sha256_init(&state) }

  public mutating func add(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
    crypto_hash_sha256_update(&state, start, UInt64(bytes.count))
  }

  /// Returns the hash; nothing can be added afterwards.
  public mutating func digest() -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
    crypto_hash_sha256_final(&state, &digest)
    return digest
  }
}

/// A quick hash of bytes: equal texts have equal hashes, different ones rarely do. It does not protect against forgery.
///
/// It processes words of eight bytes, little-endian, and mixes each in by a multiplication with 2^64 divided by the
/// golden ratio.
@inlinable public func contentHash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
  var mixed = UInt64(bytes.count)
  var index = 0
  while index < bytes.count {
    var word: UInt64 = 0
    let step = min(8, bytes.count - index)
    if step == 8 {
      word = UInt64(littleEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: index, as: UInt64.self))
    } else {
      for offset in 0..<step { word |= UInt64(bytes[index + offset]) << (8 * UInt64(offset)) }
    }
    mixed = (mixed ^ word) &* 0x9E37_79B9_7F4A_7C15
    mixed ^= mixed >> 29
    index += step
  }
  return UInt32(truncatingIfNeeded: (mixed &* 0xBF58_476D_1CE4_E5B9) >> 32)
}
