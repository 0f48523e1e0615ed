// The checksum of compiled lists and the hash of their sources.
// Invariant: fixed, since compiled files hold it; it finds damage, it does not stop a forger.

import Text

/// The checksum of a compiled list: over all its bytes but the checksum itself.
func imageChecksum(of compiled: UnsafeRawBufferPointer) -> UInt64 {
  let field = IndexLayout.Field.checksum.rawValue
  let head = damageDigest(UnsafeRawBufferPointer(rebasing: compiled[..<field]), seed: 0)
  return damageDigest(UnsafeRawBufferPointer(rebasing: compiled[(field + 8)...]), seed: head)
}
